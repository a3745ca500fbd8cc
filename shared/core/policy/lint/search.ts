// Searches for facts on which rules hold or do not hold, in the space that the rules can tell apart, and checks them on whole facts.
import { holdsFor } from '../normal-form.ts';
import type { Facts } from '../types.ts';
import { applies, riskOf, othersOn } from './answers.ts';
import { areUsual, factsOf } from './facts.ts';
import { firstPattern, type LintedRule, type LintedSet } from './rules.ts';
import { solve, type Formula } from './solve.ts';
import { asEvaluated, both, createSpace, not, type Space } from './space.ts';

/** The minimum cost of a search, the cost of each check of whole facts, and the extra cost per dimension, in comparisons. */
const FIXED_COST = 50;
const WITNESS_COST = 500;
const DIMENSION_COST = 4;
const MEMBER_COST = 16;

export type Found = { readonly kind: 'found'; readonly facts: Facts } | { readonly kind: 'none' | 'unknown' };

export interface Query {
  readonly set: LintedSet;
  /** The rules whose comparisons the space must tell apart; the request is for the target of the first one. */
  readonly rules: readonly LintedRule[];
  /** Absent: the first one of that target. */
  readonly pattern?: string;
  readonly formula: (space: Space) => Formula;
  /** A further condition on the whole facts. */
  readonly accept?: (facts: Facts) => boolean;
  /** Restricts the search to covered requests, for examples only: a result of `none` is then no proof. */
  readonly isCovered?: boolean;
  /** Only a proof is wanted, so no example is built: the result is `none` or `unknown`. */
  readonly isProofOnly?: boolean;
  /** The largest number of solutions that are rejected on whole facts. */
  readonly patience?: number;
}

/** Paused, suspended and terminated agents are denied before any policy is evaluated. */
export function beforePolicies(space: Space): Formula {
  return space.where('trust', (value) => {
    const status = value.get('agent.status');
    return status === undefined || status === 'ACTIVE' || status === 'UNREGISTERED';
  });
}

/**
 * Completes the facts as the service would: the intake policies determine the risk, unless a rule reads it. Computed when it is read for
 * the first time, because most facts are only asked whether one rule holds.
 */
function complete(set: LintedSet, facts: Facts, isRiskGiven: boolean): Facts {
  if (isRiskGiven) return facts;
  const { intent } = facts;
  const before = intent.risk;
  const define = (risk: PropertyDescriptor): unknown =>
    Object.defineProperty(intent, 'risk', { enumerable: true, configurable: true, ...risk });
  define({
    get() {
      // The intake policies are evaluated on facts without a risk.
      define({ value: before, writable: true });
      const risk = riskOf(set, facts);
      define({ value: risk, writable: true });
      return risk;
    },
  });
  return facts;
}

interface KnownSpace {
  readonly rules: readonly LintedRule[];
  readonly scope: string;
  readonly space: Space;
}
/** The last spaces of one rule, which several checks in a row request. Those of all rules would take too much memory. */
const lastSpaces = new WeakMap<LintedSet, readonly KnownSpace[]>();
const MAX_SPACES = 6;

function spaceOf(set: LintedSet, rules: readonly LintedRule[], pattern: string, isCovered: boolean): Space {
  const scope = `${pattern} ${isCovered}`;
  const known = (lastSpaces.get(set) ?? []).filter((one) => one.rules[0] === rules[0]);
  const same = known.find(
    (one) =>
      one.scope === scope && one.rules.length === rules.length && one.rules.every((rule, at) => rule === rules[at]),
  );
  if (same !== undefined) return same.space;
  const space = createSpace(
    rules.map((linted) => linted.rule),
    { pattern, isCovered },
  );
  set.budget.left -= space.cost;
  lastSpaces.set(set, [...known, { rules, scope, space }].slice(-MAX_SPACES));
  return space;
}

