// Brings a database to the newest schema; safe to call from several processes at once.
import { createDataSource } from './data-source.ts';

/** Held while migrating, so that two processes never migrate at once. The number is arbitrary and ours. */
const MIGRATION_LOCK = 4_237_001;

/** Runs what is missing, in order, each in its own transaction; returns the names of the migrations that ran. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const dataSource = createDataSource({
    url: databaseUrl,
    applicationName: 'custos-migrate',
    // One connection holds the lock, another migrates.
    poolSize: 2,
    queryTimeoutMs: 600_000,
    onError: () => undefined,
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    return ran.map((migration) => migration.name);
  } finally {
    await lock.release();
    await dataSource.destroy();
  }
}
