// Dead jobs: jobs whose attempts all failed. Each waits for an operator to retry or discard it, one by one or many at once.
import { useApi, usePages } from '../api.ts';
import { count, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { href, Link, useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import { type Column, Empty, type FilterField, Filters, List, Name, PageHead, Said, Segments, Time } from '../ui.ts';
import type { DeadJob, DeadJobKinds, JobSubject } from '../wire/jobs.ts';
import { type Bulk, ResultBadge, useBulk } from './dead-jobs-bulk.ts';
import { errorSentence, jobWords } from './dead-jobs-words.ts';

const VIEWS = [
  ['dead', 'Waiting', 'No job waits for a decision'],
  ['retried', 'Retried', 'No job was retried yet'],
  ['discarded', 'Discarded', 'No job was discarded yet'],
] as const;

const FIELDS: readonly FilterField[] = [
  {
    name: 'queue',
    label: 'Queue',
    kind: 'choice',
    options: ['intents', 'trust', 'proofs', 'webhooks', 'upkeep'],
  },
  { name: 'error', label: 'Error contains', kind: 'text', placeholder: 'timeout' },
];

export function DeadJobList(): VNode {
  const [filters, setFilters] = useFilters(['state', 'queue', 'name', 'error']);
  const { state, queue, name, error } = filters;
  const { isOperator } = useSession();
  const [view, , nothing] = VIEWS.find(([each]) => each === state) ?? VIEWS[0];
  const pages = usePages<DeadJob>('/dead-jobs', { state: view, queue, name, error });
  const bulk = useBulk();
  const isFiltered = queue !== undefined || name !== undefined || error !== undefined;
  const choices = VIEWS.map(([each, text]) => ({
    to: href('dead-jobs', undefined, { state: each === 'dead' ? undefined : each }),
    text,
    isCurrent: each === view,
  }));
  const open = pages.items.filter(({ deadJobId }) => canResolve(bulk, deadJobId)).map(({ deadJobId }) => deadJobId);
  const empty = html`<${Empty} title=${isFiltered ? 'No job matches these filters' : nothing}>${!isFiltered && view === 'dead' && 'Jobs appear here when all their attempts have failed.'}<//>`;
  return html`<${PageHead} title="Dead jobs" lead="Jobs whose attempts all failed. Nothing is lost: they wait here until somebody retries or discards them." />
    <div class="toolbar"><${Segments} label="Dead jobs by state" choices=${choices} /></div>
    ${view === 'dead' && html`<${Kinds} filters=${filters} onChange=${setFilters} />`}
    <div class="toolbar"><${Filters} fields=${FIELDS} values=${{ queue, error }} onChange=${(change: object) => setFilters({ ...change, name: undefined })} /></div>
    ${view === 'dead' && pages.items.length > 0 && html`<${Choice} bulk=${bulk} ids=${open} />`}
    <div class="visually-hidden" role="status">${bulk.said}</div>
    <${List} pages=${pages} caption="Dead jobs" columns=${columnsOf(view, isOperator, bulk)} keyOf=${(job: DeadJob) => job.deadJobId} empty=${empty} />
    ${bulk.dialog}`;
}

const canResolve = ({ results }: Bulk, id: string): boolean => {
  const result = results.get(id);
  return result === undefined || result.kind === 'failed';
};

interface KindsProps {
  readonly filters: Readonly<Record<'queue' | 'name' | 'error', string | undefined>>;
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void;
}

/** The most frequent errors, as filters. */
function Kinds({ filters, onChange }: KindsProps): VNode | null {
  const kinds = useApi<DeadJobKinds>('/dead-jobs/kinds').data?.kinds ?? [];
  if (kinds.length < 2) return null;
  return html`<ul class="job-kinds" aria-label="Dead jobs by error">${kinds.slice(0, 6).map((kind) => {
    const { queue, name, error } = kind;
    const isOn = filters.queue === queue && filters.name === name && filters.error === error;
    return html`<li key=${`${queue}/${name}/${error}`}><button type="button" class="job-kind" aria-pressed=${isOn} onClick=${() => onChange(isOn ? { queue: undefined, name: undefined, error: undefined } : { queue, name, error })}><strong class="num">${whole(kind.count)}</strong> <span>${jobWords(kind)}</span> <span class="muted"><${Name} text=${errorSentence(error)} length=${60} /></span></button></li>`;
  })}</ul>`;
}

/** What to do with the chosen jobs. */
function Choice({ bulk, ids }: { readonly bulk: Bulk; readonly ids: readonly string[] }): VNode {
  const chosen = ids.filter((id) => bulk.chosen.has(id));
  const isAll = ids.length > 0 && chosen.length === ids.length;
  return html`<div class="job-choice">
    <label class="job-check"><input type="checkbox" checked=${isAll} disabled=${ids.length === 0} onChange=${() => bulk.choose(ids, !isAll)} /> ${isAll ? 'All on this page' : `Choose all ${whole(ids.length)} on this page`}</label>
    <span class="muted num">${chosen.length === 0 ? '' : `${count(chosen.length, 'job')} chosen`}</span>
    <span class="row-actions">
      <button type="button" class="button button-small" disabled=${chosen.length === 0} onClick=${() => bulk.ask('retry', chosen)}>Retry…</button>
      <button type="button" class="button button-small" disabled=${chosen.length === 0} onClick=${() => bulk.ask('discard', chosen)}>Discard…</button>
    </span>
  </div>`;
}

function columnsOf(view: DeadJob['state'], isOperator: boolean, bulk: Bulk): readonly Column<DeadJob>[] {
  const columns: (Column<DeadJob> | false)[] = [
    { title: 'Job', cell: (job) => html`<${JobCell} job=${job} bulk=${view === 'dead' ? bulk : undefined} />` },
    { title: 'For', cell: ({ subject }) => html`<${Subject} subject=${subject} />` },
    { title: 'Error', cell: ({ error }) => html`<${Said} text=${errorSentence(error)} />` },
    isOperator && { title: 'Owner', minor: true, cell: (job) => html`<${Owner} job=${job} />` },
    { title: 'Failed', cell: ({ failedAt }) => html`<${Time} at=${failedAt} />` },
    view !== 'dead' && { title: 'Decided', cell: (job) => html`<${Resolved} job=${job} />` },
    view !== 'dead' && {
      title: 'Reason',
      cell: ({ reason }) => (reason === null ? html`<span class="muted">–</span>` : html`<${Said} text=${reason} />`),
    },
    view === 'dead' && { title: 'Decision', align: 'end', cell: (job) => html`<${Decide} job=${job} bulk=${bulk} />` },
  ];
  return columns.filter((column): column is Column<DeadJob> => column !== false);
}

function JobCell({ job, bulk }: { readonly job: DeadJob; readonly bulk: Bulk | undefined }): VNode {
  const { deadJobId } = job;
  const words = jobWords(job);
  const link = html`<${Link} to=${href('dead-jobs', deadJobId)} class="row-link">${words}<//>`;
  if (bulk === undefined) return link;
  return html`<span class="job-check"><input type="checkbox" aria-label=${`Choose job ${deadJobId}: ${words}`} checked=${bulk.chosen.has(deadJobId)} disabled=${!canResolve(bulk, deadJobId)} onChange=${(event: Event) => bulk.choose([deadJobId], (event.currentTarget as HTMLInputElement).checked)} /> ${link}</span>`;
}

function Decide({ job: { deadJobId }, bulk }: { readonly job: DeadJob; readonly bulk: Bulk }): VNode {
  const result = bulk.results.get(deadJobId);
  return html`<span class="job-decide">${result !== undefined && html`<${ResultBadge} result=${result} />`}${
    canResolve(bulk, deadJobId) &&
    html`<span class="row-actions"><button type="button" class="button button-small" onClick=${() => bulk.ask('retry', [deadJobId])}>Retry…</button><button type="button" class="button button-small" onClick=${() => bulk.ask('discard', [deadJobId])}>Discard…</button></span>`
  }</span>`;
}

/** The agent and its request, or the webhook. */
export function Subject({ subject: { agentId, request, webhookId, url } }: { readonly subject: JobSubject }): VNode {
  if (agentId !== undefined)
    return html`<${Link} to=${href('agents', agentId)}><${Name} text=${agentId} length=${32} /><//>${request !== undefined && html`<br /><span class="muted"><${Name} text=${request} length=${40} /></span>`}`;
  if (webhookId !== undefined)
    return html`<${Link} to=${href('webhooks', webhookId)}><${Name} text=${url ?? webhookId} length=${40} /><//>`;
  return html`<span class="muted">–</span>`;
}

export function Owner({ job }: { readonly job: DeadJob }): VNode {
  return job.organisation === null
    ? html`<span class="muted">the installation</span>`
    : html`${job.organisation} <span class="muted">${job.environment}</span>`;
}

function Resolved({ job }: { readonly job: DeadJob }): VNode {
  return html`<code>${job.resolvedBy}</code>${job.resolvedAt !== null && html`, <${Time} at=${job.resolvedAt} />`}`;
}
