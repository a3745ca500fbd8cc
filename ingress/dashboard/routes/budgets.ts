// Route of the page of budgets, which the pages of agents and policies show in part.
import { Type } from 'typebox';
import { CallerId, closed, DEFAULT_LIMIT, PAGE } from '../../../shared/api/common.ts';
import type { ActivePolicySet } from '../../../shared/domain/policy-sets/active-set.ts';
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import type { Route } from '../../route.ts';
import { agentsOf, decodeCursor, pageOf } from '../../routes/paging.ts';
import { budgetsInForce, MAX_COUNTS, readBudgetCounts } from '../budgets.ts';
import type { ListedBudgets } from '../client/wire/budgets.ts';
import { pageRoute } from './page-route.ts';

export interface BudgetPageDeps {
  readonly db: EntitySql;
  readonly policies: Pick<ActivePolicySet, 'current'>;
}

/** Share and id of a count. */
const PLACE = /^(0|1|0\.\d{1,30}|\d(?:\.\d{1,20})?e-\d{1,3}) ([1-9]\d{0,17})$/;
const Query = closed({
  agentId: Type.Optional(CallerId),
  budget: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  policy: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  ...PAGE,
});

export function budgetPageRoutes({ db, policies }: BudgetPageDeps): Route[] {
  return [
    pageRoute({
      path: '/budgets',
      summary: 'The budgets of the set in force, and their counts, fullest first',
      request: { query: Query },
      errors: ['E1004', 'E6002'],
      answer: async ({
        key,
        query: { agentId, budget, policy, cursor, limit = DEFAULT_LIMIT },
      }): Promise<ListedBudgets> => {
        const agentIds = agentsOf(key, agentId);
        const [, share, id] = PLACE.exec(decodeCursor(cursor, PLACE) ?? '') ?? [];
        const after = share === undefined || id === undefined ? undefined : { share: Number(share), id };
        const { set } = await policies.current(key.organisationId);
        const budgets = budgetsInForce(set.policies).filter(
          ({ name, rules }) =>
            (budget === undefined || name === budget) &&
            (policy === undefined || rules.some((rule) => rule.policy === policy)),
        );
        const rows = await readBudgetCounts(db, key, budgets, { agentIds, after, count: limit + 1 });
        const page = pageOf(
          rows,
          limit,
          ({ id: _id, ...count }) => count,
          (row) => `${row.share} ${row.id}`,
        );
        return { budgets, most: MAX_COUNTS, ...page };
      },
    }),
  ];
}
