// Before and after, for records of one log. The order of their leaves tells, which no clock changes: a record is written to the log's inbox by
// the transaction that makes the change, so whoever knows of the change writes later leaves.

/** The place of a leaf in its log. A record in the log's inbox is behind every leaf: its log is Infinity. */
export interface LogPlace {
  /** Generations of a log follow each other. */
  readonly log: number;
  readonly index: number;
}

/** When a record was made. */
export interface Moment {
  /** By the database's clock, which may have been set between two records. */
  readonly atMs: number;
  /** Undefined: unknown, or in another log than the decision. */
  readonly place?: LogPlace | undefined;
}

/**
 * Tolerance for times: decisions and records carry the time at which they were written, not when all processes knew of them (a second of
 * notification, a slow commit). A decision keeps the time from before a step of the clock until it knows of what was written before the step
 * (`decisionMs` in shared/platform/db/clock.ts).
 */
export const GRACE_MS = 60_000;

/** Negative: `one` is the earlier leaf. Undefined: the order is unknown. */
function byPlace({ place: one }: Moment, { place: other }: Moment): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  // Infinity minus itself is no number.
  return one.log === other.log ? one.index - other.index : one.log < other.log ? -1 : 1;
}

/** Whether a leaf is behind another one for sure. */
export const isBehind = (one: Moment, other: Moment): boolean => (byPlace(one, other) ?? 0) > 0;

/** Whether a record was made after another one: by the order of their leaves, or, where that is unknown, by their times. */
export function isAfter(one: Moment, other: Moment): boolean {
  const order = byPlace(one, other);
  return order === undefined ? one.atMs > other.atMs + GRACE_MS : order > 0;
}

/**
 * Whether a record was made so long before a decision that its process must have known of it: never when its leaf is the later one, whatever
 * the times say.
 */
export function isLongBefore(one: Moment, decision: Moment): boolean {
  return !isBehind(one, decision) && one.atMs < decision.atMs - GRACE_MS;
}
