// What is recorded of an agent's conduct, small enough to be kept for every agent in memory, and its score on any day.
import { type Evidence, type EvidenceBucket, evidenceOn, scoreOn, type TrustScore } from './beta.ts';
import { NO_EVIDENCE } from './score.ts';

export interface RecordedTrust {
  /** How many signals are folded: the n of `score(n, day)`. */
  readonly signals: number;
  /** When the latest of them occurred, milliseconds since 1970; null without any. */
  readonly lastSignalAtMs: number | null;
  /** The score on a UTC day (days since 1970-01-01). The last day that was asked for is remembered. */
  on(day: number): TrustScore;
  evidenceOn(day: number): Evidence;
}

/** One agent's state as the database gives it. */
export interface RecordedState {
  readonly signals: number;
  readonly lastSignalAtMs: number | null;
  /** `day positive negative;...` in thousandths, one entry a day, positive evidence already capped by key. */
  readonly evidence: string;
}

/** The trust of no evidence. */
export const NOTHING_RECORDED: RecordedTrust = Object.freeze({
  signals: 0,
  lastSignalAtMs: null,
  on: () => NO_EVIDENCE,
  evidenceOn: () => ({ positive: 0, negative: 0 }),
});

/** What was capped key by key is not capped again as a day's sum. */
const NO_CAP = Number.MAX_SAFE_INTEGER;

/** The entries of an evidence text. @throws {Error} when it is not one: a score must not be made of half of it */
export function parseEvidence(text: string): EvidenceBucket[] {
  if (text === '') return [];
  return text.split(';').map((entry) => {
    const [day, positive, negative, ...rest] = entry.split(' ').map(Number);
    const numbers = [day, positive, negative].every((value) => Number.isSafeInteger(value));
    if (!numbers || rest.length > 0) throw new Error(`"${entry}" is not evidence of a day`);
    return { day: day ?? 0, positive: positive ?? 0, negative: negative ?? 0 };
  });
}

/** Keeps the text, and reads it again once a day: thousands of agents are kept, and few are asked about on the next day. */
export function recordedTrust({ signals, lastSignalAtMs, evidence }: RecordedState): RecordedTrust {
  if (signals === 0) return NOTHING_RECORDED;
  let known: { readonly day: number; readonly score: TrustScore } | undefined;
  return {
    signals,
    lastSignalAtMs,
    on(day) {
      if (known?.day !== day) known = { day, score: scoreOn(day, parseEvidence(evidence), NO_CAP) };
      return known.score;
    },
    evidenceOn: (day) => evidenceOn(day, parseEvidence(evidence), NO_CAP),
  };
}
