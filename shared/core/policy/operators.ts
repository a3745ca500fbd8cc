// The operators of conditions by name: the fact types they apply to, the values they accept, and their tests.
import type { FactType, VocabularyEntry } from './vocabulary.ts';
import { AnyOf, PARTLY } from './any-of.ts';
import {
  amountAbove,
  compare,
  compareText,
  contains,
  containsPart,
  containsSome,
  eachProblem,
  equal,
  listProblem,
  matchesResource,
  numberProblem,
  opposite,
  outcome,
  scalarProblem,
  sumProblem,
  textsOf,
  textsProblem,
  within,
} from './comparisons.ts';
import type { ComparisonOutcome, Test } from './comparisons.ts';
import { canonicalResource } from '../intent/resource.ts';
import {
  type CompiledGlob,
  compileGlob,
  compileHost,
  type CompiledPattern,
  compilePattern,
  globProblem,
  hostProblem,
  patternProblem,
  urlHost,
} from './text-matchers.ts';
import { ITEM_OPERATORS } from './items.ts';
import { type Entry, MAX_STEPS, type Operator } from './operator.ts';
import { Outcome } from './question-steps.ts';
import { TIME_OPERATORS } from './time-operators.ts';
import { parseAddress } from '../intent/text/addresses.ts';
import { addressInRange, parseRange } from './values.ts';

export type { ComparisonOutcome } from './comparisons.ts';
export type { Operator } from './operator.ts';

const SCALARS: readonly FactType[] = ['string', 'number', 'boolean', 'minutes'];

/** What compiled matchers say of a text; undefined from a matcher: it can not tell. */
function anyMatches(text: string, matchers: readonly ((text: string) => boolean | undefined)[]): ComparisonOutcome {
  const said = matchers.map((matches) => matches(text));
  if (said.includes(true)) return 'yes';
  return said.includes(undefined) ? 'missing' : 'no';
}

/** The prepared values of the operators that compile theirs, made by `prepare` alone. */
const compiled = <T>(value: unknown): readonly T[] => value as readonly T[];

/** The instructions of all patterns or globs of a prepared value. */
const sizeOf = (value: unknown): number =>
  compiled<{ readonly size: number }>(value).reduce((sum, { size }) => sum + size, 0);

/** What operators of one kind have in common. */
type Kind = Pick<Entry, 'types' | 'isOfFact' | 'valueProblem' | 'example'>;

const SCALAR: Kind = { types: SCALARS, isOfFact: true, valueProblem: scalarProblem, example: 'read' };
const LISTED: Kind = { types: SCALARS, isOfFact: true, valueProblem: listProblem, example: ['read', 'write'] };
const NUMBER: Kind = { types: ['number', 'minutes'], isOfFact: true, valueProblem: numberProblem, example: 4 };
const MEMBER: Kind = { types: ['string', 'strings'], isOfFact: true, valueProblem: scalarProblem, example: 'pii' };
const MEMBERS: Kind = { types: ['strings'], isOfFact: true, valueProblem: listProblem, example: ['pii', 'health'] };

const not =
  (test: Test): Test =>
  (actual, value) =>
    opposite(test(actual, value));

/** A variant that also takes texts. The name is the engine's: policies write the plain one. */
const onText = (name: string, test: Test): Operator => ({
  ...MEMBER,
  name: `${name} (text)`,
  // Of the value of another fact: every text contains the empty one. Constants are checked by the plain operator.
  valueProblem: (value) => (value === '' ? 'must not be empty' : scalarProblem(value)),
  description: 'the variant of facts that may be texts',
  test,
});

