// Comparisons: the values that an operator accepts, and its result. Total over all inputs, and strict about types.
import { canonicalResource, covers, isPattern, overlaps } from '../intent/resource.ts';
import { timeOf } from './values.ts';

/**
 * The result of a comparison. `missing`: the fact is absent or has the wrong type. `partly`: the request is a pattern, and the comparison
 * holds for only some of the resources that it covers.
 */
export type ComparisonOutcome = 'yes' | 'no' | 'missing' | 'partly';

/** Total: accepts any fact value, and any valid compared value. */
export type Test = (actual: unknown, value: unknown) => ComparisonOutcome;

export type Scalar = string | number | boolean;

const MAX_LIST = 1_000;

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

export function outcome(result: boolean): ComparisonOutcome {
  return result ? 'yes' : 'no';
}

export function opposite(of: ComparisonOutcome): ComparisonOutcome {
  if (of === 'yes') return 'no';
  return of === 'no' ? 'yes' : of;
}

export function scalarProblem(value: unknown): string | undefined {
  return isScalar(value) ? undefined : 'must be a string, a number or a boolean';
}
export function numberProblem(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
}
function textProblem(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? undefined : 'must be a string that is not empty';
}
export function listProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const items: readonly unknown[] = value;
  if (items.length === 0) return 'must not be an empty list';
  if (items.length > MAX_LIST) return `must have at most ${MAX_LIST} items`;
  if (!items.every(isScalar)) return 'must be a list of strings, numbers or booleans';
  return items.every((item) => typeof item === typeof items[0]) ? undefined : 'must be a list of values of one type';
}
export function textsProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  return (
    listProblem(value) ??
    (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
      ? undefined
      : 'must be a string or a list of strings')
  );
}
export function eachProblem(value: unknown, problem: (item: string) => string | undefined): string | undefined {
  const wrong = textsProblem(value);
  if (wrong !== undefined) return wrong;
  for (const item of textsOf(value)) {
    const found = problem(item);
    if (found !== undefined) return `${JSON.stringify(item)} ${found}`;
  }
  return undefined;
}

export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A list whose items all have the type of the compared ones, or undefined. The empty list qualifies. */
function listOf(actual: unknown, sample: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(actual)) return undefined;
  const items: readonly unknown[] = actual;
  return items.every((item) => typeof item === typeof sample) ? items : undefined;
}

export function equal(actual: unknown, value: unknown): ComparisonOutcome {
  return isScalar(actual) && typeof actual === typeof value ? outcome(actual === value) : 'missing';
}
export function within(actual: unknown, value: unknown): ComparisonOutcome {
  if (!Array.isArray(value) || !isScalar(actual)) return 'missing';
  // Only the value of another fact can be an empty list.
  if (value.length > 0 && typeof actual !== typeof value[0]) return 'missing';
  return outcome(value.includes(actual));
}
export function contains(actual: unknown, value: unknown): ComparisonOutcome {
  const items = listOf(actual, value);
  return items === undefined ? 'missing' : outcome(items.includes(value));
}
/** As `contains`; of a text, whether the value is in it. */
export function containsPart(actual: unknown, value: unknown): ComparisonOutcome {
  if (typeof actual !== 'string') return contains(actual, value);
  return typeof value === 'string' ? outcome(actual.includes(value)) : 'missing';
}
export function containsSome(actual: unknown, value: unknown, how: 'some' | 'every'): ComparisonOutcome {
  if (!Array.isArray(value)) return 'missing';
  const wanted: readonly unknown[] = value;
  // Only the value of another fact can be an empty list.
  const items = listOf(actual, wanted.length === 0 && Array.isArray(actual) ? actual[0] : wanted[0]);
  return items === undefined ? 'missing' : outcome(wanted[how]((item) => items.includes(item)));
}
export function compare(holds: (actual: number, value: number) => boolean): Test {
  return (actual, value) =>
    typeof actual === 'number' && Number.isFinite(actual) && typeof value === 'number'
      ? outcome(holds(actual, value))
      : 'missing';
}
export function compareText(holds: (actual: string, value: string) => boolean): Test {
  return (actual, value) =>
    typeof actual === 'string' ? outcome(textsOf(value).some((text) => holds(actual, text))) : 'missing';
}
export function compareTime(holds: (actual: number, value: number) => boolean): Test {
  return (actual, value) => {
    const at = timeOf(actual);
    const limit = timeOf(value);
    return at === undefined || limit === undefined ? 'missing' : outcome(holds(at, limit));
  };
}

function matchesOne(patterns: readonly string[], resource: string): ComparisonOutcome {
  if (patterns.some((pattern) => covers(pattern, resource))) return 'yes';
  return isPattern(resource) && patterns.some((pattern) => overlaps(pattern, resource)) ? 'partly' : 'no';
}
export function matchesResource(actual: unknown, value: unknown): ComparisonOutcome {
  const patterns = textsOf(value);
  const isList = Array.isArray(actual);
  const items: readonly unknown[] = isList ? actual : [actual];
  let best: ComparisonOutcome = 'no';
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
export function sumProblem(value: unknown): string | undefined {
  if (!isSum(value) || Object.keys(value).length !== 2 || !/^[A-Z]{3}$/.test(value.currency)) {
    return 'must be an amount and an ISO 4217 currency, such as {"amount": 1000, "currency": "EUR"}';
  }
  return undefined;
}
/** A missing sum, or one in a currency that can not be compared, is "missing" and not "no", because the amount is unknown. */
export function amountAbove(actual: unknown, value: unknown): ComparisonOutcome {
  const sums: readonly unknown[] = Array.isArray(actual) ? actual : [actual];
  if (!isSum(value) || sums.length === 0 || !sums.every(isSum)) return 'missing';
  if (sums.some((sum) => sum.currency === value.currency && sum.amount > value.amount)) return 'yes';
  return sums.every((sum) => sum.currency === value.currency) ? 'no' : 'missing';
}
