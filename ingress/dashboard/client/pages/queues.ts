// The queues in numbers, with a link to bull-board, which shows single jobs.
import { useApi } from '../api.ts';
import { QueueTable } from '../components/queue-table.ts';
import { duration, whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import { useLive } from '../live.ts';
import { href, Link } from '../router.ts';
import { Card, KeyValue, PageHead, WhenLoaded } from '../ui.ts';
import type { Overview } from '../wire/overview.ts';

export function QueuesPage(): VNode {
  const first = useApi<Overview>('/overview');
  const live = useLive<Overview>('overview');
  const board = html`<a class="button" href="/dashboard/queues/board">Open the board</a>`;
  return html`<${PageHead} title="Queues" lead="Accepted work that is not done yet. The board shows single jobs; it is read-only unless CUSTOS_QUEUE_ADMIN=on is set." actions=${board} />
    <${WhenLoaded} of=${{ ...first, data: live ?? first.data, error: live === undefined ? first.error : undefined }}>${({
      system,
      deadJobs,
    }: Overview) =>
      system !== null &&
      html`<${Card} title="Now" flush><${QueueTable} queues=${system.queues} /><//>
        <${Card} title="Outbox"><${KeyValue} items=${[
          ['Waiting', whole(system.outbox.waiting)],
          ['Oldest', system.outbox.waiting === 0 ? null : duration(system.outbox.oldestSeconds)],
          ['Dead jobs', html`<${Link} to=${href('dead-jobs')}>${whole(deadJobs)}<//>`],
        ]} /><//>`}<//>`;
}
