// The job `forget-deliveries`: deletes old deliveries of webhooks.
import type { Database } from '../../shared/platform/db/database.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches } from './delete-batches.ts';

// Reads no further than the first younger row. A pending one stays, because messages may wait for it, unless its endpoint was deleted.
const DELETE_OLD = `DELETE FROM webhook_delivery WHERE seq = ANY (ARRAY(
    SELECT seq FROM webhook_delivery d
    WHERE seq < coalesce((SELECT seq FROM webhook_delivery WHERE created_at >= now() - $1::float8 * interval '1 ms' ORDER BY seq LIMIT 1), 9223372036854775807)
      AND (state <> 'pending' OR NOT EXISTS (SELECT FROM webhook_endpoint e WHERE e.endpoint_id = d.endpoint_id))
    ORDER BY seq LIMIT ${DELETE_BATCH}
  )) RETURNING seq`;

export interface ForgetDeliveriesDeps {
  readonly db: Database;
  /** CUSTOS_KEEP_DELIVERIES. */
  readonly keepDeliveriesMs: number;
}

export const forgetDeliveries = upkeepJob({
  name: 'forget-deliveries',
  everyMs: 60 * MINUTE_MS,
  run: ({ db, keepDeliveriesMs }: ForgetDeliveriesDeps) => deleteBatches(db, DELETE_OLD, [keepDeliveriesMs]),
});
