// Divides a span of time into equal buckets whose beginnings are round times in UTC.

/** Lengths of the buckets that are counted as work happens; a longer bucket is a sum of these. Longest first. */
export const COUNTED_SECONDS = [3_600, 60, 10] as const;

/** Lengths that read well on a time axis, each a multiple of one that is counted. */
const STEPS_SECONDS = [
  10, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800,
] as const;
const LONGEST_SECONDS = 604_800;

export interface TimeBuckets {
  /** The beginning of the first bucket; a multiple of `stepMs`. */
  readonly startMs: number;
  readonly stepMs: number;
  /** The number of buckets. The last one holds the end of the span. */
  readonly length: number;
  /** The length of the counted buckets that they consist of. */
  readonly countedSeconds: (typeof COUNTED_SECONDS)[number];
}

/**
 * The shortest buckets of which at most about `most` cover the span; one more when its beginning is not a round time.
 * @param toMs exclusive
 */
export function timeBuckets(fromMs: number, toMs: number, most: number): TimeBuckets {
  const spanSeconds = Math.max(1, toMs - fromMs) / 1_000;
  const least = spanSeconds / Math.max(1, most);
  const seconds = STEPS_SECONDS.find((step) => step >= least) ?? Math.ceil(least / LONGEST_SECONDS) * LONGEST_SECONDS;
  const stepMs = seconds * 1_000;
  const startMs = Math.floor(fromMs / stepMs) * stepMs;
  return {
    startMs,
    stepMs,
    length: Math.max(1, Math.ceil((toMs - startMs) / stepMs)),
    countedSeconds: COUNTED_SECONDS.find((counted) => seconds % counted === 0) ?? 10,
  };
}
