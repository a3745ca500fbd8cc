// Agents and their decisions as rows: what is asked of Postgres for the directory of agents.
import type { Statement } from '../db/database.ts';
import type { AgentStatus, Verdict } from '../vocabulary.ts';
import { HISTORY_MAX } from './history.ts';

// By decision_id, which begins with the time: an agent's index is read for a day, not for all its past. Only for the
// last seconds does it matter which process decided, which the index does not know.
export const LOAD: Statement = {
  name: 'agents-load',
  text: `SELECT asked.ordinal::int AS ordinal, agent.status, agent.capabilities, agent.tags, history.verdict, history.other, history.second::text AS second, history.count::int AS count
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (organisation_id, environment, agent_id, ordinal)
    LEFT JOIN agent USING (organisation_id, environment, agent_id)
    LEFT JOIN LATERAL (
      SELECT verdict, false AS other, floor(extract(epoch FROM evaluated_at))::bigint AS second, count(*) AS count FROM (
        SELECT verdict, evaluated_at FROM decision
        WHERE decision.organisation_id = asked.organisation_id AND decision.environment = asked.environment AND decision.agent_id = asked.agent_id
          AND decision_id >= $4 AND decision_id < $5
        ORDER BY decision_id DESC LIMIT ${HISTORY_MAX}
      ) AS older GROUP BY 1, 3
      UNION ALL
      SELECT verdict, process_id <> $6, floor(extract(epoch FROM evaluated_at))::bigint, count(*) FROM decision
        WHERE decision.organisation_id = asked.organisation_id AND decision.environment = asked.environment AND decision.agent_id = asked.agent_id
          AND decision_id >= $5
        GROUP BY 1, 2, 3
    ) AS history ON true`,
};

/** Status alone, which is cheap: the history of two hundred agents of a list would not be. */
export const STATUSES: Statement = {
  name: 'agents-statuses',
  text: 'SELECT agent_id, status FROM agent WHERE organisation_id = $1 AND environment = $2 AND agent_id = ANY ($3)',
};

/**
 * Before OTHERS, for its transaction. A table that is filled faster than it is analysed looks to the planner as if a
 * third of it were newer than any time, and it reads all of it.
 */
export const BY_INDEX: Statement = {
  name: 'history-by-index',
  text: "SELECT set_config('enable_seqscan', 'off', true)",
};
export const OTHERS: Statement = {
  name: 'history-others',
  text: `SELECT organisation_id, environment, agent_id, verdict, floor(extract(epoch FROM evaluated_at))::bigint::text AS second, count(*)::int AS count
    FROM decision WHERE evaluated_at > $1 AND process_id <> $2 GROUP BY 1, 2, 3, 4, 5`,
};

export interface StatusRow {
  agent_id: string;
  status: AgentStatus;
}

export interface LoadRow {
  ordinal: number;
  status: AgentStatus | null;
  capabilities: string[] | null;
  tags: string[] | null;
  verdict: Verdict | null;
  /** Whether another process made these decisions; known of the last seconds only. */
  other: boolean | null;
  second: string | null;
  count: number | null;
}

export interface OthersRow {
  organisation_id: string;
  environment: string;
  agent_id: string;
  verdict: Verdict;
  second: string;
  count: number;
}
