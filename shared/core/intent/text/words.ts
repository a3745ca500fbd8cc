// The words of a whole text, for phrase look-ups.
import type { WordInfo, WordTable } from '../lexicon/word-table.ts';

/** The words of a text in order, and the runs of them without a line break or sentence end. */
export interface SpokenWords {
  readonly words: readonly string[];
  /** Each run ends before the word with this index. */
  readonly ends: readonly number[];
  readonly ascii: boolean;
  /** The text may contain an e-mail address or a URL. */
  readonly addressed: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const BEYOND_ASCII = /[^\u0000-\u007f]/;
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

/** Classes of characters by UTF-16 code unit: part of a word, joint between two parts, divider of runs, none of them. */
const PART = 1;
const JOINS = 2;
const DIVIDER = 3;
const OTHER = 4;
/** 0: not known yet. */
const CLASSES = new Uint8Array(0x10000);
CLASSES.fill(OTHER, 0, 0x80);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789') CLASSES[char.charCodeAt(0)] = PART;
for (const char of "'-") CLASSES[char.charCodeAt(0)] = JOINS;
for (const char of '\n.!?:;') CLASSES[char.charCodeAt(0)] = DIVIDER;

/** The class of the character that begins at `at`. */
function classAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  const known = CLASSES[code];
  if (known !== 0) return known;
  const point = text.codePointAt(at) ?? code;
  const found = LETTER_OR_NUMBER.test(String.fromCodePoint(point)) ? PART : OTHER;
  // The first half of a surrogate pair begins many characters.
  if (point < 0x10000) CLASSES[code] = found;
  return found;
}

/** The offset after the character at `at`. */
const after = (text: string, at: number): number => at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** The words of a text in lower case: letters and digits, with apostrophes and hyphens between them. A line that was only wrapped continues. */
export function wordsOfText(text: string): SpokenWords {
  const lower = (text.includes('\n') ? text.replace(/([a-z,])\r?\n(?=[a-z])/g, '$1 ') : text).toLowerCase();
  const words: string[] = [];
  const ends: number[] = [];
  const divide = () => {
    if (words.length > (ends.at(-1) ?? 0)) ends.push(words.length);
  };
  for (let at = 0; at < lower.length; ) {
    const kind = classAt(lower, at);
    let end = after(lower, at);
    if (kind === DIVIDER) divide();
    else if (kind === PART) {
      while (end < lower.length) {
        const next = classAt(lower, end);
        if (next !== PART && !(next === JOINS && classAt(lower, end + 1) === PART)) break;
        end = after(lower, end);
      }
      words.push(lower.slice(at, end));
    }
    at = end;
  }
  divide();
  return {
    words,
    ends,
    ascii: !BEYOND_ASCII.test(lower),
    addressed: lower.includes('@') || lower.includes('://'),
  };
}

/** A copy of a part of a text, to be remembered after the text is gone: the part itself would keep all of the text in memory. */
export const ownCopy = (part: string): string => ` ${part}`.slice(1);

/** The words of a text, with what is known about each. */
export interface KnownWords extends SpokenWords {
  readonly infos: readonly WordInfo[];
}

/** The same with what is known about each. */
export function spokenText(text: string, table: WordTable): KnownWords {
  const { words, ends, ascii, addressed } = wordsOfText(text);
  const infos = words.map((word) => table.of(word));
  // Member by member: V8 gives each spread object with further members a layout of its own, and what reads it is slow.
  return { words: infos.map(({ word }) => word), ends, ascii, addressed, infos };
}
