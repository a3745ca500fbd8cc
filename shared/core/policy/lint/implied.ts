// Finds rules that make another rule pointless: which effect outweighs which, and whether one rule holds wherever another does.
import { canonicalize } from '../../proof/canonical.ts';
import type { CompiledRule, RuleEffect } from '../compiled-rule.ts';
import { holdsFor } from '../normal-form.ts';
import { mergeObligations } from '../obligations.ts';
import type { Facts } from '../types.ts';
import { applies } from './answers.ts';
import type { LintedRule, LintedSet } from './rules.ts';
import { ruleHolds, search, type Found } from './search.ts';
import { asEvaluated, both, CERTAIN, not, POSSIBLE, type Space, type Unsure } from './space.ts';
import type { Formula } from './solve.ts';

/** A proof obligation for "`other` makes `rule` pointless": how undecidable comparisons count in the conditions of each. */
interface Duty {
  /** How undecidable comparisons count in the pointless rule. */
  readonly given: Unsure;
  /** How undecidable comparisons count in the rule that outweighs it. */
  readonly demanded: Unsure;
}

function sameConditions(a: LintedRule, b: LintedRule): boolean {
  return a.conditions === b.conditions;
}

function within(inner: readonly string[] | undefined, outer: readonly string[] | undefined): boolean {
  if (outer === undefined || outer.includes('*')) return true;
  return inner?.every((item) => outer.includes(item)) ?? false;
}
/** Whether a target names every action, environment and organisation that another one names. */
function isTargetWithin(inner: CompiledRule, outer: CompiledRule): boolean {
  return (
    within(inner.actions, outer.actions) &&
    within(inner.environments, outer.environments) &&
    within(inner.organisations, outer.organisations)
  );
}
function meet(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a === undefined || b === undefined || a.includes('*') || b.includes('*') || a.some((item) => b.includes(item));
}
export function targetsMeet(a: CompiledRule, b: CompiledRule): boolean {
  return meet(a.actions, b.actions) && meet(a.environments, b.environments) && meet(a.organisations, b.organisations);
}

/**
 * The proof obligations for "`rule` changes nothing beside `other`"; undefined when `rule` always has an effect. A DENY or ESCALATE with a
 * different code than the other adds a reason to the answer, which may be its author's intention.
 */
export function dutiesOf(rule: LintedRule, other: LintedRule): readonly Duty[] | undefined {
  const a = rule.rule.effect;
  const b = other.rule.effect;
  const plain: Duty = { given: asEvaluated(rule.rule), demanded: asEvaluated(other.rule) };
  if (a.type === 'RISK' || b.type === 'RISK') {
    if (a.type !== 'RISK' || b.type !== 'RISK' || a.factor !== b.factor || b.score < a.score) return undefined;
    return [plain];
  }
  if (b.type === 'DENY') return a.type !== 'DENY' || a.code === b.code ? [plain] : undefined;
  if (a.type === 'ALLOW') {
    if (b.type === 'ALLOW') return [plain];
    // Only an ESCALATE that holds for certain permits, once approved, what the ALLOW would permit. It charges no budget of the ALLOW.
    return b.type === 'ESCALATE' && rule.rule.budget === undefined
      ? [{ given: CERTAIN, demanded: CERTAIN }]
      : undefined;
  }
  if (a.type === 'ESCALATE' && b.type === 'ESCALATE' && a.code === b.code && demandsAlike(a, b))
    return [plain, { given: CERTAIN, demanded: CERTAIN }];
  if (a.type === 'DEGRADE' && b.type === 'DEGRADE' && sameConditions(rule, other)) {
    const alone = mergeObligations(b.obligations);
    const together = mergeObligations([...b.obligations, ...a.obligations]);
    return canonicalize({ ...alone }) === canonicalize({ ...together }) ? [plain] : undefined;
  }
  return undefined;
}

type EscalateEffect = Extract<RuleEffect, { type: 'ESCALATE' }>;

/** Whether the first adds nothing to the demands of the second: each rule's approvers must approve, and the shortest lifetime counts. */
function demandsAlike(a: EscalateEffect, b: EscalateEffect): boolean {
  const approvers = ({ approvers: { keys = [], tags = [], atLeast = 1 } = {} }: EscalateEffect): string =>
    canonicalize([keys.toSorted(), tags.toSorted(), atLeast]);
  return a.ttl === b.ttl && (a.approvers === undefined || approvers(a) === approvers(b));
}

