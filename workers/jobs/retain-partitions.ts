// Old partitions: which ones the settings keep no longer, and how they go (docs/adr/0017).
import type { PartedKind, RetentionBody } from '../../shared/core/proof/retention-record.ts';
import { writeToAllLogs } from '../../shared/domain/ledger/service-record.ts';
import { type KeepSettings, readKeptTimes } from '../../shared/domain/retention/times.ts';
import { writeSealedDrop } from '../../shared/domain/retention/dropped.ts';
import { idTimeMs, lowestId } from '../../shared/kernel/ids.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../shared/platform/db/locks.ts';
import type { DeletionDeps } from './delete-batches.ts';

/** How long a drop waits for readers. Every statement on the table waits behind it meanwhile; the job runs again. */
const LOCK_TIMEOUT = '300ms';

export const BOUND = `SELECT set_config('lock_timeout', '${LOCK_TIMEOUT}', true), pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions}), extract(epoch FROM now())::float8 * 1000 AS now_ms`;

export type PartitionedTable = 'decision' | 'intent_parse';

/** What is kept in partitions, and the ids in them that something open still needs. */
export interface Kept {
  readonly table: PartitionedTable;
  readonly prefix: 'dec' | 'int';
  readonly what: PartedKind;
  /** SQL: the lowest id that must stay; null: none. */
  readonly needed: string;
  /** SQL condition over table_partition: only these. */
  readonly only?: string;
  /** SQL: one of the steps that check whether partition $1 may go; `done` after the last. Raises an error when it may not. */
  readonly check?: string;
  /** SQL: makes partition $1 go, or what is kept in it. */
  readonly end: string;
}

export interface PartitionDeps extends KeepSettings, DeletionDeps {
  readonly nowMs: () => number;
}

export interface Part {
  readonly name: string;
  /** The bound: no id of the partition is this one or above it. */
  readonly past_id: string;
}

/** The oldest partition that nothing needs any more. @param cutoffMs data before this time is kept no longer */
async function oldest(sql: Sql, kept: Kept, cutoffMs: number): Promise<Part | undefined> {
  if (cutoffMs === -Infinity) return undefined;
  const [part] = await sql.query<Part>(
    `SELECT name, past_id FROM table_partition WHERE parent = $1 AND past_id <= $2 AND ${kept.only ?? 'true'} ORDER BY past_id`,
    [kept.table, lowestId(kept.prefix, cutoffMs)],
  );
  if (part === undefined) return undefined;
  return (await isNeeded(sql, kept, part)) ? undefined : part;
}

async function isNeeded(sql: Sql, kept: Kept, part: Part): Promise<boolean> {
  const [needed] = await sql.query<{ id: string | null }>(kept.needed, []);
  return needed !== undefined && needed.id !== null && needed.id < part.past_id;
}

/** The oldest partition to end, for work that prepares it. */
export const oldestToEnd = async (deps: PartitionDeps, kept: Kept): Promise<Part | undefined> =>
  oldest(deps.db, kept, deps.deletionMs() - (await readKeptTimes(deps.db, deps)).longest(kept.what));

/**
 * Ends the oldest partition, and records it in every log, in one transaction: after a crash both happened or neither.
 * @param only the one that was prepared; absent: whichever is the oldest
 * @returns undefined when none is old enough
 */
export function endOldest(deps: PartitionDeps, kept: Kept, only?: Part): Promise<Part | undefined> {
  const { db, nowMs, deletionMs } = deps;
  return db.transaction(async (sql) => {
    // Another worker may have ended it, so the partitions are read after the lock.
    const [server] = await sql.query<{ now_ms: number }>(BOUND, []);
    // The rows of all are in it, so it waits for the longest time.
    const times = await readKeptTimes(sql, deps);
    const keepMs = times.longest(kept.what);
    // The earliest of three clocks: one that is wrong must not drop what is young.
    const part = await oldest(sql, kept, Math.min(deletionMs(), server?.now_ms ?? 0) - keepMs);
    if (part === undefined || (only !== undefined && only.name !== part.name)) return undefined;
    // Before the transaction writes anything: a transaction with an id holds up vacuum.
    if (kept.check !== undefined)
      while ((await sql.query<{ done: boolean }>(kept.check, [part.name]))[0]?.done === false);
    const body: RetentionBody & { readonly what: PartedKind } = {
      what: kept.what,
      beforeId: part.past_id,
      before: new Date(idTimeMs(part.past_id)).toISOString(),
      setting: times.settingOf(kept.what, keepMs),
      keepSeconds: keepMs / 1_000,
    };
    // The records first: the drop locks the table until the commit.
    await writeToAllLogs(sql, 'custos.retention', body, nowMs());
    await writeSealedDrop(sql, body);
    await sql.query(kept.end, [part.name]);
    // A process whose clock is days behind may have written to it before it was locked.
    if (await isNeeded(sql, kept, part)) throw new Error(`the partition ${part.name} is written to`);
    return part;
  });
}
