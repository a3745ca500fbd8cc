// The job `forget-deliveries`: deletes old deliveries of webhooks.
import { type KeepSettings, readKeptTimes } from '../../shared/domain/retention/times.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches, type DeletionDeps, deletionTime } from './delete-batches.ts';
import { OWN_TIMES, ownTimes } from './own-times.ts';

const AGO = (ms: string): string => `to_timestamp(extract(epoch FROM ${deletionTime('$6')})::float8 - ${ms} / 1000)`;
// Reads no further than the first row that is younger than the shortest time. A pending one stays, because messages may wait for it, unless
// its endpoint was deleted; then nobody knows whose it was, and the installation's time counts.
const DELETE_OLD = `DELETE FROM webhook_delivery WHERE seq = ANY (ARRAY(
    SELECT seq FROM webhook_delivery d LEFT JOIN webhook_endpoint e USING (endpoint_id)
      LEFT JOIN ${OWN_TIMES} AS own ON own.organisation_id = e.organisation_id AND own.environment = e.environment
    WHERE seq < coalesce((SELECT seq FROM webhook_delivery WHERE created_at >= ${AGO('$4::float8')} ORDER BY seq LIMIT 1), 9223372036854775807)
      AND d.created_at < ${AGO('coalesce(own.kept_ms, $5::float8)')}
      AND (state <> 'pending' OR e.endpoint_id IS NULL)
    ORDER BY seq LIMIT ${DELETE_BATCH}
  )) RETURNING seq`;

export interface ForgetDeliveriesDeps extends KeepSettings, DeletionDeps {}

export const forgetDeliveries = upkeepJob({
  name: 'forget-deliveries',
  everyMs: 60 * MINUTE_MS,
  run: async (deps: ForgetDeliveriesDeps) => {
    const { values, shortest, installation } = ownTimes(await readKeptTimes(deps.db, deps), 'deliveries');
    if (shortest < Infinity)
      await deleteBatches(deps.db, DELETE_OLD, [...values, shortest, installation, deps.deletionMs()]);
  },
});
