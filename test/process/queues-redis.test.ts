// The queues in Redis: the contract suite, and a Redis that is emptied, hangs, or may evict keys.
import { expect } from 'chai';
import pino from 'pino';
import type { Job } from '../../shared/kernel/jobs.ts';
import { createQueues, evictionProblem, type Queues } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { keepSchedule } from '../../workers/schedule.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import { upkeepWith } from './queue-jobs.ts';
import { queueContract } from './queues-contract.ts';
import { redisStore } from './queue-stores.ts';
import { createGate } from '../support/gate.ts';

const fold: Job = { queue: 'trust', name: 'fold', payload: { v: 1 } };

queueContract('queues in Redis', whyNoRedis(), redisStore);

describeUnless(whyNoRedis(), 'queues in a Redis that misbehaves', () => {
  let redis: TestRedis;
  let open: Queues[] = [];
  const queuesOf = (prefix = 'custos-test'): Queues => {
    const queues = createQueues({
      databaseUrl: 'postgres://127.0.0.1:1/none',
      redis: { url: redis.url, prefix },
      onError: () => undefined,
      jobOptions,
      locks: { lockMs: 1_000, lookMs: 300 },
    });
    open.push(queues);
    return queues;
  };

  before(async () => {
    redis = await startTestRedis();
  });
  beforeEach(() => redis.empty());
  afterEach(async () => {
    await Promise.all(open.map((queues) => queues.close(2_000)));
    open = [];
  });
  after(() => redis.close());

  it('queues scheduled jobs again after Redis was emptied, once for all workers', async () => {
    let swept = 0;
    const logger = pino({ level: 'silent' });
    const sweep = async (): Promise<void> => void (swept += 1);
    const workers = [queuesOf(), queuesOf()];
    for (const queues of workers) queues.work('upkeep', upkeepWith(sweep), { concurrency: 2 });
    const schedules = workers.map((queues) => keepSchedule(queues, logger, 100));
    try {
      await waitFor(() => swept > 0);
      await redis.empty();
      const before = swept;
      const emptiedMs = Date.now();
      await waitFor(() => swept >= before + 3);
      // Scheduled every 2 s; the first may come at once.
      expect(Date.now() - emptiedMs).to.be.above(3_000);
    } finally {
      await Promise.all(schedules.map((schedule) => schedule.close()));
    }
  });

  it('keeps two installations apart that share one Redis: neither takes, counts or schedules the jobs of the other', async () => {
    const [mine, others] = [queuesOf('custos-one'), queuesOf('custos-another')];
    let taken = 0;
    others.work('trust', { fold: async () => void (taken += 1) }, { concurrency: 1 });
    const prefixOf = (queues: Queues) => queues.opened().then((opened) => opened.map(({ opts }) => opts.prefix));
    expect([...new Set([...(await prefixOf(mine)), ...(await prefixOf(others))])]).to.have.length(2);
    await mine.add([fold]);
    await mine.every({ queue: 'upkeep', name: 'sweep', payload: { v: 1 } }, 60_000);
    await others.add([fold]);
    await waitFor(() => taken === 1);
    await waitFor(async () => (await others.counts('trust')).active === 0);
    expect(taken).to.equal(1);
    expect((await mine.counts('trust')).waiting).to.equal(1);
    const upkeep = (await others.opened()).find(({ name }) => name === 'upkeep');
    expect(await upkeep?.getJobSchedulersCount()).to.equal(0);
  });

  it('continues to take jobs after Redis was emptied, even during a job', async () => {
    const queues = queuesOf();
    const door = createGate();
    let started = 0;
    let done = 0;
    const foldSlowly = async (): Promise<void> => {
      started += 1;
      await door.opened;
      done += 1;
    };
    queues.work('trust', { fold: foldSlowly }, { concurrency: 1 });
    await queues.add([fold, fold]);
    await waitFor(() => started === 1);
    await redis.empty();
    door.open();
    await waitFor(() => done === 1);
    await queues.add([fold]);
    await waitFor(() => done === 2);
    expect(await queues.counts('trust')).to.deep.include({ failed: 0, waiting: 0 });
  });

  it('adding fails fast while Redis accepts connections but does not answer', async function () {
    const { hang, wake } = redis;
    if (hang === undefined || wake === undefined) return this.skip();
    const queues = queuesOf();
    await queues.add([fold]);
    hang();
    try {
      for (const producer of [queues, queuesOf()]) {
        const refused = async (): Promise<number> => {
          const startedMs = performance.now();
          const error = await producer.add([fold]).catch((reason: unknown) => reason);
          expect(error).to.be.an('error');
          return performance.now() - startedMs;
        };
        expect(await leastMs(2_100, refused)).to.be.below(2_100);
      }
    } finally {
      wake();
    }
    await waitFor(() => queues.add([fold]).then(() => true));
  });

  it('reports a Redis that may evict keys, with the setting to change, and no other', async function () {
    if (redis.stop === undefined) return this.skip();
    await redis.configure('maxmemory-policy', 'noeviction');
    expect(await evictionProblem(redis.url)).to.equal(undefined);
    await redis.configure('maxmemory-policy', 'allkeys-lru');
    expect(await evictionProblem(redis.url)).to.match(/allkeys-lru.*set maxmemory-policy noeviction/);
    await redis.configure('maxmemory-policy', 'noeviction');
    const refused = async (): Promise<number> => {
      const startedMs = performance.now();
      const error = await evictionProblem('redis://127.0.0.1:1').catch((reason: unknown) => reason);
      expect(error).to.be.an('error');
      return performance.now() - startedMs;
    };
    expect(await leastMs(2_000, refused)).to.be.below(2_000);
  });
});
