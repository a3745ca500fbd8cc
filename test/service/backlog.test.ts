// A backlog of intents that wait longer than the sweeper's threshold: no more jobs than rows, and none lost with its queue.
import { expect } from 'chai';
import pg from 'pg';
import pino from 'pino';
import type { Database } from '../../shared/platform/db/database.ts';
import { createQueues, type Queues } from '../../shared/platform/queues/queues.ts';
import { jobOptions } from '../../workers/jobs/options.ts';
import { startRelay } from '../../workers/relay.ts';
import { sweep } from '../../workers/sweeper.ts';
import { createTestDatabase, openTestDatabase, queryOnce, type TestDatabase } from '../support/database.ts';
import { startTestRedis, type TestRedis, whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';

const logger = pino({ level: 'silent' });
/** More than one batch of the relay and of the sweeper. */
const INTENTS = 1_200;

function suite(title: string, reason: string | undefined, startRedis: () => Promise<TestRedis | undefined>): void {
  describeUnless(reason, `a backlog of intents, with queues in ${title}`, () => {
    let database: TestDatabase;
    let db: Database;
    let client: pg.Client;
    let redis: TestRedis | undefined;
    let queues: Queues;

    before(async function () {
      this.timeout(120_000);
      redis = await startRedis();
    });
    after(() => redis?.close());
    beforeEach(async () => {
      await redis?.empty();
      database = await createTestDatabase();
      db = await openTestDatabase(database.url);
      client = new pg.Client({ connectionString: database.adminUrl });
      await client.connect();
      queues = createQueues({ databaseUrl: database.url, redisUrl: redis?.url, onError: () => undefined, jobOptions });
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
          INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, queued_at)
          SELECT 'org_1', 'test', 'int_' || i, 'a', 'k', 'read', 'file:a', at, at, at
          FROM generate_series(1, $1) AS i, (SELECT now() - interval '20 seconds' AS at) AS begun RETURNING intent_id, queued_at
        )
        INSERT INTO outbox (queue, name, payload, created_at) SELECT 'intents', 'evaluate',
          json_build_object('v', 1, 'organisationId', 'org_1', 'environment', 'test', 'intentId', intent_id)::text, queued_at FROM made`,
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
    /** @returns the number of evaluations of each */
    const evaluateAll = async (): Promise<Map<string, number>> => {
      const times = new Map<string, number>();
      const decide = async ({ intentId }: { intentId: string }): Promise<void> => {
        times.set(intentId, (times.get(intentId) ?? 0) + 1);
        await db.query("UPDATE intent SET status = 'decided', decision_id = 'd' WHERE intent_id = $1", [intentId]);
      };
      queues.work('intents', { evaluate: decide }, { concurrency: 20 });
      // The sweeper and the relay run concurrently.
      await waitFor(async () => {
        await sweep({ db, queues });
        expect(await jobs()).to.be.at.most(INTENTS);
        return (await left()) === 0;
      });
      return times;
    };

    it('has one job for each intent, for any waiting time and any number of sweeps', async function () {
      this.timeout(120_000);
      await accept();
      for (let i = 0; i < 3; i += 1) {
        expect((await sweep({ db, queues })).queued['intents.evaluate']).to.equal(0);
        await handOver();
        expect(await jobs()).to.equal(INTENTS);
      }
      const times = await evaluateAll();
      expect(times.size).to.equal(INTENTS);
      expect(Math.max(...times.values())).to.equal(1);
    });

    it('is queued again completely after the queue was emptied, and every intent is decided', async function () {
      this.timeout(120_000);
      await accept();
      // The service's own role may not empty a table.
      if (redis === undefined) await queryOnce(database.ownerUrl, 'TRUNCATE bullmq.job CASCADE');
      else await redis.empty();
      expect(await jobs()).to.equal(0);
      expect((await sweep({ db, queues })).queued['intents.evaluate']).to.equal(INTENTS);
      expect((await sweep({ db, queues })).queued['intents.evaluate']).to.equal(0);
      await handOver();
      expect(await jobs()).to.equal(INTENTS);
      const times = await evaluateAll();
      expect(times.size).to.equal(INTENTS);
    });
  });
}

suite('PostgreSQL', undefined, async () => undefined);
suite('Redis', whyNoRedis(), startTestRedis);
