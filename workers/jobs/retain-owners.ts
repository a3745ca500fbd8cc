// Data of organisations whose time is shorter than the longest, for which its partition waits, and data without partitions: deleted in batches,
// owner by owner, with a record in the owner's log (docs/adr/0017).
import type { RetentionBody } from '../../shared/core/proof/retention-record.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import {
  type KeepSettings,
  type KeptTimes,
  readKeptTimes,
  readTimesOf,
  writeOwnDrop,
} from '../../shared/domain/retention/times.ts';
import { writeErasing } from '../../shared/domain/retention/dropped.ts';
import { idTimeMs, lowestId } from '../../shared/kernel/ids.ts';
import { type Owner, ownerColumns } from '../../shared/kernel/owner.ts';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { DELETE_BATCH } from './delete-batches.ts';
import { BOUND, type PartitionDeps } from './retain-partitions.ts';
import { HOUR_MS, spanHours } from './retain-spans.ts';

const OF = 'organisation_id = $1 AND environment = $2';
const OPEN = `state IN ('pending', 'approved')`;
const NEEDED_DECISION = `SELECT least((SELECT min(decision_id) FROM approval WHERE ${OF} AND ${OPEN}),
    (SELECT min(split_part(source_id, ' ', 1)) FROM log_inbox WHERE ${OF} AND source = 'decision')) AS id`;

// As custos_forget_actions has them. Attempts to sign in with an unknown key have no owner: the operator's live environment has their records.
const IN_TIME = 'at >= custos_id_time($3) AND at < custos_id_time($4)';
const IS_OPERATOR = `$2 = 'live' AND EXISTS (SELECT FROM organisation WHERE id = $1 AND is_operator)`;

interface OwnKind {
  readonly what: RetentionBody['what'];
  readonly prefix: 'dec' | 'int' | 'apr' | 'act';
  /** Its partitions wait for the longest time of all, and owners with a shorter one are dealt with here; others have no partitions. */
  readonly isParted: boolean;
  /** The lowest id that must stay; null: none. Values: the owner. */
  readonly needed: Statement;
  /** Whether the owner has any row before $3 that may go, so that each log has records of deletions only. Absent: not asked. */
  readonly some?: Statement;
  /** The id after a batch from $3 on; none: the batch is the last one before $4. */
  readonly next: Statement;
  /** Deletes or blanks the owner's rows from $3 on and before $4. */
  readonly change: Statement;
  /**
   * A missing row is accounted for by its record, so that is committed first, and each run begins at the lowest id, for what a crash
   * left. Of facts and texts the record comes last, and each run begins where it ends.
   */
  readonly isRecordedFirst: boolean;
}

const OF_DECISIONS = {
  prefix: 'dec',
  isParted: true,
  needed: NEEDED_DECISION,
  next: `SELECT decision_id AS id FROM decision WHERE ${OF} AND decision_id >= $3 AND decision_id < $4 ORDER BY decision_id OFFSET ${DELETE_BATCH} LIMIT 1`,
} as const;
const KINDS: readonly OwnKind[] = [
  {
    ...OF_DECISIONS,
    what: 'decisions',
    change: 'SELECT custos_forget_decisions($1, $2, $3, $4)',
    isRecordedFirst: true,
  },
  {
    ...OF_DECISIONS,
    what: 'facts',
    change: `UPDATE decision SET facts = NULL, facts_salt = NULL WHERE ${OF} AND decision_id >= $3 AND decision_id < $4 AND facts IS NOT NULL`,
    isRecordedFirst: false,
  },
  {
    what: 'texts',
    prefix: 'int',
    isParted: true,
    needed: `SELECT min(intent_id) AS id FROM approval WHERE ${OF} AND ${OPEN}`,
    // No index begins with the owner, so it reads the rows of all, each once.
    next: `SELECT intent_id AS id FROM intent_parse WHERE $1::text IS NOT NULL AND $2::text IS NOT NULL AND intent_id >= $3 AND intent_id < $4
      ORDER BY intent_id OFFSET ${DELETE_BATCH} LIMIT 1`,
    change: `DELETE FROM intent_parse WHERE ${OF} AND intent_id >= $3 AND intent_id < $4`,
    isRecordedFirst: false,
  },
  {
    what: 'approvals',
    prefix: 'apr',
    isParted: false,
    // Upkeep closes what nobody has decided or used; until then the row stays, and everything after it. One look-up for each state.
    needed: `SELECT least(${['pending', 'approved'].map((state) => `(SELECT approval_id FROM approval WHERE ${OF} AND state = '${state}' ORDER BY approval_id LIMIT 1)`).join(', ')}) AS id`,
    some: `SELECT 1 AS one FROM approval WHERE ${OF} AND approval_id < $3 AND NOT ${OPEN} LIMIT 1`,
    next: `SELECT approval_id AS id FROM approval WHERE ${OF} AND approval_id >= $3 AND approval_id < $4 ORDER BY approval_id OFFSET ${DELETE_BATCH} LIMIT 1`,
    change: 'SELECT custos_forget_approvals($1, $2, $3, $4)',
    isRecordedFirst: true,
  },
  {
    what: 'actions',
    prefix: 'act',
    isParted: false,
    needed: 'SELECT NULL AS id WHERE $1::text IS NOT NULL AND $2::text IS NOT NULL',
    some: `SELECT 1 AS one FROM dashboard_audit WHERE ${OF} AND at < custos_id_time($3)
      UNION ALL SELECT 1 FROM dashboard_audit WHERE organisation_id IS NULL AND environment IS NULL AND at < custos_id_time($3) AND ${IS_OPERATOR} LIMIT 1`,
    // A batch ends after its last millisecond, so that each goes on.
    next: `SELECT custos_id_at('act', at + interval '1 ms') AS id FROM (
        (SELECT at FROM dashboard_audit WHERE ${OF} AND ${IN_TIME} ORDER BY at LIMIT ${DELETE_BATCH})
        UNION ALL (SELECT at FROM dashboard_audit WHERE organisation_id IS NULL AND environment IS NULL AND ${IN_TIME} AND ${IS_OPERATOR} ORDER BY at LIMIT ${DELETE_BATCH})
      ) AS batch ORDER BY at OFFSET ${DELETE_BATCH - 1} LIMIT 1`,
    change: 'SELECT custos_forget_actions($1, $2, $3, $4)',
    isRecordedFirst: true,
  },
];
const FORGET_VERSIONS = 'SELECT custos_forget_versions($1, $2, $3)';

