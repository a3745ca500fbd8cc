// When an intent was last queued, and which failure a dead job is.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- When the intent was last put into the outbox, by the database's clock: the time of its outbox row. The
-- sweeper compares it with the oldest waiting job.
ALTER TABLE intent ADD COLUMN queued_at timestamptz(3) NOT NULL DEFAULT now();
DROP INDEX intent_open;
CREATE INDEX intent_open ON intent (queued_at) WHERE status IN ('queued', 'evaluating');

-- The queue's job id and the time of the failure: a failure that is reported twice is recorded once.
ALTER TABLE dead_job ADD COLUMN run text;
`;

const DOWN = `
ALTER TABLE dead_job DROP COLUMN run;
DROP INDEX intent_open;
ALTER TABLE intent DROP COLUMN queued_at;
CREATE INDEX intent_open ON intent (updated_at) WHERE status IN ('queued', 'evaluating');
`;

export const QueuedOnce1763700000011 = sqlMigration({ name: 'QueuedOnce1763700000011', up: UP, down: DOWN });
