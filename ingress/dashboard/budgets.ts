// Budgets for the dashboard: those of the set in force, and their counts with what is used and left.
import { BUDGET_SCOPES } from '../../shared/core/policy/budget-limits.ts';
import { budgetsOf, fromMillionths, toMillionths } from '../../shared/core/policy/budget.ts';
import type { Policy } from '../../shared/core/policy/schema.ts';
import { fullPath } from '../../shared/core/policy/vocabulary.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { parseDuration } from '../../shared/kernel/durations.ts';
import { type Owner, ownerColumns } from '../../shared/kernel/owner.ts';
import { columnMap, numeric, text } from '../../shared/platform/db/columns.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { BudgetCount, BudgetInForce } from './client/wire/budgets.ts';

/** The budgets of a set by name; rules that share a name share the budget. */
export function budgetsInForce(policies: readonly Policy[]): BudgetInForce[] {
  const byName = new Map<string, BudgetInForce>();
  for (const policy of policies)
    for (const { budget, pointer } of budgetsOf(policy)) {
      const { name, window, limit, per = [] } = budget;
      const rule = { policy: policy.id, rule: policy.rules[Number(pointer.split('/')[2])]?.name ?? '' };
      const known = byName.get(name);
      const amount = budget.amount === undefined ? null : fullPath(budget.amount.fact, budget.amount.path);
      const scopes = BUDGET_SCOPES.filter((scope) => scope !== 'organisation' && per.includes(scope));
      byName.set(
        name,
        known
          ? { ...known, rules: [...known.rules, rule] }
          : { name, window, limit, per: scopes, amount, rules: [rule] },
      );
    }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Counts that are read: those that were fullest when they were last charged. Charges only leave them since. */
export const MAX_COUNTS = 1_000;

const BUDGETS = columnMap<BudgetInForce>({
  name: text(({ name }) => name),
  window_ms: numeric('bigint', ({ window }) => parseDuration(window) ?? 0),
  limit_amount: numeric('bigint', ({ limit }) => toMillionths(limit) ?? 0),
});

/**
 * With the limits and windows of the set in force, which may have changed since the last charge. Which buckets count: budget-window.ts.
 * $3: parts of counted_for, one of which it must have; null: any. $4, $5: share and id of the last count of the page before.
 */
const COUNTS = `SELECT id, name, counted_for, used, share FROM (
      SELECT id, name, counted_for, used, least(1, CASE WHEN limit_amount > 0 THEN used / limit_amount ELSE 1 END) AS share FROM (
        SELECT u.id, u.name, u.counted_for, u.limit_amount, (
            SELECT coalesce(sum(u.buckets[i + 1]), 0)::float8 FROM generate_series(1, cardinality(u.buckets), 2) AS i
            WHERE u.buckets[i] + u.window_ms > extract(epoch FROM now()) * 1000) AS used
        FROM (
          SELECT b.id, b.name, b.counted_for, b.buckets, given.window_ms, given.limit_amount FROM budget_use b JOIN (${BUDGETS.rows(7)}) AS given USING (name)
          WHERE organisation_id = $1 AND environment = $2 AND expires_at > now()
            AND ($3::text[] IS NULL OR EXISTS (SELECT FROM unnest($3::text[]) AS part WHERE position(part IN counted_for) > 0))
          ORDER BY b.used::float8 / greatest(1, given.limit_amount) DESC, b.id LIMIT ${MAX_COUNTS}
        ) AS u
      ) AS now_used WHERE used > 0
    ) AS shares
    WHERE $4::float8 IS NULL OR share < $4 OR (share = $4 AND id > $5::bigint)
    ORDER BY share DESC, id LIMIT $6`;

interface CountRow {
  readonly id: string;
  readonly name: string;
  readonly counted_for: string;
  /** Millionths. */
  readonly used: number;
  readonly share: number;
}

export interface BudgetPage {
  /** Only counts of these agents; undefined: all. */
  readonly agentIds: readonly string[] | undefined;
  readonly after: { readonly share: number; readonly id: string } | undefined;
  readonly count: number;
}

/** As it is written in counted_for. In a longer string its quotes would be escaped. */
const partOf = (agentId: string): string => `"agent":${canonicalize(agentId)}`;

export interface ListedCount extends BudgetCount {
  /** The sort key of the list, with `share`. */
  readonly id: string;
}

/** The counts of these budgets that have a use, fullest first. @throws {ApiError} E6002 */
export async function readBudgetCounts(
  db: Sql,
  owner: Owner,
  budgets: readonly BudgetInForce[],
  { agentIds, after, count }: BudgetPage,
): Promise<ListedCount[]> {
  if (budgets.length === 0) return [];
  const place = [after?.share ?? null, after?.id ?? null, count];
  const values = [...ownerColumns(owner), agentIds?.map(partOf) ?? null, ...place, ...BUDGETS.values(budgets)];
  const byName = new Map(budgets.map((budget) => [budget.name, budget]));
  return (await db.query<CountRow>(COUNTS, values)).flatMap(({ id, name, counted_for: countedFor, used, share }) => {
    const budget = byName.get(name);
    if (budget === undefined) return [];
    const { limit, window } = budget;
    const left = fromMillionths(Math.max(0, (toMillionths(limit) ?? 0) - used));
    // Text that this service wrote.
    const scopes = JSON.parse(countedFor) as BudgetCount['countedFor'];
    return [{ id, name, countedFor: scopes, used: fromMillionths(used), limit, left, window, share }];
  });
}
