// The list of agents as the pages show it: each way to look is one index, read from where the page begins.
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { readStatuses } from '../../shared/domain/agents/agents.ts';
import { loadTrust } from '../../shared/domain/trust/state.ts';
import { dayOf } from '../../shared/core/trust/beta.ts';
import { NOTHING_RECORDED } from '../../shared/core/trust/recorded.ts';
import { levelOf } from '../../shared/core/trust/score.ts';
import type { AgentStatus, Environment } from '../../shared/kernel/vocabulary.ts';
import type { AgentRow } from './client/wire.ts';

const COLUMNS =
  'SELECT agent_id, name, status, created_at, seq::text AS seq FROM agent WHERE organisation_id = $1 AND environment = $2';
const BY_ID = `${COLUMNS} AND agent_id COLLATE "C" >= $3 AND agent_id COLLATE "C" < $4`;

/** The few that a bound key may name. */
const BOUND = `${COLUMNS} AND agent_id = ANY ($3) AND ($4::text IS NULL OR status = $4)`;

// A column that is answered as text must be sorted by its own name: the other one is the text.
/** Each reads about as many rows as it answers: of 100,000 agents, too, and on any page. A test looks at their plans. */
export const AGENT_LISTS = {
  newest: {
    name: 'dashboard-agents-newest',
    text: `${COLUMNS} AND seq < $3 ORDER BY agent.seq DESC LIMIT $4`,
  },
  newestOfStatus: {
    name: 'dashboard-agents-of-status',
    text: `${COLUMNS} AND status = $5 AND seq < $3 ORDER BY agent.seq DESC LIMIT $4`,
  },
  byPrefix: {
    name: 'dashboard-agents-by-prefix',
    text: `${BY_ID} ORDER BY agent_id COLLATE "C" LIMIT $5`,
  },
  // Of a rare status it may read all agents with the prefix.
  byPrefixOfStatus: {
    name: 'dashboard-agents-by-prefix-of-status',
    text: `${BY_ID} AND status = $6 ORDER BY agent_id COLLATE "C" LIMIT $5`,
  },
  newestOfBound: {
    name: 'dashboard-agents-bound',
    text: `${BOUND} AND seq < $5 ORDER BY agent.seq DESC LIMIT $6`,
  },
  byPrefixOfBound: {
    name: 'dashboard-agents-bound-by-prefix',
    text: `${BOUND} AND agent_id COLLATE "C" >= $5 ORDER BY agent_id COLLATE "C" LIMIT $6`,
  },
} as const satisfies Readonly<Record<string, Statement>>;

/** No seq is as high. */
const HIGHEST_SEQ = '9223372036854775807';

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
  /** The agents that the key is bound to: no other is shown. Null: it speaks for all. */
  readonly agentIds: ReadonlySet<string> | null;
}

export interface AgentLister {
  /** Newest first. @param beforeSeq the last row of the page before @throws {ApiError} E6002 */
  newest(query: AgentQuery, beforeSeq: string | undefined, limit: number): Promise<ListedAgent[]>;
  /** In the order of their ids' code points. @param fromId where the page begins @throws {ApiError} E6002 */
  byPrefix(query: AgentQuery, prefix: string, fromId: string | undefined, limit: number): Promise<ListedAgent[]>;
}

export interface ListedAgent extends AgentRow {
  readonly seq: string;
}

/**
 * The first text, in the order of code points (which is that of UTF-8 bytes), behind all that begin with a prefix.
 * @param prefix not empty
 */
export function endOfPrefix(prefix: string): string {
  const points = [...prefix];
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0;
    // Half of a surrogate pair is no text.
    if (last < 0x10_ffff) return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
  }
  // Ids have at most 256 characters.
  return '\u{10ffff}'.repeat(257);
}

export function createAgentLister(deps: {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
}): AgentLister {
  const { db, nowMs, trustDailyCap } = deps;

  const withTrust = async (
    { organisationId, environment }: AgentQuery,
    rows: readonly Row[],
  ): Promise<ListedAgent[]> => {
    const now = nowMs();
    const keys = rows.map((row) => ({ organisationId, environment, agentId: row.agent_id }));
    const [trusts, statuses] = await Promise.all([
      loadTrust(db, keys, now, trustDailyCap),
      // A row that somebody else wrote must not be shown as more than it counts as.
      readStatuses(
        db,
        { organisationId, environment },
        keys.map(({ agentId }) => agentId),
      ),
    ]);
    return rows.map((row, i) => {
      const { score } = (trusts[i] ?? NOTHING_RECORDED).on(dayOf(now));
      return {
        agentId: row.agent_id,
        name: row.name,
        status: statuses.get(row.agent_id) ?? row.status,
        trust: { score, level: levelOf(score) },
        createdAt: row.created_at.toISOString(),
        seq: row.seq,
      };
    });
  };

  return {
    async newest(query, beforeSeq, limit) {
      const { organisationId, environment, status, agentIds } = query;
      if (agentIds !== null) {
        const values = [[...agentIds], status ?? null, beforeSeq ?? HIGHEST_SEQ, limit];
        return withTrust(
          query,
          await db.query<Row>(AGENT_LISTS.newestOfBound, [organisationId, environment, ...values]),
        );
      }
      const values = [organisationId, environment, beforeSeq ?? HIGHEST_SEQ, limit];
      const rows =
        status === undefined
          ? await db.query<Row>(AGENT_LISTS.newest, values)
          : await db.query<Row>(AGENT_LISTS.newestOfStatus, [...values, status]);
      return withTrust(query, rows);
    },
    async byPrefix(query, prefix, fromId, limit) {
      const { organisationId, environment, status, agentIds } = query;
      // A cursor from before the prefix was changed must not lead out of it.
      const start = fromId !== undefined && fromId.startsWith(prefix) ? fromId : prefix;
      if (agentIds !== null) {
        const values = [[...agentIds].filter((id) => id.startsWith(prefix)), status ?? null, start, limit];
        return withTrust(
          query,
          await db.query<Row>(AGENT_LISTS.byPrefixOfBound, [organisationId, environment, ...values]),
        );
      }
      const values = [organisationId, environment, start, endOfPrefix(prefix), limit];
      const rows =
        status === undefined
          ? await db.query<Row>(AGENT_LISTS.byPrefix, values)
          : await db.query<Row>(AGENT_LISTS.byPrefixOfStatus, [...values, status]);
      return withTrust(query, rows);
    },
  };
}
