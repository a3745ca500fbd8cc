// A backlog of intents that wait longer than the sweeper's threshold: few jobs for any number of rows, found again without its queue, and its true age.
import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import {
  type Backlog,
  countWaitingIntents,
  readBacklog,
  readQueues,
} from '../../shared/domain/installation/backlog.ts';
import { QUEUE_NAMES, type QueueName } from '../../shared/kernel/jobs.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { redisOfInstallation } from '../../shared/platform/queues/installation.ts';
import { createQueues, type QueueOptions, type Queues } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { startRelay } from '../../workers/relay.ts';
import { sweep } from '../../workers/sweeper.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { createGate } from '../support/gate.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';
import { SWEEP, upkeepWith } from '../process/queue-jobs.ts';

const logger = pino({ level: 'silent' });
const INTENTS = 1_200;

function suite(title: string, reason: string | undefined, startRedis: () => Promise<TestRedis | undefined>): void {
  describeUnless(reason, `a backlog of intents, with queues in ${title}`, () => {
    let database: TestDatabase;
    let db: Database;
    let client: pg.Client;
    let redis: TestRedis | undefined;
    let queues: Queues;
    let store: Pick<QueueOptions, 'databaseUrl' | 'redis'>;

    before(async () => {
      redis = await startRedis();
    });
    after(() => redis?.close());
    beforeEach(async () => {
      await redis?.empty();
      database = await createTestDatabase();
      db = await openTestDatabase(database.url);
      client = new pg.Client({ connectionString: database.adminUrl });
      await client.connect();
      store = { databaseUrl: database.url, redis: await redisOfInstallation(db, redis?.url) };
      queues = createQueues({ ...store, onError: () => undefined, jobOptions });
    });
    afterEach(async () => {
      await queues.close(2_000);
      await client.end();
      await db.close();
      await database.drop();
    });

    /** Accepted a while ago, and queued only now. */
    const accept = async (): Promise<void> => {
      await client.query(
        `WITH made AS (
          INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, queued_at, open_since, submission_seal)
          SELECT 'org_1', 'test', 'int_' || i, 'a', 'k', 'read', 'file:a', at, at, at, at, 'x'
          FROM generate_series(1, $1) AS i, (SELECT now() - interval '20 seconds' AS at) AS begun RETURNING queued_at
        )
        INSERT INTO outbox (queue, name, payload, created_at) SELECT 'intents', 'evaluate',
          '{"v":1,"organisationId":"org_1","environment":"test"}', queued_at FROM made`,
        [INTENTS],
      );
      await handOver();
    };
    const handOver = async (): Promise<void> => {
      const relay = startRelay({ db, queues, logger });
      await waitFor(async () => (await client.query('SELECT FROM outbox LIMIT 1')).rowCount === 0);
      await relay.close();
    };
    const jobs = async (): Promise<number> => {
      const { waiting, active, delayed } = await queues.counts('intents');
      return waiting + active + delayed;
    };
    const left = async (): Promise<number> =>
      (await client.query<{ n: number }>("SELECT count(*)::int AS n FROM intent WHERE status <> 'decided'")).rows[0]
        ?.n ?? -1;
    const ages = async (): Promise<Partial<Record<QueueName, number | undefined>>> => {
      const read = await readQueues(queues, (await readBacklog(db)).queues);
      return Object.fromEntries(read.map(({ queue, oldestSeconds }) => [queue, oldestSeconds]));
    };
    /** Decides a hundred with each job, as a worker does that other work keeps busy. */
    const evaluateAll = async (): Promise<void> => {
      const decide = async (): Promise<void> => {
        await db.query(
          `UPDATE intent SET status = 'decided', decision_id = 'd' WHERE intent_id IN (
             SELECT intent_id FROM intent WHERE status = 'queued' LIMIT 100 FOR UPDATE SKIP LOCKED
           )`,
          [],
        );
      };
      queues.work('intents', { evaluate: decide }, { concurrency: 4 });
      // The sweeper and the relay run concurrently.
      await waitFor(async () => {
        await sweep({ db, queues });
        await handOver();
        return (await left()) === 0;
      });
    };

    it('has one job, for any number of intents, any waiting time and any number of sweeps', async () => {
      await accept();
      for (let i = 0; i < 3; i += 1) {
        expect((await sweep({ db, queues })).queued['intents.evaluate']).to.equal(0);
        await handOver();
        expect(await jobs()).to.be.within(1, 2);
      }
    });

    it('is found again after the queue was emptied, and every intent is decided', async () => {
      await accept();
      // The service's own role may not empty a table.
      if (redis === undefined) await queryOnce(database.ownerUrl, 'TRUNCATE bullmq.job CASCADE');
      else await redis.empty();
      expect(await jobs()).to.equal(0);
      expect((await sweep({ db, queues })).queued['intents.evaluate']).to.equal(1);
      expect((await ages()).intents, 'queueing it again does not make it younger').to.be.at.least(20);
      await handOver();
      expect(await jobs()).to.equal(1);
      expect(await countWaitingIntents(db)).to.equal(INTENTS);
      await evaluateAll();
      expect(await countWaitingIntents(db)).to.equal(0);
      expect(await ages()).to.deep.include({ intents: 0, trust: 0, proofs: 0, webhooks: 0 });
    });

    it('has the age of its oldest intent, which grows, also when newer ones come and when a worker that hangs holds its job', async () => {
      await accept();
      await client.query(
        `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, submission_seal)
         VALUES ('org_1', 'test', 'int_new', 'a', 'k', 'read', 'file:a', now(), now(), 'x')`,
      );
      const before = (await ages()).intents ?? 0;
      expect(before).to.be.within(20, 50);
      const door = createGate();
      queues.work('intents', { evaluate: () => door.opened }, { concurrency: 4 });
      await waitFor(async () => (await queues.counts('intents')).waiting === 0);
      expect((await ages()).intents)
        .to.be.within(before, 60)
        .and.not.equal(before);
      door.open();
    });

    it('has the age of a scheduled job since its time came, when no worker makes it wait', async () => {
      const done = createGate();
      const worker = createQueues({
        ...store,
        onError: () => undefined,
        jobOptions,
      });
      worker.work(
        'upkeep',
        upkeepWith(async () => done.open()),
        { concurrency: 1 },
      );
      await worker.every(SWEEP, 300);
      await done.opened;
      await worker.close(2_000);
      expect(await queues.counts('upkeep')).to.deep.include({ waiting: 0, delayed: 1 });
      const overdue = async (): Promise<number> => (await ages()).upkeep ?? 0;
      const first = await waitFor(overdue);
      expect(first).to.be.below(30);
      await waitFor(async () => (await overdue()) > first);
    });
  });
}

