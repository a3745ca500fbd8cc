// The activity of agents for the dashboard: their decisions of the last day, the tools they call, their keys, and the changes
// of their status. Each statement reads a bounded number of rows from one index.
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { AGENT_STATUSES, type AgentStatus, type Verdict } from '../../shared/kernel/vocabulary.ts';
import type { VerdictCounts } from './client/wire.ts';
import type {
  AgentActivity,
  BoundKey,
  DayOfDecisions,
  LastDecision,
  StatusChange,
  ToolUse,
} from './client/wire/agents.ts';
import { bodyOfPrefix } from '../../shared/core/proof/record.ts';

const DAY_MS = 86_400_000;
/** Decisions of a day that are counted for each row of a list, and on the page of one agent. */
const MAX_OF_LIST = 1_000;
const MAX_OF_PAGE = 10_000;
/** Newest decisions of an agent among which its tools are counted. */
const MAX_TOOL_DECISIONS = 1_000;
const MAX_KEYS = 20;
const MAX_CHANGES = 50;

const OF_AGENT = 'decision.organisation_id = $1 AND decision.environment = $2 AND decision.agent_id = asked.agent_id';
/** $3: the agents; $4: the lowest decision id of the day; $5: the most decisions that are counted. */
const DAYS = `SELECT asked.agent_id AS "agentId", counted.verdict, counted.count::int AS count
    FROM unnest($3::text[]) AS asked (agent_id) CROSS JOIN LATERAL (
      SELECT verdict, count(*) AS count FROM (
        SELECT verdict FROM decision WHERE ${OF_AGENT} AND decision_id >= $4 ORDER BY decision_id DESC LIMIT $5
      ) AS newest GROUP BY verdict
    ) AS counted`;
const LAST = `SELECT asked.agent_id AS "agentId", newest.decision_id AS "decisionId", newest.verdict, newest.evaluated_at AS at
    FROM unnest($3::text[]) AS asked (agent_id) CROSS JOIN LATERAL (
      SELECT decision_id, verdict, evaluated_at FROM decision WHERE ${OF_AGENT} ORDER BY decision_id DESC LIMIT 1
    ) AS newest`;
const TOOLS = `SELECT tool_server AS server, tool_name AS name, verdict, count(*)::int AS count, max(decision_id) AS "decisionId", (array_agg(evaluated_at ORDER BY decision_id DESC))[1] AS at
    FROM (
      SELECT tool_server, tool_name, verdict, decision_id, evaluated_at FROM decision
      WHERE organisation_id = $1 AND environment = $2 AND agent_id = $3 ORDER BY decision_id DESC LIMIT ${MAX_TOOL_DECISIONS}
    ) AS newest GROUP BY 1, 2, 3`;
const KEYS = `SELECT key_id AS "keyId", name, cardinality(agent_ids) AS agents, expires_at AS "expiresAt" FROM api_key
    WHERE organisation_id = $1 AND environment = $2 AND agent_ids @> ARRAY[$3::text] AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
    ORDER BY seq DESC LIMIT ${MAX_KEYS + 1}`;
const CHANGES = `SELECT proof_id AS "proofId", occurred_at AS at, record FROM record
    WHERE organisation_id = $1 AND environment = $2 AND entity_id = $3 AND event = 'custos.agent' ORDER BY proof_id DESC LIMIT ${MAX_CHANGES + 1}`;
const KEY_NAMES =
  'SELECT key_id AS "keyId", name FROM api_key WHERE organisation_id = $1 AND environment = $2 AND key_id = ANY ($3::text[])';

/** For the test of their plans. */
export const ACTIVITY_STATEMENTS: Readonly<Record<string, Statement>> = { DAYS, LAST, TOOLS, KEYS, CHANGES };

