// The bounds of budgets in policies, for their schema and their check.

/** What budgets can be counted by, beside organisation and environment, which always count. */
export const BUDGET_SCOPES = ['agent', 'key', 'organisation', 'action', 'resource', 'tool'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** The highest limit and amount. */
export const MAX_AMOUNT = 1_000_000_000;
/** Bounds of a window. */
export const WINDOW = { min: '1m', max: '366d' } as const;
