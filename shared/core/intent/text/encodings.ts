// Finds hidden text: encoded, written as numbers, shifted along the alphabet or reversed.
import { wordSet } from './word-set.ts';

// Each pattern starts with a lookbehind, so that a run is not scanned again from each of its characters.
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/g;
const HEX = /(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){12,}/g;
const PERCENT = /%[0-9a-fA-F]{2}(?<=([^\s%]{0,40})...)(?:[^\s%]{0,40}%[0-9a-fA-F]{2}){2}\S*/g;

/** How much of one encoded piece is decoded, and of how many the texts are read one by one; further ones are read as one text. */
const MAX_ENCODED = 10_000;
const MAX_HIDDEN = 5;
/** How much of a text is shifted or turned as a whole, which may be needed for several distances. */
const MAX_TURNED = 4_000;

/** Whether decoded bytes are readable text: printable, with words. */
function isText(decoded: string): boolean {
  const printable = decoded.match(/[\x20-\x7e\n\t]/g)?.length ?? 0;
  return decoded.length >= 8 && printable === decoded.length && /[a-z]{2}/i.test(decoded) && /[\s/]/.test(decoded);
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const MORSE: Readonly<Record<string, string>> = Object.fromEntries(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'
    .split(' ')
    .map((signs, at) => [signs, String.fromCharCode(97 + at)]),
);

/** Characters from their codes; unprintable ones become NUL, which no text contains. */
function ofCodes(codes: readonly number[]): string {
  return codes.map((code) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '\0')).join('');
}
const numbersOf = (piece: string, digits: RegExp, radix: number): number[] =>
  (piece.slice(0, MAX_ENCODED).match(digits) ?? []).map((number) => Number.parseInt(number, radix));

