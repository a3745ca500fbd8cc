// Conditions in negation normal form, and their evaluation: the single place that defines the meaning of a missing fact.
import type { TopLevelCondition } from 'json-rules-engine';
import { assertNever } from '../../kernel/errors.ts';
import type { ExplainedCondition } from './types.ts';
import type { Operator, ComparisonOutcome } from './operators.ts';
import {
  compileItems,
  decidingItem,
  itemComparisons,
  type ItemLeaf,
  type ItemTest,
  itemEntry,
  itemReader,
  quantified,
  Work,
} from './items.ts';
import { MAX_STEPS } from './operator.ts';
import { compareWith, operatorFor, stepsOf } from './operators.ts';
import { isCounted, leftOut, Outcome, type QuestionSteps, settledFor, settledOf } from './question-steps.ts';
import { PARTLY, plainValue } from './any-of.ts';
import { compareWithFact, type FactReference, factReferenceOf } from './fact-values.ts';
import type { Comparison, Condition, ItemComparison, ItemCondition } from './schema.ts';
import type { Origin } from './terms.ts';
import { type Declarations, NO_DECLARATIONS } from './declarations.ts';
import { isLeftOpen, type PathReader, pathReader } from './path-reader.ts';
import { fullPath, lookUp, type VocabularyEntry } from './vocabulary.ts';

/** A comparison with its negation, and its result when it is undecidable. */
export interface Leaf {
  readonly comparison: Comparison;
  /** `trust.level` */
  readonly path: string;
  /** The type and meaning of the path, by the vocabulary and the declarations of the set. */
  readonly entry: VocabularyEntry;
  readonly read: PathReader;
  readonly operator: Operator;
  /** Prepared by the operator, which may combine it with other facts (`operandOf`); undefined when the value is another fact. */
  readonly value: unknown;
  /** The fact on the right side of a comparison of two facts. */
  readonly other?: KnownPath;
  /** The names of terms.json that it comes from. */
  readonly origin?: Origin;
  readonly negated: boolean;
  /** True in all rules except ALLOW: an undecidable fact may only make an answer stricter. */
  readonly holdsWhenUnsure: boolean;
}
export type NormalNode =
  | { readonly kind: 'all' | 'any'; readonly of: readonly NormalNode[] }
  | { readonly kind: 'leaf'; readonly leaf: Leaf };

/** Converts a comparison into a leaf. */
type LeafMaker = (comparison: Comparison, holdsWhenUnsure: boolean, negated: boolean) => Leaf;

/** A path of a fact as comparisons of one set use it. */
export interface KnownPath {
  readonly path: string;
  readonly entry: VocabularyEntry;
  readonly read: PathReader;
}

/** Finds the paths of the vocabulary and of a set's declarations; equal paths give one object. */
export function pathFinder(declarations: Declarations): (fact: FactReference) => KnownPath {
  const known = new Map<string, KnownPath>();
  return ({ fact, path: below }) => {
    const path = fullPath(fact, below);
    const found = known.get(path);
    if (found !== undefined) return found;
    const entry = lookUp(fact, below, 'enforce', declarations);
    if (typeof entry === 'string') throw new Error(entry);
    const made: KnownPath = { path, entry, read: pathReader(path, entry) };
    known.set(path, made);
    return made;
  };
}
/** Finds the path of a comparison, or of the fact that it compares with. */
type PathFinder = (fact: FactReference) => KnownPath;
const fixedPath = pathFinder(NO_DECLARATIONS);

export function leafOf(
  comparison: Comparison,
  holdsWhenUnsure: boolean,
  negated: boolean,
  find: PathFinder = fixedPath,
): Leaf {
  const found = find(comparison);
  const operator = operatorFor(comparison.operator, found.entry);
  if (operator === undefined) throw new Error(`unknown operator ${comparison.operator}`);
  const leaf = { comparison, ...found, operator, negated, holdsWhenUnsure };
  const reference = factReferenceOf(comparison.value);
  if (reference !== undefined) return { ...leaf, value: undefined, other: find(reference) };
  return { ...leaf, value: preparedValue(operator, comparison.value, found.entry, find) };
}

