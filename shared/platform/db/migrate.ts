// Brings a database to the newest schema; safe to call from several processes at once.
import pg from 'pg';
import { SetupError } from '../embedded/account.ts';
import { QUEUE_NAMES } from '../../kernel/jobs.ts';
import { ADVISORY_LOCKS } from './locks.ts';
import { migrationNames, migrationsWith } from './migrations/index.ts';
import { type DatabaseAccess, grantService } from './roles.ts';

/**
 * Runs what is missing, in order, each migration in its own transaction; returns the names of our migrations that ran.
 * BullMQ's own tables (schema `bullmq`), which are the queues when there is no Redis, are brought up to date too. With an
 * address for migrations, the role of the service is made and given its rights.
 * @param pepper CUSTOS_PEPPER, under which rows that give authority are sealed
 * @throws {SecretMismatchError} when the database knows another pepper and there are rows to seal
 * @throws {SetupError} when the role may not do what is necessary
 * @throws the driver's error when the database is not reachable or refuses a statement
 */
export async function migrate(access: DatabaseAccess, pepper: string): Promise<string[]> {
  const ownerUrl = access.migrationDatabaseUrl ?? access.databaseUrl;
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'custos-migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (access.migrationDatabaseUrl === undefined) {
      if (await isNewest(client)) return [];
      await requireRights(client);
    }
    // Ends with the session, also when this process is killed.
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    const ran = await runOurMigrations(ownerUrl, pepper);
    // Together with TypeORM it takes half a second to load: whoever only might migrate does without.
    const { runMigrations } = await import('bullmq');
    await runMigrations(client);
    await makeQueueSequences(client);
    await grantService(client, access.databaseUrl);
    return ran;
  } finally {
    await client.end();
  }
}

/** Whether nothing is missing, asked in a way that a role without any right to change the schema can ask. */
async function isNewest(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('migration') IS NOT NULL AND to_regclass('bullmq.migration') IS NOT NULL AS there`,
  );
  if (tables[0]?.there !== true) return false;
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration');
  const applied = new Set(rows.map(({ name }) => name));
  if (!migrationNames().every((migration) => applied.has(migration))) return false;
  const { assertSchemaCompatibility, LATEST_SCHEMA_VERSION } = await import('bullmq');
  return (
    (await assertSchemaCompatibility(client)) >= LATEST_SCHEMA_VERSION && (await missingSequences(client)).length === 0
  );
}

async function requireRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may",
  );
  if (rows[0]?.may !== true)
    throw new SetupError(
      'The schema is older than this version, and the role of DATABASE_URL may not change it. Run "custos migrate" with the address of the owner in CUSTOS_MIGRATION_DATABASE_URL.',
    );
}

/** BullMQ makes a sequence for each queue when it is first used, which the role of the service may not. */
async function makeQueueSequences(client: pg.Client): Promise<void> {
  for (const name of await missingSequences(client))
    await client.query(`CREATE SEQUENCE IF NOT EXISTS bullmq.${pg.escapeIdentifier(name)}`);
}

async function missingSequences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS queue, bullmq.job_id_seq_name(queue) AS name
     WHERE to_regclass(format('bullmq.%I', name)) IS NULL`,
    [[...QUEUE_NAMES]],
  );
  return rows.map(({ name }) => name);
}

async function runOurMigrations(databaseUrl: string, pepper: string): Promise<string[]> {
  const { createDataSource } = await import('./data-source.ts');
  const dataSource = createDataSource({
    url: databaseUrl,
    applicationName: 'custos-migrate',
    poolSize: 1,
    migrations: migrationsWith(pepper),
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
