// The job `retain`: makes partitions ahead of time, and drops what the settings keep no longer (docs/adr/0017).
import { readKeptTimes, readOwners } from '../../shared/domain/retention/times.ts';
import { MINUTE_MS, upkeepJob } from './definition.ts';
import { BOUND, endOldest, type Kept, oldestToEnd, type PartitionedTable } from './retain-partitions.ts';
import { forgetDefault } from './retain-default.ts';
import { forgetOfOwners, type OwnDeps } from './retain-owners.ts';
import { forgetRows } from './retain-rows.ts';
import { DAY_MS, HOUR_MS, spanHours } from './retain-spans.ts';

/** Partitions are made this long ahead, so that neither midnight nor two days without a worker write to the default one. */
const AHEAD_MS = 2 * DAY_MS;
/** Rows that are copied in one transaction: well under a second, so that vacuum is not held up. */
const COPIED_AT_ONCE = 5_000;
/** Keys that are compared in one statement. */
const COMPARED_AT_ONCE = 100_000;

const ADD = `SELECT custos_add_partitions($1, $2::float8 * interval '1 hour', to_timestamp($3::float8 / 1000)) AS made`;
const COPY = `SELECT custos_copy_blank($1, ${COPIED_AT_ONCE}) AS done`;
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
    needed: NEEDED_DECISION,
    end: DROP,
  },
  {
    table: 'intent_parse',
    prefix: 'int',
    what: 'texts',
    needed: `SELECT min(intent_id) AS id FROM approval WHERE ${OPEN}`,
    end: DROP,
  },
];
/** Facts without their decisions. */
const FACTS: Kept = {
  table: 'decision',
  prefix: 'dec',
  what: 'facts',
  needed: NEEDED_DECISION,
  only: "name NOT LIKE '%\\_bare'",
  check: `SELECT custos_compare_blank($1, ${COMPARED_AT_ONCE}) AS done`,
  end: 'SELECT custos_swap_blank($1)',
};

export interface RetainDeps extends OwnDeps {
  /** Called after the partition is gone. */
  readonly onDropped: (table: PartitionedTable) => void;
}

async function dropFacts(deps: RetainDeps): Promise<void> {
  const { db, logger } = deps;
  for (;;) {
    const part = await oldestToEnd(deps, FACTS);
    if (part === undefined) return;
    const copy = (): Promise<boolean> =>
      db.transaction(async (sql) => {
        await sql.query(BOUND, []);
        return (await sql.query<{ done: boolean }>(COPY, [part.name]))[0]?.done ?? true;
      });
    while (!(await copy()));
    // Another worker was quicker, or an approval was opened.
    if ((await endOldest(deps, FACTS, part)) === undefined) return;
    logger.info({ partition: part.name, before: part.past_id }, 'dropped facts');
  }
}

export async function runRetain(deps: RetainDeps): Promise<void> {
  const { db, nowMs, deletionMs, logger, onDropped } = deps;
  const times = await readKeptTimes(db, deps);
  for (const kept of DROPPED) {
    const hours = spanHours(times.longest(kept.what), kept.table === 'decision' ? times.longest('facts') : Infinity);
    const until = nowMs() + Math.max(AHEAD_MS, hours * HOUR_MS);
    await db.transaction(async (sql) => {
      await sql.query(BOUND, []);
      await sql.query(ADD, [kept.table, hours, until]);
    });
    for (let part = await endOldest(deps, kept); part !== undefined; part = await endOldest(deps, kept)) {
      logger.info({ partition: part.name, before: part.past_id }, 'dropped a partition');
      onDropped(kept.table);
    }
  }
  await dropFacts(deps);
  for (const kept of [...DROPPED, FACTS]) await forgetDefault(deps, kept);
  const owners = await readOwners(db);
  await forgetOfOwners(deps, owners);
  const [server] = await db.query<{ now_ms: number }>(NOW, []);
  const oldMs = Math.min(deletionMs(), server?.now_ms ?? 0);
  if (oldMs > 0) await forgetRows(db, owners, await readKeptTimes(db, deps), oldMs);
}

export const retain = upkeepJob({
  name: 'retain',
  everyMs: 10 * MINUTE_MS,
  run: runRetain,
});
