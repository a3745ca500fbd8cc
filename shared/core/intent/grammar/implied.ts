// Finds requests without a verb of request: `all users should be deleted`, `deletion of users`, `a refund of order 5 is needed`, `I want it
// removed`, `perform a cleanup`.
import {
  clauseStart,
  endsPhrase,
  isBeOrGet,
  isBoundary,
  nominalFrom,
  participleAt,
  REACH,
  type Implied,
} from './implied-parts.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { entitledAt, gerundAt, movesAt, needAt } from './needs.ts';
import { indexOfToken, lastBefore, mayMatter, QUERY, type RequestedAction, requestOf } from './request.ts';
import type { Sentence } from '../text/tokens.ts';
import { is, isAny, K, someAre, type TaggedWords } from '../lexicon/word-kinds.ts';

/** The words that make the `be` at `words[at]` a request, and the end of its subject. */
function governorOf(words: TaggedWords, at: number): { certainty: number; end: number } | undefined {
  let before = at - 1;
  while (before > at - 4 && (is(words, before, K.skipped_adverb) || (words[before] ?? '').endsWith('ly'))) before -= 1;
  const word = words[before] ?? '';
  if (is(words, before, K.obliging_modal)) return { certainty: 0.8, end: before };
  if (is(words, before, K.permitting_modal)) return { certainty: 0.5, end: before };
  if (word !== 'to') return undefined;
  return is(words, before - 1, K.obliging_before_to)
    ? { certainty: 0.8, end: before - 1 }
    : { certainty: 0, end: before };
}

/** Where the subject of `words[at]` begins in what somebody would welcome, `it would be great if the rows were deleted`; -1 for none. */
function welcomedFrom(words: TaggedWords, start: number, at: number): number {
  for (let from = start; from < at; from += 1) if (words[from] === 'if') return isWelcome(words, from) ? from + 1 : -1;
  return -1;
}

/** `would be great`, `I'd appreciate it` before `words[at]`; not `would not be good` and `I wonder`. */
function isWelcome(words: TaggedWords, at: number): boolean {
  const [from, last] = [Math.max(0, at - MAX_WELCOME), words[at - 1] === 'it' ? at - 2 : at - 1];
  const isWish = words.slice(from, at).some((word) => word === 'would' || word.endsWith("'d"));
  return isWish && is(words, last, K.welcome) && !someAre(words, from, at, K.negator);
}
const MAX_WELCOME = 6;

/** Where the subject of a demand begins, `I request that the rows be deleted`; -1 for none. */
function demandedFrom(words: TaggedWords, start: number, at: number): number {
  for (let that = at - 1; that > start; that -= 1)
    if (words[that] === 'that') return isDemand(words, that - 1) ? that + 1 : -1;
  return -1;
}

/** `I request`, `we'd suggest`, `it is vital`; not `they demand`, `to ask` and `I don't ask`. */
const isDemand = (words: TaggedWords, at: number): boolean =>
  is(words, at, K.suggesting)
    ? is(words, at - 1, K.suggesting_subject) && words[at - 1] !== 'to'
    : is(words, at, K.demanded) && (is(words, at - 1, K.being) || (words[at - 1] ?? '').endsWith("'s"));

/** Whether a request asks for what its clause says, as verbs of ensuring and wishing do; any other verb only describes its object. */
function asksFor(
  { entry, wanted, next }: RequestedAction,
  words: TaggedWords,
  isBe: boolean,
  lexicon: Lexicon,
): boolean {
  const first = entry.verb.split(' ', 1)[0] ?? '';
  const isWish = isBe && (wanted || lexicon.wordKinds.has(first, K.wishing_verb));
  const ensures = lexicon.wordKinds.has(first, K.ensuring_verb) && (entry.weak || entry.mentions || !isBe);
  // `see that it is deleted`, but not `check that it is deleted`
  const isSeenTo = first === 'see' && words[next] === 'that';
  return (isWish || ensures) && (entry.action !== 'read' || entry.weak || wanted || isSeenTo);
}

/** Whether a clause states something, and is no condition or question: `after that it must go`, `the list, which should be emptied`. */
const mayState = (words: TaggedWords, start: number): boolean =>
  is(words, start, K.condition_opening)
    ? words[start] === 'after' && is(words, start + 1, K.pointer)
    : !is(words, start, K.question_word) || (words[start] === 'which' && words[start - 1] === ',');

