// Context members that two rules read as values of different types: whatever a caller sends, one of them treats it as missing.
import { outcomeOf, type Leaf } from '../normal-form.ts';
import { overlaps } from '../../intent/resource.ts';
import { applies, witnessOf } from './answers.ts';
import { contextValues, familyOf } from './context-values.ts';
import { setPath, timeFor } from './facts.ts';
import { targetsMeet } from './implied.ts';
import { labelOf, leavesIn, nameOf, type LintedRule, type LintedSet, type Part, ruleFinding } from './rules.ts';
import { ruleHolds, search } from './search.ts';
import { both, CERTAIN } from './space.ts';
import type { LintFinding } from './types.ts';

interface Use {
  readonly linted: LintedRule;
  readonly part: Part;
  readonly leaf: Leaf;
}

function usesIn(linted: LintedRule): Use[] {
  return leavesIn(linted.root)
    .filter(
      ({ leaf }) =>
        leaf.entry.fact === 'context' &&
        leaf.entry.type === 'unknown' &&
        leaf.other === undefined &&
        familyOf(leaf) !== 'presence',
    )
    .map((part) => ({ linted, part, leaf: part.leaf }));
}

const isComparable = (leaf: Leaf, facts: object): boolean => ['yes', 'no'].includes(outcomeOf(leaf, facts));

/** Whether some value is decidable for both comparisons; true when that is not known. */
function areBothComparable(a: Leaf, b: Leaf): boolean {
  const { values, exact } = contextValues([a, b]);
  if (!exact) return true;
  return values.some((value) => {
    const facts = {};
    setPath(facts, a.path, value);
    timeFor(facts);
    return isComparable(a, facts) && isComparable(b, facts);
  });
}

function canMeet(a: LintedRule, b: LintedRule): boolean {
  return (
    targetsMeet(a.rule, b.rule) &&
    a.rule.resources.some((one) => b.rule.resources.some((other) => overlaps(one, other)))
  );
}

/** The largest number of uses of one path that are compared with each other. */
const MAX_USES = 200;

export function contextTypeFindings(set: LintedSet, alive: readonly LintedRule[]): LintFinding[] {
  const byPath = new Map<string, Use[]>();
  for (const linted of alive)
    for (const use of usesIn(linted)) {
      // When many rules have comparisons of one kind, the first ones represent all.
      const uses = byPath.get(use.leaf.path) ?? [];
      if (uses.length < MAX_USES) byPath.set(use.leaf.path, [...uses, use]);
    }
  const findings: LintFinding[] = [];
  for (const uses of byPath.values()) {
    for (const [i, use] of uses.entries()) {
      const other = uses
        .slice(0, i)
        .find(
          (one) =>
            one.linted !== use.linted &&
            familyOf(one.leaf) !== familyOf(use.leaf) &&
            canMeet(one.linted, use.linted) &&
            !areBothComparable(one.leaf, use.leaf),
        );
      const finding = other === undefined ? undefined : findingOf(set, use, other);
      if (finding === undefined) continue;
      findings.push(finding);
      break;
    }
  }
  return findings;
}

function findingOf(set: LintedSet, use: Use, other: Use): LintFinding | undefined {
  const { linted, part, leaf } = use;
  const found = search({
    set,
    rules: [linted],
    pattern: linted.rule.resources[0] ?? '*',
    formula: (space) => both(ruleHolds(space, linted), space.conditionOf(linted.rule.condition, CERTAIN)),
    accept: (facts) =>
      applies(linted, set, facts) && isComparable(leaf, facts) && outcomeOf(other.leaf, facts) === 'missing',
  });
  if (found.kind !== 'found') return undefined;
  return ruleFinding(linted, {
    code: 'CONTEXT_TYPE',
    pointer: part.pointer,
    message: `reads ${leaf.path} as a ${familyOf(leaf)}, and ${labelOf(other.linted)} reads it as a ${familyOf(other.leaf)}: one of them always counts it as missing`,
    others: [nameOf(other.linted)],
    witness: witnessOf(set, linted, found.facts, `${labelOf(other.linted)} counts ${leaf.path} as missing`, [
      other.linted,
    ]),
  });
}
