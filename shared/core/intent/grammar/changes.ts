// Verbs whose meaning depends on what follows: `make it private`, `give Ana the key`, `add 3 and 5`, `return the lamp`.
import { AFTER_VERB, CONJUNCTIONS, PREPOSITIONS } from './clause-words.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { ObjectPhrase } from './object.ts';
import { isPredicateOf } from './phrase-ends.ts';
import { domainOf, getsWhat, isLowerName } from './request-object.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence } from '../text/tokens.ts';

/** Whether an existing thing shall be in a new state: `make my profile private`, but not `make a private profile`. */
export function makesSo({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  if (entry.verb !== 'make') return false;
  const first = sentence[next]?.lower ?? '';
  if (
    !(
      /^(?:the|my|our|your|his|her|its|their|this|that|these|those|it|them|all|every|each|both)$/.test(first) ||
      NAME.test(sentence[next]?.text ?? '') ||
      /^(?:quoted|path|identifier)$/.test(sentence[next]?.kind ?? '')
    )
  )
    return false;
  // `make Bing the default`
  if (NAME.test(sentence[next]?.text ?? '') && /^(?:the|my|our)$/.test(sentence[next + 1]?.lower ?? '')) return true;
  // `the test is flaky, make it stable`
  if (/^(?:it|them)$/.test(first)) return true;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    const token = sentence[at];
    if (token?.kind === 'punct' || PREPOSITIONS.has(token?.lower ?? '')) return false;
    if (isPredicateOf(sentence, at, lexicon) || ABLE.test(token?.lower ?? '')) return true;
  }
  return false;
}
/** Whether a thing shall get a new role: `use the beach picture as my wallpaper`, but not `use it as an example`. */
export function usesAs({ entry, sentence, next }: RequestedAction, end: number): boolean {
  if (entry.verb !== 'use') return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    if (sentence[at]?.kind === 'punct') return false;
    if (sentence[at]?.lower === 'as') return /^(?:my|our|his|her|their)$/.test(sentence[at + 1]?.lower ?? '');
  }
  return false;
}

/** Whether a thing is made to do something: `make the server reread its settings`. */
export function makesDo({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  if (entry.verb !== 'make' || /^(?:an?|sure)$/.test(sentence[next]?.lower ?? '')) return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_DOER); at += 1) {
    const { kind, lower } = sentence[at] ?? { kind: 'punct', lower: '' };
    if (kind === 'punct' || PREPOSITIONS.has(lower) || CONJUNCTIONS.has(lower)) return false;
    const reading = lexicon.verbForms.get(lower);
    if (reading?.form === 'base' && AFTER_VERB.has(sentence[at + 1]?.lower ?? '')) return !reading.entry.alsoNoun;
  }
  return false;
}
const MAX_DOER = 4;

/** Whether a plan shall change: `could we do the meeting at ten instead`. */
export const doesOtherwise = ({ entry, sentence, next }: RequestedAction): boolean =>
  /^(?:do|have|meet|go)$/.test(entry.verb) &&
  sentence.slice(next, next + MAX_STATE + 2).some(({ lower }) => lower === 'instead' || lower === 'rather');

/** Whether a thing shall be started: `get the coffee machine going`, `get the server up and running`. */
export function getsGoing({ entry, sentence, next }: RequestedAction, end: number): boolean {
  if (entry.verb !== 'get' || !/^(?:the|my|our|this|that|it|them|all|every)$/.test(sentence[next]?.lower ?? ''))
    return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    const { kind, lower } = sentence[at] ?? { kind: 'punct', lower: '' };
    if (kind === 'punct' || PREPOSITIONS.has(lower)) return false;
    if (/^(?:going|running|started|working|moving|up|online)$/.test(lower)) {
      const after = sentence[at + 1];
      return (
        after === undefined ||
        after.kind === 'punct' ||
        PREPOSITIONS.has(after.lower) ||
        CONJUNCTIONS.has(after.lower) ||
        /^(?:again|now|please|today)$/.test(after.lower)
      );
    }
  }
  return false;
}

