// The tool catalogues of the policy set in force, with calls that they do not explain.
import { ToolCatalogue, ToolCatalogueList, ToolCatalogueListQuery, ToolServerParams } from '../../shared/api/tool.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { readStrangeCalls, type StrangeCalls } from '../../shared/domain/decisions/strange-tools.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';

const SERVER = /^[^\u0000-\u001f\u007f-\u009f]+$/;

/** A server with its catalogue, if it has one, and what was seen of it. */
interface Source {
  readonly server: string;
  readonly catalogue: ToolCatalogueFile | undefined;
  readonly seen: readonly StrangeCalls[];
}

/** The catalogue with its defaults. */
function shown({ server, catalogue, seen }: Source): object {
  const { description = null, trustAnnotations = false, tools = {} } = catalogue ?? {};
  const entries = Object.entries(tools).map(([name, entry]) => ({
    name,
    ...entry,
    effect: effectOfEntry(entry),
  }));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const strange = seen.map(({ name, changed, calls, decisionId }) => ({
    name,
    state: changed ? 'changed' : 'unknown',
    calls,
    decisionId,
  }));
  return { server, description, trustAnnotations, tools: entries, seen: strange };
}

export interface ToolDeps {
  readonly db: Sql;
  readonly nowMs: () => number;
  readonly policies: Pick<ActivePolicySet, 'current'>;
}

export function toolRoutes({ db, nowMs, policies }: ToolDeps): Route[] {
  /** By server. */
  const sourcesFor = async (key: AuthenticatedKey): Promise<{ digest: string; sources: readonly Source[] }> => {
    const [{ set }, calls] = await Promise.all([
      policies.current(key.organisationId),
      readStrangeCalls(db, key, nowMs()),
    ]);
    const catalogues = new Map(set.catalogues.map((catalogue) => [catalogue.server, catalogue]));
    const servers = [...new Set([...catalogues.keys(), ...calls.map(({ server }) => server)])];
    const sources = servers
      .sort((a, b) => (a < b ? -1 : 1))
      .map((server) => ({
        server,
        catalogue: catalogues.get(server),
        seen: calls.filter((call) => call.server === server),
      }));
    return { digest: set.digest, sources };
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/tools',
      operationId: 'listTools',
      access: ['agents:read'],
      tag: 'Policies',
      summary: 'The tool catalogues in force',
      description:
        'They say what tools do; a call of a tool that none lists is judged as unknown. `seen` has what was called unknown or changed, among the newest 5,000 such calls.',
      request: { query: ToolCatalogueListQuery },
      responses: { 200: { description: 'A page of catalogues, by server.', schema: ToolCatalogueList } },
      errors: ['E6002'],
      handler: async ({ key, query }) => {
        const { digest, sources } = await sourcesFor(key);
        const { items, nextCursor } = await readPage(query, {
          cursor: SERVER,
          sortKey: ({ server }: Source) => server,
          read: async (after = '', count) => sources.filter(({ server }) => server > after).slice(0, count),
        });
        return { status: 200, body: { digest, items: items.map(shown), nextCursor } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/tools/{server}',
      operationId: 'getTools',
      access: ['agents:read'],
      tag: 'Policies',
      summary: 'The tool catalogue of one server',
      description: 'As in the list.',
      request: { params: ToolServerParams },
      responses: { 200: { description: 'The catalogue.', schema: ToolCatalogue } },
      errors: ['E4001', 'E6002'],
      handler: async ({ key, params }) => {
        const { sources } = await sourcesFor(key);
        const source = sources.find(({ server }) => server === params.server);
        if (source === undefined)
          throw new ApiError('E4001', 'There is no catalogue of this server, and its tools were not called lately.');
        return { status: 200, body: shown(source) };
      },
    }),
  ];
}
