// Finds the word that a misspelt one is meant to be: one letter more, less or other, or two neighbours in the wrong order.

import { hashedWith, OFFSET_BASIS } from '../text/fnv.ts';

/** FNV-1a of a word without the letter at `left`; of the whole word when that is -1. */
function hashWithout(word: string, left: number): number {
  let hash = OFFSET_BASIS;
  for (let at = 0; at < word.length; at += 1) if (at !== left) hash = hashedWith(hash, word.charCodeAt(at));
  return hash >>> 0;
}

/** Factor of a hash of 32 bits beside the index of a word in one integer of 53 bits. */
const INDICES = 2 ** 21;

/**
 * Finds words that may be one edit or transposition apart: such words have something in common when the whole words and all their forms with
 * one letter left out are compared. The hashes of these forms are kept as sorted numbers, because a map of strings takes ten times the memory.
 */
export class EditIndex {
  readonly #words: readonly string[];
  readonly #entries: Float64Array;

  constructor(words: Iterable<string>) {
    this.#words = [...words];
    this.#entries = new Float64Array(this.#words.reduce((sum, { length }) => sum + length + 1, 0));
    let next = 0;
    for (const [index, word] of this.#words.entries())
      for (let left = -1; left < word.length; left += 1) {
        this.#entries[next] = hashWithout(word, left) * INDICES + index;
        next += 1;
      }
    this.#entries.sort();
  }

  /** The first word that `accepts`; those of the whole word come first, then those of it without its first letter, and so on. */
  find(word: string, accepts: (other: string) => boolean): string | undefined {
    for (let left = -1; left < word.length; left += 1) {
      const from = hashWithout(word, left) * INDICES;
      for (let at = this.#firstFrom(from); (this.#entries[at] ?? Infinity) < from + INDICES; at += 1) {
        const other = this.#words[(this.#entries[at] ?? 0) - from];
        if (other !== undefined && accepts(other)) return other;
      }
    }
    return undefined;
  }

  #firstFrom(value: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether two words differ by one edit or transposition. */
export function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}

const MAX_LENGTH = 20;
/** An edit leaves at least one end of a word as it was, so most other words need not be shortened. */
const END = 3;

/** Words of texts whose meaning is remembered; the same words occur again and again. */
const MAX_REMEMBERED = 20_000;

export interface NearWords {
  /** The listed word that this one is meant to be, with the same first letter. Undefined for short words and for listed ones. */
  meantBy(word: string): string | undefined;
}

/**
 * The index is built when a text is first read, as that of spelling.ts.
 * @param minLength of listed words that may be misspelt: shorter ones are too often one letter away from another word
 * @param minWritten the length of the shortest misspelling
 */
export function nearWords(words: Iterable<string>, minLength: number, minWritten = minLength): NearWords {
  const listed = new Set(words);
  const build = () => {
    const long = [...listed].filter((word) => word.length >= minLength && !word.includes(' '));
    const ends = new Set(long.flatMap((word) => [`${word.slice(0, END)}-`, `-${word.slice(-END)}`]));
    return { ends, near: new EditIndex(long) };
  };
  let built: ReturnType<typeof build> | undefined;
  const search = (word: string): string | undefined => {
    const { ends, near } = (built ??= build());
    if (!ends.has(`${word.slice(0, END)}-`) && !ends.has(`-${word.slice(-END)}`)) return undefined;
    if (listed.has(word)) return undefined;
    return near.find(word, (form) => form.startsWith(word.charAt(0)) && isOneEdit(form, word));
  };
  const remembered = new Map<string, string>();
  return {
    meantBy(word) {
      if (word.length < minWritten || word.length > MAX_LENGTH) return undefined;
      let meant = remembered.get(word);
      if (meant === undefined) {
        meant = search(word) ?? '';
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(word, meant);
      }
      return meant === '' ? undefined : meant;
    },
  };
}
