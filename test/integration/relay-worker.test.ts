// A worker process as an operator sees it: its readiness and its metrics, with stores there and away.
import { expect } from 'chai';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startWorker, type TestService } from '../support/process.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';

const metricsOf = async (worker: TestService): Promise<string> => (await fetch(`${worker.address}/metrics`)).text();
const readinessOf = async (worker: TestService): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${worker.address}/ready`);
  return { status: response.status, body: await response.json() };
};
const QUEUES = ['intents', 'trust', 'proofs', 'upkeep'];

describe('a worker process on PostgreSQL alone', () => {
  let database: TestDatabase;
  let worker: TestService;

  before(async function () {
    this.timeout(60_000);
    database = await createTestDatabase();
    worker = await startWorker(database.url);
  });
  after(async function () {
    this.timeout(60_000);
    expect((await worker.stop()).code).to.equal(0);
    await database.drop();
  });

  it('sweeps, and tells of it in its metrics', async () => {
    const swept = /^custos_job_duration_seconds_count\{queue="upkeep",name="sweep",outcome="completed"\} [1-9]/m;
    const text = await waitFor(async () => {
      const answer = await metricsOf(worker);
      return swept.test(answer) && answer;
    });
    for (const queue of QUEUES) {
      for (const state of ['waiting', 'active', 'delayed', 'failed'])
        expect(text).to.match(new RegExp(`^custos_queue_jobs\\{queue="${queue}",state="${state}"\\} \\d`, 'm'));
      expect(text).to.match(new RegExp(`^custos_queue_oldest_waiting_seconds\\{queue="${queue}"\\} \\d`, 'm'));
      expect(text).to.include(`custos_dead_jobs{queue="${queue}"} 0`);
    }
    expect(text).to.match(/^custos_outbox_oldest_seconds \d/m);
    expect(text).to.include('process_cpu_seconds_total');
  });

  it('is ready', async () => {
    expect(await readinessOf(worker)).to.deep.equal({ status: 200, body: { status: 'ready' } });
  });
});

describeUnless(whyNoRedis(), 'a worker process with Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let worker: TestService;

  before(async function () {
    this.timeout(60_000);
    database = await createTestDatabase();
    redis = await startTestRedis();
    worker = await startWorker(database.url, { REDIS_URL: redis.url });
  });
  after(async function () {
    this.timeout(60_000);
    expect((await worker.stop()).code).to.equal(0);
    await redis.close();
    await database.drop();
  });

  it('is ready though degraded while Redis drops keys or is away, and then tells what it can', async function () {
    const { stop, start } = redis;
    if (stop === undefined || start === undefined) return this.skip();
    expect(await readinessOf(worker)).to.deep.equal({ status: 200, body: { status: 'ready' } });
    await redis.configure('maxmemory-policy', 'volatile-lru');
    const dropping = await readinessOf(worker);
    expect(dropping.status).to.equal(200);
    expect(JSON.stringify(dropping.body)).to.include('volatile-lru');

    await stop();
    const startedMs = performance.now();
    const away = await readinessOf(worker);
    expect(away).to.deep.equal({
      status: 200,
      body: { status: 'ready', degraded: ['Redis does not answer; accepted work waits in the outbox'] },
    });
    const text = await metricsOf(worker);
    expect(performance.now() - startedMs).to.be.below(4_000);
    expect(text).not.to.match(/^custos_queue_jobs\{/m);
    expect(text).to.match(/^custos_outbox_oldest_seconds \d/m);

    await start();
    await waitFor(async () => /^custos_queue_jobs\{queue="upkeep"/m.test(await metricsOf(worker)));
    expect((await readinessOf(worker)).body).to.deep.equal({ status: 'ready' });
  });
});
