// Measures whether a backlog of submitted intents slows enforcement: the same steady load of POST /v1/enforce without a backlog, and while
// workers carry out one.
// Usage: node dist/bench/backlog.js [--size 100000] [--rate 300] [--seconds 10] [--redis]
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { LoadJob, LoadResult } from './load-types.ts';
import { alignedLines } from './numbers.ts';
import { enforceBodies } from './policies.ts';
import { startGenerator, startService } from './processes.ts';
import { startRedis, whyNoRedis } from './redis.ts';
import { submissionBodies } from './work-bodies.ts';

const POLICIES = 1_000;
const BODIES = 4_096;
const CONNECTIONS = 16;
/** Intents are submitted in pieces of this length until enough are waiting. */
const PIECE_MS = 2_000;
/** Workers keep up with what is accepted. Each of their batches begins with a row of this table, for which it waits meanwhile. */
const HOLD_WORKERS = 'BEGIN; LOCK TABLE intent_trial IN SHARE MODE';
const WAITING = `SELECT count(*)::int AS n FROM intent WHERE status IN ('queued', 'evaluating')`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '100000' },
      rate: { type: 'string', default: '300' },
      seconds: { type: 'string', default: '10' },
      redis: { type: 'boolean', default: false },
    },
  });
  const size = Number(values.size);
  const durationMs = Number(values.seconds) * 1_000;
  const noRedis = values.redis ? whyNoRedis() : undefined;
  if (noRedis !== undefined) throw new Error(noRedis);
  const redis = values.redis ? await startRedis() : undefined;
  const generator = startGenerator();
  const service = await startService(POLICIES, { redisUrl: redis?.url });
  try {
    const to = { port: service.port, key: service.key, warmUpMs: 0 };
    const load = async (job: Pick<LoadJob, 'path' | 'bodies' | 'connections' | 'durationMs'> & Partial<LoadJob>) => {
      const result = await generator.run({ ...to, ...job });
      if (result.errors > 0) throw new Error(`an answer was an error: ${result.firstError}`);
      return result;
    };
    const enforce = (): Promise<LoadResult> =>
      load({
        path: '/v1/enforce',
        bodies: enforceBodies(POLICIES, BODIES),
        connections: CONNECTIONS,
        durationMs,
        warmUpMs: 1_000,
        rate: Number(values.rate),
      });
    const waiting = (): Promise<number> => service.count(WAITING);
    await enforce();
    const alone = await enforce();
    const bodies = submissionBodies(POLICIES, BODIES);
    const filledFromMs = performance.now();
    let submitted = 0;
    const holding = new pg.Client({ connectionString: service.superuserUrl });
    await holding.connect();
    await holding.query(HOLD_WORKERS);
    try {
      while ((await waiting()) < size)
        submitted += (await load({ path: '/v1/intents', bodies, connections: 64, durationMs: PIECE_MS, status: 202 }))
          .accepted;
    } finally {
      await holding.end();
    }
    const filledMs = performance.now() - filledFromMs;
    const before = await waiting();
    const beganMs = performance.now();
    const behind = await enforce();
    const after = await waiting();
    const decidedPerSecond = ((before - after) / (performance.now() - beganMs)) * 1_000;
    const row = (name: string, { p50, p99, max }: LoadResult, from: number, until: number): string[] => [
      name,
      ...[p50, p99, max].map((ms) => ms.toFixed(1)),
      `${from} to ${until}`,
    ];
    const lines = alignedLines([
      [`POST /v1/enforce, ${values.rate}/s`, 'p50 ms', 'p99 ms', 'max ms', 'waiting intents'],
      row('without a backlog', alone, 0, 0),
      row('with one', behind, before, after),
    ]);
    console.log(lines.join('\n'));
    console.log(`p99 with a backlog is ${(behind.p99 / alone.p99).toFixed(2)} times the one without`);
    console.log(
      `submitted ${submitted} in ${(filledMs / 1_000).toFixed(0)} s; decided ${Math.round(decidedPerSecond)}/s beside enforcement, queues on ${values.redis ? 'Redis' : 'PostgreSQL'}`,
    );
  } finally {
    await Promise.all([service.stop(), generator.stop()]);
    await redis?.stop();
  }
}

await main();
