// Finds a request that no comma or sign introduces, in a sentence without any other request.
import type { Lexicon, VerbReading } from '../lexicon/types.ts';
import type { PhraseMatch } from '../lexicon/phrase-table.ts';
import { namesThing } from './questions.ts';
import { QUERY, type RequestedAction, requestOf } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { is, isAny, K, type TaggedWords, tokenIs, tokenIsAny } from '../lexicon/word-kinds.ts';

/** The number of words in which a request without a preceding comma is searched. */
const LATE = 25;

/** Requests without an introduction, after `words[from]`: `in my calendar delete all golf events`, `when it is done tell me`. */
export function lateRequest(
  sentence: Sentence,
  words: TaggedWords,
  lexicon: Lexicon,
  from = 0,
): RequestedAction | undefined {
  const placed = is(words, from, K.placing) && !is(words, from + 1, K.subject_pronoun);
  const certainty = placed || is(words, from, K.clause_opening) ? 0.6 : 0.45;
  // Whether the preceding clause has its verb: the first verb is never the request.
  let complete = placed;
  for (let at = from + 1; at < Math.min(words.length, from + LATE); at += 1) {
    const place = sentence[at]?.at ?? 0;
    if (at > from + 1 && opensQuestion(words, at, complete))
      return requestOf({ entry: QUERY, next: at + 1, at: place, sentence, certainty: 0.6, kind: 'question' });
    const match = lexicon.verbForms.match(words, at);
    if (complete && match && asksHere(sentence, words, at, match))
      return requestOf({ entry: match.value.entry, next: at + match.length, at: place, sentence, certainty });
    if (is(words, at, K.clause_opening)) complete = false;
    else if (isVerb(match, words, at, lexicon)) complete = true;
  }
  return undefined;
}

/** `my bag never came | where is it`, `I'm off to Rome | do I need a visa` */
function opensQuestion(words: TaggedWords, at: number, complete: boolean): boolean {
  if (isAny(words, at - 1, K.conjunction, K.question_word, K.subordinator)) return false;
  if (is(words, at, K.auxiliary)) return is(words, at + 1, K.asker);
  return complete && is(words, at, K.question_word) && isAny(words, at + 1, K.auxiliary, K.much_many);
}

function asksHere(
  sentence: Sentence,
  words: TaggedWords,
  at: number,
  { value: { entry, form }, length }: PhraseMatch<VerbReading>,
): boolean {
  // `will only give us`
  const isAfterAdverb = is(words, at - 1, K.light_adverb) || /^\w+ly$/.test(words[at - 1] ?? '');
  const before = isAfterAdverb ? at - 2 : at - 1;
  if (form !== 'base' || entry.weak || is(words, before, K.no_request_after)) return false;
  if (isAny(words, before, K.finite, K.auxiliary, K.question_word, K.subject_pronoun)) return false;
  const next = sentence[at + length];
  if (length > 1 && entry.verb.endsWith(' me')) return true;
  if (next === undefined || next.kind === 'punct') return false;
  // `pay 900 euros to Ana`
  if (entry.alsoNoun) return tokenIs(next, K.after_noun_verb) || namesThing(words, at + length);
  if (tokenIs(next, K.after_verb)) return true;
  return next.kind !== 'word' || !tokenIsAny(next, K.finite, K.no_request_after);
}

const CONTRACTED = /'(?:m|re|ve|s|ll|d)$|n't$/;

function isVerb(
  match: PhraseMatch<VerbReading> | undefined,
  words: TaggedWords,
  at: number,
  lexicon: Lexicon,
): boolean {
  const word = words[at] ?? '';
  if (isAny(words, at, K.finite, K.auxiliary, K.irregular_past) || (word.includes("'") && CONTRACTED.test(word)))
    return true;
  if (is(words, at - 1, K.subject_pronoun) || match?.value.form === 'third') return true;
  // `my kids watch the show`
  if (match && !match.value.entry.alsoNoun && !is(words, at - 1, K.no_request_after)) return true;
  return lexicon.participles.match(words, at) !== undefined;
}
