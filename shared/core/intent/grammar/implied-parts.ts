// Building blocks of implied requests: the clause around a word, participles, nouns of actions.
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { beginsWith, isConsequential, type RequestedAction } from './request.ts';
import { is, isAny, K, type TaggedWords } from '../lexicon/word-kinds.ts';

/** Whether a word makes a passive with a participle: `be deleted`, `get deleted`. */
export const isBeOrGet = (word: string | undefined): boolean => word === 'be' || word === 'get';

/** The largest distance between the parts of one such clause. */
export const REACH = 24;
const MAX_NOMINAL = 8;

/** An implied request and its evidence; `at` is the index of its word. */
export interface Implied
  extends Pick<RequestedAction, 'entry' | 'at' | 'next' | 'certainty'>,
    Partial<Pick<RequestedAction, 'subject' | 'negated' | 'wanted'>> {
  readonly replaces?: RequestedAction;
}

export const isBoundary = (words: TaggedWords, at: number): boolean =>
  beginsWith(words[at] ?? '', ',:;()\u2013\u2014-') || is(words, at, K.conjunction);
/** Whether the word at `at` may follow the end of a noun phrase or a participle. */
export const endsPhrase = (words: TaggedWords, at: number): boolean =>
  at >= words.length ||
  beginsWith(words[at] ?? '', '.,;:!?)') ||
  isAny(words, at, K.preposition, K.conjunction, K.phrase_ending);

/** The index at which the clause of `words[at]` begins. */
export function clauseStart(words: TaggedWords, at: number): number {
  let start = at;
  while (start > Math.max(0, at - REACH) && !isBoundary(words, start - 1)) start -= 1;
  return start;
}

/** The participle at `words[from]` or after adverbs, with its index. */
export function participleAt(words: TaggedWords, from: number, lexicon: Lexicon) {
  let at = from;
  while (at < from + 3 && (is(words, at, K.skipped_adverb) || (words[at] ?? '').endsWith('ly'))) at += 1;
  const match = lexicon.participles.match(words, at);
  return match && { entry: match.value, at, next: at + match.length };
}

/** Which nouns identical to verbs count: those of consequential verbs, of destructive verbs, or none. */
type Zero = 'all' | 'destructive' | 'none';

/** The verb that a noun names: `deletion`, and depending on `zero` also `refund`. */
function verbOfNoun(words: TaggedWords, at: number, zero: Zero, lexicon: Lexicon): VerbEntry | undefined {
  const word = words[at] ?? '';
  const nominal = lexicon.nominals.get(word);
  if (nominal || zero === 'none') return nominal;
  const entry = lexicon.verbs.get(word);
  return entry?.alsoNoun && (zero === 'all' ? isConsequential(entry) : entry.effect === 'destructive')
    ? entry
    : undefined;
}

/** The noun of an action that heads the phrase from `from` on, with the position of its object. */
export function nominalFrom(words: TaggedWords, from: number, zero: Zero, lexicon: Lexicon) {
  for (let at = from; at < Math.min(words.length, from + MAX_NOMINAL); at += 1) {
    const word = words[at] ?? '';
    if (isBoundary(words, at) || word === 'to' || isAny(words, at, K.preposition, K.finite, K.relative_subject))
      return undefined;
    const entry = verbOfNoun(words, at, zero, lexicon);
    const following = words[at + 1];
    if (!entry || !(endsPhrase(words, at + 1) || isAny(words, at + 1, K.finite, K.needed))) continue;
    // `I want a refund`: the noun itself is the object when the phrase contains nothing else.
    const alone = words.slice(from, at).every((one) => lexicon.fillers.has(one)) && lexicon.domainOfNoun.has(word);
    const subject = following === 'of' || following === 'for' ? undefined : ([from, alone ? at + 1 : at] as const);
    return { entry, at, next: at + 1, subject };
  }
  return undefined;
}
