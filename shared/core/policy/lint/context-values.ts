// The values a caller may send as one context member, as far as conditions can tell them apart: any type, or no value.
import { itemLeavesOf, type Leaf } from '../normal-form.ts';
import { textsOf } from '../comparisons.ts';
import { isPattern } from '../../intent/resource.ts';
import { hoursOf, UTC, utcMarks } from '../hours.ts';
import { timeOf } from '../values.ts';
import { NOW } from '../time-operators.ts';
import { probableMatch } from './patterns.ts';
import {
  Ago,
  addressesAround,
  freshWord,
  instantsAround,
  moneyAround,
  numbersAround,
  subsets,
  textsAround,
  type Amount,
} from './values.ts';

type Family =
  | 'items'
  | 'number'
  | 'text'
  | 'url'
  | 'boolean'
  | 'list'
  | 'time'
  | 'network'
  | 'resource'
  | 'money'
  | 'presence';

/** Values of one path. `exact`: every other value gives the same results in all comparisons as one of these. */
export interface Representatives {
  readonly values: readonly unknown[];
  readonly exact: boolean;
}

/** The constants that a comparison names; none of another fact. */
export function itemsOf(leaf: Leaf): readonly unknown[] {
  if (leaf.other !== undefined) return [];
  const { value } = leaf.comparison;
  return Array.isArray(value) ? value : [value];
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isAmount = (value: unknown): value is Amount => typeof value === 'object' && value !== null && 'amount' in value;

const FAMILIES: Readonly<Record<string, Family>> = {
  isPresent: 'presence',
  lessThan: 'number',
  lessThanInclusive: 'number',
  greaterThan: 'number',
  greaterThanInclusive: 'number',
  contains: 'list',
  doesNotContain: 'list',
  containsAny: 'list',
  containsAll: 'list',
  containsNone: 'list',
  startsWith: 'text',
  endsWith: 'text',
  matchesGlob: 'text',
  matchesPattern: 'text',
  hostIn: 'url',
  before: 'time',
  after: 'time',
  olderThan: 'time',
  newerThan: 'time',
  some: 'items',
  every: 'items',
  withinHours: 'time',
  inCidr: 'network',
  matchesResource: 'resource',
  amountAbove: 'money',
};

/** The values for which a comparison is decidable. */
export function familyOf(leaf: Leaf): Family {
  const { name } = leaf.operator;
  const family = FAMILIES[name];
  if (family !== undefined) return family;
  const [first] = itemsOf(leaf);
  if (name.endsWith('(text)')) return isText(first) ? 'text' : 'list';
  if (isNumber(first)) return 'number';
  return isText(first) ? 'text' : 'boolean';
}

export function textConstants(leaves: readonly Leaf[]): { whole: string[]; starts: string[]; ends: string[] } {
  const of = (operators: readonly string[]): string[] => [
    ...new Set(
      leaves
        .filter((leaf) => operators.includes(leaf.operator.name))
        .flatMap(itemsOf)
        .filter(isText),
    ),
  ];
  return { whole: of(['equal', 'notEqual', 'in', 'notIn']), starts: of(['startsWith']), ends: of(['endsWith']) };
}

export const isAge = ({ operator }: Leaf): boolean => operator.binds?.includes(NOW) === true;
export const isOfItems = ({ operator }: Leaf): boolean => operator.quantifier !== undefined;

/** The comparison itself, or those of the items of a list. */
export const comparedIn = (leaf: Leaf): readonly Leaf[] =>
  isOfItems(leaf) ? itemLeavesOf(leaf).flatMap(comparedIn) : [leaf];

/** Values of each member of an item, and items, that are combined. */
const MAX_PER_MEMBER = 8;
const MAX_ITEMS = 200;

function setMember(item: unknown, path: string | undefined, value: unknown): unknown {
  if (path === undefined || value === undefined) return path === undefined ? value : item;
  const [key = '', ...rest] = path.split('.');
  const members = typeof item === 'object' && item !== null && !Array.isArray(item) ? Object.entries(item) : [];
  const before = members.find(([name]) => name === key)?.[1];
  const below = rest.length === 0 ? value : setMember(before, rest.join('.'), value);
  return Object.fromEntries([...members.filter(([name]) => name !== key), [key, below]]);
}

/** Lists without an item and with one or two of those that conditions on items may tell apart. Examples only: no proof rests on them. */
export function itemLists(leaves: readonly Leaf[]): Representatives {
  const byMember = new Map<string | undefined, Leaf[]>();
  for (const leaf of leaves.flatMap(itemLeavesOf)) {
    const { path } = leaf.comparison;
    byMember.set(path, [...(byMember.get(path) ?? []), leaf]);
  }
  let items: unknown[] = [undefined];
  for (const [path, of] of byMember) {
    const values = contextValues(of)
      .values.filter((value) => !(value instanceof Ago))
      .slice(0, MAX_PER_MEMBER);
    items = items.flatMap((item) => values.map((value) => setMember(item, path, value))).slice(0, MAX_ITEMS);
  }
  const known = items.filter((item) => item !== undefined);
  const [first] = known;
  return { values: [...known.flatMap((item) => [[item], [item, first]]), []], exact: false };
}

/** The largest number of texts or networks of one path that are analysed; a larger set gives no findings. */
const MAX_TEXTS = 2_000;
const MAX_NETWORKS = 100;

/** The operators for which the values of `textsAround` are all that they tell apart. Any other splits texts in ways that are not analysed. */
const ANALYSED = ['equal', 'notEqual', 'in', 'notIn', 'startsWith', 'endsWith', 'isPresent'];
const isPartly = ({ operator }: Leaf): boolean => !ANALYSED.includes(operator.name);
/** Whether a text is only compared as a whole. */
export const isOfWholes = (leaf: Leaf): boolean => !isPartly(leaf) && !leaf.operator.name.endsWith('With');
/** Texts inside of globs and parts. */
const PARTS = ['matchesGlob', 'contains (text)', 'doesNotContain (text)'];

/** URLs of the hosts that are named, and of another one. */
function urlsAround(leaves: readonly Leaf[]): string[] {
  const hosts = [...new Set(leaves.flatMap(itemsOf).filter(isText))];
  return [...hosts, 'host.example'].map((host) => `https://${host.replace(/^\*/, 'example')}/`);
}

export function textValues(leaves: readonly Leaf[]): Representatives {
  const partly = leaves.filter(isPartly);
  if (partly.length > 0) {
    const rest = textValues(leaves.filter((leaf) => !isPartly(leaf)));
    const parts = partly
      .filter(({ operator }) => PARTS.includes(operator.name))
      .flatMap(itemsOf)
      .filter(isText);
    const inside = parts.map((part) => part.replaceAll(/\*+/g, 'example'));
    const matches = partly
      .filter(({ operator }) => operator.name === 'matchesPattern')
      .flatMap(itemsOf)
      .filter(isText)
      .map(probableMatch)
      // With something around it first: the first text with the same results is the one that is shown.
      .flatMap((text) => [`before${text}after`, `before${text}`, `${text}after`, text]);
    const outside = freshWord(parts, parts);
    const hosts = partly.filter(({ operator }) => operator.name === 'hostIn');
    const urls = hosts.length === 0 ? [] : urlsAround(hosts);
    return { values: [...new Set([...rest.values, outside, ...inside, ...matches, ...urls])], exact: false };
  }
  const constants = textConstants(leaves);
  const combined = (constants.starts.length + 1) * (constants.ends.length + 1) + constants.whole.length;
  if (combined > MAX_TEXTS) return { values: constants.whole.slice(0, MAX_TEXTS), exact: false };
  return { values: textsAround(constants), exact: true };
}

export function listValues(leaves: readonly Leaf[]): Representatives {
  const named = [...new Set(leaves.flatMap(itemsOf))];
  const types = [...new Set(named.map((item) => typeof item))];
  const lists = types.map((type) => subsets(named.filter((item) => typeof item === type)));
  const exact = lists.every((list) => list !== undefined);
  const values = lists.flatMap((list) => list ?? []);
  return { values: [[], ...values, ...(exact ? [] : named.map((item) => [item]))], exact };
}

interface Marks {
  readonly instants: number[];
  readonly minutes: number[];
  readonly weekdays: boolean;
  /** Whether the marks are all; those of a time zone move with its summer time. */
  readonly exact: boolean;
}

/** Instants, minutes and days at which the comparisons of one path may change their result. */
export function timeMarks(leaves: readonly Leaf[]): Marks {
  const values = leaves.map((leaf) => leaf.comparison.value);
  const hours = leaves
    .filter(({ operator }) => operator.name === 'withinHours')
    .map(({ comparison }) => comparison.value);
  const parsed = hours.map(hoursOf);
  return {
    instants: values.map(timeOf).filter(isNumber),
    minutes: hours.flatMap((value) => utcMarks(value, BASE_MS)),
    weekdays: parsed.some(({ days }) => days !== undefined),
    exact: parsed.every(({ zone }) => zone === UTC),
  };
}

/** Times just before, at and just after the ages that comparisons tell apart. */
function agesAround(leaves: readonly Leaf[]): Ago[] {
  const ages = leaves.map(({ value }) => value).filter(isNumber);
  return [...new Set([0, ...ages.flatMap((ms) => [ms - 1, ms, ms + 1])])].map((ms) => new Ago(ms));
}

export function timeValues(leaves: readonly Leaf[]): Representatives {
  const ages = leaves.filter(isAge);
  const rest = leaves.filter((leaf) => !isAge(leaf));
  if (rest.length === 0) return { values: agesAround(ages), exact: true };
  const { exact, ...marks } = timeMarks(rest);
  const instants = instantsAround(marks, BASE_MS);
  const texts = instants.values.map((at) => new Date(at).toISOString());
  // An age and an instant split times in ways that depend on the time of the decision.
  return { values: [...agesAround(ages), ...texts], exact: exact && instants.exact && ages.length === 0 };
}

export function moneyValues(leaves: readonly Leaf[]): Representatives {
  const lists = moneyAround(leaves.map((leaf) => leaf.comparison.value).filter(isAmount));
  return { values: lists ?? [[]], exact: lists !== undefined };
}

/** Resources inside and outside each pattern that a comparison names. A context contains no request, so request patterns are not needed. */
function resourceValues(leaves: readonly Leaf[]): unknown[] {
  const patterns = leaves.flatMap((leaf) => textsOf(leaf.value));
  const fresh = freshWord(patterns, patterns);
  const inside = patterns.map((pattern) => (isPattern(pattern) ? `${pattern.slice(0, -1)}${fresh}` : pattern));
  // No resource of an empty list matches.
  return [fresh, ...inside, ...patterns, []];
}

const BASE_MS = Date.UTC(2026, 2, 4, 10, 30);

function valuesOf(family: Family, leaves: readonly Leaf[]): Representatives {
  switch (family) {
    case 'presence':
      return { values: [], exact: true };
    case 'number':
      return { values: numbersAround(leaves.flatMap(itemsOf).filter(isNumber)), exact: true };
    case 'boolean':
      return { values: [true, false], exact: true };
    case 'text':
      return textValues(leaves);
    case 'url':
      return { values: urlsAround(leaves), exact: false };
    case 'list':
      return listValues(leaves);
    case 'time':
      return timeValues(leaves);
    case 'items':
      return itemLists(leaves);
    case 'network': {
      const networks = [...new Set(leaves.flatMap((leaf) => textsOf(leaf.value)))];
      return { values: addressesAround(networks.slice(0, MAX_NETWORKS)), exact: networks.length <= MAX_NETWORKS };
    }
    case 'resource':
      // A list of resources may match several patterns at once; such combinations are not analysed.
      return { values: resourceValues(leaves), exact: leaves.length === 1 };
    case 'money':
      return moneyValues(leaves);
    default:
      return family satisfies never;
  }
}

/** Families that compare values of one type in different ways; combinations of these are not analysed. */
const READ_AS_TEXT: readonly Family[] = ['text', 'url', 'time', 'network', 'resource'];

export function contextValues(leaves: readonly Leaf[]): Representatives {
  const byFamily = new Map<Family, Leaf[]>();
  for (const leaf of leaves) {
    const family = familyOf(leaf);
    byFamily.set(family, [...(byFamily.get(family) ?? []), leaf]);
  }
  const families = [...byFamily.keys()];
  const isMixed =
    families.filter((family) => READ_AS_TEXT.includes(family)).length > 1 ||
    (families.includes('list') && families.includes('resource')) ||
    // withinHours also takes a number of minutes.
    (families.includes('number') && families.includes('time'));
  const found = [...byFamily].map(([family, of]) => valuesOf(family, of));
  return {
    // A missing value, and a value whose type no operator knows.
    values: [...found.flatMap((one) => one.values), undefined, {}],
    exact: !isMixed && found.every((one) => one.exact),
  };
}
