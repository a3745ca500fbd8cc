// The measurements: one service, an echo as the baseline, and a load generator that alternates between them.
import { type CarriedOut, type Completion, watch } from './carried-out.ts';
import { measureGuard } from './guard.ts';
import type { LoadJob } from './load-types.ts';
import { type Measured, measure, type Queue, type Row, rowOf, type Sample } from './measure.ts';
import { enforceBodies, intentBodies, toolCallBodies, UNSEEN_AMOUNT } from './policies.ts';
import type { Echo, Generator, Service } from './processes.ts';
import { BESIDE_ECHO, ECHO, OVER_POLICIES, type Report } from './report.ts';
import { proofBodies, SIGNALS_PER_REQUEST, signalBodies, submissionBodies } from './work-bodies.ts';

export interface Plan {
  readonly mode: Report['mode'];
  readonly rounds: number;
  readonly durationMs: number;
  /** Of a round of enforcement beside the echo. */
  readonly enforceMs: number;
  readonly warmUpMs: number;
  readonly connections: readonly number[];
  readonly sizes: readonly number[];
}

/**
 * What workers do in turn: the audit, which takes a tenth of a core, has runs at intervals of ten seconds. In rounds of a second, which the
 * bench had before, workers took 0.25 to 0.35 of ingress without a run and 0.45 to 0.75 with one.
 */
const CYCLE_MS = 10_000;

export const QUICK: Plan = {
  mode: 'quick',
  rounds: 3,
  durationMs: 1_200,
  enforceMs: 1_200,
  warmUpMs: 300,
  connections: [1, 16, 64],
  sizes: [10, 100, 1_000, 10_000],
};
export const FULL: Plan = { ...QUICK, mode: 'full', durationMs: 3_000, enforceMs: CYCLE_MS, warmUpMs: 700 };
/** Processor times of enforcement, and work that is carried out, at the most connections. */
export const GATE: Plan = { ...QUICK, enforceMs: CYCLE_MS, connections: [64] };

export const POLICIES = 1_000;
const MOST_CONNECTIONS = 64;
/** Intents a second for which the time to a decision has a goal (docs/bench/README.md). */
const LATENCY_RATE = 1_000;
/** Number of distinct requests. */
const BODIES = 4_096;
/** Warm-up load of both servers, in which V8 compiles the hot code. */
const FIRST_LOAD_MS = 3_000;
/** Batches come from few senders. */
const BATCH_CONNECTIONS = 16;

/** Accepted work in work units (signals, not requests). */
export interface Accepted {
  decisions: number;
  proofs: number;
  signals: number;
  intents: number;
}

export interface RunOptions {
  readonly plan: Plan;
  readonly service: Service;
  readonly echo: Echo;
  readonly generator: Generator;
  readonly queue: Queue;
}

export class Run {
  readonly rows: Row[] = [];
  readonly accepted: Accepted = { decisions: 0, proofs: 0, signals: 0, intents: 0 };
  private readonly options: RunOptions;
  private readonly measured: Measured;

  constructor(options: RunOptions) {
    this.options = options;
    const { generator, echo, service } = options;
    this.measured = { generator, echoPid: echo.pid, servicePid: service.pid };
  }

  /** Adds a row, and prints a line that shows the progress of the run. */
  private add(row: Row): void {
    this.rows.push(row);
    const { name, connections, queue, perSecond } = row;
    const where = queue === undefined ? '' : `, queues on ${queue}`;
    process.stderr.write(`${name}, ${connections} connections${where}: ${Math.round(perSecond.median)} requests/s\n`);
  }

  private job(job: Pick<LoadJob, 'port' | 'connections' | 'bodies'> & Partial<LoadJob>): LoadJob {
    const { plan, service } = this.options;
    const { durationMs, warmUpMs } = plan;
    return { path: '/v1/enforce', key: service.key, durationMs, warmUpMs, ...job };
  }

  /** Measures a job. Its first error is printed at once, because later ones are probably the same. */
  private async measure(job: LoadJob, settled?: () => Promise<void>): Promise<Sample> {
    const sample = await measure(this.measured, job, settled);
    if (sample.firstError !== undefined) process.stderr.write(`an answer was an error: ${sample.firstError}\n`);
    return sample;
  }

