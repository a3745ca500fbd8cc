// Requests without an imperative: questions, requests for permission, wishes and announcements.
import type { Lexicon } from '../lexicon/types.ts';
import { is, isAny, K, someAre, type TaggedWords } from '../lexicon/word-kinds.ts';

/** The certainty of a request for permission, relative to a direct request. */
export const ASKED = 0.6;

/** `I also need to`, `we really want to`: a prefix with an adverb inside. */
export function prefixAround(words: TaggedWords, at: number, lexicon: Lexicon) {
  if (!isAdverb(words, at + 1) || !is(words, at, K.prefix_speaker)) return undefined;
  const found = lexicon.prefixes.match([words[at] ?? '', ...words.slice(at + 2, at + MAX_PREFIX)], 0);
  return found && found.length > 1 ? { value: found.value, length: found.length + 1 } : undefined;
}
const isAdverb = (words: TaggedWords, at: number): boolean =>
  is(words, at, K.intensifier) || ((words[at] ?? '').length > 4 && (words[at] ?? '').endsWith('ly'));
const MAX_PREFIX = 10;

/** The number of words that ask for permission to do something now: `can I change my seat`; 0 for none. */
export function leaveAsked(words: TaggedWords, at: number, lexicon: Lexicon): number {
  if (!is(words, at, K.leave_modal) || !is(words, at + 1, K.first_person)) return 0;
  let next = at + 2;
  while (isAny(words, next, K.intensifier, K.leave_adverb)) next += 1;
  const match = lexicon.verbForms.match(words, next);
  if (!match || match.value.form !== 'base') return 0;
  const { entry } = match.value;
  const after = next + match.length;
  // `can I pay by card`, but not `can I pay 900 euros to Ana`
  const isVague = lexicon.wordKinds.has(entry.verb, K.vague_verb) && !namesSum(words, after);
  if (entry.weak || entry.action === 'read' || isVague) return 0;
  return entry.action === 'send' || namesThing(words, after) ? next - at : 0;
}

/** Whether the words from `at` on name something definite: `my seat`, `Tom's access`, `admin rights to Tom`, `Tom admin rights`, `900 euros to Tom`. */
export const namesThing = (words: TaggedWords, at: number): boolean =>
  is(words, at, K.asked_thing) || (words[at] ?? '').endsWith("'s") || namesRight(words, at) || namesSum(words, at);
/** `admin rights to Tom`, `Tom admin rights` */
const namesRight = (words: TaggedWords, at: number): boolean =>
  is(words, at, K.right_noun) || is(words, at + 1, K.right_noun)
    ? words.slice(at, at + MAX_RECIPIENT).includes('to')
    : is(words, at + 2, K.right_noun);
const namesSum = (words: TaggedWords, at: number): boolean => opensSum(words, at) && words[at + 2] === 'to';

/** Whether a sum of money begins here: `900 euros`. */
const opensSum = (words: TaggedWords, at: number): boolean =>
  words[at] === '\u0000number' && is(words, at + 1, K.sum_unit);
const MAX_RECIPIENT = 4;

/** `New issue: the page crashes`, `Reminder: call the bank` request something new. */
export function announcesNew(words: TaggedWords, lexicon: Lexicon): boolean {
  const colon = words.indexOf(':');
  if (colon < 1 || colon > 4 || !words.slice(1, colon).every((word) => /^[a-z]/.test(word))) return false;
  return (words[0] === 'new' && colon > 1) || lexicon.wordKinds.has(words.slice(0, colon).join(' '), K.announced_thing);
}

/** The number of words that express a wish: `I need a cluster`, `we'd like the report`; 0 for none. */
export function wantedAt(words: TaggedWords, at: number): number {
  let second = at + 1;
  // `I also need a cluster`
  while (second < at + MAX_PREFIX && is(words, second, K.intensifier)) second += 1;
  const skipped = second - at - 1;
  const length = wishLength(words, at, second);
  return length > 0 ? length + skipped : 0;
}

function wishLength(words: TaggedWords, at: number, second: number): number {
  const [subject, third] = [words[at], second + 1];
  if (is(words, at, K.permission_modal)) {
    // `can Tom get access to the vault`
    for (let next = third; next < second + 4; next += 1)
      if (is(words, next, K.get_have) && is(words, next + 1, K.access_noun)) return next - second + 2;
    // `can I have a receipt`
    if (is(words, second, K.first_person)) return is(words, third, K.get_have) ? 3 : 0;
  }
  if (subject === "i'd" || subject === "we'd") return is(words, second, K.liking) ? 2 : 0;
  if (subject === 'you') return is(words, second, K.wanting) && is(words, third, K.another) ? 2 : 0;
  if (subject !== 'i' && subject !== 'we') return 0;
  if (words[second] === 'would') return is(words, third, K.liking) ? 3 : 0;
  return is(words, second, K.wanting) ? 2 : 0;
}

export function isQuestion(words: TaggedWords, at: number, endsAsQuestion: boolean): boolean {
  const word = words[at] ?? '';
  const next = words[at + 1] ?? '';
  if (is(words, at, K.question_word)) {
    if (at === 0 && (word === 'who' || word === 'which')) return true;
    if (word === 'when' || word === 'where' || word === 'which' || word === 'who')
      return endsAsQuestion || is(words, at + 1, K.auxiliary) || (at === 0 && someAre(words, 1, 5, K.past_be));
    return true;
  }
  // `Any news about the release?`
  if (word.startsWith('any') && is(words, at, K.any_thing)) return endsAsQuestion || is(words, at + 1, K.any_news);
  // `could we do it`, `may I have a look`: no auxiliary follows another one.
  if (
    (word === 'do' || word === 'have') &&
    at > 0 &&
    is(words, at - 1, K.before_auxiliary) &&
    !is(words, at + 1, K.personal_subject)
  )
    return false;
  // No request begins with these: `does the shop deliver`.
  if (at === 0 && is(words, at, K.question_opening) && next !== '') return true;
  return (
    is(words, at, K.auxiliary) &&
    (endsAsQuestion ||
      (is(words, at + 1, K.question_subject) && word !== 'do' && word !== 'have') ||
      is(words, at + 1, K.plural_subject))
  );
}
