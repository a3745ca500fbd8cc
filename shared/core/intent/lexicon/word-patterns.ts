// Finds patterns of word kinds in a text: kinds in order, with a bounded number of other words between two of them.
import { allMeet, type KindBits, kindsOfAll, meet, NO_KINDS } from './kind-bits.ts';
import type { PhraseTable } from './phrase-table.ts';
import type { WordInfo } from './word-table.ts';

/** What a phrasing says in other words: that something is destroyed, paid or given away, or that nothing is done. */
export const SAYINGS = ['destruction', 'payment', 'disclosure'] as const;
export type Saying = (typeof SAYINGS)[number];

export interface WordPattern {
  readonly name: string;
  readonly says: Saying;
  readonly slots: readonly KindBits[];
  /** The largest number of other words between two slots. */
  readonly gap: number;
  /** Kinds of which no word may stand within two words of the match, or in it. */
  readonly unless: KindBits;
  /** The slots may be in different sentences. */
  readonly across: boolean;
}

export interface WordPatterns {
  readonly kinds: PhraseTable<KindBits>;
  readonly patterns: readonly WordPattern[];
  /** Kinds with which a sentence opens that only asks, unless it has one of the kinds `pleads`. */
  readonly asks: KindBits;
  readonly pleads: KindBits;
  /** Kinds with which a question about the past opens. */
  readonly recounts: KindBits;
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
  readonly kinds: KindBits;
}

/** The words of a sentence that have a kind; the longest phrase at each place. */
function placedIn(
  words: readonly string[],
  from: number,
  to: number,
  kinds: PhraseTable<KindBits>,
  infos: readonly WordInfo[] | undefined,
): Placed[] {
  const found: Placed[] = [];
  for (let at = from; at < to; at += 1) {
    if (infos?.[at]?.opensPhrasing === false) continue;
    const match = kinds.match(words, at);
    if (match !== undefined && at + match.length <= to) found.push({ at, end: at + match.length, kinds: match.value });
  }
  return found;
}

/** The first match of a pattern: for each slot, the latest start of a match up to it is kept. */
function firstMatch(pattern: WordPattern, placed: readonly Placed[]): PatternMatch | undefined {
  const { slots, gap, unless } = pattern;
  const starts: number[] = slots.map(() => -1);
  const ends: number[] = slots.map(() => -1);
  for (const [index, word] of placed.entries()) {
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      if (!meet(slots[slot] ?? NO_KINDS, word.kinds)) continue;
      const start = slot === 0 ? word.at : (starts[slot - 1] ?? -1);
      const before = slot === 0 ? word.at : (ends[slot - 1] ?? -1);
      if (start < 0 || word.at < before || word.at - before > gap) continue;
      if (slot < slots.length - 1) {
        starts[slot] = start;
        ends[slot] = word.end;
        continue;
      }
      if (!isSpoilt(placed, index, start, unless)) return { pattern, from: start, to: word.end - 1 };
    }
  }
  return undefined;
}

/** Whether one of these kinds is within two words of a match that starts at the word `start` and ends with the entry `last`. */
function isSpoilt(placed: readonly Placed[], last: number, start: number, unless: KindBits): boolean {
  if (unless === NO_KINDS) return false;
  const end = placed[last]?.end ?? 0;
  const isOne = (at: number): boolean => meet(placed[at]?.kinds ?? NO_KINDS, unless);
  for (let at = last; at >= 0 && (placed[at]?.end ?? 0) > start - 2; at -= 1) if (isOne(at)) return true;
  for (let at = last + 1; at < placed.length && (placed[at]?.at ?? 0) < end + 2; at += 1) if (isOne(at)) return true;
  return false;
}

/** Whether a sentence is a question for information. */
const onlyAsks = (placed: readonly Placed[], from: number, { asks, pleads, recounts }: WordPatterns): boolean =>
  placed[0]?.at === from &&
  (meet(placed[0].kinds, recounts) ||
    (meet(placed[0].kinds, asks) && !placed.some((word) => meet(word.kinds, pleads))));

/** All patterns that occur, each at its first place; `ends` are the ends of the sentences, `infos` what is known about the words. */
export function matchesIn(
  words: readonly string[],
  ends: readonly number[],
  phrasings: WordPatterns,
  infos?: readonly WordInfo[],
): PatternMatch[] {
  const { kinds, patterns } = phrasings;
  const found: PatternMatch[] = [];
  const all: Placed[] = [];
  const match = (placed: readonly Placed[], across: boolean) => {
    const present = kindsOfAll(placed);
    for (const pattern of patterns) {
      if (pattern.across !== across || !allMeet(pattern.slots, present)) continue;
      const first = firstMatch(pattern, placed);
      if (first !== undefined) found.push(first);
    }
  };
  let from = 0;
  for (const end of ends.at(-1) === words.length ? ends : [...ends, words.length]) {
    const placed = placedIn(words, from, end, kinds, infos);
    if (placed.length > 0 && !onlyAsks(placed, from, phrasings)) {
      match(placed, false);
      all.push(...placed);
    }
    from = end;
  }
  if (all.length > 0) match(all, true);
  return found;
}
