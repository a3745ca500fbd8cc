// The words of a whole text, for phrase look-ups.

/** The words of a text in order, and the runs of them without a line break or sentence end. */
export interface SpokenWords {
  readonly words: readonly string[];
  /** Each run ends before the word with this index. */
  readonly ends: readonly number[];
  /** All characters are ASCII. */
  readonly ascii: boolean;
  /** The text may contain an e-mail address or a URL. */
  readonly addressed: boolean;
}

// A word consists of letters, digits, inner apostrophes and hyphens.
const PARTS = /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*|[\n.!?:;]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const BEYOND_ASCII = /[^\u0000-\u007f]/;
const DIVIDES = '\n.!?:;';

/** Classes of ASCII characters by code: part of a word, joint between two parts, divider of runs. */
const PART = 1;
const JOINS = 2;
const DIVIDER = 3;
const KINDS = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789') KINDS[char.charCodeAt(0)] = PART;
for (const char of "'-") KINDS[char.charCodeAt(0)] = JOINS;
for (const char of DIVIDES) KINDS[char.charCodeAt(0)] = DIVIDER;

/** Fast path for ASCII texts, equivalent to the pattern. */
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

/** The words of a text in its own case; a line that was only wrapped continues. */
export function spokenText(text: string): SpokenWords {
  return spokenWords((text.includes('\n') ? text.replace(/([a-z,])\r?\n(?=[a-z])/g, '$1 ') : text).toLowerCase());
}
