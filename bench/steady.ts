// Measures whether a steady load of proofs is carried out as fast as it is accepted: POST /v1/proofs/batch at a fixed rate for a minute.
// Usage: node dist/bench/steady.js [--rate 8000] [--seconds 60]
import { parseArgs } from 'node:util';
import { alignedLines } from './numbers.ts';
import { startGenerator, startService } from './processes.ts';
import { startRedis, whyNoRedis } from './redis.ts';
import { cpuMs, PARTS, type Part, partsBelow } from './usage.ts';
import { PROOF_EVENT, PROOFS_PER_REQUEST, proofBatches } from './work-bodies.ts';

const POLICIES = 1_000;
const CONNECTIONS = 16;
const BODIES = 256;
const WARM_UP_MS = 3_000;
/** How often the log is compared with what was accepted. */
const LOOK_MS = 500;
const PATIENCE_MS = 60_000;
const ON_RECORD = `SELECT count(*)::int AS n FROM record WHERE event = '${PROOF_EVENT}'`;
const ANCHORED = `SELECT count(*)::int AS n FROM leaf WHERE event = '${PROOF_EVENT}'`;
const WAITING = 'SELECT count(*)::int AS n FROM log_inbox';
/** Milliseconds for which the oldest record has waited. */
const OLDEST = `SELECT coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::int AS n FROM log_inbox`;

interface Options {
  readonly rate: number;
  readonly seconds: number;
  readonly redisUrl: string | undefined;
}

/** A row of the table. @throws when an answer is an error, or a proof that was accepted is not in the log */
async function measure({ rate, seconds, redisUrl }: Options): Promise<string[]> {
  const generator = startGenerator();
  const service = await startService(POLICIES, { redisUrl });
  try {
    const load = async (durationMs: number) => {
      const result = await generator.run({
        port: service.port,
        key: service.key,
        path: '/v1/proofs/batch',
        bodies: proofBatches(BODIES),
        connections: CONNECTIONS,
        status: 202,
        rate: rate / PROOFS_PER_REQUEST,
        warmUpMs: 0,
        durationMs,
      });
      if (result.errors > 0) throw new Error(`an answer was an error: ${result.firstError}`);
      return { ...result, proofs: result.accepted * PROOFS_PER_REQUEST };
    };
    const warmUp = await load(WARM_UP_MS);
    const pids = partsBelow(service.pid);
    const used = (): Record<Part, number> =>
      Object.fromEntries(PARTS.map((part) => [part, cpuMs(pids[part])])) as Record<Part, number>;
    const before = used();
    let longestMs = 0;
    const looking = setInterval(() => {
      void service.count(OLDEST).then(
        (ms) => (longestMs = Math.max(longestMs, ms)),
        () => undefined,
      );
    }, LOOK_MS);
    const beganMs = performance.now();
    const result = await load(seconds * 1_000).finally(() => clearInterval(looking));
    const endMs = performance.now();
    while ((await service.count(WAITING)) > 0)
      if (performance.now() > endMs + PATIENCE_MS)
        throw new Error('proofs wait for the log a minute after the last one');
    const caughtUpMs = performance.now() - endMs;
    const after = used();
    const sent = warmUp.proofs + result.proofs;
    const [onRecord, anchored] = [await service.count(ON_RECORD), await service.count(ANCHORED)];
    if (onRecord !== sent || anchored !== sent)
      throw new Error(`${sent} proofs were accepted, ${onRecord} are on record and ${anchored} in the log`);
    return [
      redisUrl === undefined ? 'PostgreSQL' : 'Redis',
      Math.round((result.proofs * 1_000) / (endMs - beganMs)).toLocaleString('en'),
      ...[result.p50, result.p99].map((ms) => ms.toFixed(1)),
      String(longestMs),
      caughtUpMs.toFixed(0),
      PARTS.map((part) => `${part} ${(((after[part] - before[part]) * 1_000) / result.proofs).toFixed(0)}`).join(', '),
    ];
  } finally {
    await Promise.all([service.stop(), generator.stop()]);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rate: { type: 'string', default: '8000' }, seconds: { type: 'string', default: '60' } },
  });
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  const rows = [await measure({ rate, seconds, redisUrl: undefined })];
  const noRedis = whyNoRedis();
  if (noRedis === undefined) {
    const redis = await startRedis();
    try {
      rows.push(await measure({ rate, seconds, redisUrl: redis.url }));
    } finally {
      await redis.stop();
    }
  }
  const header = [
    'queues',
    'proofs/s',
    'p50 ms',
    'p99 ms',
    'longest wait for the log ms',
    'caught up ms',
    'CPU us a proof',
  ];
  console.log(`POST /v1/proofs/batch, ${PROOFS_PER_REQUEST} proofs each, ${rate} proofs/s demanded for ${seconds} s`);
  console.log(alignedLines([header, ...rows]).join('\n'));
  if (noRedis !== undefined) console.log(`Redis: skipped, ${noRedis}`);
}

await main();
