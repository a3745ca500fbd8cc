// Tools for the dashboard: those of the catalogues in force with their calls, and calls of the last day that were unknown or
// had another definition than the pinned one. Each statement reads a bounded number of rows from one index.
import { anyText, columnMap } from '../../shared/platform/db/columns.ts';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { unpackFacts } from '../../shared/core/decision/packed-facts.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import {
  DAY_MS,
  MAX_STRANGE,
  readStrangeCalls,
  STRANGE_STATEMENTS,
  type StrangeAsker,
} from '../../shared/domain/decisions/strange-tools.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import { type Owner, ownerColumns } from '../../shared/kernel/owner.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import type { CatalogueInfo, ListedTool, StrangeTool, StrangeTools } from './client/wire/tools.ts';

/** Calls of a listed tool that are counted: the newest of the last day. */
const MAX_CALLS = 1_000;

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
export const TOOL_STATEMENTS: Readonly<Record<string, Statement>> = { ...STRANGE_STATEMENTS, CALLS };

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
  db: Sql,
  asker: StrangeAsker,
  catalogues: readonly ToolCatalogueFile[],
  nowMs: number,
): Promise<StrangeTools> {
  const owner = ownerColumns(asker);
  const rows = await readStrangeCalls(db, asker, nowMs);
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
  db: Sql,
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
