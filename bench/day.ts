// Simulates days of load with retention on: size, latency and memory over time, and receipts of what was dropped.
// Usage: node dist/bench/day.js [--days 3] [--minutes 60] [--rate 200] [--connections 16]
//
// An hour of simulated time passes in a burst of load. The clock of an installation is its database's: statements of the service find
// functions now(), statement_timestamp() and clock_timestamp() of this file before PostgreSQL's own, which add an offset. The simulation ends
// in the present, so what is dropped is old for PostgreSQL's own clock, too. The service deletes nothing while its clock jumps, so the job
// `retain` runs here. Decisions are kept for a day, in partitions of three hours.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import pino from 'pino';
import { trustPublishedKeys } from '../shared/core/proof/keys.ts';
import { parseReceipt, verifyReceipt } from '../shared/core/proof/receipt.ts';
import { alignedLines, quantile } from './numbers.ts';
import { enforceBodies } from './policies.ts';
import { type Generator, type Service, startGenerator, startService } from './processes.ts';
import { memoryOf, partsBelow } from './usage.ts';
import { databaseNowMs } from '../shared/platform/db/clock.ts';
import { type Database, openDatabase } from '../shared/platform/db/database.ts';
import { RETENTION_KINDS, type RetentionKind } from '../shared/domain/retention/times.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { runRetain } from '../workers/jobs/retain.ts';
import { signalBodies } from './work-bodies.ts';

const POLICIES = 100;
const BODIES = 4_096;
const PART_HOURS = 3;
const HOURS_A_DAY = 24;
const DAY_MS = HOURS_A_DAY * 3_600_000;
const PEPPER = 'the pepper of days that are simulated';
/** A drop that has waited 300 ms for readers is tried again. */
const RETAIN_ATTEMPTS = 10;
/** Processes sample the database's clock every second. */
const FOLLOW_MS = 1_500;
const WARM_UP_MS = 300;
const KEPT_RECEIPTS = 20;
const SIGNALS_EVERY_HOURS = 4;

const SHIFT = (hours: number): string[] => [
  'CREATE SCHEMA shifted',
  'CREATE TABLE shifted.clock (shift interval NOT NULL)',
  `INSERT INTO shifted.clock VALUES (interval '-${hours} hours')`,
  `CREATE FUNCTION shifted.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.now() + shift FROM shifted.clock'`,
  `CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp() + shift FROM shifted.clock'`,
  `CREATE FUNCTION shifted.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT pg_catalog.statement_timestamp() + shift FROM shifted.clock'`,
  'GRANT USAGE ON SCHEMA shifted TO PUBLIC',
  'GRANT SELECT ON shifted.clock TO PUBLIC',
];
/** Columns that PostgreSQL fills in, in tables of the service. */
const DEFAULTS = `SELECT format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT shifted.now()', d.adrelid::regclass, a.attname) AS statement
  FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum JOIN pg_class c ON c.oid = d.adrelid
  WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'decision'::regclass) AND pg_get_expr(d.adbin, d.adrelid) = 'now()' AND NOT c.relispartition`;
