// Finds statements about permissions: `Ana should have access to the vault`, `make sure Tom can open the folder`.
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { is, K, type TaggedWords } from '../lexicon/word-kinds.ts';

/** A right to be granted or revoked: the position of its object, and the verb for it. */
export interface Right {
  readonly entry: VerbEntry;
  readonly next: number;
}

/** The right stated by the modal verb at `words[at]`; its clause begins at `start`. `ensured`: the statement asks someone to ensure it. */
export function rightAt(
  words: TaggedWords,
  at: number,
  start: number,
  ensured: boolean,
  lexicon: Lexicon,
): Right | undefined {
  const modal = MODAL.exec(words[at] ?? '') ?? (words[at] === 'ought' && words[at + 1] === 'to' ? OUGHT : null);
  if (!modal || start === at || is(words, start, K.right_speaker)) return undefined;
  const not = words[at + 1] === 'not' || words[at + 1] === 'never';
  let next = at + (not || modal === OUGHT ? 2 : 1);
  const able = words[next] === 'be' && is(words, next + 1, K.able) && words[next + 2] === 'to';
  if (able) next += 3;
  const has = is(words, next, K.get_have) && words[next + 1] === 'access';
  if (has) next += words[next + 2] === 'to' ? 3 : 2;
  else if (words[next] === 'be' && is(words, next + 2, K.role) && is(words, next + 1, K.article)) next += 1;
  else if ((able || ensured) && is(words, next, K.using_verb)) next += 1;
  else return undefined;
  // `can` alone only states a fact.
  if (!ensured && modal[1] === 'can') return undefined;
  const refused = not || modal[2] !== undefined || is(words, start, K.nobody);
  const entry = lexicon.verbs.get(refused ? 'revoke' : 'grant');
  return entry && { entry, next };
}
const MODAL = /^(can|should|must|may)(n't|not)?$/;
const OUGHT = ['ought', 'should'];

/** Cheap first test: whether a word may be such a modal verb. */
export const speaksOfRight = (words: TaggedWords, at: number): boolean => is(words, at, K.right_modal);
