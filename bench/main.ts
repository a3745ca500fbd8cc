// `npm run bench`: durable decisions beside a bare Express 5 JSON echo, over connections and over policies, in one run.
// Usage: node dist/bench/main.js [--quick] [--only enforce,policies,unseen,intent] [--connections 1,16,64] [--no-write]
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadJob } from './load-types.ts';
import { measurePolicyCost } from './policy-cost.ts';
import { type Measured, measure, type Row, rowOf, type Sample } from './measure.ts';
import { enforceBodies, intentBodies, UNSEEN_AMOUNT } from './policies.ts';
import { type Echo, type Service, startEcho, startGenerator, startService } from './processes.ts';
import { BESIDE_ECHO, ECHO, type EvaluationCost, OVER_POLICIES, type Report, textOf, writeReport } from './report.ts';
import { type Memory, memoryOf, partsBelow } from './usage.ts';

interface Plan {
  readonly mode: Report['mode'];
  readonly rounds: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly connections: readonly number[];
  readonly sizes: readonly number[];
}

const QUICK: Plan = {
  mode: 'quick',
  rounds: 3,
  durationMs: 1_200,
  warmUpMs: 300,
  connections: [1, 16, 64],
  sizes: [10, 100, 1_000, 10_000],
};
const FULL: Plan = { ...QUICK, mode: 'full', durationMs: 3_000, warmUpMs: 700 };

const POLICIES = 1_000;
const MOST_CONNECTIONS = 64;
/** Distinct requests; a prime number of agents and intents would not matter, their variety does. */
const BODIES = 4_096;
/** Both servers get this much load before anything is measured: V8 compiles what is hot. */
const FIRST_LOAD_MS = 3_000;

const PARTS = ['enforce', 'policies', 'unseen', 'intent'] as const;
type PartName = (typeof PARTS)[number];

class Run {
  private readonly plan: Plan;
  private readonly service: Service;
  private readonly echo: Echo;
  private readonly on: Measured;
  readonly rows: Row[] = [];
  accepted = 0;

  constructor(plan: Plan, service: Service, echo: Echo, on: Measured) {
    this.plan = plan;
    this.service = service;
    this.echo = echo;
    this.on = on;
  }

  private job(job: Pick<LoadJob, 'port' | 'connections' | 'bodies'> & Partial<LoadJob>): LoadJob {
    const { durationMs, warmUpMs } = this.plan;
    return { path: '/v1/enforce', key: this.service.key, durationMs, warmUpMs, ...job };
  }

  private async enforce(connections: number, bodies: readonly string[], more: Partial<LoadJob> = {}): Promise<Sample> {
    const sample = await measure(this.on, this.job({ port: this.service.port, connections, bodies, ...more }));
    this.accepted += sample.accepted;
    return noted(sample);
  }

  private async echoed(connections: number, bodies: readonly string[], more: Partial<LoadJob> = {}): Promise<Sample> {
    return noted(await measure(this.on, this.job({ port: this.echo.port, connections, bodies, ...more })));
  }

