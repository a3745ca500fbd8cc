// `npm run bench`: measures answers and completed work per second, next to a bare Express 5 JSON echo in the same run.
// Usage: node dist/bench/main.js [--quick] [--only enforce,unseen,tools,intent,proofs,signals,intents,guard,policies]
//   also: log (inclusion and consistency proofs over the size of the log), check (custos policy check),
//   bytes (what a decision costs the database: WAL and stored bytes by table and index), start (start to ready, and its CPU),
//   backlog (enforcement beside 100,000 waiting intents), steady (8,000 proofs a second for a minute), day (three days of load within an hour, with retention on; only if named)
//   [--connections 1,16,64] [--seconds 3] [--json] [--no-write]
//   --gate: only what limits.json limits, quickly; exit code 1 when a ratio is beyond its limit
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judge, judgedRows, type Limit, readLimits } from './gate.ts';
import type { Queue, Row } from './measure.ts';
import { type EngineCosts, engineRows, measureEngines } from './policy-engines.ts';
import { type Echo, type Generator, type Service, startEcho, startGenerator, startService } from './processes.ts';
import { startRedis, whyNoRedis } from './redis.ts';
import { alignedLines } from './numbers.ts';
import { type Account, jsonOf, type Report, type Skipped, textOf, writeReport } from './report.ts';
import { type Accepted, FULL, GATE, type Plan, POLICIES, QUICK, Run } from './run.ts';
import { type Memory, memoryOf, partsBelow } from './usage.ts';
import { PROOF_EVENT } from './work-bodies.ts';

const PARTS = [
  'enforce',
  'unseen',
  'tools',
  'intent',
  'proofs',
  'signals',
  'intents',
  'guard',
  'policies',
  'engines',
  'log',
  'check',
  'bytes',
  'start',
  'backlog',
  'steady',
] as const;
type PartName = (typeof PARTS)[number];
/** Measurements that run on both backends of the queues: work that is carried out later. */
const QUEUED = ['proofs', 'signals', 'intents'] as const;

/** Queries for the number of accepted work units that are on record. */
const ON_RECORD: Readonly<Record<keyof Accepted, string>> = {
  // A submitted intent has a decision, too.
  decisions: 'SELECT (SELECT count(*) FROM decision)::int - (SELECT count(*) FROM intent)::int AS n',
  proofs: `SELECT count(*)::int AS n FROM leaf WHERE event = '${PROOF_EVENT}'`,
  signals: 'SELECT coalesce(sum(signals), 0)::int AS n FROM trust_state',
  intents: "SELECT count(*)::int AS n FROM intent WHERE status = 'decided'",
};

interface Setup {
  readonly plan: Plan;
  readonly only: ReadonlySet<PartName>;
  readonly echo: Echo;
  readonly generator: Generator;
}

interface Measurements {
  readonly rows: readonly Row[];
  readonly memory: Record<string, Memory | undefined>;
  readonly accounts: readonly Account[];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function engineCosts(sizes: readonly number[]): Promise<EngineCosts[]> {
  const costs: EngineCosts[] = [];
  for (const targets of ['own', 'everything'] as const)
    for (const size of sizes) costs.push(await measureEngines(size, targets));
  return costs;
}

async function accountsOf(accepted: Accepted, service: Service, queue: Queue): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const what of ['decisions', 'proofs', 'signals', 'intents'] as const)
    if (accepted[what] > 0)
      accounts.push({ what, queue, accepted: accepted[what], onRecord: await service.count(ON_RECORD[what]) });
  return accounts;
}

/** Starts a service, measures it and stops it. */
async function measureService(setup: Setup, queue: Queue, redisUrl?: string): Promise<Measurements> {
  const { plan, only, echo, generator } = setup;
  const service = await startService(POLICIES, { redisUrl });
  try {
    const run = new Run({ plan, service, echo, generator, queue });
    const isFirst = queue === 'PostgreSQL';
    await run.warmUp();
    if (isFirst && only.has('enforce')) await run.besideEcho();
    if (isFirst && only.has('unseen')) await run.unseenFacts();
    if (isFirst && only.has('tools')) await run.toolCalls();
    if (isFirst && only.has('intent')) await run.intents();
    if (isFirst && only.has('guard')) await run.guarded();
    if (only.has('proofs')) await run.proofs();
    if (only.has('signals')) await run.signals();
    if (only.has('intents')) await run.submissions();
    const pids = partsBelow(service.pid);
    const memory: Record<string, Memory | undefined> = {
      [`ingress, ${POLICIES} policies, queues on ${queue}`]: memoryOf(pids.ingress[0]),
      [`workers, ${POLICIES} policies, queues on ${queue}`]: memoryOf(pids.workers[0]),
    };
    if (isFirst && only.has('policies')) {
      await run.overPolicies();
      const most = Math.max(...plan.sizes);
      memory[`ingress, after ${most} policies`] = memoryOf(pids.ingress[0]);
      memory[`workers, after ${most} policies`] = memoryOf(pids.workers[0]);
    }
    return { rows: run.rows, memory, accounts: await accountsOf(run.accepted, service, queue) };
  } finally {
    await service.stop();
  }
}

async function measureOnRedis(setup: Setup): Promise<Measurements> {
  const redis = await startRedis();
  try {
    return await measureService(setup, 'Redis', redis.url);
  } finally {
    await redis.stop();
  }
}

