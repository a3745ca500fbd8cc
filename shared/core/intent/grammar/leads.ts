// Finds the beginning of a request after introductory words: a wish, a suggestion, a duty, an aim, a delegate.
import type { Lexicon } from '../lexicon/types.ts';
import { beginsWith, mayMatter, type RequestedAction } from './request.ts';
import { is, K, someAre, type TaggedWords } from '../lexicon/word-kinds.ts';

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

const ends = (word: string): boolean => beginsWith(word, '.;,:!?');

const formAt = (words: TaggedWords, at: number, lexicon: Lexicon) => lexicon.verbForms.match(words, at)?.value;
const isBase = (words: TaggedWords, at: number, lexicon: Lexicon): boolean =>
  formAt(words, at, lexicon)?.form === 'base';
const isGerund = (words: TaggedWords, at: number, lexicon: Lexicon): boolean => {
  const reading = (words[at] ?? '').endsWith('ing') ? formAt(words, at, lexicon) : undefined;
  return reading?.form === 'gerund' && !reading.entry.weak;
};

/** Whether the request found so far has no meaning of its own: weak verbs, wishes, a question that may turn out to be a request. */
const lacksMeaning = ({ entry, wanted, kind }: RequestedAction): boolean =>
  entry.weak || wanted || kind === 'question' || entry.verb === 'request';

/** The introduction at `words[at]`, or undefined. */
export function leadAt(
  words: TaggedWords,
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
      // `the account ought to be closed`: what is to be done with its subject
      if (words[at + 1] === 'be' && lexicon.participles.match(words, at + 2) && !is(words, at - 2, K.subject_pronoun))
        return undefined;
      if (opensAim(words, at)) return { length: 1, replaces: last !== undefined };
      // `which papers do I need to print`
      if (last?.kind === 'question' && someAre(words, Math.max(0, at - MAX_QUESTION), at, K.question_word))
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
      return found.length === 0 && is(words, at - 1, K.advised_speaker) && isBase(words, at + 1, lexicon)
        ? NEXT
        : undefined;
    case 'you':
    case 'we':
      return suggests(words, at, lexicon) ? { length: 1, replaces: last !== undefined } : undefined;
    default:
      // `the next step is deleting it`
      if (words[at - 2] !== 'job' && opensAim(words, at) && isGerund(words, at, lexicon))
        return { length: 0, replaces: last !== undefined };
      return last !== undefined && followsEmpty(words, at, last, lexicon) && isDone(words, at, last, lexicon)
        ? { length: 0, replaces: true }
        : undefined;
  }
}

/**
 * Whether the purpose of a thing follows: `provides the ability to ...`, `helper that removes ...`, `wrapper for finding ...`. Applies only
 * without any other request, because the ability itself is not an object.
 */
function leadsToPurpose(words: TaggedWords, at: number, found: readonly RequestedAction[], lexicon: Lexicon): boolean {
  const word = words[at] ?? '';
  const [first] = found;
  if (found.length > 1 || (first && (first.entry.action !== 'read' || first.kind === 'question'))) return false;
  // `On the way to the airport` names a place.
  if (word === 'to') return is(words, at - 1, K.ability) && isBase(words, at + 1, lexicon);
  if (first || at === 0 || at > 8) return false;
  if (someAre(words, 0, at, K.finite) || someAre(words, 0, at, K.subject_pronoun)) return false;
  const form = formAt(words, at + 1, lexicon);
  return form !== undefined && !form.entry.weak && form.form === (word === 'for' ? 'gerund' : 'third');
}

/** Whether the words before `words[at]` open an aim: `the next step is to copy the files`. */
function opensAim(words: TaggedWords, at: number): boolean {
  const be = at - 1;
  if (!is(words, be, K.is_was_be)) return false;
  for (let noun = be - 1; noun >= Math.max(0, be - REACH) && !ends(words[noun] ?? ''); noun -= 1)
    if (is(words, noun, K.purpose)) return true;
  return false;
}

/** Whether a wish, a duty or an order precedes the `to` at `words[at]`. */
function opensWish(words: TaggedWords, at: number, last: RequestedAction | undefined): boolean {
  let head = at - 1;
  if (is(words, head, K.somebody)) head -= words[head - 1] === 'for' ? 2 : 1;
  const advised = is(words, head, K.advised);
  if (!(advised || is(words, head, K.attitude))) return false;
  if (advised && head > 0 && !someAre(words, Math.max(0, head - ADVICE), head, K.advised_subject)) return false;
  for (let before = head; before >= Math.max(0, head - REACH); before -= 1) {
    const word = words[before] ?? '';
    if (ends(word) || is(words, before, K.conjunction)) break;
    if (is(words, before, K.lead_condition)) return false;
    // `make sure I told everybody I want to invite`: a clause of its own.
    if (
      last?.entry.weak === true &&
      is(words, before, K.subject_pronoun) &&
      words[last.next - 1] !== word &&
      last.next <= before
    )
      return false;
  }
  return true;
}

