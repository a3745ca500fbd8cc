// An index for the predecessors of a key: the decider of an approval is compared with the key line of the requester.
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
