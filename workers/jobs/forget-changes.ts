// The job `forget-changes`: deletes rows of the change feed, of recent parses and of request counts that no process reads any more.
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { DELETE_BATCH, deleteBatches, type DeletionDeps, deletionTime } from './delete-batches.ts';

const NOW = deletionTime('$1');
// A process that has not polled for an hour learns that rows are gone, and empties its caches (migration 0061).
const DELETE_CHANGES = `DELETE FROM change WHERE seq IN (SELECT seq FROM change WHERE changed_at < ${NOW} - interval '1 hour' ORDER BY seq LIMIT ${DELETE_BATCH}) RETURNING seq`;
const ofAgent = (table: string): string =>
  `${table}.organisation_id = p.organisation_id AND ${table}.environment = p.environment AND ${table}.agent_id COLLATE "C" = p.agent_id`;
/** SQL condition: a parse of row p counts for what began then (PARSE_COUNTS_MS). Its row begins up to five minutes before it. */
const countsFor = (begunAt: string): string => `${begunAt} < p.bucket + interval '21 minutes'`;
/**
 * A rule may give its approvals more time than the setting, and submitted work waits while no worker runs: without the parse, its string
 * would be read as milder than its text was.
 */
const DELETE_PARSES = `DELETE FROM recent_parse WHERE ctid = ANY (ARRAY(SELECT p.ctid FROM recent_parse AS p WHERE p.bucket < ${NOW} - $2::float8 * interval '1 ms'
    AND NOT EXISTS (SELECT FROM intent WHERE ${ofAgent('intent')} AND intent.status IN ('queued', 'evaluating') AND ${countsFor('intent.submitted_at')})
    AND NOT EXISTS (SELECT FROM approval LEFT JOIN intent USING (organisation_id, environment, intent_id) WHERE ${ofAgent('approval')}
      AND approval.state IN ('pending', 'approved') AND approval.expires_at > ${NOW} AND ${countsFor('least(approval.created_at, intent.submitted_at)')})
    LIMIT ${DELETE_BATCH})) RETURNING bucket`;
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
