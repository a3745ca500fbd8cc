// Statements of a need that imply an action: `the key needs rotating`, `Ana needs access`.
import {
  clauseStart,
  endsPhrase,
  type Implied,
  isBeOrGet,
  isBoundary,
  nominalFrom,
  participleAt,
} from './implied-parts.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { ASKED } from './questions.ts';
import { isConsequential, lastBefore, QUERY, type RequestedAction } from './request.ts';
import { is, isAny, K, type TaggedWords } from '../lexicon/word-kinds.ts';

/** Where the clause of `words[at]` begins that states something; -1 when it begins with this word, or as a condition or a question. */
function statementStart(words: TaggedWords, at: number): number {
  const start = clauseStart(words, at);
  return start === at || isAny(words, start, K.condition_opening, K.question_word) ? -1 : start;
}

/** `X needs deleting`. */
export function gerundAt(words: TaggedWords, at: number, lexicon: Lexicon): Implied | undefined {
  if (!is(words, at, K.needing)) return undefined;
  const match = lexicon.verbForms.match(words, at + 1);
  const start = statementStart(words, at);
  if (match?.value.form !== 'gerund' || match.value.entry.weak || start < 0) return undefined;
  if (!endsPhrase(words, at + 1 + match.length)) return undefined;
  return { entry: match.value.entry, at: at + 1, next: at + 1 + match.length, subject: [start, at], certainty: 0.75 };
}

/** `The server needs a restart`, `Ana needs access to the vault`. */
export function needAt(words: TaggedWords, at: number, lexicon: Lexicon): Implied | undefined {
  if (!is(words, at, K.needing) || is(words, at + 1, K.not_needed)) return undefined;
  const start = statementStart(words, at);
  const before = words[at - 1] ?? '';
  if (start < 0 || (is(words, at - 1, K.relative_subject) && !is(words, at - 1, K.third_person))) return undefined;
  // `He no longer needs access to the vault`
  const cancel = before === 'longer' && is(words, at + 1, K.right_noun) ? lexicon.verbs.get('cancel') : undefined;
  if (cancel) return { entry: cancel, at, next: at + 1, certainty: 0.6 };
  const negated = is(words, at - 1, K.negator) || before === 'longer';
  const nominal = nominalFrom(words, at + 1, 'all', lexicon);
  if (nominal) return { entry: nominal.entry, at, next: nominal.next, subject: [start, at], certainty: 0.45, negated };
  return { entry: QUERY, at, next: at + 1, certainty: 0.45, negated, wanted: true };
}

/** `The meeting has to move to Friday`, `his access must go`: someone has to do it. */
export function movesAt(words: TaggedWords, at: number, lexicon: Lexicon): Implied | undefined {
  const word = words[at] ?? '';
  if (word !== 'go' && word !== 'move') return undefined;
  const modal = words[at - 1] === 'to' ? at - 2 : at - 1;
  const obliging = words[at - 1] === 'to' ? K.obliging_have : K.strict_modal;
  const start = statementStart(words, at);
  if (start < 0 || !is(words, modal, obliging) || modal <= start) return undefined;
  if (is(words, modal - 1, K.relative_subject)) return undefined;
  const following = words[at + 1];
  const away = following === undefined || /^(?:[.!]|now|today)/.test(following);
  if (!(away ? word === 'go' : is(words, at + 1, K.move_preposition))) return undefined;
  const entry = lexicon.verbs.get(away ? 'remove' : 'move');
  const negated = is(words, modal + 1, K.negator);
  return entry && { entry, at, next: at + 1, subject: [start, modal], certainty: 0.6, negated };
}

/** The right stated by the modal verb at `words[at]`; its clause begins at `start`. `ensured`: the statement asks someone to ensure it. */
function rightAt(
  words: TaggedWords,
  at: number,
  start: number,
  ensured: boolean,
  lexicon: Lexicon,
): Pick<Implied, 'entry' | 'next'> | undefined {
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

/** `Ana should have access to the vault`, `make sure nobody can open the folder`. */
export function entitledAt(
  words: TaggedWords,
  at: number,
  found: readonly RequestedAction[],
  places: readonly number[],
  lexicon: Lexicon,
): Implied | undefined {
  if (!is(words, at, K.right_modal)) return undefined;
  const last = lastBefore(at, places);
  const request = (places[last] ?? 0) >= clauseStart(words, at) - 1 ? found[last] : undefined;
  const ensures =
    request?.entry.weak === true && lexicon.wordKinds.has(request.entry.verb.split(' ', 1)[0] ?? '', K.ensuring_verb);
  if (request && !ensures) return undefined;
  let start = request ? request.next : clauseStart(words, at);
  if (words[start] === 'that') start += 1;
  if (isAny(words, start, K.condition_opening, K.question_word)) return undefined;
  const right = rightAt(words, at, start, ensures, lexicon);
  return right && { ...right, at, certainty: 0.7 };
}

/**
 * After `can` or `could` at `words[at]`: `could the lights be turned off?`, but not `can invoices be edited?`. The request needs a definite
 * thing, and an action on it.
 */
export function passiveAsked(words: TaggedWords, at: number, lexicon: Lexicon): Implied | undefined {
  if (!(is(words, at + 1, K.meant_thing) || (words[at + 1] ?? '').endsWith("'s"))) return undefined;
  let be = at + 2;
  while (be < at + MAX_MEANT && !isBeOrGet(words[be]) && !isBoundary(words, be)) be += 1;
  const participle = isBeOrGet(words[be]) ? participleAt(words, be + 1, lexicon) : undefined;
  if (!participle) return undefined;
  const end = words[be - 1] === 'please' ? be - 1 : be;
  return { ...participle, subject: [at + 1, end], certainty: ASKED, negated: words[be + 1] === 'not' };
}
/** After `haven't you` or `have you not`, which demand what they ask about: `why haven't you deleted them yet?` */
export function undoneAt(words: TaggedWords, at: number, lexicon: Lexicon): Implied | undefined {
  const isDemanded =
    (words[at - 1] === 'you' && words[at - 2] === "haven't") ||
    (words[at - 1] === 'not' && words.slice(Math.max(0, at - 4), at).includes('you'));
  const participle = isDemanded ? participleAt(words, at, lexicon) : undefined;
  if (!participle || !isConsequential(participle.entry)) return undefined;
  return { ...participle, certainty: ASKED };
}
/** How many words after the question's first word `be` may follow. */
const MAX_MEANT = 9;