  private async enforce(
    connections: number,
    bodies: readonly string[],
    more: Partial<LoadJob> = {},
    settled?: () => Promise<void>,
  ): Promise<Sample> {
    const job = this.job({ port: this.options.service.port, connections, bodies, ...more });
    const sample = await this.measure(job, settled);
    this.accepted.decisions += sample.accepted;
    return sample;
  }

  private async echoed(connections: number, bodies: readonly string[], more: Partial<LoadJob> = {}): Promise<Sample> {
    return this.measure(this.job({ port: this.options.echo.port, connections, bodies, ...more }));
  }

  /** One round, with the completion of the work that it left behind. */
  private async watched(
    outcome: Completion,
    round: (settled: () => Promise<void>) => Promise<Sample>,
  ): Promise<Sample & { carriedOut: CarriedOut }> {
    const watching = await watch(this.options.service.databaseUrl, outcome);
    let carriedOut: CarriedOut | undefined;
    try {
      const sample = await round(() => watching.drained());
      carriedOut = await watching.end();
      return { ...sample, carriedOut };
    } finally {
      if (carriedOut === undefined) await watching.end().catch(() => undefined);
    }
  }

  /** Tool calls of one client, without the guard and through it. */
  async guarded(): Promise<void> {
    const { rows, decisions } = await measureGuard(this.options.service, this.options.plan.rounds);
    this.accepted.decisions += decisions;
    for (const row of rows) this.add(row);
  }

  /** Rounds of accepting work, each after a round of the echo with the same bodies. The work of a round is completed before the next. */
  private async accept(work: {
    name: string;
    outcome: Completion;
    account: keyof Accepted;
    connections: number;
    policies?: number;
    unitsPerRequest?: number;
    load: Pick<LoadJob, 'path' | 'bodies'> & Partial<LoadJob>;
  }): Promise<void> {
    const { name, outcome, account, connections, policies = null, unitsPerRequest = 1, load } = work;
    const { queue, service, plan } = this.options;
    const job = this.job({ port: service.port, connections, status: 202, ...load });
    const post = async (one: LoadJob, settled: () => Promise<void>): Promise<Sample> => {
      const sample = await this.measure(one, settled);
      this.accepted[account] += sample.accepted * unitsPerRequest;
      return sample;
    };
    await this.watched(outcome, (settled) => post({ ...job, durationMs: FIRST_LOAD_MS / 2 }, settled));
    const echo: Sample[] = [];
    const samples: Sample[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const durationMs = Math.min(plan.durationMs, FULL.durationMs);
      echo.push(await this.echoed(connections, load.bodies, { durationMs }));
      samples.push(await this.watched(outcome, (settled) => post(job, settled)));
    }
    this.add(rowOf({ name, connections, policies, queue }, samples, echo, unitsPerRequest));
  }

  proofs(): Promise<void> {
    const load = { path: '/v1/proofs', bodies: proofBodies(BODIES) };
    return this.accept({
      name: 'POST /v1/proofs',
      outcome: 'anchored',
      account: 'proofs',
      connections: MOST_CONNECTIONS,
      load,
    });
  }

  signals(): Promise<void> {
    const load = { path: '/v1/trust/signals', bodies: signalBodies(BODIES / SIGNALS_PER_REQUEST) };
    return this.accept({
      name: `POST /v1/trust/signals, ${SIGNALS_PER_REQUEST} each`,
      outcome: 'folded',
      account: 'signals',
      connections: BATCH_CONNECTIONS,
      unitsPerRequest: SIGNALS_PER_REQUEST,
      load,
    });
  }

  /** Submits intents as fast as they are accepted, then at the rate of the goal for latency, or, on a slow machine, a third of what was decided. */
  async submissions(): Promise<void> {
    const work = {
      outcome: 'decided',
      account: 'intents',
      connections: MOST_CONNECTIONS,
      policies: POLICIES,
    } as const;
    const load = { path: '/v1/intents', bodies: submissionBodies(POLICIES, BODIES) };
    await this.accept({ ...work, name: 'POST /v1/intents', load });
    const decided = this.rows.at(-1)?.carriedOut?.perSecond.median ?? 0;
    const rate = Math.max(1, Math.min(LATENCY_RATE, Math.round(decided / 3)));
    await this.accept({ ...work, name: `POST /v1/intents, ${rate}/s`, load: { ...load, rate } });
  }