/** The paths that a comparison reads. */
export const pathsOf = ({ path, other }: Leaf): readonly string[] =>
  other === undefined ? [path] : [path, other.path];

/** The readers of all paths that some comparisons read, by path. */
export function readersOf(leaves: readonly Leaf[]): Map<string, PathReader> {
  const readers = new Map<string, PathReader>();
  for (const { path, read, other } of leaves) {
    readers.set(path, read);
    if (other !== undefined) readers.set(other.path, other.read);
  }
  return readers;
}

function preparedValue(operator: Operator, value: unknown, entry: VocabularyEntry, find: PathFinder): unknown {
  // The schema says that the value of such an operator is a condition on an item.
  if (operator.quantifier !== undefined) return itemTest(value as ItemCondition, entry, find);
  return operator.prepare === undefined ? value : operator.prepare(value);
}

/** Compiles a condition on the items of a list. */
function itemTest(condition: ItemCondition, list: VocabularyEntry, find: PathFinder): ItemTest {
  return compileItems(condition, (comparison) => itemLeaf(comparison, list, find));
}

/** The comparison of an item; its `read` takes the item. */
function itemLeafOf(comparison: ItemComparison, list: VocabularyEntry, find: PathFinder): Leaf {
  const entry = itemEntry(list, comparison.path);
  if (typeof entry === 'string') throw new Error(entry);
  const found: KnownPath = { path: fullPath(entry.fact, entry.path), entry, read: itemReader(comparison.path) };
  return leafOf({ fact: entry.fact, ...comparison }, false, false, (one) =>
    one.fact === entry.fact ? found : find(one),
  );
}

function itemLeaf(comparison: ItemComparison, list: VocabularyEntry, find: PathFinder): ItemLeaf {
  const leaf = itemLeafOf(comparison, list, find);
  const { operator, value } = leaf;
  const read = itemReader(comparison.path);
  const { quantifier } = operator;
  const stepsPerCharacter = MAX_STEPS / (operator.maxCharacters?.(value) ?? Number.POSITIVE_INFINITY);
  // Globs have no bound of their own.
  const counted = operator.maxCharacters === undefined ? (operator.stepsPerCharacter?.(value) ?? 0) : 0;
  return {
    outcome(item, facts, work) {
      const actual = read(item);
      const length = typeof actual === 'string' ? actual.length : 0;
      if (!work.spend(length * stepsPerCharacter, length * counted)) return 'missing';
      // Prepared by `leafOf`.
      if (quantifier !== undefined) return quantified(quantifier, actual, value as ItemTest, facts, work);
      return outcomeFor(leaf, actual, facts);
    },
  };
}

/**
 * The comparisons with constants within the condition on the items of a list, without those of nested lists. Each is negated as the
 * comparison of the list is, and once more for each `not` around it.
 */
export function itemLeavesOf(leaf: Leaf): Leaf[] {
  // The value of an operator with a quantifier.
  return itemComparisons(leaf.comparison.value as ItemCondition, leaf.negated)
    .filter(({ comparison }) => factReferenceOf(comparison.value) === undefined)
    .map(({ comparison, negated }) => ({ ...itemLeafOf(comparison, leaf.entry, fixedPath), negated }));
}

/** What the test of a leaf's operator compares the fact with. */
export function operandOf({ operator, value }: Leaf, facts: object, work?: Work): unknown {
  return operator.bind === undefined ? value : operator.bind(value, facts, work);
}

/** The name of what `operandOf` returns for a leaf whose operator also reads other facts; undefined for other leaves. */
export function operandName(leaf: Leaf): string | undefined {
  return leaf.operator.bind === undefined ? undefined : contentOf(leaf);
}

const contentOf = ({ comparison, path, operator }: Leaf): string =>
  `${path} ${operator.name} ${JSON.stringify(comparison.value)}`;

/** The name of what the engine compares a leaf's fact with; undefined: its constant. */
function engineOperandName(leaf: Leaf): string | undefined {
  return leaf.other?.path ?? (isCounted(leaf.operator) ? contentOf(leaf) : operandName(leaf));
}

