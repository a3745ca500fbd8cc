// The request implied by a text without any verb of request: a named thing, a problem, a desired state.
import { AUX, CONJUNCTIONS, PERSONS, PREPOSITIONS, WH } from './clause-words.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { objectAt } from './object.ts';
import { type RequestedAction, wordsOf } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** Longer texts are not considered. */
const MAX_WORDS = 16;
/** The number of sentences that are examined. */
const MAX_SENTENCES = 3;
/** Low enough that the shipped policies escalate to a human, because such a text may be only a remark. */
const CERTAINTY = 0.45;

const STATES = wordSet('on off up down');
/** Things that are set by naming them: `volume up`. */
const DIALS = wordSet(
  'volume music brightness temperature heating heat tv radio ac sound air fan light lamp lights lamps',
);
/** Things that are created by naming them with a time: `alarm for six`, `meeting with Sally at noon`. */
const TIMED = wordSet('alarm timer reminder meeting appointment lunch dinner breakfast call');
const WHEN = wordSet('at for in tomorrow today tonight on to with every');
/** Words that show that a named thing is searched for: `flights from Oslo`, `weather tomorrow`. */
const LOCATED = wordSet('with by from to in near at between around nearby today tomorrow tonight now this next under');
/** Things that can only be asked about. */
const INFORMATION = wordSet('balance price weather forecast temperature traffic news score fare');
const OWN = wordSet('my our');
const FAILS = wordSet(
  "hasn't haven't isn't wasn't didn't doesn't don't can't couldn't won't aren't weren't not never still no is was has " +
    'keeps keep stopped failed broke got went looks seems says shows did are were',
);
const DETAILS = wordSet('name surname address email phone number title');
const CHANGED = wordSet('now changed wrong incorrect outdated misspelled misspelt');
const MISSED = wordSet("didn't haven't hasn't never couldn't can't cannot wasn't weren't don't");
const NO_MORE = wordSet('anymore more longer');

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
    const words = wordsOf(sentence);
    while (/^[.!?,;:]/.test(words.at(-1) ?? '')) words.pop();
    if (words.length === 0 || words.length > MAX_WORDS) continue;
    const found = noLonger(words) ?? trouble(words) ?? (asked ? undefined : named(sentence, words, lexicon));
    if (found === undefined) continue;
    const { entry, from, to } = found;
    const at = sentence[0]?.at ?? 0;
    const common = { at, sentence, negated: false, certainty: CERTAINTY, kind: 'imperative', wanted: false } as const;
    return { request: { ...common, entry, next: from, subject: [from, to] }, index };
  }
  return undefined;
}

interface Found {
  readonly entry: VerbEntry;
  readonly from: number;
  readonly to: number;
}

/** `I no longer want the subscription`, `we don't need this list any more`. */
function noLonger(words: readonly string[]): Found | undefined {
  if (!/^(?:i|we)$/.test(words[0] ?? '')) return undefined;
  const last = words.findLastIndex((word) => NO_MORE.has(word));
  if (last < 2 || !(words[last] === 'anymore' || /^(?:any|no)$/.test(words[last - 1] ?? ''))) return undefined;
  const wish = words.findIndex((word) => /^(?:want|need|wish|require|use)$/.test(word));
  if (wish < 0) return undefined;
  let from = wish + 1;
  if (words[from] === 'to') {
    if (!/^(?:have|receive|get|keep|be)$/.test(words[from + 1] ?? '')) return undefined;
    from += 2;
  }
  return from < words.length ? { entry: CANCEL, from, to: last > wish ? last : words.length } : undefined;
}

/** `My card still hasn't arrived`, `I never got my order`, `I was charged twice`. */
function trouble(words: readonly string[]): Found | undefined {
  const [first = '', second = '', third = ''] = words;
  if (OWN.has(first)) {
    const fails = words.findIndex((word, at) => at > 1 && FAILS.has(word));
    // `My surname is now Keller`, `our address has changed`
    if (
      fails > 0 &&
      DETAILS.has(words[fails - 1] ?? '') &&
      words.slice(fails, fails + 3).some((word) => CHANGED.has(word))
    )
      return { entry: UPDATE, from: 0, to: fails };
    return fails > 0 && fails < words.length - 1 ? { entry: QUERY, from: 0, to: fails } : undefined;
  }
  if (!/^(?:i|we)$/.test(first)) return undefined;
  const missed =
    MISSED.has(second) ||
    (/^(?:did|have|could|can|still)$/.test(second) && /^(?:not|haven't|don't|can't)$/.test(third));
  if (!missed && !(second === 'was' || second === 'got')) return undefined;
  const own = words.findIndex((word, at) => at > 1 && /^(?:my|the|a|any|this|that|an)$/.test(word));
  if (/^(?:want|need|wish|like|think|mean)$/.test(words[second.endsWith("n't") || second === 'never' ? 2 : 3] ?? ''))
    return undefined;
  return { entry: QUERY, from: own > 0 ? own : 2, to: words.length };
}

/** `flights from Oslo to Rome`, `alarm for 6 am`, `kitchen lights off`. */
function named(sentence: Sentence, words: readonly string[], lexicon: Lexicon): Found | undefined {
  const [first = ''] = words;
  // `The metrics of this process` is a title.
  if (/^(?:the|an?|no|its|their|each|any)$/.test(first)) return undefined;
  if (PERSONS.has(first) || WH.has(first) || CONJUNCTIONS.has(first) || (PREPOSITIONS.has(first) && first !== 'about'))
    return undefined;
  if (
    words.some(
      (word, at) =>
        (AUX.has(word) && !(word === 'am' && !/^[a-z]/.test(words[at - 1] ?? ''))) ||
        PERSONS.has(word) ||
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
  const state = words.findIndex((word, at) => at > 0 && at < 6 && STATES.has(word));
  const dial = singular(words[state - 1] ?? '', lexicon.plurals);
  const following = words[state + 1];
  if (state > 0 && (DIALS.has(dial) || lexicon.domainOfNoun.get(dial) === 'devices'))
    if (following === undefined || PREPOSITIONS.has(following) || /^(?:please|now|to|by|a)$/.test(following))
      return { entry: UPDATE, from: 0, to: state };
  if (words[1] === 'to' && DIALS.has(first)) return { entry: UPDATE, from: 0, to: 1 };
  const timed = words.findIndex((word) => TIMED.has(word));
  if (timed >= 0 && timed < 4 && WHEN.has(words[timed + 1] ?? '')) return { entry: CREATE, from: 0, to: timed + 1 };
  // A bare name of a thing is not a request: `performance report`.
  const located = words.some((word, at) => at > 0 && LOCATED.has(word));
  return located || INFORMATION.has(phrase.words.at(-1) ?? '')
    ? { entry: QUERY, from: 0, to: words.length }
    : undefined;
}

/** Whether a verb form that is not a noun is at this position. */
function isVerbOnly(words: readonly string[], at: number, lexicon: Lexicon): boolean {
  const reading = lexicon.verbForms.get(words[at] ?? '');
  return (
    reading !== undefined &&
    !reading.entry.alsoNoun &&
    !lexicon.domainOfNoun.has(singular(words[at] ?? '', lexicon.plurals))
  );
}
