// Rules that never count: their conditions never hold, never hold within the target, or hold only where facts are missing.
import { groundOf, pathsOf } from '../normal-form.ts';
import { canonicalize } from '../../proof/canonical.ts';
import type { Facts } from '../types.ts';
import { applies, witnessOf } from './answers.ts';
import { groupOf } from './dimensions.ts';
import { firstPattern, wordsOf, type LintedRule, type LintedSet, type Part, ruleFinding } from './rules.ts';
import { beforePolicies, conditionHolds, ruleHolds, search, type Found } from './search.ts';
import { asEvaluated, both, CERTAIN, SLUG } from './space.ts';
import type { LintFinding } from './types.ts';

/** The largest number of patterns of one target that are analysed. */
const MAX_PATTERNS = 40;

/**
 * The patterns of a target that need an analysis; undefined when there are too many. One is enough where no condition reads the resource.
 */
export function patternsOf({ rule }: LintedRule): readonly string[] | undefined {
  const isResourceAsked = rule.leaves.flatMap(pathsOf).some((path) => groupOf(path) === 'resource');
  if (rule.effect.type !== 'ALLOW' || !isResourceAsked) return rule.resources.slice(0, 1);
  return rule.resources.length <= MAX_PATTERNS ? rule.resources : undefined;
}

/** The parts of a conjunction. */
function conjunctsOf(part: Part): readonly Part[] {
  return part.node.kind === 'all' && part.of.length > 0 ? part.of.flatMap(conjunctsOf) : [part];
}

/**
 * A comparison and its negation, both of which are required: a contradiction whatever the values, also where the search does not know all
 * values that the operator can tell apart.
 */
function oppositesIn({ root }: LintedRule): readonly Part[] | undefined {
  const known = new Map<string, Part>();
  for (const part of conjunctsOf(root)) {
    if (part.node.kind !== 'leaf') continue;
    const { comparison, negated } = part.node.leaf;
    const text = canonicalize(comparison);
    const opposite = known.get(`${!negated} ${text}`);
    if (opposite !== undefined) return [opposite, part];
    known.set(`${negated} ${text}`, part);
  }
  return undefined;
}

/** A minimal set of parts that are impossible together, with facts on which all but the first of them hold. */
function coreOf(
  set: LintedSet,
  linted: LintedRule,
): { readonly parts: readonly Part[]; readonly facts: Facts } | undefined {
  const find = (parts: readonly Part[], isTargeted = false): Found =>
    search({
      set,
      rules: [linted],
      isCovered: isTargeted,
      formula: (space) =>
        both(
          isTargeted ? space.targetOf(linted.rule) : both(),
          ...parts.map((part) => space.conditionOf(part.node, asEvaluated(linted.rule))),
        ),
    });
  const opposites = oppositesIn(linted);
  let parts = opposites ?? conjunctsOf(linted.root);
  for (const part of opposites === undefined ? parts : []) {
    const fewer = parts.filter((other) => other !== part);
    if (fewer.length > 0 && find(fewer).kind === 'none') parts = fewer;
  }
  const targeted = find(parts.slice(1), true);
  const found = targeted.kind === 'found' ? targeted : find(parts.slice(1));
  return found.kind === 'found' ? { parts, facts: found.facts } : undefined;
}

function neverTrue(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const core = coreOf(set, linted);
  const [first] = core?.parts ?? [];
  if (core === undefined || first === undefined) return undefined;
  if (conditionHolds(linted, core.facts)) return undefined;
  const words = core.parts.map(wordsOf).join('; ');
  const isOne = core.parts.length === 1;
  return ruleFinding(linted, {
    code: 'NEVER_TRUE',
    severity: 'error',
    pointer: isOne ? first.pointer : linted.root.pointer,
    message: isOne ? `can never hold: ${words}` : `can never hold, because these exclude each other: ${words}`,
    witness: witnessOf(
      set,
      linted,
      core.facts,
      isOne ? 'this does not hold, as on all other facts' : `all but "${wordsOf(first)}" holds, so the rule does not`,
    ),
  });
}