/**
 * Pushes every `not` down to the comparisons (De Morgan), where a missing fact is decided. So it means the same below `not` as above it,
 * and each node is monotone in its comparisons.
 */
export function normalForm(
  condition: Condition,
  holdsWhenUnsure: boolean,
  negated = false,
  makeLeaf: LeafMaker = leafOf,
): NormalNode {
  const part = (of: Condition): NormalNode => normalForm(of, holdsWhenUnsure, negated, makeLeaf);
  if ('not' in condition) return normalForm(condition.not, holdsWhenUnsure, !negated, makeLeaf);
  if ('all' in condition) return { kind: negated ? 'any' : 'all', of: condition.all.map(part) };
  if ('any' in condition) return { kind: negated ? 'all' : 'any', of: condition.any.map(part) };
  return { kind: 'leaf', leaf: makeLeaf(condition, holdsWhenUnsure, negated) };
}

/** All comparisons of a condition, from left to right. */
export function leavesOf(node: NormalNode): Leaf[] {
  return node.kind === 'leaf' ? [node.leaf] : node.of.flatMap(leavesOf);
}

/** Maps an operator's result to whether the comparison holds. */
export function holds(outcome: ComparisonOutcome, negated: boolean, whenUnsure: boolean): boolean {
  switch (outcome) {
    case 'yes':
      return !negated;
    case 'no':
      return negated;
    case 'missing':
    case 'partly':
      return whenUnsure;
    default:
      return assertNever(outcome);
  }
}

export function outcomeOf(leaf: Leaf, facts: object): ComparisonOutcome {
  const settled = isCounted(leaf.operator) ? settledOf(leaf, facts) : undefined;
  if (settled === undefined) return outcomeFor(leaf, leaf.read(facts), facts);
  settled.outcome ??= outcomeFor(leaf, leaf.read(facts), facts);
  return settled.outcome;
}

/** A counted comparison with its name, which is equal for equal comparisons. */
export interface CountedLeaf {
  readonly leaf: Leaf;
  readonly name: string;
}

export const countedLeaves = (leaves: readonly Leaf[]): CountedLeaf[] =>
  leaves.filter(({ operator }) => isCounted(operator)).map((leaf) => ({ leaf, name: contentOf(leaf) }));

/**
 * Gives the comparisons their steps, in order: `outcomeOf` is 'missing' for those that have too few, and computes the others once.
 * @param facts an object of this question alone
 * @returns the positions of the comparisons that have too few steps
 */
export function settle(counted: readonly CountedLeaf[], facts: object, steps: QuestionSteps): number[] {
  // Most lists of rules have none.
  if (counted.length === 0) return [];
  const settled = settledFor(facts);
  for (const { leaf, name } of counted) {
    if (settled.has(leaf)) continue;
    const { operator, value } = leaf;
    const actual = leaf.read(facts);
    if (operator.quantifier !== undefined) {
      const work = new Work(steps);
      const outcome = outcomeFor(leaf, actual, facts, work);
      settled.set(leaf, work.isLeftOut ? leftOut() : { outcome });
    } else {
      const count = (): number => stepsOf(operator, actual, value);
      if (typeof actual === 'string') settled.set(leaf, steps.ofText(name, actual, count));
      else settled.set(leaf, steps.take(count()) ? {} : leftOut());
    }
  }
  return counted.flatMap(({ leaf }, at) => (settled.get(leaf)?.isLeftOut === true ? [at] : []));
}

/** The outcome for a value that was read from the facts, or from an item of a list. */
function outcomeFor(leaf: Leaf, actual: unknown, facts: object, work?: Work): ComparisonOutcome {
  const { path, operator, other } = leaf;
  const isOpen =
    actual === PARTLY || (actual === undefined && operator.name !== 'isPresent' && isLeftOpen(path, facts));
  if (other === undefined) return isOpen ? 'partly' : compareWith(operator, actual, operandOf(leaf, facts, work));
  const value = other.read(facts);
  const isOtherOpen = value === PARTLY || (value === undefined && isLeftOpen(other.path, facts));
  if (!isOpen && !isOtherOpen) return compareWithFact(operator, actual, value);
  const isOneMissing = (actual === undefined && !isOpen) || (value === undefined && !isOtherOpen);
  return isOneMissing ? 'missing' : 'partly';
}