/** Instead of the first partition, which lasts until two days from now, partitions of three hours from the beginning on. */
const PARTITIONS = (hours: number): string => `DO $$
DECLARE parent text; id text; hour integer; part text;
BEGIN
  FOR parent, id IN VALUES ('decision', 'dec'), ('intent_parse', 'int') LOOP
    EXECUTE format('DROP TABLE %I', parent || '_first');
    FOR hour IN 0..${hours + 2 * PART_HOURS} BY ${PART_HOURS} LOOP
      part := parent || '_hour_' || hour;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L) WITH (toast_tuple_target = 8160)', part, parent,
        custos_id_at(id, date_trunc('hour', now()) + (hour - ${hours + PART_HOURS}) * interval '1 hour'),
        custos_id_at(id, date_trunc('hour', now()) + (hour - ${hours}) * interval '1 hour'));
      EXECUTE format('ALTER TABLE %I OWNER TO %I', part, (SELECT tableowner FROM pg_tables WHERE tablename = parent));
    END LOOP;
  END LOOP;
END $$`;
const SIZES = `SELECT (pg_database_size(current_database()) / 1048576)::float8 AS database,
    (SELECT coalesce(sum(pg_total_relation_size(relid)), 0) / 1048576 FROM pg_partition_tree('decision'))::float8 AS decisions,
    (SELECT sum(pg_total_relation_size(c.oid)) / 1048576 FROM pg_class c WHERE c.relkind = 'r' AND (c.relnamespace = 'bullmq'::regnamespace
      OR c.oid IN ('outbox'::regclass, 'log_inbox'::regclass, 'trust_inbox'::regclass, 'idempotency'::regclass, 'process_heartbeat'::regclass,
        'change'::regclass, 'agent_history'::regclass, 'decision_count'::regclass, 'request_count'::regclass, 'trust_state'::regclass, 'trust_bucket'::regclass)))::float8 AS queues,
    (SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = 'bullmq' OR relname IN ('outbox', 'log_inbox', 'trust_inbox', 'agent_history', 'trust_state', 'trust_bucket'))::float8 AS dead,
    (SELECT count(*) FROM table_partition WHERE parent = 'decision')::float8 AS partitions`;
const TIDY = `SELECT NOT EXISTS (SELECT FROM outbox) AND NOT EXISTS (SELECT FROM log_inbox) AND NOT EXISTS (SELECT FROM trust_inbox) AS yes`;
const OLDEST =
  "SELECT (SELECT min(past_id) FROM table_partition WHERE parent = 'decision') > custos_id_at('dec', shifted.now() - $1::float8 * interval '1 hour') AS yes";

const LARGEST = `SELECT s.schemaname || '.' || s.relname AS name, (pg_total_relation_size(s.relid) / 1048576.0)::float8 AS mb, n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, (autovacuum_count)::float8 AS vacuums
  FROM pg_stat_user_tables s WHERE s.relname NOT LIKE 'decision\\_%' ORDER BY 2 DESC LIMIT 14`;

interface Hour {
  readonly decisions: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly database: number;
  readonly tree: number;
  readonly queues: number;
  readonly dead: number;
  readonly partitions: number;
  readonly ingressMb: number;
  readonly workersMb: number;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function until(client: pg.Client, query: string, values: unknown[] = []): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const { rows } = await client.query<{ yes: boolean | null }>(query, values);
    if (rows[0]?.yes === true) return;
    if (performance.now() > deadline) throw new Error(`not so after two minutes: ${query}`);
    await delay(100);
  }
}

/** Sets the clock of the installation back, and makes its processes connect again, which finds the new functions. */
async function startInThePast(service: Service, client: pg.Client, hours: number): Promise<void> {
  for (const statement of SHIFT(hours)) await client.query(statement);
  const { rows } = await client.query<{ statement: string }>(DEFAULTS);
  for (const { statement } of rows) await client.query(statement);
  await client.query(PARTITIONS(hours));
  const role = decodeURIComponent(new URL(service.databaseUrl).username);
  await client.query(`ALTER ROLE ${pg.escapeIdentifier(role)} SET search_path = public, shifted, pg_catalog`);
  await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);
  await until(
    client,
    "SELECT count(*) >= 2 AS yes FROM process_heartbeat WHERE seen_at BETWEEN shifted.now() - interval '2 seconds' AND shifted.now()",
  );
}

async function retain(db: Database): Promise<void> {
  const nowMs = await databaseNowMs(db);
  const forEver = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, undefined])) as Record<
    RetentionKind,
    undefined
  >;
  const deps = {
    db,
    nowMs: () => nowMs,
    deletionMs: () => nowMs,
    logger: pino({ level: 'silent' }),
    keepMs: { ...forEver, decisions: DAY_MS, texts: DAY_MS },
    leastKeepMs: DAY_MS,
    onDropped: () => undefined,
  };
  for (let attempt = 1; ; attempt += 1)
    try {
      return await runRetain(deps);
    } catch (error) {
      if (attempt === RETAIN_ATTEMPTS) throw error;
      await delay(WARM_UP_MS);
    }
}

