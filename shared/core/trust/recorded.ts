// The recorded trust of an agent, compact enough to be cached for every agent, and its score on any day.
import { type Evidence, type EvidenceBucket, evidenceOn, scoreOn, type TrustScore } from './beta.ts';
import { NO_EVIDENCE } from './score.ts';

export interface RecordedTrust {
  /** Number of folded signals: the n of `score(n, day)`. */
  readonly signals: number;
  /** Time of the latest one, milliseconds since 1970; null without signals. */
  readonly lastSignalAtMs: number | null;
  /** The score on a UTC day (days since 1970-01-01). The most recent result is cached. */
  on(day: number): TrustScore;
  evidenceOn(day: number): Evidence;
}

/** One agent's state as stored in the database. */
export interface RecordedState {
  readonly signals: number;
  readonly lastSignalAtMs: number | null;
  /** `day positive negative;...` in thousandths, one entry per day, with positive evidence already capped by key. */
  readonly evidence: string;
}

/** The trust of an agent without evidence. */
export const NOTHING_RECORDED: RecordedTrust = Object.freeze({
  signals: 0,
  lastSignalAtMs: null,
  on: () => NO_EVIDENCE,
  evidenceOn: () => ({ positive: 0, negative: 0 }),
});

/** The daily sums were already capped by key and must not be capped again. */
const NO_CAP = Number.MAX_SAFE_INTEGER;

/** Parses an evidence text. @throws {Error} when it is malformed, because a score must not be computed from part of it */
export function parseEvidence(text: string): EvidenceBucket[] {
  if (text === '') return [];
  return text.split(';').map((entry) => {
    const [day, positive, negative, ...rest] = entry.split(' ').map(Number);
    const numbers = [day, positive, negative].every((value) => Number.isSafeInteger(value));
    if (!numbers || rest.length > 0) throw new Error(`"${entry}" is not evidence of a day`);
    return { day: day ?? 0, positive: positive ?? 0, negative: negative ?? 0 };
  });
}

/** Keeps the text and parses it once per day: thousands of agents are cached, and few are used again on the next day. */
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
