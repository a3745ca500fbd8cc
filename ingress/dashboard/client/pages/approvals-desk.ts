// The state of the list of waiting approvals: what is being decided, each result, and where the focus goes afterwards.
import type { ApprovalDetail } from '../answers.ts';
import { api, asProblem, Problem } from '../api.ts';
import { runEach } from '../bulk.ts';
import { count } from '../format.ts';
import { type RefObject, useEffect, useRef, useState } from '../html.ts';
import { useKept } from '../session.ts';
import { progressOf } from './approvals-approvers.ts';
import { wasDecided } from './approvals-states.ts';

export type Verb = 'approve' | 'reject';

/** The result of a request for one approval. */
export type Mark =
  | { readonly kind: 'working' }
  /** `waits`: the approval needs more votes, such as `1 of 2`. */
  | { readonly kind: 'done'; readonly verb: Verb; readonly reason: string; readonly waits?: string | undefined }
  /** It cannot be decided any more. */
  | { readonly kind: 'closed'; readonly text: string }
  /** It can be tried again. */
  | { readonly kind: 'failed'; readonly text: string };

/** The row or group whose reason is being typed. */
export interface Asked {
  readonly id: string;
  readonly verb: Verb;
}

/** Sends one decision. @returns the progress of an approval that needs more votes, such as `1 of 2` */
export type SendDecision = (approvalId: string, verb: Verb, reason: string) => Promise<string | undefined>;

export interface Desk {
  readonly marks: ReadonlyMap<string, Mark>;
  readonly asked: Asked | undefined;
  /** Read aloud by screen readers. */
  readonly said: string;
  readonly ask: (asked: Asked) => void;
  /** Closes the form; the focus returns to its row. */
  readonly cancel: () => void;
  /** Decides these approvals, one request each. @param id the row or group of the form @param send default: decisions about requests of agents */
  readonly decide: (
    id: string,
    approvalIds: readonly string[],
    verb: Verb,
    reason: string,
    send?: SendDecision,
  ) => Promise<void>;
  readonly say: (text: string) => void;
  /** Forgets the results, when the list is read again. */
  readonly clear: () => void;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => window.setTimeout(resolve, ms));

async function decideOne(approvalId: string, verb: Verb, reason: string): Promise<string | undefined> {
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  try {
    const decided = await api<ApprovalDetail>(`${path}/${verb}`, { body: { reason } });
    return decided.status === 'pending' ? progressOf(decided) : undefined;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'E5001') throw error;
    throw new Problem(wasDecided(await api<ApprovalDetail>(path)), error);
  }
}

const markOf = (verb: Verb, reason: string, problem: Problem | undefined, waits: string | undefined): Mark =>
  problem === undefined
    ? { kind: 'done', verb, reason, waits }
    : { kind: problem.code === 'E5001' ? 'closed' : 'failed', text: problem.message };

/** @param place contains the rows */
export function useDesk(place: RefObject<HTMLElement | null>): Desk {
  const [marks, setMarks] = useState<ReadonlyMap<string, Mark>>(new Map());
  const [asked, setAsked] = useKept<Asked | undefined>('asked', undefined);
  const [said, say] = useState('');
  const [focus, setFocus] = useState<{ readonly id: string; readonly next: boolean } | undefined>(undefined);
  const running = useRef(false);
  // After the render that removed the form and marked the row.
  useEffect(() => {
    if (focus !== undefined) moveFocus(place.current, focus.id, focus.next);
  }, [focus]);
  return {
    marks,
    asked,
    said,
    say,
    ask: setAsked,
    cancel() {
      if (asked !== undefined) setFocus({ id: asked.id, next: false });
      setAsked(undefined);
    },
    clear: () => setMarks(new Map()),
    async decide(id, approvalIds, verb, reason, send = decideOne) {
      if (running.current || approvalIds.length === 0) return;
      running.current = true;
      const put = (approvalId: string, mark: Mark): void => setMarks((before) => new Map(before).set(approvalId, mark));
      for (const approvalId of approvalIds) put(approvalId, { kind: 'working' });
      let last: Problem | undefined;
      const waits = new Map<string, string | undefined>();
      const done = await runEach(approvalIds, {
        work: async (approvalId) => waits.set(approvalId, await send(approvalId, verb, reason)),
        onEnd(approvalId, problem) {
          last = problem ?? last;
          put(approvalId, markOf(verb, reason, problem, waits.get(approvalId)));
        },
        asProblem,
        sleep,
      });
      running.current = false;
      const isWaiting = [...waits.values()].some((progress) => progress !== undefined);
      say(resultOf(verb, done, approvalIds.length, last) + (isWaiting ? ' Others must approve, too.' : ''));
      const isOpen = approvalIds.length === 1 && last !== undefined && last.code !== 'E5001';
      // A single request that failed stays open with its error, so that it can be sent again.
      if (isOpen) return;
      setAsked(undefined);
      setFocus({ id, next: true });
    },
  };
}

function resultOf(verb: Verb, done: number, all: number, problem: Problem | undefined): string {
  const word = verb === 'approve' ? 'approved' : 'rejected';
  if (all === 1) return problem === undefined ? `The request was ${word}.` : problem.message;
  return `${count(done, 'request')} ${word}.${problem === undefined ? '' : ` ${all - done} not: ${problem.message}`}`;
}

export const ROW = '[data-ask]';

/** Focuses a row, or the next one that can still be decided. */
function moveFocus(place: HTMLElement | null, id: string, next: boolean): void {
  const rows = [...(place?.querySelectorAll<HTMLElement>(ROW) ?? [])];
  const at = rows.findIndex((row) => row.dataset['ask'] === id);
  const isOpen = (row: HTMLElement): boolean => row.dataset['ended'] === undefined;
  const target = next
    ? (rows.slice(at + 1).find(isOpen) ?? rows.slice(0, at).reverse().find(isOpen) ?? rows[at])
    : rows[at];
  (target ?? document.getElementById('page-title'))?.focus();
}
