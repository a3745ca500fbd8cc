// ALLOW and DEGRADE rules that trust the caller's own statements: members of the context, which the caller writes.
import { permits } from '../../../kernel/vocabulary.ts';
import { applies, othersOn, verdictOf, witnessOf } from './answers.ts';
import { itemsOf } from './context-values.ts';
import { withPath } from './facts.ts';
import { isPermitted, othersPermitting, spoiling, withoutNamed } from './open.ts';
import { leavesIn, wordsOf, type LintedRule, type LintedSet, type LeafPart, ruleFinding } from './rules.ts';
import type { Leaf } from '../normal-form.ts';
import { ruleHolds, searchUndisturbed, spoiler } from './search.ts';
import { both, CERTAIN } from './space.ts';
import type { LintFinding } from './types.ts';
import type { Facts } from '../types.ts';

const REFUSING = ['notEqual', 'notIn', 'doesNotContain'];
const NAMING = ['equal', 'in', 'contains', 'containsAny', 'containsAll', 'startsWith', 'endsWith', 'inCidr'];

const CONTEXT = /^context\./;

/** The side of a comparison that the caller writes: not a member of the context that only some keys may set. */
function callersPathOf(leaf: Leaf, own: RegExp): string | undefined {
  const sides = leaf.other === undefined ? [leaf] : [leaf, leaf.other];
  return sides.find(({ path, entry }) => own.test(path) && entry.onlyFrom === undefined)?.path;
}

/** Whether a comparison holds for any value from the caller except the ones that it names. */
function isRefusal({ leaf }: LeafPart): boolean {
  if (callersPathOf(leaf, CONTEXT) === undefined) return false;
  const { operator, negated, comparison } = leaf;
  if (operator.name === 'isPresent') return comparison.value === negated;
  const items = itemsOf(leaf);
  return items.every((item) => typeof item === 'string') && (negated ? NAMING : REFUSING).includes(operator.name);
}

/** Values that a comparison with a context member may refuse. */
function refusedValues({ leaf }: LeafPart, facts: object): readonly unknown[] {
  const { operator, other } = leaf;
  // Whichever side is the caller's, the other one is refused.
  if (other !== undefined) return [(callersPathOf(leaf, CONTEXT) === leaf.path ? other : leaf).read(facts)];
  const items = itemsOf(leaf);
  if (operator.name === 'isPresent') return ['anything'];
  if (operator.name === 'inCidr') return items.flatMap((item) => String(item).split('/')[0] ?? []);
  return operator.name.startsWith('contains') || operator.name === 'doesNotContain' ? [[...items]] : items;
}

/** A permission that holds unless the caller sends a certain value: a caller can send another value, or none. */
export function callersChoice(set: LintedSet, linted: LintedRule): LintFinding[] {
  const { rule } = linted;
  if (!permits(rule.effect.type)) return [];
  return leavesIn(linted.root)
    .filter(isRefusal)
    .flatMap((part) => {
      const { node, leaf } = part;
      const path = callersPathOf(leaf, CONTEXT) ?? leaf.path;
      const found = searchUndisturbed({
        set,
        rules: [linted],
        formula: (space) => both(ruleHolds(space, linted), space.conditionOf(node, CERTAIN)),
        accept: (facts) =>
          permits(verdictOf(set, facts)) &&
          refusedValues(part, facts).some((value) => !permits(verdictOf(set, withPath(facts, path, value)))),
      });
      if (found.kind !== 'found') return [];
      const isAbsence = leaf.operator.name === 'isPresent';
      const chosen = isAbsence ? `leaving ${path} out` : `sending a ${path} that is not listed`;
      return [
        ruleFinding(linted, {
          code: 'WIDENING',
          pointer: part.pointer,
          message: `"${wordsOf(part)}" protects nothing: the caller controls the value, and is permitted by ${chosen}`,
          witness: witnessOf(set, linted, found.facts, `permitted by ${chosen}`),
        }),
      ];
    });
}

/**
 * Facts that the caller writes, unless attributes.json names the keys that may set them, and nothing checks before the policies. A claimed trust lowers the effective trust, which is a separate
 * fact.
 */
const CALLERS_OWN = /^(?:context|trust\.claimed|tool\.annotations)\./;

/**
 * Context members that are sufficient for a permission: the result is a permission with the value that the rule requires, and a refusal
 * without it. Not reported where the rule requires one key by its id, because its author has then chosen whom to trust.
 */
export function hangsOnCaller(set: LintedSet, linted: LintedRule): LintFinding[] {
  const { rule } = linted;
  if (!permits(rule.effect.type)) return [];
  const reported = new Set<string>();
  return leavesIn(linted.root)
    .filter((part) => !isRefusal(part))
    .flatMap((part) => {
      const { node, leaf } = part;
      const path = callersPathOf(leaf, CALLERS_OWN);
      if (path === undefined || reported.has(path)) return [];
      const without = (facts: Facts): Facts => withPath(facts, path, undefined);
      const spoilers = spoiling(set, linted);
      const found = searchUndisturbed(
        {
          set,
          rules: [linted],
          isCovered: true,
          formula: (space) =>
            both(
              ruleHolds(space, linted),
              space.conditionOf(rule.condition, CERTAIN),
              space.conditionOf(node, CERTAIN),
              withoutNamed(space, linted, ['key.id']),
            ),
          accept: (facts) =>
            applies(linted, set, facts) && isPermitted(set, linted, facts) && !permits(verdictOf(set, without(facts))),
        },
        // Also those that permit without the value, wherever they hold.
        (facts) => {
          const permitting = othersOn(set, without(facts), [linted]).filter((other) => permits(other.rule.effect.type));
          const more = spoilers(facts).filter((one) => !permitting.includes(one.linted));
          return [...permitting.map(spoiler), ...more];
        },
      );
      if (found.kind !== 'found') return [];
      reported.add(path);
      return [
        ruleFinding(linted, {
          code: 'CALLERS_WORD',
          pointer: part.pointer,
          others: othersPermitting(set, linted, found.facts).others,
          message: `permits because of "${wordsOf(part)}", which the caller controls: every caller can send it`,
          witness: witnessOf(
            set,
            linted,
            found.facts,
            `permitted because the caller sends ${path}; refused without it`,
          ),
        }),
      ];
    });
}
