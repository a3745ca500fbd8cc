// The measurements themselves: one service, an echo beside it, and a load generator that turns from one to the other.
import { type CarriedOut, type Outcome, watch } from './carried-out.ts';
import type { LoadJob } from './load-types.ts';
import { type Measured, measure, type Queue, type Row, rowOf, type Sample } from './measure.ts';
import { enforceBodies, intentBodies, UNSEEN_AMOUNT } from './policies.ts';
import type { Echo, Service } from './processes.ts';
import { BESIDE_ECHO, ECHO, OVER_POLICIES, type Report } from './report.ts';
import { proofBodies, SIGNALS_A_REQUEST, signalBodies, submissionBodies } from './work-bodies.ts';

export interface Plan {
  readonly mode: Report['mode'];
  readonly rounds: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly connections: readonly number[];
  readonly sizes: readonly number[];
  /** Intents that are submitted in one round. */
  readonly submissions: number;
}

export const QUICK: Plan = {
  mode: 'quick',
  rounds: 3,
  durationMs: 1_200,
  warmUpMs: 300,
  connections: [1, 16, 64],
  sizes: [10, 100, 1_000, 10_000],
  submissions: 1_000,
};
export const FULL: Plan = { ...QUICK, mode: 'full', durationMs: 3_000, warmUpMs: 700, submissions: 3_000 };

export const POLICIES = 1_000;
const MOST_CONNECTIONS = 64;
/** Distinct requests; a prime number of agents and intents would not matter, their variety does. */
const BODIES = 4_096;
/** Both servers get this much load before anything is measured: V8 compiles what is hot. */
const FIRST_LOAD_MS = 3_000;
/** Senders of batches are few. */
const BATCH_CONNECTIONS = 16;

/** What was accepted, in the units of its account (signals, not requests). */
export interface Accepted {
  decisions: number;
  proofs: number;
  signals: number;
  intents: number;
}

export class Run {
  private readonly plan: Plan;
  private readonly service: Service;
  private readonly echo: Echo;
  private readonly on: Measured;
  readonly rows: Row[] = [];

  /** A row, and a line for whoever waits for the end. */
  private add(row: Row): void {
    this.rows.push(row);
    const { name, connections, queue, perSecond } = row;
    const where = queue === undefined ? '' : `, queues on ${queue}`;
    process.stderr.write(`${name}, ${connections} connections${where}: ${Math.round(perSecond.median)} requests/s\n`);
  }
  readonly accepted: Accepted = { decisions: 0, proofs: 0, signals: 0, intents: 0 };
  private readonly queue: Queue;

  constructor(plan: Plan, service: Service, echo: Echo, on: Measured, queue: Queue) {
    this.plan = plan;
    this.service = service;
    this.echo = echo;
    this.on = on;
    this.queue = queue;
  }

  private job(job: Pick<LoadJob, 'port' | 'connections' | 'bodies'> & Partial<LoadJob>): LoadJob {
    const { durationMs, warmUpMs } = this.plan;
    return { path: '/v1/enforce', key: this.service.key, durationMs, warmUpMs, ...job };
  }

  private async enforce(
    connections: number,
    bodies: readonly string[],
    more: Partial<LoadJob> = {},
    settled?: () => Promise<void>,
  ): Promise<Sample> {
    const sample = await measure(this.on, this.job({ port: this.service.port, connections, bodies, ...more }), settled);
    this.accepted.decisions += sample.accepted;
    return noted(sample);
  }

  private async echoed(connections: number, bodies: readonly string[], more: Partial<LoadJob> = {}): Promise<Sample> {
    return noted(await measure(this.on, this.job({ port: this.echo.port, connections, bodies, ...more })));
  }

  /** A round, and what became of the work it left behind. */
  private async watched(
    outcome: Outcome,
    round: (settled: () => Promise<void>) => Promise<Sample>,
  ): Promise<Sample & { carriedOut: CarriedOut }> {
    const eyes = await watch(this.service.databaseUrl, outcome);
    let carriedOut: CarriedOut | undefined;
    try {
      const sample = await round(() => eyes.drained());
      carriedOut = await eyes.end();
      return { ...sample, carriedOut };
    } finally {
      if (carriedOut === undefined) await eyes.end().catch(() => undefined);
    }
  }

  /** Rounds of accepting work, each beside the echo of the same bodies, each carried out before the next begins. */
  private async accept(work: {
    name: string;
    outcome: Outcome;
    account: keyof Accepted;
    connections: number;
    policies?: number;
    itemsARequest?: number;
    load: Pick<LoadJob, 'path' | 'bodies'> & Partial<LoadJob>;
  }): Promise<void> {
    const { name, outcome, account, connections, policies = null, itemsARequest = 1, load } = work;
    const { queue } = this;
    const job = this.job({ port: this.service.port, connections, status: 202, ...load });
    const post = async (one: LoadJob, settled: () => Promise<void>): Promise<Sample> => {
      const sample = await measure(this.on, one, settled);
      this.accepted[account] += sample.accepted * itemsARequest;
      return noted(sample);
    };
    await this.watched(outcome, (settled) => post({ ...job, durationMs: FIRST_LOAD_MS / 2 }, settled));
    const echo: Sample[] = [];
    const samples: Sample[] = [];
    for (let round = 0; round < this.plan.rounds; round += 1) {
      const { durationMs } = this.plan;
      echo.push(await this.echoed(connections, load.bodies, { durationMs: Math.min(durationMs, FULL.durationMs) }));
      samples.push(await this.watched(outcome, (settled) => post(job, settled)));
    }
    this.add(rowOf({ name, connections, policies, queue }, samples, echo, itemsARequest));
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
    const load = { path: '/v1/trust/signals', bodies: signalBodies(BODIES / SIGNALS_A_REQUEST) };
    return this.accept({
      name: `POST /v1/trust/signals, ${SIGNALS_A_REQUEST} each`,
      outcome: 'folded',
      account: 'signals',
      connections: BATCH_CONNECTIONS,
      itemsARequest: SIGNALS_A_REQUEST,
      load,
    });
  }

  /** A number of intents as fast as they are accepted, and then until all are decided. */
  submissions(): Promise<void> {
    const bodies = submissionBodies(POLICIES, BODIES);
    return this.accept({
      name: 'POST /v1/intents',
      outcome: 'decided',
      account: 'intents',
      connections: MOST_CONNECTIONS,
      policies: POLICIES,
      load: { path: '/v1/intents', bodies, most: this.plan.submissions, warmUpMs: 0, durationMs: 60_000 },
    });
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
        enforce.push(await this.watched('anchored', (settled) => this.enforce(count, bodies, {}, settled)));
      }
    for (const { count, echo, enforce } of samples) {
      this.add(rowOf({ name: ECHO, connections: count, policies: null }, echo));
      this.add(rowOf({ name: BESIDE_ECHO, connections: count, policies: POLICIES }, enforce, echo));
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
    this.add(rowOf({ name, connections: MOST_CONNECTIONS, policies: POLICIES }, enforce, echo));
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
      this.add(rowOf({ name: OVER_POLICIES, connections: MOST_CONNECTIONS, policies: size }, of));
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
      this.add(rowOf({ name: 'POST /v1/intent', connections, policies: POLICIES }, samples));
    }
  }
}

/** An error is worth reading at once: what follows is probably the same. */
function noted(sample: Sample): Sample {
  if (sample.firstError !== undefined) process.stderr.write(`an answer was an error: ${sample.firstError}\n`);
  return sample;
}
