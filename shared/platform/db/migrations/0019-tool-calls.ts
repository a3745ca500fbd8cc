// Tool calls among submitted intents.
import { sqlMigration } from './sql-migration.ts';

export const ToolCalls1763700000019 = sqlMigration({
  name: 'ToolCalls1763700000019',
  up: `
-- JSON text of the call; null in rows that are not tool calls, and once the intent is final: then the facts of its decision have it.
ALTER TABLE intent ADD COLUMN tool text;
`,
  down: 'ALTER TABLE intent DROP COLUMN tool',
});
