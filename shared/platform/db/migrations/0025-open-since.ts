// Since when a submitted intent waits for a worker, for the age of the backlog.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- When the intent was submitted or, after it waited for an approval, when that was decided; by the database's clock. Unlike
-- queued_at it does not change when the sweeper queues the intent again.
ALTER TABLE intent ADD COLUMN open_since timestamptz(3) NOT NULL DEFAULT now();
UPDATE intent SET open_since = queued_at WHERE status IN ('queued', 'evaluating');
CREATE INDEX intent_open_since ON intent (open_since) WHERE status IN ('queued', 'evaluating');
`;

const DOWN = `
DROP INDEX intent_open_since;
ALTER TABLE intent DROP COLUMN open_since;
`;

export const OpenSince1763700000025 = sqlMigration({ name: 'OpenSince1763700000025', up: UP, down: DOWN });
