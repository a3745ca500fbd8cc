// The request implied by a text without any verb of request: a named thing, a problem, a desired state.
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { objectAt } from './object.ts';
import { type RequestedAction, requestOf, wordsOf } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { is, K, someAre, type TaggedWords } from '../lexicon/word-kinds.ts';

/** Longer texts are not considered. */
const MAX_WORDS = 16;
/** The number of sentences that are examined. */
const MAX_SENTENCES = 3;
/** Low enough that the shipped policies escalate to a human, because such a text may be only a remark. */
const CERTAINTY = 0.45;

const entryOf = (verb: string, action: VerbEntry['action'], effect: VerbEntry['effect']): VerbEntry => ({
  verb,
  action,
  effect,
  traits: [],
  object: undefined,
  mentions: action === 'read',
  weak: false,
  alsoNoun: false,
});
/** The verb entry of questions. */
export const QUERY = entryOf('query', 'read', 'read');
const CREATE = entryOf('create', 'create', 'write');
const UPDATE = entryOf('set', 'update', 'write');
const CANCEL = entryOf('cancel', 'delete', 'destructive');

/** The request implied by one of the first sentences, with the index of that sentence. `asked`: there was a negated request. */
export function unspokenRequest(
  sentences: readonly Sentence[],
  asked: boolean,
  lexicon: Lexicon,
): { readonly request: RequestedAction; readonly index: number } | undefined {
  for (const [index, sentence] of sentences.slice(0, MAX_SENTENCES).entries()) {
    const end = sentence.findLastIndex(({ kind, text }) => !(kind === 'punct' && /^[.!?,;:]/.test(text))) + 1;
    const words = wordsOf(sentence.slice(0, end));
    if (words.length === 0 || words.length > MAX_WORDS) continue;
    const found = noLonger(words) ?? trouble(words) ?? (asked ? undefined : named(sentence, words, lexicon));
    if (found === undefined) continue;
    const { entry, from, to } = found;
    const at = sentence[0]?.at ?? 0;
    const certainty = found.grouped ? GROUPED : CERTAINTY;
    return { request: requestOf({ entry, next: from, at, sentence, certainty, subject: [from, to] }), index };
  }
  return undefined;
}

interface Found {
  readonly entry: VerbEntry;
  /** It names figures, grouped or sorted: `disk usage by team`. */
  readonly grouped?: boolean;
  readonly from: number;
  readonly to: number;
}

/** `I no longer want the subscription`, `we don't need this list any more`. */
function noLonger(words: TaggedWords): Found | undefined {
  if (!is(words, 0, K.first_person)) return undefined;
  const last = words.findLastIndex((_, at) => is(words, at, K.no_more));
  if (last < 2 || !(words[last] === 'anymore' || is(words, last - 1, K.any_no))) return undefined;
  const wish = words.findIndex((_, at) => is(words, at, K.no_more_verb));
  if (wish < 0) return undefined;
  let from = wish + 1;
  if (words[from] === 'to') {
    if (!is(words, from + 1, K.having)) return undefined;
    from += 2;
  }
  return from < words.length ? { entry: CANCEL, from, to: last > wish ? last : words.length } : undefined;
}

/** `My card still hasn't arrived`, `I never got my order`, `I was charged twice`. */
function trouble(words: TaggedWords): Found | undefined {
  const [, second = ''] = words;
  if (is(words, 0, K.my_our)) {
    const fails = words.findIndex((_, at) => at > 1 && is(words, at, K.failing));
    // `My surname is now Keller`, `our address has changed`
    if (fails > 0 && is(words, fails - 1, K.personal_detail) && someAre(words, fails, fails + 3, K.changed_state))
      return { entry: UPDATE, from: 0, to: fails };
    return fails > 0 && fails < words.length - 1 ? { entry: QUERY, from: 0, to: fails } : undefined;
  }
  if (!is(words, 0, K.first_person)) return undefined;
  const missed = is(words, 1, K.missed) || (is(words, 1, K.missed_auxiliary) && is(words, 2, K.missed_negation));
  if (!missed && !(second === 'was' || second === 'got')) return undefined;
  const own = words.findIndex((_, at) => at > 1 && is(words, at, K.missed_thing));
  if (is(words, second.endsWith("n't") || second === 'never' ? 2 : 3, K.missed_wish)) return undefined;
  return { entry: QUERY, from: own > 0 ? own : 2, to: words.length };
}

