// Statements of a need that imply an action: `the key needs rotating`, `Ana needs access`.
import { WH } from './clause-words.ts';
import { clauseStart, endsPhrase, type Implied, isBoundary, nominalFrom, participleAt } from './implied-parts.ts';
import { CONDITIONS, ENSURES, NEEDS, NEGATORS, PRONOUNS, RIGHTS, THIRD } from './implied-words.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { ASKED } from './questions.ts';
import { lastBefore, type RequestedAction } from './request.ts';
import { rightAt, speaksOfRight } from './rights.ts';
import { wordSet } from '../text/word-set.ts';

/** `X needs deleting`. */
export function gerundAt(words: readonly string[], at: number, lexicon: Lexicon): Implied | undefined {
  if (!NEEDS.has(words[at] ?? '')) return undefined;
  const match = lexicon.verbForms.match(words, at + 1);
  const start = clauseStart(words, at);
  if (match?.value.form !== 'gerund' || match.value.entry.weak || start === at) return undefined;
  if (CONDITIONS.has(words[start] ?? '') || WH.has(words[start] ?? '') || !endsPhrase(words[at + 1 + match.length]))
    return undefined;
  const subject: [number, number] = [start, at];
  return {
    entry: match.value.entry,
    at: at + 1,
    next: at + 1 + match.length,
    subject,
    certainty: 0.75,
    negated: false,
  };
}

/** `The server needs a restart`, `Ana needs access to the vault`. */
export function needAt(words: readonly string[], at: number, query: VerbEntry, lexicon: Lexicon): Implied | undefined {
  if (!NEEDS.has(words[at] ?? '') || /^(?:to|no|not)$/.test(words[at + 1] ?? '')) return undefined;
  const start = clauseStart(words, at);
  const first = words[start] ?? '';
  const before = words[at - 1] ?? '';
  if (start === at || CONDITIONS.has(first) || WH.has(first) || (PRONOUNS.has(before) && !THIRD.has(before)))
    return undefined;
  // `He no longer needs access to the vault`
  const cancel = before === 'longer' && RIGHTS.has(words[at + 1] ?? '') ? lexicon.verbs.get('cancel') : undefined;
  if (cancel) return { entry: cancel, at, next: at + 1, subject: undefined, certainty: 0.6, negated: false };
  const negated = NEGATORS.has(before) || before === 'longer';
  const nominal = nominalFrom(words, at + 1, 'all', lexicon);
  if (nominal) return { entry: nominal.entry, at, next: nominal.next, subject: [start, at], certainty: 0.45, negated };
  return { entry: query, at, next: at + 1, subject: undefined, certainty: 0.45, negated, wanted: true };
}

/** `The meeting has to move to Friday`, `his access must go`: someone has to do it. */
export function movesAt(words: readonly string[], at: number, lexicon: Lexicon): Implied | undefined {
  const word = words[at] ?? '';
  if (word !== 'go' && word !== 'move') return undefined;
  const modal = words[at - 1] === 'to' ? at - 2 : at - 1;
  const obliges = words[at - 1] === 'to' ? /^(?:has|have|needs|need|ought)$/ : /^(?:should|must)$/;
  const start = clauseStart(words, at);
  const first = words[start] ?? '';
  if (!obliges.test(words[modal] ?? '') || modal <= start) return undefined;
  if (CONDITIONS.has(first) || WH.has(first) || PRONOUNS.has(words[modal - 1] ?? '')) return undefined;
  const following = words[at + 1];
  const away = following === undefined || /^(?:[.!]|now|today)/.test(following);
  if (!(away ? word === 'go' : /^(?:to|on|onto|into|in|under)$/.test(following ?? ''))) return undefined;
  const entry = lexicon.verbs.get(away ? 'remove' : 'move');
  const subject: [number, number] = [start, modal];
  return entry && { entry, at, next: at + 1, subject, certainty: 0.6, negated: NEGATORS.has(words[modal + 1] ?? '') };
}

/** `Ana should have access to the vault`, `make sure nobody can open the folder`. */
export function entitledAt(
  words: readonly string[],
  at: number,
  found: readonly RequestedAction[],
  places: readonly number[],
  lexicon: Lexicon,
): Implied | undefined {
  if (!speaksOfRight(words[at] ?? '')) return undefined;
  const last = lastBefore(at, places);
  const request = (places[last] ?? 0) >= clauseStart(words, at) - 1 ? found[last] : undefined;
  const ensures = request?.entry.weak === true && ENSURES.has(request.entry.verb.split(' ', 1)[0] ?? '');
  if (request && !ensures) return undefined;
  let start = request ? request.next : clauseStart(words, at);
  if (words[start] === 'that') start += 1;
  if (CONDITIONS.has(words[start] ?? '') || WH.has(words[start] ?? '')) return undefined;
  const right = rightAt(words, at, start, ensures, lexicon);
  return right && { ...right, at, subject: undefined, certainty: 0.7, negated: false };
}

/**
 * After `can` or `could` at `words[at]`: `could the lights be turned off?`, but not `can invoices be edited?`. The request needs a definite
 * thing, and an action on it.
 */
export function passiveAsked(words: readonly string[], at: number, lexicon: Lexicon): Implied | undefined {
  if (!MEANT.has(words[at + 1] ?? '')) return undefined;
  let be = at + 2;
  while (be < at + MAX_MEANT && words[be] !== 'be' && !isBoundary(words[be] ?? ':')) be += 1;
  const participle = words[be] === 'be' ? participleAt(words, be + 1, lexicon) : undefined;
  if (!participle) return undefined;
  const end = words[be - 1] === 'please' ? be - 1 : be;
  return { ...participle, subject: [at + 1, end], certainty: ASKED, negated: words[be + 1] === 'not' };
}
const MEANT = wordSet('the my our his her their this that these those it all every');
/** How many words after the question's first word `be` may follow. */
const MAX_MEANT = 9;
