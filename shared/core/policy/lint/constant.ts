// Conditions without effect: always true, never true within a rule that can hold, or repeated.
import { canonicalize } from '../../proof/canonical.ts';
import { holdsFor } from '../normal-form.ts';
import type { Facts } from '../types.ts';
import { applies, witnessOf } from './answers.ts';
import { patternsOf } from './dead.ts';
import { firstPattern, leavesIn, wordsOf, type LintedRule, type LintedSet, type Part, ruleFinding } from './rules.ts';
import { beforePolicies, factsOn, ruleHolds, search, type Found, type Query } from './search.ts';
import { asEvaluated, both, not } from './space.ts';
import type { LintCode, LintFinding } from './types.ts';

const isPresence = (part: Part): boolean => part.node.kind === 'leaf' && part.node.leaf.operator.name === 'isPresent';

/** Whether a part holds on all facts, whatever the target is. */
function isAlways(set: LintedSet, linted: LintedRule, part: Part, isHolding = true): boolean {
  const found = search({
    set,
    rules: [linted],
    isCovered: false,
    isProofOnly: true,
    formula: (space) => {
      const condition = space.conditionOf(part.node, asEvaluated(linted.rule));
      return isHolding ? not(condition) : condition;
    },
  });
  return found.kind === 'none';
}

/** Finds facts within the target on which a part does not hold. */
function failing(
  set: LintedSet,
  linted: LintedRule,
  part: Part,
  pattern: string,
  more: Pick<Query, 'accept' | 'isProofOnly'> = {},
): Found {
  const { rule } = linted;
  return search({
    set,
    rules: [linted],
    pattern,
    ...more,
    formula: (space) =>
      both(space.targetOf(rule), beforePolicies(space), not(space.conditionOf(part.node, asEvaluated(rule)))),
  });
}

/** Whether a part holds on all facts that the target admits. */
function isAlwaysWithin(set: LintedSet, linted: LintedRule, part: Part): boolean {
  const patterns = patternsOf(linted);
  return (
    patterns?.every((pattern) => failing(set, linted, part, pattern, { isProofOnly: true }).kind === 'none') ?? false
  );
}

function failsWithin(set: LintedSet, linted: LintedRule, part: Part): boolean {
  const patterns = patternsOf(linted);
  return patterns?.some((pattern) => failing(set, linted, part, pattern).kind === 'found') ?? false;
}

export interface AlwaysTrue {
  /** The rule holds on everything that its target admits. */
  readonly isAlways: boolean;
  readonly finding?: LintFinding;
}

/**
 * A rule whose conditions never restrict it. Not reported where the author made it explicit: with `isPresent` of a fact that is always
 * present, or by repeating the target. Reported where a comparison looks like a guard and is none.
 */
export function alwaysTrue(set: LintedSet, linted: LintedRule): AlwaysTrue {
  if (!isAlwaysWithin(set, linted, linted.root)) return { isAlways: false };
  const guard = leavesIn(linted.root).find(
    (part) => !isPresence(part) && (isAlways(set, linted, part) || failsWithin(set, linted, part)),
  );
  if (guard === undefined) return { isAlways: true };
  const { rule } = linted;
  const accept = (facts: Facts): boolean => applies(linted, set, facts);
  const without = failing(set, linted, guard, firstPattern(linted), { accept });
  const found =
    without.kind === 'found' ? without : search({ set, rules: [linted], formula: (s) => ruleHolds(s, linted), accept });
  if (found.kind !== 'found') return { isAlways: true };
  const isAllow = rule.effect.type === 'ALLOW';
  const shows =
    without.kind === 'found' ? `holds although "${wordsOf(guard)}" does not` : `holds, as on all other facts`;
  return {
    isAlways: true,
    finding: ruleFinding(linted, {
      code: isAllow ? 'WIDENING' : 'ALWAYS_TRUE',
      pointer: guard.pointer,
      message: `the conditions hold for every request that the target matches, so "${wordsOf(guard)}" ${isAllow ? 'protects nothing' : 'has no effect'}`,
      witness: witnessOf(set, linted, found.facts, shows),
    }),
  };
}

function partFinding(
  set: LintedSet,
  linted: LintedRule,
  { part, code, message }: { part: Part; code: LintCode; message: string },
): LintFinding[] {
  const facts = factsOn(set, linted);
  if (facts === undefined) return [];
  const does = holdsFor(part.node, facts, asEvaluated(linted.rule)) ? 'holds' : 'does not hold';
  const shows = `the rule holds; "${wordsOf(part)}" ${does}, and the rule would be the same without it`;
  return [ruleFinding(linted, { code, pointer: part.pointer, message, witness: witnessOf(set, linted, facts, shows) })];
}

/**
 * Parts that are always or never true although the rule is neither; only the outermost of them. In an ALLOW, an always-true part is a guard
 * that protects nothing.
 */
export function constantParts(set: LintedSet, linted: LintedRule): LintFinding[] {
  const look = (part: Part): LintFinding[] => {
    for (const isHolding of [true, false]) {
      if (isHolding && isPresence(part)) continue;
      if (!isAlways(set, linted, part, isHolding)) continue;
      const isGuard = isHolding && linted.rule.effect.type === 'ALLOW';
      const message = `"${wordsOf(part)}" ${isHolding ? 'always holds' : 'never holds'}, so it ${isGuard ? 'protects nothing' : 'has no effect here'}`;
      return partFinding(set, linted, { part, code: isGuard ? 'WIDENING' : 'CONSTANT_PART', message });
    }
    return part.of.flatMap(look);
  };
  return linted.root.of.flatMap(look);
}

/** The same condition twice in one list. */
export function duplicateConditions(set: LintedSet, linted: LintedRule): LintFinding[] {
  const look = (part: Part): LintFinding[] => {
    const seen = new Map<string, Part>();
    return part.of.flatMap((child) => {
      const text = canonicalize(child.condition);
      const first = seen.get(text);
      if (first === undefined) {
        seen.set(text, child);
        return look(child);
      }
      const message = `"${wordsOf(child)}" is also at ${first.pointer}`;
      return partFinding(set, linted, { part: child, code: 'DUPLICATE_CONDITION', message });
    });
  };
  return look(linted.root);
}
