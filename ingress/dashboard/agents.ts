// The list of agents for the dashboard. Each kind of list is a range scan of one index from where the page begins.
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { HIGHEST_SEQ } from '../../shared/platform/db/plans.ts';
import { readStatuses } from '../../shared/domain/agents/agents.ts';
import { loadTrust } from '../../shared/domain/trust/state.ts';
import { dayOf } from '../../shared/core/trust/beta.ts';
import { NOTHING_RECORDED } from '../../shared/core/trust/recorded.ts';
import { levelOf } from '../../shared/core/trust/score.ts';
import { endOfPrefix } from '../../shared/kernel/prefix.ts';
import type { AgentStatus, Environment } from '../../shared/kernel/vocabulary.ts';
import { decodeCursor, encodeCursor } from '../routes/paging.ts';
import { recentDecisions } from './agent-activity.ts';
import type { AgentRow, AgentRows } from './client/wire/agents.ts';

const COLUMNS =
  'SELECT agent_id, name, status, created_at, seq::text AS seq FROM agent WHERE organisation_id = $1 AND environment = $2';
const BY_ID = `${COLUMNS} AND agent_id COLLATE "C" >= $3 AND agent_id COLLATE "C" < $4`;

/** For keys that are bound to a few agents. */
const BOUND = `${COLUMNS} AND agent_id = ANY ($3) AND ($4::text IS NULL OR status = $4)`;

/**
 * Each statement reads about as many rows as it returns, on any page. A test checks their plans. Sorted by agent.seq: the bare
 * name would be the output column, which is text.
 */
export const AGENT_LISTS = {
  newest: `${COLUMNS} AND seq < $3 ORDER BY agent.seq DESC LIMIT $4`,
  newestOfStatus: `${COLUMNS} AND status = $5 AND seq < $3 ORDER BY agent.seq DESC LIMIT $4`,
  byPrefix: `${BY_ID} ORDER BY agent_id COLLATE "C" LIMIT $5`,
  // For a rare status it may read all agents with the prefix.
  byPrefixOfStatus: `${BY_ID} AND status = $6 ORDER BY agent_id COLLATE "C" LIMIT $5`,
  newestOfBound: `${BOUND} AND seq < $5 ORDER BY agent.seq DESC LIMIT $6`,
  byPrefixOfBound: `${BOUND} AND agent_id COLLATE "C" >= $5 ORDER BY agent_id COLLATE "C" LIMIT $6`,
};

interface Row {
  agent_id: string;
  name: string;
  status: AgentStatus;
  created_at: Date;
  seq: string;
}

export interface AgentQuery {
  readonly organisationId: string;
  readonly environment: Environment;
  readonly status: AgentStatus | undefined;
  /** The only agents that a bound key may see; null: all. */
  readonly agentIds: ReadonlySet<string> | null;
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface AgentLister {
  /** Newest first. @throws {ApiError} E2001 for a wrong cursor; E6002 */
  newest(query: AgentQuery): Promise<AgentRows>;
  /** Those whose ids begin with `prefix`, in the order of their ids' code points. @throws {ApiError} as `newest` */
  byPrefix(query: AgentQuery, prefix: string): Promise<AgentRows>;
}

export function createAgentLister(deps: {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
}): AgentLister {
  const { db, nowMs, trustDailyCap } = deps;

  const withTrust = async (owner: AgentQuery, rows: readonly Row[]): Promise<AgentRow[]> => {
    const now = nowMs();
    const { organisationId, environment } = owner;
    const ids = rows.map((row) => row.agent_id);
    const keys = ids.map((agentId) => ({ organisationId, environment, agentId }));
    const [trusts, statuses, recent] = await Promise.all([
      loadTrust(db, keys, now, trustDailyCap),
      // The status as decisions use it: that of a forged row is not the one in the row.
      readStatuses(db, { organisationId, environment }, ids),
      recentDecisions(db, { organisationId, environment }, ids, now),
    ]);
    return rows.map((row, i) => {
      const { score } = (trusts[i] ?? NOTHING_RECORDED).on(dayOf(now));
      return {
        agentId: row.agent_id,
        name: row.name,
        status: statuses.get(row.agent_id) ?? row.status,
        trust: { score, level: levelOf(score) },
        createdAt: row.created_at.toISOString(),
        ...recent(row.agent_id),
      };
    });
  };

  /** Reads `limit` rows and one more, which only shows that there is another page. */
  const pageOf = async (
    query: AgentQuery,
    statement: Statement,
    values: readonly unknown[],
    nextKey: (last: Row, next: Row) => string,
  ): Promise<AgentRows> => {
    const { organisationId, environment, limit } = query;
    const rows = await db.query<Row>(statement, [organisationId, environment, ...values]);
    const [last, next] = [rows[limit - 1], rows[limit]];
    return {
      items: await withTrust(query, rows.slice(0, limit)),
      nextCursor: last === undefined || next === undefined ? null : encodeCursor(nextKey(last, next)),
    };
  };

  return {
    async newest(query) {
      const { status, agentIds, cursor } = query;
      const before = decodeCursor(cursor, /^\d{1,19}$/) ?? HIGHEST_SEQ;
      const limit = query.limit + 1;
      const [statement, values]: [Statement, unknown[]] =
        agentIds !== null
          ? [AGENT_LISTS.newestOfBound, [[...agentIds], status ?? null, before, limit]]
          : status === undefined
            ? [AGENT_LISTS.newest, [before, limit]]
            : [AGENT_LISTS.newestOfStatus, [before, limit, status]];
      return pageOf(query, statement, values, ({ seq }) => seq);
    },
    async byPrefix(query, prefix) {
      const { status, agentIds, cursor } = query;
      const fromId = decodeCursor(cursor, /^[^\u0000]{1,256}$/u);
      // A cursor of another prefix must not lead out of this one.
      const start = fromId?.startsWith(prefix) === true ? fromId : prefix;
      const limit = query.limit + 1;
      const range = [start, endOfPrefix(prefix), limit];
      const [statement, values]: [Statement, unknown[]] =
        agentIds !== null
          ? [
              AGENT_LISTS.byPrefixOfBound,
              [[...agentIds].filter((id) => id.startsWith(prefix)), status ?? null, start, limit],
            ]
          : status === undefined
            ? [AGENT_LISTS.byPrefix, range]
            : [AGENT_LISTS.byPrefixOfStatus, [...range, status]];
      // The cursor is the first id of the next page: the statement has no condition for "after this id".
      return pageOf(query, statement, values, (_, next) => next.agent_id);
    },
  };
}
