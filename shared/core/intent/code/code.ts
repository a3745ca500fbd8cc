// Code in a text: what a piece of it would do, and the pieces it is recognized from.
import type { ActionClass, Effect, Extent, Trait } from '../../../kernel/vocabulary.ts';
import { isSpace } from '../text/tokens.ts';

/** What a piece of code would do. */
export interface Fragment {
  readonly verb: string;
  readonly action: ActionClass;
  readonly effect: Effect;
  readonly traits: readonly Trait[];
  readonly object: string;
  readonly domain: string;
  readonly extent: Extent;
  /** Offset in the text. */
  readonly at: number;
  readonly language: 'sql' | 'shell' | 'http';
  /** Decoded or fetched code is run: a disguise. */
  readonly disguised: boolean;
}

/** A word of code with its offset in the text; a class for the reason that `Token` is one. */
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

/** Signs that are pieces of their own, by their codes. */
const SIGNS = new Uint8Array(128);
for (const sign of ';|()`\'"') SIGNS[sign.charCodeAt(0)] = 1;

/** Words of a text with their offsets: split at white space, `;`, `|`, parentheses and quotes, which but for white space are pieces too. */
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
