// Notices hidden text and text in a language that is not read.
import type { Lexicon } from './lexicon.ts';
import type { SpokenWords } from './words.ts';

// Each begins where nothing of its kind stands before it, so that no stretch is looked at from every one of its characters.
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/g;
const HEX = /(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){12,}/g;
const PERCENT = /%[0-9a-fA-F]{2}(?<=([^\s%]{0,40})...)(?:[^\s%]{0,40}%[0-9a-fA-F]{2}){2}\S*/g;
/** How many characters of one encoded piece are decoded, and how many pieces. */
const MAX_ENCODED = 4_000;
const MAX_HIDDEN = 5;

/** Whether decoded bytes read as text: printable, with words. */
function isText(decoded: string): boolean {
  const printable = decoded.match(/[\x20-\x7e\n\t]/g)?.length ?? 0;
  return decoded.length >= 8 && printable === decoded.length && /[a-z]{2}/i.test(decoded) && /[\s/]/.test(decoded);
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Texts that a text carries in base64, hexadecimal digits, percent encoding or with moved letters: printable ones only, at most five. */
export function hiddenTexts(text: string): string[] {
  const found: string[] = [];
  const take = (decoded: string) => {
    if (found.length < MAX_HIDDEN && isText(decoded)) found.push(decoded);
  };
  for (const match of text.matchAll(BASE64)) {
    if (found.length === MAX_HIDDEN) break;
    const candidate = match[0].slice(0, MAX_ENCODED);
    // Ordinary long words and hexadecimal digests are no hidden text.
    if (/^[a-z]+$/.test(candidate) || /^[0-9a-fA-F-]+$/.test(candidate)) continue;
    take(Buffer.from(candidate, 'base64').toString('utf8'));
  }
  for (const match of text.matchAll(HEX)) take(Buffer.from(match[0].slice(0, MAX_ENCODED), 'hex').toString('utf8'));
  if (/%[0-9a-fA-F]{2}/.test(text))
    for (const [rest, before = ''] of text.matchAll(PERCENT))
      take(percentDecoded((before + rest).slice(0, MAX_ENCODED)));
  if (MOVED.test(text)) take(rot13(text.slice(0, MAX_ENCODED)));
  return found;
}

/** The text with each Latin letter moved by thirteen, which hides a text from a reader without any encoding. */
function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** What such a text that takes an agent over can hardly do without. */
const MOVED = new RegExp(
  `\\b(?:${['ignore', 'disregard', 'instructions', 'execute', 'delete'].map(rot13).join('|')})\\b`,
  'i',
);

/** Words that people still read when their inner letters are mixed up, or their letters turned around. */
const MIXABLE = 'ignore previous instructions instruction disregard reveal system prompt bypass'.split(' ');
const lettersOf = (word: string): string => [...word].sort().join('');
/** The sum of a word's code units: equal for words of the same letters, and sooner known than these. */
function sumOf(word: string): number {
  let sum = 0;
  for (let at = 0; at < word.length; at += 1) sum += word.charCodeAt(at);
  return sum;
}
const MIXABLE_LETTERS = new Map(MIXABLE.map((word) => [lettersOf(word), word]));
const MIXABLE_SUMS = new Set(MIXABLE.map(sumOf));

/** Whether two words are such words with their letters out of order: `igonre` and `intsructions`, or `erongi` and `metsys`. */
export function isScrambled(words: readonly string[]): boolean {
  const found = new Set<string>();
  for (const word of words) {
    if (word.length < 6 || word.length > 12 || !MIXABLE_SUMS.has(sumOf(word))) continue;
    const meant = MIXABLE_LETTERS.get(lettersOf(word));
    if (meant !== undefined && meant !== word) found.add(meant);
  }
  return found.size > 1;
}

const ENGLISH = new Set(
  'the a an of to in on for with and or is are was be this that these those my your our it from by at as all any me i we you please can could not do what which how who where when why'.split(
    ' ',
  ),
);

const PLAIN = /^[a-z0-9'-]*$/;
const OTHER_NUMBER = /[^\P{N}0-9]/gu;

/** How many characters of a word are Latin letters, and how many are letters of other scripts. */
function scriptsOf(word: string): { latin: number; other: number } {
  let latin = 0;
  let other = -(word.match(OTHER_NUMBER)?.length ?? 0);
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0xdf && code <= 0x24f)) latin += 1;
    // Of a pair of surrogates the first one counts.
    else if (code > 0x7f && !(code >= 0xdc00 && code <= 0xdfff)) other += 1;
  }
  return { latin, other };
}

/** Whether the text is written in a language, or a script, that the lexicon does not cover. */
export function isForeign({ words, ascii }: SpokenWords, lexicon: Lexicon): boolean {
  let latin = 0;
  let other = 0;
  for (const word of ascii ? [] : words) {
    if (PLAIN.test(word)) latin += word.length;
    else {
      const scripts = scriptsOf(word);
      latin += scripts.latin;
      other += scripts.other;
    }
  }
  if (other > 0 && latin < (latin + other) * 0.6) return true;
  let foreign = 0;
  let english = 0;
  for (const word of words) {
    if (lexicon.foreignWords.has(word)) foreign += 1;
    else if (ENGLISH.has(word)) english += 1;
  }
  return foreign > english && (foreign > 1 || words.length <= 8);
}
