// What the queues guarantee when jobs fail, processes are killed and the store is down, for both backends.
import { expect } from 'chai';
import type { QueueOptions, Queues } from '../../shared/platform/queues/queues.ts';
import type { DeadJob, JobRun } from '../../shared/platform/queues/types.ts';
import { runProcess } from '../support/process.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import { intent, nothing, oneAttempt, WORKER } from './queue-jobs.ts';
import type { QueueStore } from './queue-stores.ts';

/** Tests within the suite of a backend. The functions give queues, which the suite closes, and its store. */
export function failureContract(queuesOf: (more?: Partial<QueueOptions>) => Queues, storeOf: () => QueueStore): void {
  /** Queues that are connected: on a busy machine that takes longer than adding waits. */
  const connected = async (more: Partial<QueueOptions> = {}): Promise<Queues> => {
    const queues = queuesOf(more);
    await waitFor(() => queues.counts('intents').then(() => true), { what: 'the queues to be connected' });
    return queues;
  };

  it('counts no attempt for a job that is returned because its process ends while a store is down', async () => {
    let started = 0;
    const dead: DeadJob[] = [];
    const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
    const evaluate = async (): Promise<void> => {
      started += 1;
      throw new Error('away');
    };
    await (await connected()).add([intent('i1')]);
    // One process after another, more of them than the three attempts of a job.
    for (let i = 1; i <= 4; i += 1) {
      const queues = queuesOf({ isPassing: () => true });
      queues.work('intents', { evaluate }, { concurrency: 1, onDead });
      const startedBefore = started;
      await waitFor(() => started > startedBefore);
      await queues.close(2_000);
    }
    let done = 0;
    const queues = queuesOf();
    queues.work('intents', { evaluate: async () => void (done += 1) }, { concurrency: 1, onDead });
    await waitFor(() => done === 1);
    expect(dead).to.deep.equal([]);
  });

  it('retries a failed job with growing delays, and reports it dead once when its attempts are used up', async () => {
    const runs: JobRun[] = [];
    const queues = await connected({ onJob: (run) => runs.push(run) });
    const startedAtMs: number[] = [];
    const dead: DeadJob[] = [];
    const fails = async (): Promise<void> => {
      startedAtMs.push(Date.now());
      throw new Error('always');
    };
    const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
    queues.work('intents', { evaluate: fails }, { concurrency: 1, onDead });
    await queues.add([intent('i1')]);
    await waitFor(() => dead.length > 0);
    const [first = 0, second = 0, third = 0] = startedAtMs;
    expect(startedAtMs).to.have.length(3);
    // On a busy machine retries may be late, but never early.
    expect(second - first).to.be.within(900, 15_000);
    expect(third - second).to.be.within(1_900, 15_000);
    expect(dead[0]).to.deep.include({ queue: 'intents', name: 'evaluate', payload: intent('i1').payload });
    expect(dead[0]?.error.message).to.equal('always');
    expect(runs.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'failed', 'dead']);
    expect(await queues.counts('intents')).to.deep.include({ waiting: 0, active: 0, delayed: 0, failed: 1 });
    expect(dead).to.have.length(1);
  });

  it('reports a job whose death could not be recorded as soon as a worker starts', async () => {
    const queues = await connected({ jobOptions: oneAttempt });
    let asked = 0;
    const fails = async (): Promise<void> => {
      throw new Error('always');
    };
    const refuse = async (): Promise<void> => {
      asked += 1;
      throw new Error('the database is away');
    };
    queues.work('intents', { evaluate: fails }, { concurrency: 1, onDead: refuse });
    await queues.add([intent('i1')]);
    await waitFor(() => asked > 0);
    await queues.close(2_000);

    const dead: DeadJob[] = [];
    const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
    queuesOf().work('intents', { evaluate: nothing }, { concurrency: 1, onDead });
    await waitFor(() => dead.length > 0);
    expect(dead[0]?.error.message).to.equal('always');
    expect(dead[0]?.payload).to.deep.equal(intent('i1').payload);
  });

  it('counts no attempt while the store that a handler needs is down, and resumes by itself', async () => {
    let away = true;
    let started = 0;
    let done = 0;
    const evaluate = async (): Promise<void> => {
      started += 1;
      if (away) throw new Error('away');
      done += 1;
    };
    const queues = await connected({ isPassing: () => away });
    queues.work('intents', { evaluate }, { concurrency: 1 });
    await queues.add([intent('i1')]);
    // A job has three attempts. It starts after 0, 0.5, 1.5 and 3.5 s.
    await waitFor(() => started >= 3);
    away = false;
    await waitFor(() => done === 1);
    expect((await queues.counts('intents')).failed).to.equal(0);
  });

  it('has another worker run the job of a process that was killed during it', async () => {
    const { databaseUrl, redis: { url: redisUrl } = { url: '' } } = storeOf().options();
    const queues = await connected();
    await queues.add([intent('i1')]);
    const victim = runProcess(WORKER, [databaseUrl, redisUrl, 'hang']);
    await waitFor(() => victim.stdout().includes('started i1'), { what: `the job to start; ${victim.stderr()}` });
    await victim.kill();
    const seen: string[] = [];
    queues.work('intents', { evaluate: async ({ intentId = '' }) => void seen.push(intentId) }, { concurrency: 1 });
    await waitFor(() => seen.length > 0);
    expect(seen).to.deep.equal(['i1']);
  });

  it('records a job as dead that repeatedly crashes its process', async () => {
    const { databaseUrl, redis: { url: redisUrl } = { url: '' } } = storeOf().options();
    const queues = await connected();
    await queues.add([intent('i1')]);
    for (let i = 0; i < 5; i += 1) {
      const victim = runProcess(WORKER, [databaseUrl, redisUrl, 'hang']);
      await waitFor(() => victim.stdout().includes('started i1'), { what: `start ${i} of the job` });
      await victim.kill();
    }
    const seen: string[] = [];
    const dead: DeadJob[] = [];
    const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
    const evaluate = async ({ intentId = '' }: { intentId?: string }): Promise<void> => void seen.push(intentId);
    queues.work('intents', { evaluate }, { concurrency: 1, onDead });
    await waitFor(() => dead.length > 0);
    expect(seen).to.deep.equal([]);
    expect(dead[0]?.payload).to.deep.equal(intent('i1').payload);
  });

  it('adding fails fast while the store is down, and works again when it is back', async function () {
    const { goAway, comeBack } = storeOf();
    if (goAway === undefined || comeBack === undefined) return this.skip();
    const queues = await connected();
    const late = queuesOf();
    const seen: string[] = [];
    queues.work('intents', { evaluate: async ({ intentId = '' }) => void seen.push(intentId) }, { concurrency: 1 });
    await queues.add([intent('before')]);
    await waitFor(() => seen.length === 1);
    await goAway();
    try {
      // One producer had connected before, the other had not.
      for (const producer of [queues, late, queues, late]) {
        const refused = async (): Promise<number> => {
          const startedMs = performance.now();
          const error = await producer.add([intent('lost')]).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          expect(error).to.be.an('error');
          return performance.now() - startedMs;
        };
        expect(await leastMs(2_100, refused)).to.be.below(2_100);
      }
      late.work('intents', { evaluate: async ({ intentId = '' }) => void seen.push(intentId) }, { concurrency: 1 });
    } finally {
      await comeBack();
    }
    await waitFor(() => queues.add([intent('after')]).then(() => true));
    await waitFor(() => late.add([intent('late')]).then(() => true));
    await waitFor(() => seen.includes('after') && seen.includes('late'));
  });

  it('closes promptly, whatever its time-out, while the store is down and no job runs', async function () {
    const { goAway, comeBack } = storeOf();
    if (goAway === undefined || comeBack === undefined) return this.skip();
    let errors = 0;
    const queues = await connected({ onError: () => void (errors += 1) });
    let seen = 0;
    queues.work('intents', { evaluate: async () => void (seen += 1) }, { concurrency: 2 });
    await queues.add([intent('i1')]);
    await waitFor(() => seen === 1);
    await goAway();
    try {
      // By now clients wait between reconnection attempts. A timer or socket left after the close would keep the test run from ending.
      await waitFor(() => errors > 3);
      const startedMs = performance.now();
      await queues.close(20_000);
      expect(performance.now() - startedMs).to.be.below(10_000);
    } finally {
      await comeBack();
    }
  });

  it('records a job as dead that throws a value that is not an Error', async () => {
    const queues = await connected({ jobOptions: oneAttempt });
    const dead: DeadJob[] = [];
    const throwsNull = async (): Promise<void> => {
      await Promise.reject(null);
    };
    const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
    queues.work('intents', { evaluate: throwsNull }, { concurrency: 1, onDead });
    await queues.add([intent('i1')]);
    await waitFor(() => dead.length > 0);
    expect(dead[0]?.error.message).to.equal('null');
  });
}
