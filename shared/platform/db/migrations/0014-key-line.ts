// Finding what a key was before its rotation: whoever decides an approval is held against the line of keys of whoever asked.
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE INDEX api_key_by_successor ON api_key (replaced_by) WHERE replaced_by IS NOT NULL;
`;

const DOWN = `
DROP INDEX api_key_by_successor;
`;

export class KeyLine1763700000014 implements MigrationInterface {
  readonly name = 'KeyLine1763700000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
