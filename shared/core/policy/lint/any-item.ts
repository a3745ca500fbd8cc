// Comparisons with any item of a list (`arguments.to[]`): one item is enough, so a permission by it leaves the other items unchecked.
import { permits } from '../../../kernel/vocabulary.ts';
import type { Leaf } from '../normal-form.ts';
import { pathReader } from '../path-reader.ts';
import type { Facts } from '../types.ts';
import { applies, verdictOf, witnessOf } from './answers.ts';
import { contextValues } from './context-values.ts';
import { withPath } from './facts.ts';
import { type LeafPart, leavesIn, type LintedRule, type LintedSet, ruleFinding, wordsOf } from './rules.ts';
import { ruleHolds, searchUndisturbed } from './search.ts';
import { both, CERTAIN } from './space.ts';
import type { LintFinding } from './types.ts';
import { Ago } from './values.ts';

const ANY = '[]';

/** The path of the list of which a comparison takes any item; undefined: it takes none. */
function listOf({ path, operator, entry }: Leaf): string | undefined {
  const [list, ...below] = path.split(ANY);
  if (below.length === 0) return operator.name === 'matchesResource' && entry.type === 'resources' ? path : undefined;
  // Whether there is an item at all is no comparison with one.
  return operator.name === 'isPresent' && path.endsWith(ANY) ? undefined : list;
}

function itemsAt(facts: Facts, list: string): readonly unknown[] | undefined {
  const value = pathReader(list)(facts);
  return Array.isArray(value) ? value : undefined;
}

/** Items with every value that the comparison tells apart, and one without the member that it compares. */
function itemsFor(facts: Facts, leaf: Leaf, list: string): readonly unknown[] {
  const values = contextValues([leaf]).values.filter((value) => value !== undefined && !(value instanceof Ago));
  if (leaf.path === list) return values.filter((value) => typeof value === 'string');
  const items = values.map((value) => itemsAt(withPath(facts, leaf.path, value), list)?.[0]);
  return leaf.path.endsWith(ANY) ? items : [...items, {}];
}

/**
 * The facts, on which the rule holds, with one more item: one that is not permitted alone, or with which a rule does not refuse any more.
 * Undefined when there is none.
 */
function withOneMore(set: LintedSet, linted: LintedRule, leaf: Leaf, list: string, facts: Facts): Facts | undefined {
  const before = itemsAt(facts, list);
  if (before === undefined) return undefined;
  const isOpened = (mixed: Facts, alone: Facts): boolean =>
    permits(linted.rule.effect.type)
      ? applies(linted, set, mixed) && permits(verdictOf(set, mixed)) && !permits(verdictOf(set, alone))
      : !applies(linted, set, mixed);
  return itemsFor(facts, leaf, list)
    .map((item) => ({ mixed: withPath(facts, list, [...before, item]), alone: withPath(facts, list, [item]) }))
    .find(({ mixed, alone }) => isOpened(mixed, alone))?.mixed;
}

function finding(set: LintedSet, linted: LintedRule, part: LeafPart): LintFinding[] {
  const { leaf, node, pointer } = part;
  const list = listOf(leaf);
  // Of the rules that refuse, those are concerned that do so unless an item matches.
  if (list === undefined || permits(linted.rule.effect.type) === leaf.negated) return [];
  const found = searchUndisturbed({
    set,
    rules: [linted],
    formula: (space) => both(ruleHolds(space, linted), space.conditionOf(node, CERTAIN)),
    accept: (facts) => applies(linted, set, facts) && withOneMore(set, linted, leaf, list, facts) !== undefined,
  });
  const facts = found.kind === 'found' ? withOneMore(set, linted, leaf, list, found.facts) : undefined;
  if (facts === undefined) return [];
  const does = leaf.negated ? 'refuses nothing' : 'is fulfilled';
  return [
    ruleFinding(linted, {
      code: 'ANY_ITEM',
      pointer,
      message: `"${wordsOf(part)}" ${does} as soon as one item of ${list} matches: the others may be anything`,
      hint: `compare ${list} with the operator "every", which takes the comparison as its value`,
      witness: witnessOf(set, linted, facts, `one item of ${list} matches, another one does not`),
    }),
  ];
}

/** All comparisons of a rule for which one item is enough, where every item should matter. */
export function anyItems(set: LintedSet, linted: LintedRule): LintFinding[] {
  if (linted.rule.effect.type === 'RISK') return [];
  return leavesIn(linted.root).flatMap((part) => finding(set, linted, part));
}
