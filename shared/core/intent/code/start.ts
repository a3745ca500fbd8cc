// The pieces of a text, where code may begin among them, and where it ends: after words that announce it, in quotes, at the beginning.
import type { Fragment } from './code.ts';
import type { Effort } from './effort.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { isLetter, isSpace } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

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

/** A piece at which code may begin. */
export interface Place {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly at: number;
  readonly lexicon: Lexicon;
  /** Whether a command may begin here, because of what comes before. */
  readonly opens: boolean;
  readonly effort: Effort;
}

/** Code that was read, and the offset after it. */
export interface ReadAt {
  readonly fragments: readonly Fragment[];
  readonly end: number;
}

/** Reads the code that begins at a piece; undefined where none does. */
export type Reader = (place: Place) => ReadAt | undefined;

/** Pieces after which a command may begin: separators, and commands that run other commands. */
const LEADS = wordSet('! ; | ` ( { & $ && || sudo doas then xargs -c -exec #');
const ENDS_OPEN = /[:>$`]$/;
/** The fields of a cron line, and perhaps a user, before its command. */
const SCHEDULE =
  /(?:^|[\s"'`(])(?:(?:[\d*][\d*,/-]{0,20}\s+){5}|@(?:daily|hourly|weekly|monthly|yearly|annually|reboot|midnight)\s+)(?:[a-z_][a-z0-9_-]{0,30}\s+)?$/;
const MAX_SCHEDULE = 160;
/** Whether a piece may be the last field of such a line. */
const mayBeField = (piece: Piece | undefined): boolean => /^[\d*@]/.test(piece?.text ?? '');

export function opensAt(text: string, pieces: readonly Piece[], at: number, { codeWords }: Lexicon): boolean {
  const previous = pieces[at - 1];
  const piece = pieces[at];
  if (previous === undefined || piece === undefined || (at === 1 && /^["']$/.test(previous.text))) return true;
  if (LEADS.has(previous.text) || codeWords.runners.has(previous.lower) || ENDS_OPEN.test(previous.text)) return true;
  if (text.slice(previous.at + previous.text.length, piece.at).includes('\n')) return true;
  if (
    (previous.text === "'" || previous.text === '"') &&
    /[:,]$|^(?:run|execute|exec|-c|command|script)$/i.test(pieces[at - 2]?.text ?? '')
  )
    return true;
  return (
    (mayBeField(previous) || mayBeField(pieces[at - 2])) &&
    SCHEDULE.test(text.slice(Math.max(0, piece.at - MAX_SCHEDULE), piece.at))
  );
}

/** The quotation mark or backtick right before a piece, and the offset of the one that closes it. */
export function enclosureOf(
  text: string,
  { at }: Piece,
): { readonly quote: string; readonly until: number } | undefined {
  const quote = text.charAt(at - 1);
  if (quote !== '`' && quote !== '"' && quote !== "'") return undefined;
  const mark = quote === '`' && text.startsWith('```', Math.max(0, at - 3)) ? '```' : quote;
  const until = text.indexOf(mark, at);
  return until < 0 ? undefined : { quote, until };
}
