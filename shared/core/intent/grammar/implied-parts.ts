// What the ways to imply a request are made of: the clause around a word, participles, nouns of actions.
import { CONJUNCTIONS, FINITE, PREPOSITIONS } from './clause-words.ts';
import { NEEDED, PRONOUNS, SKIPPED } from './implied-words.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { beginsWith, isConsequential, type RequestedAction } from './request.ts';
import { wordSet } from '../text/word-set.ts';

/** How far apart the parts of one such clause may stand. */
export const REACH = 24;
const MAX_NOMINAL = 8;

/** How an implied request was found. */
export interface Implied {
  readonly entry: VerbEntry;
  readonly at: number;
  readonly next: number;
  readonly subject: readonly [from: number, to: number] | undefined;
  readonly certainty: number;
  readonly negated: boolean;
  readonly replaces?: RequestedAction;
  readonly wanted?: boolean;
}

export const isBoundary = (word: string): boolean => beginsWith(word, ',:;()\u2013\u2014-') || CONJUNCTIONS.has(word);
/** What may follow the last word of a noun phrase or a participle. */
export const endsPhrase = (word: string | undefined): boolean =>
  word === undefined ||
  beginsWith(word, '.,;:!?)') ||
  PREPOSITIONS.has(word) ||
  CONJUNCTIONS.has(word) ||
  ENDINGS.has(word);
const ENDINGS = wordSet(
  'to now today tonight tomorrow immediately asap please again soon before after instead too once online',
);

/** Where the clause of `words[at]` begins. */
export function clauseStart(words: readonly string[], at: number): number {
  let start = at;
  while (start > Math.max(0, at - REACH) && !isBoundary(words[start - 1] ?? '')) start -= 1;
  return start;
}

/** The participle at `words[from]` or after adverbs, with its index. */
export function participleAt(words: readonly string[], from: number, lexicon: Lexicon) {
  let at = from;
  while (at < from + 3 && (SKIPPED.has(words[at] ?? '') || (words[at] ?? '').endsWith('ly'))) at += 1;
  const match = lexicon.participles.match(words, at);
  return match && { entry: match.value, at, next: at + match.length };
}

/** Which verbs that are nouns as they are count: those that matter, those that destroy, none. */
type Zero = 'all' | 'destructive' | 'none';

/** The verb that a noun stands for: `deletion`, and by `zero` also `refund`. */
function verbOfNoun(words: readonly string[], at: number, zero: Zero, lexicon: Lexicon): VerbEntry | undefined {
  const word = words[at] ?? '';
  const nominal = lexicon.nominals.get(word);
  if (nominal || zero === 'none') return nominal;
  const entry = lexicon.verbs.get(word);
  return entry?.alsoNoun && (zero === 'all' ? isConsequential(entry) : entry.effect === 'destructive')
    ? entry
    : undefined;
}

/** The noun of an action that heads the phrase from `from` on, and where its object stands. */
export function nominalFrom(words: readonly string[], from: number, zero: Zero, lexicon: Lexicon) {
  for (let at = from; at < Math.min(words.length, from + MAX_NOMINAL); at += 1) {
    const word = words[at] ?? '';
    if (isBoundary(word) || word === 'to' || PREPOSITIONS.has(word) || FINITE.has(word) || PRONOUNS.has(word))
      return undefined;
    const entry = verbOfNoun(words, at, zero, lexicon);
    const following = words[at + 1];
    if (!entry || !(endsPhrase(following) || FINITE.has(following ?? '') || NEEDED.has(following ?? ''))) continue;
    // `I want a refund`: the noun itself, when it is all that is named.
    const alone = words.slice(from, at).every((one) => lexicon.fillers.has(one)) && lexicon.domainOfNoun.has(word);
    const subject: [number, number] | undefined =
      following === 'of' || following === 'for' ? undefined : [from, alone ? at + 1 : at];
    return { entry, at, next: at + 1, subject };
  }
  return undefined;
}
