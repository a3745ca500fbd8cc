// Changes of the policy set that wait for a second person (CUSTOS_POLICY_APPROVALS).
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- Sealed (shared/platform/db/seals/tables.ts).
CREATE TABLE policy_proposal (
  approval_id text PRIMARY KEY,
  digest text NOT NULL REFERENCES policy_set (digest),
  -- The set that was in force; the proposal is for this one alone.
  previous_digest text,
  author text NOT NULL,
  reason text,
  source text NOT NULL CHECK (source IN ('folder', 'push', 'rollback')),
  signer text,
  signed_sequence bigint,
  state text NOT NULL CHECK (state IN ('pending', 'used', 'rejected', 'superseded')),
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  decided_at timestamptz(3),
  decided_by text,
  decision_reason text,
  version integer NOT NULL DEFAULT 1,
  seal bytea CHECK (length(seal) = 32)
);
CREATE INDEX policy_proposal_pending ON policy_proposal (approval_id) WHERE state = 'pending';
`;

export const PolicyProposals1763700000038 = sqlMigration({
  name: 'PolicyProposals1763700000038',
  up: UP,
  down: 'DROP TABLE policy_proposal',
});
