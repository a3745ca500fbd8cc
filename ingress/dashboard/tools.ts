// Tools for the dashboard: those of the catalogues in force with their calls, and calls of the last day that were unknown or
// had another definition than the pinned one. Each statement reads a bounded number of rows from one index.
import { anyText, columnMap } from '../../shared/platform/db/columns.ts';
import type { Database, Statement } from '../../shared/platform/db/database.ts';
import { unpackFacts } from '../../shared/core/decision/packed-facts.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import type { CatalogueInfo, ListedTool, StrangeTool, StrangeTools } from './client/wire/tools.ts';

const DAY_MS = 86_400_000;
/** Calls of a listed tool that are counted, and unknown calls that are read: the newest of the last day. */
const MAX_CALLS = 1_000;
const MAX_STRANGE = 5_000;
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
const LAST_OF_STRANGE = `SELECT decision_id AS "decisionId", verdict, evaluated_at AS at, facts FROM decision
    WHERE organisation_id = $1 AND environment = $2 AND decision_id = ANY ($3::text[])`;

const OF_TOOL =
  'organisation_id = $1 AND environment = $2 AND tool_server = asked.server AND tool_name = asked.name AND decision_id >= $5';
const ASKED = columnMap<Pick<ListedTool, 'server' | 'name'>>({
  server: anyText(({ server }) => server),
  name: anyText(({ name }) => name),
});
/** $3, $4: servers and names; $5: the lowest decision id of the day. */
const CALLS = `SELECT asked.server, asked.name, counted.count::int AS calls, newest.decision_id AS "decisionId", newest.verdict, newest.evaluated_at AS at
    FROM (${ASKED.rows(3)}) AS asked
    CROSS JOIN LATERAL (SELECT count(*) AS count FROM (SELECT FROM decision WHERE ${OF_TOOL} ORDER BY tool_server, tool_name, decision_id DESC LIMIT ${MAX_CALLS}) AS calls) AS counted
    CROSS JOIN LATERAL (SELECT decision_id, verdict, evaluated_at FROM decision WHERE ${OF_TOOL} ORDER BY tool_server, tool_name, decision_id DESC LIMIT 1) AS newest`;

/** For the test of their plans. */
export const TOOL_STATEMENTS: Readonly<Record<string, Statement>> = { ALL_STRANGE, STRANGE_OF_BOUND, CALLS };

/** A key that may name only some agents sees only their calls. */
interface Asker extends Owner {
  readonly agentIds: ReadonlySet<string> | null;
}

interface StrangeRow {
  readonly server: string;
  readonly name: string;
  readonly changed: boolean;
  readonly calls: number;
  readonly decisionId: string;
  readonly agentCount: number;
  readonly agents: string[];
}

interface CallRow {
  readonly decisionId: string;
  readonly verdict: Verdict;
  readonly at: Date;
}

const lastOf = ({ decisionId, verdict, at }: CallRow) => ({ decisionId, verdict, at: at.toISOString() });

/** The digest of the definition that the guard saw; null without facts, which can be erased, and without a definition. */
function seenDigest(facts: Buffer | null): string | null {
  if (facts === null) return null;
  const digest = memberOf(memberOf(JSON.parse(unpackFacts(facts).toString('utf8')), 'tool'), 'definition_digest');
  return typeof digest === 'string' ? digest : null;
}

function entryOf(catalogues: readonly ToolCatalogueFile[], server: string, name: string) {
  const tools = catalogues.find((one) => one.server === server)?.tools ?? {};
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/** @throws {ApiError} E6002 */
export async function readStrangeTools(
  db: Database,
  { organisationId, environment, agentIds }: Asker,
  catalogues: readonly ToolCatalogueFile[],
  nowMs: number,
): Promise<StrangeTools> {
  const owner = [organisationId, environment];
  const day = [...owner, lowestId('dec', nowMs - DAY_MS)];
  const rows = await (agentIds === null
    ? db.query<StrangeRow>(ALL_STRANGE, day)
    : db.query<StrangeRow>(STRANGE_OF_BOUND, [...day, [...agentIds]]));
  const ids = rows.map(({ decisionId }) => decisionId);
  const calls = await db.query<CallRow & { readonly facts: Buffer | null }>(LAST_OF_STRANGE, [...owner, ids]);
  const byId = new Map(calls.map((call) => [call.decisionId, call]));
  const items = rows.flatMap(({ server, name, changed, decisionId, ...counts }): StrangeTool[] => {
    const call = byId.get(decisionId);
    if (call === undefined) return [];
    const entry = entryOf(catalogues, server, name);
    const state = changed ? 'changed' : 'unknown';
    const digests = { pinned: entry?.definition ?? null, seen: seenDigest(call.facts) };
    return [{ server, name, state, ...counts, last: lastOf(call), isListed: entry !== undefined, ...digests }];
  });
  const read = rows.reduce((sum, { calls: count }) => sum + count, 0);
  return { items, read, more: read >= MAX_STRANGE };
}

export function catalogueInfo({
  server,
  description,
  trustAnnotations = false,
  tools,
}: ToolCatalogueFile): CatalogueInfo {
  const entries = Object.values(tools);
  const pinned = entries.filter(({ definition }) => definition !== undefined).length;
  return { server, description, trustAnnotations, tools: entries.length, pinned };
}

/** The tools of catalogues by server and name. @param search part of `server/name` in lower case; undefined: all */
export function toolsOf(
  catalogues: readonly ToolCatalogueFile[],
  { server, search }: { readonly server?: string | undefined; readonly search?: string | undefined },
): Pick<ListedTool, 'server' | 'name' | 'entry' | 'effect'>[] {
  return catalogues
    .filter((catalogue) => server === undefined || catalogue.server === server)
    .flatMap(({ server: of, tools }) =>
      Object.entries(tools)
        .map(([name, entry]) => ({ server: of, name, entry, effect: effectOfEntry(entry) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    .filter(({ server: of, name }) => search === undefined || `${of}/${name}`.toLowerCase().includes(search));
}

/** Adds the calls of the last day. @throws {ApiError} E6002 */
export async function withCalls(
  db: Database,
  { organisationId, environment }: Owner,
  tools: readonly Pick<ListedTool, 'server' | 'name' | 'entry' | 'effect'>[],
  nowMs: number,
): Promise<ListedTool[]> {
  const values = [organisationId, environment, ...ASKED.values(tools), lowestId('dec', nowMs - DAY_MS)];
  const rows = await db.query<CallRow & { server: string; name: string; calls: number }>(CALLS, values);
  const byTool = new Map(rows.map((row) => [JSON.stringify([row.server, row.name]), row]));
  return tools.map((tool) => {
    const row = byTool.get(JSON.stringify([tool.server, tool.name]));
    return { ...tool, calls: row?.calls ?? 0, last: row === undefined ? null : lastOf(row) };
  });
}
