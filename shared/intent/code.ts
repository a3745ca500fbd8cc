// Code in a text: what a piece of it would do, and the pieces it is recognized from.
import type { ActionClass, Effect, Extent, Trait } from '../vocabulary.ts';

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

/** Words of a text with their offsets: split at white space, `;`, `|`, parentheses, quotes and `&&`. */
export function piecesOf(text: string): Piece[] {
  let end = 0;
  return (text.match(/[^\s;|()`'"]+|[;|()`'"]/g) ?? []).map((piece) => {
    // Nothing but white space lies between two pieces.
    const at = text.indexOf(piece, end);
    end = at + piece.length;
    return new Piece(piece, at);
  });
}
