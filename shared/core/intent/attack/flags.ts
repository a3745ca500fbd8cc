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

const OTHER_NUMBER = /[^\P{N}0-9]/gu;

/** The scripts that the words of a text are written in. */
interface Scripts {
  /** Latin letters; of words of ASCII all characters. */
  readonly latin: number;
  /** Letters of other scripts. */
  readonly other: number;
  /** Words with letters of Latin that English has only in names and borrowed words. */
  readonly accented: number;
}

function scriptsOf(words: readonly string[]): Scripts {
  let [latin, other, accented] = [0, 0, 0];
  for (const word of words) {
    let [letters, beyond, isAccented] = [0, 0, false];
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      if (code <= 0x7f) {
        if (code >= 0x61 && code <= 0x7a) letters += 1;
        continue;
      }
      if (code >= 0xdf && code <= 0x24f) {
        letters += 1;
        isAccented = true;
        // Of a surrogate pair only the first unit counts.
      } else if (!(code >= 0xdc00 && code <= 0xdfff)) beyond += 1;
    }
    if (isAccented) accented += 1;
    const isAscii = beyond === 0 && !isAccented;
    latin += isAscii ? word.length : letters;
    if (!isAscii) other += beyond - (word.match(OTHER_NUMBER)?.length ?? 0);
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
