// The words of a whole text, for phrase lookups.

/** The words of a text in its order, and the runs of them that no line break or end of a sentence divides. */
export interface SpokenWords {
  readonly words: readonly string[];
  /** Each run ends before the word with this index. */
  readonly ends: readonly number[];
  /** No character is beyond ASCII. */
  readonly ascii: boolean;
  /** It may have an e-mail address or a URL. */
  readonly addressed: boolean;
}

// A word is letters, digits, inner apostrophes and hyphens. The shorter pattern says the same of ASCII, in half the time.
const PARTS = /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*|[\n.!?:;]/gu;
const ASCII_PARTS = /[a-z0-9]+(?:['-][a-z0-9]+)*|[\n.!?:;]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const BEYOND_ASCII = /[^\u0000-\u007f]/;
const DIVIDES = '\n.!?:;';

/** The words of a text in lower case. */
export function spokenWords(lower: string): SpokenWords {
  const words: string[] = [];
  const ends: number[] = [];
  const ascii = !BEYOND_ASCII.test(lower);
  for (const part of lower.match(ascii ? ASCII_PARTS : PARTS) ?? []) {
    if (!DIVIDES.includes(part)) words.push(part);
    else if (words.length > (ends.at(-1) ?? 0)) ends.push(words.length);
  }
  if (words.length > (ends.at(-1) ?? 0)) ends.push(words.length);
  return { words, ends, ascii, addressed: lower.includes('@') || lower.includes('://') };
}

/** The words of a text in its own case: lines that were only broken to be short go on. */
export function spokenText(text: string): SpokenWords {
  return spokenWords((text.includes('\n') ? text.replace(/([a-z,])\r?\n(?=[a-z])/g, '$1 ') : text).toLowerCase());
}
