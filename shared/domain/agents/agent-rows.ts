// Statements of the agent directory: agents with their history of decisions; and the facts of an agent's row.
import type { Facts } from '../../core/policy/types.ts';
import { sealedColumns, withoutPrefix } from '../../platform/db/seals/rows.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import type { SealedValues } from '../../platform/db/seals/tables.ts';
import type { AgentStatus, Verdict } from '../../kernel/vocabulary.ts';
import { AGENT_KEYS } from '../trust/state.ts';
import { HISTORY_MAX } from './history.ts';

/** The newest version of the agent's row, also if the row was deleted. */
const NEWEST = `(SELECT max(v.version) FROM row_version v WHERE v.table_name = 'agent' AND v.row_id = ARRAY[asked.organisation_id, asked.environment, asked.agent_id]) AS newest`;

// By decision_id, which starts with the time, so only a day of an agent's index is read. The process that decided matters
// for the last seconds only, and the index does not contain it.
export const LOAD = `SELECT asked.ordinal::int AS ordinal, ${sealedColumns('agent', 'agent', 'agent_')},
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
    ) AS history ON true`;

/** Only the status: the history of two hundred agents of a list would be expensive. */
export const STATUSES = `SELECT asked.agent_id AS asked, ${sealedColumns('agent', 'agent', 'agent_')}, ${NEWEST}
    FROM (SELECT $1::text AS organisation_id, $2::text AS environment, agent_id FROM unnest($3::text[]) AS agent_id) AS asked
    LEFT JOIN agent ON agent.organisation_id = asked.organisation_id AND agent.environment = asked.environment AND agent.agent_id = asked.agent_id`;

/**
 * Runs before OTHERS in its transaction. In a table that grows faster than it is analysed the planner expects a third of
 * the rows to match, and scans all of it.
 */
export const BY_INDEX = `SELECT ${BY_INDEX_ONLY}`;
export const OTHERS = `SELECT organisation_id, environment, agent_id, verdict, floor(extract(epoch FROM evaluated_at))::bigint::text AS second, count(*)::int AS count
    FROM decision WHERE evaluated_at > $1 AND process_id <> $2 GROUP BY 1, 2, 3, 4, 5`;

/** The agent's row, if it exists. */
interface AgentColumns {
  /** Null: the row does not exist. The other columns of the row have the same prefix. */
  agent_agent_id: string | null;
  /** The newest version that was ever written, also of a deleted row. */
  newest: number | null;
}

export interface StatusRow extends AgentColumns {
  asked: string;
}

export interface LoadRow extends AgentColumns {
  ordinal: number;
  verdict: Verdict | null;
  /** Whether another process decided; set for the last seconds only. */
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

/** The attributes of a sealed row, which this service wrote as a JSON object. */
export const attributesOf = (text: string | null): Record<string, unknown> =>
  text === null ? {} : (JSON.parse(text) as Record<string, unknown>);

/**
 * The facts of an agent's row. A row that is not genuine, or was deleted, counts as SUSPENDED: its status may have been
 * PAUSED, and unregistered agents may read.
 */
export function factsOf(seals: Seals, agentId: string, row: AgentColumns | undefined): Facts['agent'] {
  const forged: Facts['agent'] = { id: agentId, registered: true, status: 'SUSPENDED', capabilities: [], tags: [] };
  if (row === undefined || row.agent_agent_id === null) {
    if (row === undefined || row.newest === null)
      return { id: agentId, registered: false, status: 'UNREGISTERED', capabilities: [], tags: [] };
    seals.refuse('agent', `${agentId} (its row was deleted)`);
    return forged;
  }
  const stored = withoutPrefix(row, 'agent_') as SealedValues<'agent'>;
  if (!seals.isGenuine('agent', stored)) return forged;
  const { status, capabilities, tags, attributes } = stored;
  // Sealed, and a CHECK of the table allows no other status.
  return {
    id: agentId,
    registered: true,
    status: status as AgentStatus,
    capabilities: [...capabilities],
    tags: [...tags],
    ...(attributes === null ? {} : { attributes: attributesOf(attributes) }),
  };
}
