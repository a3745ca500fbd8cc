// Decides whether a word that may be a verb is one in its position, and which verb it forms with its particle.
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon, VerbEntry, VerbReading } from '../lexicon/types.ts';
import type { PhraseMatch } from '../lexicon/phrase-table.ts';
import { beginsWith, isConsequential } from './request.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { is, isAny, K, type TaggedWords, tokenIs } from '../lexicon/word-kinds.ts';

/** A position in a sentence where a request may begin. */
export interface Slot {
  readonly strong: boolean;
  readonly first: boolean;
  /** It follows `and` or another conjunction. */
  readonly joined?: boolean;
  /** It follows a request for permission. */
  readonly asked?: boolean;
}

/** State of the scan of a sentence. */
export interface Seen {
  /** A third-person verb, as in tool descriptions; a gerund. */
  third: boolean;
  gerund: boolean;
  /** After `including`, and in parentheses: names of things rather than further requests. */
  listing: boolean;
  inside: boolean;
  negated: boolean;
}

interface VerbMatch {
  readonly entry: VerbEntry;
  readonly form: 'base' | 'third' | 'gerund';
  readonly length: number;
  readonly certainty: number;
}

/** The verb at `words[at]`, which must be a slot, or undefined. */
export function verbAt(
  sentence: Sentence,
  words: TaggedWords,
  at: number,
  slot: Slot,
  seen: Seen,
  lexicon: Lexicon,
): VerbMatch | undefined {
  const match = lexicon.verbForms.match(words, at) ?? splitVerb(words, at, slot, lexicon);
  if (!match || isCompound(words, at, match.length, lexicon)) return undefined;
  const { form } = match.value;
  // `Post cancellation, tell me ...`: `post` means "after".
  if (words[at] === 'post' && slot.first && words[at + 2] === ',') return undefined;
  // `Request: rename it` is a heading.
  if (match.value.entry.alsoNoun && slot.first && words[at + match.length] === ':' && at === 0) return undefined;
  // `my new card, expiring in May`
  if (form === 'gerund' && words[at - 1] === ',' && is(words, at + match.length, K.preposition)) return undefined;
  const { verb } = match.value.entry;
  const phrasal = match.length === 1 && !verb.includes(' ') ? phrasalOf(words, at, verb, lexicon) : undefined;
  const entry = phrasal ?? match.value.entry;
  const next = sentence[at + match.length];
  if (next?.kind === 'word' && tokenIs(next, K.finite) && !entry.weak) return undefined;
  // `Issue 17 can be closed`: a noun with its number.
  if (entry.alsoNoun && next !== undefined && next.kind !== 'word' && is(words, at + match.length + 1, K.finite))
    return undefined;
  if (entry.alsoNoun && form === 'base' && slot.first && opensSubject(sentence, words, at + match.length))
    return undefined;
  const certainty = certaintyOf({ entry, form, length: match.length }, next, words[at - 1], slot, seen, lexicon);
  return certainty > 0 ? { entry, form, length: match.length, certainty } : undefined;
}

/** The largest number of words of a subject. */
const MAX_SUBJECT = 6;

/** Whether a word that may be a noun begins the subject of a following verb: `Finance analyst Mia Berg needs a laptop`. */
function opensSubject(sentence: Sentence, words: TaggedWords, from: number): boolean {
  if (sentence[from]?.kind !== 'word' || isAny(words, from, K.after_verb, K.preposition)) return false;
  for (let at = from + 1; at < from + MAX_SUBJECT; at += 1) {
    if (is(words, at, K.subject_verb)) return true;
    if (sentence[at]?.kind !== 'word' || isAny(words, at, K.preposition, K.conjunction, K.subject_end)) return false;
  }
  return false;
}

/** Whether the verb is part of a compound noun: `kill switch`. */
function isCompound(words: TaggedWords, at: number, length: number, lexicon: Lexicon): boolean {
  const compound = lexicon.compounds.match(words, at);
  const previous = at > 0 ? lexicon.compounds.match(words, at - 1) : undefined;
  return (compound !== undefined && compound.length > length) || (previous !== undefined && previous.length > 1);
}

const CAPITAL = /^\p{Lu}/u;

