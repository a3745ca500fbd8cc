// Which languages a text may be in, and how much of it they know.
import { type Language, withoutElision } from '../lexicon/languages.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentences } from '../text/tokens.ts';

const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAN = /\p{sc=Han}/u;

/** Whether a text has characters of a script without spaces. */
export const hasDense = (text: string): boolean => HAN.test(text) || KANA.test(text);

/** The languages that a text may be in: by its script, or by the most frequent words. */
export function languagesOf(text: string, words: readonly string[], { languages, words: table }: Lexicon): Language[] {
  if (KANA.test(text)) return languages.filter(({ code }) => code === 'ja');
  if (HAN.test(text)) return languages.filter(({ isDense, code }) => isDense && code !== 'ja');
  const listed = languages.map(() => 0);
  for (const word of words) {
    const bits = table.of(word).languages;
    for (let at = 0; bits >> at !== 0; at += 1) listed[at] = (listed[at] ?? 0) + ((bits >> at) & 1);
  }
  const most = Math.max(1, ...listed);
  return languages.filter((_, at) => listed[at] === most);
}

/** Longer words of a script without spaces are not looked for. */
const MAX_WORD = 8;

export function knownShare(text: string, words: readonly string[], language: Language): number {
  if (!language.isDense) {
    const known = words.filter(
      (word) => language.known.has(word) || language.known.has(withoutElision(word)) || /^\d/.test(word),
    );
    return words.length === 0 ? 1 : known.length / words.length;
  }
  let known = 0;
  let all = 0;
  for (let at = 0; at < text.length; ) {
    const longest = language.longest.get(text.charAt(at)) ?? 0;
    let length = Math.min(MAX_WORD, longest, text.length - at);
    while (length > 0 && !language.known.has(text.slice(at, at + length))) length -= 1;
    const step = Math.max(1, length);
    if (hasDense(text.charAt(at))) {
      all += step;
      known += length;
    }
    at += step;
  }
  return all === 0 ? 1 : known / all;
}

export function wordsIn(sentences: Sentences): string[] {
  const words: string[] = [];
  for (const sentence of sentences)
    for (const { kind, info } of sentence) if (kind === 'word' || kind === 'identifier') words.push(info.plain);
  return words;
}