const NONE: VerdictCounts = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
const total = (counts: VerdictCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

interface DayRow {
  readonly agentId: string;
  readonly verdict: Verdict;
  readonly count: number;
}

interface LastRow extends Omit<LastDecision, 'at'> {
  readonly agentId: string;
  readonly at: Date;
}

async function daysOf(
  db: Sql,
  owner: Owner,
  agentIds: readonly string[],
  { nowMs, most }: { readonly nowMs: number; readonly most: number },
): Promise<ReadonlyMap<string, DayOfDecisions>> {
  const values = [owner.organisationId, owner.environment, agentIds, lowestId('dec', nowMs - DAY_MS), most];
  const days = new Map<string, DayOfDecisions>();
  for (const { agentId, verdict, count } of await db.query<DayRow>(DAYS, values)) {
    const counts = { ...(days.get(agentId)?.counts ?? NONE), [verdict]: count };
    days.set(agentId, { counts, more: total(counts) >= most });
  }
  return days;
}

export interface RecentDecisions {
  readonly day: DayOfDecisions;
  readonly last: LastDecision | null;
}

/** For each row of a list of agents, by agent. */
export async function recentDecisions(
  db: Sql,
  owner: Owner,
  agentIds: readonly string[],
  nowMs: number,
): Promise<(agentId: string) => RecentDecisions> {
  const [days, rows] = await Promise.all([
    daysOf(db, owner, agentIds, { nowMs, most: MAX_OF_LIST }),
    db.query<LastRow>(LAST, [owner.organisationId, owner.environment, agentIds]),
  ]);
  const last = new Map(rows.map(({ agentId, at, ...row }) => [agentId, { ...row, at: at.toISOString() }]));
  return (agentId) => ({
    day: days.get(agentId) ?? { counts: NONE, more: false },
    last: last.get(agentId) ?? null,
  });
}

interface ToolRow {
  readonly server: string | null;
  readonly name: string | null;
  readonly verdict: Verdict;
  readonly count: number;
  readonly decisionId: string;
  readonly at: Date;
}

/** Rows by tool and verdict as one use per tool, that of the last call first. */
export function toolUses(rows: readonly ToolRow[]): ToolUse[] {
  const uses = new Map<string, ToolUse>();
  for (const { server, name, verdict, count, decisionId, at } of rows) {
    if (server === null || name === null) continue;
    const key = JSON.stringify([server, name]);
    const known = uses.get(key);
    const last = { decisionId, verdict, at: at.toISOString() };
    uses.set(key, {
      server,
      name,
      counts: { ...(known?.counts ?? NONE), [verdict]: count },
      last: known === undefined || known.last.decisionId < decisionId ? last : known.last,
    });
  }
  return [...uses.values()].sort((a, b) => (a.last.decisionId < b.last.decisionId ? 1 : -1));
}

interface ChangeRow {
  readonly proofId: string;
  readonly at: Date;
  readonly record: Buffer;
}

interface AgentRecord {
  readonly status?: unknown;
  readonly by?: unknown;
  readonly reason?: unknown;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The changes of status among the records of an agent, newest first. @param rows newest first; the oldest of a full page only tells the status before */
export function statusChanges(rows: readonly ChangeRow[]): {
  readonly items: readonly Omit<StatusChange, 'keyName'>[];
  readonly more: boolean;
} {
  const more = rows.length > MAX_CHANGES;
  const records = rows.map((row) => ({ ...row, body: bodyOfPrefix(row.record) as AgentRecord }));
  const statusOf = (at: number): AgentStatus | null =>
    AGENT_STATUSES.find((status) => status === records[at]?.body.status) ?? null;
  const items = records.slice(0, MAX_CHANGES).flatMap(({ proofId, at, body }, n) => {
    const [from, to] = [statusOf(n + 1), statusOf(n)];
    if (to === null || from === to) return [];
    return [{ at: at.toISOString(), from, to, keyId: textOf(body.by), reason: textOf(body.reason), proofId }];
  });
  return { items, more };
}

/** @throws {ApiError} E6002 */
export async function readActivity(
  db: Sql,
  { organisationId, environment }: Owner,
  agentId: string,
  nowMs: number,
): Promise<AgentActivity> {
  const values = [organisationId, environment, agentId];
  const [days, tools, keys, changes] = await Promise.all([
    daysOf(db, { organisationId, environment }, [agentId], { nowMs, most: MAX_OF_PAGE }),
    db.query<ToolRow>(TOOLS, values),
    db.query<Omit<BoundKey, 'expiresAt'> & { readonly expiresAt: Date | null }>(KEYS, [...values, new Date(nowMs)]),
    db.query<ChangeRow>(CHANGES, values),
  ]);
  const changed = statusChanges(changes);
  const ids = [...new Set(changed.items.flatMap(({ keyId }) => keyId ?? []))];
  const named = await db.query<{ keyId: string; name: string }>(KEY_NAMES, [organisationId, environment, ids]);
  const names = new Map(named.map(({ keyId, name }) => [keyId, name]));
  const decisions = tools.reduce((sum, { count }) => sum + count, 0);
  const shown = keys.map(({ expiresAt, ...key }) => ({ ...key, expiresAt: expiresAt?.toISOString() ?? null }));
  return {
    day: days.get(agentId) ?? { counts: NONE, more: false },
    tools: { items: toolUses(tools), decisions, more: decisions >= MAX_TOOL_DECISIONS },
    keys: { items: shown.slice(0, MAX_KEYS), more: shown.length > MAX_KEYS },
    statusChanges: {
      ...changed,
      items: changed.items.map((item) => ({ ...item, keyName: names.get(item.keyId ?? '') ?? null })),
    },
  };
}
