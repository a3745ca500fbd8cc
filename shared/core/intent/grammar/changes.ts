// Verbs whose meaning depends on what follows: `make it private`, `give Ana the key`.
import type { Lexicon } from '../lexicon/types.ts';
import { isPredicateOf } from './phrase-ends.ts';
import { getsWhat } from './request-object.ts';
import type { RequestedAction } from './request.ts';
import type { Sentence, TokenKind } from '../text/tokens.ts';
import { K, tokenIs, tokenIsAny } from '../lexicon/word-kinds.ts';

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
const NAME = /^\p{Lu}\p{Ll}/u;
/** `make it executable` */
const ABLE = /^\w{2,12}[ai]ble$/;
/** How many words after the verb such a state may follow. */
const MAX_STATE = 10;

/** Whether someone else receives something: `give Ana the key`, but not `give me the key`. */
export function handsOver({ entry, sentence, next }: RequestedAction): boolean {
  if (entry.verb !== 'give') return false;
  if (NAME.test(sentence[next]?.text ?? '') || tokenIs(sentence[next], K.third_person_object))
    return getsWhat(sentence, next + 1);
  if (isHandedTo(sentence, next)) return true;
  // `give the server four processors`
  if (!tokenIs(sentence[next], K.given_thing)) return false;
  for (const token of sentence.slice(next + 2, next + 6)) {
    if (token.kind === 'punct' || tokenIsAny(token, K.preposition, K.conjunction)) return false;
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

/** Whether time is reserved: `block Friday 2-4pm`, `block 9 to 11 for calls`. */
export const keepsFree = ({ entry, sentence, next }: RequestedAction): boolean =>
  entry.verb === 'block' &&
  (/^\d{1,2}(?::\d\d)?(?:-|am|pm|$)/.test(sentence[next]?.lower ?? '') || tokenIs(sentence[next], K.weekday));
