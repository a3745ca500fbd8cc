// What operators changed, and the indexes of the agent page and the page of tools.
import { sqlMigration } from './sql-migration.ts';

const UP = `
-- JSON of a RecordedChange. Null when the action changed nothing, was refused, or has not ended, and in older rows.
ALTER TABLE dashboard_audit ADD COLUMN change text;

-- Changes of an agent. Its chain has its decisions, too, which may be millions.
CREATE INDEX record_of_agent ON record (organisation_id, environment, entity_id, proof_id) WHERE event = 'custos.agent';
-- The keys that are bound to an agent.
CREATE INDEX api_key_of_agents ON api_key USING gin (agent_ids) WHERE agent_ids IS NOT NULL;
-- Calls of tools that no catalogue lists, or whose definition is not the pinned one. The text is that of the decision's
-- record; within a JSON string its quotes would be escaped. A column would make each decision more expensive, and be null in
-- older rows.
CREATE INDEX decision_of_strange_tool ON decision (organisation_id, environment, decision_id)
  WHERE tool_server IS NOT NULL AND (position('"changed":true,"known":'::bytea IN record) > 0 OR position('"changed":false,"known":false'::bytea IN record) > 0);
`;

const DOWN = `
DROP INDEX record_of_agent, api_key_of_agents, decision_of_strange_tool;
ALTER TABLE dashboard_audit DROP COLUMN change;
`;

export const AgentPages1763700000026 = sqlMigration({ name: 'AgentPages1763700000026', up: UP, down: DOWN });
