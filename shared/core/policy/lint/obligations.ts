// DEGRADE rules whose obligations conflict with those of other rules, so that they always end as ESCALATE.
import { mergeObligations } from '../obligations.ts';
import { applies, evaluationOf, othersOn, witnessOf } from './answers.ts';
import { targetsMeet, unmatchedByConditions } from './implied.ts';
import { labelOf, nameOf, type LintedRule, type LintedSet, ruleFinding } from './rules.ts';
import { ruleHolds, searchUndisturbed, spoiler } from './search.ts';
import { both, CERTAIN } from './space.ts';
import type { LintFinding } from './types.ts';

const MAX_PATTERNS = 50;
/** Cost of merging the obligations of two rules, in comparisons. */
const PAIR_COST = 8;

function conflictsOf(rules: readonly LintedRule[]): readonly string[] {
  const all = rules.flatMap(({ rule }) => (rule.effect.type === 'DEGRADE' ? rule.effect.obligations : []));
  return mergeObligations(all).conflicts;
}

function conflictFinding(set: LintedSet, rule: LintedRule, others: readonly LintedRule[]): LintFinding | undefined {
  const found = searchUndisturbed(
    {
      set,
      rules: [rule, ...others],
      formula: (space) => both(ruleHolds(space, rule), space.conditionOf(rule.rule.condition, CERTAIN)),
      accept: (facts) =>
        applies(rule, set, facts) &&
        evaluationOf(set, facts).reasons.some((reason) => reason.code === 'OBLIGATIONS_CONFLICT'),
    },
    // An ALLOW beside them does not prevent the conflict.
    (facts) =>
      othersOn(set, facts, [rule, ...others])
        .filter((one) => one.rule.effect.type !== 'ALLOW')
        .map(spoiler),
  );
  if (found.kind !== 'found') return undefined;
  const kinds = conflictsOf([rule, ...others]).join(', ');
  const whose =
    others.length === 0 ? 'its own obligations' : `its obligations and those of ${others.map(labelOf).join(', ')}`;
  return ruleFinding(rule, {
    code: 'CONTRADICTORY',
    pointer: `${rule.pointer}/event/params/obligations`,
    message: `never degrades: ${whose} can't be kept together (${kinds}), so a human must decide each time`,
    others: others.map(nameOf),
    witness: witnessOf(set, rule, found.facts, 'the obligations conflict, so the answer is ESCALATE', others),
  });
}

export function obligationFindings(set: LintedSet, alive: readonly LintedRule[]): LintFinding[] {
  // Only rates can conflict (../obligations.ts); all other types are united or take the strictest value.
  const degrading = alive.filter(
    ({ rule }) =>
      rule.effect.type === 'DEGRADE' &&
      rule.resources.length <= MAX_PATTERNS &&
      rule.effect.obligations.some(({ type }) => type === 'rate'),
  );
  return degrading.flatMap((rule) => {
    set.budget.left -= degrading.length * PAIR_COST;
    if (set.budget.left <= 0) return [];
    if (conflictsOf([rule]).length > 0) return conflictFinding(set, rule, []) ?? [];
    const other = degrading.find(
      (one) =>
        one !== rule &&
        targetsMeet(rule.rule, one.rule) &&
        conflictsOf([one]).length === 0 &&
        conflictsOf([rule, one]).length > 0 &&
        holdsWherever(set, rule, one) &&
        // Of two rules that always hold together, the later one is reported.
        !(one.rule.index > rule.rule.index && holdsWherever(set, one, rule)),
    );
    return other === undefined ? [] : (conflictFinding(set, rule, [other]) ?? []);
  });
}

/** Whether a rule holds wherever another does, for every pattern of its target. */
function holdsWherever(set: LintedSet, rule: LintedRule, other: LintedRule): boolean {
  return rule.rule.resources.every(
    (pattern) =>
      set.coverersOf(pattern, rule.stage).includes(other) &&
      unmatchedByConditions(set, { rule, other, pattern }).kind === 'none',
  );
}
