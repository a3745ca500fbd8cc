// The trust records of one agent, read page by page: once to check them all, and then the few that a decision needs.
import type { TrustScore } from '../trust/beta.ts';
import { type RunningEvidence, runningEvidence } from '../trust/running.ts';
import { NO_EVIDENCE } from '../trust/score.ts';
import type { ChangeOwner } from './changes.ts';
import type { LoggedRecord } from './failures.ts';
import { isBehind, isLongBefore } from './moment.ts';
import { type DecisionTime, type Fold, foldOf, type TrustAt, type TrustLedger } from './trust.ts';
import {
  FIRST_PLACE,
  type Segment,
  type TrustEntry,
  type TrustPlace,
  type TrustReader,
  trustReader,
} from './trust-reader.ts';

/** The next records after a place: those in the log in its order, then those in its inbox. Fewer than `limit`: there are no more. */
export type ReadTrustPage = (after: TrustPlace, limit: number) => Promise<TrustEntry[]>;

export interface TrustHistory extends TrustLedger {
  /** Reads and checks the records that are new since the last call. */
  read(): Promise<void>;
  /** Estimate of its memory. */
  readonly bytes: number;
}

/** Records have up to 25 kB. */
const PAGE = 100;
/** Most decisions need the records after those of the decision before. */
const FIRST_PAGE = 4;
/** Signals that are read between two turns of the event loop: about 10 ms. */
const SIGNALS_PER_TURN = 1_000;

export interface TrustHistoryDeps {
  readonly owner: ChangeOwner;
  readonly readPage: ReadTrustPage;
  /** Lets others have their turn of the event loop. */
  readonly pause: () => Promise<unknown>;
  /** An empty reader. Default: with the usual limits. */
  readonly reader?: TrustReader;
}

/** A fold from which the signals of a decision were counted: its place, and the evidence before it. */
type Start = Pick<Segment, 'after' | 'signals' | 'evidence'>;