const TABLE: Readonly<Record<string, Entry>> = {
  equal: { ...SCALAR, description: 'is the same value, of the same type', test: equal },
  notEqual: { ...SCALAR, description: 'is another value of the same type', test: not(equal) },
  in: { ...LISTED, description: 'is one of the list', test: within },
  notIn: { ...LISTED, description: 'is none of the list', example: ['destructive'], test: not(within) },
  lessThan: { ...NUMBER, description: 'is a smaller number', test: compare((a, v) => a < v) },
  lessThanInclusive: { ...NUMBER, description: 'is a smaller or the same number', test: compare((a, v) => a <= v) },
  greaterThan: { ...NUMBER, description: 'is a larger number', test: compare((a, v) => a > v) },
  greaterThanInclusive: { ...NUMBER, description: 'is a larger or the same number', test: compare((a, v) => a >= v) },
  contains: {
    ...MEMBER,
    description: 'is a list that has the value, or a text (not in context) that has it in it',
    test: contains,
    onText: onText('contains', containsPart),
  },
  doesNotContain: {
    ...MEMBER,
    description: 'is a list without the value, or a text (not in context) without it',
    test: not(contains),
    onText: onText('doesNotContain', not(containsPart)),
  },
  containsAny: {
    ...MEMBERS,
    description: 'is a list that has at least one of the values',
    test: (a, v) => containsSome(a, v, 'some'),
  },
  containsAll: {
    ...MEMBERS,
    description: 'is a list that has all of the values',
    test: (a, v) => containsSome(a, v, 'every'),
  },
  containsNone: {
    ...MEMBERS,
    description: 'is a list that has none of the values',
    test: not((a, v) => containsSome(a, v, 'some')),
  },
  ...ITEM_OPERATORS,
  startsWith: {
    description: 'is a text that starts with the value, or with one of a list',
    types: ['string'],
    valueProblem: textsProblem,
    example: 'billing-',
    test: compareText((a, v) => a.startsWith(v)),
  },
  endsWith: {
    description: 'is a text that ends with the value, or with one of a list',
    types: ['string'],
    valueProblem: textsProblem,
    example: '-readonly',
    test: compareText((a, v) => a.endsWith(v)),
  },
  matchesGlob: {
    description:
      'is a text that the glob, or one of a list, matches: "*" within a segment, "**" over segments, at the end over at least one; "." and ".." are resolved first',
    types: ['string'],
    valueProblem: (value) => eachProblem(value, globProblem),
    prepare: (value) => textsOf(value).map(compileGlob),
    example: '/srv/app/**',
    stepsPerCharacter: sizeOf,
    test: (actual, value) =>
      typeof actual === 'string'
        ? anyMatches(
            actual,
            compiled<CompiledGlob>(value).map((glob) => glob.test),
          )
        : 'missing',
  },
  matchesPattern: {
    description:
      'is a text in which the RE2 pattern, or one of a list, matches somewhere: "^" and "$" tie it to the ends; a text that is too long for the pattern counts as missing',
    types: ['string'],
    valueProblem: (value) => eachProblem(value, patternProblem),
    prepare: (value) => textsOf(value).map(compilePattern),
    maxCharacters: (value) => Math.floor(MAX_STEPS / sizeOf(value)),
    stepsPerCharacter: sizeOf,
    example: '^OPS-[0-9]+$',
    test: (actual, value) =>
      typeof actual === 'string'
        ? outcome(compiled<CompiledPattern>(value).some((pattern) => pattern.test(actual)))
        : 'missing',
  },
  hostIn: {
    description:
      'is a URL whose host is the one, or one of a list; "*.example.com" stands for all hosts below it. An IPv4 address within IPv6 is that IPv4 address. Missing with user information, and for IPv6 that only some networks translate to IPv4',
    types: ['string'],
    valueProblem: (value) => eachProblem(value, hostProblem),
    prepare: (value) => textsOf(value).map(compileHost),
    example: ['example.com', '*.example.com'],
    test: (actual, value) => {
      const host = typeof actual === 'string' ? urlHost(actual) : undefined;
      return host === undefined ? 'missing' : anyMatches(host, compiled(value));
    },
  },
  matchesResource: {
    description: 'is a resource that the pattern, or one of a list, matches; of a list of resources, at least one',
    types: ['resource', 'resources'],
    valueProblem: (value) =>
      eachProblem(value, (item) => {
        const canonical = canonicalResource(item);
        return canonical.ok ? undefined : canonical.message;
      }),
    prepare: (value) =>
      textsOf(value).map((item) => {
        const canonical = canonicalResource(item);
        return canonical.ok ? canonical.resource : item;
      }),
    example: 'db/production/*',
    test: matchesResource,
  },
  ...TIME_OPERATORS,
  inCidr: {
    description: 'is an IP address in the network, or in one of a list; IPv4 and IPv6',
    types: ['address'],
    valueProblem: (value) =>
      eachProblem(value, (item) =>
        parseRange(item) === undefined ? 'is not a network such as 10.0.0.0/8' : undefined,
      ),
    example: ['10.0.0.0/8', 'fd00::/8'],
    test: (actual, value) =>
      typeof actual === 'string' && parseAddress(actual) !== undefined
        ? anyMatches(
            actual,
            textsOf(value).map((range) => (address) => addressInRange(address, range)),
          )
        : 'missing',
  },
  amountAbove: {
    description: 'some sum of money is above the amount; missing when none is named, or one in another currency',
    types: ['money'],
    valueProblem: sumProblem,
    example: { amount: 1000, currency: 'EUR' },
    test: amountAbove,
  },
  isPresent: {
    description: 'whether the fact is there at all (null is not); always answerable',
    types: ['string', 'number', 'boolean', 'strings', 'timestamp', 'minutes', 'resources', 'money', 'address'],
    valueProblem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    example: true,
    test: (actual, value) => outcome((actual !== undefined && actual !== null) === value),
  },
};

