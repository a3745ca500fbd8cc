// Whether a leaf stands where a decision of its id may stand. The id of a leaf whose record is gone is a claim, and so is the age of a decision
// whose facts are gone; but a log takes records in the order in which they were made, and its trees are signed with their times. Pure.

/** The longest CUSTOS_MAX_MERGE_DELAY: a record is in its log by then, unless no worker ran. */
export const LONGEST_DELAY_MS = 86_400_000;

/** What is known of the time at which a leaf was appended, milliseconds since 1970. */
export interface LeafPlace {
  /** When the nearest record before it was made; undefined: none is known. */
  readonly recordMs?: number | undefined;
  /** When the last tree was signed that does not cover it; undefined: there is none. */
  readonly signedMs?: number | undefined;
  /** When the first tree was signed that covers it; undefined: there is none. */
  readonly coveredMs?: number | undefined;
}

/** The earliest time at which it was appended. A clock that was ahead for a while had been set by the time of the next tree. */
export const appendedAfterMs = ({ recordMs = 0, signedMs = 0, coveredMs = Infinity }: LeafPlace): number =>
  Math.min(Math.max(recordMs, signedMs), coveredMs);

/**
 * Whether a leaf was appended too late for its id.
 * @param afterMs as appendedAfterMs
 * @param madeMs the time in its id
 * @param nextSignedMs when the log was first signed after that time: while no worker ran, records waited
 */
export const isLate = (afterMs: number, madeMs: number, nextSignedMs: number): boolean =>
  afterMs >= Math.max(madeMs, nextSignedMs) + LONGEST_DELAY_MS;
