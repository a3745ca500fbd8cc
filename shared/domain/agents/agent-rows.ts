// Agents and their decisions as rows: what is asked of Postgres for the directory of agents.
import type { Statement } from '../../platform/db/database.ts';
import { sealedColumns } from '../../platform/db/seals/rows.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { AGENT_KEYS } from '../trust/state.ts';
import { HISTORY_MAX } from './history.ts';

/** The newest version of the row of an agent that was asked for, whether or not the row is there. */
const NEWEST = `(SELECT max(v.version) FROM row_version v WHERE v.table_name = 'agent' AND v.row_id = ARRAY[asked.organisation_id, asked.environment, asked.agent_id]) AS newest`;

// By decision_id, which begins with the time: an agent's index is read for a day, not for all its past. Only for the
// last seconds does it matter which process decided, which the index does not know.
export const LOAD: Statement = {
  name: 'agents-load',
  text: `SELECT asked.ordinal::int AS ordinal, ${sealedColumns('agent', 'agent', 'agent_')},
      ${NEWEST}, history.verdict, history.other, history.second::text AS second, history.count::int AS count
    FROM (${AGENT_KEYS.rows()}) AS asked
    LEFT JOIN agent ON agent.organisation_id = asked.organisation_id AND agent.environment = asked.environment AND agent.agent_id = asked.agent_id
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
  text: `SELECT asked.agent_id AS asked, ${sealedColumns('agent', 'agent', 'agent_')}, ${NEWEST}
    FROM (SELECT $1::text AS organisation_id, $2::text AS environment, agent_id FROM unnest($3::text[]) AS agent_id) AS asked
    LEFT JOIN agent ON agent.organisation_id = asked.organisation_id AND agent.environment = asked.environment AND agent.agent_id = asked.agent_id`,
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

/** An agent's own row, if it is there. */
export interface AgentColumns {
  /** Null: there is no such row. The other columns of the row have the same prefix. */
  agent_agent_id: string | null;
  /** The newest version of the row that was ever written, whether or not it is there. */
  newest: number | null;
}

export interface StatusRow extends AgentColumns {
  asked: string;
}

export interface LoadRow extends AgentColumns {
  ordinal: number;
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