export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries(TABLE).map(([name, entry]) => [name, { name, ...entry }]),
);
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys()];

/** Operators as the engine knows them: those of policies, and their variants. */
export const ALL_OPERATORS: readonly Operator[] = [...OPERATORS.values()].flatMap((operator) => [
  operator,
  ...(operator.onText === undefined ? [] : [operator.onText]),
]);

/** The operator for a fact: the variant for texts, unless the fact is a member of the context without a declared type. */
export function operatorFor(name: string, { fact, type }: VocabularyEntry): Operator | undefined {
  const operator = OPERATORS.get(name);
  return fact === 'context' && type === 'unknown' ? operator : (operator?.onText ?? operator);
}

/** A list of values is searched up to here; a longer one counts as missing. */
const MAX_ITEMS = 10_000;

const charactersOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** The steps that a comparison takes of those of its question. */
export function stepsOf(operator: Operator, actual: unknown, value: unknown): number {
  const values = actual instanceof AnyOf ? actual.values : [actual];
  const characters = charactersOf(values);
  const isTooLong = values.length > MAX_ITEMS || characters > (operator.maxCharacters?.(value) ?? Infinity);
  return isTooLong ? 0 : characters * (operator.stepsPerCharacter?.(value) ?? 0);
}

/** The outcome of a comparison: of several values, whether it holds for any of them. Undefined is missing for all but `isPresent`. */
export function compareWith(operator: Operator, actual: unknown, value: unknown): ComparisonOutcome {
  if (value instanceof Outcome) return value.outcome;
  if (actual === PARTLY) return 'partly';
  const values = actual instanceof AnyOf ? actual.values : [actual];
  if (operator.name === 'isPresent') {
    const isThere = values.some((one) => one !== undefined && one !== null);
    return operator.test(isThere ? true : undefined, value);
  }
  const limit = operator.maxCharacters?.(value) ?? Number.POSITIVE_INFINITY;
  if (values.length > MAX_ITEMS || charactersOf(values) > limit) return 'missing';
  let found: ComparisonOutcome = 'no';
  for (const one of values) {
    const said = one === undefined ? 'missing' : operator.test(one, value);
    if (said === 'yes') return said;
    if (said !== 'no' && found !== 'missing') found = said;
  }
  return found;
}

/** Whether an operator applies to facts of a type. */
export function accepts(operator: Operator, type: FactType): boolean {
  return type === 'unknown' || operator.types.includes(type);
}

/** The operators that a comparison of a fact may use: those for its type, and isPresent unless a request for a pattern leaves it open. */
export function usableOn({ type, openInPattern }: VocabularyEntry): Operator[] {
  return [...OPERATORS.values()].filter(
    (operator) => accepts(operator, type) && !(operator.name === 'isPresent' && openInPattern === true),
  );
}
