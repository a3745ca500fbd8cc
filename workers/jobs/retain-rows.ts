// Old rows of tables without partitions: submitted intents, what signals say beside their weight, outcomes and counts, and settled dead jobs.
import type { KeptTimes } from '../../shared/domain/retention/times.ts';
import { type Owner, ownerColumns } from '../../shared/kernel/owner.ts';
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { COUNTED_SECONDS } from '../../shared/kernel/time-buckets.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { DELETE_BATCH, deleteBatches } from './delete-batches.ts';
import { OWN_TIMES, ownTimes } from './own-times.ts';

const OF = 'organisation_id = $1 AND environment = $2';
// In the order of the primary key, so it reads no further than the cutoff. Open ones stay at any age; they are few.
const INTENTS: Statement = `DELETE FROM intent WHERE ${OF} AND intent_id = ANY (ARRAY(
    SELECT intent_id FROM intent WHERE ${OF} AND intent_id < $3 AND status IN ('decided', 'failed')
    ORDER BY intent_id LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING intent_id`;
// The row stays, because a signalId is used once, for ever.
const SIGNALS: Statement = `UPDATE trust_signal SET source = NULL, evidence = NULL WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trust_signal WHERE ${OF} AND received_at < to_timestamp($3::float8 / 1000) AND (evidence IS NOT NULL OR source IS NOT NULL)
    ORDER BY received_at LIMIT ${DELETE_BATCH} FOR UPDATE SKIP LOCKED)) RETURNING signal_id`;
// A job of no organisation is kept as the installation's setting says.
const JOBS: Statement = `DELETE FROM dead_job WHERE dead_job_id = ANY (ARRAY(
    SELECT dead_job_id FROM dead_job LEFT JOIN ${OWN_TIMES} AS own USING (organisation_id, environment)
    WHERE state <> 'dead' AND resolved_at < to_timestamp(($4::float8 - coalesce(own.kept_ms, $5::float8)) / 1000) LIMIT ${DELETE_BATCH})) RETURNING dead_job_id`;
/** SQL: decisions below the oldest partition that is left are gone, or below $3 for their owner alone; '': none. */
const KEPT_FROM = `greatest($3, (SELECT first_id FROM table_partition WHERE parent = 'decision' AND past_id IS NOT NULL ORDER BY past_id LIMIT 1))`;
const OUTCOMES: Statement = `DELETE FROM decision_outcome WHERE ${OF} AND decision_id = ANY (ARRAY(
    SELECT decision_id FROM decision_outcome WHERE ${OF} AND decision_id < ${KEPT_FROM}
    ORDER BY decision_id LIMIT ${DELETE_BATCH})) RETURNING decision_id`;
const SHORT_SECONDS = COUNTED_SECONDS.filter((seconds) => seconds < 3_600);
// Short buckets of a time of which no decision is left; the hours stay. The newest of them may have decisions on both sides of the bound.
const COUNTS: Statement = `DELETE FROM decision_count WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM decision_count WHERE ${OF} AND seconds = $4 AND start_at < custos_id_time(${KEPT_FROM}) - interval '1 minute'
    ORDER BY start_at LIMIT ${DELETE_BATCH})) RETURNING seconds`;

/** @param nowMs the earliest of the clocks */
export async function forgetRows(
  db: Database,
  owners: readonly Owner[],
  times: KeptTimes,
  nowMs: number,
): Promise<void> {
  for (const owner of owners) {
    const of = ownerColumns(owner);
    const ofDropped = [...of, times.own(owner, 'decisions')?.droppedBefore ?? ''];
    await deleteBatches(db, OUTCOMES, ofDropped);
    for (const seconds of SHORT_SECONDS) await deleteBatches(db, COUNTS, [...ofDropped, seconds]);
    const [intentsMs, signalsMs] = [times.of(owner, 'intents'), times.of(owner, 'signals')];
    if (intentsMs < Infinity) await deleteBatches(db, INTENTS, [...of, lowestId('int', nowMs - intentsMs)]);
    if (signalsMs < Infinity) await deleteBatches(db, SIGNALS, [...of, nowMs - signalsMs]);
  }
  const jobs = ownTimes(times, 'jobs');
  if (jobs.shortest < Infinity) await deleteBatches(db, JOBS, [...jobs.values, nowMs, jobs.installation]);
}
