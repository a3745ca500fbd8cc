// Finds patterns of kinds of words in a text: the slots of a pattern, each of some kinds, close together in one sentence. Phrasings and
// frames are such patterns.
import { type KindSet, meet, setOf } from './word-kinds.ts';
import type { Report } from './tables.ts';

export interface Pattern {
  readonly slots: readonly KindSet[];
  /** All kinds of its slots. */
  readonly any: KindSet;
  /** The slots follow each other in this order. */
  readonly ordered: boolean;
  /** The largest number of other words between two slots in order. */
  readonly gap: number;
  /** The largest distance of its last word from its first one. */
  readonly within: number;
  /** Kinds of which no word may stand within two words of the match, or in it. */
  readonly unless: KindSet | undefined;
}

/** A word that has some kind, or a phrase, with the places of its first word and of the word after it. */
export interface Placed {
  readonly at: number;
  readonly end: number;
  readonly kinds: KindSet;
}

/** A pattern with the places of its first and last word. */
export interface PatternMatch<One extends Pattern> {
  readonly pattern: One;
  readonly from: number;
  readonly to: number;
}

/** Names of kinds as a set; those that are not listed are reported. */
export function setReader(names: readonly string[], unlisted: string, report: Report) {
  const numbers = new Map(names.map((name, at) => [name, at]));
  return (list: readonly string[], pointer: string): KindSet => {
    const found = list.map((name) => numbers.get(name));
    for (const [index, kind] of found.entries())
      if (kind === undefined) report(`${pointer}/${index}`, `"${list[index]}" is not a kind of ${unlisted}`);
    return setOf(
      found.filter((kind) => kind !== undefined),
      names.length,
    );
  };
}

export const unionOf = (sets: readonly KindSet[]): KindSet =>
  (sets[0] ?? setOf([], 0)).map((bits, at) => sets.reduce((all, set) => all | (set[at] ?? 0), bits));

/** Whether one of these kinds is within two words of a match that starts at the word `start` and ends with the entry `last`. */
function isSpoilt(placed: readonly Placed[], last: number, start: number, unless: KindSet): boolean {
  const end = placed[last]?.end ?? 0;
  for (let at = last; at >= 0; at -= 1) {
    const word = placed[at];
    if (word === undefined || word.end <= start - 2) break;
    if (meet(word.kinds, unless)) return true;
  }
  for (let at = last + 1; at < placed.length; at += 1) {
    const word = placed[at];
    if (word === undefined || word.at >= end + 2) break;
    if (meet(word.kinds, unless)) return true;
  }
  return false;
}

/** The first match of a pattern, in one pass: for each slot, where it was last filled, and where the slots up to it begin. */
function firstMatch<One extends Pattern>(pattern: One, placed: readonly Placed[]): PatternMatch<One> | undefined {
  const { slots, any, ordered, gap, within, unless } = pattern;
  const starts: number[] = slots.map(() => -1);
  const ends: number[] = slots.map(() => -1);
  for (let index = 0; index < placed.length; index += 1) {
    const word = placed[index];
    if (word === undefined || !meet(word.kinds, any)) continue;
    let isFilled = false;
    // Starts with the last slot, so that one word does not fill two slots in a row.
    for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
      const sought = slots[slot];
      if (sought === undefined || !meet(word.kinds, sought)) continue;
      const isFirst = slot === 0 || !ordered;
      const start = isFirst ? word.at : (starts[slot - 1] ?? -1);
      const before = isFirst ? word.at : (ends[slot - 1] ?? -1);
      if (start < 0 || word.at < before || word.at - before > gap) continue;
      starts[slot] = start;
      ends[slot] = word.end;
      isFilled ||= !ordered || slot === slots.length - 1;
    }
    const from = ordered ? (starts.at(-1) ?? -1) : Math.min(...starts);
    if (!isFilled || from < 0 || word.at - from > within) continue;
    if (unless === undefined || !isSpoilt(placed, index, from, unless)) return { pattern, from, to: word.end - 1 };
  }
  return undefined;
}

/** Each of the patterns that occurs among the words, at its first place. */
export function matchesAmong<One extends Pattern>(
  patterns: readonly One[],
  placed: readonly Placed[],
): PatternMatch<One>[] {
  const found: PatternMatch<One>[] = [];
  if (placed.length === 0) return found;
  const present = unionOf(placed.map(({ kinds }) => kinds));
  const isPresent = (slot: KindSet) => meet(slot, present);
  for (const pattern of patterns) {
    const { slots, ordered } = pattern;
    // In order, no word fills two slots.
    if ((ordered && placed.length < slots.length) || !slots.every(isPresent)) continue;
    const match = firstMatch(pattern, placed);
    if (match !== undefined) found.push(match);
  }
  return found;
}
