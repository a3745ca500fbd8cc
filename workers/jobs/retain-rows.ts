// Old rows of tables without partitions: submitted intents, what signals say beside their weight, outcomes, and settled dead jobs.
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { DELETE_BATCH, deleteBatches } from './delete-batches.ts';

export interface KeepRowsMs {
  readonly intents: number | undefined;
  readonly signals: number | undefined;
  readonly jobs: number | undefined;
}

const OWNERS = 'SELECT DISTINCT organisation_id, environment FROM log';
const OF = 'organisation_id = $1 AND environment = $2';
// In the order of the primary key, so it reads no further than the cutoff. Open ones stay at any age; they are few.
const INTENTS: Statement = `DELETE FROM intent WHERE ${OF} AND intent_id = ANY (ARRAY(
    SELECT intent_id FROM intent WHERE ${OF} AND intent_id < $3 AND status IN ('decided', 'failed')
    ORDER BY intent_id LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING intent_id`;
// The row stays, because a signalId is used once, for ever.
const SIGNALS: Statement = `UPDATE trust_signal SET source = NULL, evidence = NULL WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trust_signal WHERE received_at < to_timestamp($1::float8 / 1000) AND (evidence IS NOT NULL OR source IS NOT NULL)
    ORDER BY received_at LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING signal_id`;
const JOBS: Statement = `DELETE FROM dead_job WHERE dead_job_id = ANY (ARRAY(
    SELECT dead_job_id FROM dead_job WHERE state <> 'dead' AND resolved_at < to_timestamp($1::float8 / 1000) LIMIT ${DELETE_BATCH})) RETURNING dead_job_id`;
// Outcomes of decisions below the oldest partition that is left.
const OUTCOMES: Statement = `DELETE FROM decision_outcome WHERE ${OF} AND decision_id = ANY (ARRAY(
    SELECT decision_id FROM decision_outcome WHERE ${OF} AND decision_id < coalesce((
      SELECT first_id FROM table_partition WHERE parent = 'decision' AND past_id IS NOT NULL ORDER BY past_id LIMIT 1), '')
    ORDER BY decision_id LIMIT ${DELETE_BATCH})) RETURNING decision_id`;

/** @param nowMs the earlier of the clocks of this process and of the database */
export async function forgetRows(db: Database, keepMs: KeepRowsMs, nowMs: number): Promise<void> {
  const owners = await db.query<{ organisation_id: string; environment: string }>(OWNERS, []);
  for (const { organisation_id: organisation, environment } of owners) {
    await deleteBatches(db, OUTCOMES, [organisation, environment]);
    if (keepMs.intents !== undefined)
      await deleteBatches(db, INTENTS, [organisation, environment, lowestId('int', nowMs - keepMs.intents)]);
  }
  if (keepMs.signals !== undefined) await deleteBatches(db, SIGNALS, [nowMs - keepMs.signals]);
  if (keepMs.jobs !== undefined) await deleteBatches(db, JOBS, [nowMs - keepMs.jobs]);
}
