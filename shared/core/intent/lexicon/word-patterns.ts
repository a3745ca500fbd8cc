// Finds patterns of word kinds in a text: kinds in order, with a bounded number of other words between two of them.
import type { PhraseTable } from './phrase-table.ts';

/** What a phrasing says in other words: that something is destroyed, paid or given away, or that nothing is done. */
export const SAYINGS = ['destruction', 'payment', 'disclosure'] as const;
export type Saying = (typeof SAYINGS)[number];

/** A kind is a bit. */
export type KindBits = number;
export const MAX_KINDS = 31;

export interface WordPattern {
  readonly name: string;
  readonly says: Saying;
  readonly slots: readonly KindBits[];
  /** The largest number of other words between two slots. */
  readonly gap: number;
  /** Kinds of which no word may stand within two words of the match, or in it. */
  readonly unless: KindBits;
}

export interface WordPatterns {
  readonly kinds: PhraseTable<KindBits>;
  readonly patterns: readonly WordPattern[];
}

/** A pattern with the indices of its first and last word. */
export interface PatternMatch {
  readonly pattern: WordPattern;
  readonly from: number;
  readonly to: number;
}

interface Placed {
  readonly at: number;
  readonly end: number;
  readonly bits: KindBits;
}

/** The words of a sentence that have a kind; the longest phrase at each place. */
function placedIn(words: readonly string[], from: number, to: number, kinds: PhraseTable<KindBits>): Placed[] {
  const found: Placed[] = [];
  for (let at = from; at < to; at += 1) {
    const match = kinds.match(words, at);
    if (match !== undefined && at + match.length <= to) found.push({ at, end: at + match.length, bits: match.value });
  }
  return found;
}

/** The first match of a pattern: for each slot, the latest start of a match up to it is kept. */
function firstMatch(pattern: WordPattern, placed: readonly Placed[]): PatternMatch | undefined {
  const { slots, gap, unless } = pattern;
  const starts: number[] = slots.map(() => -1);
  const ends: number[] = slots.map(() => -1);
  for (const word of placed) {
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      if (((slots[slot] ?? 0) & word.bits) === 0) continue;
      const start = slot === 0 ? word.at : (starts[slot - 1] ?? -1);
      const before = slot === 0 ? word.at : (ends[slot - 1] ?? -1);
      if (start < 0 || word.at < before || word.at - before > gap) continue;
      if (slot < slots.length - 1) {
        starts[slot] = start;
        ends[slot] = word.end;
        continue;
      }
      const isSpoilt = placed.some(
        (other) => (other.bits & unless) !== 0 && other.end > start - 2 && other.at < word.end + 2,
      );
      if (!isSpoilt) return { pattern, from: start, to: word.end - 1 };
    }
  }
  return undefined;
}

/** All patterns that occur, each at its first place; `ends` are the ends of the sentences. */
export function matchesIn(
  words: readonly string[],
  ends: readonly number[],
  { kinds, patterns }: WordPatterns,
): PatternMatch[] {
  const found: PatternMatch[] = [];
  let from = 0;
  for (const end of ends.at(-1) === words.length ? ends : [...ends, words.length]) {
    const placed = placedIn(words, from, end, kinds);
    from = end;
    if (placed.length === 0) continue;
    let bits = 0;
    for (const word of placed) bits |= word.bits;
    for (const pattern of patterns) {
      if (pattern.slots.some((slot) => (slot & bits) === 0)) continue;
      const match = firstMatch(pattern, placed);
      if (match !== undefined) found.push(match);
    }
  }
  return found;
}
