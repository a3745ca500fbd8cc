// Checks of `custos doctor` on the database: version, durability, schema, clock, connections and rights.
import type { Database } from '../../shared/platform/db/database.ts';
import { ensureDurable, NotDurableError } from '../../shared/platform/db/durability.ts';
import { excessRights, ROLE_ADVICE } from '../../shared/platform/db/rights.ts';
import { migrationNames } from '../../shared/platform/db/migrations/index.ts';
import { type Diagnosis, ok, problem, warning } from './check.ts';

const OLDEST_POSTGRES = 14;
/** Decisions and signals carry the time of the process that made them, and must agree with those of other machines. */
const CLOCK_WARNING_MS = 1_000;
const CLOCK_PROBLEM_MS = 60_000;
const FULL_SHARE = 0.8;

const VERSION =
  "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number";
const TABLE = "SELECT to_regclass('migration') IS NOT NULL AS there";
const APPLIED = 'SELECT name FROM migration ORDER BY id';
const CLOCK = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms';
const CONNECTIONS = `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`;

export async function checkVersion(db: Database): Promise<Diagnosis[]> {
  const [row] = await db.query<{ version: string; number: number }>(VERSION, []);
  const seen = `PostgreSQL ${row?.version}`;
  if ((row?.number ?? 0) < OLDEST_POSTGRES * 10_000)
    return [problem('database version', `${seen} is too old`, `use PostgreSQL ${OLDEST_POSTGRES} or later`)];
  return [ok('database version', seen)];
}

export async function checkDurability(db: Database): Promise<Diagnosis[]> {
  try {
    await ensureDurable(db);
    return [ok('durability', 'what is committed is on disk')];
  } catch (error) {
    if (error instanceof NotDurableError) return [problem('durability', error.message, 'switch these settings on')];
    throw error;
  }
}

/** Whether the schema is that of this version. Further checks need it. */
export async function checkMigrations(db: Database): Promise<Diagnosis[]> {
  const advice = 'run "custos migrate" (custos start migrates, too)';
  const [table] = await db.query<{ there: boolean }>(TABLE, []);
  if (table?.there !== true) return [problem('migrations', 'the database holds no Custos schema', advice)];
  const applied = new Set((await db.query<{ name: string }>(APPLIED, [])).map(({ name }) => name));
  const known = migrationNames();
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length > 0) return [problem('migrations', `not applied yet: ${missing.join(', ')}`, advice)];
  const newer = [...applied].filter((name) => !known.includes(name));
  if (newer.length > 0)
    return [
      problem(
        'migrations',
        `applied by a newer version: ${newer.join(', ')}`,
        'start the version that applied them, or a newer one',
      ),
    ];
  return [ok('migrations', `all ${known.length} applied`)];
}

export async function checkClock(db: Database, nowMs: () => number): Promise<Diagnosis[]> {
  const before = nowMs();
  const [row] = await db.query<{ ms: number }>(CLOCK, []);
  const after = nowMs();
  const apartMs = Math.round(Math.abs((row?.ms ?? 0) - (before + after) / 2));
  const seen = `this clock and the database's are ${apartMs} ms apart`;
  const advice = 'let both machines follow the same time servers (NTP)';
  if (apartMs >= CLOCK_PROBLEM_MS) return [problem('clock', seen, advice)];
  // The error of this comparison is at most half of the round trip, which is subtracted.
  return [apartMs - (after - before) / 2 >= CLOCK_WARNING_MS ? warning('clock', seen, advice) : ok('clock', seen)];
}

export async function checkConnections(db: Database): Promise<Diagnosis[]> {
  const [row] = await db.query<{ used: number; most: number }>(CONNECTIONS, []);
  const { used = 0, most = 0 } = row ?? {};
  const seen = `${used} of ${most} connections in use`;
  return [
    used > most * FULL_SHARE
      ? warning('connections', seen, 'raise max_connections, or lower CUSTOS_DATABASE_POOL')
      : ok('connections', seen),
  ];
}

/** Whether the service's role has more rights than it needs. */
export async function checkRole(db: Database): Promise<Diagnosis[]> {
  const { role, excess } = await excessRights(db);
  if (excess.length === 0) return [ok('database role', `${role} can read and write rows, and nothing else`)];
  return [warning('database role', `the role ${role} ${excess.join('; it ')}`, ROLE_ADVICE)];
}
