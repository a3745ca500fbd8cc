// Measures the log over its size, on an embedded PostgreSQL: time and rows read for inclusion and consistency proofs, and how many
// leaves a second are appended and audited.
// Usage: node dist/bench/log-proofs.js [--sizes 10000,100000,1000000] [--rounds 500] [--json]
import os from 'node:os';
import { parseArgs } from 'node:util';
import type { Database, Sql } from '../shared/platform/db/database.ts';
import { BENCH_ORGANISATION, withBenchDatabase } from './bench-database.ts';
import { appendWaiting } from '../shared/domain/ledger/append.ts';
import { createAuditor } from '../shared/domain/ledger/audit.ts';
import { readConsistencyPath, readInclusionPath, readRoot } from '../shared/domain/ledger/nodes.ts';
import { verifyConsistency, verifyInclusion } from '../shared/core/proof/merkle.ts';
import { quantile } from './numbers.ts';

interface Cost {
  readonly proof: 'inclusion' | 'consistency';
  readonly leaves: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Maximum of rows that one proof read. */
  readonly mostRows: number;
}

interface Rate {
  readonly work: 'appended' | 'audited';
  readonly leaves: number;
  readonly leavesPerSecond: number;
}

const LOG = 'SELECT log_id FROM log';
/** Rows that one statement inserts. */
const CHUNK = 20_000;

// Records of a thousand entities, each about the size of a small proof.
const FILL = `WITH given AS (
      SELECT n, 'prf_bench_' || n AS proof_id, 'entity-' || n % 1000 AS entity_id FROM generate_series($2::bigint, $3::bigint) AS n
    ), made AS (
      INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
      SELECT $1, 'live', proof_id, entity_id, 'bench', '2026-01-01T00:00:00Z', convert_to('{"agentId":"' || entity_id || '","eventType":"bench","occurredAt":"2026-01-01T00:00:00.000Z"'
        || ',"payload":{"body":{"n":' || n || '},"environment":"live","organisation":"bench","proofId":"' || proof_id || '"}', 'UTF8') FROM given
    ) INSERT INTO log_inbox (organisation_id, environment, source, source_id) SELECT $1, 'live', 'record', proof_id FROM given ORDER BY n`;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function fill(db: Database, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += CHUNK) {
    await db.query(FILL, [BENCH_ORGANISATION, start, Math.min(to, start + CHUNK) - 1]);
    await appendWaiting({ db, nowMs: Date.now, logHost: 'bench.local' }, BENCH_ORGANISATION, 'live');
    if (start === 0) await db.query('ANALYZE', []);
  }
}

async function measure(
  proof: Cost['proof'],
  leaves: number,
  rounds: number,
  one: () => Promise<number>,
): Promise<Cost> {
  for (let i = 0; i < 50; i += 1) await one();
  const times: number[] = [];
  let mostRows = 0;
  for (let i = 0; i < rounds; i += 1) {
    const startMs = performance.now();
    mostRows = Math.max(mostRows, await one());
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  return { proof, leaves, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), mostRows };
}

async function measureSize(db: Database, leaves: number, rounds: number): Promise<Cost[]> {
  const [log] = await db.query<{ log_id: number }>(LOG, []);
  const logId = log?.log_id ?? 0;
  let rows = 0;
  const counting: Sql = {
    seals: db.seals,
    async query<Row extends object>(...args: Parameters<Sql['query']>): Promise<Row[]> {
      const found = await db.query<Row>(...args);
      rows += found.length;
      return found;
    },
  };
  const random = (below: number): number => Math.floor(Math.random() * below);
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    rows = 0;
    await work();
    return rows;
  };
  const root = await readRoot(db, logId, leaves);
  const [from, index] = [1 + random(leaves - 1), random(leaves)];
  const [leaf] = await db.query<{ leaf_hash: Buffer }>(
    'SELECT leaf_hash FROM leaf WHERE log_id = $1 AND leaf_index = $2',
    [logId, index],
  );
  const inclusion = {
    index,
    size: leaves,
    leafHash: leaf?.leaf_hash ?? Buffer.alloc(0),
    path: await readInclusionPath(db, logId, index, leaves),
    root,
  };
  const consistency = {
    from,
    to: leaves,
    fromRoot: await readRoot(db, logId, from),
    toRoot: root,
    path: await readConsistencyPath(db, logId, from, leaves),
  };
  if (!verifyInclusion(inclusion) || !verifyConsistency(consistency))
    throw new Error(`a proof at ${leaves} leaves does not verify`);
  return [
    await measure('inclusion', leaves, rounds, () =>
      counted(() => readInclusionPath(counting, logId, random(leaves), leaves)),
    ),
    await measure('consistency', leaves, rounds, () =>
      counted(() => readConsistencyPath(counting, logId, 1 + random(leaves - 1), leaves)),
    ),
  ];
}

/** Appends leaves, and audits the log's new ones. The append's time includes inserting the records. */
async function measureGrowth(db: Database, from: number, to: number): Promise<Rate[]> {
  const auditor = createAuditor({ db, nowMs: Date.now, monotonicMs: () => performance.now(), runMs: Infinity });
  const startedMs = performance.now();
  await fill(db, from, to);
  const appendedMs = performance.now();
  const [audit] = await auditor.catchUp();
  const auditedMs = performance.now();
  if (audit === undefined || audit.findings.length > 0 || audit.auditedSize !== to)
    throw new Error(`the audit ended at ${audit?.auditedSize} of ${to} leaves: ${audit?.findings[0]?.sentence}`);
  const rate = (work: Rate['work'], ms: number): Rate => ({
    work,
    leaves: to - from,
    leavesPerSecond: ((to - from) * 1_000) / ms,
  });
  return [rate('appended', appendedMs - startedMs), rate('audited', auditedMs - appendedMs)];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: '10000,100000' },
      rounds: { type: 'string', default: '500' },
      json: { type: 'boolean', default: false },
    },
  });
  await withBenchDatabase({ dir: os.tmpdir(), say }, async ({ db }) => {
    const costs: Cost[] = [];
    const rates: Rate[] = [];
    let filled = 0;
    for (const size of values.sizes.split(',').map(Number)) {
      rates.push(...(await measureGrowth(db, filled, size)));
      filled = size;
      costs.push(...(await measureSize(db, size, Number(values.rounds))));
    }
    if (values.json) {
      process.stdout.write(`${JSON.stringify([...costs, ...rates], null, 2)}\n`);
      return;
    }
    for (const { proof, leaves, p50Ms, p99Ms, mostRows } of costs)
      process.stdout.write(
        `${proof.padEnd(12)} ${String(leaves).padStart(9)} leaves  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms  at most ${mostRows} rows\n`,
      );
    for (const { work, leaves, leavesPerSecond } of rates)
      process.stdout.write(
        `${work.padEnd(12)} ${String(leaves).padStart(9)} leaves  ${Math.round(leavesPerSecond)} leaves/s\n`,
      );
  });
}

await main();
