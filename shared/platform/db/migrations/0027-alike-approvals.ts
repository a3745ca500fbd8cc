// Approvals by what they have in common: the same agent with the same tool, or the same action on the same resource; and the
// order of the lists of dead jobs.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- A digest (shared/core/decision/approval-alike.ts). Null in approvals that an earlier version opened: each is alone then.
ALTER TABLE approval ADD COLUMN alike text;
-- For the earlier answers to the same request, and the members of a group.
CREATE INDEX approval_by_alike ON approval (organisation_id, environment, alike, approval_id) WHERE alike IS NOT NULL;
-- A page of the few dead jobs among 100,000 that were retried or discarded.
CREATE INDEX dead_job_by_state ON dead_job (state, dead_job_id);
`;

const DOWN = `
DROP INDEX dead_job_by_state;
ALTER TABLE approval DROP COLUMN alike;
`;

export const AlikeApprovals1763700000027 = sqlMigration({ name: 'AlikeApprovals1763700000027', up: UP, down: DOWN });