/** Statements that insert work of each queue that has been due for $1 seconds, after newer work. */
const WORK: Readonly<Record<keyof Backlog['queues'], string>> = {
  intents: `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, status, submitted_at, updated_at, open_since, submission_seal)
    VALUES ('org_1', 'test', 'int_' || $1::int, 'a', 'k', 'read', 'file:a', 'evaluating', now(), now(), now() - $1 * interval '1 second', 'x')`,
  trust: `INSERT INTO trust_inbox (organisation_id, environment, signal_id, created_at) VALUES ('org_1', 'test', 's', now() - $1 * interval '1 second')`,
  proofs: `INSERT INTO log_inbox (organisation_id, environment, source, source_id, created_at) VALUES ('org_1', 'test', 'record', 'p', now() - $1 * interval '1 second')`,
  webhooks: `WITH endpoint AS (
      INSERT INTO webhook_endpoint (endpoint_id, organisation_id, environment, url, events, signing_keys, created_at, created_by)
      VALUES ('e' || $1::int, 'org_1', 'test', 'https://a.example', '{}', '[]', now(), 'k') RETURNING endpoint_id
    )
    INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, created_at, due_at)
    SELECT endpoint_id, 'm', 't', 's', '{}', now() - interval '1 hour', now() - $1 * interval '1 second' FROM endpoint`,
};

describe('the ages of waiting work', () => {
  let database: TestDatabase;
  let db: Database;
  let client: pg.Client;

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await db.close();
    await database.drop();
  });

  const away = { counts: () => Promise.reject(new Error('away')) };

  it('are 0 without work', async () => {
    const { queues, ...others } = await readBacklog(db);
    expect(Object.values(queues)).to.deep.equal([0, 0, 0, 0]);
    expect(others).to.deep.equal({ outbox: 0, webhookMessage: 0, ahead: 0 });
  });

  for (const queue of ['intents', 'trust', 'proofs'] as const)
    it(`of rows that are ahead, because the clock was set back, begin now, and how far ahead is told: ${queue}`, async () => {
      await client.query('BEGIN');
      await client.query(WORK[queue], [-86_400]);
      const { queues, ahead } = await readBacklog({
        query: async (text, values) => (await client.query(text, [...values])).rows,
      });
      await client.query('ROLLBACK');
      expect([queues[queue], Math.round(ahead)]).to.deep.equal([0, 86_400]);
    });

  for (const [queue, statement] of Object.entries(WORK))
    it(`are those of the oldest rows, without jobs and while the queues' store is away: ${queue}`, async () => {
      // The older row is the first one, except where rows are not in the order in which they became due.
      for (const seconds of [36, 1]) await client.query(statement, [seconds]);
      const read = await readQueues(away, (await readBacklog(db)).queues);
      expect(read.map((one) => one.queue)).to.deep.equal(QUEUE_NAMES);
      // Times are stored to the millisecond, rounded.
      expect(read.find((one) => one.queue === queue)?.oldestSeconds).to.be.within(35.999, 66);
      expect(read.find((one) => one.queue === 'upkeep')?.oldestSeconds, 'it has no rows').to.equal(undefined);
    });

  it('leave out messages of webhooks that are disabled or being delivered, and those that are due later', async () => {
    const age = async (): Promise<number> => (await readBacklog(db)).queues.webhooks;
    await client.query(
      "UPDATE webhook_endpoint SET leased_until = now() + interval '1 minute' WHERE endpoint_id = 'e36'",
    );
    expect(await age()).to.be.within(1, 31);
    await client.query(
      "UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = 'operator' WHERE endpoint_id = 'e1'",
    );
    expect(await age()).to.equal(0);
    await client.query(
      "UPDATE webhook_endpoint SET leased_until = now() - interval '5 seconds' WHERE endpoint_id = 'e36'",
    );
    expect(await age(), 'since the lease ended').to.be.within(4, 35);
    await client.query("UPDATE webhook_endpoint SET leased_until = '-infinity' WHERE endpoint_id = 'e36'");
    await client.query("UPDATE webhook_delivery SET due_at = now() + interval '1 minute' WHERE endpoint_id = 'e36'");
    expect(await age()).to.equal(0);
    expect((await readBacklog(db)).webhookMessage, 'a message that is tried again later').to.be.within(3_600, 3_630);
  });
});

suite('PostgreSQL', undefined, async () => undefined);
suite('Redis', whyNoRedis(), startTestRedis);
