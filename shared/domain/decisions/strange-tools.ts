// Calls of the last day that were unknown to the catalogues or had another definition than the pinned one, by tool.
import { lowestId } from '../../kernel/ids.ts';
import type { Owner } from '../../kernel/owner.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';

export const DAY_MS = 86_400_000;
/** Such calls that are read: the newest of the last day. */
export const MAX_STRANGE = 5_000;
/** Agents that are named for each tool. */
const MAX_AGENTS = 5;

/** The text of the partial index decision_of_strange_tool (migration 0026): only with it the planner uses the index. */
const CHANGED = `position('"changed":true,"known":'::bytea IN record) > 0`;
const STRANGE = `tool_server IS NOT NULL AND (${CHANGED} OR position('"changed":false,"known":false'::bytea IN record) > 0)`;
const STRANGE_CALLS = (agents = ''): Statement =>
  `SELECT server, name, changed, count(*)::int AS calls, max(decision_id) AS "decisionId", count(DISTINCT agent_id)::int AS "agentCount",
      (array_agg(DISTINCT agent_id))[1:${MAX_AGENTS}] AS agents FROM (
      SELECT tool_server AS server, tool_name AS name, ${CHANGED} AS changed, decision_id, agent_id FROM decision
      WHERE organisation_id = $1 AND environment = $2 AND decision_id >= $3 AND ${STRANGE}${agents} ORDER BY decision_id DESC LIMIT ${MAX_STRANGE}
    ) AS newest GROUP BY server, name, changed ORDER BY max(decision_id) DESC LIMIT 200`;
const ALL_STRANGE = STRANGE_CALLS();
const STRANGE_OF_BOUND = STRANGE_CALLS(' AND agent_id = ANY ($4)');

/** For the test of their plans. */
export const STRANGE_STATEMENTS: Readonly<Record<string, Statement>> = { ALL_STRANGE, STRANGE_OF_BOUND };

/** A key that may name only some agents sees only their calls. */
export interface StrangeAsker extends Owner {
  readonly agentIds: ReadonlySet<string> | null;
}

export interface StrangeCalls {
  readonly server: string;
  readonly name: string;
  readonly changed: boolean;
  readonly calls: number;
  /** Of the last one. */
  readonly decisionId: string;
  readonly agentCount: number;
  readonly agents: string[];
}

/** Those that were called last first. @throws {ApiError} E6002 */
export function readStrangeCalls(
  sql: Sql,
  { organisationId, environment, agentIds }: StrangeAsker,
  nowMs: number,
): Promise<StrangeCalls[]> {
  const day = [organisationId, environment, lowestId('dec', nowMs - DAY_MS)];
  return agentIds === null
    ? sql.query<StrangeCalls>(ALL_STRANGE, day)
    : sql.query<StrangeCalls>(STRANGE_OF_BOUND, [...day, [...agentIds]]);
}
