// Splits a text into the pieces at which code may begin.
import { isLetter, isSpace } from '../text/tokens.ts';

/** A word of a text with its offset; a class for the same reason as `Token`. */
export class Piece {
  readonly text: string;
  readonly lower: string;
  readonly at: number;
  /** It is of Latin letters, perhaps with a mark of a sentence after them. */
  readonly isWord: boolean;

  constructor(text: string, at: number, isWord: boolean) {
    this.text = text;
    this.lower = text.toLowerCase();
    this.at = at;
    this.isWord = isWord;
  }
}

/** Signs that are separate pieces, by code. */
const SIGNS = new Uint8Array(128);
for (const sign of ';|()`\'"') SIGNS[sign.charCodeAt(0)] = 1;
const ENDS_WORD = '.,!?';

const AMPERSAND = '&'.charCodeAt(0);
/** What has ampersands within it: addresses, forms, redirections. */
const HAS_AMPERSANDS = new Uint8Array(128);
for (const sign of '?=:%<>\\') HAS_AMPERSANDS[sign.charCodeAt(0)] = 1;

/**
 * Splits a text into words with their offsets, at white space, `;`, `|`, parentheses and quotes, and at the ampersand of `ls&reboot`.
 * Separators other than white space are pieces too.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    let end = at + 1;
    if (!isSpace(code)) {
      let letters = at;
      while (isLetter(text.charCodeAt(letters))) letters += 1;
      end = Math.max(end, letters);
      const isAlone = code === AMPERSAND && HAS_AMPERSANDS[text.charCodeAt(end)] !== 1;
      if (isAlone && text.charCodeAt(end) === AMPERSAND) end += 1;
      let joins = HAS_AMPERSANDS[code] === 1;
      if (SIGNS[code] !== 1 && !isAlone)
        for (; end < text.length; end += 1) {
          const next = text.charCodeAt(end);
          if (isSpace(next) || SIGNS[next] === 1) break;
          joins ||= HAS_AMPERSANDS[next] === 1;
          if (next === AMPERSAND && !joins && text.charAt(end + 1) !== '>') break;
        }
      const isWord =
        letters > at && (end === letters || (end === letters + 1 && ENDS_WORD.includes(text.charAt(letters))));
      pieces.push(new Piece(text.slice(at, end), at, isWord));
    }
    at = end;
  }
  return pieces;
}