interface Simulated {
  readonly service: Service;
  readonly generator: Generator;
  readonly client: pg.Client;
  /** With the role of the service, whose clock is the simulated one. */
  readonly db: Database;
}

async function hour({ service, generator, client, db }: Simulated, n: number, load: Load): Promise<Hour> {
  await client.query("UPDATE shifted.clock SET shift = shift + interval '1 hour'");
  await delay(FOLLOW_MS);
  const job = { port: service.port, key: service.key, connections: load.connections };
  if (n % SIGNALS_EVERY_HOURS === 0)
    await generator.run({
      ...job,
      path: '/v1/trust/signals',
      bodies: load.signals,
      status: 202,
      warmUpMs: 0,
      durationMs: 500,
      rate: 10,
    });
  const durationMs = Math.max(1_000, load.hourMs - FOLLOW_MS - WARM_UP_MS);
  const { rate, bodies } = load;
  const done = await generator.run({ ...job, path: '/v1/enforce', bodies, warmUpMs: WARM_UP_MS, durationMs, rate });
  if (done.firstError !== undefined) say(`an answer was an error: ${done.firstError}`);
  await retain(db);
  await until(client, TIDY);
  const { rows } =
    await client.query<Record<'database' | 'decisions' | 'queues' | 'dead' | 'partitions', number>>(SIZES);
  const { decisions: tree = 0, database = 0, queues = 0, dead = 0, partitions = 0 } = rows[0] ?? {};
  const pids = partsBelow(service.pid);
  const mb = (all: readonly number[]): number => all.reduce((sum, pid) => sum + (memoryOf(pid)?.nowMb ?? 0), 0);
  const [ingressMb, workersMb] = [mb(pids.ingress), mb(pids.workers)];
  const { accepted: decisions, errors, p50, p99 } = done;
  return { decisions, errors, p50, p99, database, tree, queues, dead, partitions, ingressMb, workersMb };
}

interface Load {
  readonly hourMs: number;
  readonly rate: number;
  readonly connections: number;
  readonly bodies: readonly string[];
  readonly signals: readonly string[];
}

const get = (service: Service, path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { authorization: `Bearer ${service.adminKey}` } });

async function receiptsOf(service: Service, client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT decision_id AS id FROM decision ORDER BY random() LIMIT $1',
    [KEPT_RECEIPTS],
  );
  const receipts = new Map<string, string>();
  for (const { id } of rows) receipts.set(id, await (await get(service, `/v1/proofs/prf${id.slice(3)}`)).text());
  return receipts;
}

/** Receipts of the first hour, whose decisions are dropped, with the keys that are published now. */
async function checkReceipts(service: Service, receipts: ReadonlyMap<string, string>): Promise<string> {
  const keys = trustPublishedKeys(await (await get(service, '/v1/log/keys')).json());
  let valid = 0;
  let gone = 0;
  for (const [id, text] of receipts) {
    if (verifyReceipt(parseReceipt(text), keys).ok) valid += 1;
    if ((await get(service, `/v1/decisions/${id}`)).status === 410) gone += 1;
  }
  if (valid < receipts.size || gone < receipts.size)
    throw new Error(`${valid} of ${receipts.size} receipts verify, and ${gone} of their decisions are dropped`);
  return `${valid} of ${receipts.size} receipts of the first hour verify, and all of their decisions are dropped.`;
}

