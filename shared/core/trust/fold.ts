// Folding: an agent's pending signals are numbered, added to its evidence, and written into the bodies of its next leaves.
import { canonicalize, canonicalString } from '../proof/canonical.ts';
import {
  dayText,
  type EvidenceBucket,
  type EvidenceSums,
  evidenceOf,
  scoreOfSums,
  type SignalType,
  sumsAfter,
  sumsOn,
  type TrustScore,
} from './beta.ts';
import { levelOf } from './score.ts';

/** A signal that has not been folded yet. */
export interface WaitingSignal {
  readonly signalId: string;
  readonly type: SignalType;
  /** Thousandths, 1..1000. */
  readonly weight: number;
  /** The UTC day of the event, in days since 1970-01-01. */
  readonly day: number;
  /** The key that submitted it. */
  readonly keyId: string;
}

export interface KeyBucket extends EvidenceBucket {
  readonly keyId: string;
}

/** Signals first_n..last_n of an agent, and the resulting score. */
export interface Fold extends TrustScore {
  readonly firstN: number;
  readonly lastN: number;
  /** JCS of `[{day, key, n, signalId, type, weight}]`: day as YYYY-MM-DD, weight as the caller gave it (0.001..1). */
  readonly signals: string;
  /** JCS of the body of the fold's `custos.trust` record. */
  readonly body: string;
}

export interface FoldResult {
  readonly folds: readonly Fold[];
  /** The buckets that changed, with their new sums. */
  readonly changed: readonly KeyBucket[];
}

/** A receipt contains its leaf in base64 (four bytes for three), and verifiers accept at most 64 kB. */
const MAX_SIGNALS_BYTES = 24_000;

/** JCS of one signal in a leaf. */
function signalText(n: number, signal: WaitingSignal): string {
  const { day, keyId, signalId, type, weight } = signal;
  return `{"day":"${dayText(day)}","key":${canonicalString(keyId)},"n":${n},"signalId":${canonicalString(signalId)},"type":"${type}","weight":${weight / 1_000}}`;
}

/** What an agent has before a fold. */
export interface Folded {
  readonly signals: number;
  /** At least those that the new signals change; all of them if there are no `sums`. */
  readonly buckets: readonly KeyBucket[];
  /** Of all buckets, on the day and with the cap of the fold. Absent: computed from the buckets. */
  readonly sums?: EvidenceSums;
}

/**
 * Folds signals into an agent that already has `signals` of them and these buckets. Returns one fold, or several when the signals do not
 * fit in one leaf. @param day the UTC day of the scores @param dailyCap the cap on positive evidence per key and day, in thousandths
 */
export function foldSignals(
  before: Folded,
  added: readonly WaitingSignal[],
  day: number,
  dailyCap: number,
): FoldResult {
  const buckets = new Map<string, KeyBucket>(before.buckets.map((bucket) => [idOf(bucket), bucket]));
  const changed = new Set<string>();
  const folds: Fold[] = [];
  let sums = before.sums ?? sumsOn(day, before.buckets, dailyCap);
  let n = before.signals;
  let texts: string[] = [];
  let bytes = 0;

  const close = (): void => {
    if (texts.length === 0) return;
    const firstN = n - texts.length + 1;
    const score = scoreOfSums(sums);
    const signals = `[${texts.join(',')}]`;
    folds.push({ firstN, lastN: n, ...score, signals, body: bodyText(score, n, day, dailyCap, signals) });
    texts = [];
    bytes = 0;
  };

  for (const signal of added) {
    const text = signalText(n + 1, signal);
    const length = Buffer.byteLength(text) + 1;
    if (bytes + length > MAX_SIGNALS_BYTES) close();
    n += 1;
    texts.push(text);
    bytes += length;
    const id = idOf(signal);
    const known = buckets.get(id);
    const { positive, negative } = evidenceOf(signal.type, signal.weight);
    const bucket = {
      day: signal.day,
      keyId: signal.keyId,
      positive: (known?.positive ?? 0) + positive,
      negative: (known?.negative ?? 0) + negative,
    };
    buckets.set(id, bucket);
    sums = sumsAfter(sums, { before: known, after: bucket }, day, dailyCap);
    changed.add(id);
  }
  close();
  return { folds, changed: [...changed].flatMap((id) => buckets.get(id) ?? []) };
}

function idOf({ day, keyId }: Pick<KeyBucket, 'day' | 'keyId'>): string {
  return `${day} ${keyId}`;
}

/** JCS with sorted members; contains everything an auditor needs to recompute the score. */
function bodyText(
  { score, uncertainty }: TrustScore,
  n: number,
  day: number,
  dailyCap: number,
  signals: string,
): string {
  return (
    `{"asOf":{"day":"${dayText(day)}","signals":${n}},"dailyCapThousandths":${dailyCap},"level":${levelOf(score)}` +
    `,"score":${score},"signals":${signals},"uncertainty":${canonicalize(uncertainty)}}`
  );
}
