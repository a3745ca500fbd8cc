// Tests of a worker process from the operator's view: readiness and metrics, with stores available and unavailable.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { createSecretHasher } from '../../shared/domain/keys/secrets.ts';
import { createKey } from '../../shared/domain/keys/store.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startWorker, TEST_PEPPER, type TestService } from '../support/process.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { bootstrap } from '../support/service.ts';
import { describeUnless } from '../support/skip.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

const metricsOf = async (worker: TestService): Promise<string> => (await fetch(`${worker.address}/metrics`)).text();
const readinessOf = async (worker: TestService, key?: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${worker.address}/ready`, key === undefined ? {} : { headers: { 'x-api-key': key } });
  return { status: response.status, body: await response.json() };
};
const QUEUES = ['intents', 'trust', 'proofs', 'webhooks', 'upkeep'];

/** The operator's admin key, and a key of its test environment with the most scopes that are possible there. */
async function makeKeys(url: string): Promise<{ adminKey: string; testerKey: string }> {
  const db = await openTestDatabase(url);
  try {
    const { key: adminKey, operatorId } = await bootstrap(db);
    const { key: testerKey } = await createKey(db, createSecretHasher(TEST_PEPPER), {
      organisationId: operatorId,
      environment: 'test',
      name: 'tester',
      scopes: ['admin:*'],
      agentIds: null,
      tier: 7,
      createdAtMs: Date.now(),
      createdBy: null,
      expiresAtMs: null,
    });
    return { adminKey, testerKey };
  } finally {
    await db.close();
  }
}

const FEW_WORDS = { CUSTOS_POLICY_DIR: folderWithFewWords() };

describe('a worker process on PostgreSQL alone', () => {
  let database: TestDatabase;
  let db: Database;
  let worker: TestService;

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    worker = await startWorker(database.url, { ...FEW_WORDS, CUSTOS_DATABASE_POOL: '2' });
  });
  after(async () => {
    expect((await worker.stop()).code).to.equal(0);
    await db.close();
    await database.drop();
  });

  it('sweeps, and counts it in its metrics', async () => {
    const swept = /^custos_job_duration_seconds_count\{queue="upkeep",name="sweep",outcome="completed"\} [1-9]/m;
    const text = await waitFor(async () => {
      const answer = await metricsOf(worker);
      // The metrics omit a store that does not answer in time, which happens on a busy machine.
      const isWhole =
        answer.includes('\ncustos_outbox_oldest_seconds ') &&
        QUEUES.every(
          (queue) =>
            answer.includes(`custos_dead_jobs{queue="${queue}"`) &&
            answer.includes(`custos_queue_jobs{queue="${queue}"`) &&
            answer.includes(`custos_queue_oldest_waiting_seconds{queue="${queue}"`),
        );
      return swept.test(answer) && isWhole && answer;
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

  it('writes its heartbeat even while all connections of its pool are busy', async () => {
    const WAITING =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'custos-workers' AND wait_event_type = 'Lock' AND datname = current_database()";
    const SEEN = 'SELECT max(seen_at) AS at FROM process_heartbeat';
    const seenAt = async (): Promise<number> => (await db.query<{ at: Date }>(SEEN, []))[0]?.at.getTime() ?? 0;
    await db.transaction(async (sql) => {
      await sql.query('LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE', []);
      // Each request queries the age of the table's oldest row.
      const asked = [metricsOf(worker), metricsOf(worker)].map((answer) => answer.catch(() => undefined));
      await waitFor(async () => (await sql.query<{ n: number }>(WAITING, []))[0]?.n === 2, { what: 'a full pool' });
      const before = await seenAt();
      await waitFor(async () => (await seenAt()) > before + 1_500, { what: 'two more heartbeats' });
      void Promise.all(asked);
    });
  });
});

describeUnless(whyNoRedis(), 'a worker process with Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let worker: TestService;
  let adminKey: string;
  let testerKey: string;

  before(async () => {
    database = await createTestDatabase();
    redis = await startTestRedis();
    ({ adminKey, testerKey } = await makeKeys(database.url));
    worker = await startWorker(database.url, { ...FEW_WORDS, REDIS_URL: redis.url });
  });
  after(async () => {
    expect((await worker.stop()).code).to.equal(0);
    await redis.close();
    await database.drop();
  });

  it('is ready but degraded while Redis evicts keys or is away, and still reports the other metrics', async function () {
    const { stop, start } = redis;
    if (stop === undefined || start === undefined) return this.skip();
    expect(await readinessOf(worker)).to.deep.equal({ status: 200, body: { status: 'ready' } });
    await redis.configure('maxmemory-policy', 'volatile-lru');
    const dropping = await readinessOf(worker);
    expect(dropping.status).to.equal(200);
    expect(dropping.body).to.deep.equal({ status: 'ready', degraded: ['queue'] });
    expect(JSON.stringify((await readinessOf(worker, adminKey)).body)).to.include('volatile-lru');
    // A busy machine may leave a part of an answer unknown.
    await waitFor(async () => isDeepStrictEqual((await readinessOf(worker, testerKey)).body, dropping.body), {
      what: 'the public answer for a key of the environment test',
    });

    await stop();
    let text = '';
    const asked = async (): Promise<number> => {
      const startedMs = performance.now();
      expect(await readinessOf(worker, adminKey)).to.deep.equal({
        status: 200,
        body: {
          status: 'ready',
          degraded: ['queue'],
          details: ['Redis does not answer; accepted work waits in the outbox'],
        },
      });
      text = await metricsOf(worker);
      return performance.now() - startedMs;
    };
    expect(await leastMs(4_000, asked)).to.be.below(4_000);
    expect(text).not.to.match(/^custos_queue_jobs\{/m);
    // A scrape does not wait for a reading that takes longer than 800 ms.
    await waitFor(async () => /^custos_outbox_oldest_seconds \d/m.test(await metricsOf(worker)));

    const closed = await startWorker(database.url, { ...FEW_WORDS, REDIS_URL: redis.url, CUSTOS_METRICS: 'private' });
    expect((await fetch(`${closed.address}/metrics`)).status).to.equal(401);
    const asOperator = await fetch(`${closed.address}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } });
    expect(asOperator.status).to.equal(200);
    expect((await closed.stop()).code).to.equal(0);

    await start();
    await waitFor(async () => /^custos_queue_jobs\{queue="upkeep"/m.test(await metricsOf(worker)));
    expect((await readinessOf(worker)).body).to.deep.equal({ status: 'ready' });
  });
});