export interface OwnDeps extends PartitionDeps, KeepSettings {
  readonly logger: Logger;
}

interface Run extends OwnDeps {
  /** As they were when the run began. */
  readonly times: KeptTimes;
}

type Step = RetentionBody & { readonly scope: 'organisation' };

/** What is to go, in whole steps as long as a partition; undefined: nothing. */
async function nextStep(
  sql: Sql,
  run: Run,
  owner: Owner,
  { what, prefix, needed, some, isParted }: OwnKind,
): Promise<Step | undefined> {
  const [server] = await sql.query<{ now_ms: number }>(BOUND, []);
  // It may have been set to a longer one meanwhile.
  const keptMs = run.times.ofOwn((await readTimesOf(sql, owner)).get(what), what);
  if (keptMs >= (isParted ? run.times.longest(what) : Infinity)) return undefined;
  const openId = (await sql.query<{ id: string | null }>(needed, ownerColumns(owner)))[0]?.id ?? null;
  // The earliest of three clocks: one that is wrong must not delete what is young.
  const cutoffMs = Math.min(run.deletionMs(), server?.now_ms ?? 0) - keptMs;
  const endMs = openId === null ? cutoffMs : Math.min(cutoffMs, idTimeMs(openId));
  const stepMs = spanHours(keptMs) * HOUR_MS;
  const beforeMs = Math.floor(endMs / stepMs) * stepMs;
  if (beforeMs <= 0) return undefined;
  const beforeId = lowestId(prefix, beforeMs);
  if (some !== undefined && (await sql.query(some, [...ownerColumns(owner), beforeId])).length === 0) return undefined;
  return {
    what,
    beforeId,
    before: new Date(beforeMs).toISOString(),
    setting: run.times.settingOf(what, keptMs),
    keepSeconds: keptMs / 1_000,
    scope: 'organisation',
  };
}

/** Records a step in the owner's log, and seals how far it goes; once, whichever worker comes first. */
async function record(sql: Sql, run: Run, owner: Owner, step: Step): Promise<void> {
  const known = (await readTimesOf(sql, owner)).get(step.what);
  if (known?.isForged || (known !== undefined && known.droppedBefore >= step.beforeId)) return;
  const nowMs = run.nowMs();
  await writeServiceRecord(sql, { ...owner, event: 'custos.retention', body: step }, nowMs);
  await writeOwnDrop(sql, owner, step.what, known, { beforeId: step.beforeId, nowMs });
  await sql.query(FORGET_VERSIONS, [...ownerColumns(owner), step.what]);
  run.logger.info({ ...owner, ...step }, 'data of an organisation is deleted');
}

async function forget(run: Run, owner: Owner, kind: OwnKind): Promise<void> {
  const { db, times } = run;
  const { what, isRecordedFirst } = kind;
  const of = ownerColumns(owner);
  const step = await db.transaction(async (sql) => {
    const found = await nextStep(sql, run, owner, kind);
    if (found !== undefined && isRecordedFirst) await record(sql, run, owner, found);
    if (found?.what === 'facts') await writeErasing(sql, owner, found.beforeId);
    return found;
  });
  if (step === undefined) return;
  let at = isRecordedFirst ? '' : (times.own(owner, what)?.droppedBefore ?? '');
  if (at >= step.beforeId) return;
  while (at < step.beforeId) {
    const [next] = await db.query<{ id: string }>(kind.next, [...of, at, step.beforeId]);
    const values = [...of, at, next?.id ?? step.beforeId];
    await db.transaction(async (sql) => {
      // Not while a partition is swapped or dropped.
      await sql.query(BOUND, []);
      await sql.query(kind.change, values);
    });
    at = next?.id ?? step.beforeId;
  }
  if (isRecordedFirst) return;
  await db.transaction(async (sql) => {
    await sql.query(BOUND, []);
    await record(sql, run, owner, step);
  });
}

export async function forgetOfOwners(deps: OwnDeps, owners: readonly Owner[]): Promise<void> {
  const times = await readKeptTimes(deps.db, deps);
  for (const owner of owners)
    for (const kind of KINDS)
      if (times.of(owner, kind.what) < (kind.isParted ? times.longest(kind.what) : Infinity))
        await forget({ ...deps, times }, owner, kind);
}