  async warmUp(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES);
    const more = { warmUpMs: FIRST_LOAD_MS, durationMs: 1 };
    await this.echoed(MOST_CONNECTIONS, bodies, more);
    await this.enforce(MOST_CONNECTIONS, bodies, more);
  }

  /** Echo and service take turns, so that whatever else the machine does meets both. */
  async besideEcho(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES);
    const { connections, rounds } = this.plan;
    const samples = connections.map((count) => ({ count, echo: [] as Sample[], enforce: [] as Sample[] }));
    for (let round = 0; round < rounds; round += 1)
      for (const { count, echo, enforce } of samples) {
        echo.push(await this.echoed(count, bodies));
        enforce.push(await this.enforce(count, bodies));
      }
    for (const { count, echo, enforce } of samples) {
      this.rows.push(rowOf({ name: ECHO, connections: count, policies: null }, echo));
      this.rows.push(rowOf({ name: BESIDE_ECHO, connections: count, policies: POLICIES }, enforce, echo));
    }
  }

  /** Every verdict is computed by the engine: no request has facts that were seen before. */
  async unseenFacts(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES, true);
    const echo: Sample[] = [];
    const enforce: Sample[] = [];
    for (let round = 0; round < this.plan.rounds; round += 1) {
      echo.push(await this.echoed(MOST_CONNECTIONS, bodies, { replace: UNSEEN_AMOUNT }));
      enforce.push(await this.enforce(MOST_CONNECTIONS, bodies, { replace: UNSEEN_AMOUNT }));
    }
    const name = 'POST /v1/enforce, unseen facts';
    this.rows.push(rowOf({ name, connections: MOST_CONNECTIONS, policies: POLICIES }, enforce, echo));
  }

  async overPolicies(): Promise<void> {
    const { sizes, mode, rounds } = this.plan;
    const samples = new Map<number, Sample[]>(sizes.map((size) => [size, []]));
    // Another set takes seconds to load, so a quick run changes it once for all its rounds.
    const passes = mode === 'quick' ? 1 : rounds;
    for (let pass = 0; pass < passes; pass += 1)
      for (const [size, of] of samples) {
        await this.service.usePolicies(size);
        const bodies = enforceBodies(size, BODIES);
        await this.enforce(MOST_CONNECTIONS, bodies, { durationMs: 1 });
        for (let i = 0; i < rounds / passes; i += 1) of.push(await this.enforce(MOST_CONNECTIONS, bodies));
      }
    for (const [size, of] of samples)
      this.rows.push(rowOf({ name: OVER_POLICIES, connections: MOST_CONNECTIONS, policies: size }, of));
    await this.service.usePolicies(POLICIES);
  }

  async intents(): Promise<void> {
    const bodies = intentBodies(BODIES);
    for (const connections of [16, MOST_CONNECTIONS]) {
      const samples: Sample[] = [];
      for (let round = 0; round < this.plan.rounds; round += 1) {
        const job = this.job({ port: this.service.port, path: '/v1/intent', connections, bodies });
        samples.push(noted(await measure(this.on, job)));
      }
      this.rows.push(rowOf({ name: 'POST /v1/intent', connections, policies: POLICIES }, samples));
    }
  }
}

/** An error is worth reading at once: what follows is probably the same. */
function noted(sample: Sample): Sample {
  if (sample.firstError !== undefined) say(`an answer was not 200: ${sample.firstError}`);
  return sample;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function evaluationCosts(sizes: readonly number[]): Promise<EvaluationCost[]> {
  const costs: EvaluationCost[] = [];
  for (const size of sizes) {
    const { policies, remembered, engine, plain } = await measurePolicyCost(size);
    costs.push({ policies, rememberedUs: remembered, engineUs: engine, plainUs: plain });
  }
  return costs;
}

async function bench(plan: Plan, only: ReadonlySet<PartName>): Promise<Report> {
  const generator = startGenerator();
  const echo = await startEcho();
  let service: Service | undefined;
  try {
    service = await startService(POLICIES);
    const run = new Run(plan, service, echo, { generator, echoPid: echo.pid, servicePid: service.pid });
    await run.warmUp();
    if (only.has('enforce')) await run.besideEcho();
    if (only.has('unseen')) await run.unseenFacts();
    if (only.has('intent')) await run.intents();
    const pids = partsBelow(service.pid);
    const memory: Record<string, Memory | undefined> = {
      [`ingress, ${POLICIES} policies`]: memoryOf(pids.ingress[0]),
      [`workers, ${POLICIES} policies`]: memoryOf(pids.workers[0]),
      echo: memoryOf(echo.pid),
    };
    if (only.has('policies')) {
      await run.overPolicies();
      const most = Math.max(...plan.sizes);
      memory[`ingress, after ${most} policies`] = memoryOf(pids.ingress[0]);
      memory[`workers, after ${most} policies`] = memoryOf(pids.workers[0]);
    }
    const decisions = { answered: run.accepted, onRecord: await service.count('decision') };
    const evaluation = only.has('policies') ? await evaluationCosts(plan.sizes) : [];
    return { mode: plan.mode, rows: run.rows, evaluation, memory, decisions };
  } finally {
    await Promise.all([service?.stop(), echo.stop(), generator.stop()]);
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      connections: { type: 'string' },
      'no-write': { type: 'boolean', default: false },
    },
  });
  const only = new Set(
    values.only === undefined ? PARTS : PARTS.filter((part) => values.only?.split(',').includes(part)),
  );
  const plan = values.quick ? QUICK : FULL;
  const connections = values.connections?.split(',').map(Number) ?? plan.connections;
  const report = await bench({ ...plan, connections }, only);
  say(textOf(report));
  if (!values['no-write']) {
    writeReport(report, new Date());
    say('\nwritten to docs/bench');
  }
  const { answered, onRecord } = report.decisions;
  const failed = report.rows.some((row) => row.errors > 0) || answered !== onRecord;
  if (failed) say('FAILED: an answer was an error, or a decision was answered and is not on record');
  return failed ? 1 : 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main();