/** The paths without which a comparison is undecidable: of two facts of different types, both. */
export function missingIn(leaf: Leaf, facts: object): readonly string[] {
  if (outcomeOf(leaf, facts) !== 'missing') return [];
  const { path, other } = leaf;
  if (other === undefined) return [path];
  const absent = [...readersOf([leaf])].filter(([one, read]) => read(facts) === undefined && !isLeftOpen(one, facts));
  return absent.length === 0 ? pathsOf(leaf) : absent.map(([one]) => one);
}

/**
 * Readers of the values on which the outcomes of some comparisons depend, by name. A comparison that combines its value with other facts
 * is represented by its outcome: the time of the decision is always new, and the items of a list are many.
 */
export function memoReaders(leaves: readonly Leaf[]): Map<string, PathReader> {
  const plain = leaves.filter((leaf) => leaf.operator.bind === undefined);
  const readers = readersOf(plain);
  for (const leaf of leaves) {
    const operand = operandName(leaf);
    if (operand !== undefined) readers.set(operand, (facts) => outcomeOf(leaf, facts));
  }
  return readers;
}

/** Readers of everything that the engine compares, by name. */
export function engineReaders(leaves: readonly Leaf[]): Map<string, PathReader> {
  const readers = readersOf(leaves);
  for (const leaf of leaves) {
    const operand = leaf.other === undefined ? engineOperandName(leaf) : undefined;
    if (operand === undefined) continue;
    const isOutcome = isCounted(leaf.operator);
    readers.set(operand, (facts) => (isOutcome ? new Outcome(outcomeOf(leaf, facts)) : operandOf(leaf, facts)));
  }
  return readers;
}

/** Evaluates a condition directly, with the given results for missing facts and for patterns that match partly. */
export function holdsFor(
  node: NormalNode,
  facts: object,
  unsure: { readonly missing: boolean; readonly partly: boolean },
): boolean {
  switch (node.kind) {
    case 'all':
      return node.of.every((part) => holdsFor(part, facts, unsure));
    case 'any':
      return node.of.some((part) => holdsFor(part, facts, unsure));
    case 'leaf': {
      const outcome = outcomeOf(node.leaf, facts);
      return holds(outcome, node.leaf.negated, outcome === 'partly' ? unsure.partly : unsure.missing);
    }
    default:
      return assertNever(node);
  }
}

/** Why a condition holds: with certainty, for a part of the resources that a pattern covers, or only because facts are missing. */
export type Ground = 'certain' | 'partly' | 'missing' | 'not at all';

/** From the weakest ground to the strongest: a list of conditions holds on its weakest part, an alternative on its strongest. */
const GROUNDS = ['not at all', 'missing', 'partly', 'certain'] as const satisfies readonly Ground[];
const WEAKEST = 0;
const STRONGEST = GROUNDS.length - 1;

function rankOfLeaf(leaf: Leaf, facts: object): number {
  switch (outcomeOf(leaf, facts)) {
    case 'yes':
      return leaf.negated ? WEAKEST : STRONGEST;
    case 'no':
      return leaf.negated ? STRONGEST : WEAKEST;
    case 'missing':
      return GROUNDS.indexOf('missing');
    case 'partly':
      return GROUNDS.indexOf('partly');
  }
}

function rankOf(node: NormalNode, facts: object): number {
  if (node.kind === 'leaf') return rankOfLeaf(node.leaf, facts);
  const isAll = node.kind === 'all';
  let rank = isAll ? STRONGEST : WEAKEST;
  const last = isAll ? WEAKEST : STRONGEST;
  for (const part of node.of) {
    const found = rankOf(part, facts);
    if (isAll ? found < rank : found > rank) rank = found;
    if (rank === last) break;
  }
  return rank;
}

