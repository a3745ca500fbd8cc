// `custos migrate`: brings the database to the newest schema; the deployment runs it before everything else.
import type { Command } from 'commander';
import { migrate } from '../shared/platform/db/migrate.ts';
import { requireStore } from '../shared/platform/config/config.ts';
import { loadConfig } from './context.ts';
import { ensureFirstKey } from './first-key.ts';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      'bring the database of DATABASE_URL to the newest schema, give the role of the service its rights, and make the first admin key',
    )
    .action(async () => {
      const config = requireStore(loadConfig());
      const ran = await migrate(config, config.pepper);
      const { newKey } = await ensureFirstKey(config, false);
      const lines = [ran.length === 0 ? 'The schema is the newest.' : `Migrated: ${ran.join(', ')}.`];
      if (newKey !== undefined) lines.push(`Admin key, shown this once: ${newKey}`);
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}
