// The nouns of a text in another language than English, by their English ones.
import { follows, type Language, withoutElision } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';

/** Words between a verb and its object, before and after it. */
const REACH_AFTER = 8;
const REACH_BEFORE = 6;

/** Nouns for a collection, which the noun after them specifies: `liste des clients`. */
const COLLECTIONS: ReadonlySet<string> = new Set(['list', 'table', 'database', 'sheet', 'archive', 'backup', 'record']);
const SPECIFIED_WITHIN = 3;

/** The noun at `words[at]`, in the order of English with the noun that specifies it: `customer_list`. */
export function nounAt(words: readonly string[], at: number, { nouns, longNouns }: Language): string | undefined {
  const word = withoutElision(words[at] ?? '');
  const long = longNouns.get(word)?.find((one) => follows(words, at + 1, one.words.slice(1)));
  if (long !== undefined) return long.noun;
  const noun = nouns.get(word);
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
    const noun = isTopic(words, i, language) ? undefined : nounAt(words, i, language);
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

/** Words between a preposition and the noun of what a text is about. */
const TOPIC_REACH = 2;

/** Whether the noun at `words[at]` is only what a text is about: `ein Artikel über sichere Passwörter`. */
export const isTopic = (words: readonly string[], at: number, { topics }: Language): boolean =>
  words.slice(Math.max(0, at - TOPIC_REACH), at).some((word) => topics.has(word));

/** The same as `unlistedNear` in a script without spaces: the characters that the verb's particle marks, else those after the verb. */
export function unlistedWithin(text: string, at: number, end: number): string | undefined {
  const marked = [...text.slice(Math.max(0, at - DENSE_REACH), at).matchAll(MARKED)].at(-1)?.[1];
  return marked ?? /^\p{sc=Han}{2,8}/u.exec(text.slice(end))?.[0];
}
const DENSE_REACH = 40;
/** What stands before a Japanese particle. */
const MARKED = /((?:\p{sc=Han}|\p{sc=Katakana}|ー){2,20})[をはがに]/gu;
