// Trust from signals: beta reputation (Josang and Ismail 2002) with forward decay (Cormode et al. 2009), in integers.
//
// Every number is a whole number of thousandths times 2^32, so that an auditor on any machine computes the same score.

/** The sums of an agent's signals of one UTC day and one submitting key, in thousandths. */
export interface EvidenceBucket {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  /** Sum of the weights of successes by one submitting key. */
  readonly positive: number;
  /** Sum of the weights of failures, and of ten times the weights of violations. */
  readonly negative: number;
}

export const SIGNAL_TYPES = ['success', 'failure', 'violation'] as const;
export type SignalType = (typeof SIGNAL_TYPES)[number];

export interface TrustScore {
  /** 0..1000 */
  readonly score: number;
  /** 0..1, three decimals: 1 without any evidence. */
  readonly uncertainty: number;
}

/** The evidence that counts on a day, capped and decayed, in full signals (thousandths truncated). */
export interface Evidence {
  readonly positive: number;
  readonly negative: number;
}

/** The largest positive evidence that one key can give one agent per day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
export const DEFAULT_DAILY_CAP = 10_000;
/** A violation weighs as much as ten failures. */
const VIOLATION_FACTOR = 10;
/**
 * Evidence halves in this many days. Good and bad evidence share one half-life, because otherwise the score of an idle agent would fall.
 */
const HALF_LIFE_DAYS = 30;
/** Older evidence is ignored. */
export const MAX_AGE_DAYS = 990;

const ONE = 2n ** 32n;
/** The prior: a base rate of 250 out of 1000 with the weight of ten full signals. */
const PRIOR_GOOD = 2_500n * ONE;
const PRIOR_ALL = 10_000n * ONE;
/** Bad evidence counts three times in the denominator. */
const BAD_FACTOR = 3n;

/** round(2^64 * 2^(-i/30)) for i = 0..29, computed with 60 digits: the irrational part of the decay. */
const DECAY_64 = [
  18446744073709551616n,
  18025419856780639094n,
  17613718698265799539n,
  17211420807207096429n,
  16818311412679010380n,
  16434180649130740277n,
  16058823444347289866n,
  15692039409969526669n,
  15333632734514766199n,
  14983412078840769424n,
  14641190473997345814n,
  14306785221411029006n,
  13980017795349537629n,
  13660713747613950916n,
  13348702614407718040n,
  13043817825332782212n,
  12745896614464236184n,
  12454779933456035413n,
  12170312366631379499n,
  11892342048012431975n,
  11620720580245083921n,
  11355302955375478542n,
  11095947477436002415n,
  10842515686799415150n,
  10594872286260733109n,
  10352885068807405238n,
  10116424847039220363n,
  9885365384200266033n,
  9659583326786119594n,
  9438958138690293151n,
] as const;

/** F[d] = round(2^32 * 2^(-d/30)) for d = 0..990 days: integers, the same on every machine. */
const DECAY: readonly bigint[] = Array.from({ length: MAX_AGE_DAYS + 1 }, (_, days) => {
  const shift = 32n + BigInt(Math.floor(days / HALF_LIFE_DAYS));
  const value = DECAY_64[days % HALF_LIFE_DAYS] ?? 0n;
  return (value + (1n << (shift - 1n))) >> shift;
});

/** The weights of evidence that is 0, 1, 2, ... days old, times 2^32, for sums that the database computes. */
export const DECAY_TABLE: readonly string[] = DECAY.map(String);

/** The weight of evidence that is `days` days old, times 2^32; evidence dated in the future weighs as much as today's. */
export function decay(days: number): bigint {
  return DECAY[Math.max(0, days)] ?? 0n;
}

/** The amount that a signal adds to its bucket. `weight` is in thousandths, 1..1000. */
export function evidenceOf(type: SignalType, weight: number): { positive: number; negative: number } {
  switch (type) {
    case 'success':
      return { positive: weight, negative: 0 };
    case 'failure':
      return { positive: 0, negative: weight };
    case 'violation':
      return { positive: 0, negative: weight * VIOLATION_FACTOR };
  }
}

/** R and S of the formula: thousandths times 2^32. */
export interface EvidenceSums {
  readonly good: bigint;
  readonly bad: bigint;
}

/** R and S on a UTC day. @param dailyCap thousandths */
export function sumsOn(day: number, buckets: Iterable<EvidenceBucket>, dailyCap: number): EvidenceSums {
  let good = 0n;
  let bad = 0n;
  for (const bucket of buckets) {
    const weight = decay(day - bucket.day);
    if (weight === 0n) continue;
    good += BigInt(Math.min(bucket.positive, dailyCap)) * weight;
    bad += BigInt(bucket.negative) * weight;
  }
  return { good, bad };
}

/** R and S after one bucket has changed, so that the others need not be summed again. @param before undefined: it is new */
export function sumsAfter(
  { good, bad }: EvidenceSums,
  { before, after }: { readonly before: EvidenceBucket | undefined; readonly after: EvidenceBucket },
  day: number,
  dailyCap: number,
): EvidenceSums {
  const weight = decay(day - after.day);
  const counted = Math.min(after.positive, dailyCap) - Math.min(before?.positive ?? 0, dailyCap);
  return {
    good: good + BigInt(counted) * weight,
    bad: bad + BigInt(after.negative - (before?.negative ?? 0)) * weight,
  };
}

/** The score of the formula. */
export function scoreOfSums({ good, bad }: EvidenceSums): TrustScore {
  return {
    score: Number((1_000n * (good + PRIOR_GOOD)) / (good + BAD_FACTOR * bad + PRIOR_ALL)),
    uncertainty: Number((1_000n * PRIOR_ALL) / (good + bad + PRIOR_ALL)) / 1_000,
  };
}

/**
 * The score of an agent on a UTC day from its buckets, in any order; several buckets of one day come from several keys.
 *
 *     R = sum(min(positive, cap) * F), S = sum(negative * F)
 *     score = floor(1000 * (R + 2500 * 2^32) / (R + 3 * S + 10000 * 2^32))
 *     uncertainty = floor(1000 * 10000 * 2^32 / (R + S + 10000 * 2^32)) / 1000
 */
export function scoreOn(
  day: number,
  buckets: Iterable<EvidenceBucket>,
  dailyCap: number = DEFAULT_DAILY_CAP,
): TrustScore {
  return scoreOfSums(sumsOn(day, buckets, dailyCap));
}

/** The evidence behind the score of a day: R and S of the formula, in full signals. */
export function evidenceOn(
  day: number,
  buckets: Iterable<EvidenceBucket>,
  dailyCap: number = DEFAULT_DAILY_CAP,
): Evidence {
  const { good, bad } = sumsOn(day, buckets, dailyCap);
  return { positive: Number(good / ONE) / 1_000, negative: Number(bad / ONE) / 1_000 };
}

/** The UTC day of a moment, as days since 1970-01-01. */
export function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000);
}

/** A day as YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
