// Checks values of attributes against the declarations of a policy set.
import { didYouMean } from '../../kernel/near.ts';
import { MAX_LIST_ITEMS, MAX_TEXT_LENGTH } from '../attributes/schema.ts';
import type { Declarations } from './declarations.ts';
import { isOfType } from './path-reader.ts';
import { type FactType, fixedEntry, type VocabularyEntry } from './vocabulary.ts';

/** An attribute and how its value contradicts its declaration. */
export interface AttributeProblem {
  readonly name: string;
  readonly message: string;
}

const PREFIX = 'attributes.';
const IN_WORDS: Partial<Record<FactType, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  timestamp: 'a time such as 2026-03-02T23:30:00Z (RFC 3339)',
  strings: 'a list of texts',
};

function isTooLong(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > MAX_LIST_ITEMS || value.some(isTooLong);
  return typeof value === 'string' && value.length > MAX_TEXT_LENGTH;
}

function valueProblem(entry: VocabularyEntry, value: unknown): string | undefined {
  if (isTooLong(value))
    return `must have at most ${MAX_TEXT_LENGTH} characters, and a list at most ${MAX_LIST_ITEMS} items`;
  if (isOfType(value, entry)) return undefined;
  const isListed = entry.values !== undefined && isOfType(value, { type: entry.type });
  return isListed
    ? `must be one of ${entry.values?.join(', ')}, as attributes.json declares`
    : `must be ${IN_WORDS[entry.type] ?? entry.type}, as attributes.json declares`;
}

/** All values that contradict the declarations, and names that are not declared, in the order of the values. */
export function attributeProblems(
  fact: 'agent' | 'resource',
  values: Readonly<Record<string, unknown>>,
  declarations: Declarations,
): AttributeProblem[] {
  const declared = declarations.entries
    .filter((entry) => entry.fact === fact)
    .map(({ path = '' }) => path.slice(PREFIX.length));
  return Object.entries(values).flatMap(([name, value]) => {
    const entry = declarations.entryOf(fact, `${PREFIX}${name}`) ?? fixedEntry(`${fact}.${PREFIX}${name}`);
    const message =
      entry === undefined
        ? `is not declared in attributes.json of the policy set${didYouMean(name, declared)}`
        : valueProblem(entry, value);
    return message === undefined ? [] : [{ name, message }];
  });
}
