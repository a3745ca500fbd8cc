// Approvals: an ESCALATE waits for a human decision about one action of one agent; and intents that wait for one.
import { sqlMigration } from './sql-migration.ts';

const UP = `
CREATE TABLE approval (
  organisation_id text NOT NULL,
  environment text NOT NULL,
  approval_id text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'expired', 'used')),
  agent_id text NOT NULL,
  -- The key that asked, which may not approve.
  key_id text NOT NULL,
  -- SHA-256 of everything that it is bound to (shared/core/decision/approval.ts), and the parse or submitted intent of that.
  digest text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  intent_id text,
  -- The ESCALATE that opened it, written by the same statement.
  decision_id text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  decided_at timestamptz(3),
  -- A key id, or cli:<user>.
  decided_by text,
  -- The reason of the person who decided.
  reason text,
  used_at timestamptz(3),
  used_by text,
  used_decision_id text,
  -- Ids sort by time, so this order is also the order of every listing.
  PRIMARY KEY (organisation_id, environment, approval_id),
  CHECK (state NOT IN ('approved', 'rejected', 'used') OR (decided_at IS NOT NULL AND decided_by IS NOT NULL AND reason IS NOT NULL)),
  CHECK (state <> 'pending' OR decided_at IS NULL),
  CHECK ((state = 'used') = (used_decision_id IS NOT NULL)),
  CHECK ((state = 'used') = (used_at IS NOT NULL) AND (state = 'used') = (used_by IS NOT NULL))
);
-- A key that asks the same question again gets the approval that is already open.
CREATE UNIQUE INDEX approval_open ON approval (organisation_id, environment, digest, key_id) WHERE state IN ('pending', 'approved');
-- For upkeep, which expires approvals.
CREATE INDEX approval_due ON approval (expires_at) WHERE state IN ('pending', 'approved');
-- Counts the open approvals of an agent.
CREATE INDEX approval_open_by_agent ON approval (organisation_id, environment, agent_id, expires_at) WHERE state IN ('pending', 'approved');
-- Lists the approvals that wait for a human, newest first.
CREATE INDEX approval_by_state ON approval (organisation_id, environment, state, approval_id);
CREATE INDEX approval_by_agent ON approval (organisation_id, environment, agent_id, approval_id);

ALTER TABLE intent ADD COLUMN approval_id text;
`;

const DOWN = `
ALTER TABLE intent DROP COLUMN approval_id;
DROP TABLE approval;
`;

export const Approvals1763700000004 = sqlMigration({ name: 'Approvals1763700000004', up: UP, down: DOWN });
