// Dead jobs: jobs whose attempts all failed. Each waits for an operator to retry or discard it.
import { useApi, usePages } from '../api.ts';
import { html, type VNode } from '../html.ts';
import { href, useFilters } from '../router.ts';
import { useSession } from '../session.ts';
import {
  Card,
  type Column,
  Empty,
  JsonView,
  KeyValue,
  List,
  PageHead,
  Said,
  Segments,
  Status,
  Time,
  WhenLoaded,
} from '../ui.ts';
import type { DeadJob } from '../wire/jobs.ts';
import { ResolveCard } from './dead-jobs-resolve.ts';

const VIEWS = [
  ['dead', 'Waiting', 'No job waits for a decision'],
  ['retried', 'Retried', 'No job was retried yet'],
  ['discarded', 'Discarded', 'No job was discarded yet'],
] as const;

export function DeadJobList(): VNode {
  const [{ state }] = useFilters(['state']);
  const { isOperator } = useSession();
  const [view, , nothing] = VIEWS.find(([name]) => name === state) ?? VIEWS[0];
  const pages = usePages<DeadJob>('/dead-jobs', { state: view });
  const choices = VIEWS.map(([name, text]) => ({
    to: href('dead-jobs', undefined, { state: name === 'dead' ? undefined : name }),
    text,
    isCurrent: name === view,
  }));
  return html`<${PageHead} title="Dead jobs" lead="Jobs whose attempts all failed. Nothing is lost: they wait here until somebody retries or discards them." />
    <div class="toolbar"><${Segments} label="Dead jobs by state" choices=${choices} /></div>
    <${List} pages=${pages} caption="Dead jobs" columns=${columnsOf(view, isOperator)} keyOf=${(job: DeadJob) => job.deadJobId} hrefOf=${(job: DeadJob) => href('dead-jobs', job.deadJobId)} empty=${html`<${Empty} title=${nothing} />`} />`;
}

/** Characters of an error's first line that the list shows. */
const FIRST_LINE = 200;

function firstLine(error: string): string {
  const line = error.split('\n', 1)[0] ?? '';
  return line.length > FIRST_LINE ? `${line.slice(0, FIRST_LINE)}…` : line;
}

function columnsOf(view: DeadJob['state'], isOperator: boolean): readonly Column<DeadJob>[] {
  const columns: (Column<DeadJob> | false)[] = [
    { title: 'Job', cell: ({ queue, name }) => `${queue} / ${name}` },
    { title: 'Error', cell: ({ error }) => html`<${Said} text=${firstLine(error)} />` },
    isOperator && { title: 'Owner', cell: (job) => html`<${Owner} job=${job} />` },
    { title: 'Failed', cell: ({ failedAt }) => html`<${Time} at=${failedAt} />` },
    view !== 'dead' && { title: 'Decided', cell: (job) => html`<${Resolved} job=${job} />` },
    view === 'discarded' && { title: 'Reason', cell: ({ reason }) => html`<${Said} text=${reason ?? ''} />` },
  ];
  return columns.filter((column): column is Column<DeadJob> => column !== false);
}

function Owner({ job }: { readonly job: DeadJob }): VNode {
  return job.organisationId === null
    ? html`<span class="muted">the installation</span>`
    : html`<code>${job.organisationId}</code> <span class="muted">${job.environment}</span>`;
}

function Resolved({ job }: { readonly job: DeadJob }): VNode {
  return html`<code>${job.resolvedBy}</code>${job.resolvedAt !== null && html`, <${Time} at=${job.resolvedAt} />`}`;
}

export function DeadJobPage({ id }: { readonly id: string }): VNode {
  const job = useApi<DeadJob>(`/dead-jobs/${encodeURIComponent(id)}`);
  const { data } = job;
  return html`<${PageHead} title=${data === undefined ? 'Dead job' : `${data.queue} / ${data.name}`} lead=${data && html`Failed <${Time} at=${data.failedAt} />. <${Status} status=${data.state} />`} back=${{ to: href('dead-jobs'), label: 'Dead jobs' }} />
    <${WhenLoaded} of=${job} what="Reading the job">${(shown: DeadJob) => html`<${Shown} job=${shown} reload=${job.reload} />`}<//>`;
}

function Shown({ job, reload }: { readonly job: DeadJob; readonly reload: () => void }): VNode {
  return html`<div class="decide-layout">
    <div class="decide-main">
      <${Card} title="Error"><pre class="error-text" tabindex="0" role="region" aria-label="Error"><${Said} text=${job.error} /></pre><//>
      <${Card} title="Payload" aside="Ids only; the data are in the database"><${JsonView} value=${job.payload} label="Payload" /><//>
    </div>
    <div class="decide-side">
      <${ResolveCard} job=${job} reload=${reload} />
      <${Card} title="Job"><${KeyValue} items=${[
        ['Number', job.deadJobId],
        ['Queue', job.queue],
        ['Job', job.name],
        ['Owner', html`<${Owner} job=${job} />`],
        ['Failed', html`<${Time} at=${job.failedAt} as="moment" />`],
      ]} /><//>
    </div>
  </div>`;
}
