// The evidence of an agent while its signals are added one by one.
import {
  type EvidenceBucket,
  type EvidenceSums,
  evidenceOf,
  scoreOfSums,
  type SignalType,
  sumsAfter,
  sumsOn,
  type TrustScore,
} from './beta.ts';

export interface RunningEvidence {
  /** @param signal with its weight in thousandths */
  add(signal: { readonly day: number; readonly key: string; readonly type: SignalType; readonly weight: number }): void;
  /** Costs little for the day and cap of the call before. */
  scoreOn(day: number, dailyCap: number): TrustScore;
  copy(): RunningEvidence;
  /** Estimate of its memory. Copies share what has not changed. */
  readonly bytes: number;
}

/** An entry of a map with its key. */
const BUCKET_BYTES = 100;

/** @param before of the copied one */
export function runningEvidence(before: Iterable<readonly [string, EvidenceBucket]> = []): RunningEvidence {
  /** Signals summed by UTC day and submitting key, the unit to which the cap applies. */
  const buckets = new Map(before);
  let known: { readonly day: number; readonly dailyCap: number; readonly sums: EvidenceSums } | undefined;
  return {
    add({ day, key, type, weight }) {
      const id = `${day} ${key}`;
      const bucket = buckets.get(id);
      const { positive, negative } = evidenceOf(type, weight);
      const after = {
        day,
        positive: (bucket?.positive ?? 0) + positive,
        negative: (bucket?.negative ?? 0) + negative,
      };
      buckets.set(id, after);
      if (known === undefined) return;
      known = { ...known, sums: sumsAfter(known.sums, { before: bucket, after }, known.day, known.dailyCap) };
    },
    scoreOn(day, dailyCap) {
      if (known?.day !== day || known.dailyCap !== dailyCap)
        known = { day, dailyCap, sums: sumsOn(day, buckets.values(), dailyCap) };
      return scoreOfSums(known.sums);
    },
    copy: () => runningEvidence(buckets),
    get bytes() {
      return BUCKET_BYTES * buckets.size;
    },
  };
}