/** A word that may also be a noun counts as a verb between clauses only with further evidence. */
function followedLikeVerb(next: Token | undefined): boolean {
  if (!next) return false;
  if (next.kind !== 'word') return next.kind !== 'punct' || /^["'`(*]/.test(next.text);
  return tokenIs(next, K.after_verb) || CAPITAL.test(next.text);
}

/** The certainty that a verb form in a slot is a request; 0 when it is none. */
function certaintyOf(
  { entry, form, length }: Omit<VerbMatch, 'certainty'>,
  next: Token | undefined,
  previous: string | undefined,
  slot: Slot,
  seen: Seen,
  lexicon: Lexicon,
): number {
  const opening = slot.first && slot.strong;
  const likeVerb = followedLikeVerb(next);
  if ((seen.listing || seen.inside) && !likeVerb && (entry.alsoNoun || form === 'third')) return 0;
  if (seen.inside && !likeVerb && !slot.first && !isConsequential(entry)) return 0;
  const further = slot.joined === true && isConsequential(entry) && likeVerb ? 0.5 : 0;
  if (form === 'gerund') {
    return seen.negated || previous === 'for' || previous === 'by' || slot.strong || seen.gerund ? 0.75 : further;
  }
  if (form === 'third') {
    if (!(opening || seen.third)) return further;
    if (entry.alsoNoun && tokenIs(next, K.comparison)) return 0;
    if (entry.alsoNoun && !opening && (next === undefined || next.kind === 'punct') && entry.effect !== 'destructive')
      return 0;
    if (entry.alsoNoun && next?.kind === 'word' && tokenIs(next, K.preposition) && next.lower !== 'for')
      return opening ? 0.5 : 0;
    return entry.alsoNoun ? 0.85 : 0.95;
  }
  if (seen.third && entry.alsoNoun) return furtherVerb(entry, next, lexicon) ? 0.5 : 0;
  if (!entry.alsoNoun || length > 1) return slot.strong ? 1 : 0.85;
  if (next?.kind === 'word' && (next.lower === 'of' || next.lower === 'and' || next.lower === 'or') && !opening)
    return 0;
  if (slot.strong) return likeVerb ? 0.95 : next?.lower === 'of' ? (entry.effect === 'read' ? 0.8 : 0.35) : 0.85;
  if (likeVerb) return 0.75;
  return !slot.first && furtherVerb(entry, next, lexicon) ? 0.5 : 0;
}

const PUNCTUATION = /^[^\p{L}\p{N}\u0000]/u;
/** Fast path: the first letter excludes most words. */
function isPunctuation(word: string): boolean {
  const code = word.charCodeAt(0);
  return !(code >= 0x61 && code <= 0x7a) && PUNCTUATION.test(word);
}
/** The largest distance between a verb and its particle. */
const MAX_APART = 7;

/** A word that is a verb only with its particle: `back the database up`. */
function splitVerb(words: TaggedWords, at: number, slot: Slot, lexicon: Lexicon): PhraseMatch<VerbReading> | undefined {
  const next = words[at + 1] ?? '';
  // `cross laundry off my list`: at the start of a text, any noun may follow.
  const mayBe =
    is(words, at + 1, K.after_verb) ||
    (slot.first && /^[a-z]/.test(next) && !is(words, at + 1, K.preposition) && !is(words, at + 1, K.finite));
  if (!slot.strong || !mayBe) return undefined;
  const entry = phrasalOf(words, at, words[at] ?? '', lexicon);
  return entry && { value: { entry, form: 'base' }, length: 1 };
}

/** The phrasal verb formed by a particle after the object: `shut the server down`, `turn it off`. */
function phrasalOf(words: TaggedWords, at: number, verb: string, lexicon: Lexicon): VerbEntry | undefined {
  for (let next = at + 2; next <= at + MAX_APART && next < words.length; next += 1) {
    const word = words[next] ?? '';
    if (is(words, next, K.conjunction) || isPunctuation(word)) break;
    const phrasal = is(words, next, K.verb_particle) ? lexicon.verbs.get(`${verb} ${word}`) : undefined;
    if (!phrasal) continue;
    const following = words[next + 1];
    // `bring the server back up`
    if (word === 'back' && is(words, next + 1, K.verb_particle)) return phrasal;
    const ends = following === undefined || beginsWith(following, '.,;:!?)') || is(words, next + 1, K.conjunction);
    // `in` and `on` are prepositions unless the clause ends with them.
    if (
      ends ||
      (word.length > 2 && (is(words, next + 1, K.preposition) || following === 'to')) ||
      (word.length === 2 && is(words, next + 1, K.after_particle)) ||
      (word === 'off' && is(words, next + 1, K.after_verb)) ||
      is(words, next + 1, K.after_split_verb)
    )
      return phrasal;
  }
  return undefined;
}

/**
 * Whether a word that may be a noun counts as a further verb because overlooking one would be serious: `and grant access`, `and pay bob`,
 * but not `and comment data`. A destructive verb needs no object.
 */
function furtherVerb(entry: VerbEntry, next: Token | undefined, lexicon: Lexicon): boolean {
  if (!isConsequential(entry) || lexicon.wordKinds.has(entry.verb, K.adjective_verb)) return false;
  if (next === undefined || next.kind === 'punct') return entry.effect === 'destructive';
  if (lexicon.genericNouns.has(singular(next.lower, lexicon.plurals))) return false;
  return next.lower !== 'as' && !tokenIs(next, K.preposition) && !tokenIs(next, K.conjunction);
}
