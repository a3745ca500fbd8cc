// Brings a database to the newest schema; safe to call from several processes at once.
import pg from 'pg';
import { ADVISORY_LOCKS } from './locks.ts';

/**
 * Runs what is missing, in order, each migration in its own transaction; returns the names of our migrations that ran.
 * BullMQ's own tables (schema `bullmq`), which are the queues when there is no Redis, are brought up to date too.
 * @throws the driver's error when the database is not reachable or refuses a statement
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'custos-migrate' });
  await client.connect();
  try {
    // Ends with the session, also when this process is killed.
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    const ran = await runOurMigrations(databaseUrl);
    // Together with TypeORM it takes half a second to load: whoever only might migrate does without.
    const { runMigrations } = await import('bullmq');
    await runMigrations(client);
    return ran;
  } finally {
    await client.end();
  }
}

async function runOurMigrations(databaseUrl: string): Promise<string[]> {
  const { createDataSource } = await import('./data-source.ts');
  const dataSource = createDataSource({
    url: databaseUrl,
    applicationName: 'custos-migrate',
    poolSize: 1,
    queryTimeoutMs: 600_000,
    // The server has just answered above; when it is slow to answer again, the machine is busy.
    connectTimeoutMs: 60_000,
    onError: () => undefined,
  });
  await dataSource.initialize();
  try {
    return (await dataSource.runMigrations({ transaction: 'each' })).map((migration) => migration.name);
  } finally {
    await dataSource.destroy();
  }
}
