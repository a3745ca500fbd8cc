// The operators of conditions by name: the fact types they apply to, the values they accept, and their tests.
import type { FactType } from './vocabulary.ts';
import {
  amountAbove,
  compare,
  compareText,
  compareTime,
  contains,
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
import { canonicalResource } from './resource.ts';
import { addressInRange, minutesOfDay, parseHours, parseRange, timeOf } from './values.ts';

export type { ComparisonOutcome } from './comparisons.ts';

export interface Operator {
  readonly name: string;
  readonly description: string;
  /** The fact types it applies to (besides `unknown`). */
  readonly types: readonly FactType[];
  /** Describes what is wrong with a compared value in a policy; undefined when it is valid. */
  readonly valueProblem: (value: unknown) => string | undefined;
  /** Converts a valid value into the form that `test` takes (canonical patterns). */
  readonly prepare?: (value: unknown) => unknown;
  /** An example of a compared value. */
  readonly example: unknown;
  /** Total: accepts any fact value, and any value that passed `valueProblem`. */
  readonly test: Test;
}

const SCALARS: readonly FactType[] = ['string', 'number', 'boolean', 'minutes'];
const NUMBERS: readonly FactType[] = ['number', 'minutes'];

const LIST: readonly Operator[] = [
  {
    name: 'equal',
    description: 'is the same value, of the same type',
    types: SCALARS,
    valueProblem: scalarProblem,
    example: 'read',
    test: equal,
  },
  {
    name: 'notEqual',
    description: 'is another value of the same type',
    types: SCALARS,
    valueProblem: scalarProblem,
    example: 'read',
    test: (a, v) => opposite(equal(a, v)),
  },
  {
    name: 'in',
    description: 'is one of the list',
    types: SCALARS,
    valueProblem: listProblem,
    example: ['read', 'write'],
    test: within,
  },
  {
    name: 'notIn',
    description: 'is none of the list',
    types: SCALARS,
    valueProblem: listProblem,
    example: ['destructive'],
    test: (a, v) => opposite(within(a, v)),
  },
  {
    name: 'lessThan',
    description: 'is a smaller number',
    types: NUMBERS,
    valueProblem: numberProblem,
    example: 4,
    test: compare((a, v) => a < v),
  },
  {
    name: 'lessThanInclusive',
    description: 'is a smaller or the same number',
    types: NUMBERS,
    valueProblem: numberProblem,
    example: 4,
    test: compare((a, v) => a <= v),
  },
  {
    name: 'greaterThan',
    description: 'is a larger number',
    types: NUMBERS,
    valueProblem: numberProblem,
    example: 4,
    test: compare((a, v) => a > v),
  },
  {
    name: 'greaterThanInclusive',
    description: 'is a larger or the same number',
    types: NUMBERS,
    valueProblem: numberProblem,
    example: 4,
    test: compare((a, v) => a >= v),
  },
  {
    name: 'contains',
    description: 'is a list that has the value',
    types: ['strings'],
    valueProblem: scalarProblem,
    example: 'pii',
    test: contains,
  },
  {
    name: 'doesNotContain',
    description: 'is a list without the value',
    types: ['strings'],
    valueProblem: scalarProblem,
    example: 'pii',
    test: (a, v) => opposite(contains(a, v)),
  },
  {
    name: 'containsAny',
    description: 'is a list that has at least one of the values',
    types: ['strings'],
    valueProblem: listProblem,
    example: ['pii', 'health'],
    test: (a, v) => containsSome(a, v, 'some'),
  },
  {
    name: 'containsAll',
    description: 'is a list that has all of the values',
    types: ['strings'],
    valueProblem: listProblem,
    example: ['pii', 'health'],
    test: (a, v) => containsSome(a, v, 'every'),
  },
  {
    name: 'startsWith',
    description: 'is a text that starts with the value, or with one of a list',
    types: ['string'],
    valueProblem: textsProblem,
    example: 'billing-',
    test: compareText((a, v) => a.startsWith(v)),
  },
  {
    name: 'endsWith',
    description: 'is a text that ends with the value, or with one of a list',
    types: ['string'],
    valueProblem: textsProblem,
    example: '-readonly',
    test: compareText((a, v) => a.endsWith(v)),
  },
  {
    name: 'matchesResource',
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
  {
    name: 'withinHours',
    description:
      'is a time of day (UTC) from the first, inclusive, to the second, exclusive; over midnight when the first is later',
    types: ['minutes', 'timestamp'],
    valueProblem: (value) =>
      parseHours(value) === undefined ? 'must be two different times such as "08:00-18:00"' : undefined,
    example: '08:00-18:00',
    test: (actual, value) => {
      const minutes = minutesOfDay(actual);
      const hours = parseHours(value);
      if (minutes === undefined || hours === undefined) return 'missing';
      const { from, to } = hours;
      return outcome(from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to);
    },
  },
  {
    name: 'before',
    description: 'is an earlier time',
    types: ['timestamp'],
    valueProblem: (v) => (timeOf(v) === undefined ? 'must be an RFC 3339 time' : undefined),
    example: '2026-12-24T00:00:00Z',
    test: compareTime((a, v) => a < v),
  },
  {
    name: 'after',
    description: 'is a later time',
    types: ['timestamp'],
    valueProblem: (v) => (timeOf(v) === undefined ? 'must be an RFC 3339 time' : undefined),
    example: '2026-12-24T00:00:00Z',
    test: compareTime((a, v) => a > v),
  },
  {
    name: 'inCidr',
    description: 'is an IP address in the network, or in one of a list; IPv4 and IPv6',
    types: [],
    valueProblem: (value) =>
      eachProblem(value, (item) =>
        parseRange(item) === undefined ? 'is not a network such as 10.0.0.0/8' : undefined,
      ),
    example: ['10.0.0.0/8', 'fd00::/8'],
    test: (actual, value) => {
      let found: ComparisonOutcome = 'no';
      for (const range of textsOf(value)) {
        const inside = addressInRange(actual, range);
        if (inside === undefined) return 'missing';
        if (inside) found = 'yes';
      }
      return found;
    },
  },
  {
    name: 'amountAbove',
    description: 'some sum of money is above the amount; missing when none is named, or one in another currency',
    types: ['money'],
    valueProblem: sumProblem,
    example: { amount: 1000, currency: 'EUR' },
    test: amountAbove,
  },
  {
    name: 'isPresent',
    description: 'whether the fact is there at all (null is not); always answerable',
    types: ['string', 'number', 'boolean', 'strings', 'timestamp', 'minutes', 'resources', 'money'],
    valueProblem: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    example: true,
    test: (actual, value) => outcome((actual !== undefined && actual !== null) === value),
  },
];

export const OPERATORS: ReadonlyMap<string, Operator> = new Map(LIST.map((operator) => [operator.name, operator]));
export const OPERATOR_NAMES: readonly string[] = LIST.map((operator) => operator.name);

/** Whether an operator applies to facts of a type. */
export function accepts(operator: Operator, type: FactType): boolean {
  return type === 'unknown' || operator.types.includes(type);
}
