// Measures what a decision costs the database: WAL by relation, stored bytes by table and index, and CPU of each part.
// Usage: node dist/bench/bytes.js [--decisions 20000] [--connections 64]
import { parseArgs } from 'node:util';
import pg from 'pg';
import { watch } from './carried-out.ts';
import { measure } from './measure.ts';
import { alignedLines } from './numbers.ts';
import { enforceBodies } from './policies.ts';
import { type Service, startGenerator, startService } from './processes.ts';
import { POLICIES } from './run.ts';

const WARM_UP_MS = 5_000;
const ROUND_MS = 1_000;
const BODIES = 4_096;

interface Wal {
  readonly relation: string;
  readonly bytes: number;
}

interface Size {
  readonly relation: string;
  readonly table: string;
  readonly bytes: number;
}

/** WAL between two positions by relation; the bytes of a record belong to its first block. Commits and others have no relation. */
const WAL = `WITH record AS (SELECT start_lsn, record_length FROM pg_get_wal_records_info($1, $2)),
    block AS (SELECT DISTINCT ON (start_lsn) start_lsn, relfilenode FROM pg_get_wal_block_info($1, $2) ORDER BY start_lsn, block_id)
  SELECT coalesce(c.relname, 'commits and others') AS relation, sum(record_length)::float8 AS bytes
  FROM record LEFT JOIN block USING (start_lsn) LEFT JOIN pg_class c ON c.relfilenode = block.relfilenode
  GROUP BY 1 ORDER BY 2 DESC`;
/** Each table with its TOAST, and each index. */
const SIZES = `SELECT c.relname AS relation, coalesce(t.relname, c.relname) AS table,
    (CASE WHEN c.relkind = 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END)::float8 AS bytes
  FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
  WHERE c.relkind IN ('r', 'i') AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'decision'::regclass)`;

async function onlyRow<T extends object>(client: pg.Client, text: string, values: unknown[] = []): Promise<T> {
  const { rows } = await client.query<T>(text, values);
  if (rows[0] === undefined) throw new Error(`no row: ${text}`);
  return rows[0];
}

async function lsn(client: pg.Client): Promise<string> {
  return (await onlyRow<{ lsn: string }>(client, 'SELECT pg_current_wal_lsn()::text AS lsn')).lsn;
}

async function sizes(client: pg.Client): Promise<Map<string, Size>> {
  const { rows } = await client.query<Size>(SIZES);
  return new Map(rows.map((row) => [row.relation, row]));
}

async function measureBytes(
  service: Service,
  client: pg.Client,
  least: number,
  connections: number,
): Promise<string[]> {
  // Page images after a checkpoint depend on its time and not on the decisions. The database is a temporary one.
  await client.query('ALTER SYSTEM SET full_page_writes = off');
  await client.query("ALTER SYSTEM SET checkpoint_timeout = '1d'");
  await client.query("ALTER SYSTEM SET wal_keep_size = '16GB'");
  await client.query('SELECT pg_reload_conf()');
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  const generator = startGenerator();
  try {
    const job = {
      port: service.port,
      path: '/v1/enforce',
      key: service.key,
      bodies: enforceBodies(POLICIES, BODIES),
      connections,
      warmUpMs: 0,
    };
    const round = async (durationMs: number): Promise<Awaited<ReturnType<typeof measure>>> => {
      const watching = await watch(service.databaseUrl, 'anchored');
      try {
        return await measure(
          { generator, echoPid: generator.pid, servicePid: service.pid },
          { ...job, durationMs },
          () => watching.drained(),
        );
      } finally {
        await watching.end();
      }
    };
    await round(WARM_UP_MS);
    await client.query('VACUUM');
    await client.query('CHECKPOINT');
    const [before, from] = [await sizes(client), await lsn(client)];
    const cpu = { ingress: 0, workers: 0, postgres: 0 };
    let decisions = 0;
    for (; decisions < least; ) {
      const sample = await round(ROUND_MS);
      if (sample.errors > 0) throw new Error(`an answer was an error: ${sample.firstError ?? ''}`);
      decisions += sample.accepted;
      for (const part of ['ingress', 'workers', 'postgres'] as const) cpu[part] += sample.cpuUs[part] * sample.accepted;
    }
    const to = await lsn(client);
    const { rows: wal } = await client.query<Wal>(WAL, [from, to]);
    await client.query('VACUUM');
    const after = await sizes(client);
    const each = (bytes: number): string => (bytes / decisions).toFixed(0);
    const total = wal.reduce((sum, { bytes }) => sum + bytes, 0);
    const grown = [...after.values()]
      .map((size) => ({ ...size, bytes: size.bytes - (before.get(size.relation)?.bytes ?? 0) }))
      .filter(({ bytes }) => bytes / decisions >= 1)
      .sort((a, b) => b.bytes - a.bytes);
    return [
      `${decisions} decisions, ${connections} connections`,
      `CPU, microseconds a decision: ${Object.entries(cpu)
        .map(([part, us]) => `${part} ${(us / decisions).toFixed(0)}`)
        .join(', ')}`,
      `WAL, bytes a decision: ${each(total)}`,
      ...alignedLines(
        wal.filter(({ bytes }) => bytes / decisions >= 1).map(({ relation, bytes }) => [`  ${relation}`, each(bytes)]),
      ),
      `stored, bytes a decision: ${each(grown.reduce((sum, { bytes }) => sum + bytes, 0))}`,
      ...alignedLines(
        grown.map(({ relation, table, bytes }) => [
          `  ${relation}`,
          relation === table ? 'table' : `index of ${table}`,
          each(bytes),
        ]),
      ),
    ];
  } finally {
    await generator.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { decisions: { type: 'string', default: '20000' }, connections: { type: 'string', default: '64' } },
  });
  const service = await startService(POLICIES);
  const client = new pg.Client({ connectionString: service.superuserUrl });
  try {
    await client.connect();
    const lines = await measureBytes(service, client, Number(values.decisions), Number(values.connections));
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await client.end();
    await service.stop();
  }
}

if (import.meta.filename === process.argv[1]) await main();
