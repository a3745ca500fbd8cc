// Conditions on the items of a list: `some` and `every`, with three-valued logic and a bound on the work of one comparison.
import type { ComparisonOutcome } from './comparisons.ts';
import { type Entry, MAX_STEPS, type Quantifier } from './operator.ts';
import type { QuestionSteps } from './question-steps.ts';
import type { ItemComparison, ItemCondition } from './schema.ts';
import type { VocabularyEntry } from './vocabulary.ts';

/** A longer list counts as missing. */
export const MAX_ITEMS = 1_000;
/** `some` within `some` is the deepest nesting. */
export const MAX_ITEM_DEPTH = 2;
/** A path inside of an item: dotted, with plain member names. */
export const ITEM_PATH = /^[A-Za-z0-9_$@-]{1,64}(?:\.[A-Za-z0-9_$@-]{1,64}){0,7}$/;

/** A comparison takes this many of MAX_STEPS, and more when it searches long texts. */
const COMPARISON_STEPS = 100;

/** The steps left for all items, also of nested lists; without any, comparisons count as missing. */
export class Work {
  private left = MAX_STEPS;
  private readonly question: QuestionSteps | undefined;
  /** Whether the steps of the question were not enough. */
  isLeftOut = false;
  constructor(question?: QuestionSteps) {
    this.question = question;
  }
  /**
   * @param more steps besides those of every comparison
   * @param counted those that the question alone has a bound for
   * @returns whether there were enough steps for one more comparison
   */
  spend(more: number, counted: number): boolean {
    if (this.isLeftOut) return false;
    this.left -= COMPARISON_STEPS + more;
    if (this.left < 0) return false;
    this.isLeftOut = this.question?.take(COMPARISON_STEPS + more + counted) === false;
    return !this.isLeftOut;
  }
}

/** One comparison within the condition of an item. */
export interface ItemLeaf {
  outcome(item: unknown, facts: object, work: Work): ComparisonOutcome;
}
type ItemNode =
  | { readonly kind: 'all' | 'any'; readonly of: readonly ItemNode[] }
  | { readonly kind: 'not'; readonly of: ItemNode }
  | { readonly kind: 'leaf'; readonly leaf: ItemLeaf };

/** A condition on an item, compiled. */
export interface ItemTest {
  readonly root: ItemNode;
}

/** Undecidable results; missing wins over partly, because it permits less. */
function unsure(outcomes: readonly ComparisonOutcome[]): ComparisonOutcome | undefined {
  return outcomes.find((one) => one === 'missing') ?? outcomes.find((one) => one === 'partly');
}

function joined(outcomes: readonly ComparisonOutcome[], decisive: 'yes' | 'no'): ComparisonOutcome {
  if (outcomes.includes(decisive)) return decisive;
  return unsure(outcomes) ?? (decisive === 'yes' ? 'no' : 'yes');
}

function outcomeFor(node: ItemNode, item: unknown, facts: object, work: Work): ComparisonOutcome {
  if (node.kind === 'leaf') return node.leaf.outcome(item, facts, work);
  if (node.kind === 'not') {
    const inner = outcomeFor(node.of, item, facts, work);
    return inner === 'yes' ? 'no' : inner === 'no' ? 'yes' : inner;
  }
  const outcomes = node.of.map((part) => outcomeFor(part, item, facts, work));
  return joined(outcomes, node.kind === 'any' ? 'yes' : 'no');
}

/**
 * Whether the condition holds for some or for every item. Missing when the value is no list or has too many items; an empty list has no
 * `some`, and its `every` counts as missing, because nothing in it was ever compared.
 */
export function quantified(
  how: Quantifier,
  list: unknown,
  test: ItemTest,
  facts: object,
  work: Work,
): ComparisonOutcome {
  if (!Array.isArray(list) || list.length > MAX_ITEMS) return 'missing';
  const items: readonly unknown[] = list;
  if (items.length === 0) return how === 'some' ? 'no' : 'missing';
  const decisive = how === 'some' ? 'yes' : 'no';
  const seen: ComparisonOutcome[] = [];
  for (const item of items) {
    const one = outcomeFor(test.root, item, facts, work);
    if (one === decisive) return one;
    if (work.isLeftOut) return 'missing';
    seen.push(one);
  }
  return joined(seen, decisive);
}

/**
 * The item that decided: the first one for which a condition of `some` holds or one of `every` does not, and of an undecidable result the
 * first undecidable item. Undefined where all items together decided.
 */
