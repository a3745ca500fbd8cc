// Splits a text into the pieces at which code may begin.
import { isSpace } from '../text/tokens.ts';

/** A word of a text with its offset; a class for the same reason as `Token`. */
export class Piece {
  readonly text: string;
  readonly lower: string;
  readonly at: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.lower = text.toLowerCase();
    this.at = at;
  }
}

/** Signs that are separate pieces, by code. */
const SIGNS = new Uint8Array(128);
for (const sign of ';|()`\'"') SIGNS[sign.charCodeAt(0)] = 1;

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
      if (SIGNS[code] !== 1)
        for (; end < text.length; end += 1) {
          const next = text.charCodeAt(end);
          if (isSpace(next) || SIGNS[next] === 1) break;
        }
      pieces.push(new Piece(text.slice(at, end), at));
    }
    at = end;
  }
  return pieces;
}