  async warmUp(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES);
    const more = { warmUpMs: FIRST_LOAD_MS, durationMs: 1 };
    await this.echoed(MOST_CONNECTIONS, bodies, more);
    await this.enforce(MOST_CONNECTIONS, bodies, more);
  }

  /** Echo and service alternate, so that other work on the machine affects both. */
  async besideEcho(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES);
    const { connections, rounds, enforceMs: durationMs } = this.options.plan;
    const samples = connections.map((count) => ({ count, echo: [] as Sample[], enforce: [] as Sample[] }));
    for (let round = 0; round < rounds; round += 1)
      for (const { count, echo, enforce } of samples) {
        echo.push(await this.echoed(count, bodies));
        enforce.push(await this.watched('anchored', (settled) => this.enforce(count, bodies, { durationMs }, settled)));
      }
    for (const { count, echo, enforce } of samples) {
      this.add(rowOf({ name: ECHO, connections: count, policies: null }, echo));
      this.add(rowOf({ name: BESIDE_ECHO, connections: count, policies: POLICIES }, enforce, echo));
    }
  }

  /** The engine computes every verdict, because each request has new facts. */
  async unseenFacts(): Promise<void> {
    const bodies = enforceBodies(POLICIES, BODIES, true);
    const echo: Sample[] = [];
    const enforce: Sample[] = [];
    for (let round = 0; round < this.options.plan.rounds; round += 1) {
      echo.push(await this.echoed(MOST_CONNECTIONS, bodies, { replace: UNSEEN_AMOUNT }));
      enforce.push(await this.enforce(MOST_CONNECTIONS, bodies, { replace: UNSEEN_AMOUNT }));
    }
    const name = 'POST /v1/enforce, unseen facts';
    this.add(rowOf({ name, connections: MOST_CONNECTIONS, policies: POLICIES }, enforce, echo));
  }

  /** The same questions as intents and as tool calls, in turns. */
  async toolCalls(): Promise<void> {
    const forms = [
      { name: 'POST /v1/enforce, by intent', bodies: enforceBodies(POLICIES, BODIES) },
      { name: 'POST /v1/enforce, tool call with 1 kB of arguments', bodies: toolCallBodies(POLICIES, BODIES) },
    ].map((form) => ({ ...form, echo: [] as Sample[], enforce: [] as Sample[] }));
    for (const { bodies } of forms) await this.enforce(MOST_CONNECTIONS, bodies, { durationMs: FIRST_LOAD_MS });
    for (let round = 0; round < this.options.plan.rounds; round += 1)
      for (const { bodies, echo, enforce } of forms) {
        echo.push(await this.echoed(MOST_CONNECTIONS, bodies));
        enforce.push(await this.enforce(MOST_CONNECTIONS, bodies));
      }
    for (const { name, echo, enforce } of forms)
      this.add(rowOf({ name, connections: MOST_CONNECTIONS, policies: POLICIES }, enforce, echo));
  }

  async overPolicies(): Promise<void> {
    const { plan, service } = this.options;
    const { sizes, mode, rounds } = plan;
    const samples = new Map<number, Sample[]>(sizes.map((size) => [size, []]));
    // A set takes seconds to load, so a quick run loads each size only once.
    const passes = mode === 'quick' ? 1 : rounds;
    for (let pass = 0; pass < passes; pass += 1)
      for (const [size, of] of samples) {
        await service.usePolicies(size);
        const bodies = enforceBodies(size, BODIES);
        await this.enforce(MOST_CONNECTIONS, bodies, { durationMs: 1 });
        for (let i = 0; i < rounds / passes; i += 1) of.push(await this.enforce(MOST_CONNECTIONS, bodies));
      }
    for (const [size, of] of samples)
      this.add(rowOf({ name: OVER_POLICIES, connections: MOST_CONNECTIONS, policies: size }, of));
    await service.usePolicies(POLICIES);
  }

  async intents(): Promise<void> {
    const bodies = intentBodies(BODIES);
    for (const connections of [16, MOST_CONNECTIONS]) {
      const samples: Sample[] = [];
      for (let round = 0; round < this.options.plan.rounds; round += 1) {
        const job = this.job({ port: this.options.service.port, path: '/v1/intent', connections, bodies });
        samples.push(await this.measure(job));
      }
      this.add(rowOf({ name: 'POST /v1/intent', connections, policies: POLICIES }, samples));
    }
  }
}
