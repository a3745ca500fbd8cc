// The features of a text by which learned weights estimate its harm, as numbers: words, parts of words, pairs of words and marks that have at
// most two between them, three in a row; and the same of the words alone, without the marks between them.
import { isSpace } from '../text/tokens.ts';
import { hashed, hashedWith, PRIME } from '../text/fnv.ts';

/** The number of a feature is a hash of its name, of so many bits: 20 times as many numbers as features with a weight, so that few other words meet one. */
const BITS = 22;
export const BUCKETS = 2 ** BITS;

/** Parts of a word have so many characters, in scripts without spaces between words fewer. */
const PARTS = { from: 4, to: 5 } as const;
const DENSE_PARTS = { from: 1, to: 3 } as const;
const DENSE = /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u;
/** A longer word is cut: it is no word of a language. */
const MAX_WORD = 40;

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?|[^\s\p{L}\p{M}\p{N}]/gu;
const DIGITS = /\p{N}+/gu;
const ZERO = /^0+$/;
const OTHER_MARK = /^[^\p{L}\p{M}\p{N}]/u;

/** Other odd factors, so that the same words have another number with one or two between them, three in a row, or as words alone. */
const FAR_PRIME = 0x27d4eb2f;
const FARTHER_PRIME = 0x165667b1;
const THIRD_PRIME = 0x1b873593;
const WORDS_PRIME = 0x51ed270b;
const FAR_WORDS_PRIME = 0x68e31da5;
const THIRD_WORDS_PRIME = 0x7f4a7c15;

/** What stands before the name of a word, and of a part of one. */
const WORD = hashed('w ');
const PART = hashed('c ');

/** The upper bits of a hash, after they were mixed with the lower ones, by shifts and products as in MurmurHash3's finalizer. */
function numberOf(hash: number): number {
  let mixed = hash ^ (hash >>> 15);
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  mixed ^= mixed >>> 12;
  mixed = Math.imul(mixed, 0x297a2d39);
  mixed ^= mixed >>> 15;
  return mixed >>> (32 - BITS);
}

/** A word or a mark of a text. */
export interface HarmToken {
  /** Offset in the text. */
  readonly at: number;
  /** In lower case; each number in it is `9`, because numbers say nothing about harm, but for zero, which may leave nothing. */
  readonly word: string;
}

/** Letters and digits of ASCII, by code. */
const LETTER = 1;
const DIGIT = 2;
const OF_WORD = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') OF_WORD[char.charCodeAt(0)] = LETTER;
for (const char of '0123456789') OF_WORD[char.charCodeAt(0)] = DIGIT;
const APOSTROPHE = 0x27;

/** The end of the word or mark of ASCII at an offset, for which the pattern is not needed; 0 where other characters may belong to it. */
function endInAscii(text: string, at: number): number {
  let end = at + 1;
  if ((OF_WORD[text.charCodeAt(at)] ?? 0) === 0) return end;
  while ((OF_WORD[text.charCodeAt(end)] ?? 0) > 0) end += 1;
  if (text.charCodeAt(end) === APOSTROPHE) {
    let joined = end + 1;
    while (OF_WORD[text.charCodeAt(joined)] === LETTER) joined += 1;
    if (text.charCodeAt(joined) > 0x7f) return 0;
    return joined === end + 1 ? end : joined;
  }
  return text.charCodeAt(end) > 0x7f ? 0 : end;
}

/** What JSON-RPC puts before the call of a tool. It says nothing about the call, whose words count as in any other form. */
const ENVELOPE =
  /^\s{0,9}\{(?=[^{}]{0,99}"tools\/call")(?:\s{0,9}"(?:jsonrpc"\s{0,3}:\s{0,3}"2\.0|id"\s{0,3}:\s{0,3}\d{1,18}|method"\s{0,3}:\s{0,3}"tools\/call)"?\s{0,3},){1,3}\s{0,9}"params"\s{0,3}:\s{0,3}(?=\{)/;

/** Calls `take` for each word and mark of a text as it is written, in its order. Linear in its length. */
export function eachPiece(text: string, take: (piece: string, at: number) => void): void {
  for (let at = ENVELOPE.exec(text)?.[0].length ?? 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at += 1;
      continue;
    }
    let end = code > 0x7f ? 0 : endInAscii(text, at);
    if (end === 0) {
      TOKEN.lastIndex = at;
      const match = TOKEN.exec(text);
      if (match === null) return;
      at = match.index;
      end = at + match[0].length;
    }
    take(text.slice(at, end), at);
    at = end;
  }
}

