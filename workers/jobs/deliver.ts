// The job `deliver`: delivers the messages of one webhook endpoint that are due.
import { behindSql } from '../../shared/domain/webhooks/fan-out.ts';
import { type Deliverer, LEASED_AHEAD } from '../../shared/domain/webhooks/deliver.ts';
import { PLACES } from '../../shared/domain/webhooks/places.ts';
import { DUE_AHEAD } from '../../shared/domain/webhooks/schedule.ts';
import { hasCome, isAhead } from '../../shared/platform/db/elapsed.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import { acceptedBefore, diedLately, type JobDefinition, THREE_ATTEMPTS } from './definition.ts';

export interface DeliverDeps {
  readonly webhooks: Deliverer;
}

/** Queues the job for each endpoint of the log's owner ($1, $2), after leaves were appended. */
export const QUEUE_DELIVERIES = enqueueSql(
  'webhooks',
  'deliver',
  { endpointId: 'endpoint_id' },
  'webhook_endpoint WHERE organisation_id = $1 AND environment = $2 AND disabled_at IS NULL',
);

// Messages whose next attempt is due are found here, too: there is no other timer.
const WAITING = `webhook_endpoint e WHERE e.disabled_at IS NULL AND ${hasCome('e.leased_until', LEASED_AHEAD)} AND (
    EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND d.due_at < least($1::timestamptz, now()))
    OR EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND ${isAhead('d.due_at', DUE_AHEAD)})
    OR EXISTS (SELECT FROM ${behindSql('(SELECT) AS one')} JOIN leaf ON leaf.log_id = behind.log_id AND leaf.leaf_index = behind.next
      WHERE ${acceptedBefore('leaf.appended_at', '1 second')})
  ) AND NOT EXISTS (
    SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'webhooks' AND d.name = 'deliver'
      AND d.payload::json ->> 'endpointId' = e.endpoint_id AND ${diedLately('d')}
  )`;

export const deliver: JobDefinition<'webhooks', 'deliver', DeliverDeps> = {
  queue: 'webhooks',
  name: 'deliver',
  concurrency: PLACES,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'wake-up', key: ({ endpointId }) => [endpointId] },
  sweeping: {
    requeue: `${enqueueSql('webhooks', 'deliver', { endpointId: 'e.endpoint_id', swept: 'true' }, WAITING)} RETURNING seq`,
    isDone: `NOT EXISTS (SELECT FROM webhook_endpoint e WHERE e.endpoint_id = d.payload::json ->> 'endpointId' AND e.disabled_at IS NULL
        AND EXISTS (SELECT FROM webhook_delivery w WHERE w.endpoint_id = e.endpoint_id AND w.due_at <= d.failed_at))`,
  },
  handler:
    ({ webhooks }) =>
    ({ endpointId }) =>
      webhooks.deliver(endpointId),
};
