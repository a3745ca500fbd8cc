// Reads an agent's trust records one after another: checks them, and keeps what later reads of single folds start from. What it keeps
// does not grow with the agent's age, except for the sums by day and key, of which there are few.
import { quoted } from '../proof/encoding.ts';
import { levelOf } from '../trust/score.ts';
import { type RunningEvidence, runningEvidence } from '../trust/running.ts';
import type { ChangeOwner } from './changes.ts';
import type { LoggedRecord } from './failures.ts';
import type { LogPlace } from './moment.ts';
import { isAsLogged } from './record.ts';
import { type SignalIds, signalIds } from './signal-ids.ts';
import { type Fold, foldOf, type TrustProblem } from './trust.ts';

/** The place of a trust record: after these leaves of the log, and after these rows of its inbox. */
export interface TrustPlace {
  readonly log: number;
  readonly chain: number;
  /** 0 for a record in the log. */
  readonly waiting: number;
}

export const FIRST_PLACE: TrustPlace = { log: 0, chain: -1, waiting: 0 };

/** A trust record with its place. */
export interface TrustEntry {
  readonly logged: LoggedRecord;
  readonly place: TrustPlace;
}

/** Records in a row, with the sums before them, from which a score of one of their signals is computed. */
export interface Segment {
  /** The place before the first record. */
  readonly after: TrustPlace;
  /** Signals before the first record, and their evidence. */
  readonly signals: number;
  readonly evidence: RunningEvidence;
  /** The signals that its records name. */
  readonly minFirstN: number;
  readonly maxLastN: number;
  /** The times of its earliest and its latest record. */
  readonly minAtMs: number;
  readonly maxAtMs: number;
  /** Whether no record is earlier than the one before it. */
  readonly isInTimeOrder: boolean;
  /** Of the first record among the leaves. */
  readonly place: LogPlace | undefined;
}

export interface TrustReader {
  /** Signals without a gap, starting with the first. */
  readonly signals: number;
  /** Records that are not as logged, then gaps and wrong scores: the first ones of each. */
  readonly problems: readonly TrustProblem[];
  /** In order, and without a gap between them. */
  readonly segments: readonly Segment[];
  /** The place of the last record. */
  readonly place: TrustPlace;
  readonly bytes: number;
  /** Adds the next record. @returns its signals */
  add(entry: TrustEntry): number;
  /** A reader for records that may be read again at another place. This one stays as it is. */
  fork(): TrustReader;
}

export interface ReaderLimits {
  /** Signals after which a segment ends, as long as there are few segments. */
  readonly segmentSignals: number;
  /** Bytes of all segments. When they have more, every second one is joined with the one before it. */
  readonly segmentBytes: number;
}

const LIMITS: ReaderLimits = { segmentSignals: 2_000, segmentBytes: 2 * 1_048_576 };
const SEGMENT_BYTES = 400;
/** Further problems are those of later signals. */
const MAX_PROBLEMS = 100;

export function trustReader(owner: ChangeOwner, limits = LIMITS): TrustReader {
  return readerFrom(owner, limits, {
    signals: 0,
    isComplete: true,
    altered: [],
    counted: [],
    segments: [],
    segmentSignals: limits.segmentSignals,
    evidence: runningEvidence(),
    ids: signalIds(),
    place: FIRST_PLACE,
  });
}

interface State {
  signals: number;
  /** Whether no signal is missing so far. After a gap it is unknown which ones are. */
  isComplete: boolean;
  altered: TrustProblem[];
  counted: TrustProblem[];
  segments: Segment[];
  segmentSignals: number;
  evidence: RunningEvidence;
  ids: SignalIds;
  place: TrustPlace;
}

