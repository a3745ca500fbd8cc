// Budgets of rules: what a rule may permit within a sliding window. Pure: amounts, and whether recorded use leaves room for a request.
import { parseDuration } from '../../kernel/durations.ts';
import { permits } from '../../kernel/vocabulary.ts';
import { isPattern } from '../intent/resource.ts';
import { type BudgetScope, MAX_AMOUNT } from './budget-limits.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Budget, Policy } from './schema.ts';
import type { BudgetCharge, BudgetFacts, Evaluation, ExplainedBudget, Reason, RiskFacts } from './types.ts';
import type { PathReader } from './path-reader.ts';
import { fullPath } from './vocabulary.ts';

/**
 * Amounts are counted in millionths, as integers. A limit or an amount is at most a billion, so every count is below 2^53, and neighbouring
 * millionths are different doubles: a count, divided by a million, becomes the same count again.
 */
const MILLIONTHS = 1_000_000;

/** An amount in millionths, rounded up after six decimals; undefined: not a number from 0 to MAX_AMOUNT. */
export function toMillionths(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0) || value > MAX_AMOUNT) return undefined;
  // Smaller numbers are written with an exponent.
  if (value < 1 / MILLIONTHS) return value === 0 ? 0 : 1;
  // The shortest decimal text of a double is the number that its author wrote.
  const [whole = '', decimals = ''] = String(value).split('.');
  return Number(whole) * MILLIONTHS + Number(decimals.slice(0, 6).padEnd(6, '0')) + (decimals.length > 6 ? 1 : 0);
}

export function fromMillionths(count: number): number {
  return count / MILLIONTHS;
}

/** The shape of a budget, ready to be counted. Amounts are in millionths. */
export interface CompiledBudget {
  readonly name: string;
  /** Sorted; without `organisation`, which always counts. */
  readonly per: readonly BudgetScope[];
  readonly window: string;
  readonly windowMs: number;
  readonly limit: number;
  /** Absent: each decision counts 1. */
  readonly amount?: { readonly path: string; readonly read: PathReader };
  /** Readers of everything that decides whether the budget suffices, for the keys of memoized verdicts. */
  readonly readers: readonly (readonly [path: string, read: PathReader])[];
}

/** Budgets with one name must have one shape: this text of it. */
export function shapeOf({ per = [], window, limit, amount }: Budget): string {
  const scopes = [...new Set(per)].filter((scope) => scope !== 'organisation').sort();
  return JSON.stringify([scopes, parseDuration(window), limit, amount && fullPath(amount.fact, amount.path)]);
}

const usedOf = (facts: object, name: string): unknown => {
  // Any facts of the evaluator have this member, or do without.
  const { budgets } = facts as Pick<RiskFacts, 'budgets'>;
  return budgets !== undefined && Object.hasOwn(budgets, name) ? budgets[name]?.used : undefined;
};

/** @param find returns the reader of the amount */
export function compileBudget(
  { name, per = [], window, limit, amount }: Budget,
  find: (amount: NonNullable<Budget['amount']>) => NonNullable<CompiledBudget['amount']>,
): CompiledBudget {
  const counted = amount && find(amount);
  return {
    name,
    per: [...new Set(per)].filter((scope) => scope !== 'organisation').sort(),
    window,
    // The check of the policy has shown that both are valid.
    windowMs: parseDuration(window) ?? 0,
    limit: toMillionths(limit) ?? 0,
    ...(counted === undefined ? {} : { amount: counted }),
    readers: [
      [`budgets.${name}.used`, (facts) => usedOf(facts, name)],
      ...(counted === undefined ? [] : [[counted.path, counted.read] as const]),
      ...(per.includes('tool') ? [['tool', hasTool] as const] : []),
      ...(per.includes('resource') ? [['intent.resource', namesOneResource] as const] : []),
    ],
  };
}

const hasTool = (facts: object): boolean => (facts as RiskFacts).tool !== undefined;
const namesOneResource = (facts: object): boolean => !isPattern((facts as RiskFacts).intent.resource);

/** The recorded use in millionths; a use that is no amount leaves no room. */
function usedBefore(budgets: RiskFacts['budgets'], name: string): number {
  const used = usedOf({ budgets }, name);
  return used === undefined ? 0 : (toMillionths(used) ?? Number.POSITIVE_INFINITY);
}

/** Whether all charges fit into what the facts leave of their budgets. */
export function hasRoom(charges: readonly BudgetCharge[], budgets: RiskFacts['budgets']): boolean {
  return charges.every(({ name, amount, limit }) => usedBefore(budgets, name) + amount <= limit);
}

/** What the rules that would permit a request count against budgets. */
export interface Counted {
  /** Whether every budget has room. */
  readonly isEnough: boolean;
  /** By name, each once. Empty unless all have room. */
  readonly charges: readonly BudgetCharge[];
  /** For each rule whose budget has no room, or can not be counted, the reason for a DENY. */
  readonly refusals: readonly Reason[];
}

export interface BudgetedMatch {
  readonly rule: CompiledRule & { readonly budget: CompiledBudget };
  /** With the meaning of the intent for which the rule holds. */
  readonly facts: RiskFacts;
}