const NAME = /^\p{Lu}\p{Ll}/u;
/** `make it executable` */
const ABLE = /^\w{2,12}[ai]ble$/;
/** How many words after the verb such a state may follow. */
const MAX_STATE = 10;

/** Whether someone else receives something: `give Ana the key`, but not `give me the key`. */
export function handsOver({ entry, sentence, next }: RequestedAction, lexicon: Lexicon): boolean {
  if (entry.verb !== 'give') return false;
  const first = sentence[next];
  if (first && isLowerName(first, sentence[next + 1], lexicon)) return true;
  if (NAME.test(sentence[next]?.text ?? '') || /^(?:him|her|them)$/.test(sentence[next]?.lower ?? ''))
    return getsWhat(sentence, next + 1);
  if (isHandedTo(sentence, next)) return true;
  // `give the server four processors`
  if (!/^(?:the|this|that|every|each|all)$/.test(sentence[next]?.lower ?? '')) return false;
  for (const token of sentence.slice(next + 2, next + 6)) {
    if (token.kind === 'punct' || PREPOSITIONS.has(token.lower) || CONJUNCTIONS.has(token.lower)) return false;
    if (token.kind === 'number' || /^(?:a|an|the|two|three|four|five|six|ten|full|read|write)$/.test(token.lower))
      return true;
  }
  return false;
}

/** `give all open tasks to Ana` */
function isHandedTo(sentence: Sentence, next: number): boolean {
  if (/^(?:me|us)$/.test(sentence[next]?.lower ?? '')) return false;
  const to = sentence.slice(next, next + MAX_GIVEN).findIndex(({ kind, lower }) => kind === 'punct' || lower === 'to');
  const after = to < 0 ? undefined : sentence[next + to + 1];
  if (after === undefined || sentence[next + to]?.kind === 'punct') return false;
  const last = sentence[next + to + 2];
  // `give the open tasks to tom`
  const ends = after.kind === 'word' && (last === undefined || last.kind === 'punct');
  return (
    after.kind === 'email' ||
    (ends && !/^(?:me|us)$/.test(after.lower)) ||
    NAME.test(after.text) ||
    /^(?:the|my|our|his|her|their|him|them)$/.test(after.lower)
  );
}
const MAX_GIVEN = 14;

/** Whether the request is a calculation: `add 3 and 5`, `convert 5 miles`. */
export function calculates({ entry, sentence, next }: RequestedAction): boolean {
  if (sentence[next]?.kind !== 'number') return false;
  return entry.verb === 'convert' || (SUMS.has(entry.verb) && sentence[next + 2]?.kind === 'number');
}
const SUMS = new Set(['add', 'divide']);

/** Domains whose objects are return values of programs and not goods of customers. */
const RETURNED = new Set(['data', 'db', 'code', 'files', 'infra', 'logs', 'monitoring', 'web']);

/** Whether a customer returns something: `I want to return the lamp`. */
export function takesBack({ entry, sentence, next }: RequestedAction, phrase: ObjectPhrase, lexicon: Lexicon): boolean {
  if (entry.verb !== 'return' || sentence[next - 2]?.lower !== 'to') return false;
  return (
    /^(?:want|like|need|love|wish|have|wanted)$/.test(sentence[next - 3]?.lower ?? '') &&
    !RETURNED.has(domainOf(phrase.words, lexicon))
  );
}

/** Whether time is reserved: `block Friday 2-4pm`, `block 9 to 11 for calls`. */
export const keepsFree = ({ entry, sentence, next }: RequestedAction): boolean =>
  entry.verb === 'block' &&
  (/^\d{1,2}(?::\d\d)?(?:-|am|pm|$)/.test(sentence[next]?.lower ?? '') ||
    /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/.test(sentence[next]?.lower ?? ''));