function readerFrom(owner: ChangeOwner, limits: ReaderLimits, state: State): TrustReader {
  const bytesOf = (segments: readonly Segment[]): number =>
    segments.reduce((sum, { evidence }) => sum + SEGMENT_BYTES + evidence.bytes, 0);
  /** Records and signals of the last segment. */
  let inLast = 0;

  const addToSegment = ({ firstN, lastN, atMs, place: leaf, signals: folded }: Fold): void => {
    const last = state.segments.at(-1);
    const weight = folded.length;
    const times = { minAtMs: atMs, maxAtMs: atMs, isInTimeOrder: true };
    const range: Range = { minFirstN: firstN, maxLastN: lastN, ...times, place: leaf };
    if (last === undefined || inLast >= state.segmentSignals) {
      const { place: after, signals, evidence } = state;
      state.segments.push({ after, signals, evidence: evidence.copy(), ...range });
      inLast = weight;
      while (state.segments.length > 2 && bytesOf(state.segments) > limits.segmentBytes) {
        state.segments = joined(state.segments);
        state.segmentSignals *= 2;
      }
      return;
    }
    inLast += weight;
    state.segments[state.segments.length - 1] = joinedTwo(last, range);
  };

  return {
    get signals() {
      return state.signals;
    },
    get problems() {
      return [...state.altered, ...state.counted];
    },
    get segments() {
      return state.segments;
    },
    get place() {
      return state.place;
    },
    get bytes() {
      return bytesOf(state.segments) + state.evidence.bytes + state.ids.bytes;
    },
    add({ logged, place }) {
      const fold = foldOf(logged, owner);
      if (fold === undefined) {
        // It is unknown which signals the record held.
        const sentence = `A trust record is not one of the agent ${quoted(owner.agentId)}.`;
        note(state.altered, { code: 'TRUST_RECORD_ALTERED', sentence, fromN: 1 });
        state.place = place;
        return 0;
      }
      const { firstN, lastN, proofId } = fold;
      addToSegment(fold);
      state.place = place;
      if (!isAsLogged(logged)) {
        const sentence = `The trust record ${quoted(proofId)} of signals ${firstN} to ${lastN} is not the one that the log has hashed.`;
        note(state.altered, { code: 'TRUST_RECORD_ALTERED', sentence, fromN: firstN });
      }
      if (!state.isComplete) return fold.signals.length;
      const repeated = fold.signals.find(({ signalId }) => !state.ids.add(signalId));
      if (firstN !== state.signals + 1 || repeated !== undefined) {
        const what =
          repeated === undefined
            ? `signal ${firstN} follows ${state.signals}`
            : `the signal ${quoted(repeated.signalId)} counts twice`;
        const sentence = `The agent's trust records are not complete: ${what}.`;
        note(state.counted, { code: 'TRUST_SIGNALS_MISSING', sentence, fromN: Math.min(firstN, state.signals + 1) });
        state.isComplete = false;
        return fold.signals.length;
      }
      for (const signal of fold.signals) state.evidence.add(signal);
      state.signals = lastN;
      const { score, uncertainty } = state.evidence.scoreOn(fold.day, fold.dailyCap);
      if (fold.score !== score || fold.uncertainty !== uncertainty || fold.level !== levelOf(score)) {
        const sentence = `The trust record ${quoted(proofId)} says ${fold.score}, uncertainty ${fold.uncertainty}, level ${fold.level}; its signals 1 to ${lastN} give ${score}, ${uncertainty}, ${levelOf(score)}.`;
        note(state.counted, { code: 'TRUST_FOLD_WRONG', sentence, fromN: firstN });
      }
      return fold.signals.length;
    },
    fork: () =>
      readerFrom(owner, limits, {
        ...state,
        altered: [...state.altered],
        counted: [...state.counted],
        segments: [...state.segments],
        // The records may be elsewhere when they are read again, so they are all in the last segment.
        segmentSignals: Number.POSITIVE_INFINITY,
        evidence: state.evidence.copy(),
        ids: state.ids.fork(),
      }),
  };
}

type Range = Pick<Segment, 'minFirstN' | 'maxLastN' | 'minAtMs' | 'maxAtMs' | 'isInTimeOrder' | 'place'>;

/** A segment with the records after it. */
function joinedTwo(first: Segment, second: Range): Segment {
  return {
    ...first,
    minFirstN: Math.min(first.minFirstN, second.minFirstN),
    maxLastN: Math.max(first.maxLastN, second.maxLastN),
    minAtMs: Math.min(first.minAtMs, second.minAtMs),
    maxAtMs: Math.max(first.maxAtMs, second.maxAtMs),
    isInTimeOrder: first.isInTimeOrder && second.isInTimeOrder && first.maxAtMs <= second.minAtMs,
  };
}

/** Each two segments as one. The last one stays, because the newest decisions need it. */
function joined(segments: readonly Segment[]): Segment[] {
  const half: Segment[] = [];
  for (let i = 0; i < segments.length; i += 2) {
    const [first, second] = [segments[i], segments[i + 1]];
    if (first === undefined) break;
    if (second === undefined || i + 2 >= segments.length) half.push(first, ...(second === undefined ? [] : [second]));
    else half.push(joinedTwo(first, second));
  }
  return half;
}

/** Adds a problem. When there are too many, those of the first signals stay, which concern the most decisions. */
function note(problems: TrustProblem[], problem: TrustProblem): void {
  if (problems.length < MAX_PROBLEMS) {
    problems.push(problem);
    return;
  }
  const last = Math.max(...problems.map(({ fromN }) => fromN));
  if (problem.fromN >= last) return;
  problems.splice(
    problems.findLastIndex(({ fromN }) => fromN === last),
    1,
  );
  problems.push(problem);
}
