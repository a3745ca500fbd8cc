// Where code may begin in a text, and where it ends: after words that announce it, in quotes, at the beginning.
import type { Fragment } from './code.ts';
import type { Effort } from './effort.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Piece } from './pieces.ts';
import type { SeenTokens } from './sql-tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** A piece at which code may begin. */
export interface Place {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly at: number;
  readonly lexicon: Lexicon;
  /** Whether a command may begin here, because of what comes before. */
  readonly opens: boolean;
  readonly effort: Effort;
  readonly sqlTokensSeen: SeenTokens;
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
const CRON_FIELD = /^(?:[\d*][\d*,/-]{0,20}|@(?:daily|hourly|weekly|monthly|yearly|annually|reboot|midnight))$/;

const FIELDS = 5;
const USER = /^[a-z_][a-z0-9_-]{0,30}$/;

function hasFields(pieces: readonly Piece[], until: number): boolean {
  if (until < FIELDS) return false;
  for (let at = until - 1; at >= until - FIELDS; at -= 1) if (!CRON_FIELD.test(pieces[at]?.text ?? '')) return false;
  return true;
}

/** Whether the fields of a cron line come right before. */
function followsSchedule(pieces: readonly Piece[], at: number): boolean {
  if (pieces[at - 1]?.text.startsWith('@') && CRON_FIELD.test(pieces[at - 1]?.text ?? '')) return true;
  return hasFields(pieces, at) || (hasFields(pieces, at - 1) && USER.test(pieces[at - 1]?.text ?? ''));
}

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
  return followsSchedule(pieces, at);
}

/** The apostrophes within words that a quotation may hold. */
const MAX_APOSTROPHES = 50;

/** The quotation mark or backtick right before a piece, and the offset of the one that closes it. */
export function enclosureOf(
  text: string,
  { at }: Piece,
): { readonly quote: string; readonly until: number } | undefined {
  const quote = text.charAt(at - 1);
  if (quote !== '`' && quote !== '"' && quote !== "'") return undefined;
  const fence = quote === '`' && text.startsWith('```', Math.max(0, at - 3));
  let end = text.indexOf(fence ? '```' : quote, at);
  for (let tries = 0; end >= 0 && tries < MAX_APOSTROPHES; tries += 1, end = text.indexOf(quote, end + 1))
    if (quote !== "'" || !/\w/.test(text.charAt(end + 1))) return { quote, until: end };
  return undefined;
}