/** @param holdsWhenUnsure whether the condition also holds on a ground weaker than certain */
export function groundOf(node: NormalNode, facts: object, holdsWhenUnsure: boolean): Ground {
  const ground = GROUNDS[rankOf(node, facts)] ?? 'not at all';
  return ground === 'certain' || holdsWhenUnsure ? ground : 'not at all';
}

/** The paths that are missing (or have the wrong type), sorted, without repetition. */
export function missingPaths(leaves: readonly Leaf[], facts: object): string[] {
  return [...new Set(leaves.flatMap((leaf) => missingIn(leaf, facts)))].sort();
}

/** The item that decided a comparison of a list. */
function decidingItemOf(leaf: Leaf, facts: object): Pick<ExplainedCondition, 'item'> {
  const { operator, read, value } = leaf;
  if (operator.quantifier === undefined || settledOf(leaf, facts)?.isLeftOut === true) return {};
  // Prepared by `leafOf`.
  const item = decidingItem(operator.quantifier, read(facts), value as ItemTest, facts);
  return item === undefined ? {} : { item: { index: item.index, actual: item.actual ?? null } };
}

/** A comparison with the actual value of its fact. */
export function explainLeaf(leaf: Leaf, facts: object): ExplainedCondition {
  const { comparison, negated, holdsWhenUnsure, other } = leaf;
  const reference = factReferenceOf(comparison.value);
  const outcome = outcomeOf(leaf, facts);
  return {
    fact: comparison.fact,
    ...(comparison.path === undefined ? {} : { path: comparison.path }),
    operator: negated ? `not ${comparison.operator}` : comparison.operator,
    expected: other === undefined ? comparison.value : (plainValue(other.read(facts)) ?? null),
    ...(reference === undefined ? {} : { expectedFact: reference }),
    ...leaf.origin,
    actual: plainValue(leaf.read(facts)) ?? null,
    ...decidingItemOf(leaf, facts),
    missing: outcome === 'missing',
    result: holds(outcome, negated, holdsWhenUnsure),
  };
}

/** The name under which the engine gets all facts: one fact is one cache entry, and one resolver reads every path. */
export const ENGINE_FACT = 'facts';

/** The variant of an operator that a comparison uses. */
export type Variant = Pick<Leaf, 'operator' | 'negated' | 'holdsWhenUnsure'> & {
  /** Whether the value is another fact. */
  readonly isOfFacts: boolean;
};

export const variantOf = ({ operator, negated, holdsWhenUnsure, other }: Leaf): Variant => ({
  operator,
  negated,
  holdsWhenUnsure,
  isOfFacts: other !== undefined,
});

/** The engine's name of a variant. */
export function engineOperator({ operator, negated, holdsWhenUnsure, isOfFacts }: Variant): string {
  return `${negated ? 'not ' : ''}${operator.name}${isOfFacts ? ' fact' : ''}${holdsWhenUnsure ? ' or unsure' : ''}`;
}

function toEngine(
  node: NormalNode,
): TopLevelCondition | { fact: string; path: string; operator: string; value: unknown } {
  switch (node.kind) {
    case 'all':
      return { all: node.of.map(toEngine) };
    case 'any':
      return { any: node.of.map(toEngine) };
    case 'leaf': {
      const { path } = node.leaf;
      const name = engineOperandName(node.leaf);
      // The engine reads the fact in a value itself.
      const value = name === undefined ? node.leaf.value : { fact: ENGINE_FACT, path: name };
      return { fact: ENGINE_FACT, path, operator: engineOperator(variantOf(node.leaf)), value };
    }
    default:
      return assertNever(node);
  }
}

/** Converts a condition for json-rules-engine, whose root must be `all` or `any`. */
export function engineConditions(node: NormalNode): TopLevelCondition {
  const root = node.kind === 'leaf' ? toEngine({ kind: 'all', of: [node] }) : toEngine(node);
  if ('fact' in root) throw new Error('the root of conditions must be all or any');
  return root;
}
