// Tests of the relay on a real PostgreSQL: at-least-once delivery from the outbox to the queues, whatever fails in between.
import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Job } from '../../shared/kernel/jobs.ts';
import { createQueues, type Producer } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { BATCH, handOver, startRelay } from '../../workers/relay.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';

const logger = pino({ level: 'silent' });
/** Retries of dead jobs, which are not coalesced. */
const intent = (i: number): Job => ({
  queue: 'intents',
  name: 'evaluate',
  payload: { v: 1, organisationId: 'org_1', environment: 'test', intentId: `i${i}`, retryOf: `${i}` },
});
const append = (organisationId: string): Job => ({
  queue: 'proofs',
  name: 'append',
  payload: { v: 1, organisationId, environment: 'test' },
});
const fold: Job = { queue: 'trust', name: 'fold', payload: { v: 1 } };
const idOf = (job: Job): string => (job.payload as { intentId?: string }).intentId ?? job.name;

/** A queue that records its jobs and can run a callback before it accepts them. */
function producer(before: (jobs: readonly Job[]) => Promise<void> = async () => undefined): Producer & { jobs: Job[] } {
  const jobs: Job[] = [];
  return {
    jobs,
    async add(given) {
      await before(given);
      jobs.push(...given);
    },
  };
}

let database: TestDatabase;
let db: Database;
let client: pg.Client;

const accept = (jobs: readonly Job[]): Promise<unknown> =>
  client.query('INSERT INTO outbox (queue, name, payload) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])', [
    jobs.map((job) => job.queue),
    jobs.map((job) => job.name),
    jobs.map((job) => JSON.stringify(job.payload)),
  ]);
const left = async (): Promise<number> =>
  (await client.query<{ n: number }>('SELECT count(*)::int AS n FROM outbox')).rows[0]?.n ?? -1;

async function openAll(): Promise<void> {
  database = await createTestDatabase();
  db = await openTestDatabase(database.url);
  client = new pg.Client({ connectionString: database.adminUrl });
  client.on('error', () => undefined);
  await client.connect();
}

async function closeAll(): Promise<void> {
  await client.end();
  await db.close();
  await database.drop();
}

