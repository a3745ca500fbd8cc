// The job `forget-idempotency`: deletes the stored answers of Idempotency-Keys after 24 hours.
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches, type DeletionDeps, deletionTime } from './delete-batches.ts';

const DELETE = `DELETE FROM idempotency WHERE (organisation_id, environment, route, key_hash) IN (
      SELECT organisation_id, environment, route, key_hash FROM idempotency WHERE created_at < ${deletionTime('$1')} - interval '24 hours' ORDER BY created_at LIMIT ${DELETE_BATCH}
    ) RETURNING created_at`;

export const forgetIdempotency = upkeepJob({
  name: 'forget-idempotency',
  everyMs: 60 * MINUTE_MS,
  run: ({ db, deletionMs }: DeletionDeps) => deleteBatches(db, DELETE, [deletionMs()]),
});
