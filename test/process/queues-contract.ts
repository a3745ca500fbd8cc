// The guarantees of the queues: one contract suite that runs on Redis and on BullMQ's tables in PostgreSQL.
import { expect } from 'chai';
import type { Job } from '../../shared/kernel/jobs.ts';
import { createQueues, type Handlers, type QueueOptions, type Queues } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import type { DeadJob, JobOptions, JobRun } from '../../shared/platform/queues/types.ts';
import { runProcess } from '../support/process.ts';
import { describeUnless } from '../support/skip.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import type { QueueStore } from './queue-stores.ts';
import { createGate } from '../support/gate.ts';

const intent = (intentId: string): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId: 'org_1', environment: 'test', intentId },
});
const fold: Job = { queue: 'trust', name: 'fold', payload: { v: 1 } };
const SWEEP: Job = { queue: 'upkeep', name: 'sweep', payload: { v: 1 } };
const LOCKS = { lockMs: 1_000, lookMs: 300 };
const WORKER = 'test/process/queue-worker.js';
const nothing = async (): Promise<void> => undefined;
/** Handlers of the upkeep queue, of which only `sweep` does anything. */
export const upkeepWith = (sweep: () => Promise<void>): Handlers<'upkeep'> => ({
  sweep,
  'expire-approvals': nothing,
  'forget-changes': nothing,
  'forget-idempotency': nothing,
  audit: nothing,
  replay: nothing,
  'forget-replays': nothing,
});
/** Job options without retries, so that a job dies at its first failure. */
const oneAttempt = (job: Job): JobOptions => ({ ...jobOptions(job), attempts: 1 });
/** @param whyNot why the suite cannot run here; undefined: it can */
export function queueContract(title: string, whyNot: string | undefined, start: () => Promise<QueueStore>): void {
  describeUnless(whyNot, title, () => {
    let store: QueueStore;
    let open: Queues[] = [];
    const queuesOf = (more: Partial<QueueOptions> = {}): Queues => {
      const queues = createQueues({ ...store.options(), onError: () => undefined, jobOptions, locks: LOCKS, ...more });
      open.push(queues);
      return queues;
    };

    before(async function () {
      this.timeout(120_000);
      store = await start();
    });
    beforeEach(() => store.fresh());
    afterEach(async () => {
      await Promise.all(open.map((queues) => queues.close(2_000)));
      open = [];
    });
    after(() => store.close());

    it('runs every added job once, with its payload', async () => {
      const queues = queuesOf();
      const seen: unknown[] = [];
      const payload = {
        v: 1,
        organisationId: 'org_ü"\\ 漢',
        environment: 'live',
        intentId: '12345',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      } as const;
      await queues.add([{ queue: 'intents', name: 'evaluate', payload }]);
      await queues.add(Array.from({ length: 500 }, (_, i) => intent(`i${i}`)));
      queues.work('intents', { evaluate: async (given) => void seen.push(given) }, { concurrency: 10 });
      await waitFor(() => seen.length >= 501);
      expect(seen).to.deep.include(payload);
      expect(new Set(seen.map((one) => (one as { intentId: string }).intentId)).size).to.equal(501);
      await waitFor(async () => {
        const { waiting, active } = await queues.counts('intents');
        return waiting + active === 0;
      });
      expect(seen).to.have.length(501);
    });

    it('starts the jobs of a queue in the order in which they were added', async () => {
      const queues = queuesOf();
      const seen: string[] = [];
      const added = Array.from({ length: 100 }, (_, i) => `i${i}`);
      await queues.add(added.slice(0, 50).map(intent));
      await queues.add(added.slice(50).map(intent));
      queues.work('intents', { evaluate: async ({ intentId }) => void seen.push(intentId) }, { concurrency: 1 });
      await waitFor(() => seen.length === 100);
      expect(seen).to.deep.equal(added);
    });

    it('keeps queues separate, and reports the number and age of waiting jobs', async () => {
      const queues = queuesOf();
      await queues.add([intent('i1'), fold, intent('i2')]);
      await waitFor(async () => (await queues.counts('intents')).oldestWaitingMs > 50);
      expect(await queues.counts('intents')).to.deep.include({ waiting: 2, active: 0, delayed: 0, failed: 0 });
      expect(await queues.counts('trust')).to.deep.include({ waiting: 1, active: 0 });
      expect(await queues.counts('proofs')).to.deep.equal({
        waiting: 0,
        active: 0,
        delayed: 0,
        failed: 0,
        oldestWaitingMs: 0,
      });
    });

    it('keeps one job per intent however often it is queued, and accepts it again once that job has ended', async () => {
      const queues = queuesOf();
      const all = Array.from({ length: 300 }, (_, i) => intent(`i${i}`));
      for (let i = 0; i < 3; i += 1) await queues.add(all);
      await queues.add([intent('i7')]);
      expect((await queues.counts('intents')).waiting).to.equal(300);
      const door = createGate();
      let done = 0;
      const evaluate = async (): Promise<void> => {
        await door.opened;
        done += 1;
      };
      queues.work('intents', { evaluate }, { concurrency: 5 });
      await waitFor(async () => (await queues.counts('intents')).active === 5);
      await queues.add(all);
      const { waiting, active } = await queues.counts('intents');
      expect(waiting + active).to.equal(300);
      door.open();
      await waitFor(() => done === 300);
      await waitFor(async () => (await queues.counts('intents')).active === 0);
      await queues.add([intent('i7')]);
      await waitFor(() => done === 301);
    });

    it('reports when the oldest waiting work was accepted', async () => {
      const queues = queuesOf({ nowMs: () => 5_000 });
      expect(await queues.oldestWaitingAtMs('intents')).to.equal(undefined);
      await queues.add([
        { ...intent('i1'), acceptedAtMs: 1_000 },
        { ...intent('i2'), acceptedAtMs: 2_000 },
      ]);
      await queues.add([fold]);
      expect(await queues.oldestWaitingAtMs('intents')).to.equal(1_000);
      expect(await queues.oldestWaitingAtMs('trust')).to.equal(5_000);
      expect((await queues.counts('intents')).oldestWaitingMs).to.equal(4_000);
    });

    it('counts no attempt for a job that is returned because its process ends while a store is down', async () => {
      let started = 0;
      const dead: DeadJob[] = [];
      const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
      const evaluate = async (): Promise<void> => {
        started += 1;
        throw new Error('away');
      };
      await queuesOf().add([intent('i1')]);
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

    it('runs as many jobs at once as its concurrency, and no more', async () => {
      const queues = queuesOf();
      const door = createGate();
      let running = 0;
      let most = 0;
      let done = 0;
      const evaluate = async (): Promise<void> => {
        running += 1;
        most = Math.max(most, running);
        await door.opened;
        running -= 1;
        done += 1;
      };
      queues.work('intents', { evaluate }, { concurrency: 3 });
      await queues.add(Array.from({ length: 9 }, (_, i) => intent(`i${i}`)));
      await waitFor(() => running === 3);
      door.open();
      await waitFor(() => done === 9);
      expect(most).to.equal(3);
    });

    it('retries a failed job with growing delays, and reports it dead once when its attempts are used up', async () => {
      const runs: JobRun[] = [];
      const queues = queuesOf({ onJob: (run) => runs.push(run) });
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
      const queues = queuesOf({ jobOptions: oneAttempt });
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
      const queues = queuesOf({ isPassing: () => away });
      queues.work('intents', { evaluate }, { concurrency: 1 });
      await queues.add([intent('i1')]);
      // A job has three attempts. It starts after 0, 0.5, 1.5 and 3.5 s.
      await waitFor(() => started >= 3);
      away = false;
      await waitFor(() => done === 1);
      expect((await queues.counts('intents')).failed).to.equal(0);
    });

    it('has another worker run the job of a process that was killed during it', async () => {
      const { databaseUrl, redisUrl = '' } = store.options();
      const queues = queuesOf();
      await queues.add([intent('i1')]);
      const victim = runProcess(WORKER, [databaseUrl, redisUrl, 'hang']);
      await waitFor(() => victim.stdout().includes('started i1'), { what: `the job to start; ${victim.stderr()}` });
      await victim.kill();
      const seen: string[] = [];
      queues.work('intents', { evaluate: async ({ intentId }) => void seen.push(intentId) }, { concurrency: 1 });
      await waitFor(() => seen.length > 0);
      expect(seen).to.deep.equal(['i1']);
    });

    it('records a job as dead that repeatedly crashes its process', async function () {
      this.timeout(120_000);
      const { databaseUrl, redisUrl = '' } = store.options();
      const queues = queuesOf();
      await queues.add([intent('i1')]);
      for (let i = 0; i < 5; i += 1) {
        const victim = runProcess(WORKER, [databaseUrl, redisUrl, 'hang']);
        await waitFor(() => victim.stdout().includes('started i1'), { what: `start ${i} of the job` });
        await victim.kill();
      }
      const seen: string[] = [];
      const dead: DeadJob[] = [];
      const onDead = async (job: DeadJob): Promise<void> => void dead.push(job);
      const evaluate = async ({ intentId }: { intentId: string }): Promise<void> => void seen.push(intentId);
      queues.work('intents', { evaluate }, { concurrency: 1, onDead });
      await waitFor(() => dead.length > 0);
      expect(seen).to.deep.equal([]);
      expect(dead[0]?.payload).to.deep.equal(intent('i1').payload);
    });

    it('queues scheduled jobs once per installation, however many processes schedule them, and however often', async () => {
      const everyMs = 300;
      const seenAtMs: number[] = [];
      const sweep = async (): Promise<void> => void seenAtMs.push(Date.now());
      const workers = [queuesOf(), queuesOf()];
      for (const queues of workers) queues.work('upkeep', upkeepWith(sweep), { concurrency: 2 });
      const begunMs = Date.now();
      await waitFor(async () => {
        for (const queues of workers) await queues.every(SWEEP, everyMs);
        return Date.now() - begunMs > 7 * everyMs;
      });
      const periods = (Date.now() - begunMs) / everyMs;
      // On a busy machine some are late; none is queued twice.
      expect(seenAtMs.length).to.be.within(Math.floor(periods * 0.5), Math.ceil(periods) + 1);
      expect(await workers[0]?.counts('upkeep')).to.deep.include({ failed: 0 });
    });

    it('queues scheduled jobs again once a clock that was ahead has been corrected', async () => {
      const everyMs = 300;
      let made = 0;
      const realNow = Date.now;
      const ahead = queuesOf();
      Date.now = () => realNow() + 3_600_000;
      try {
        await ahead.every(SWEEP, everyMs);
      } finally {
        Date.now = realNow;
      }
      const queues = queuesOf();
      queues.work(
        'upkeep',
        upkeepWith(async () => void (made += 1)),
        { concurrency: 1 },
      );
      await waitFor(async () => {
        await queues.every(SWEEP, everyMs);
        return made >= 3;
      });
    });

    it('adding fails fast while the store is down, and works again when it is back', async function () {
      this.timeout(120_000);
      const { goAway, comeBack } = store;
      if (goAway === undefined || comeBack === undefined) return this.skip();
      const queues = queuesOf();
      const late = queuesOf();
      const seen: string[] = [];
      queues.work('intents', { evaluate: async ({ intentId }) => void seen.push(intentId) }, { concurrency: 1 });
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
        late.work('intents', { evaluate: async ({ intentId }) => void seen.push(intentId) }, { concurrency: 1 });
      } finally {
        await comeBack();
      }
      await waitFor(() => queues.add([intent('after')]).then(() => true));
      await waitFor(() => late.add([intent('late')]).then(() => true));
      await waitFor(() => seen.includes('after') && seen.includes('late'));
    });

    it('closes promptly, whatever its time-out, while the store is down and no job runs', async function () {
      this.timeout(120_000);
      const { goAway, comeBack } = store;
      if (goAway === undefined || comeBack === undefined) return this.skip();
      let errors = 0;
      const queues = queuesOf({ onError: () => void (errors += 1) });
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
      const queues = queuesOf({ jobOptions: oneAttempt });
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

    it('waits for the running job when it closes, and starts no other', async () => {
      const queues = queuesOf();
      const door = createGate();
      const seen: string[] = [];
      const evaluate = async ({ intentId }: { intentId: string }): Promise<void> => {
        await door.opened;
        seen.push(intentId);
      };
      queues.work('intents', { evaluate }, { concurrency: 1 });
      await queues.add([intent('i1'), intent('i2')]);
      await waitFor(async () => (await queues.counts('intents')).active === 1);
      const closing = queues.close(10_000);
      door.open();
      await closing;
      expect(seen).to.deep.equal(['i1']);
      expect(await queuesOf().counts('intents')).to.deep.include({ waiting: 1, active: 0 });
    });

    it('waits at most its time-out when it closes, and leaves the job to another worker', async () => {
      const queues = queuesOf();
      const door = createGate();
      let started = 0;
      const evaluate = async (): Promise<void> => {
        started += 1;
        await door.opened;
      };
      queues.work('intents', { evaluate }, { concurrency: 1 });
      await queues.add([intent('i1')]);
      await waitFor(() => started === 1);
      const startedMs = performance.now();
      await queues.close(300);
      // The job itself never ends.
      expect(performance.now() - startedMs).to.be.within(290, 10_000);
      const seen: string[] = [];
      queuesOf().work('intents', { evaluate: async ({ intentId }) => void seen.push(intentId) }, { concurrency: 1 });
      await waitFor(() => seen.length > 0);
      door.open();
      expect(seen).to.deep.equal(['i1']);
    });
  });
}