/** The last day, in which as much is dropped as is written, in halves. */
function verdictOf(hours: readonly Hour[]): string[] {
  const last = hours.slice(-HOURS_A_DAY);
  const halves = [last.slice(0, last.length / 2), last.slice(last.length / 2)];
  const median = (half: readonly Hour[] | undefined, of: keyof Hour): number =>
    quantile(
      (half ?? []).map((one) => one[of]).sort((a, b) => a - b),
      0.5,
    );
  const row = (name: string, of: keyof Hour): string[] => {
    const [first, second] = halves.map((half) => median(half, of));
    return [name, (first ?? 0).toFixed(1), (second ?? 0).toFixed(1), ((second ?? 0) / (first ?? 1)).toFixed(2)];
  };
  return alignedLines([
    ['median of the last day', 'first half', 'second half', 'ratio'],
    row('decision, MB', 'tree'),
    row('queues and counters, MB', 'queues'),
    row('dead rows in them', 'dead'),
    row('whole database, MB', 'database'),
    row('p99, ms', 'p99'),
    row('ingress, MB', 'ingressMb'),
    row('workers, MB', 'workersMb'),
  ]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '3' },
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '200' },
      connections: { type: 'string', default: '16' },
    },
  });
  const hours = Number(values.days) * HOURS_A_DAY;
  const load: Load = {
    hourMs: (Number(values.minutes) * 60_000) / hours,
    rate: Number(values.rate),
    connections: Number(values.connections),
    bodies: enforceBodies(POLICIES, BODIES),
    signals: signalBodies(BODIES / 8),
  };
  const service = await startService(POLICIES, {
    env: { CUSTOS_PEPPER: PEPPER, CUSTOS_KEEP_DECISIONS: '1d', CUSTOS_KEEP_TEXTS: '1d' },
  });
  const generator = startGenerator();
  const client = new pg.Client({ connectionString: service.superuserUrl });
  let db: Database | undefined;
  try {
    await client.connect();
    await startInThePast(service, client, hours);
    db = await openDatabase({
      url: service.databaseUrl,
      applicationName: 'bench-retain',
      poolSize: 2,
      queryTimeoutMs: 30_000,
      seals: createSeals({ pepper: PEPPER }),
      onError: (error) => say(`a connection broke: ${error.message}`),
    });
    const seen: Hour[] = [];
    let receipts = new Map<string, string>();
    const table = [
      [
        'hour',
        'decisions',
        'errors',
        'p50 ms',
        'p99 ms',
        'MB of decision',
        'partitions',
        'MB of queues',
        'dead rows',
        'MB in all',
        'MB ingress',
        'MB workers',
      ],
    ];
    for (let n = 1; n <= hours; n += 1) {
      const one = await hour({ service, generator, client, db }, n, load);
      seen.push(one);
      if (n === 1) receipts = await receiptsOf(service, client);
      if (n % PART_HOURS !== 0) continue;
      const { decisions, errors, p50, p99, tree, partitions, queues, dead, database, ingressMb, workersMb } = one;
      const numbers = [
        decisions,
        errors,
        p50.toFixed(1),
        p99.toFixed(1),
        tree.toFixed(1),
        partitions,
        queues.toFixed(2),
        dead,
        database.toFixed(0),
        ingressMb,
        workersMb,
      ];
      table.push([String(n), ...numbers.map(String)]);
      say(table.at(-1)?.join('  ') ?? '');
    }
    await until(client, OLDEST, [HOURS_A_DAY + 2 * PART_HOURS]);
    say('');
    for (const line of alignedLines(table)) say(line);
    say('');
    for (const line of verdictOf(seen)) say(line);
    const largest = await client.query<{ name: string; mb: number; live: number; dead: number; vacuums: number }>(
      LARGEST,
    );
    const cells = largest.rows.map(({ name, mb, live, dead, vacuums }) => [
      name,
      mb.toFixed(2),
      ...[live, dead, vacuums].map(String),
    ]);
    for (const line of ['', ...alignedLines([['table', 'MB', 'rows', 'dead rows', 'vacuums'], ...cells]), ''])
      say(line);
    say(await checkReceipts(service, receipts));
    const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM audit WHERE NOT ok');
    if (rows[0]?.n !== 0) throw new Error('the audit has findings');
    say('The audit has no findings.');
  } finally {
    await db?.close();
    await client.end();
    await generator.stop();
    await service.stop();
  }
}

if (import.meta.filename === process.argv[1]) await main();
