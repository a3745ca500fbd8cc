// Detects forged headings: a part of a text that poses as an order of the system, or as a note to the machine that reads it.
import type { Lexicon } from '../lexicon/types.ts';
import { is, isAny, K, type Kind, someAre } from '../lexicon/word-kinds.ts';

// An opening bracket, comment, line or sentence, up to sixty letters, and the end of a heading. Every repetition is bounded.
const HEADING =
  /(?:(^|\n|[.!?|`}\])]\s{1,3})[\s>*]{0,8}|(<!--|\{\{#?|\[|<|-{2,10}|={2,10}|#{1,10}|"_{1,3}|\())\s{0,4}([A-Za-z_'/ ]{2,60})(:|\]:?|\}\}|>|-{2,10}|={2,10}|#{1,10}|")/g;

/** Whether a heading poses as an order of the system, or as a note to the reading machine. */
function isForged(opener: string | undefined, title: string, closer: string, after: string, lexicon: Lexicon): boolean {
  const words = lexicon.wordKinds.tag(title.toLowerCase().match(/[a-z]+/g) ?? []);
  const has = (kind: Kind) => someAre(words, 0, words.length, kind);
  const end = words.length - 1;
  const enclosed = opener !== undefined && opener !== '(';
  // `[instructions](https://...)` is a link.
  if (opener === '[' && after === '(') return false;
  // Round brackets, quotation marks and lines of text also open ordinary headings, and `Notes of the AI group` is about people.
  if (has(K.note_word) && has(K.reader_word)) {
    const named = is(words, end, K.reader_word) || (is(words, end, K.note_word) && is(words, end - 1, K.reader_word));
    if (enclosed || (named && has(K.machine_word)) || is(words, end, K.reader_word)) return true;
    return (
      has(K.machine_word) &&
      words.some((_, at) => is(words, at, K.note_preposition) && someAre(words, at, at + 3, K.machine_word))
    );
  }
  // `[System notice]`, and a note of the developers that the page does not show.
  if (has(K.note_word) && enclosed && (words[0] === 'system' || (opener === '<!--' && has(K.power_word)))) return true;
  if (has(K.order_word) && (has(K.power_word) || has(enclosed ? K.reader_word : K.machine_word)))
    return isAny(words, end, K.order_word, K.machine_word);
  if (enclosed && !opener.startsWith('"') && words.length === 1 && is(words, end, K.order_word)) return true;
  if (words.length === 1 && is(words, end, K.speaker_heading)) {
    if (opener === '<!--') return true;
    if (opener === '[') return closer === ']:';
    if (opener === '<') return words[end] === 'hidden';
    if (opener !== undefined && /^[-=#]/.test(opener)) return words[end] === 'system' && closer !== ':';
    // The form of forged conversation turns.
    return closer === ':' && title.trim() === 'SYSTEM';
  }
  return false;
}

/** Whether a heading of the text poses as an order to its reader. */
export function hasForgedHeading(text: string, lexicon: Lexicon): boolean {
  for (const match of text.matchAll(HEADING)) {
    const [whole, , opener, title = '', closer = ''] = match;
    if (isForged(opener, title, closer, text[match.index + whole.length] ?? '', lexicon)) return true;
  }
  return /[.!?:"'=\])]\s{1,4}SYSTEM\s?:/.test(text);
}