function whyNotCounted({ budget }: BudgetedMatch['rule'], facts: RiskFacts): string | undefined {
  if (budget.per.includes('tool') && !hasTool(facts)) return 'is counted by tool, and this is no tool call';
  if (budget.per.includes('resource') && !namesOneResource(facts))
    return 'is counted by resource, and this request is for many';
  if (budget.amount === undefined || toMillionths(budget.amount.read(facts)) !== undefined) return undefined;
  return `needs a number from 0 to ${MAX_AMOUNT} in ${budget.amount.path}`;
}

/**
 * Counts the budgets of all rules that would permit a request. Each name counts once, with its highest amount. The recorded use is in the
 * facts; without it nothing was used. One budget without room makes all of these rules permit nothing, so two rules with
 * a daily and a monthly budget need room in both.
 */
export function countBudgets(matches: readonly BudgetedMatch[]): Counted {
  const charges = new Map<string, BudgetCharge>();
  const refusals = new Map<number, Reason>();
  const refuse = ({ rule }: BudgetedMatch, code: string, message: string): void =>
    void refusals.set(rule.index, { policy: rule.policy, rule: rule.name, effect: 'DENY', code, message });
  for (const match of matches) {
    const { budget } = match.rule;
    const { name, per, window, windowMs, limit } = budget;
    const why = whyNotCounted(match.rule, match.facts);
    if (why !== undefined) {
      refuse(match, 'BUDGET_NOT_COUNTED', `the budget ${name} ${why}`);
      continue;
    }
    const amount = budget.amount === undefined ? MILLIONTHS : (toMillionths(budget.amount.read(match.facts)) ?? 0);
    const known = charges.get(name);
    if (known === undefined || known.amount < amount) charges.set(name, { name, per, window, windowMs, limit, amount });
    const used = usedBefore(match.facts.budgets, name);
    if (used + amount <= limit) continue;
    const left = Math.max(0, limit - used);
    const room = `has ${fromMillionths(left)} left of ${fromMillionths(limit)} in ${window}`;
    refuse(match, 'BUDGET_EXCEEDED', `the budget ${name} ${room}; this needs ${fromMillionths(amount)}`);
  }
  const isEnough = refusals.size === 0;
  const sorted = [...charges.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { isEnough, charges: isEnough ? sorted : [], refusals: [...refusals.values()] };
}

/** The budget of a rule for people: without a recorded use, as unused. */
export function explainBudget(budget: CompiledBudget, facts: RiskFacts): ExplainedBudget {
  const { name, window, limit, amount } = budget;
  const needs = amount === undefined ? MILLIONTHS : toMillionths(amount.read(facts));
  return {
    name,
    window,
    limit: fromMillionths(limit),
    used: fromMillionths(Math.min(usedBefore(facts.budgets, name), limit)),
    ...(needs === undefined ? {} : { amount: fromMillionths(needs) }),
  };
}

/** Whether a decision counts against its budgets: a permission by rules whose budgets have room. */
export function isCharged({ verdict, charges }: Pick<Evaluation, 'verdict' | 'charges'>): boolean {
  return permits(verdict) && charges !== undefined;
}

/** The fact of a budget, before the charge. */
export function budgetFact({ limit, amount, window }: BudgetCharge, used: number): BudgetFacts {
  return {
    amount: fromMillionths(amount),
    limit: fromMillionths(limit),
    used: fromMillionths(used),
    window,
  };
}

/** A budget in an answer. */
export interface BudgetLeft {
  readonly left: number;
  readonly limit: number;
  readonly name: string;
  readonly window: string;
}

/** The member `budgets` of an answer, by name: what is left after the charge, if there was one. */
export function budgetsLeft(facts: Readonly<Record<string, BudgetFacts>>, isCharged: boolean): BudgetLeft[] {
  return Object.entries(facts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { amount, limit, used, window }]) => {
      const [all = 0, before = 0, charged = 0] = [limit, used, amount].map((value) => toMillionths(value) ?? 0);
      const left = Math.max(0, all - before - (isCharged ? charged : 0));
      return { left: fromMillionths(left), limit, name, window };
    });
}

/** The budgets of a policy with their places. */
export function budgetsOf(policy: Policy): { readonly budget: Budget; readonly pointer: string }[] {
  if (policy.stage !== 'enforce') return [];
  return policy.rules.flatMap(({ budget }, i) =>
    budget === undefined ? [] : [{ budget, pointer: `/rules/${i}/budget` }],
  );
}

/** A budget with the name of an earlier one and another shape. */
export interface BudgetClash {
  readonly policy: Policy;
  readonly pointer: string;
  readonly message: string;
}

/** Budgets of one name and several shapes: it would be unclear what is counted. */
export function budgetClashes(policies: readonly Policy[]): BudgetClash[] {
  const first = new Map<string, { readonly shape: string; readonly policy: Policy; readonly rule: string }>();
  const clashes: BudgetClash[] = [];
  for (const policy of policies)
    for (const { budget, pointer } of budgetsOf(policy)) {
      const shape = shapeOf(budget);
      const known = first.get(budget.name);
      if (known === undefined) {
        const rule = policy.rules[Number(pointer.split('/')[2])]?.name ?? '';
        first.set(budget.name, { shape, policy, rule });
      } else if (known.shape !== shape) {
        const message = `the budget ${JSON.stringify(budget.name)} has another per, window, limit or amount in ${known.policy.id}/${known.rule}: budgets of one name are one budget`;
        clashes.push({ policy, pointer, message });
      }
    }
  return clashes;
}
