// Migrates a database to the newest schema; safe to run in several processes at once.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseClient } from './client.ts';
import { connectError } from './connect-error.ts';
import { loadDatabase } from './database.ts';
import { SetupError } from '../embedded/account.ts';
import { QUEUE_NAMES } from '../../kernel/jobs.ts';
import { ADVISORY_LOCKS } from './locks.ts';
import { requireMigrationPlace } from './migration-place.ts';
import { migrateAtOnce } from './migrations/at-once.ts';
import { migrationNames, migrationsWith } from './migrations/index.ts';
import { type DatabaseAccess, grantService } from './roles.ts';

/**
 * Runs missing migrations in order and returns their names: those of an empty database in one transaction, else each in its own. Also
 * migrates BullMQ's tables (schema `bullmq`), which hold the queues when there is no Redis. With a separate address for migrations it
 * creates the service's role and grants its rights.
 * @param pepper CUSTOS_PEPPER, to seal rows that give authority
 * @throws {SecretMismatchError} when the database has another pepper and there are rows to seal
 * @throws {SetupError} when the role lacks a right, the server refuses writes, or a new database has another encoding than UTF8
 * @throws {ConnectError} when the database is not reachable, or lets nobody in
 * @throws the driver's error when it refuses a statement
 */
export async function migrate(access: DatabaseAccess, pepper: string): Promise<string[]> {
  const ownerUrl = access.migrationDatabaseUrl ?? access.databaseUrl;
  const client = new DatabaseClient({ connectionString: ownerUrl, application_name: 'custos-migrate' });
  const setting = access.migrationDatabaseUrl === undefined ? 'DATABASE_URL' : 'CUSTOS_MIGRATION_DATABASE_URL';
  await client.connect().catch((error: unknown) => {
    throw connectError(error, ownerUrl, setting);
  });
  try {
    if (access.migrationDatabaseUrl === undefined) {
      if (await isNewest(client)) return [];
      await requireRights(client);
    }
    await holdMigrationLock(client);
    let ran: string[] = [];
    if (!(await isNewest(client))) {
      await requireMigrationPlace(client);
      ran = await runMissing(client, ownerUrl, pepper);
    }
    await grantService(client, access.databaseUrl);
    return ran;
  } finally {
    await client.end();
  }
}

async function runMissing(client: pg.Client, ownerUrl: string, pepper: string): Promise<string[]> {
  const ran = (await migrateAtOnce(client, pepper)) ?? (await runOneByOne(ownerUrl, pepper));
  const { runMigrations } = await import('./queue-schema.ts');
  await runMigrations(client);
  await makeQueueSequences(client);
  return ran;
}

/** Loads what the migrations of a new database and its first connection need: meanwhile, its server may be created. */
export function loadForFirstStart(): Promise<unknown> {
  return Promise.all([loadDatabase(), import('./queue-schema.ts')]);
}

const LOCK_POLL_MS = 100;

/**
 * Released with the session, also if this process is killed. It is polled: a statement that waits for the lock has a snapshot, and
 * CREATE INDEX CONCURRENTLY in the process that holds the lock would wait for it.
 */
async function holdMigrationLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      ADVISORY_LOCKS.migration,
    ]);
    if (rows[0]?.mine === true) return;
    await delay(LOCK_POLL_MS);
  }
}

/** Whether nothing is missing. Needs no right to change the schema. */
async function isNewest(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('migration') IS NOT NULL AND to_regclass('bullmq.migration') IS NOT NULL AS there`,
  );
  if (tables[0]?.there !== true) return false;
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration');
  const applied = new Set(rows.map(({ name }) => name));
  if (!migrationNames().every((migration) => applied.has(migration))) return false;
  return (await queuesAreNewest(client)) && (await missingSequences(client)).length === 0;
}

/** Version of BullMQ's tables of the BullMQ that is installed. */
export const QUEUE_SCHEMA_VERSION = 11;

/** Loads BullMQ, which takes a quarter of a second, only when the version is another one. @throws BullMQ's error when it is too new */
async function queuesAreNewest(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ version: number }>('SELECT max(version) AS version FROM bullmq.migration');
  if (rows[0]?.version === QUEUE_SCHEMA_VERSION) return true;
  const { assertSchemaCompatibility, LATEST_SCHEMA_VERSION } = await import('./queue-schema.ts');
  return (await assertSchemaCompatibility(client)) >= LATEST_SCHEMA_VERSION;
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

/** BullMQ creates a sequence when a queue is first used; the service's role may not create one. */
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

/** TypeORM runs each in its own transaction. */
async function runOneByOne(databaseUrl: string, pepper: string): Promise<string[]> {
  const { createDataSource } = await import('./data-source.ts');
  const dataSource = createDataSource({
    url: databaseUrl,
    applicationName: 'custos-migrate',
    poolSize: 1,
    migrations: migrationsWith(pepper),
    queryTimeoutMs: 600_000,
    // The server answered a moment ago, so a slow connection means a busy machine.
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
