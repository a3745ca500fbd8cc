// Finds the beginning of a request after introductory words: a wish, a suggestion, a duty, an aim, a delegate.
import { ABILITIES, AFTER_VERB, CONJUNCTIONS, FINITE, PERSONS, WH } from './clause-words.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { beginsWith, type RequestedAction } from './request.ts';
import { wordSet } from '../text/word-set.ts';

/** An introduction: how many words to skip, and whether the last request found was part of it. */
export interface Lead {
  readonly length: number;
  readonly replaces: boolean;
}

const NEXT: Lead = { length: 1, replaces: false };

/** The number of words searched backwards for an introduction. */
const REACH = 8;
/** The largest distance to the word that such an introduction refers to. */
const ADVICE = 5;
/** The number of words searched backwards for a question word. */
const MAX_QUESTION = 16;
/** Words that open a clause which is not a request. */
const CONDITIONS = wordSet('if when unless whether whenever who that which where until while because');
/** Words before `to`, possibly with a person between: `I'd love to`, `my boss asked me to`, `could I trouble you to`. */
const ATTITUDES = wordSet(
  'love like prefer wish hope hoping want wants wanted need needs ought supposed best better sense care here propose going ' +
    'eager keen forgot told asked expects instructed requested urge authorize authorise ask trouble beg suggest intend rather',
);
/** Judgements before `to`: `it's wise to`. */
const ADVISED = wordSet(
  'wise idea required mandatory prudent advisable essential crucial smart sensible expected require requesting request',
);
const ABOUT = wordSet("it it's it'd i i'm i'd we we'd we're you you're seems");
const SOMEBODY = wordSet('me us you him her them someone somebody');
/** Verbs without meaning of their own before a gerund: `take care of renaming it`, `I suggest renaming it`. */
const EMPTY = wordSet(
  'start begin continue keep handle consider suggest recommend propose mind try see proceed help like hand plan',
);
/** The last words of such phrases. */
const EMPTY_ENDS = wordSet(
  'of on to into with in about mind consider suggest recommend propose like hand keep continue',
);
/** Delegates: `have the bot send it`. */
const DOERS = wordSet(
  'you someone somebody assistant system bot agent robot computer machine app program alexa siri vacuum',
);
/** Verbs of delegation: those with `to`, and those without. */
const TELL_VERBS = wordSet('get tell ask');
const MAKES = wordSet('have let');
/** Verbs that state an aim rather than the action: `celebrate it by posting a picture`. */
const AIMS = wordSet(
  'help assist support maintain reinforce strengthen improve enhance boost celebrate promote ensure secure start begin finish ' +
    'finalize complete wrap prepare follow honor honour express show share address resolve handle mitigate prevent reduce keep loop',
);
/** Nouns before `is to` that name an aim: `the next step is to copy the files`. */
const PURPOSES = wordSet(
  'step goal aim plan idea task job objective mission intention wish request hope priority thing purpose need want focus what all',
);
/** Words before `if you would`: `I'd be grateful if you would ...`. */
const WELCOME = wordSet(
  'appreciate appreciated pleased great nice helpful grateful good lovely wonderful happy glad kind useful thankful love better lot it wonder ' +
    'wondering hoping awesome handy',
);
const SUGGESTS = wordSet(
  'request propose suggest recommend insist ask demand prefer advise urge say vote asking requesting',
);
const WANTS_TO = wordSet('want wants need needs wish wanted needed like');

const ends = (word: string): boolean => beginsWith(word, '.;,:!?');

const formAt = (words: readonly string[], at: number, lexicon: Lexicon) => lexicon.verbForms.match(words, at)?.value;
const isBase = (words: readonly string[], at: number, lexicon: Lexicon): boolean =>
  formAt(words, at, lexicon)?.form === 'base';
const isGerund = (words: readonly string[], at: number, lexicon: Lexicon): boolean => {
  const reading = (words[at] ?? '').endsWith('ing') ? formAt(words, at, lexicon) : undefined;
  return reading?.form === 'gerund' && !reading.entry.weak;
};

/** Whether the request found so far has no meaning of its own: weak verbs, wishes, a question that may turn out to be a request. */
const lacksMeaning = ({ entry, wanted, kind }: RequestedAction): boolean =>
  entry.weak || wanted || kind === 'question' || entry.verb === 'request';