/** Notations that write characters as numbers of some base, or as signs, with their decoders. */
const WRITINGS: readonly (readonly [form: RegExp, read: (piece: string) => string])[] = [
  [/(?<![01])[01]{8}(?:\s?[01]{8}){7,}(?![01])/g, (piece) => ofCodes(numbersOf(piece, /[01]{8}/g, 2))],
  [/(?<!\d)\d{2,3}(?:,?\s\d{2,3}|,\d{2,3}){11,}(?!\d)/g, (piece) => ofCodes(numbersOf(piece, /\d{2,3}/g, 10))],
  [
    /(?<![0-9a-z])(?:(?:0x|\\x|\\u00)?[0-9a-f]{2}[\s,]{0,2}){12,}(?![0-9a-z])/gi,
    (piece) => ofCodes(numbersOf(piece.replace(/0x|\\x|\\u00/gi, ' '), /[0-9a-f]{2}/gi, 16)),
  ],
  [/(?:&#\d{2,3};){8,}/g, (piece) => ofCodes(numbersOf(piece, /\d{2,3}/g, 10))],
  [/(?:&#x[0-9a-f]{2};){8,}/gi, (piece) => ofCodes(numbersOf(piece.replace(/&#x/gi, ' '), /[0-9a-f]{2}/gi, 16))],
  [
    /(?<![.-])(?:[.-]{1,5}(?:\s\/\s|[\s/])){11,}[.-]{1,5}/g,
    (piece) =>
      piece
        .slice(0, MAX_ENCODED)
        .split(/\s?\/\s?|\s{2,}/)
        .map((word) =>
          word
            .split(/\s/)
            .map((signs) => MORSE[signs] ?? '\0')
            .join(''),
        )
        .join(' '),
  ],
];
/** Fast check: each notation needs eight digits in a row of numbers, or as many signs. */
const MAY_BE_WRITTEN =
  /[01]{8}\s?[01]{8}|\d{2,3},?\s\d{2,3},?\s\d{2,3}|\d{2,3},\d{2,3},\d{2,3}|[0-9a-f]{2}[\s,][0-9a-f]{2}[\s,][0-9a-f]{2}[\s,]|0x[0-9a-f]|\\[xu]|&#|[.-]{1,5}[\s/][.-]{1,5}[\s/][.-]{1,5}/i;

/** A digit or sign that occurs in every notation. */
const WRITES = /[0-9\\&]|[.-][ /][.-]/;

/** Words that a takeover text almost always contains. */
const TELLING = ['ignore', 'instructions', 'previous', 'disregard', 'prompt', 'reveal', 'system', 'output'];
const A = 97;
/** The steps from each letter of a word to the next, modulo 26: invariant under a shift of all letters. */
function stepsOf(word: string): string {
  let steps = '';
  for (let at = 1; at < word.length; at += 1)
    steps += String.fromCharCode(A + ((word.charCodeAt(at) - word.charCodeAt(at - 1) + 26) % 26));
  return steps;
}
const MOVED = new Map(TELLING.map((word) => [stepsOf(word), word]));
/** A hash of length and first step: it excludes most words. */
const firstStep = (word: string): number => word.length * 26 + ((word.charCodeAt(1) - word.charCodeAt(0) + 26) % 26);
const FIRST_STEPS = new Set(TELLING.map(firstStep));
const LONGEST_TELLING = Math.max(...TELLING.map((word) => word.length));
const ONLY_LETTERS = /^[a-z]+$/;
/** The same words reversed. */
const TURNED = new Set(TELLING.map((word) => [...word].reverse().join('')));
const LAST_OF_TURNED = wordSet('ignore disregard forget override bypass reveal');

/** Distances by which telling words are shifted along the alphabet, each once, and whether one of them occurs reversed. */
function lettersOf(words: readonly string[]) {
  const shifts = new Map<string, number>();
  let turned = false;
  for (const word of words) {
    if (word.length < 6 || word.length > LONGEST_TELLING) continue;
    turned ||= TURNED.has(word);
    if (!FIRST_STEPS.has(firstStep(word)) || !ONLY_LETTERS.test(word)) continue;
    const meant = MOVED.get(stepsOf(word));
    if (meant !== undefined && meant !== word) shifts.set(meant, (word.charCodeAt(0) - meant.charCodeAt(0) + 26) % 26);
  }
  return { shifts, turned };
}

export interface Hidden {
  /** Decoded texts: only printable ones; from the sixth on, all in one. */
  readonly texts: readonly string[];
  /** Two of the takeover words occur with their letters shifted by the same distance, or words are shifted or turned in a text that is too long to be. */
  readonly moved: boolean;
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e\n\t]/g, ' ');

/**
 * Finds text hidden as base64, hexadecimal digits, numbers, signs, percent encoding, shifted letters or reversed. `words` are the words of
 * the text in lower case.
 */
export function hiddenIn(text: string, words: readonly string[]): Hidden {
  const found: string[] = [];
  const take = (decoded: string) => {
    if (isText(decoded)) found.push(decoded);
  };
  for (const match of text.matchAll(BASE64)) {
    const candidate = match[0].slice(0, MAX_ENCODED);
    // Ordinary long words and hexadecimal digests are not hidden text.
    if (/^[a-z]+$/.test(candidate) || /^[0-9a-fA-F-]+$/.test(candidate)) continue;
    take(Buffer.from(candidate, 'base64').toString('utf8'));
  }
  for (const match of text.matchAll(HEX)) take(Buffer.from(match[0].slice(0, MAX_ENCODED), 'hex').toString('utf8'));
  if (text.includes('%') && /%[0-9a-fA-F]{2}/.test(text))
    for (const [rest, before = ''] of text.matchAll(PERCENT))
      take(percentDecoded((before + rest).slice(0, MAX_ENCODED)));
  if (WRITES.test(text) && MAY_BE_WRITTEN.test(text)) {
    for (const [form, read] of WRITINGS) for (const [piece] of text.matchAll(form)) take(read(piece));
  }
  const { shifts, turned } = lettersOf(words);
  const moves = new Set(shifts.values());
  if (words.length > 3 && LAST_OF_TURNED.has(words.at(-1) ?? '')) take(words.toReversed().join(' '));
  if (turned) take(printable([...text.slice(0, MAX_TURNED)].reverse().join('')));
  const isCut = text.length > MAX_TURNED && (turned || moves.size > 0);
  const others = found.slice(MAX_HIDDEN);
  return {
    texts: others.length > 0 ? [...found.slice(0, MAX_HIDDEN), others.join('\n\n')] : found,
    moved: isCut || (shifts.size > 1 && moves.size < shifts.size),
  };
}
