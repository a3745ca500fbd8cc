// The job `retain`: makes partitions ahead of time, and drops the old ones that the settings keep no longer (docs/adr/0017).
import type { Logger } from '../../shared/platform/observe/logger.ts';
import type { Database, Sql } from '../../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../../shared/platform/db/locks.ts';
import type { RetentionBody } from '../../shared/domain/retention/dropped.ts';
import { writeToAllLogs } from '../../shared/domain/ledger/service-record.ts';
import { idTimeMs, lowestId } from '../../shared/kernel/ids.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Data is dropped up to one partition later than it may be: an eighth of the time that it is kept. */
const PARTS_KEPT = 8;
/** Without a setting, too: one that is made later finds partitions of this size, and none has to be split. */
const LONGEST_MS = 30 * DAY_MS;
/** Partitions are made this long ahead, so that neither midnight nor two days without a worker write to the default one. */
const AHEAD_MS = 2 * DAY_MS;
/** How long a drop waits for readers. Every statement on the table waits behind it meanwhile; the job runs again. */
const LOCK_TIMEOUT = '300ms';

const ADD = `SELECT custos_add_partitions($1, $2::float8 * interval '1 hour', to_timestamp($3::float8 / 1000)) AS made`;
const OLD = `SELECT name, past_id FROM table_partition WHERE parent = $1 AND past_id <= $2 ORDER BY past_id`;
const DROP = 'SELECT custos_drop_partition($1)';
const BOUND = `SELECT set_config('lock_timeout', '${LOCK_TIMEOUT}', true), pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions}), extract(epoch FROM now())::float8 * 1000 AS now_ms`;

export type PartitionedTable = 'decision' | 'intent_parse';

/** A partitioned table, and the ids in it that something open still needs. */
interface Kept {
  readonly table: PartitionedTable;
  readonly prefix: 'dec' | 'int';
  readonly what: RetentionBody['what'];
  readonly setting: string;
  /** The lowest id that must stay; null: none. */
  readonly needed: string;
}

const OPEN = `state IN ('pending', 'approved')`;
const TABLES: readonly Kept[] = [
  {
    table: 'decision',
    prefix: 'dec',
    what: 'decisions',
    setting: 'CUSTOS_KEEP_DECISIONS',
    needed: `SELECT least((SELECT min(decision_id) FROM approval WHERE ${OPEN}),
        (SELECT min(split_part(source_id, ' ', 1)) FROM log_inbox WHERE source = 'decision')) AS id`,
  },
  {
    table: 'intent_parse',
    prefix: 'int',
    what: 'texts',
    setting: 'CUSTOS_KEEP_TEXTS',
    needed: `SELECT min(intent_id) AS id FROM approval WHERE ${OPEN}`,
  },
];

export interface RetainDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** CUSTOS_KEEP_DECISIONS and CUSTOS_KEEP_TEXTS, in milliseconds; undefined: for ever. */
  readonly keepMs: Readonly<Record<RetentionBody['what'], number | undefined>>;
  /** Called after the partition is gone. */
  readonly onDropped: (table: PartitionedTable) => void;
}

/** The length of a partition, in whole hours. */
export function spanHours(keepMs: number | undefined): number {
  const spanMs = keepMs === undefined ? LONGEST_MS : Math.min(LONGEST_MS, keepMs / PARTS_KEPT);
  return Math.max(1, Math.floor(spanMs / HOUR_MS));
}

interface Part {
  readonly name: string;
  /** The bound: no id of the partition is this one or above it. */
  readonly past_id: string;
}

/** The oldest partition that nothing needs any more. */
async function oldest(sql: Sql, kept: Kept, cutoffMs: number): Promise<Part | undefined> {
  const [part] = await sql.query<Part>(OLD, [kept.table, lowestId(kept.prefix, cutoffMs)]);
  if (part === undefined) return undefined;
  return (await isNeeded(sql, kept, part)) ? undefined : part;
}

async function isNeeded(sql: Sql, kept: Kept, part: Part): Promise<boolean> {
  const [needed] = await sql.query<{ id: string | null }>(kept.needed, []);
  return needed !== undefined && needed.id !== null && needed.id < part.past_id;
}

/**
 * Drops the oldest partition, and records it in every log, in one transaction: after a crash both happened or neither.
 * @returns undefined when none is old enough
 */
function dropOldest({ db, nowMs, keepMs }: RetainDeps, kept: Kept): Promise<Part | undefined> {
  const lifetimeMs = keepMs[kept.what];
  if (lifetimeMs === undefined) return Promise.resolve(undefined);
  return db.transaction(async (sql) => {
    // Another worker may have dropped it, so the partitions are read after the lock.
    const [server] = await sql.query<{ now_ms: number }>(BOUND, []);
    // The earlier of two clocks: one that is wrong must not drop what is young.
    const part = await oldest(sql, kept, Math.min(nowMs(), server?.now_ms ?? 0) - lifetimeMs);
    if (part === undefined) return undefined;
    const body: RetentionBody = {
      what: kept.what,
      beforeId: part.past_id,
      before: new Date(idTimeMs(part.past_id)).toISOString(),
      setting: kept.setting,
      keepSeconds: lifetimeMs / 1_000,
    };
    // The records first: the drop locks the table until the commit.
    await writeToAllLogs(sql, 'custos.retention', body, nowMs());
    await sql.query(DROP, [part.name]);
    // A process whose clock is days behind may have written to it before it was locked.
    if (await isNeeded(sql, kept, part)) throw new Error(`the partition ${part.name} is written to`);
    return part;
  });
}

export async function runRetain(deps: RetainDeps): Promise<void> {
  const { db, nowMs, logger, keepMs, onDropped } = deps;
  for (const kept of TABLES) {
    const hours = spanHours(keepMs[kept.what]);
    const until = nowMs() + Math.max(AHEAD_MS, hours * HOUR_MS);
    await db.transaction(async (sql) => {
      await sql.query(BOUND, []);
      await sql.query(ADD, [kept.table, hours, until]);
    });
    for (let part = await dropOldest(deps, kept); part !== undefined; part = await dropOldest(deps, kept)) {
      logger.info({ partition: part.name, before: part.past_id, setting: kept.setting }, 'dropped a partition');
      onDropped(kept.table);
    }
  }
}

export const retain = upkeepJob({
  name: 'retain',
  everyMs: 10 * MINUTE_MS,
  run: runRetain,
});
