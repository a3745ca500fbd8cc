// Lets the auditor compare rows of authority with the log: a record of each agent's state, and the auditor's position.
import { type MigrationRunner, sqlMigration } from './sql-migration.ts';
import { newId } from '../../../kernel/ids.ts';
import { canonicalize } from '../../../core/proof/canonical.ts';
import { recordPrefix } from '../../../core/proof/record.ts';

const UP = `
-- Lets the auditor find records of authority without reading the decisions and proofs between them.
CREATE INDEX leaf_of_authority ON leaf (log_id, leaf_index)
  WHERE event IN ('custos.key', 'custos.halt', 'custos.policy_set', 'custos.agent', 'custos.session', 'custos.approval');

-- Findings that an operator has accepted: they no longer stop signing. JSON text.
ALTER TABLE audit ADD COLUMN accepted text NOT NULL DEFAULT '[]';
-- Decisions of the leaves below are verified (as custos decision verify does) by this version of the service; those of
-- older ones are skipped: another version may interpret a policy differently.
ALTER TABLE audit ADD COLUMN verified_by text NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN verified_from bigint NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN verified_size bigint NOT NULL DEFAULT 0;
-- The next leaf to verify again.
ALTER TABLE audit ADD COLUMN verify_next bigint NOT NULL DEFAULT 0;
-- The next agent whose evidence is compared.
ALTER TABLE audit ADD COLUMN trust_next text NOT NULL DEFAULT '';

-- One row: findings that belong to no log of the database, such as a log that was signed and is missing. JSON texts.
CREATE TABLE audit_installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  findings text NOT NULL DEFAULT '[]',
  accepted text NOT NULL DEFAULT '[]',
  audited_at timestamptz(3)
);
INSERT INTO audit_installation DEFAULT VALUES;

-- Sessions that were opened before sessions were recorded: their owners sign in again.
DELETE FROM dashboard_session;
`;

const DOWN = `
DROP TABLE audit_installation;
ALTER TABLE audit DROP COLUMN accepted, DROP COLUMN verified_by, DROP COLUMN verified_from, DROP COLUMN verified_size,
  DROP COLUMN verify_next, DROP COLUMN trust_next;
DROP INDEX leaf_of_authority;
`;

/** Agents in memory at once. */
const AT_ONCE = 500;

interface AgentRow {
  organisation_id: string;
  environment: string;
  agent_id: string;
  status: string;
  capabilities: string[];
  tags: string[];
  slug: string;
  seq: string;
}

/** Writes a record of the current state of each agent that was registered before such records existed. */
async function recordAgents(runner: MigrationRunner): Promise<void> {
  for (let after = '0'; ; ) {
    const agents = (await runner.query(
      `SELECT agent.organisation_id, agent.environment, agent.agent_id, agent.status, agent.capabilities, agent.tags, organisation.slug, agent.seq::text AS seq
       FROM agent JOIN organisation ON organisation.id = agent.organisation_id WHERE agent.seq > $1 ORDER BY agent.seq LIMIT ${AT_ONCE}`,
      [after],
    )) as AgentRow[];
    if (agents.length === 0) return;
    const nowMs = Date.now();
    const occurredAt = new Date(nowMs).toISOString();
    for (const { organisation_id: organisationId, environment, agent_id: agentId, slug, status, ...row } of agents) {
      const proofId = newId('prf', nowMs);
      const { capabilities, tags } = row;
      const body = canonicalize({ change: 'registered', agentId, status, capabilities, tags, by: null });
      const parts = { entityId: agentId, event: 'custos.agent', occurredAt, body, environment, organisationSlug: slug };
      await runner.query(
        `WITH made AS (
           INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
           VALUES ($1, $2, $3, $4, 'custos.agent', $5, convert_to($6, 'UTF8'))
         ) INSERT INTO log_inbox (organisation_id, environment, source, source_id) VALUES ($1, $2, 'record', $3)`,
        [organisationId, environment, proofId, agentId, occurredAt, recordPrefix({ ...parts, proofId })],
      );
    }
    after = agents.at(-1)?.seq ?? after;
  }
}

export const AuthorityRecords1763700000012 = sqlMigration({
  name: 'AuthorityRecords1763700000012',
  up: UP,
  down: DOWN,
  afterUp: recordAgents,
});
