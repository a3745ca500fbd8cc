// Verbs whose meaning depends on what follows: `make it private`, `give Ana the key`, `add 3 and 5`, `return the lamp`.
import type { Lexicon } from '../lexicon/types.ts';
import type { ObjectPhrase } from './object.ts';
import { isPredicateOf } from './phrase-ends.ts';
import { domainOf, getsWhat, isLowerName } from './request-object.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence, TokenKind } from '../text/tokens.ts';
import { K, tokenIs } from '../lexicon/word-kinds.ts';

/** Tokens that name a thing without a noun. */
const NAMES: ReadonlySet<TokenKind | undefined> = new Set(['quoted', 'path', 'identifier'] as const);

/** Whether an existing thing shall be in a new state: `make my profile private`, but not `make a private profile`. */
export function makesSo({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  if (entry.verb !== 'make') return false;
  if (
    !(
      tokenIs(sentence[next], K.changed_thing) ||
      NAME.test(sentence[next]?.text ?? '') ||
      NAMES.has(sentence[next]?.kind)
    )
  )
    return false;
  // `make Bing the default`
  if (NAME.test(sentence[next]?.text ?? '') && tokenIs(sentence[next + 1], K.definite_own)) return true;
  // `the test is flaky, make it stable`
  if (tokenIs(sentence[next], K.it_them)) return true;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    const token = sentence[at];
    if (token?.kind === 'punct' || tokenIs(token, K.preposition)) return false;
    if (isPredicateOf(sentence, at, lexicon) || ABLE.test(token?.lower ?? '')) return true;
  }
  return false;
}
/** Whether a thing shall get a new role: `use the beach picture as my wallpaper`, but not `use it as an example`. */
export function usesAs({ entry, sentence, next }: RequestedAction, end: number): boolean {
  if (entry.verb !== 'use') return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    if (sentence[at]?.kind === 'punct') return false;
    if (sentence[at]?.lower === 'as') return tokenIs(sentence[at + 1], K.possessive_person);
  }
  return false;
}

/** Whether a thing is made to do something: `make the server reread its settings`. */
export function makesDo({ entry, sentence, next }: RequestedAction, end: number, lexicon: Lexicon): boolean {
  if (entry.verb !== 'make' || tokenIs(sentence[next], K.made_new)) return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_DOER); at += 1) {
    const { kind, lower } = sentence[at] ?? { kind: 'punct', lower: '' };
    if (kind === 'punct' || tokenIs(sentence[at], K.preposition) || tokenIs(sentence[at], K.conjunction)) return false;
    const reading = lexicon.verbForms.get(lower);
    if (reading?.form === 'base' && tokenIs(sentence[at + 1], K.after_verb)) return !reading.entry.alsoNoun;
  }
  return false;
}
const MAX_DOER = 4;

/** Whether a plan shall change: `could we do the meeting at ten instead`. */
export const doesOtherwise = ({ entry, sentence, next }: RequestedAction, lexicon: Lexicon): boolean =>
  lexicon.wordKinds.has(entry.verb, K.rescheduling_verb) &&
  sentence.slice(next, next + MAX_STATE + 2).some(({ lower }) => lower === 'instead' || lower === 'rather');

/** Whether a thing shall be started: `get the coffee machine going`, `get the server up and running`. */
export function getsGoing({ entry, sentence, next }: RequestedAction, end: number): boolean {
  if (entry.verb !== 'get' || !tokenIs(sentence[next], K.started_thing)) return false;
  for (let at = next + 1; at < Math.min(end, next + MAX_STATE); at += 1) {
    const { kind } = sentence[at] ?? { kind: 'punct' };
    if (kind === 'punct' || tokenIs(sentence[at], K.preposition)) return false;
    if (tokenIs(sentence[at], K.started_state)) {
      const after = sentence[at + 1];
      return (
        after === undefined ||
        after.kind === 'punct' ||
        tokenIs(after, K.preposition) ||
        tokenIs(after, K.conjunction) ||
        tokenIs(after, K.closing_word)
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
  if (NAME.test(sentence[next]?.text ?? '') || tokenIs(sentence[next], K.third_person_object))
    return getsWhat(sentence, next + 1);
  if (isHandedTo(sentence, next)) return true;
  // `give the server four processors`
  if (!tokenIs(sentence[next], K.given_thing)) return false;
  for (const token of sentence.slice(next + 2, next + 6)) {
    if (token.kind === 'punct' || tokenIs(token, K.preposition) || tokenIs(token, K.conjunction)) return false;
    if (token.kind === 'number' || tokenIs(token, K.given_part)) return true;
  }
  return false;
}

/** `give all open tasks to Ana` */
function isHandedTo(sentence: Sentence, next: number): boolean {
  if (tokenIs(sentence[next], K.speaker_object)) return false;
  const to = sentence.slice(next, next + MAX_GIVEN).findIndex(({ kind, lower }) => kind === 'punct' || lower === 'to');
  const after = to < 0 ? undefined : sentence[next + to + 1];
  if (after === undefined || sentence[next + to]?.kind === 'punct') return false;
  const last = sentence[next + to + 2];
  // `give the open tasks to tom`
  const ends = after.kind === 'word' && (last === undefined || last.kind === 'punct');
  return (
    after.kind === 'email' ||
    (ends && !tokenIs(after, K.speaker_object)) ||
    NAME.test(after.text) ||
    tokenIs(after, K.receiver_opening)
  );
}
const MAX_GIVEN = 14;

/** Whether the request is a calculation: `add 3 and 5`, `convert 5 miles`. */
export function calculates({ entry, sentence, next }: RequestedAction, lexicon: Lexicon): boolean {
  if (sentence[next]?.kind !== 'number') return false;
  return (
    entry.verb === 'convert' || (lexicon.wordKinds.has(entry.verb, K.sum_verb) && sentence[next + 2]?.kind === 'number')
  );
}

/** Whether a customer returns something: `I want to return the lamp`. */
export function takesBack({ entry, sentence, next }: RequestedAction, phrase: ObjectPhrase, lexicon: Lexicon): boolean {
  if (entry.verb !== 'return' || sentence[next - 2]?.lower !== 'to') return false;
  return (
    tokenIs(sentence[next - 3], K.wish_before_to) &&
    !lexicon.wordKinds.has(domainOf(phrase.words, lexicon), K.program_domain)
  );
}

/** Whether time is reserved: `block Friday 2-4pm`, `block 9 to 11 for calls`. */
export const keepsFree = ({ entry, sentence, next }: RequestedAction): boolean =>
  entry.verb === 'block' &&
  (/^\d{1,2}(?::\d\d)?(?:-|am|pm|$)/.test(sentence[next]?.lower ?? '') || tokenIs(sentence[next], K.weekday));