/** Whether `by` names the action that serves an aim. */
function namesMeans(words: TaggedWords, at: number, last: RequestedAction | undefined, lexicon: Lexicon): boolean {
  // `help me out by ordering`: the prefix is not a request.
  const aims = last
    ? lexicon.wordKinds.has(last.entry.verb.split(' ', 1)[0] ?? '', K.aim_verb)
    : words.slice(Math.max(0, at - 3), at).includes('help');
  return aims && isGerund(words, at + 1, lexicon) && formAt(words, at + 1, lexicon)?.entry.action !== 'read';
}

/** `I'd be grateful if you would`, but not `if you would like to`. */
function welcomes(words: TaggedWords, at: number): boolean {
  if (words[at + 1] !== 'you' || !is(words, at + 2, K.welcome_modal)) return false;
  return someAre(words, at - REACH, at, K.welcome) && someAre(words, at - REACH, at, K.welcome_subject);
}

/** `I suggest you rename it`, `I request that you rename it` */
function suggests(words: TaggedWords, at: number, lexicon: Lexicon): boolean {
  const before = words[at - 1] === 'that' ? at - 2 : at - 1;
  // `my request is that you rename it`
  if (words[before] === 'is' && is(words, before - 1, K.purpose)) return isBase(words, at + 1, lexicon);
  return (
    is(words, before, K.suggesting) && is(words, before - 1, K.suggesting_subject) && isBase(words, at + 1, lexicon)
  );
}

/** Whether the verb that ends right before `words[at]` has no meaning of its own. */
function followsEmpty(words: TaggedWords, at: number, last: RequestedAction, lexicon: Lexicon): boolean {
  const first = last.entry.verb.split(' ', 1)[0] ?? '';
  if (last.next === at)
    return lexicon.wordKinds.has(last.entry.verb, K.empty_verb) || lexicon.wordKinds.has(first, K.empty_verb);
  return last.next === at - 1 && is(words, at - 1, K.empty_verb_end) && lexicon.wordKinds.has(first, K.empty_verb);
}
/**
 * Whether the gerund at `words[at]` is the requested action: `start sending it`, but not `start watching it` and `suggest cooling units`.
 */
function isDone(words: TaggedWords, at: number, last: RequestedAction, lexicon: Lexicon): boolean {
  if (!isGerund(words, at, lexicon)) return false;
  if (last.entry.action !== 'read') return formAt(words, at, lexicon)?.entry.action !== 'read';
  return last.entry.weak || is(words, at + 1, K.after_verb);
}

/** The index of the `to` that introduces the purpose of a weak verb within its clause, else the index of the verb: `use it to list users`. */
export function purposeAfter(words: TaggedWords, at: number, lexicon: Lexicon): number {
  for (let next = at + 1; next < Math.min(words.length, at + 25); next += 1) {
    const word = words[next] ?? '';
    // `keep sending it`, `all there is to do is send it`
    if (word === 'is' || (next === at + 1 && isGerund(words, next, lexicon))) return at;
    // `Make sure I told everybody I want to reach`: a wish in another clause.
    if (word === 'to') return next > at + 2 && is(words, next - 1, K.wanting_to) ? at : next;
    if (ends(word) || is(words, next, K.conjunction)) break;
  }
  return at;
}
/**
 * The index of the delegated verb, when `words[at]` follows a verb of delegation: `get the assistant to rename it`, `have the bot rename
 * it`; -1 for none.
 */
export function delegatedAt(words: TaggedWords, at: number, verb: string, lexicon: Lexicon): number {
  // `please do call Ana`, but not `do research`
  if (verb === 'do') return isBase(words, at, lexicon) && is(words, at + 1, K.after_verb) ? at : -1;
  const isTelling = lexicon.wordKinds.has(verb, K.telling_verb);
  if (!isTelling && !lexicon.wordKinds.has(verb, K.making_verb)) return -1;
  let doer = at;
  while (doer < at + 3 && !is(words, doer, K.doer)) {
    if (!/^\w+$/.test(words[doer] ?? '') || words[doer] === 'to') return -1;
    doer += 1;
  }
  if (doer >= at + 3) return -1;
  const next = words[doer + 1] === 'to' ? doer + 2 : doer + 1;
  if (isTelling && next === doer + 1) return -1;
  return isBase(words, next, lexicon) ? next : -1;
}

/**
 * The index of the verb that a script, a job or a form carries out when it is run or filled in, when it is one that matters: `run a script to
 * clear the table`, `start a job that deletes it`; -1 for none.
 */
export function taskOfRun(words: TaggedWords, at: number, lexicon: Lexicon): number {
  for (let noun = at + 1; noun < Math.min(words.length, at + MAX_RUN); noun += 1) {
    if (ends(words[noun] ?? '')) return -1;
    if (!is(words, noun, K.run_thing)) continue;
    const opener = words[noun + 1];
    const form = formAt(words, noun + 2, lexicon);
    if (form === undefined || !mayMatter(form.entry, lexicon)) return -1;
    if (opener === 'to' && form.form === 'base') return noun + 2;
    if (opener === 'for' && form.form === 'gerund') return noun + 2;
    if (is(words, noun + 1, K.relative_subject) && form.form === 'third') return noun + 2;
  }
  return -1;
}
/** How many words after the verb the thing may follow: `run a small one-off script`. */
const MAX_RUN = 7;
