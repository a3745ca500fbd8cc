// Tool calls among submitted intents.
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ToolCalls1763700000019 implements MigrationInterface {
  readonly name = 'ToolCalls1763700000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- JSON text of the call; null in rows that are not tool calls, and once the intent is final: then the facts of its decision have it.
ALTER TABLE intent ADD COLUMN tool text;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE intent DROP COLUMN tool');
  }
}
