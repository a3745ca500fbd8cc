// The answer of the page of budgets. Types only, which the server imports as well.
import type { BudgetScope } from '#shared/core/policy/budget-limits.js';
import type { ListPage } from '../wire.ts';

/** A budget of the set in force. */
export interface BudgetInForce {
  readonly name: string;
  /** What has a count of its own; empty: the organisation. */
  readonly per: readonly BudgetScope[];
  /** Such as `1h`. */
  readonly window: string;
  readonly limit: number;
  /** The path of the fact that is counted; null: every permission counts 1. */
  readonly amount: string | null;
  readonly rules: readonly { readonly policy: string; readonly rule: string }[];
}

/** One count of a budget. */
export interface BudgetCount {
  readonly name: string;
  /** By scope; a tool is its server and name. */
  readonly countedFor: Readonly<Partial<Record<BudgetScope, string | readonly (string | null)[]>>>;
  readonly used: number;
  readonly limit: number;
  readonly left: number;
  readonly window: string;
  /** 0..1 */
  readonly share: number;
}

/** GET /dashboard/api/budgets: fullest first; counts without use are not among them. */
export interface ListedBudgets extends ListPage<BudgetCount> {
  /** By name; those that the query names. */
  readonly budgets: readonly BudgetInForce[];
  /** At most as many counts are listed. */
  readonly most: number;
}
