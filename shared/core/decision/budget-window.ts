// The use of one budget in a sliding window. Pure; amounts in millionths (core/policy/budget.ts).

/**
 * What was charged in one sixtieth of the window. The charges of a bucket count until the window after its end has passed: each counts for
 * the window and at most a sixtieth longer, so no stretch of one window ever holds more than the limit, and a count of any
 * number of charges is a sum of at most 61 numbers.
 */
export interface Bucket {
  readonly endsAtMs: number;
  readonly amount: number;
}

/** By end, each end once. */
export type Buckets = readonly Bucket[];

const BUCKETS_OF_WINDOW = 60;
/** Kept of those that do not count now: twice as many as ever count at one time. */
const MAX_OLD = 2 * (BUCKETS_OF_WINDOW + 1);

export interface BudgetTimes {
  readonly nowMs: number;
  /** By which a bucket may be forgotten: an earlier time than `nowMs` where that may be wrong. */
  readonly oldMs: number;
}

/** Only what still counts. */
function counting(buckets: Buckets, windowMs: number, nowMs: number): Buckets {
  return buckets.filter(({ endsAtMs, amount }) => amount > 0 && endsAtMs + windowMs > nowMs);
}

/**
 * What is kept: also the latest of what would count again if the clock were set back.
 */
function keptAt(buckets: Buckets, windowMs: number, { nowMs, oldMs }: BudgetTimes): Buckets {
  const kept = counting(buckets, windowMs, Math.min(nowMs, oldMs));
  const old = kept.length - counting(kept, windowMs, nowMs).length;
  return kept.slice(Math.max(0, old - MAX_OLD));
}

export function usedAt(buckets: Buckets, windowMs: number, nowMs: number): number {
  return counting(buckets, windowMs, nowMs).reduce((sum, { amount }) => sum + amount, 0);
}

/** When nothing of it counts any more. */
export function emptyAtMs(buckets: Buckets, windowMs: number): number {
  return (buckets.at(-1)?.endsAtMs ?? 0) + windowMs;
}

/** Adds a charge; the caller has checked that there is room. @returns also the end of its bucket, for `giveBack` */
export function charge(
  buckets: Buckets,
  { amount, windowMs, ...times }: BudgetTimes & { readonly amount: number; readonly windowMs: number },
): { readonly buckets: Buckets; readonly endsAtMs: number } {
  const lengthMs = Math.ceil(windowMs / BUCKETS_OF_WINDOW);
  const kept = keptAt(buckets, windowMs, times);
  const last = kept.at(-1);
  const own = (Math.floor(times.nowMs / lengthMs) + 1) * lengthMs;
  if (last === undefined || last.endsAtMs < own)
    return { buckets: [...kept, { endsAtMs: own, amount }], endsAtMs: own };
  // A longer bucket of an earlier policy set: all in it was charged before now, so it may end with this one, and what comes does not count for days.
  // Nearer ones may be those of a clock that went back and will be put forward again: they keep their ends.
  if (last.endsAtMs > own + windowMs) {
    const ahead = kept.filter((bucket) => bucket.endsAtMs >= own);
    const sum = ahead.reduce((total, bucket) => total + bucket.amount, amount);
    return { buckets: [...kept.slice(0, -ahead.length), { endsAtMs: own, amount: sum }], endsAtMs: own };
  }
  // The last bucket counts longest.
  const { endsAtMs } = last;
  return { buckets: [...kept.slice(0, -1), { endsAtMs, amount: last.amount + amount }], endsAtMs };
}

/** Takes a charge out of its bucket. What has left the window is not there any more, and changes nothing. */
export function giveBack(buckets: Buckets, { amount, endsAtMs }: Bucket): Buckets {
  return buckets.map((bucket) =>
    bucket.endsAtMs === endsAtMs ? { endsAtMs, amount: Math.max(0, bucket.amount - amount) } : bucket,
  );
}
