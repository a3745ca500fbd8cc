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

// A word is letters, digits, inner apostrophes and hyphens.
const PARTS = /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*|[\n.!?:;]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const BEYOND_ASCII = /[^\u0000-\u007f]/;
const DIVIDES = '\n.!?:;';

/** What the characters of ASCII are to words, by their codes: part of one, what joins two parts, what divides runs. */
const PART = 1;
const JOINS = 2;
const DIVIDER = 3;
const KINDS = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789') KINDS[char.charCodeAt(0)] = PART;
for (const char of "'-") KINDS[char.charCodeAt(0)] = JOINS;
for (const char of DIVIDES) KINDS[char.charCodeAt(0)] = DIVIDER;

/** The parts of a text of ASCII alone: the same as by the pattern, in far less time. */
function eachAsciiPart(lower: string, word: (part: string) => void, divider: () => void): void {
  for (let at = 0; at < lower.length; ) {
    const kind = KINDS[lower.charCodeAt(at)];
    let end = at + 1;
    if (kind === DIVIDER) divider();
    else if (kind === PART) {
      for (; end < lower.length; end += 1) {
        const next = KINDS[lower.charCodeAt(end)];
        if (next !== PART && !(next === JOINS && KINDS[lower.charCodeAt(end + 1)] === PART)) break;
      }
      word(lower.slice(at, end));
    }
    at = end;
  }
}

/** The words of a text in lower case. */
export function spokenWords(lower: string): SpokenWords {
  const words: string[] = [];
  const ends: number[] = [];
  const ascii = !BEYOND_ASCII.test(lower);
  const add = (word: string) => {
    words.push(word);
  };
  const divide = () => {
    if (words.length > (ends.at(-1) ?? 0)) ends.push(words.length);
  };
  if (ascii) eachAsciiPart(lower, add, divide);
  else
    for (const part of lower.match(PARTS) ?? []) {
      if (part.length > 1 || !DIVIDES.includes(part)) add(part);
      else divide();
    }
  divide();
  return { words, ends, ascii, addressed: lower.includes('@') || lower.includes('://') };
}

/** The words of a text in its own case: lines that were only broken to be short go on. */
export function spokenText(text: string): SpokenWords {
  return spokenWords((text.includes('\n') ? text.replace(/([a-z,])\r?\n(?=[a-z])/g, '$1 ') : text).toLowerCase());
}
