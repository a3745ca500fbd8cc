// Runs one migration alone, as the owner of the tables: back to what an earlier version had, and forward again.
import { createDataSource } from '../../shared/platform/db/data-source.ts';
import { migrationsWith } from '../../shared/platform/db/migrations/index.ts';
import { TEST_PEPPER } from './process.ts';

/** @param name how the name of the migration begins */
export async function runMigration(ownerUrl: string, name: string, verb: 'up' | 'down'): Promise<void> {
  const Migration = migrationsWith(TEST_PEPPER).find((One) => new One().name?.startsWith(name));
  if (Migration === undefined) throw new Error(`there is no migration ${name}`);
  const source = createDataSource({
    url: ownerUrl,
    applicationName: 'custos-test',
    poolSize: 1,
    onError: () => undefined,
  });
  await source.initialize();
  try {
    await new Migration()[verb](source.createQueryRunner());
  } finally {
    await source.destroy();
  }
}
