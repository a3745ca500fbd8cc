// The job `retain`: makes partitions ahead of time, and drops what the settings keep no longer (docs/adr/0017).
import type { Logger } from '../../shared/platform/observe/logger.ts';
import type { RetentionBody } from '../../shared/core/proof/retention-record.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';
import {
  BOUND,
  endOldest,
  type Kept,
  oldestToEnd,
  type PartitionDeps,
  type PartitionedTable,
} from './retain-partitions.ts';
import { forgetRows, type KeepRowsMs } from './retain-rows.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Data is dropped up to one partition later than it may be: an eighth of the time that it is kept. */
const PARTS_KEPT = 8;
/** Without a setting, too: one that is made later finds partitions of this size, and none has to be split. */
const LONGEST_MS = 30 * DAY_MS;
/** Partitions are made this long ahead, so that neither midnight nor two days without a worker write to the default one. */
const AHEAD_MS = 2 * DAY_MS;
/** Pages of 8 kB that are copied in one transaction: well under a second, so that vacuum is not held up. */
const PAGES = 2_048;

const ADD = `SELECT custos_add_partitions($1, $2::float8 * interval '1 hour', to_timestamp($3::float8 / 1000)) AS made`;
const COPY = `SELECT custos_copy_blank($1, ${PAGES}) AS done`;
const NOW = 'SELECT extract(epoch FROM now())::float8 * 1000 AS now_ms';

const OPEN = `state IN ('pending', 'approved')`;
const NEEDED_DECISION = `SELECT least((SELECT min(decision_id) FROM approval WHERE ${OPEN}),
    (SELECT min(split_part(source_id, ' ', 1)) FROM log_inbox WHERE source = 'decision')) AS id`;
const DROP = 'SELECT custos_drop_partition($1)';
const DROPPED: readonly Kept[] = [
  {
    table: 'decision',
    prefix: 'dec',
    what: 'decisions',
    setting: 'CUSTOS_KEEP_DECISIONS',
    needed: NEEDED_DECISION,
    end: DROP,
  },
  {
    table: 'intent_parse',
    prefix: 'int',
    what: 'texts',
    setting: 'CUSTOS_KEEP_TEXTS',
    needed: `SELECT min(intent_id) AS id FROM approval WHERE ${OPEN}`,
    end: DROP,
  },
];
/** Facts without their decisions. */
const FACTS: Kept = {
  table: 'decision',
  prefix: 'dec',
  what: 'facts',
  setting: 'CUSTOS_KEEP_FACTS',
  needed: NEEDED_DECISION,
  only: "name NOT LIKE '%\\_bare'",
  end: 'SELECT custos_swap_blank($1)',
};

export interface RetainDeps extends PartitionDeps {
  readonly logger: Logger;
  /** CUSTOS_KEEP_..., in milliseconds; undefined: for ever. */
  readonly keepMs: Readonly<Record<RetentionBody['what'], number | undefined>> & KeepRowsMs;
  /** Called after the partition is gone. */
  readonly onDropped: (table: PartitionedTable) => void;
}

/** The length of a partition, in whole hours. @param keepMs the times for which its parts are kept */
export function spanHours(...keepMs: readonly (number | undefined)[]): number {
  const spans = keepMs.map((ms) => (ms === undefined ? LONGEST_MS : ms / PARTS_KEPT));
  return Math.max(1, Math.floor(Math.min(LONGEST_MS, ...spans) / HOUR_MS));
}

async function dropFacts(deps: RetainDeps, keepMs: number): Promise<void> {
  const { db, logger } = deps;
  for (;;) {
    const part = await oldestToEnd(deps, FACTS, keepMs);
    if (part === undefined) return;
    const copy = (): Promise<boolean> =>
      db.transaction(async (sql) => {
        await sql.query(BOUND, []);
        return (await sql.query<{ done: boolean }>(COPY, [part.name]))[0]?.done ?? true;
      });
    while (!(await copy()));
    // Another worker was quicker, or an approval was opened.
    if ((await endOldest(deps, FACTS, keepMs, part)) === undefined) return;
    logger.info({ partition: part.name, before: part.past_id, setting: FACTS.setting }, 'dropped facts');
  }
}

export async function runRetain(deps: RetainDeps): Promise<void> {
  const { db, nowMs, logger, keepMs, onDropped } = deps;
  for (const kept of DROPPED) {
    const keptMs = keepMs[kept.what];
    const hours = spanHours(keptMs, kept.table === 'decision' ? keepMs.facts : undefined);
    const until = nowMs() + Math.max(AHEAD_MS, hours * HOUR_MS);
    await db.transaction(async (sql) => {
      await sql.query(BOUND, []);
      await sql.query(ADD, [kept.table, hours, until]);
    });
    if (keptMs === undefined) continue;
    for (
      let part = await endOldest(deps, kept, keptMs);
      part !== undefined;
      part = await endOldest(deps, kept, keptMs)
    ) {
      logger.info({ partition: part.name, before: part.past_id, setting: kept.setting }, 'dropped a partition');
      onDropped(kept.table);
    }
  }
  if (keepMs.facts !== undefined) await dropFacts(deps, keepMs.facts);
  const [server] = await db.query<{ now_ms: number }>(NOW, []);
  await forgetRows(db, keepMs, Math.min(nowMs(), server?.now_ms ?? 0));
}

export const retain = upkeepJob({
  name: 'retain',
  everyMs: 10 * MINUTE_MS,
  run: runRetain,
});
