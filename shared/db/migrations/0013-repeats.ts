// Repeats: whose line an API key is of, and answers under an Idempotency-Key of which a part is still to be done.
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- The first key of the line that rotations made; null: the key itself is the first.
ALTER TABLE api_key ADD COLUMN lineage text;
WITH RECURSIVE line AS (
  SELECT first.key_id AS first_id, first.replaced_by FROM api_key AS first
  WHERE first.replaced_by IS NOT NULL AND NOT EXISTS (SELECT FROM api_key AS before WHERE before.replaced_by = first.key_id)
  UNION
  SELECT line.first_id, next.replaced_by FROM line JOIN api_key AS next ON next.key_id = line.replaced_by
)
UPDATE api_key SET lineage = line.first_id FROM line WHERE api_key.key_id = line.replaced_by;

-- Which process holds the claim: when that process is gone, another one need not wait until the claim runs out.
ALTER TABLE idempotency ADD COLUMN claimed_by text;
-- The answer is stored, and a part of it failed on our side: a repeat tries that part again, and only that.
ALTER TABLE idempotency ADD COLUMN unfinished boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE idempotency DROP COLUMN unfinished, DROP COLUMN claimed_by;
ALTER TABLE api_key DROP COLUMN lineage;
`;

export class Repeats1763700000013 implements MigrationInterface {
  readonly name = 'Repeats1763700000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
