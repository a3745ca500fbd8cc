// Compares what a runner printed with what a case expects, whatever the spelling of member names.
import type { CallStep, ExpectedError, ExpectedRequests } from '../../drift/conformance/call-case.ts';
import type { RecordedRequest } from '../../support/scripted-server.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const folded = (name: string): string => name.replaceAll('_', '').toLowerCase();
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 300);

/** The member with this name, or else with this name in another spelling. */
function memberOf(value: Json, name: string): unknown {
  if (Object.hasOwn(value, name)) return value[name];
  const found = Object.keys(value).find((key) => folded(key) === folded(name));
  return found === undefined ? undefined : value[found];
}

function lookUp(results: unknown, steps: readonly string[]): unknown {
  let value = results;
  for (const step of steps)
    value = Array.isArray(value)
      ? (value as unknown[])[Number(step)]
      : isObject(value)
        ? memberOf(value, step)
        : undefined;
  return value;
}

/** Replaces a text `${steps...}` by the value of an earlier step. */
function filled(expected: unknown, printed: readonly unknown[]): unknown {
  const reference = typeof expected === 'string' ? /^\$\{steps\.([^}]+)\}$/.exec(expected)?.[1] : undefined;
  return reference === undefined ? expected : lookUp(printed, reference.split('.'));
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Where a value differs from what is expected; undefined: it does not. `*` stands for any value, `$has` for elements of a list. */
export function differenceOf(
  actual: unknown,
  given: unknown,
  printed: readonly unknown[] = [],
  at = 'result',
): string | undefined {
  const expected = filled(given, printed);
  if (expected === '*') return actual === undefined || actual === null ? `${at} is missing` : undefined;
  if (expected === null)
    return actual === undefined || actual === null ? undefined : `${at} is ${shown(actual)}, not null`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return `${at} is ${shown(actual)}, not ${shown(expected)}`;
    return first(expected.map((one, i) => differenceOf(actual[i], one, printed, `${at}[${i}]`)));
  }
  if (isObject(expected)) {
    const { $has: elements, ...members } = expected;
    if (Array.isArray(elements)) {
      const list = Array.isArray(actual) ? (actual as unknown[]) : [];
      const missing = elements.find((one) => !list.some((other) => differenceOf(other, one, printed) === undefined));
      return missing === undefined ? undefined : `${at} has no element like ${shown(missing)}: ${shown(actual)}`;
    }
    if (Object.keys(members).length === 0) return undefined;
    if (!isObject(actual)) return `${at} is ${shown(actual)}, not an object like ${shown(expected)}`;
    return first(
      Object.entries(members).map(([name, one]) => differenceOf(memberOf(actual, name), one, printed, `${at}.${name}`)),
    );
  }
  if (
    typeof expected === 'string' &&
    typeof actual === 'string' &&
    TIME.test(expected) &&
    Date.parse(expected) === Date.parse(actual)
  )
    return undefined;
  return actual === expected ? undefined : `${at} is ${shown(actual)}, not ${shown(expected)}`;
}

function first(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((one) => one !== undefined);
}

function errorDifference(actual: unknown, { type, ...members }: ExpectedError): string | undefined {
  if (!isObject(actual)) return `there was no error, but ${type} was expected`;
  const isOfType = type === '*' || type.split('|').includes(String(actual['type']));
  return isOfType ? differenceOf(actual, members, [], 'error') : `the error is ${shown(actual)}, not ${type}`;
}

/** Where a printed step differs from its expectation. @param printed all steps so far */
export function stepDifference({ expect }: CallStep, step: unknown, printed: readonly unknown[]): string | undefined {
  if (!isObject(step)) return 'the step was not printed';
  const { ran, elapsedMs, error, result } = expect;
  if (ran !== undefined && step['ran'] !== ran)
    return `the function ran ${shown(step['ran'])} times, not ${ran}; ${shown(step)}`;
  const took = Number(step['elapsedMs']);
  if (elapsedMs !== undefined && !(took >= elapsedMs[0] && took <= elapsedMs[1]))
    return `it took ${took} ms, not ${elapsedMs.join(' to ')}; ${shown(step)}`;
  if (error !== undefined) return errorDifference(step['error'], error);
  if (step['error'] !== undefined) return `it failed: ${shown(step['error'])}`;
  return result === undefined ? undefined : differenceOf(step['result'], result, printed);
}

/** Where the recorded requests differ from what a case expects. */
export function requestsDifference(
  expected: ExpectedRequests,
  requests: readonly RecordedRequest[],
): string | undefined {
  const { method, path, count, distinct, headers = {}, body, without } = expected;
  const matching = requests.filter((one) => one.method === method && one.path.split('?')[0] === path);
  const [least, most] = typeof count === 'number' ? [count, count] : count;
  const what = `${method} ${path}`;
  if (matching.length < least || matching.length > most)
    return `${what} was sent ${matching.length} times, not ${[...new Set([least, most])].join(' to ')}: ${shown(requests.map((one) => `${one.method} ${one.path}`))}`;
  if (distinct !== undefined) {
    const keys = matching.map((one) => one.headers['idempotency-key']);
    if (keys.includes(undefined)) return `${what} was sent without an Idempotency-Key`;
    if (new Set(keys).size !== distinct)
      return `${what} was sent with ${new Set(keys).size} Idempotency-Keys, not ${distinct}`;
  }
  if (without !== undefined && matching.some(({ text }) => text.includes(without)))
    return `${what} has the text ${without}`;
  const last = matching.at(-1);
  if (last === undefined) return undefined;
  // Names on the wire are spelled as the description spells them.
  return (
    differenceOf(last.headers, headers, [], 'headers') ??
    (body === undefined ? undefined : exactDifference(JSON.parse(last.text), body))
  );
}

/** As differenceOf, with names in one spelling only. */
function exactDifference(actual: unknown, expected: unknown, at = 'body'): string | undefined {
  if (!isObject(expected)) return differenceOf(actual, expected, [], at);
  if (!isObject(actual)) return `${at} is ${shown(actual)}`;
  return first(Object.entries(expected).map(([name, one]) => exactDifference(actual[name], one, `${at}.${name}`)));
}