/** Whether the rules are interchangeable, so that only the later one of two equal rules is reported. */
export function areAlike(a: LintedRule, b: LintedRule): boolean {
  return a.rule.effect.type === b.rule.effect.type;
}

function outweighs(space: Space, rule: LintedRule, other: LintedRule, at: number): Formula {
  const duty = dutiesOf(rule, other)?.[at];
  if (duty === undefined) return { kind: 'any', of: [] };
  return both(space.targetOf(other.rule), space.conditionOf(other.rule.condition, duty.demanded));
}

/**
 * Finds facts on which a rule holds and none of the others outweighs it; `none` proves that there are no such facts. For resources below a
 * pattern that all of the others cover.
 */
export function unmatchedBy(
  set: LintedSet,
  { rule, others, pattern }: { rule: LintedRule; others: readonly LintedRule[]; pattern: string },
): Found {
  const [only] = others;
  const isOne = others.length === 1 && only !== undefined;
  if (isOne && sameConditions(rule, only) && isTargetWithin(rule.rule, only.rule)) return { kind: 'none' };
  // For several rules together only one proof obligation is considered: the one that takes the rule as it is evaluated.
  const given = isOne ? (dutiesOf(rule, only) ?? []).map((duty) => duty.given) : [asEvaluated(rule.rule)];
  let last: Found = { kind: 'unknown' };
  for (const [at, when] of given.entries()) {
    last = search({
      set,
      rules: [rule, ...others],
      pattern,
      formula: (space) => {
        const open = others.map((other) => not(outweighs(space, rule, other, at)));
        return both(ruleHolds(space, rule), space.conditionOf(rule.rule.condition, when), ...open);
      },
      accept: (facts) => applies(rule, set, facts),
    });
    if (last.kind !== 'none') return last;
  }
  return last;
}

/** As unmatchedBy, when the other rule need not outweigh the first, but only hold with it. */
export function unmatchedByConditions(
  set: LintedSet,
  { rule, other, pattern }: { rule: LintedRule; other: LintedRule; pattern: string },
): Found {
  if (sameConditions(rule, other) && isTargetWithin(rule.rule, other.rule)) return { kind: 'none' };
  return search({
    set,
    rules: [rule, other],
    pattern,
    formula: (space) => both(ruleHolds(space, rule), not(ruleHolds(space, other))),
  });
}

/** Whether two rules hold for the same requests on the same facts, apart from facts that are undecidable. */
export function areEquivalent(set: LintedSet, rule: LintedRule, other: LintedRule): boolean {
  const isCovered = other.rule.resources.every((pattern) => set.coverersOf(pattern, rule.stage).includes(rule));
  if (!isCovered || !isTargetWithin(other.rule, rule.rule)) return false;
  if (sameConditions(rule, other)) return true;
  return other.rule.resources.slice(0, 20).every((pattern) => {
    const found = search({
      set,
      rules: [other, rule],
      pattern,
      formula: (space) =>
        both(
          space.targetOf(other.rule),
          space.conditionOf(other.rule.condition, CERTAIN),
          not(space.conditionOf(rule.rule.condition, POSSIBLE)),
        ),
    });
    return found.kind === 'none';
  });
}

/** Facts that every rule's target reads, so that conditions on them may follow from the target. */
export const REQUEST_GROUPS = ['intent.action', 'environment', 'organisation.slug', 'resource'];

/** Whether one rule's conditions may follow from another's; impossible when they read nothing that the other reads. */
export function mayFollow(from: LintedRule, other: LintedRule): boolean {
  for (const group of other.groups) if (from.groups.has(group) || REQUEST_GROUPS.includes(group)) return true;
  return false;
}

/** Whether a rule outweighs another on some facts: a cheap test that excludes most rules. */
export function outweighsOn(rule: LintedRule, other: LintedRule, facts: Facts): boolean {
  const { actions, environments, organisations, condition } = other.rule;
  const duty = dutiesOf(rule, other)?.[0];
  if (duty === undefined) return false;
  return (
    (actions.includes('*') || actions.includes(facts.intent.action)) &&
    (environments?.includes(facts.environment) ?? true) &&
    (organisations?.includes(facts.organisation.slug) ?? true) &&
    holdsFor(condition, facts, duty.demanded)
  );
}
