// A sentence that only names what is to be told: `Overview of the cancelled orders`, `The number of rows deleted last night`.
import type { Lexicon } from '../lexicon/types.ts';
import { is, isAny, K, type TaggedWords } from '../lexicon/word-kinds.ts';
import type { Implied } from './implied-parts.ts';
import { QUERY } from './request.ts';

/** Words between the article and the noun: `a short and simple overview`. */
const MAX_BEFORE = 3;
const CERTAINTY = 0.8;
const LETTERS = /[a-z]/;

/** Whether a later part of the sentence names an action: `Status of the folder and then removal of its files`. */
function namesAnAction(words: TaggedWords, from: number, lexicon: Lexicon): boolean {
  for (let at = from; at < words.length; at += 1)
    if (is(words, at, K.conjunction) && words.slice(at + 1, at + 4).some((word) => lexicon.nominals.has(word)))
      return true;
  return false;
}

/** The request to tell what a noun at the beginning of a sentence is about. */
export function reportNounAt(words: TaggedWords, lexicon: Lexicon): Implied | undefined {
  let at = words.findIndex((word) => LETTERS.test(word));
  if (at < 0) return undefined;
  if (is(words, at, K.article)) at += 1;
  const last = at + MAX_BEFORE;
  while (at < last && !is(words, at, K.report_noun)) {
    if (is(words, at, K.preposition) || !LETTERS.test(words[at] ?? '')) return undefined;
    at += 1;
  }
  if (!is(words, at, K.report_noun)) return undefined;
  if (!isAny(words, at + 1, K.preposition, K.relative_subject)) return undefined;
  if (namesAnAction(words, at, lexicon)) return undefined;
  return { entry: QUERY, at: 0, next: at, subject: [at, words.length], certainty: CERTAINTY, negated: false };
}
