// The facts that a test may override by their path, and their allowed values: the intent facts that parsing yields.
import { canonicalResource } from '../../intent/resource.ts';
import { NO_DECLARATIONS } from '../declarations.ts';
import type { VocabularyEntry } from '../vocabulary.ts';
import { fullPath, lookUp, VOCABULARY } from '../vocabulary.ts';

/** These derive from the intent's string; a test that needs other values uses another string. */
const OWN_STRING = new Set(['normalized', 'domain', 'action', 'object', 'resource', 'depth']);

const INSTEAD: Readonly<Record<string, string>> = {
  intent: "follows from the intent's string: write another intent",
  agent: 'is given by the agent: write it there',
  resource: 'is given by the folder "resources" or the member "resource"',
  trust: 'follows from the "score" or "level" of the agent, and from "claim"',
  key: 'is given by the member "key"; its environment is that of the case',
  client: 'is given by the member "client"',
  context: 'is given by the member "context"',
  tool: 'follows from the call: write it into the member "tool"',
  time: 'follows from the member "now"',
  budgets: 'is given by the member "budgets"',
  history: 'is given by the member "history"',
  organisation: 'is given by the member "organisation"',
  environment: 'is given by the member "environment"',
};

/** The facts that `facts` of a case may override. */
export const SETTABLE: readonly VocabularyEntry[] = VOCABULARY.filter(
  ({ fact, path }) => fact === 'intent' && path !== undefined && !OWN_STRING.has(path),
);

const settable = new Map(SETTABLE.map((entry) => [fullPath(entry.fact, entry.path), entry]));

/** Splits a full path into fact and path, as a policy writes them. */
export function splitPath(path: string): { readonly fact: string; readonly path: string | undefined } {
  const dot = path.indexOf('.');
  return dot === -1 ? { fact: path, path: undefined } : { fact: path.slice(0, dot), path: path.slice(dot + 1) };
}

/** The entry of a fact that may be overridden, or a message that says why it may not. */
export function settableFact(written: string): VocabularyEntry | string {
  const entry = settable.get(written);
  if (entry !== undefined) return entry;
  const { fact, path } = splitPath(written);
  const known = lookUp(fact, path, 'enforce', NO_DECLARATIONS);
  if (typeof known === 'string') return known;
  return `${written} ${INSTEAD[fact] ?? "can't be set"}`;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function eachText(value: unknown, problem: (item: string) => string | undefined): string | undefined {
  if (!Array.isArray(value) || !value.every(isText)) return 'must be a list of strings';
  for (const item of value) {
    const found = problem(item);
    if (found !== undefined) return `${JSON.stringify(item)} ${found}`;
  }
  return undefined;
}

function numberProblem(value: unknown, unit: string | undefined): string | undefined {
  if (typeof value !== 'number') return 'must be a number';
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(unit ?? '') ?? [];
  if (from === undefined || to === undefined) return undefined;
  return value >= Number(from) && value <= Number(to) ? undefined : `must be from ${from} to ${to}`;
}

function moneyProblem(value: unknown): string | undefined {
  const isMoney = (item: unknown): boolean =>
    typeof item === 'object' &&
    item !== null &&
    typeof Reflect.get(item, 'amount') === 'number' &&
    typeof Reflect.get(item, 'currency') === 'string';
  return Array.isArray(value) && value.every(isMoney)
    ? undefined
    : 'must be a list of sums such as {"amount": 10, "currency": "EUR"}';
}

/** Describes what is wrong with a value of a fact; undefined when it is valid. */
export function valueProblem(entry: VocabularyEntry, value: unknown): string | undefined {
  const { values } = entry;
  const outside = (item: string): string | undefined =>
    values === undefined || values.includes(item) ? undefined : `is not one of ${values.join(', ')}`;
  switch (entry.type) {
    case 'string':
      return isText(value) ? outside(value) : 'must be a string';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
      return numberProblem(value, entry.unit);
    case 'strings':
      return eachText(value, outside);
    case 'resources':
      return eachText(value, (item) => {
        const canonical = canonicalResource(item);
        if (!canonical.ok) return canonical.message;
        return canonical.resource === item ? undefined : `must be canonical: ${JSON.stringify(canonical.resource)}`;
      });
    case 'money':
      return moneyProblem(value);
    default:
      return undefined;
  }
}

/** The JSON Schema of a fact's values. */
export function valueSchema(entry: VocabularyEntry): Record<string, unknown> {
  const { type, values } = entry;
  const text = { type: 'string', ...(values === undefined ? {} : { enum: values }) };
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(entry.unit ?? '') ?? [];
  switch (type) {
    case 'boolean':
      return { type, examples: [true] };
    case 'number':
      return { type, minimum: Number(from), maximum: Number(to), examples: [Number(to)] };
    case 'strings':
      return { type: 'array', items: text, uniqueItems: true, examples: [[values?.[0] ?? 'reports.example.com']] };
    case 'resources':
      return { type: 'array', items: text, uniqueItems: true, examples: [['db/production']] };
    case 'money':
      return {
        type: 'array',
        items: { type: 'object', required: ['amount', 'currency'] },
        examples: [[{ amount: 10, currency: 'EUR' }]],
      };
    default:
      return { ...text, examples: [values?.[0] ?? 'drop'] };
  }
}
