// The guarantees of the queues: one contract suite that runs on Redis and on BullMQ's tables in PostgreSQL.
import { expect } from 'chai';
import { createQueues, type QueueOptions, type Queues } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { createGate } from '../support/gate.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';
import { fold, intent, LOCKS, SWEEP, swept, upkeepWith } from './queue-jobs.ts';
import type { QueueStore } from './queue-stores.ts';
import { failureContract } from './queues-contract-failures.ts';

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

    before(async () => {
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
      queues.work('intents', { evaluate: async ({ intentId = '' }) => void seen.push(intentId) }, { concurrency: 1 });
      await waitFor(() => seen.length === 100);
      expect(seen).to.deep.equal(added);
    });

    it('keeps queues separate, and reports the number and age of waiting jobs', async () => {
      const queues = queuesOf();
      await queues.add([intent('i1'), fold, intent('i2')]);
      await waitFor(async () => (await queues.counts('intents')).oldestDueMs > 50);
      expect(await queues.counts('intents')).to.deep.include({ waiting: 2, active: 0, delayed: 0, failed: 0 });
      expect(await queues.counts('trust')).to.deep.include({ waiting: 1, active: 0 });
      expect(await queues.counts('proofs')).to.deep.equal({
        waiting: 0,
        active: 0,
        delayed: 0,
        failed: 0,
        oldestDueMs: 0,
        isPaused: false,
      });
    });

    it('counts the waiting jobs of a paused queue, and says that it is paused', async () => {
      const queues = queuesOf();
      await queues.add([intent('a'), intent('b')]);
      const pausable = (await queues.opened()).find(({ name }) => name === 'intents');
      await pausable?.pause();
      expect(await queues.counts('intents')).to.deep.include({ waiting: 2, isPaused: true });
      await pausable?.resume();
      expect(await queues.counts('intents')).to.deep.include({ waiting: 2, isPaused: false });
    });

    it('keeps one job per owner however often the sweeper queues it, and accepts it again once that job has ended', async () => {
      const queues = queuesOf();
      const all = Array.from({ length: 300 }, (_, i) => swept(`org_${i}`));
      for (let i = 0; i < 3; i += 1) await queues.add(all);
      await queues.add([swept('org_7')]);
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
      await queues.add([swept('org_7')]);
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
      expect((await queues.counts('intents')).oldestDueMs).to.equal(4_000);
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

    it('queues scheduled jobs once per installation, however many processes schedule them, and however often', async () => {
      const everyMs = 300;
      const seenAtMs: number[] = [];
      const sweep = async (): Promise<void> => void seenAtMs.push(Date.now());
      const workers = [queuesOf(), queuesOf()];
      for (const queues of workers) queues.work('upkeep', upkeepWith(sweep), { concurrency: 2 });
      const begunMs = Date.now();
      await waitFor(async () => {
        for (const queues of workers) await queues.every(SWEEP, everyMs);
        return seenAtMs.length >= 4 && Date.now() - begunMs > 7 * everyMs;
      });
      const periods = (Date.now() - begunMs) / everyMs;
      // On a busy machine some are late; none is queued twice.
      expect(seenAtMs.length).to.be.at.most(Math.ceil(periods) + 1);
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

    it('waits for the running job when it closes, and starts no other', async () => {
      const queues = queuesOf();
      const door = createGate();
      const seen: string[] = [];
      const evaluate = async ({ intentId = '' }: { intentId?: string }): Promise<void> => {
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
      queuesOf().work(
        'intents',
        { evaluate: async ({ intentId = '' }) => void seen.push(intentId) },
        { concurrency: 1 },
      );
      await waitFor(() => seen.length > 0);
      door.open();
      expect(seen).to.deep.equal(['i1']);
    });
    failureContract(queuesOf, () => store);
  });
}
