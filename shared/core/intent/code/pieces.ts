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

/**
 * Splits a text into words with their offsets, at white space, `;`, `|`, parentheses and quotes. Separators other than white space are
 * pieces too.
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
      if (SIGNS[code] !== 1)
        for (; end < text.length; end += 1) {
          const next = text.charCodeAt(end);
          if (isSpace(next) || SIGNS[next] === 1) break;
        }
      const isWord =
        letters > at && (end === letters || (end === letters + 1 && ENDS_WORD.includes(text.charAt(letters))));
      pieces.push(new Piece(text.slice(at, end), at, isWord));
    }
    at = end;
  }
  return pieces;
}
