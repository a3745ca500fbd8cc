// Sets that are evaluated in shadow for a share of decisions, changes of stages that need approval, and votes on changes of policies.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Not sealed: the sets in it never change a verdict, and a promotion names its set itself.
CREATE TABLE policy_stage (
  digest text PRIMARY KEY REFERENCES policy_set (digest),
  share double precision NOT NULL CHECK (share > 0 AND share <= 1),
  -- Null: the decisions of all organisations.
  organisation_ids text[],
  author text NOT NULL,
  reason text NOT NULL,
  staged_at timestamptz(3) NOT NULL
);

-- JSON; null: the change is for all organisations. Nulls are not sealed, so the seals of existing rows stay valid.
ALTER TABLE policy_proposal ADD COLUMN stage text,
  -- JSON: the approvals so far, while more are needed.
  ADD COLUMN votes text;
ALTER TABLE policy_proposal DROP CONSTRAINT policy_proposal_source_check,
  ADD CONSTRAINT policy_proposal_source_check CHECK (source IN ('folder', 'push', 'rollback', 'stage'));
`;

const DOWN = `
DELETE FROM policy_proposal WHERE source = 'stage';
ALTER TABLE policy_proposal DROP CONSTRAINT policy_proposal_source_check,
  ADD CONSTRAINT policy_proposal_source_check CHECK (source IN ('folder', 'push', 'rollback'));
ALTER TABLE policy_proposal DROP COLUMN stage, DROP COLUMN votes;
DROP TABLE policy_stage;
`;

export const PolicyStages1763700000041 = sqlMigration({ name: 'PolicyStages1763700000041', up: UP, down: DOWN });