export function decidingItem(
  how: Quantifier,
  list: unknown,
  test: ItemTest,
  facts: object,
): { readonly index: number; readonly actual: unknown } | undefined {
  const outcome = quantified(how, list, test, facts, new Work());
  if (!Array.isArray(list) || list.length > MAX_ITEMS || outcome === (how === 'some' ? 'no' : 'yes')) return undefined;
  const items: readonly unknown[] = list;
  const work = new Work();
  const index = items.findIndex((item) => outcomeFor(test.root, item, facts, work) === outcome);
  return index === -1 ? undefined : { index, actual: items[index] };
}

/** Compiles a checked condition. @param makeLeaf compiles one comparison */
export function compileItems(condition: ItemCondition, makeLeaf: (comparison: ItemComparison) => ItemLeaf): ItemTest {
  const nodeOf = (one: ItemCondition): ItemNode => {
    if ('not' in one) return { kind: 'not', of: nodeOf(one.not) };
    if ('all' in one) return { kind: 'all', of: one.all.map(nodeOf) };
    if ('any' in one) return { kind: 'any', of: one.any.map(nodeOf) };
    return { kind: 'leaf', leaf: makeLeaf(one) };
  };
  return { root: nodeOf(condition) };
}

/** All comparisons of a condition, without those of nested lists. */
export function itemComparisons(
  condition: ItemCondition,
  negated = false,
): { readonly comparison: ItemComparison; readonly negated: boolean }[] {
  if ('not' in condition) return itemComparisons(condition.not, !negated);
  if ('all' in condition) return condition.all.flatMap((part) => itemComparisons(part, negated));
  if ('any' in condition) return condition.any.flatMap((part) => itemComparisons(part, negated));
  return [{ comparison: condition, negated }];
}

const ITEM = { fact: 'item', description: 'an item of the list' } as const;
const OF_MONEY: Readonly<Record<string, VocabularyEntry['type']>> = { amount: 'number', currency: 'string' };

/** The type of an item, or of a member of it; a message when it has no such member. */
export function itemEntry(list: VocabularyEntry, path: string | undefined): VocabularyEntry | string {
  const at = path === undefined ? ITEM : { ...ITEM, path };
  const { type, values } = list;
  if (type === 'unknown') return { ...at, type };
  if (type === 'money') {
    if (path === undefined) return { ...at, type };
    const member = Object.hasOwn(OF_MONEY, path) ? OF_MONEY[path] : undefined;
    return member === undefined ? `a sum has no path "${path}"; known are amount, currency` : { ...at, type: member };
  }
  if (path !== undefined) return `the items of this list are texts and have no path "${path}"`;
  if (type === 'resources') return { ...at, type: 'resource' };
  return { ...at, type: 'string', ...(values === undefined ? {} : { values }) };
}

/** Reads an item, or a member of it: own members of plain objects only. Null counts as missing. */
export function itemReader(path: string | undefined): (item: unknown) => unknown {
  const keys = path?.split('.') ?? [];
  return (item) => {
    let value = item;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
        return undefined;
      // Object.hasOwn has shown that the member exists.
      value = (value as Record<string, unknown>)[key];
    }
    return value ?? undefined;
  };
}

/** A condition on items with the facts that its comparisons may need. */
interface Bound {
  readonly test: ItemTest;
  readonly facts: object;
  readonly work: Work;
}

function quantifier(how: Quantifier, description: string): Entry {
  return {
    description,
    types: ['strings', 'resources', 'money'],
    quantifier: how,
    valueProblem: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : 'must be a condition on an item, such as {"path": "price", "operator": "greaterThan", "value": 100}',
    // `leafOf` compiles the condition.
    bind: (test, facts, work = new Work()): Bound => ({ test: test as ItemTest, facts, work }),
    example: { operator: 'startsWith', value: 'ops-' },
    test: (actual, value) => {
      // Made by `bind` alone.
      const { test, facts, work } = value as Bound;
      return quantified(how, actual, test, facts, work);
    },
  };
}

export const ITEM_OPERATORS = {
  some: quantifier(
    'some',
    `is a list with at least one item for which the condition holds; of at most ${MAX_ITEMS} items, a longer list counts as missing`,
  ),
  every: quantifier(
    'every',
    `is a list, not an empty one, and the condition holds for each item; an empty list, and one of more than ${MAX_ITEMS} items, count as missing`,
  ),
} as const satisfies Readonly<Record<string, Entry>>;

/** Whether the value of an operator is a condition on the items of a list. */
export const isQuantifier = (operator: string): boolean => Object.hasOwn(ITEM_OPERATORS, operator);
