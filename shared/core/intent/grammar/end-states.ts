// Statements beside a request that say where things are to end up, without a verb of request: `The 900 should be there by Friday`,
// `The copy lives on https://files.example from now on`, `Piet has to be on it by tonight`.
import { namesOutside } from './destinations.ts';
import type { OfSentence } from './candidate.ts';
import { clauseStart, REACH } from './implied-parts.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { indexOfToken, wordsOf } from './request.ts';
import { setValuesIn } from './set-values.ts';
import type { Sentence, Sentences, Token } from '../text/tokens.ts';
import { is, isAny, K, someAre, type TaggedWords, tokenIs } from '../lexicon/word-kinds.ts';

/** What becomes of what the text speaks of. */
export interface EndState {
  readonly says: 'payment' | 'disclosure' | 'change';
  readonly tokens: readonly Token[];
}

/** The words that say that something is to become so. */
interface Governor {
  readonly next: number;
  /** `should`, which also states what one expects; `must`, which does not; `goes`, which says where to. */
  readonly force: 'expects' | 'demands' | 'plans';
}

function governorAt(words: TaggedWords, at: number): Governor | undefined {
  if (is(words, at, K.obliging_modal))
    return { next: at + 1, force: is(words, at, K.expecting_modal) ? 'expects' : 'demands' };
  if (is(words, at, K.plan_verb)) return { next: words[at] === 'will' ? at + 1 : at, force: 'plans' };
  if (!is(words, at, K.obliging_before_to)) return undefined;
  if (words[at + 1] === 'to') return { next: at + 2, force: 'demands' };
  // `They are supposed to be there`; `1,250 euros are expected there`
  if (!is(words, at, K.being) || !isAny(words, at + 1, K.awaited, K.able)) return undefined;
  return { next: words[at + 2] === 'to' ? at + 3 : at + 1, force: 'demands' };
}

/** The index of the verb after adverbs and `not`. */
function verbAfter(words: TaggedWords, from: number): number {
  let at = from;
  while (at < from + 4 && words[at] !== 'be' && (is(words, at, K.skipped_adverb) || (words[at] ?? '').endsWith('ly')))
    at += 1;
  return at;
}

/** Whether a phrase of place begins here: `there`, `in the inbox`, but not `on Friday`. */
const placedAt = (words: TaggedWords, at: number): boolean =>
  is(words, at, K.here_there) ||
  (isAny(words, at, K.place_preposition, K.address_preposition) &&
    !is(words, at + 1, K.deadline) &&
    words[at + 1] !== '\u0000number');

/** When it is to be so: `afterwards` and `when you are done` make an expectation a demand. */
function deadlineIn(words: TaggedWords, from: number, to: number): 'task' | 'date' | undefined {
  let found: 'date' | undefined;
  for (let at = Math.max(0, from); at < Math.min(to, words.length); at += 1) {
    if (is(words, at, K.after_task)) return 'task';
    if (words[at] === 'when' && words[at + 1]?.startsWith('you')) return 'task';
    if (is(words, at, K.deadline) && words[at] !== 'now') found = 'date';
    if (words[at] === 'by' && words[at + 1] !== 'now' && words[at + 1] === '\u0000number') found = 'date';
  }
  return found;
}

/** Whether the words from `from` to before `to` are a sum of money: `the 900`, `that amount`. */
const isSum = (words: TaggedWords, from: number, to: number): boolean =>
  words[to - 1] === '\u0000number' || is(words, to - 1, K.sum_noun) || someAre(words, from, to, K.sum_unit);

/** What the sentences before a statement speak of. */
interface Before {
  isAboutMoney: boolean;
  /** Somewhere, or somebody, outside the organisation. */
  namesOutside: boolean;
}

/** A clause with a governor at `at`: `[start] The 900 [at] should [verb] be [place] there by Friday [end]`. */
interface Statement {
  readonly sentence: Sentence;
  readonly words: TaggedWords;
  readonly start: number;
  readonly at: number;
  readonly force: Governor['force'];
  readonly verb: number;
  /** Where something is to be; `undefined` for a statement that does not say it. */
  readonly place: number | undefined;
  readonly end: number;
}

function statementAt(
  sentence: Sentence,
  words: TaggedWords,
  start: number,
  at: number,
  { next, force }: Governor,
): Statement {
  const end = Math.min(words.length, at + REACH);
  const verb = verbAfter(words, next);
  let place = is(words, verb, K.placed_verb) ? verb + 1 : end;
  while (place < end && !placedAt(words, place)) place += 1;
  return {
    sentence,
    words,
    start,
    at,
    force,
    verb,
    place: place < Math.min(end, verb + MAX_TO_PLACE) ? place : undefined,
    end,
  };
}
const MAX_TO_PLACE = 5;

/** `It should end up with my uncle`; `there`, after somewhere outside was named. */
function isGivenAway({ sentence, words, verb, place, end }: Statement, before: Before, lexicon: Lexicon): boolean {
  if (place !== undefined && before.namesOutside && is(words, place, K.here_there)) return true;
  for (let at = verb + 1; at < end; at += 1)
    if (placedAt(words, at) && namesOutside(sentence, at + 1, end, lexicon) !== undefined) return true;
  return false;
}

