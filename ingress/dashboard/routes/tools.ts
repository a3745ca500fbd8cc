// Routes of the page of tools: the catalogues in force, strange calls of the last day, and what an import would make.
import { Type } from 'typebox';
import { CallerId, closed, DEFAULT_LIMIT, PAGE } from '../../../shared/api/common.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import type { Route } from '../../route.ts';
import { decodeCursor, pageOf } from '../../routes/paging.ts';
import { assertOperator } from '../../routes/policies.ts';
import type { ListedTools, StrangeTools, ToolProposal } from '../client/wire/tools.ts';
import { proposalOf } from '../tool-proposal.ts';
import { catalogueInfo, readStrangeTools, toolsOf, withCalls } from '../tools.ts';
import { pageRoute } from './page-route.ts';

export interface ToolPageDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly policies: ActivePolicySet;
}

/** How many tools came before. */
const PLACE = /^[1-9]\d{0,6}$/;
const Query = closed({
  server: Type.Optional(CallerId),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  ...PAGE,
});
const ProposalBody = closed({
  server: CallerId,
  listing: Type.String({ minLength: 1 }),
  replace: Type.Optional(Type.Boolean()),
});

export function toolPageRoutes({ db, nowMs, policies }: ToolPageDeps): Route[] {
  return [
    pageRoute({
      path: '/tools',
      summary: 'The tools of the catalogues in force, with their calls of the last day',
      request: { query: Query },
      errors: ['E1004', 'E6002'],
      answer: async ({ key, query: { server, search, cursor, limit = DEFAULT_LIMIT } }): Promise<ListedTools> => {
        assertOperator(key);
        const { digest, catalogues } = policies.installation().set;
        const from = Number(decodeCursor(cursor, PLACE) ?? 0);
        const found = toolsOf(catalogues, { server, search: search?.toLowerCase() })
          .map((tool, at) => ({ tool, place: at + 1 }))
          .slice(from, from + limit + 1);
        const { items, nextCursor } = pageOf(
          found,
          limit,
          ({ tool }) => tool,
          ({ place }) => String(place),
        );
        return {
          digest,
          servers: catalogues.map(catalogueInfo),
          items: await withCalls(db, key, items, nowMs()),
          nextCursor,
        };
      },
    }),
    pageRoute({
      path: '/tools/strange',
      summary:
        'Tools that were called in the last day and that no catalogue lists, or that changed since they were pinned',
      errors: ['E6002'],
      answer: async ({ key }): Promise<StrangeTools> => {
        const { set } = await policies.current(key.organisationId);
        return readStrangeTools(db, key, set.catalogues, nowMs());
      },
    }),
    pageRoute({
      method: 'POST',
      path: '/tools/proposal',
      changesNothing: true,
      summary: 'The catalogue that an import of these tools would make',
      request: { body: ProposalBody },
      errors: ['E1004', 'E6002'],
      answer: ({ key, body: { server, listing, replace = false } }): ToolProposal => {
        assertOperator(key);
        const { catalogues, lexicon } = policies.installation().set;
        return proposalOf({ server, listing, replace }, catalogues, lexicon);
      },
    }),
  ];
}
