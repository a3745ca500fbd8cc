// The attributes of an agent.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- JCS of an object. Null: none. A null is not sealed, so the seals of existing rows stay valid.
ALTER TABLE agent ADD COLUMN attributes text;
`;

// Agents with attributes can't be checked without the column.
const DOWN = `
ALTER TABLE agent DROP COLUMN attributes;
`;

export const AgentAttributes1763700000034 = sqlMigration({ name: 'AgentAttributes1763700000034', up: UP, down: DOWN });
