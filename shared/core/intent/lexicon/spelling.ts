// Finds the word that is meant by one with a typing mistake: one letter more, less or other, or two neighbours in the wrong order.
import { verbForms } from './inflection.ts';
import { EditIndex, isOneEdit } from './one-edit.ts';
import type { Words } from './types.ts';

/** Shorter words have no misspellings; words up to SHORT have only transpositions. */
const MIN = 4;
const SHORT = 4;
const MAX = 20;
const PLAIN = /^[a-z]+$/;

const mayBeMisspelt = (word: string): boolean => word.length >= MIN && word.length <= MAX && PLAIN.test(word);

export interface Spelling {
  /** The word that a lower-case word is meant to be; undefined when it is known itself, or resembles none. */
  meant(word: string): string | undefined;
}

const isTransposed = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
};

/** What a wrong guess costs: the graver the verb, the better the guess, because doubt counts as a request. */
function weightOf(word: string, words: Words): number {
  const entry = words.verbForms.get(word)?.entry;
  if (entry === undefined) return 1;
  return entry.effect === 'destructive' ? 4 : entry.effect === 'write' ? 2 : 3;
}

/**
 * The index is built when it is first needed: few texts have a word that is not known.
 * @param right words that are known, and that none is corrected to
 */
export function createSpelling(
  words: Words,
  verbs: Iterable<string>,
  others: Iterable<string>,
  right: readonly string[],
): Spelling {
  let index: EditIndex | undefined;
  const known = new Set<string>();
  const build = (): EditIndex => {
    for (const verb of verbs) for (const [form] of verbForms(verb)) known.add(form);
    for (const other of others) known.add(other);
    const found = new EditIndex([...known].filter(mayBeMisspelt));
    for (const word of right) known.add(word);
    return found;
  };
  return {
    meant(word) {
      if (!mayBeMisspelt(word)) return undefined;
      index ??= build();
      if (known.has(word) || words.participles.get(word) !== undefined) return undefined;
      let best: string | undefined;
      index.find(word, (other) => {
        if (other.charAt(0) !== word.charAt(0) && !isTransposed(other, word)) return false;
        if (word.length <= SHORT || other.length <= SHORT ? !isTransposed(other, word) : !isOneEdit(other, word))
          return false;
        if (best === undefined || weightOf(other, words) > weightOf(best, words)) best = other;
        return false;
      });
      return best;
    },
  };
}
