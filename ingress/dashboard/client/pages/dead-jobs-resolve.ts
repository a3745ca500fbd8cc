// Resolving a dead job: retry it, or discard it with a reason; once.
import { Problem, useAction } from '../api.ts';
import { html, type VNode } from '../html.ts';
import { useKept } from '../session.ts';
import { Card, Confirm, KeyValue, Said, Time } from '../ui.ts';
import type { DeadJob } from '../wire/jobs.ts';
import { resolveJob } from './dead-jobs-bulk.ts';

export interface ResolveProps {
  readonly job: DeadJob;
  readonly reload: () => void;
}

export function ResolveCard({ job, reload }: ResolveProps): VNode {
  if (job.state === 'dead') return html`<${Open} job=${job} reload=${reload} />`;
  const text =
    job.state === 'retried'
      ? 'It was put back into its queue. If it fails again, it becomes a new dead job.'
      : 'It will not be done.';
  return html`<${Card} title=${job.state === 'retried' ? 'Retried' : 'Discarded'}>
    <p class="card-lead">${text}</p>
    <${KeyValue} items=${[
      ['By', html`<code>${job.resolvedBy}</code>`],
      ['When', job.resolvedAt === null ? undefined : html`<${Time} at=${job.resolvedAt} as="moment" />`],
      ['Reason', job.reason === null ? undefined : html`<${Said} text=${job.reason} />`],
    ]} />
  <//>`;
}

function Open({ job, reload }: ResolveProps): VNode {
  const [asked, setAsked] = useKept<'retry' | 'discard' | undefined>('asked', undefined);
  const resolve = useAction(async (reason: string) => {
    try {
      await resolveJob(job.deadJobId, asked ?? 'retry', reason);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'E5002') throw error;
      throw new Problem(`Somebody else decided first. ${error.message}`, error);
    }
    reload();
  });
  const close = (): void => {
    setAsked(undefined);
    if (resolve.error?.code === 'E5002') reload();
    resolve.reset();
  };
  return html`<${Card} title="Your decision">
    <p class="card-lead">Retry the job after you have fixed the cause, or discard it when it need not be done.</p>
    <div class="decide-buttons">
      <button type="button" class="button button-primary" onClick=${() => setAsked('retry')}>Retry…</button>
      <button type="button" class="button" onClick=${() => setAsked('discard')}>Discard…</button>
    </div>
    ${asked === 'retry' && html`<${Confirm} title="Retry this job?" verb="Retry" reason=${{ label: 'Reason', required: false }} action=${resolve} onClose=${close}>It goes back into the queue <strong>${job.queue}</strong> with as many attempts as a new job.<//>`}
    ${asked === 'discard' && html`<${Confirm} title="Discard this job?" verb="Discard" dangerous reason=${{ label: 'Reason', required: true }} action=${resolve} onClose=${close}>It will not be done. This cannot be undone. Your key and the reason are recorded.<//>`}
  <//>`;
}