/** `flights from Oslo to Rome`, `alarm for 6 am`, `kitchen lights off`. */
function named(sentence: Sentence, words: TaggedWords, lexicon: Lexicon): Found | undefined {
  const [first = ''] = words;
  // `The metrics of this process` is a title.
  if (is(words, 0, K.title_opening)) return undefined;
  if (
    is(words, 0, K.subject_pronoun) ||
    is(words, 0, K.question_word) ||
    is(words, 0, K.conjunction) ||
    (is(words, 0, K.preposition) && first !== 'about')
  )
    return undefined;
  if (
    words.some(
      (word, at) =>
        (is(words, at, K.auxiliary) && !(word === 'am' && !/^[a-z]/.test(words[at - 1] ?? ''))) ||
        is(words, at, K.subject_pronoun) ||
        /n't$|'(?:m|re|ve|ll)$/.test(word),
    )
  )
    return undefined;
  if (words.some((word) => lexicon.foreignWords.has(word) || /[^\u0000-\u007f]/.test(word))) return undefined;
  // `These rules apply to strings` is a statement.
  if (words.some((word, at) => isVerbOnly(words, at, lexicon) && word !== 'meeting')) return undefined;
  const phrase = objectAt(sentence, 0, words.length, lexicon);
  if (!phrase.known) return undefined;
  if (first === 'new') return { entry: CREATE, from: 0, to: words.length };
  const state = words.findIndex((_, at) => at > 0 && at < 6 && is(words, at, K.switch_state));
  const dial = singular(words[state - 1] ?? '', lexicon.plurals);
  const following = words[state + 1];
  if (state > 0 && (lexicon.wordKinds.has(dial, K.dial) || lexicon.domainOfNoun.get(dial) === 'devices'))
    if (following === undefined || is(words, state + 1, K.preposition) || is(words, state + 1, K.after_state))
      return { entry: UPDATE, from: 0, to: state };
  if (words[1] === 'to' && is(words, 0, K.dial)) return { entry: UPDATE, from: 0, to: 1 };
  const timed = words.findIndex((_, at) => is(words, at, K.timed_thing));
  if (timed >= 0 && timed < 4 && is(words, timed + 1, K.time_opening)) return { entry: CREATE, from: 0, to: timed + 1 };
  if (isGrouped(words, lexicon)) return { entry: QUERY, from: 0, to: words.length, grouped: true };
  // A bare name of a thing is not a request: `performance report`.
  const located = someAre(words, 1, words.length, K.located);
  return located || lexicon.wordKinds.has(phrase.words.at(-1) ?? '', K.information)
    ? { entry: QUERY, from: 0, to: words.length }
    : undefined;
}

/** `unpaid invoices by customer`, `cancelled subscriptions per plan`, but not `removal of the accounts by the team`. */
const isGrouped = (words: TaggedWords, { nominals, domainOfNoun, plurals, destructiveWords }: Lexicon): boolean =>
  words.some((word, at) => at > 0 && GROUPING.test(word) && domainOfNoun.has(singular(words[at + 1] ?? '', plurals))) &&
  !words.some((word) => nominals.has(word) || destructiveWords.find(word) === 'word');
const GROUPING = /^(?:by|per)$/;
const GROUPED = 0.8;

/** Whether a verb form that is not a noun is at this position. */
function isVerbOnly(words: TaggedWords, at: number, lexicon: Lexicon): boolean {
  const reading = lexicon.verbForms.get(words[at] ?? '');
  return (
    reading !== undefined &&
    !reading.entry.alsoNoun &&
    !lexicon.domainOfNoun.has(singular(words[at] ?? '', lexicon.plurals))
  );
}
