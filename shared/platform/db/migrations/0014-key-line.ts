// An index for the predecessors of a key: the decider of an approval is compared with the key line of the requester.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE INDEX api_key_by_successor ON api_key (replaced_by) WHERE replaced_by IS NOT NULL;
`;

const DOWN = `
DROP INDEX api_key_by_successor;
`;

export const KeyLine1763700000014 = sqlMigration({ name: 'KeyLine1763700000014', up: UP, down: DOWN });
