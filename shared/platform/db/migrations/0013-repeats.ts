// Repeated requests: an index from a key to its predecessor, and idempotent responses of which a part must be retried.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- From a key back to the one that it replaced, to find its lineage.
CREATE INDEX api_key_by_replacement ON api_key (replaced_by) WHERE replaced_by IS NOT NULL;

-- Which process holds the claim: when it is gone, another one need not wait until the claim expires.
ALTER TABLE idempotency ADD COLUMN claimed_by text;
-- The answer is stored, but a part of it failed on the server's side: a repeat runs only that part again.
ALTER TABLE idempotency ADD COLUMN unfinished boolean NOT NULL DEFAULT false;
`;

const DOWN = `
ALTER TABLE idempotency DROP COLUMN unfinished, DROP COLUMN claimed_by;
DROP INDEX api_key_by_replacement;
`;

export const Repeats1763700000013 = sqlMigration({ name: 'Repeats1763700000013', up: UP, down: DOWN });
