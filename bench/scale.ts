// Fills tables with millions of decisions and leaves, and prints the plan and the time of every list and lookup over them.
// Usage: npm run build && node dist/bench/scale.js [--rows 10000000] [--leaves ROWS] [--dir FOLDER]; ten million need 15 GB of disk and ten minutes.
import os from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createDecisionStore, type DecisionFilter } from '../shared/domain/decisions/decision-store.ts';
import { createReceiptStore } from '../shared/domain/ledger/receipts.ts';
import { createEvidenceStore } from '../shared/domain/verification/store.ts';
import { lowestId } from '../shared/kernel/ids.ts';
import type { Database } from '../shared/platform/db/database.ts';
import { BENCH_ORGANISATION, withBenchDatabase } from './bench-database.ts';
import { alignedLines, quantile } from './numbers.ts';

const DAYS = 30;
const PARTS = 10;
const AGENTS = 500;
const BATCH = 100_000;
const ROUNDS = 20;
const DAY_MS = 86_400_000;
const OWNER = { organisationId: BENCH_ORGANISATION, environment: 'live' } as const;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The id of row `n` at `ms`, faster than custos_id_at. */
const ID = `'dec_' || ${Array.from({ length: 10 }, (_, i) => `substr('0123456789abcdefghjkmnpqrstvwxyz', (ms >> ${5 * (9 - i)} & 31)::integer + 1, 1)`).join(' || ')} || lpad(n::text, 16, '0')`;
/** Row `n` of $1 to $2: its time is $3 (ms) and $4 (ms) for each row. A record is 400 bytes, a tenth is not ALLOW. */
const DECISIONS = `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record, request_id, tool_server, tool_name, reasons)
  SELECT id, 'org_bench', 'live', 'agent-' || (n * 7919) % ${AGENTS}, 'benchkey', CASE WHEN n % 10 > 0 THEN 'ALLOW' WHEN n % 1000 = 0 THEN 'ESCALATE' ELSE 'DENY' END,
    to_timestamp(ms / 1000.0), 'prf' || substr(id, 4), 'bench', convert_to(repeat('a record of the benchmark ', 16), 'UTF8'), 'req' || substr(id, 4),
    CASE WHEN n % 5 = 1 THEN 'server-' || n % 4 END, CASE WHEN n % 5 = 1 THEN 'tool-' || n % 12 END, CASE WHEN n % 10 = 0 THEN 'RISK_' || n / 10 % 5 END
  FROM (SELECT n, ms, ${ID} AS id FROM (SELECT n, floor($3::float8 + n * $4::float8)::bigint AS ms FROM generate_series($1::bigint, $2::bigint) AS n OFFSET 0) AS timed) AS made`;
const LEAVES = `INSERT INTO leaf (log_id, leaf_index, proof_id, entity_id, chain_index, event, occurred_at, previous_hash, event_hash, leaf_hash, appended_at)
  SELECT (SELECT log_id FROM log), n, 'prf' || substr(id, 4), 'agent-' || (n * 7919) % ${AGENTS}, n / ${AGENTS}, 'custos.decision', at, hash, hash, hash, at
  FROM (SELECT n, to_timestamp(ms / 1000.0) AS at, ${ID} AS id, sha256(int8send(n)) AS hash
    FROM (SELECT n, floor($3::float8 + n * $4::float8)::bigint AS ms FROM generate_series($1::bigint, $2::bigint) AS n OFFSET 0) AS timed) AS made`;
const PARTITIONS = `DO $$ BEGIN
  DROP TABLE decision_first;
  FOR n IN 0..${PARTS - 1} LOOP
    EXECUTE format('CREATE TABLE decision_%s PARTITION OF decision FOR VALUES FROM (%L) TO (%L) WITH (toast_tuple_target = 8160)', n,
      custos_id_at('dec', now() - interval '${DAYS} days' + n * interval '${DAYS / PARTS} days'), custos_id_at('dec', now() - interval '${DAYS} days' + (n + 1) * interval '${DAYS / PARTS} days'));
  END LOOP;
END $$`;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}
interface Explained {
  readonly plan: Plan;
  readonly ms: number;
}

/** The scans that ran, each once, without the names of partitions. */
function scansOf(plan: Plan): string[] {
  const own =
    plan['Node Type'].endsWith(' Scan') && plan['Node Type'] !== 'CTE Scan' && (plan['Actual Loops'] ?? 0) > 0
      ? [
          `${plan['Node Type']} ${(plan['Index Name'] ?? '').replace(/_(?:\d+|default|first)_/, '_').replace('organisation_id_environment_', '')}`.trim(),
        ]
      : [];
  return [...new Set([...own, ...(plan.Plans ?? []).flatMap(scansOf)])];
}

/** A database that explains every statement before it runs it. */
function explaining(db: Database, seen: Explained[]): Database {
  return {
    ...db,
    query: async (statement, values) => {
      const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan; 'Execution Time': number }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`,
        values,
      );
      const [explained] = row?.['QUERY PLAN'] ?? [];
      if (explained !== undefined) seen.push({ plan: explained.Plan, ms: explained['Execution Time'] });
      return db.query(statement, values);
    },
  };
}

async function fill(client: pg.Client, rows: number, leaves: number, firstMs: number): Promise<void> {
  const stepMs = (DAYS * DAY_MS - 60_000) / rows;
  await client.query(PARTITIONS);
  for (const [name, statement, count] of [
    ['decisions', DECISIONS, rows],
    ['leaves', LEAVES, leaves],
  ] as const) {
    const startedMs = performance.now();
    for (let from = 0; from < count; from += BATCH)
      await client.query(statement, [from, Math.min(count, from + BATCH) - 1, firstMs, stepMs]);
    say(`${count.toLocaleString('en')} ${name} in ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  }
  await client.query('VACUUM (ANALYZE) decision');
  await client.query('VACUUM (ANALYZE) leaf');
}