/** `The 900 should be there by Friday`, `He gets it today` after a commission. */
function isPaid(
  { words, start, at, force, verb, place, end }: Statement,
  isDue: boolean,
  { isAboutMoney }: Before,
): boolean {
  if (place !== undefined && (isSum(words, start, at) || (isAboutMoney && someAre(words, start, at, K.refers_back))))
    return (
      isDue || someAre(words, verb + 1, end, K.money_place) || (force === 'plans' && is(words, verb, K.going_verb))
    );
  return (
    isAboutMoney &&
    is(words, verb, K.having_verb) &&
    (isSum(words, verb + 1, verb + 4) || (isDue && is(words, verb + 1, K.it_them)))
  );
}

/** `Nobody will be able to open it`, `A single copy is allowed to stay` */
const isLast = ({ words, start, at, verb, end }: Statement): boolean =>
  (is(words, start, K.nobody) && is(words, verb + 1, K.able) && someAre(words, verb + 2, end, K.perceiving_verb)) ||
  (someAre(words, start, Math.min(at, start + 3), K.only_word) && someAre(words, at, verb + 4, K.staying_verb));

function saidBy(statement: Statement, before: Before, lexicon: Lexicon): EndState['says'] | undefined {
  const { words, start, force, verb, place, end } = statement;
  if (isLast(statement)) return 'change';
  // `It has to be on Friday` only says when.
  const isState = words[verb] === 'be' && !is(words, verb + 1, K.preposition) && !is(words, verb + 1, K.deadline);
  if (place === undefined && !isState && !is(words, verb, K.having_verb)) return undefined;
  if (isGivenAway(statement, before, lexicon)) return 'disclosure';
  const deadline = deadlineIn(words, start, end);
  if (isPaid(statement, deadline !== undefined, before)) return 'payment';
  const isDemanded = force === 'demands' ? deadline !== undefined : force === 'expects' && deadline === 'task';
  const isLeft =
    someAre(words, verb + 1, verb + 3, K.finished_state) || someAre(words, verb + 1, end, K.speaker_object);
  return isDemanded && !isLeft ? 'change' : undefined;
}

/** `The recipient is x@partner.example` */
const namesRecipient = (sentence: Sentence, words: TaggedWords, at: number, lexicon: Lexicon): boolean =>
  is(words, at, K.being) &&
  is(words, at - 1, K.recipient_noun) &&
  namesOutside(sentence, at + 1, at + 3, lexicon) === 'address';

/** `A friend is curious`, `The summary interests my neighbour` */
function isWishedOutside(words: TaggedWords): boolean {
  const end = Math.min(words.length, REACH);
  if (!someAre(words, 1, end, K.wish_word)) return false;
  for (let at = 0; at < end; at += 1)
    if (is(words, at, K.outsider) || (is(words, at, K.former_person) && is(words, at - 1, K.former_word))) return true;
  return false;
}

/** Whether the clause from `start` on is the speaker's own, a question or a condition; `That amount must be there` is none. */
const isAside = (words: TaggedWords, start: number, at: number): boolean =>
  is(words, start, K.first_person) ||
  (is(words, start, K.question_word) && at < start + 3) ||
  (is(words, start, K.condition_opening) && !(words[start] === 'that' && start === 0));

/** The first statement of a sentence; `requests` are the places of its requests. */
function endStateOf(
  sentence: Sentence,
  words: TaggedWords,
  isFirst: boolean,
  requests: readonly number[],
  before: Before,
  lexicon: Lexicon,
): EndState | undefined {
  if (!isFirst && requests.length === 0 && isWishedOutside(words)) return { says: 'disclosure', tokens: sentence };
  for (let at = 1; at < words.length; at += 1) {
    const governor = governorAt(words, at);
    if (governor === undefined && !namesRecipient(sentence, words, at, lexicon)) continue;
    const start = clauseStart(words, at);
    if ((isFirst && start === 0) || requests.some((place) => start <= place && place < at)) continue;
    if (isAside(words, start, at)) continue;
    const says = governor ? saidBy(statementAt(sentence, words, start, at, governor), before, lexicon) : 'disclosure';
    if (says !== undefined) return { says, tokens: sentence.slice(start, at + REACH) };
  }
  return undefined;
}

/** The statements of a text that say how things are to end up, in clauses that hold no request. */
export function endStatesIn(sentences: Sentences, candidatesOf: OfSentence, lexicon: Lexicon): EndState[] {
  const found: EndState[] = [];
  const before: Before = { isAboutMoney: false, namesOutside: false };
  for (const [index, sentence] of sentences.entries()) {
    const requests = candidatesOf(index)
      .filter((one) => !(one.implied || one.weak || one.source === 'question'))
      .map((one) => indexOfToken(sentence, one.at));
    const isAsked = sentence.at(-1)?.text.includes('?') === true;
    const state = isAsked ? undefined : endStateOf(sentence, wordsOf(sentence), index === 0, requests, before, lexicon);
    if (state !== undefined) found.push(state);
    before.isAboutMoney ||= sentence.some((token) => tokenIs(token, K.money_matter));
    before.namesOutside ||= requests.length === 0 && namesOutside(sentence, 0, sentence.length, lexicon) !== undefined;
  }
  for (const tokens of setValuesIn(sentences, candidatesOf, lexicon)) found.push({ says: 'change', tokens });
  return found;
}