/** A word or mark as its features are made. */
export const harmWordOf = (piece: string): string =>
  piece
    .toLowerCase()
    .slice(0, MAX_WORD)
    .replace(DIGITS, (digits) => (ZERO.test(digits) ? '0' : '9'));

/** Whether it is a mark, such as `=`. */
export const isMark = (word: string): boolean => OTHER_MARK.test(word);

/** The words and marks of a text, in its order. Linear in its length. */
export function harmTokensOf(text: string): HarmToken[] {
  const tokens: HarmToken[] = [];
  eachPiece(text, (piece, at) => tokens.push({ at, word: harmWordOf(piece) }));
  return tokens;
}

/** The state of a hash after a word, from which the numbers of its pairs follow. */
export const wordHash = (word: string): number => hashed(word, WORD);

/** What stands before the first word of a text, and after the last one. */
const EDGE = wordHash('^');

const pairNumber = (before: number, factor: number, after: number): number =>
  numberOf(Math.imul(before, factor) ^ after);

/**
 * Calls `take` with the numbers of the pairs and of the three words that end at word `at`; `at` = `hashes.length` is the end of the text,
 * and EDGE stands for words that are not there.
 */
export function eachPhraseAt(hashes: readonly number[], at: number, take: (number: number) => void): void {
  const here = hashes[at] ?? EDGE;
  const before = at > 0 ? (hashes[at - 1] ?? EDGE) : EDGE;
  take(pairNumber(before, PRIME, here));
  if (at === 0) return;
  const far = at > 1 ? (hashes[at - 2] ?? EDGE) : EDGE;
  take(pairNumber(far, FAR_PRIME, here));
  take(pairNumber(Math.imul(far, FAR_PRIME) ^ before, THIRD_PRIME, here));
  if (at > 1) take(pairNumber(at > 2 ? (hashes[at - 3] ?? EDGE) : EDGE, FARTHER_PRIME, here));
}

/** The same of the words of a text without its marks: `"retention": "0"` has the pair of `retention 0`. */
export function eachWordPhraseAt(hashes: readonly number[], at: number, take: (number: number) => void): void {
  const here = hashes[at] ?? EDGE;
  const before = at > 0 ? (hashes[at - 1] ?? EDGE) : EDGE;
  take(pairNumber(before, WORDS_PRIME, here));
  if (at < 2) return;
  const far = hashes[at - 2] ?? EDGE;
  take(pairNumber(far, FAR_WORDS_PRIME, here));
  take(pairNumber(Math.imul(far, FAR_PRIME) ^ before, THIRD_WORDS_PRIME, here));
}

/** The numbers of a word and of its parts, each once. */
export function wordNumbers(word: string): number[] {
  const isDense = DENSE.test(word);
  const { from, to } = isDense ? DENSE_PARTS : PARTS;
  const marked = isDense ? word : ` ${word} `;
  const numbers = [numberOf(wordHash(word))];
  for (let start = 0; start < marked.length; start += 1) {
    let hash = PART;
    for (let length = 1; length <= to && start + length <= marked.length; length += 1) {
      hash = hashedWith(hash, marked.charCodeAt(start + length - 1));
      const number = numberOf(hash);
      if (length >= from && !numbers.includes(number)) numbers.push(number);
    }
  }
  return numbers;
}

/** The set of words that training has met is a Bloom filter of so many bits: two in a hundred other words seem to be in it. */
const WORD_SET_NUMBERS = 17;
export const WORD_SET_BITS = 2 ** WORD_SET_NUMBERS;

export const bitsOfWord = (word: string): number[] =>
  ['1 ', '2 ', '3 '].map((prefix) => numberOf(hashed(word, hashed(prefix))) >>> (BITS - WORD_SET_NUMBERS));