describe('the relay', () => {
  before(openAll);
  after(closeAll);
  beforeEach(() => client.query('TRUNCATE outbox, dead_job'));

  it('delivers in the order of acceptance, at most one batch at a time', async () => {
    await accept(Array.from({ length: BATCH + 10 }, (_, i) => intent(i)));
    const queues = producer();
    expect(await handOver({ db, queues, logger })).to.deep.equal({ rows: BATCH, jobs: BATCH });
    expect(await handOver({ db, queues, logger })).to.deep.equal({ rows: 10, jobs: 10 });
    expect(await handOver({ db, queues, logger })).to.deep.equal({ rows: 0, jobs: 0 });
    expect(queues.jobs.map(idOf)).to.deep.equal(Array.from({ length: BATCH + 10 }, (_, i) => `i${i}`));
  });

  it('coalesces rows with the same wake-up into one', async () => {
    await accept([append('org_1'), intent(1), append('org_1'), fold, append('org_2'), fold, append('org_1')]);
    const queues = producer();
    expect(await handOver({ db, queues, logger })).to.deep.equal({ rows: 7, jobs: 4 });
    expect(
      queues.jobs.map(({ queue, name, payload }) => ({ queue, name, payload: JSON.parse(JSON.stringify(payload)) })),
    ).to.deep.equal([append('org_1'), intent(1), fold, append('org_2')]);
    expect(await left()).to.equal(0);
  });

  it('keeps every row when the queue refuses', async () => {
    await accept([intent(1), intent(2)]);
    const queues = producer(() => Promise.reject(new Error('away')));
    const error = await handOver({ db, queues, logger }).catch((reason: unknown) => reason);
    expect(error).to.be.an('error', 'away');
    expect(await left()).to.equal(2);
  });

  it('delivers rows again if the process ended after queueing them and before the commit', async () => {
    await accept([intent(1), intent(2)]);
    const victim = await openTestDatabase(database.url, { applicationName: 'victim' });
    const queued = producer();
    const crashing: Producer = {
      async add(jobs) {
        await queued.add(jobs);
        await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'");
      },
    };
    const error = await handOver({ db: victim, queues: crashing, logger }).catch((reason: unknown) => reason);
    expect(error).to.be.an('error');
    expect(queued.jobs.map(idOf)).to.deep.equal(['i1', 'i2']);
    expect(await left()).to.equal(2);
    const again = producer();
    // Once the server has noticed the lost connection and released the row locks.
    await waitFor(async () => (await handOver({ db, queues: again, logger })).rows === 2);
    expect(again.jobs.map(idOf)).to.deep.equal(['i1', 'i2']);
    await victim.close();
  });

  it('never blocks the acceptance of work, however long a delivery takes', async () => {
    await accept([intent(1), append('org_1')]);
    let isAccepted = false;
    const queues = producer(async () => {
      // The delivery ends after this. A request that waited for it would run into Postgres's timeout.
      await client.query("SET statement_timeout = '5s'");
      await accept([intent(2), append('org_1')]);
      await client.query('RESET statement_timeout');
      isAccepted = true;
    });
    await handOver({ db, queues, logger });
    expect(isAccepted).to.equal(true);
    expect(await left()).to.equal(2);
  });

  it('lets several workers deliver concurrently, no row twice', async () => {
    const many = 4 * BATCH;
    await accept(Array.from({ length: many }, (_, i) => intent(i)));
    const queues = producer();
    const relays = [1, 2, 3].map(() => startRelay({ db, queues, logger }));
    try {
      await waitFor(() => queues.jobs.length >= many);
    } finally {
      await Promise.all(relays.map((relay) => relay.close()));
    }
    expect(await left()).to.equal(0);
    expect(queues.jobs).to.have.length(many);
    expect(new Set(queues.jobs.map(idOf)).size).to.equal(many);
  });

  it('wakes a log at most every 50 ms under a continuous stream of rows', async () => {
    let wakeUps = 0;
    const queues: Producer = { add: async () => void (wakeUps += 1) };
    const begunMs = performance.now();
    const relay = startRelay({ db, queues, logger });
    try {
      await waitFor(
        async () => {
          await accept([append('org_1'), append('org_1')]);
          return wakeUps >= 5 && performance.now() - begunMs > 1_000;
        },
        { intervalMs: 5 },
      );
    } finally {
      await relay.close();
    }
    // A pass begins 50 ms after the previous one, and one more may run at the end.
    expect(wakeUps).to.be.at.most((performance.now() - begunMs) / 50 + 2);
  });

  it('opens no transaction while there is nothing to hand over, and then hands over what arrives', async () => {
    let asked = 0;
    let transactions = 0;
    const counting: Database = {
      ...db,
      query: (...statement) => {
        asked += 1;
        return db.query(...statement);
      },
      transaction: (work) => {
        transactions += 1;
        return db.transaction(work);
      },
    };
    const queues = producer();
    const relay = startRelay({ db: counting, queues, logger });
    try {
      await waitFor(() => asked >= 5, { what: 'an idle relay' });
      expect(transactions).to.equal(1);
      await accept([intent(1)]);
      await waitFor(() => queues.jobs.length > 0, { what: 'the job' });
      expect(queues.jobs.map(idOf)).to.deep.equal(['i1']);
    } finally {
      await relay.close();
    }
  });

  it('stores invalid jobs as dead jobs, and delivers the others', async () => {
    await client.query(
      "INSERT INTO outbox (queue, name, payload) VALUES ('nowhere', 'go', '{}'), ('intents', 'evaluate', '{broken')",
    );
    await accept([intent(1)]);
    const queues = producer();
    await handOver({ db, queues, logger });
    expect(queues.jobs.map(idOf)).to.deep.equal(['i1']);
    expect(await left()).to.equal(0);
    const { rows } = await client.query('SELECT queue, name FROM dead_job ORDER BY dead_job_id');
    expect(rows).to.deep.equal([
      { queue: 'nowhere', name: 'go' },
      { queue: 'intents', name: 'evaluate' },
    ]);
  });

  it('uses smaller batches when a store is too slow for a whole one, and keeps the rows already delivered', async () => {
    await accept(Array.from({ length: BATCH }, (_, i) => intent(i)));
    const sizes: number[] = [];
    const queues = producer(async (jobs) => {
      sizes.push(jobs.length);
      if (jobs.length > 300) throw new Error('not in time');
    });
    const relay = startRelay({ db, queues, logger });
    try {
      await waitFor(async () => (await left()) === 0);
    } finally {
      await relay.close();
    }
    expect(new Set(queues.jobs.map(idOf)).size).to.equal(BATCH);
    expect(sizes[0]).to.equal(BATCH);
    expect(sizes[1]).to.be.below(300);
  });

  it('ends when it is closed, and recovers after PostgreSQL has dropped its connections', async () => {
    const queues = producer();
    const relay = startRelay({ db, queues, logger });
    try {
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'custos-test' AND datname = current_database()",
      );
      await accept([intent(1)]);
      await waitFor(() => queues.jobs.length === 1);
    } finally {
      await relay.close();
    }
  });
});

describeUnless(whyNoRedis(), 'the relay with Redis', () => {
  before(openAll);
  after(closeAll);

  it('loses nothing while Redis is away, and resumes when it is back', async function () {
    const redis = await startTestRedis();
    const { stop, start } = redis;
    const queues = createQueues({
      databaseUrl: database.url,
      redis: { url: redis.url, prefix: 'custos-test' },
      onError: () => undefined,
      jobOptions,
    });
    const relay = startRelay({ db, queues, logger });
    const seen = new Set<string>();
    try {
      if (stop === undefined || start === undefined) return this.skip();
      queues.work('intents', { evaluate: async ({ intentId = '' }) => void seen.add(intentId) }, { concurrency: 5 });
      await accept([intent(1)]);
      await waitFor(() => seen.size === 1);
      await stop();
      await accept(Array.from({ length: 50 }, (_, i) => intent(i + 2)));
      // Enough time for several attempts.
      const sinceMs = Date.now();
      await waitFor(() => Date.now() - sinceMs > 1_500);
      expect(await left()).to.equal(50);
      await start();
      await waitFor(() => seen.size === 51);
      await waitFor(async () => (await left()) === 0);
    } finally {
      await relay.close();
      await queues.close(2_000);
      await redis.close();
    }
  });
});
