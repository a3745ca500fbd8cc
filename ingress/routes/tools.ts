// The tool catalogues of the policy set in force.
import { ToolCatalogueList, ToolCatalogueListQuery } from '../../shared/api/tool.ts';
import { effectOfEntry, type ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';
import { assertOperator } from './policies.ts';

const SERVER = /^[^\u0000-\u001f\u007f-\u009f]+$/;

/** The catalogue with its defaults. */
function shown({ server, description, trustAnnotations = false, tools }: ToolCatalogueFile): object {
  const entries = Object.entries(tools).map(([name, entry]) => ({
    name,
    ...entry,
    effect: effectOfEntry(entry),
  }));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { server, description, trustAnnotations, tools: entries };
}

export function toolRoutes({ policies }: { readonly policies: Pick<ActivePolicySet, 'installation'> }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/tools',
      operationId: 'listTools',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'The tool catalogues in force',
      description: 'They say what tools do; a call of a tool that none lists is judged as unknown.',
      request: { query: ToolCatalogueListQuery },
      responses: { 200: { description: 'A page of catalogues, by server.', schema: ToolCatalogueList } },
      errors: ['E6002'],
      handler: async ({ key, query }) => {
        assertOperator(key);
        const { digest, catalogues } = policies.installation().set;
        const { items, nextCursor } = await readPage(query, {
          cursor: SERVER,
          sortKey: ({ server }: ToolCatalogueFile) => server,
          // The catalogues of a set are sorted by server.
          read: async (after = '', count) => catalogues.filter(({ server }) => server > after).slice(0, count),
        });
        return { status: 200, body: { digest, items: items.map(shown), nextCursor } };
      },
    }),
  ];
}