/** The subject of the passive whose verb is `words[at]`, in the clause that begins at `start`; undefined when it is no request. */
function subjectOf(
  words: TaggedWords,
  start: number,
  at: number,
  request: RequestedAction | undefined,
  lexicon: Lexicon,
): { from: number; end: number; certainty: number } | undefined {
  const word = words[at] ?? '';
  const isBe = isBeOrGet(word);
  const isPast = word === 'were' || word === 'was';
  const from = isPast ? welcomedFrom(words, start, at) : demandedFrom(words, start, at);
  if (from >= 0) return { from, end: at, certainty: 0.75 };
  const governor = isBe ? governorOf(words, at) : { certainty: 0, end: at };
  if (!governor || isPast) return undefined;
  const { end, certainty } = governor;
  if (request?.kind === 'imperative')
    return asksFor(request, words, isBe, lexicon)
      ? { from: request.next, end, certainty: Math.max(certainty, 0.8) }
      : undefined;
  if (certainty === 0 || !mayState(words, start)) return undefined;
  return { from: start, end, certainty };
}

/** `X should be deleted`, `make sure that X is sent`, `I want X to be removed`. */
function passiveAt(
  words: TaggedWords,
  at: number,
  found: readonly RequestedAction[],
  places: readonly number[],
  lexicon: Lexicon,
): Implied | undefined {
  const word = words[at] ?? '';
  const participle = is(words, at, K.passive_verb) ? participleAt(words, at + 1, lexicon) : undefined;
  if (!participle) return undefined;
  const isBe = isBeOrGet(word);
  const own = found[lastBefore(at + 1, places)];
  // `I'd like to be refunded`: the speaker is the subject.
  if (isBe && own?.entry.verb === 'be' && words[at - 1] === 'to')
    return { ...participle, certainty: 0.75, negated: own.negated, replaces: own };
  const start = clauseStart(words, at);
  const last = lastBefore(at, places);
  const request = (places[last] ?? 0) >= start - 1 ? found[last] : undefined;
  const subject = subjectOf(words, start, at, request, lexicon);
  if (!subject || subject.from >= subject.end) return undefined;
  const { from, end, certainty } = subject;
  const wish = request?.wanted === true && isBe ? { replaces: request } : {};
  return {
    ...participle,
    subject: [words[from] === 'that' ? from + 1 : from, end],
    certainty,
    negated: someAre(words, from, Math.min(from + 2, end), K.negator) || someAre(words, end, participle.at, K.negator),
    ...wish,
  };
}

/** `I want all users deleted`, `get the accounts closed by noon`. */
function wished(words: TaggedWords, request: RequestedAction, place: number, lexicon: Lexicon): Implied | undefined {
  const gets = request.entry.verb === 'get';
  // `get my money refunded`
  const getsOwn = gets && is(words, request.next, K.own_thing);
  if (!(gets || request.wanted || (request.entry.weak && lexicon.wordKinds.has(request.entry.verb, K.wishing_verb))))
    return undefined;
  for (let at = request.next + 1; at < Math.min(words.length, request.next + REACH); at += 1) {
    const word = words[at] ?? '';
    if (isBoundary(words, at) || word === 'to' || word === 'that') return undefined;
    const match = lexicon.participles.match(words, at);
    // `I want it removed`, but not `I want the removed ...`.
    const leads = is(words, at - 1, K.after_verb) && !is(words, at - 1, K.thing_pronoun);
    if (!match || leads || is(words, at - 1, K.preposition)) continue;
    if (!endsPhrase(words, at + match.length)) continue;
    const isReport = gets && !getsOwn && words.slice(request.next, at).some((one) => isReported(one, lexicon));
    if (isReport || (gets && !isToBeDone(words, at + match.length, match.value, getsOwn, lexicon))) continue;
    const { negated, next } = request;
    const done = { entry: match.value, at: place, next: at + match.length, subject: [next, at] } as const;
    return { ...done, certainty: 0.7, negated, replaces: request };
  }
  return undefined;
}

/** Whether a participle before `at` tells what is to be done, and not which: `get the orders cancelled`, but not `get the orders cancelled in March`. */
const isToBeDone = (words: TaggedWords, at: number, entry: VerbEntry, isOwn: boolean, lexicon: Lexicon): boolean =>
  is(words, at, K.preposition)
    ? words[at] === 'by' && isAny(words, at + 1, K.deadline, K.weekday)
    : isOwn || mayMatter(entry, lexicon);