export function createTrustHistory(deps: TrustHistoryDeps): TrustHistory {
  const { owner, readPage, pause, reader: logged = trustReader(owner) } = deps;
  /** With the records in the inbox, which are read again when they are in the log. */
  let current: TrustReader = logged;
  /** Of the last decision. Decisions that are verified in turn use more and more signals. */
  let recent: Start | undefined;
  let reading: Promise<void> | undefined;
  const turns = pacer(pause);

  const read = async (): Promise<void> => {
    let waiting: TrustReader | undefined;
    for (let after = logged.place; ; ) {
      const page = await readPage(after, PAGE);
      const isMoved = waiting !== undefined && page.some(({ place }) => place.waiting === 0);
      // Meanwhile the log has taken records from its inbox: the inbox is read from its start again.
      if (isMoved) waiting = undefined;
      for (const entry of page) {
        const isInLog = entry.place.waiting === 0;
        if (!isInLog && isMoved) break;
        const into: TrustReader = isInLog ? logged : (waiting ??= logged.fork());
        await turns(into.add(entry));
      }
      if (!isMoved && page.length < PAGE) break;
      after = (isMoved ? undefined : page.at(-1)?.place) ?? logged.place;
    }
    current = waiting ?? logged;
  };

  /** Every fold from a place on, with the place before it. */
  async function* foldsAfter(start: TrustPlace): AsyncGenerator<{ readonly fold: Fold; readonly after: TrustPlace }> {
    let after = start;
    for (let limit = FIRST_PAGE; ; limit = PAGE) {
      const page = await readPage(after, limit);
      for (const { logged: one, place } of page) {
        const fold = foldOf(one, owner);
        await turns(fold?.signals.length ?? 0);
        if (fold !== undefined) yield { fold, after };
        after = place;
      }
      if (page.length < limit) return;
    }
  }

  /** Where to begin, so that the fold of this signal is among the next ones. */
  const startFor = (signals: number): Start | undefined => {
    const segment = current.segments.find((one) => one.minFirstN <= signals && signals <= one.maxLastN);
    const isNearer = segment !== undefined && recent !== undefined && recent.signals >= segment.signals;
    return isNearer && recent !== undefined && recent.signals < signals ? recent : segment;
  };

  /** The last fold that a decision should have used, in the segments that may have one. */
  const omittedBy = async (decision: DecisionTime): Promise<Fold | undefined> => {
    const { signals } = decision;
    const may = ({ maxLastN, minAtMs, place }: Segment): boolean =>
      maxLastN > signals && isLongBefore({ atMs: minAtMs, place }, decision);
    const { segments } = current;
    for (let i = segments.length - 1; i >= 0; i -= 1) {
      const [segment, next] = [segments[i], segments[i + 1]];
      if (segment === undefined || !may(segment)) continue;
      // Its folds up to the used one do not matter, nor those after one that is too late.
      const start = segment.isInTimeOrder && segment.minFirstN <= signals ? (startFor(signals) ?? segment) : segment;
      let found: Fold | undefined;
      for await (const { fold, after } of foldsAfter(start.after)) {
        if (next !== undefined && isSame(after, next.after)) break;
        if (fold.lastN <= signals) continue;
        if (isLongBefore(fold, decision)) found = fold;
        else if (segment.isInTimeOrder || isBehind(fold, decision)) break;
      }
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const at = async (decision: DecisionTime): Promise<TrustAt> => {
    const { signals } = decision;
    const omitted = await omittedBy(decision);
    const start = startFor(signals);
    let used: Fold | undefined;
    let next: Fold | undefined;
    let evidence: RunningEvidence = runningEvidence();
    if (start !== undefined) {
      evidence = start.evidence.copy();
      let counted = start.signals;
      for await (const { fold, after } of foldsAfter(start.after)) {
        if (used !== undefined) {
          next = fold;
          break;
        }
        if (fold.firstN <= signals && signals <= fold.lastN) {
          used = fold;
          if (after.waiting === 0) recent = { after, signals: counted, evidence: evidence.copy() };
        }
        // A record of the inbox may come again from the log.
        for (const signal of fold.signals) {
          if (signal.n !== counted + 1 || signal.n > signals) continue;
          evidence.add(signal);
          counted = signal.n;
        }
      }
    }
    return {
      used,
      next,
      omitted,
      score: (day, dailyCap): TrustScore => (signals === 0 ? NO_EVIDENCE : evidence.scoreOn(day, dailyCap)),
    };
  };

  return {
    get signals() {
      return current.signals;
    },
    get problems() {
      return current.problems;
    },
    get bytes() {
      return logged.bytes + (current === logged ? 0 : current.bytes) + (recent?.evidence.bytes ?? 0);
    },
    at,
    async read() {
      reading ??= read().finally(() => (reading = undefined));
      return reading;
    },
  };
}

/** The history of a few records that are in memory, in their order, without a pause. */
export async function historyOf(records: readonly LoggedRecord[], owner: ChangeOwner): Promise<TrustHistory> {
  const history = createTrustHistory({ owner, readPage: pagesOf(records), pause: async () => undefined });
  await history.read();
  return history;
}

/** Reads records that are in memory. */
export function pagesOf(records: readonly LoggedRecord[]): ReadTrustPage {
  return async ({ chain }, limit) =>
    records
      .slice(chain + 1, chain + 1 + limit)
      .map((logged, i) => ({ logged, place: { ...FIRST_PLACE, chain: chain + 1 + i } }));
}

const isSame = (a: TrustPlace, b: TrustPlace): boolean =>
  a.log === b.log && a.chain === b.chain && a.waiting === b.waiting;

/** Counts signals, and pauses after some of them. */
function pacer(pause: () => Promise<unknown>): (signals: number) => Promise<void> {
  let sincePause = 0;
  return async (signals) => {
    sincePause += signals;
    if (sincePause < SIGNALS_PER_TURN) return;
    sincePause = 0;
    await pause();
  };
}
