// Facts that are compared with each other: their dimensions become one, whose values are combinations of theirs.
import { type KnownPath, type Leaf, leafOf, pathsOf } from '../normal-form.ts';
import { itemsOf } from './context-values.ts';
import { type Assignment, type Dimension, groupOf, MAX_VALUES } from './dimensions.ts';
import { freshWord, numbersAround } from './values.ts';

/** The key of the dimension of each group that is compared with another group; all other groups are dimensions of their own. */
export function jointKeys(leaves: readonly Leaf[]): ReadonlyMap<string, string> {
  const sets = new Map<string, Set<string>>();
  for (const leaf of leaves) {
    if (leaf.other === undefined) continue;
    const joined = new Set(pathsOf(leaf).flatMap((path) => [...(sets.get(groupOf(path)) ?? [groupOf(path)])]));
    for (const group of joined) sets.set(group, joined);
  }
  return new Map([...sets].map(([group, joined]) => [group, [...joined].sort().join(' & ')]));
}

/** Both assignments: of tags that each of them needs, all. */
function merged(a: Assignment, b: Assignment): Assignment {
  const both = new Map([...a, ...b]);
  const [some, more] = [a.get('key.tags'), b.get('key.tags')];
  if (Array.isArray(some) && Array.isArray(more)) both.set('key.tags', [...new Set([...some, ...more])]);
  return both;
}

/** All values of some dimensions together. @param isExact whether these are all that the comparisons of the facts tell apart */
export function productOf(key: string, factors: readonly Dimension[], isExact: boolean): Dimension {
  const counts = factors.map(({ values }) => values.length);
  const size = (): number => counts.reduce((product, count) => product * count, 1);
  const isWhole = size() <= MAX_VALUES;
  while (size() > MAX_VALUES) {
    const largest = counts.indexOf(Math.max(...counts));
    counts[largest] = Math.ceil((counts[largest] ?? 1) / 2);
  }
  let values: Dimension['values'] = [new Map()];
  for (const [i, factor] of factors.entries()) {
    const some = factor.values.slice(0, counts[i]);
    values = values.flatMap((value) => some.map((more) => merged(value, more)));
  }
  return { key, values, exact: isExact && isWhole && factors.every(({ exact }) => exact) };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Operators that take a text as a pattern, with texts and patterns: of these at least one matches a text and one does not. */
const PATTERNS: Readonly<Record<string, { readonly texts: readonly string[]; readonly patterns: readonly string[] }>> =
  {
    hostIn: { texts: ['https://host.example/'], patterns: ['host.example', 'other.example'] },
    inCidr: { texts: ['10.0.0.1'], patterns: ['10.0.0.0/8', '192.0.2.7/32'] },
  };
const TIMES = ['2026-03-04T10:30:00.000Z', '2026-03-05T10:30:00.000Z'];
/** A list has all subsets of its items as values. */
const MAX_ITEMS = 4;

/** A comparison with constants that has the values of a fact tell these constants apart. */
function seed(side: KnownPath, operator: string, value: unknown): Leaf {
  return leafOf({ fact: side.entry.fact, operator, value }, false, false, () => side);
}

function seedsOf(
  side: KnownPath,
  operator: string,
  isList: boolean,
  { texts, numbers, times }: { texts: readonly string[]; numbers: readonly number[]; times: readonly string[] },
): Leaf[] {
  if (operator === 'before' || operator === 'after') return times.map((time) => seed(side, 'before', time));
  if (side.entry.type === 'resource' || side.entry.type === 'resources') return [seed(side, 'matchesResource', texts)];
  if (side.entry.type === 'boolean') return [seed(side, 'equal', true)];
  if (isList || side.entry.type === 'strings') return [seed(side, 'containsAny', texts.slice(0, MAX_ITEMS))];
  const isNumeric =
    side.entry.type === 'number' || side.entry.type === 'minutes' || /^(?:less|greater)Than/.test(operator);
  if (isNumeric) return [seed(side, 'in', numbers)];
  const ofText = seed(side, 'in', texts);
  return side.entry.type === 'unknown' && numbers.length > 2 ? [ofText, seed(side, 'in', numbers)] : [ofText];
}

/**
 * Comparisons with constants for both sides of a comparison of two facts, so that both have the same values, and different ones.
 * @param pattern of the target
 */
export function seedsFor(leaf: Leaf, leaves: readonly Leaf[], pattern: string): readonly Leaf[] {
  const { other: right } = leaf;
  if (right === undefined) return [];
  // Not the comparison itself, whose other members would become those of the seed.
  const left: KnownPath = { path: leaf.path, entry: leaf.entry, read: leaf.read };
  const operator = leaf.comparison.operator;
  const paths = pathsOf(leaf);
  const constants = leaves.filter(({ path }) => paths.includes(path)).flatMap(itemsOf);
  const closed = [left, right].flatMap(({ entry }) => entry.values ?? []);
  const { texts = [], patterns = [] } = PATTERNS[operator] ?? {};
  const named = [...closed, ...constants.filter(isText), ...(operator === 'matchesResource' ? [pattern] : [])];
  const taken = [...named, ...texts, ...patterns];
  const first = freshWord(taken, taken);
  const both = [...named, first, freshWord([...taken, first], [...taken, first])];
  const seeds = {
    numbers: numbersAround(constants.filter(isNumber)),
    times: [...TIMES, ...constants.filter(isText).filter((text) => !Number.isNaN(Date.parse(text)))],
  };
  const isListOnRight = ['in', 'notIn', 'containsAny', 'containsAll', 'containsNone'].includes(operator);
  const isListOnLeft = operator.startsWith('contains') || operator === 'doesNotContain';
  return [
    ...seedsOf(left, operator, isListOnLeft && left.entry.type !== 'string', {
      ...seeds,
      texts: [...new Set([...texts, ...both])],
    }),
    ...seedsOf(right, operator, isListOnRight, { ...seeds, texts: [...new Set([...patterns, ...both])] }),
  ];
}

const WHOLE = ['equal', 'notEqual'];
const WHOLE_OR_LISTED = [...WHOLE, 'in', 'notIn', 'isPresent'];

/**
 * Whether the values of two facts are all that some comparisons tell apart: texts and truth values that are only compared as a whole.
 * Anything else is not claimed, so nothing is proven about it.
 */
export function isExactPair(leaves: readonly Leaf[]): boolean {
  const pairs = leaves.filter(({ other }) => other !== undefined);
  const paths = new Set(pairs.flatMap(pathsOf));
  const sides = pairs.flatMap((leaf) => [leaf, leaf.other ?? leaf]);
  return (
    paths.size === 2 &&
    [...paths].every((path) => groupOf(path) === path) &&
    sides.every(({ entry }) => entry.type === 'string' || entry.type === 'boolean') &&
    pairs.every(({ operator }) => WHOLE.includes(operator.name)) &&
    leaves.every(({ operator }) => WHOLE_OR_LISTED.includes(operator.name))
  );
}