/** Whether a word names what is told of things: `get the number of users banned`, `get the price paid`. */
const isReported = (word: string, { containerNouns, wordKinds }: Lexicon): boolean =>
  containerNouns.has(word) || wordKinds.has(word, K.figure_noun);

/** `perform a cleanup`, `request the deletion of my account`. */
function lightAt(words: TaggedWords, request: RequestedAction, place: number, lexicon: Lexicon): Implied | undefined {
  const verb = lexicon.wordKinds.has(request.entry.verb, K.go_ahead_verb) ? 'proceed' : request.entry.verb;
  if (!lexicon.wordKinds.has(verb, K.light_verb) || request.kind === 'question') return undefined;
  const nominal = nominalFrom(
    words,
    words[request.next] === 'with' ? request.next + 1 : request.next,
    lexicon.wordKinds.has(verb, K.lightest_verb) ? 'all' : verb === 'schedule' ? 'destructive' : 'none',
    lexicon,
  );
  if (!nominal) return undefined;
  return { ...nominal, at: place, certainty: 0.8, negated: request.negated, replaces: request };
}

/** `Deletion of users`, `a refund of order 5 is needed`: a sentence without a verb of request. */
function nominalSentence(words: TaggedWords, lexicon: Lexicon): Implied | undefined {
  let needed = false;
  for (let at = 1; at < Math.min(words.length, REACH) && !needed; at += 1)
    needed = is(words, at, K.needed) && is(words, at - 1, K.being);
  let from = 0;
  while (from < 3 && !/[a-z]/.test(words[from] ?? 'a')) from += 1;
  if (is(words, from, K.first_person) && is(words, from + 1, K.performative)) from += 2;
  const nominal = nominalFrom(words, from, needed ? 'all' : 'none', lexicon);
  if (!nominal) return undefined;
  const negated = someAre(words, 0, nominal.at, K.negator) || words.slice(nominal.at, REACH).includes('not');
  return { ...nominal, certainty: needed ? 0.7 : 0.55, negated };
}

/** Words between the article and the noun: `a short and simple overview`. */
const MAX_BEFORE = 3;
const REPORT_CERTAINTY = 0.8;
const LETTERS = /[a-z]/;

/** Whether a later part of the sentence names an action: `Status of the folder and then removal of its files`. */
function namesAnAction(words: TaggedWords, from: number, lexicon: Lexicon): boolean {
  for (let at = from; at < words.length; at += 1)
    if (is(words, at, K.conjunction) && words.slice(at + 1, at + 4).some((word) => lexicon.nominals.has(word)))
      return true;
  return false;
}

/** The request to tell what a noun at the beginning of a sentence is about. */
function reportNounAt(words: TaggedWords, lexicon: Lexicon): Implied | undefined {
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
  return { entry: QUERY, at: 0, next: at, subject: [at, words.length], certainty: REPORT_CERTAINTY };
}

/** All requests of a sentence in order: those `found` by their verbs, and implied ones. */
export function withImplied(
  sentence: Sentence,
  words: TaggedWords,
  found: readonly RequestedAction[],
  lexicon: Lexicon,
): readonly RequestedAction[] {
  const places = found.map(({ at }) => indexOfToken(sentence, at));
  const implied: Implied[] = [];
  for (const [index, request] of found.entries()) {
    const place = places[index] ?? 0;
    const one = wished(words, request, place, lexicon) ?? lightAt(words, request, place, lexicon);
    if (one) implied.push(one);
  }
  const isVague = !found.some((request) => !request.entry.weak);
  if (found[0]?.kind !== 'question')
    for (let at = 1; at < words.length; at += 1) {
      if (!is(words, at, K.implying_word)) continue;
      const one =
        entitledAt(words, at, found, places, lexicon) ??
        passiveAt(words, at, found, places, lexicon) ??
        gerundAt(words, at, lexicon) ??
        needAt(words, at, lexicon) ??
        movesAt(words, at, lexicon);
      if (one) implied.push(one);
    }
  if (implied.length === 0 && isVague) {
    const one = reportNounAt(words, lexicon) ?? nominalSentence(words, lexicon);
    if (one) implied.push(one);
  }
  if (implied.length === 0) return found;
  const replaced = new Set(implied.map((one) => one.replaces));
  const added = implied.map((one) =>
    requestOf({ ...one, at: sentence[one.at]?.at ?? 0, sentence, implied: one.replaces === undefined }),
  );
  return [...found.filter((request) => !replaced.has(request)), ...added].sort((a, b) => a.at - b.at);
}