function whyNeverApplied({ rule }: LintedRule): string {
  const { organisations } = rule;
  return organisations?.every((slug) => !SLUG.test(slug)) === true
    ? `no organisation can be named ${organisations.join(' or ')}: a slug has 1 to 40 of a-z, 0-9 and "-"`
    : 'no request matches both its target and its conditions';
}

function unreachable(set: LintedSet, linted: LintedRule, held: Facts): LintFinding | undefined {
  const patterns = patternsOf(linted);
  if (patterns === undefined) return undefined;
  const find = (isBefore: boolean): Found[] =>
    patterns.map((pattern) =>
      search({
        set,
        rules: [linted],
        pattern,
        formula: (space) =>
          both(
            space.targetOf(linted.rule),
            isBefore && linted.stage === 'enforce' ? beforePolicies(space) : both(),
            space.conditionOf(linted.rule.condition, asEvaluated(linted.rule)),
          ),
      }),
    );
  if (!find(true).every(({ kind }) => kind === 'none')) return undefined;
  const withInactive = find(false);
  if (withInactive.some(({ kind }) => kind === 'unknown')) return undefined;
  const inactive = withInactive.find((found) => found.kind === 'found');
  const facts = inactive?.kind === 'found' ? inactive.facts : held;
  const witness = witnessOf(
    set,
    linted,
    facts,
    inactive === undefined
      ? 'the conditions hold, and the target does not match'
      : 'denied before any policy is evaluated',
  );
  if (inactive === undefined && applies(linted, set, facts)) return undefined;
  return ruleFinding(linted, {
    code: 'UNREACHABLE',
    severity: inactive === undefined ? 'error' : 'warning',
    message:
      inactive === undefined
        ? `can never count: ${whyNeverApplied(linted)}`
        : 'can never count: agents that are paused, suspended or terminated are denied before any policy is evaluated',
    witness,
  });
}

function onlyWhenMissing(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const { rule } = linted;
  const query = { set, rules: [linted], pattern: firstPattern(linted) };
  if (!rule.holdsWhenUnsure) return undefined;
  const certain = search({
    ...query,
    formula: (space) => both(space.targetOf(rule), space.conditionOf(rule.condition, CERTAIN)),
  });
  if (certain.kind !== 'none' && oppositesIn(linted) === undefined) return undefined;
  const found = search({
    ...query,
    formula: (space) => ruleHolds(space, linted),
    accept: (facts) => applies(linted, set, facts),
  });
  if (found.kind !== 'found' || groundOf(rule.condition, found.facts, true) === 'certain') return undefined;
  return ruleFinding(linted, {
    code: 'ONLY_WHEN_MISSING',
    pointer: linted.root.pointer,
    message: 'holds only where facts are missing or left open by a pattern: no known value makes it hold',
    witness: witnessOf(set, linted, found.facts, 'holds, and only because a fact is unknown'),
  });
}

/** Returns the finding that explains why a rule never counts, or undefined with facts on which its conditions hold. */
export function deadFinding(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const { rule } = linted;
  const query = { set, rules: [linted], pattern: firstPattern(linted) };
  // Fast path: most rules hold somewhere within their target, which excludes all findings of this file at once.
  const alive = search({
    ...query,
    formula: (space) => both(space.targetOf(rule), beforePolicies(space), space.conditionOf(rule.condition, CERTAIN)),
    accept: (facts) => applies(linted, set, facts),
  });
  if (alive.kind === 'found') return undefined;
  const anywhere = search({
    ...query,
    isCovered: false,
    formula: (space) => space.conditionOf(rule.condition, asEvaluated(rule)),
    accept: (facts) => conditionHolds(linted, facts),
  });
  if (anywhere.kind !== 'found')
    return anywhere.kind === 'none' || oppositesIn(linted) !== undefined ? neverTrue(set, linted) : undefined;
  return unreachable(set, linted, anywhere.facts) ?? onlyWhenMissing(set, linted);
}
