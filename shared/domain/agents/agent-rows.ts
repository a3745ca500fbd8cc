// Statements of the agent directory: agents with their history of decisions; and the facts of an agent's row.
import type { Facts } from '../../core/policy/types.ts';
import { COUNT_COLUMNS } from '../../platform/db/columns.ts';
import { sealedColumns, withoutPrefix } from '../../platform/db/seals/rows.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import type { Seals } from '../../platform/db/seals/seals.ts';
import type { SealedValues } from '../../platform/db/seals/tables.ts';
import type { AgentStatus, Verdict } from '../../kernel/vocabulary.ts';
import { AGENT_KEYS } from '../trust/state.ts';
import { DAY } from './history.ts';

/** The newest version of the agent's row, also if the row was deleted. */
const NEWEST = `(SELECT max(v.version) FROM row_version v WHERE v.table_name = 'agent' AND v.row_id = ARRAY[asked.organisation_id, asked.environment, asked.agent_id]) AS newest`;

/** SQL condition: a row of this table is of the asked agent. */
const ofAgent = (table: string): string =>
  `${table}.organisation_id = asked.organisation_id AND ${table}.environment = asked.environment AND ${table}.agent_id = asked.agent_id`;

/** The rows of agents. */
export const FACTS = `SELECT asked.ordinal::int AS ordinal, ${sealedColumns('agent', 'agent', 'agent_')}, ${NEWEST}
    FROM (${AGENT_KEYS.rows()}) AS asked
    LEFT JOIN agent ON ${ofAgent('agent')}`;

/** Decisions before this time are in agent_history. Null if it is ahead of $6, as after the clock was set back. */
const COUNTED_TO = '(SELECT counted_to FROM agent_history_to WHERE counted_to <= $6)';
const SUMS = Object.values(COUNT_COLUMNS)
  .map((column) => `sum(${column}) AS ${column}`)
  .join(', ');
const COUNT_OF_VERDICT = Object.entries(COUNT_COLUMNS)
  .map(([verdict, column]) => `('${verdict}', counted.${column})`)
  .join(', ');
const SECOND = 'floor(extract(epoch FROM evaluated_at))::bigint';

/**
 * The decisions of agents within a day. Counted ones are read by minute, and by quarter of an hour before $8, as finely as the history
 * needs them. The others are read by decision_id, which starts with the time, so only the end of an agent's index is read. The process that
 * decided matters for the last seconds only, and the index does not contain it.
 *
 * $4 and $5 are the lowest ids of a day ago and of some seconds ago, $6 and $7 the times of $5 and $4, $8 a time an hour ago, $9 this process.
 */
export const HISTORY = `SELECT asked.ordinal::int AS ordinal, history.verdict, history.other, history.second::text AS second, history.count::int AS count
    FROM (${AGENT_KEYS.rows()}) AS asked CROSS JOIN LATERAL (
      SELECT of_verdict.verdict, false AS other, extract(epoch FROM counted.at)::bigint AS second, of_verdict.count FROM (
        SELECT CASE WHEN start_at < $8 THEN date_bin('${DAY.bucketMs} milliseconds', start_at, 'epoch') ELSE start_at END AS at, ${SUMS}
        FROM agent_history WHERE ${ofAgent('agent_history')} AND start_at >= $7 AND start_at < ${COUNTED_TO} GROUP BY 1
      ) AS counted CROSS JOIN LATERAL (VALUES ${COUNT_OF_VERDICT}) AS of_verdict (verdict, count) WHERE of_verdict.count > 0
      UNION ALL
      SELECT verdict, false, ${SECOND}, count(*) FROM decision
        WHERE ${ofAgent('decision')} AND decision_id >= greatest($4, custos_id_at('dec', ${COUNTED_TO})) AND decision_id < $5
        GROUP BY 1, 3
      UNION ALL
      SELECT verdict, process_id <> $9, ${SECOND}, count(*) FROM decision
        WHERE ${ofAgent('decision')} AND decision_id >= $5
        GROUP BY 1, 2, 3
    ) AS history`;

/**
 * Adds decisions that were made since the last call to the counts of their agents, of $1 seconds at most, and tells whether there are more.
 */
export const COUNT = 'SELECT custos_count_history($1) AS more';

/** Only the status: the history of two hundred agents of a list would be expensive. */
export const STATUSES = `SELECT asked.agent_id AS asked, ${sealedColumns('agent', 'agent', 'agent_')}, ${NEWEST}
    FROM (SELECT $1::text AS organisation_id, $2::text AS environment, agent_id FROM unnest($3::text[]) AS agent_id) AS asked
    LEFT JOIN agent ON ${ofAgent('agent')}`;

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

export interface FactsRow extends AgentColumns {
  ordinal: number;
}

export interface HistoryRow {
  ordinal: number;
  verdict: Verdict;
  /** Whether another process decided; only for the last seconds. */
  other: boolean;
  second: string;
  count: number;
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
