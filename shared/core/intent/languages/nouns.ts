// The nouns of a text in another language than English, by their English ones.
import type { Language } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';

/** Words between a verb and its object, before and after it. */
const REACH_AFTER = 8;
const REACH_BEFORE = 6;

const ELISION = /^(?:l|d|qu|n|s|j|m|t|c|dell|all|un|nell|sull|dall|quell)'/;
/** A word without the article that is joined to it: `l'ordine`. */
export const withoutElision = (word: string): string => (word.includes("'") ? word.replace(ELISION, '') : word);

/** Nouns for a collection, which the noun after them specifies: `liste des clients`. */
const COLLECTIONS: ReadonlySet<string> = new Set(['list', 'table', 'database', 'sheet', 'archive', 'backup', 'record']);
const SPECIFIED_WITHIN = 3;

/** The noun at `words[at]`, in the order of English with the noun that specifies it: `customer_list`. */
export function nounAt(words: readonly string[], at: number, { nouns }: Language): string | undefined {
  const noun = nouns.get(withoutElision(words[at] ?? ''));
  if (noun === undefined || !COLLECTIONS.has(noun)) return noun;
  for (let i = at + 1; i <= Math.min(words.length - 1, at + SPECIFIED_WITHIN); i += 1) {
    const of = nouns.get(withoutElision(words[i] ?? ''));
    if (of !== undefined) return of === noun ? noun : `${of}_${noun}`;
  }
  return noun;
}

/** The noun after the words `at` to before `end`, else the one before them. */
export function nounNear(words: readonly string[], at: number, end: number, language: Language): string | undefined {
  for (let i = end; i < Math.min(words.length, end + REACH_AFTER); i += 1) {
    const noun = nounAt(words, i, language);
    if (noun !== undefined) return noun;
  }
  for (let i = at - 1; i >= Math.max(0, at - REACH_BEFORE); i -= 1) {
    const noun = language.nouns.get(withoutElision(words[i] ?? ''));
    if (noun !== undefined) return noun;
  }
  return undefined;
}

/** The first word after `end` that the language does not list: the object of a verb that no table has. */
export function unlistedNear(words: readonly string[], end: number, { known }: Language): string | undefined {
  return words
    .slice(end, end + REACH_AFTER)
    .map(withoutElision)
    .find((word) => UNLISTED.test(word) && !known.has(word));
}
const UNLISTED = /^\p{L}{3,40}$/u;

/**
 * The longest noun in a text without spaces. Of equally long ones, whatever their order in the lexicon, those that mean a certain thing come
 * first, and then the first in the text.
 */
export function denseNoun(text: string, { nouns }: Language, { genericNouns }: Lexicon): string | undefined {
  const found = [...nouns]
    .filter(([word]) => text.includes(word))
    .map(([word, noun]) => ({
      noun,
      length: word.length,
      isGeneric: Number(genericNouns.has(noun)),
      at: text.indexOf(word),
    }));
  return found.sort((a, b) => b.length - a.length || a.isGeneric - b.isGeneric || a.at - b.at)[0]?.noun;
}