async function measurePlans(db: Database, rows: number, leaves: number, firstMs: number): Promise<string[]> {
  const seen: Explained[] = [];
  const watched = explaining(db, seen);
  const decisions = createDecisionStore({ db: watched, processId: 'bench' });
  const log = createReceiptStore({ db: watched });
  const evidence = createEvidenceStore({ db: watched });
  const stepMs = (DAYS * DAY_MS - 60_000) / rows;
  const idOf = (n: number): string =>
    `${lowestId('dec', Math.floor(firstMs + n * stepMs)).slice(0, 14)}${String(n).padStart(16, '0')}`;
  const list = (filter: Partial<DecisionFilter>) => () => decisions.list({ ...OWNER, ...filter }, 51);
  const middle = idOf(Math.floor(rows / 2));
  const at = (share: number): Date => new Date(firstMs + share * DAYS * DAY_MS);
  const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['decision by id', () => decisions.read(OWNER, middle)],
    ['decision by id of nobody knows where', () => evidence.byId(middle)],
    ['newest decisions', list({})],
    ['decisions from the middle on', list({ before: middle })],
    ['of one agent', list({ agentIds: ['agent-7'] })],
    ['of one agent, from the middle on', list({ agentIds: ['agent-7'], before: middle })],
    ['ESCALATE', list({ verdict: 'ESCALATE' })],
    ['a verdict of no decision', list({ verdict: 'DEGRADE' })],
    ['by a reason', list({ reason: 'RISK_3' })],
    ['by a request id', list({ requestId: `req${middle.slice(3)}` })],
    ['by a tool', list({ toolServer: 'server-1', toolName: 'tool-1' })],
    ['an hour, long ago', list({ from: at(0.1), to: new Date(at(0.1).getTime() + 3_600_000) })],
    ['a page for verification', () => evidence.page({ ...OWNER, lastId: idOf(rows - 1) }, middle, 200)],
    ['proof by id', () => log.anchored(OWNER, `prf${idOf(Math.floor(leaves / 2)).slice(3)}`)],
    ['newest proofs', () => log.list(OWNER, 51)],
    ['proofs of one entity', () => log.list({ ...OWNER, entityIds: ['agent-7'] }, 51)],
    ['a page of a chain', () => log.chain(OWNER, 'agent-7', Math.floor(leaves / AGENTS / 2), 51)],
    ['head of a chain', () => log.chainHead(OWNER, 'agent-7')],
  ];
  const table = [['list or lookup', 'median ms', 'largest ms', 'pages read', 'scans']];
  for (const [name, run] of cases) {
    const times: number[] = [];
    let pages = 0;
    let scans: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      seen.length = 0;
      await run();
      times.push(seen.reduce((sum, { ms }) => sum + ms, 0));
      pages = seen.reduce(
        (sum, { plan }) => sum + (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
        0,
      );
      scans = [...new Set(seen.flatMap(({ plan }) => scansOf(plan)))];
    }
    times.sort((a, b) => a - b);
    table.push([name, quantile(times, 0.5).toFixed(2), quantile(times, 1).toFixed(1), String(pages), scans.join(', ')]);
  }
  return table.map((row, i) => `| ${row.join(' | ')} |${i === 0 ? `\n|${'---|'.repeat(row.length)}` : ''}`);
}

/** How long one partition takes to go, and what as many deleted rows would write. */
async function measureDrop(client: pg.Client): Promise<string[]> {
  const wal = async (work: string): Promise<string[]> => {
    const before = (await client.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn')).rows[0]
      ?.lsn;
    const startedMs = performance.now();
    await client.query(work);
    const ms = Math.round(performance.now() - startedMs);
    const bytes = (
      await client.query<{ bytes: string }>(
        'SELECT pg_size_pretty(pg_current_wal_insert_lsn() - $1::pg_lsn) AS bytes',
        [before],
      )
    ).rows[0]?.bytes;
    return [`${ms} ms`, bytes ?? ''];
  };
  await client.query('CHECKPOINT');
  const dropped = await wal("SELECT custos_drop_partition('decision_0')");
  await client.query("SET session_replication_role = 'replica'");
  await client.query('CHECKPOINT');
  const deleted = await wal('DELETE FROM decision_1');
  return alignedLines([
    ['', 'time', 'WAL'],
    ['drop a partition', ...dropped],
    ['delete its rows', ...deleted],
  ]);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '10000000' },
      leaves: { type: 'string' },
      dir: { type: 'string', default: os.tmpdir() },
    },
  });
  const rows = Number(values.rows);
  const leaves = Number(values.leaves ?? values.rows);
  await withBenchDatabase({ dir: values.dir, asSuperuser: true, say }, async ({ db, adminUrl }) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    try {
      await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
      await client.query(
        "INSERT INTO log (organisation_id, environment, origin, size) VALUES ($1, 'live', 'bench', $2)",
        [BENCH_ORGANISATION, leaves],
      );
      const firstMs = Date.now() - DAYS * DAY_MS;
      await fill(client, rows, leaves, firstMs);
      for (const line of await measurePlans(db, rows, leaves, firstMs)) say(line);
      for (const line of await measureDrop(client)) say(line);
    } finally {
      await client.end();
    }
  });
}

await main();
