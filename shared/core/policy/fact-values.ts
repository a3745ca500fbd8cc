// Comparisons of a fact with another fact: which facts can be compared, and with what result.
import { type ComparisonOutcome, compareWith, type Operator } from './operators.ts';
import type { Comparison } from './schema.ts';
import { type FactType, fullPath, type VocabularyEntry } from './vocabulary.ts';

/** The value of a comparison that is another fact: `{"fact": "agent", "path": "attributes.team"}`. */
export interface FactReference {
  readonly fact: string;
  readonly path?: string;
}

/** The reference in the value of a comparison that the schema accepted; undefined for a constant. */
export function factReferenceOf(value: unknown): FactReference | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'fact'))
    return undefined;
  // The schema requires the members of a reference wherever there is a member `fact`.
  return value as FactReference;
}

/** Formats a comparison: `trust.level lessThan 4`, `agent.id equal fact tool.arguments.owner`. @param limit of the characters of a value */
export function comparisonText({ fact, path, operator, value }: Comparison, limit = Number.POSITIVE_INFINITY): string {
  const reference = factReferenceOf(value);
  const text = reference === undefined ? JSON.stringify(value) : `fact ${fullPath(reference.fact, reference.path)}`;
  return `${fullPath(fact, path)} ${operator} ${text.length > limit ? `${text.slice(0, limit - 3)}...` : text}`;
}

const SCALARS: readonly FactType[] = ['string', 'number', 'minutes', 'boolean'];
const NUMBERS: readonly FactType[] = ['number', 'minutes'];
const LISTS: readonly FactType[] = ['strings'];
const TEXTS: readonly FactType[] = ['string', 'strings'];
const TIMES: readonly FactType[] = ['timestamp'];

/**
 * The types of a fact on the right side, by operator; `unknown` always fits. An operator that is not here compares with constants only:
 * patterns and globs are compiled at load, and `isPresent` and `withinHours` have values that no fact has.
 */
const RIGHT_TYPES: ReadonlyMap<string, readonly FactType[]> = new Map([
  ['equal', SCALARS],
  ['notEqual', SCALARS],
  ['in', LISTS],
  ['notIn', LISTS],
  ['lessThan', NUMBERS],
  ['lessThanInclusive', NUMBERS],
  ['greaterThan', NUMBERS],
  ['greaterThanInclusive', NUMBERS],
  ['contains', SCALARS],
  ['doesNotContain', SCALARS],
  ['containsAny', LISTS],
  ['containsAll', LISTS],
  ['containsNone', LISTS],
  ['startsWith', TEXTS],
  ['endsWith', TEXTS],
  ['hostIn', TEXTS],
  ['matchesResource', TEXTS],
  ['inCidr', TEXTS],
  ['before', TIMES],
  ['after', TIMES],
]);

/** The operators that accept a fact as their value. */
export const FACT_OPERATORS: readonly string[] = [...RIGHT_TYPES.keys()];

/** What the values of a type, or the items of a list, are compared as. */
const COMPARED_AS: Partial<Record<FactType, string>> = {
  string: 'text',
  strings: 'text',
  number: 'number',
  minutes: 'number',
  boolean: 'boolean',
};

const named = ({ fact, path, type, unit }: VocabularyEntry): string =>
  `${fullPath(fact, path)} (${unit === undefined ? type : `${type}, ${unit}`})`;

/** Describes why two facts can not be compared by an operator that accepts the left one; undefined when they can. */
export function factsProblem(operator: Operator, left: VocabularyEntry, right: VocabularyEntry): string | undefined {
  const types = RIGHT_TYPES.get(operator.name);
  if (types === undefined)
    return `${operator.name} compares with a constant, not with another fact; those with a fact are ${FACT_OPERATORS.join(', ')}`;
  const path = fullPath(right.fact, right.path);
  if (path.includes('[]'))
    return `${path} may have several values: put it on the left side, where any of them may make the comparison hold`;
  if (path === fullPath(left.fact, left.path)) return `${path} is compared with itself`;
  if (right.type !== 'unknown' && !types.includes(right.type))
    return `${operator.name} compares with a fact of type ${types.join(' or ')}, and ${path} has the type ${right.type}`;
  const [one, other] = [COMPARED_AS[left.type], COMPARED_AS[right.type]];
  if (operator.isOfFact === true && one !== undefined && other !== undefined && one !== other)
    return `${named(left)} can't be compared with ${named(right)}: their types differ`;
  if (left.unit !== undefined && right.unit !== undefined && left.unit !== right.unit)
    return `${named(left)} can't be compared with ${named(right)}: they are on different scales`;
  const isApart =
    operator.isOfFact === true && left.values?.every((value) => right.values?.includes(value) === false) === true;
  return isApart ? `${named(left)} and ${named(right)} have no value in common` : undefined;
}

/**
 * The outcome of a comparison with the value that another fact has. A value that would be refused as a constant counts as missing, except
 * the empty list: nothing is in it, and every list contains all of it.
 */
export function compareWithFact(operator: Operator, actual: unknown, other: unknown): ComparisonOutcome {
  if (other === undefined || other === null) return 'missing';
  const isEmptyList = Array.isArray(other) && other.length === 0;
  const takesLists = RIGHT_TYPES.get(operator.name)?.includes('strings') === true;
  if (!(isEmptyList && takesLists) && operator.valueProblem(other) !== undefined) return 'missing';
  return compareWith(operator, actual, operator.prepare === undefined ? other : operator.prepare(other));
}
