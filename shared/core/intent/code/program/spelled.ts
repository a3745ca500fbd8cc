// Tells whether strings of a program, one after another, spell the name of a file with credentials or an address.
import { SECRET_PARTS } from '../code.ts';

/** These say enough within one string, too. */
const WHOLE: readonly string[] = ['etc/shadow', '/proc/', '://'];
/** Parts of names of files with credentials, of the files of processes, and of addresses. */
const WORDS: readonly string[] = [...WHOLE, ...SECRET_PARTS];
const PLACEHOLDER = /%[-+#\d.]*[a-z]|\{[^{}]*\}/i;
/** A character by its code. */
const BY_CODE = /%[\d.]*c|\{[^{}]*:[^{}]*[cx]\}/i;

/** Whether pieces, each as often as one likes, can be put together so that `word` is in the result. */
function spells(word: string, pieces: readonly string[]): boolean {
  const reached = new Set<number>();
  const open: number[] = [];
  const reach = (at: number): void => {
    if (reached.has(at)) return;
    reached.add(at);
    open.push(at);
  };
  for (const piece of pieces)
    for (let length = 1; length <= piece.length && length < word.length; length += 1)
      if (piece.endsWith(word.slice(0, length))) reach(length);
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const piece of pieces) {
      if (piece.startsWith(word.slice(at))) return true;
      if (word.startsWith(piece, at)) reach(at + piece.length);
    }
  return false;
}

/** Whether texts of which one has not all of a word may be put together so that it is in the result. */
export const spellsOut = (word: string, texts: readonly string[]): boolean =>
  spells(
    word,
    [...new Set(texts.map((text) => text.toLowerCase()))].filter((text) => text !== '' && !text.includes(word)),
  );

/** In whichever order they are put together; a slash may be put between two. */
export function isSpelledSecret(texts: readonly string[]): boolean {
  if (texts.some((text) => BY_CODE.test(text) || WHOLE.some((word) => text.includes(word)))) return true;
  const pieces = [...new Set(texts.flatMap((text) => text.toLowerCase().split(PLACEHOLDER)))].filter(Boolean);
  if (pieces.length < 2) return false;
  const bare = pieces.map((piece) => piece.replaceAll('/', '')).filter(Boolean);
  return WORDS.some((word) => spells(word, pieces)) || spells('etcshadow', bare) || spells('id_rsa', bare);
}
