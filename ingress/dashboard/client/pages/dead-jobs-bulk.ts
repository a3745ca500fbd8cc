// Retrying and discarding dead jobs from the list: one or many, one request each, and each result.
import { api, asProblem, type Problem } from '../api.ts';
import { runEach } from '../bulk.ts';
import { count } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Badge, Confirm, Said } from '../ui.ts';
import type { DeadJob } from '../wire/jobs.ts';

export type Verb = 'retry' | 'discard';

/** The result for one job. */
export type Result =
  | { readonly kind: 'working' }
  | { readonly kind: 'done'; readonly verb: Verb }
  | { readonly kind: 'failed'; readonly text: string };

export interface Bulk {
  readonly results: ReadonlyMap<string, Result>;
  readonly chosen: ReadonlySet<string>;
  readonly choose: (ids: readonly string[], isChosen: boolean) => void;
  /** Opens the dialog for these jobs. */
  readonly ask: (verb: Verb, ids: readonly string[]) => void;
  /** Read aloud by screen readers. */
  readonly said: string;
  /** The open dialog, if any. */
  readonly dialog: VNode | false;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => window.setTimeout(resolve, ms));

/** Retries or discards a job. @throws {Problem} */
export function resolveJob(id: string, verb: Verb, reason: string): Promise<DeadJob> {
  return api<DeadJob>(`/dead-jobs/${encodeURIComponent(id)}/${verb}`, { body: reason === '' ? {} : { reason } });
}

export function useBulk(): Bulk {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useKept<{ readonly verb: Verb; readonly ids: readonly string[] } | undefined>(
    'asked',
    undefined,
  );
  const [said, say] = useState('');
  const [busy, setBusy] = useState(false);
  const choose = (ids: readonly string[], isChosen: boolean): void =>
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids)
        if (isChosen) next.add(id);
        else next.delete(id);
      return next;
    });
  const run = async (reason: string): Promise<boolean> => {
    if (asked === undefined || busy) return false;
    const { verb, ids } = asked;
    setBusy(true);
    const put = (id: string, result: Result): void => setResults((before) => new Map(before).set(id, result));
    for (const id of ids) put(id, { kind: 'working' });
    const done = await runEach(ids, {
      work: (id) => resolveJob(id, verb, reason),
      onEnd: (id, problem) =>
        put(id, problem === undefined ? { kind: 'done', verb } : { kind: 'failed', text: textOf(problem) }),
      asProblem,
      sleep,
    });
    setBusy(false);
    choose(ids, false);
    const word = verb === 'retry' ? 'retried' : 'discarded';
    say(`${count(done, 'job')} ${word}.${done < ids.length ? ` ${ids.length - done} not: see the list.` : ''}`);
    return true;
  };
  const action = { run, busy, error: undefined, reset: () => undefined };
  return {
    results,
    chosen,
    choose,
    said,
    ask: (verb, ids) => setAsked({ verb, ids }),
    dialog:
      asked !== undefined &&
      html`<${AskDialog} verb=${asked.verb} jobs=${asked.ids.length} action=${action} onClose=${() => setAsked(undefined)} />`,
  };
}

const textOf = (problem: Problem): string => problem.message;

interface AskDialogProps {
  readonly verb: Verb;
  readonly jobs: number;
  readonly action: object;
  readonly onClose: () => void;
}

function AskDialog({ verb, jobs, action, onClose }: AskDialogProps): VNode {
  const what = jobs === 1 ? 'this job' : `these ${count(jobs, 'job')}`;
  return verb === 'retry'
    ? html`<${Confirm} title=${`Retry ${what}?`} verb="Retry" reason=${{ label: 'Reason', required: false }} action=${action} onClose=${onClose}>${jobs === 1 ? 'It goes' : 'They go'} back into the queue with as many attempts as a new job. First fix the cause, or ${jobs === 1 ? 'it fails' : 'they fail'} again.<//>`
    : html`<${Confirm} title=${`Discard ${what}?`} verb="Discard" dangerous reason=${{ label: 'Reason', required: true }} action=${action} onClose=${onClose}>${jobs === 1 ? 'It' : 'Each of them'} will not be done. This cannot be undone. Your key and the reason are recorded.<//>`;
}

/** The result in the row of a job. */
export function ResultBadge({ result }: { readonly result: Result }): VNode {
  if (result.kind === 'working') return html`<span class="muted">Working…</span>`;
  if (result.kind === 'failed')
    return html`<span class="job-result"><${Badge} tone="bad">not done<//> <${Said} text=${result.text} /></span>`;
  return html`<${Badge} tone=${result.verb === 'retry' ? 'good' : 'neutral'}>${result.verb === 'retry' ? 'retried' : 'discarded'}<//>`;
}
