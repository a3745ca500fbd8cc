// The client address of a submitted intent, which its decision has as a fact.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Null: decided, or submitted before this column.
ALTER TABLE intent ADD COLUMN client_address text;
`;

const DOWN = `
ALTER TABLE intent DROP COLUMN client_address;
`;

export const IntentAddress1763700000035 = sqlMigration({ name: 'IntentAddress1763700000035', up: UP, down: DOWN });
