// The operators of conditions: total over all inputs, strict about types, with a third answer for what can't be told.
import type { FactType } from './vocabulary.ts';
import { canonicalResource, covers, isPattern, overlaps } from './resource.ts';
import { addressInRange, minutesOfDay, parseHours, parseRange, timeOf } from './values.ts';

/**
 * What a comparison says. `missing`: the fact is absent or of the wrong type. `partly`: the request is a pattern, and
 * only some of what it stands for compares so.
 */
export type Outcome = 'yes' | 'no' | 'missing' | 'partly';

export type Scalar = string | number | boolean;

export interface Operator {
  readonly name: string;
  readonly description: string;
  /** The types of the facts it may be used on (besides `unknown`). */
  readonly types: readonly FactType[];
  /** What is wrong with a compared value in a policy, or undefined. */
  readonly valueProblem: (value: unknown) => string | undefined;
  /** The value as `test` wants it (canonical patterns); only called with values that have no problem. */
  readonly prepare?: (value: unknown) => unknown;
  /** An example of a compared value. */
  readonly example: unknown;
  /** Total: any fact value, and any value that passed `valueProblem`. */
  readonly test: (actual: unknown, value: unknown) => Outcome;
}

const MAX_LIST = 1_000;

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

function outcome(result: boolean): Outcome {
  return result ? 'yes' : 'no';
}

function opposite(of: Outcome): Outcome {
  if (of === 'yes') return 'no';
  return of === 'no' ? 'yes' : of;
}

function scalarProblem(value: unknown): string | undefined {
  return isScalar(value) ? undefined : 'must be a string, a number or a boolean';
}
function numberProblem(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
}
function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? undefined : 'must be a string that is not empty';
}
function listProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const items: readonly unknown[] = value;
  if (items.length === 0) return 'must not be an empty list';
  if (items.length > MAX_LIST) return `must have at most ${MAX_LIST} items`;
  if (!items.every(isScalar)) return 'must be a list of strings, numbers or booleans';
  return items.every((item) => typeof item === typeof items[0]) ? undefined : 'must be a list of values of one type';
}
function textsProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  return (
    listProblem(value) ??
    (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
      ? undefined
      : 'must be a string or a list of strings')
  );
}
function eachProblem(value: unknown, problem: (item: string) => string | undefined): string | undefined {
  const wrong = textsProblem(value);
  if (wrong !== undefined) return wrong;
  for (const item of textsOf(value)) {
    const found = problem(item);
    if (found !== undefined) return `${JSON.stringify(item)} ${found}`;
  }
  return undefined;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A list whose items all have the type of the compared ones, or undefined. An empty list is one. */
function listOf(actual: unknown, sample: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(actual)) return undefined;
  const items: readonly unknown[] = actual;
  return items.every((item) => typeof item === typeof sample) ? items : undefined;
}

function equal(actual: unknown, value: unknown): Outcome {
  return isScalar(actual) && typeof actual === typeof value ? outcome(actual === value) : 'missing';
}
function within(actual: unknown, value: unknown): Outcome {
  if (!Array.isArray(value) || !isScalar(actual) || typeof actual !== typeof value[0]) return 'missing';
  return outcome(value.includes(actual));
}
function contains(actual: unknown, value: unknown): Outcome {
  const items = listOf(actual, value);
  return items === undefined ? 'missing' : outcome(items.includes(value));
}
function containsSome(actual: unknown, value: unknown, how: 'some' | 'every'): Outcome {
  if (!Array.isArray(value)) return 'missing';
  const wanted: readonly unknown[] = value;
  const items = listOf(actual, wanted[0]);
  return items === undefined ? 'missing' : outcome(wanted[how]((item) => items.includes(item)));
}
function compare(holds: (actual: number, value: number) => boolean): Operator['test'] {
  return (actual, value) =>
    typeof actual === 'number' && Number.isFinite(actual) && typeof value === 'number'
      ? outcome(holds(actual, value))
      : 'missing';
}
function compareText(holds: (actual: string, value: string) => boolean): Operator['test'] {
  return (actual, value) =>
    typeof actual === 'string' ? outcome(textsOf(value).some((text) => holds(actual, text))) : 'missing';
}
function compareTime(holds: (actual: number, value: number) => boolean): Operator['test'] {
  return (actual, value) => {
    const at = timeOf(actual);
    const limit = timeOf(value);
    return at === undefined || limit === undefined ? 'missing' : outcome(holds(at, limit));
  };
}

function matchesOne(patterns: readonly string[], resource: string): Outcome {
  if (patterns.some((pattern) => covers(pattern, resource))) return 'yes';
  return isPattern(resource) && patterns.some((pattern) => overlaps(pattern, resource)) ? 'partly' : 'no';
}
function matchesResource(actual: unknown, value: unknown): Outcome {
  const patterns = textsOf(value);
  const isList = Array.isArray(actual);
  const items: readonly unknown[] = isList ? actual : [actual];
  let best: Outcome = 'no';
  for (const item of items) {
    const canonical = typeof item === 'string' ? canonicalResource(item) : undefined;
    if (canonical?.ok !== true) return 'missing';
    const found = matchesOne(patterns, canonical.resource);
    if (found === 'yes') best = 'yes';
    else if (found === 'partly' && best === 'no') best = 'partly';
  }
  return best;
}

interface Sum {
  readonly amount: number;
  readonly currency: string;
}
function isSum(value: unknown): value is Sum {
  if (typeof value !== 'object' || value === null || !('amount' in value) || !('currency' in value)) return false;
  return typeof value.amount === 'number' && Number.isFinite(value.amount) && typeof value.currency === 'string';
}
function sumProblem(value: unknown): string | undefined {
  if (!isSum(value) || Object.keys(value).length !== 2 || !/^[A-Z]{3}$/.test(value.currency)) {
    return 'must be an amount and an ISO 4217 currency, such as {"amount": 1000, "currency": "EUR"}';
  }
  return undefined;
}
/** No sum at all, or one in a currency that can't be compared, is not "no": nobody said how much. */
function amountAbove(actual: unknown, value: unknown): Outcome {
  const sums: readonly unknown[] = Array.isArray(actual) ? actual : [actual];
  if (!isSum(value) || sums.length === 0 || !sums.every(isSum)) return 'missing';
  if (sums.some((sum) => sum.currency === value.currency && sum.amount > value.amount)) return 'yes';
  return sums.every((sum) => sum.currency === value.currency) ? 'no' : 'missing';
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
      let found: Outcome = 'no';
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

/** Whether an operator makes sense on facts of a type. */
export function accepts(operator: Operator, type: FactType): boolean {
  return type === 'unknown' || operator.types.includes(type);
}
