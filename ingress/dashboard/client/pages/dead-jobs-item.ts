// The page of one dead job: the error, the payload and the decision.
import { useApi } from '../api.ts';
import { html, type VNode } from '../html.ts';
import { Card, JsonView, KeyValue, PageHead, Said, Status, Time, WhenLoaded } from '../ui.ts';
import type { DeadJob } from '../wire/jobs.ts';
import { Owner, Subject } from './dead-jobs.ts';
import { ResolveCard } from './dead-jobs-resolve.ts';
import { jobWords } from './dead-jobs-words.ts';

export function DeadJobPage({ id }: { readonly id: string }): VNode {
  const job = useApi<DeadJob>(`/dead-jobs/${encodeURIComponent(id)}`);
  const { data } = job;
  return html`<${PageHead} title=${data === undefined ? 'Dead job' : jobWords(data)} lead=${data && html`Failed <${Time} at=${data.failedAt} />. <${Status} status=${data.state} />`} back=${{ page: 'dead-jobs', label: 'Dead jobs' }} />
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
        ['For', html`<${Subject} subject=${job.subject} />`],
        ['Queue', job.queue],
        ['Job', job.name],
        ['Owner', html`<${Owner} job=${job} />`],
        ['Failed', html`<${Time} at=${job.failedAt} as="moment" />`],
      ]} /><//>
    </div>
  </div>`;
}
