// `custos migrate`: migrates the database to the newest schema. A deployment runs it before it starts the service.
import { requireStore } from '../shared/platform/config/config.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import { loadConfig } from './context.ts';
import { ensureFirstKey } from './first-key.ts';
import { printLine } from './output.ts';
import type { CommandBody } from './program.ts';

export const migrateCommand: CommandBody = {
  notes: `Migrates the database of DATABASE_URL and grants the service's role its rights. When CUSTOS_MIGRATION_DATABASE_URL
names the role that owns the tables, that role migrates.`,
  define: (command) =>
    command.action(async () => {
      const config = requireStore(loadConfig());
      const applied = await migrate(config, config.pepper);
      const { newKey } = await ensureFirstKey(config, false);
      printLine(applied.length === 0 ? 'The schema is up to date.' : `Migrated: ${applied.join(', ')}.`);
      if (newKey !== undefined) printLine(`Admin key, shown only once: ${newKey}`);
    }),
};