export function search(query: Query): Found {
  const { set, rules, formula, accept, isCovered, isProofOnly = false } = query;
  const { budget } = set;
  if (budget.left <= 0) return { kind: 'unknown' };
  const [first] = rules;
  const pattern = query.pattern ?? (first === undefined ? '*' : firstPattern(first));
  const space = spaceOf(set, rules, pattern, isCovered ?? first?.rule.effect.type === 'ALLOW');
  const leaves = rules.reduce((sum, { rule }) => sum + rule.leaves.length, 0);
  const isRiskGiven = space.dimensions.some(({ key }) => key === 'risk');
  let facts: Facts | undefined;
  const many = space.dimensions.length;
  budget.left -= FIXED_COST + leaves + many * DIMENSION_COST;
  const solution = solve({
    dimensions: space.dimensions,
    formula: formula(space),
    ...(query.patience === undefined ? {} : { patience: query.patience }),
    onStep: () => {
      budget.left -= leaves + many;
    },
    accept: (values) => {
      if (isProofOnly) return true;
      budget.left -= WITNESS_COST + many * MEMBER_COST;
      const whole = factsOf(values, pattern);
      if (!areUsual(whole)) return false;
      facts = complete(set, whole, isRiskGiven);
      return accept === undefined || accept(facts);
    },
  });
  if (solution.kind !== 'found') return { kind: solution.kind };
  return facts === undefined ? { kind: 'unknown' } : { kind: 'found', facts };
}

/** A rule's target matches and its conditions hold, as they are evaluated. */
export function ruleHolds(space: Space, { rule }: LintedRule): Formula {
  return both(space.targetOf(rule), beforePolicies(space), space.conditionOf(rule.condition, asEvaluated(rule)));
}
/** Facts on which a rule holds, as it is evaluated. */
export function factsOn(set: LintedSet, linted: LintedRule): Facts | undefined {
  const found = search({
    set,
    rules: [linted],
    formula: (space) => ruleHolds(space, linted),
    accept: (facts) => applies(linted, set, facts),
  });
  return found.kind === 'found' ? found.facts : undefined;
}

/** The largest number of rounds, and of rules added per round, before a search among other rules is aborted. */
const MAX_ROUNDS = 6;
const MAX_TAKEN = 4;

/** A rule that spoils a result, and where it does not. */
export interface Spoiler {
  readonly linted: LintedRule;
  readonly isAway: (space: Space) => Formula;
}
export type Disturbing = (facts: Facts) => readonly Spoiler[];

/** A rule that spoils a result wherever it holds. */
export const spoiler = (linted: LintedRule): Spoiler => ({ linted, isAway: (space) => not(ruleHolds(space, linted)) });

function searchInRounds(query: Query, disturbing: Disturbing): Found {
  let { rules } = query;
  const kept: Spoiler[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let spoilt: Facts | undefined;
    const found = search({
      ...query,
      rules,
      formula: (space) => both(query.formula(space), ...kept.map(({ isAway }) => isAway(space))),
      accept: (facts) => {
        const isAccepted = query.accept?.(facts) ?? true;
        if (!isAccepted) spoilt = facts;
        return isAccepted;
      },
    });
    if (found.kind === 'found' || spoilt === undefined) return found;
    const taken = disturbing(spoilt)
      .filter(({ linted }) => !rules.includes(linted))
      .slice(0, MAX_TAKEN);
    if (taken.length === 0) return { kind: 'unknown' };
    kept.push(...taken);
    rules = [...rules, ...taken.map(({ linted }) => linted)];
  }
  return { kind: 'unknown' };
}

/**
 * As search, for facts whose result depends on the rest of the set: when other rules spoil the result, they are added to the space, and the
 * search continues where they do not. A result of `none` is no proof.
 * @param disturbing the rules that spoil a result; absent: all others that take part in it
 */
export function searchUndisturbed(
  query: Query,
  disturbing: Disturbing = (facts) => othersOn(query.set, facts, query.rules).map(spoiler),
): Found {
  // What spoils one solution mostly spoils the next ones too, so it is avoided at once. This misses solutions that need no avoiding.
  const hasty = searchInRounds({ ...query, patience: 0 }, disturbing);
  return hasty.kind === 'found' ? hasty : searchInRounds(query, disturbing);
}

export function conditionHolds({ rule }: LintedRule, facts: Facts): boolean {
  return holdsFor(rule.condition, facts, asEvaluated(rule));
}
