// Finds a request that no comma or sign introduces, in a sentence without any other request.
import { AFTER_VERB, AUX, CONJUNCTIONS, FINITE, PERSONS, SUBORDINATORS, WH } from './clause-words.ts';
import type { Lexicon, VerbEntry, VerbReading } from '../lexicon/types.ts';
import type { PhraseMatch } from '../lexicon/phrase-table.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** The number of words in which a request without a preceding comma is searched. */
const LATE = 25;
/** Words that open a phrase of place or time, which needs no verb before the request. */
const PLACING = wordSet(
  'in on at from within inside under for with using via every each next this tonight tomorrow today by before after ' +
    'during until since according regarding about',
);
/** Words that open a clause with a verb of its own. */
const CLAUSE = wordSet(
  'if when whenever once while unless because since as until till after before although though whether that who which ' +
    'whose where what how why not never cause cuz',
);
const ASKERS = wordSet('i we you');
/** Irregular past tenses. */
const PAST = wordSet(
  'had was were went came got took made bought saw left lost broke forgot found gave sent told met paid ran said put set ' +
    'spent felt kept began thought brought knew fell ate drove flew wrote heard held grew stole spoke woke chose read am is are',
);
const NO_REQUEST_AFTER = wordSet(
  'to not never case that him her me us let make help helps the a an this these those my our your his its their all ' +
    'every each any some no both new need needs want wants require requires of in on at from for with by into than about as very more most',
);

/** Requests without an introduction: `in my calendar delete all golf events`, `when it is done tell me`. */
export function lateRequest(
  sentence: Sentence,
  words: readonly string[],
  lexicon: Lexicon,
  query: VerbEntry,
): RequestedAction | undefined {
  const placed = PLACING.has(words[0] ?? '') && !PERSONS.has(words[1] ?? '');
  const certainty = placed || CLAUSE.has(words[0] ?? '') ? 0.6 : 0.45;
  // Whether the preceding clause has its verb: the first verb is never the request.
  let complete = placed;
  for (let at = 1; at < Math.min(words.length, LATE); at += 1) {
    const before = words[at - 1] ?? '';
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    const common = { at: sentence[at]?.at ?? 0, sentence, negated: false, wanted: false };
    if (at > 1 && opensQuestion(before, word, next, complete))
      return { ...common, next: at + 1, entry: query, certainty: 0.6, kind: 'question' };
    const match = lexicon.verbForms.match(words, at);
    if (complete && match && asksHere(sentence, words, at, match, lexicon))
      return { ...common, next: at + match.length, entry: match.value.entry, certainty, kind: 'imperative' };
    if (CLAUSE.has(word)) complete = false;
    else if (isVerb(before, word, match, words, at, lexicon)) complete = true;
  }
  return undefined;
}

/** `my bag never came | where is it`, `I'm off to Rome | do I need a visa` */
function opensQuestion(before: string, word: string, next: string, complete: boolean): boolean {
  if (CONJUNCTIONS.has(before) || WH.has(before) || SUBORDINATORS.has(before)) return false;
  return AUX.has(word) ? ASKERS.has(next) : complete && WH.has(word) && (AUX.has(next) || /^(?:much|many)$/.test(next));
}

function asksHere(
  sentence: Sentence,
  words: readonly string[],
  at: number,
  { value: { entry, form }, length }: PhraseMatch<VerbReading>,
  lexicon: Lexicon,
): boolean {
  // `will only give us`
  const before = words[ADVERBS.test(words[at - 1] ?? '') ? at - 2 : at - 1] ?? '';
  if (form !== 'base' || entry.weak || NO_REQUEST_AFTER.has(before)) return false;
  if (FINITE.has(before) || AUX.has(before) || WH.has(before) || PERSONS.has(before)) return false;
  const next = sentence[at + length];
  if (length > 1 && entry.verb.endsWith(' me')) return true;
  // `it's a smart move to save it`
  if (length > 1 && lexicon.verbs.get(words[at] ?? '')?.alsoNoun === true && words[at + length - 1] === 'to')
    return false;
  if (next === undefined || next.kind === 'punct') return false;
  if (entry.alsoNoun) return AFTER_NOUN.has(next.lower);
  if (AFTER_VERB.has(next.lower)) return true;
  return next.kind !== 'word' || !(FINITE.has(next.lower) || NO_REQUEST_AFTER.has(next.lower));
}

const ADVERBS = /^(?:only|also|just|still|always|never|already|often|not|\w+ly)$/;
/** Words that show that a preceding noun is a verb. */
const AFTER_NOUN = wordSet('my our the a an it them me us all this');

function isVerb(
  before: string,
  word: string,
  match: PhraseMatch<VerbReading> | undefined,
  words: readonly string[],
  at: number,
  lexicon: Lexicon,
): boolean {
  if (FINITE.has(word) || AUX.has(word) || PAST.has(word) || /'(?:m|re|ve|s|ll|d)$|n't$/.test(word)) return true;
  if (PERSONS.has(before) || (match && match.value.form === 'third') || /[^e]ed$/.test(word)) return true;
  // `my kids watch the show`
  if (match && !match.value.entry.alsoNoun && !NO_REQUEST_AFTER.has(before)) return true;
  return lexicon.participles.match(words, at) !== undefined;
}