/** The introduction at `words[at]`, or undefined. */
export function leadAt(
  words: readonly string[],
  at: number,
  found: readonly RequestedAction[],
  lexicon: Lexicon,
): Lead | undefined {
  const word = words[at] ?? '';
  const last = found.at(-1);
  switch (word) {
    case 'to':
      if (leadsToPurpose(words, at, found, lexicon)) return { length: 1, replaces: found.length > 0 };
      if (found.length > 1 || !(last === undefined || lacksMeaning(last)) || !isBase(words, at + 1, lexicon))
        return undefined;
      if (opensAim(words, at)) return { length: 1, replaces: last !== undefined };
      // `which papers do I need to print`
      if (last?.kind === 'question' && words.slice(Math.max(0, at - MAX_QUESTION), at).some((one) => WH.has(one)))
        return undefined;
      return opensWish(words, at, last) ? { length: 1, replaces: last !== undefined } : undefined;
    case 'for':
    case 'that':
    case 'which':
      return leadsToPurpose(words, at, found, lexicon) ? { length: 1, replaces: found.length > 0 } : undefined;
    case 'by':
      return namesMeans(words, at, last, lexicon) ? { length: 1, replaces: last !== undefined } : undefined;
    case 'if':
    case 'whether':
      return found.every(lacksMeaning) && welcomes(words, at) ? { length: 3, replaces: last !== undefined } : undefined;
    case 'is':
      // `the next thing to do is rename it`
      return words[at - 1] === 'do' && words[at - 2] === 'to' && isBase(words, at + 1, lexicon) ? NEXT : undefined;
    case 'better':
    case 'rather':
      return found.length === 0 && HAD.test(words[at - 1] ?? '') && isBase(words, at + 1, lexicon) ? NEXT : undefined;
    case 'you':
    case 'we':
      return suggests(words, at, lexicon) ? { length: 1, replaces: last !== undefined } : undefined;
    default:
      return last !== undefined && followsEmpty(words, at, last) && isDone(words, at, last, lexicon)
        ? { length: 0, replaces: true }
        : undefined;
  }
}
const HAD = /^(?:(?:i|we|you)'d|had|would|i|we)$/;

/**
 * Whether the purpose of a thing follows: `provides the ability to ...`, `helper that removes ...`, `wrapper for finding ...`. Applies only
 * without any other request, because the ability itself is not an object.
 */
function leadsToPurpose(
  words: readonly string[],
  at: number,
  found: readonly RequestedAction[],
  lexicon: Lexicon,
): boolean {
  const word = words[at] ?? '';
  const [first] = found;
  if (found.length > 1 || (first && (first.entry.action !== 'read' || first.kind === 'question'))) return false;
  // `On the way to the airport` names a place.
  if (word === 'to') return ABILITIES.has(words[at - 1] ?? '') && isBase(words, at + 1, lexicon);
  if (first || at === 0 || at > 8) return false;
  if (words.slice(0, at).some((before) => FINITE.has(before) || PERSONS.has(before))) return false;
  const form = formAt(words, at + 1, lexicon);
  return form !== undefined && !form.entry.weak && form.form === (word === 'for' ? 'gerund' : 'third');
}

/** Whether the `to` at `words[at]` opens an aim: `the next step is to copy the files`. */
function opensAim(words: readonly string[], at: number): boolean {
  let be = at - 1;
  // `what I want is for you to ...`
  if (words[be] === 'you' && words[be - 1] === 'for') be -= 2;
  if (!/^(?:is|was|be)$/.test(words[be] ?? '')) return false;
  const before = words.slice(Math.max(0, be - REACH), be);
  const noun = before.findLastIndex((word) => PURPOSES.has(word));
  return noun >= 0 && !before.slice(noun).some(ends);
}

/** Whether a wish, a duty or an order precedes the `to` at `words[at]`. */
function opensWish(words: readonly string[], at: number, last: RequestedAction | undefined): boolean {
  let head = at - 1;
  if (SOMEBODY.has(words[head] ?? '')) head -= words[head - 1] === 'for' ? 2 : 1;
  const advised = ADVISED.has(words[head] ?? '');
  if (!(advised || ATTITUDES.has(words[head] ?? ''))) return false;
  if (advised && head > 0 && !words.slice(Math.max(0, head - ADVICE), head).some((word) => ABOUT.has(word)))
    return false;
  for (let before = head; before >= Math.max(0, head - REACH); before -= 1) {
    const word = words[before] ?? '';
    if (ends(word) || CONJUNCTIONS.has(word)) break;
    if (CONDITIONS.has(word)) return false;
    // `make sure I told everybody I want to invite`: a clause of its own.
    if (last?.entry.weak === true && PERSONS.has(word) && words[last.next - 1] !== word && last.next <= before)
      return false;
  }
  return true;
}

/** Whether `by` names the action that serves an aim. */
function namesMeans(
  words: readonly string[],
  at: number,
  last: RequestedAction | undefined,
  lexicon: Lexicon,
): boolean {
  if (last?.kind === 'question') return false;
  // `help me out by ordering`: the prefix is not a request.
  const aims = last
    ? AIMS.has(last.entry.verb.split(' ', 1)[0] ?? '')
    : words.slice(Math.max(0, at - 3), at).includes('help');
  return aims && isGerund(words, at + 1, lexicon) && formAt(words, at + 1, lexicon)?.entry.action !== 'read';
}

/** `I'd be grateful if you would`, but not `if you would like to`. */
function welcomes(words: readonly string[], at: number): boolean {
  if (words[at + 1] !== 'you' || !/^(?:would|could|might|can)$/.test(words[at + 2] ?? '')) return false;
  if (/^(?:like|prefer|want|rather|have|need|love)$/.test(words[at + 3] ?? '')) return false;
  const before = words.slice(Math.max(0, at - REACH), at);
  return (
    before.some((word) => WELCOME.has(word)) && before.some((word) => /^(?:i|i'd|we|we'd|it|it'd|much)$/.test(word))
  );
}

/** `I suggest you rename it`, `I request that you rename it` */
function suggests(words: readonly string[], at: number, lexicon: Lexicon): boolean {
  const before = words[at - 1] === 'that' ? at - 2 : at - 1;
  // `my request is that you rename it`
  if (words[before] === 'is' && PURPOSES.has(words[before - 1] ?? '')) return isBase(words, at + 1, lexicon);
  return (
    SUGGESTS.has(words[before] ?? '') &&
    /^(?:i|we|would|i'd|we'd|i'm|am|to)$/.test(words[before - 1] ?? '') &&
    isBase(words, at + 1, lexicon)
  );
}

/** Whether the verb that ends right before `words[at]` has no meaning of its own. */
function followsEmpty(words: readonly string[], at: number, last: RequestedAction): boolean {
  if (last.kind === 'question') return false;
  const before = words[at - 1] ?? '';
  const first = last.entry.verb.split(' ', 1)[0] ?? '';
  if (last.next === at) return EMPTY.has(last.entry.verb) || EMPTY_PHRASES.has(last.entry.verb) || EMPTY.has(first);
  return last.next === at - 1 && EMPTY_ENDS.has(before) && EMPTY.has(first);
}
/**
 * Whether the gerund at `words[at]` is the requested action: `start sending it`, but not `start watching it` and `suggest cooling units`.
 */
function isDone(words: readonly string[], at: number, last: RequestedAction, lexicon: Lexicon): boolean {
  if (!isGerund(words, at, lexicon)) return false;
  if (last.entry.action !== 'read') return formAt(words, at, lexicon)?.entry.action !== 'read';
  return last.entry.weak || AFTER_VERB.has(words[at + 1] ?? '');
}
const EMPTY_PHRASES = new Set(['take care of', 'work on', 'look into', 'see to', 'get started with', 'feel like']);

/**
 * The index of the word that introduces the purpose of a weak verb within its clause, else the index of the verb: `use it to list users`,
 * `proceed with booking it`.
 */
export function purposeAfter(words: readonly string[], at: number, lexicon: Lexicon): number {
  for (let next = at + 1; next < Math.min(words.length, at + 25); next += 1) {
    const word = words[next] ?? '';
    // `keep sending it`, `all there is to do is send it`
    if (word === 'is' || (next === at + 1 && isGerund(words, next, lexicon))) return at;
    // `Make sure I told everybody I want to reach`: a wish in another clause.
    // `a taxi to the museum`
    if (word === 'to' && DETERMINERS.has(words[next + 1] ?? '')) continue;
    if (word === 'to') return next > at + 2 && WANTS_TO.has(words[next - 1] ?? '') ? at : next;
    if (next <= at + MAX_MEANS && opensGerund(word) && isGerund(words, next + 1, lexicon)) return next;
    if (ends(word) || CONJUNCTIONS.has(word)) break;
  }
  return at;
}
const DETERMINERS = wordSet('a an the my our your his her its their this that these those');
/** How many words after a weak verb its gerund may follow: `assist me in registering`. */
const MAX_MEANS = 3;

/** Whether a gerund after this word is the purpose of a weak verb. */
export const opensGerund = (word: string): boolean => word === 'with' || word === 'in' || word === 'by';

/**
 * The index of the delegated verb, when `words[at]` follows a verb of delegation: `get the assistant to rename it`, `have the bot rename
 * it`; -1 for none.
 */
export function delegatedAt(words: readonly string[], at: number, verb: string, lexicon: Lexicon): number {
  // `please do call Ana`, but not `do research`
  if (verb === 'do') return isBase(words, at, lexicon) && AFTER_VERB.has(words[at + 1] ?? '') ? at : -1;
  const isTelling = TELL_VERBS.has(verb);
  if (!isTelling && !MAKES.has(verb)) return -1;
  let doer = at;
  while (doer < at + 3 && !DOERS.has(words[doer] ?? '')) {
    if (!/^(?:the|my|our|your|me|a|\w+)$/.test(words[doer] ?? '') || words[doer] === 'to') return -1;
    doer += 1;
  }
  if (doer >= at + 3) return -1;
  const next = words[doer + 1] === 'to' ? doer + 2 : doer + 1;
  if (isTelling && next === doer + 1) return -1;
  return isBase(words, next, lexicon) ? next : -1;
}
