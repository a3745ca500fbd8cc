// The two queue stores for tests: emptied for each test, and stoppable where the test owns the server.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { QueueOptions } from '../../shared/platform/queues/queues.ts';
import { startTestServer } from '../support/database.ts';
import { startTestRedis } from '../support/redis.ts';
import { TEST_PEPPER } from '../support/process.ts';

export interface QueueStore {
  /** Options for creating queues; they change with each `fresh`. */
  options(): Pick<QueueOptions, 'databaseUrl' | 'redis'>;
  /** Empties the store. */
  fresh(): Promise<void>;
  /** Stops the server; absent when the tests did not start it. */
  readonly goAway?: () => Promise<void>;
  readonly comeBack?: () => Promise<void>;
  close(): Promise<void>;
}

export async function redisStore(): Promise<QueueStore> {
  const redis = await startTestRedis();
  const { stop, start } = redis;
  return {
    // An unreachable address: queues in Redis must not use PostgreSQL.
    options: () => ({ databaseUrl: 'postgres://127.0.0.1:1/none', redis: { url: redis.url, prefix: 'custos-test' } }),
    fresh: redis.empty,
    ...(stop === undefined ? {} : { goAway: stop }),
    ...(start === undefined ? {} : { comeBack: start }),
    close: redis.close,
  };
}

export async function postgresStore(): Promise<QueueStore> {
  const server = await startTestServer();
  const inDatabase = (name: string, address = server.url): string => {
    const url = new URL(address);
    url.pathname = `/${name}`;
    return url.href;
  };
  const template = 'queue_template';
  const admin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: inDatabase('postgres', server.adminUrl) });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await admin(`CREATE DATABASE ${template}`);
  await migrate(
    { databaseUrl: inDatabase(template), migrationDatabaseUrl: inDatabase(template, server.adminUrl) },
    TEST_PEPPER,
  );
  let current = template;
  return {
    options: () => ({ databaseUrl: inDatabase(current) }),
    async fresh() {
      current = `queue_${randomBytes(6).toString('hex')}`;
      await admin(`CREATE DATABASE ${current} TEMPLATE ${template}`);
    },
    goAway: () => server.stop('immediate'),
    comeBack: () => server.restart(),
    close: () => server.stop('immediate'),
  };
}
