// Finds statements about permissions: `Ana should have access to the vault`, `make sure Tom can open the folder`.
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';

/** Verbs of using a thing to which someone has a right. */
const USES = wordSet('see view access open edit read use join enter manage');
/** Roles that have rights. */
const ROLES = wordSet('admin administrator owner editor viewer moderator maintainer superuser');
const SPEAKERS = wordSet('i we you it this');
const NOBODY = wordSet('nobody none no');

/** A right to be granted or revoked: the position of its object, and the verb for it. */
export interface Right {
  readonly entry: VerbEntry;
  readonly next: number;
}

/** The right stated by the modal verb at `words[at]`; its clause begins at `start`. `ensured`: the statement asks someone to ensure it. */
export function rightAt(
  words: readonly string[],
  at: number,
  start: number,
  ensured: boolean,
  lexicon: Lexicon,
): Right | undefined {
  const modal = MODAL.exec(words[at] ?? '') ?? (words[at] === 'ought' && words[at + 1] === 'to' ? OUGHT : null);
  if (!modal || start === at || SPEAKERS.has(words[start] ?? '')) return undefined;
  const not = words[at + 1] === 'not' || words[at + 1] === 'never';
  let next = at + (not || modal === OUGHT ? 2 : 1);
  const able = words[next] === 'be' && /^(?:able|allowed)$/.test(words[next + 1] ?? '') && words[next + 2] === 'to';
  if (able) next += 3;
  const has = /^(?:have|get)$/.test(words[next] ?? '') && words[next + 1] === 'access';
  if (has) next += words[next + 2] === 'to' ? 3 : 2;
  else if (words[next] === 'be' && ROLES.has(words[next + 2] ?? '') && /^(?:an?|the)$/.test(words[next + 1] ?? ''))
    next += 1;
  else if ((able || ensured) && USES.has(words[next] ?? '')) next += 1;
  else return undefined;
  // `can` alone only states a fact.
  if (!ensured && modal[1] === 'can') return undefined;
  const refused = not || modal[2] !== undefined || NOBODY.has(words[start] ?? '');
  const entry = lexicon.verbs.get(refused ? 'revoke' : 'grant');
  return entry && { entry, next };
}
const MODAL = /^(can|should|must|may)(n't|not)?$/;
const OUGHT = ['ought', 'should'];
const MODALS = wordSet("ought can can't cannot should shouldn't must mustn't may");

/** Cheap first test: whether a word may be such a modal verb. */
export const speaksOfRight = (word: string): boolean => MODALS.has(word);
