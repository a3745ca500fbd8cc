// The job `forget-changes`: deletes rows of the change feed, of recent parses and of request counts that no process reads any more.
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches, type DeletionDeps, deletionTime } from './delete-batches.ts';

const NOW = deletionTime('$1');
// A process that has not polled for half an hour empties its caches (shared/platform/db/changes.ts), so an hour is enough.
const DELETE_CHANGES = `DELETE FROM change WHERE seq IN (SELECT seq FROM change WHERE changed_at < ${NOW} - interval '1 hour' ORDER BY seq LIMIT ${DELETE_BATCH}) RETURNING seq`;
const DELETE_PARSES = `DELETE FROM recent_parse WHERE ctid = ANY (ARRAY(SELECT ctid FROM recent_parse WHERE bucket < ${NOW} - $2::float8 * interval '1 ms' LIMIT ${DELETE_BATCH})) RETURNING bucket`;
// The dashboard draws short buckets of up to a day and the day before, and hours of thirty days and the thirty before.
const DELETE_REQUESTS = `DELETE FROM request_count WHERE ctid = ANY (ARRAY(SELECT ctid FROM request_count
    WHERE start_at < ${NOW} - CASE seconds WHEN 10 THEN interval '2 days' WHEN 60 THEN interval '3 days' ELSE interval '62 days' END LIMIT ${DELETE_BATCH})) RETURNING seconds`;

/**
 * How long parses are read beyond the lifetime of an approval: they count for 15 minutes before it is opened, a row begins up
 * to five minutes before its last parse, and submitted work may wait before it is evaluated.
 */
const PARSES_BEFORE_APPROVAL_MS = 60 * MINUTE_MS;

export interface ForgetChangesDeps extends DeletionDeps {
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
}

export const forgetChanges = upkeepJob({
  name: 'forget-changes',
  everyMs: 10 * MINUTE_MS,
  run: async ({ db, deletionMs, approvalTtlMs }: ForgetChangesDeps) => {
    await deleteBatches(db, DELETE_CHANGES, [deletionMs()]);
    await deleteBatches(db, DELETE_REQUESTS, [deletionMs()]);
    await deleteBatches(db, DELETE_PARSES, [deletionMs(), approvalTtlMs + PARSES_BEFORE_APPROVAL_MS]);
  },
});