async function bench(plan: Plan, only: ReadonlySet<PartName>): Promise<Report> {
  const generator = startGenerator();
  let echo: Echo | undefined;
  try {
    echo = await startEcho();
    const setup = { plan, only, echo, generator };
    const found = [await measureService(setup, 'PostgreSQL')];
    const skipped: Skipped[] = [];
    const queued = QUEUED.filter((part) => only.has(part));
    const why = whyNoRedis();
    if (queued.length > 0 && why === undefined) found.push(await measureOnRedis(setup));
    else skipped.push(...queued.map((part) => ({ what: `${part}, queues on Redis`, why: why ?? '' })));
    return {
      mode: plan.mode,
      rows: found.flatMap(({ rows }) => rows),
      skipped,
      engines: only.has('engines') ? await engineCosts(plan.sizes) : [],
      memory: { ...Object.assign({}, ...found.map(({ memory }) => memory)), echo: memoryOf(echo.pid) },
      accounts: found.flatMap(({ accounts }) => accounts),
    };
  } finally {
    await Promise.all([echo?.stop(), generator.stop()]);
  }
}

/** Runs a measurement that has a program of its own, which prints its results. */
function runAlone(program: string, ...options: readonly string[]): void {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const { status } = spawnSync(process.execPath, [file, ...options], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the measurement ${program} failed`);
}

/** Measures proofs over the size of the log in another process, with a database without a service. */
function logProofs(mode: Plan['mode']): void {
  runAlone('./log-proofs.js', '--sizes', mode === 'quick' ? '10000,100000' : '10000,100000,1000000');
}

function policyChecks(mode: Plan['mode']): void {
  runAlone('./policy-check.js', '--sizes', mode === 'quick' ? '1000' : '1000,10000');
}

/** A busy machine may exceed a limit once; a slower service exceeds it again. */
const GATE_RUNS = 2;

/** Measures what the limits are about. @returns the exit code */
async function gate(limits: readonly Limit[]): Promise<number> {
  for (let attempt = 1; attempt <= GATE_RUNS; attempt += 1) {
    const report = await bench(GATE, new Set(['enforce', 'intents']));
    const judged = judge(report.rows, limits);
    say(alignedLines(judgedRows(judged)).join('\n'));
    for (const { what, why } of report.skipped) say(`${what}: skipped, ${why}`);
    const isMeasured = ({ limit, ratio }: (typeof judged)[number]) =>
      ratio !== undefined || !(limit.queue === 'Redis' && report.skipped.length > 0);
    if (judged.filter(isMeasured).every(({ holds }) => holds)) return 0;
  }
  process.stderr.write('FAILED: a ratio is beyond its limit (bench/limits.json)\n');
  return 1;
}

async function main(): Promise<number> {
  // Exiting on a signal runs the exit handlers, which stop the started processes.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      connections: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'boolean', default: false },
      'no-write': { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
    },
  });
  const only = new Set(
    values.only === undefined ? PARTS : PARTS.filter((part) => values.only?.split(',').includes(part)),
  );
  if (values.gate) return gate(readLimits());
  const plan = values.quick ? QUICK : FULL;
  // Not part of a whole run, because it takes an hour.
  if (values.only === 'day') {
    runAlone('./day.js', '--minutes', plan.mode === 'quick' ? '10' : '60');
    return 0;
  }
  const connections = values.connections?.split(',').map(Number) ?? plan.connections;
  const durationMs = values.seconds === undefined ? plan.durationMs : Number(values.seconds) * 1_000;
  const alone = [
    ['log', () => logProofs(plan.mode)],
    ['check', () => policyChecks(plan.mode)],
    ['bytes', () => runAlone('./bytes.js')],
    ['start', () => runAlone('./start.js')],
    ['backlog', () => runAlone('./backlog.js', '--size', plan.mode === 'quick' ? '10000' : '100000')],
    ['steady', () => runAlone('./steady.js', '--seconds', plan.mode === 'quick' ? '10' : '60')],
  ] as const;
  for (const [name, run] of alone)
    if (only.has(name) && only.size === 1) {
      run();
      return 0;
    }
  if (only.has('engines') && only.size === 1) {
    const costs = await engineCosts(plan.sizes);
    say(values.json ? JSON.stringify(costs, null, 2) : alignedLines(engineRows(costs)).join('\n'));
    return 0;
  }
  const enforceMs = values.seconds === undefined ? plan.enforceMs : durationMs;
  const report = await bench({ ...plan, connections, durationMs, enforceMs }, only);
  const now = new Date();
  say(values.json ? jsonOf(report, now) : textOf(report));
  // Results of different runs must not be mixed in one file, because they can't be compared.
  if (!values['no-write'] && only.size === PARTS.length) {
    writeReport(report, now);
    if (!values.json) say('\nWrote the results to docs/bench.');
  }
  if (!values.json) for (const [name, run] of alone) if (only.has(name)) run();
  const lost = report.accounts.filter(({ accepted, onRecord }) => accepted !== onRecord);
  const failed = report.rows.some((row) => row.errors > 0) || lost.length > 0;
  if (failed) process.stderr.write('FAILED: an answer was an error, or accepted work is not on record\n');
  return failed ? 1 : 0;
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main();
