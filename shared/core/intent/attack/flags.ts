// Detects words with scrambled letters, and text in an unsupported language.
import { inLetters } from '../text/text.ts';
import type { KnownWords } from '../text/words.ts';
import { isOf, K } from '../lexicon/word-kinds.ts';

/** Words that people can still read when their inner letters are scrambled or their letters reversed. */
const MIXABLE = 'ignore previous instructions instruction disregard reveal system prompt bypass'.split(' ');
const lettersOf = (word: string): string => [...word].sort().join('');
/** The sum of a word's code units: equal for words with the same letters, and cheaper than comparing them. */
function sumOf(word: string): number {
  let sum = 0;
  for (let at = 0; at < word.length; at += 1) sum += word.charCodeAt(at);
  return sum;
}
const MIXABLE_LETTERS = new Map(MIXABLE.map((word) => [lettersOf(word), word]));
const MIXABLE_SUMS = new Set(MIXABLE.map(sumOf));

/**
 * Whether two of the words are such words with scrambled letters or with digits for letters: `igonre` and `intsructions`, `erongi` and
 * `metsys`, `1gn0re` and `pr3vious`.
 */
export function isScrambled(words: readonly string[]): boolean {
  const found = new Set<string>();
  for (const written of words) {
    const word = written.length > 5 && /\d/.test(written) ? inLetters(written) : written;
    if (word !== written && MIXABLE.includes(word)) found.add(word);
    if (word.length < 6 || word.length > 12 || !MIXABLE_SUMS.has(sumOf(word))) continue;
    const meant = MIXABLE_LETTERS.get(lettersOf(word));
    if (meant !== undefined && meant !== word) found.add(meant);
  }
  return found.size > 1;
}

const ASCII = /^[ -~]*$/;
const LATIN_LETTER = /[a-z\u00df-\u024f]/g;
/** Letters of Latin that English has only in names and borrowed words. */
const ACCENTED = /[\u00df-\u024f]/;
const OF_OTHER_SCRIPTS = /(?!\p{N})[^ -~\u00df-\u024f]/gu;

/** The letters of words by their scripts, of words of ASCII all characters, and how many words have accented letters. */
function scriptsOf(words: readonly string[]) {
  let [latin, other, accented] = [0, 0, 0];
  for (const word of words) {
    const isAscii = ASCII.test(word);
    latin += isAscii ? word.length : (word.match(LATIN_LETTER)?.length ?? 0);
    other += isAscii ? 0 : (word.match(OF_OTHER_SCRIPTS)?.length ?? 0);
    if (ACCENTED.test(word)) accented += 1;
  }
  return { latin, other, accented };
}

/** Whether the text is in a language or a script that the lexicon does not cover. */
export function isForeign({ words, infos, ascii }: KnownWords): boolean {
  const { latin, other, accented } = scriptsOf(ascii ? [] : words);
  if (other > 0 && latin < (latin + other) * 0.6) return true;
  let listed = 0;
  for (const info of infos) if (info.isForeign) listed += 1;
  if (listed === 0) return false;
  const foreign = listed + accented;
  if (foreign === 1 && words.length > 8) return false;
  let english = 0;
  for (const info of infos) {
    if (!info.isForeign && isOf(info.kinds, K.english)) english += 1;
    if (english >= foreign) return false;
  }
  return true;
}
