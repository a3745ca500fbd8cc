// Finds code in a text: SQL statements, shell commands, HTTP requests. The effect of such code outweighs the words around it.
import { type Fragment, type OpenFragment, type Piece, piecesOf } from './code.ts';
import { httpAt, METHODS } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { commandName, isPipeIntoShell, MAX_LINE, redirectAt, shellAt } from './shell.ts';
import { SQL_HEADS, sqlAt } from './sql.ts';

/** Beyond this number of pieces of code, only destructive ones are kept, because the last one may matter most. */
const MAX_FRAGMENTS = 40;

// Patterns are constants of the module, because a literal inside a function creates a new object on each call.
const DESTRUCTIVE_SIGN = /delete|:\/\/|^(?:terminate|remove|rm|rb|destroy|-f|--force)/;
const ENDS_OPEN = /[:>$`]$/;

const DOLLAR = 0x24;
const DOT = 0x2e;
const SLASH = 0x2f;
const isFirst = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === DOLLAR || code === SLASH || code === DOT;

/** Cheap first test: whether a piece of code may begin with this word. */
function mayBegin(piece: Piece | undefined, lexicon: Lexicon): boolean {
  if (!piece || !isFirst(piece.text.charCodeAt(0))) return false;
  const { text, lower } = piece;
  if (SQL_HEADS.has(lower) || (text !== lower && METHODS.has(text)) || lower.startsWith('db.')) return true;
  const name = commandName(lower);
  const dot = name.indexOf('.');
  return (
    lexicon.commands.has(name) ||
    lexicon.commandGroups.has(name) ||
    (dot > 0 && lexicon.commands.has(name.slice(0, dot)))
  );
}

const destroys = ({ effect }: OpenFragment): boolean => effect === 'destructive';

/** Commands that are destructive only through a pipe or through a request that they make. */
const PIPED = new Set(['curl', 'wget', 'http', 'invoke-webrequest', 'echo', 'printf', 'cat', 'base64']);

/** Whether a piece may make the preceding command destructive: a URL, a method, a flag, a verb, a pipe into a shell. */
function isDestructiveSign(pieces: readonly Piece[], at: number): boolean {
  const lower = pieces[at]?.lower ?? '';
  return DESTRUCTIVE_SIGN.test(lower) || isPipeIntoShell(pieces, at);
}

/** Whether such a piece follows `at` in the command line; called with increasing positions, it examines each piece once. */
function createSignFinder(pieces: readonly Piece[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    next = Math.max(next, at + 1);
    while (next < pieces.length && !isDestructiveSign(pieces, next)) next += 1;
    return next < pieces.length && next < at + MAX_LINE;
  };
}

/** Cheap test for code beyond the limit: whether it may be destructive. @param hasSignAfter whether the following pieces may make it so */
function mayDestroy(
  pieces: readonly Piece[],
  at: number,
  hasSignAfter: (at: number) => boolean,
  lexicon: Lexicon,
): boolean {
  const lower = pieces[at]?.lower ?? '';
  if (SQL_HEADS.has(lower) || lower.startsWith('db.') || lower === 'delete' || METHODS.has(lower.toUpperCase()))
    return true;
  const name = commandName(lower);
  const isGroup = lexicon.commandGroups.has(name);
  const entries = [
    lexicon.commands.get(name) ?? lexicon.commands.get(name.split('.')[0] ?? ''),
    isGroup ? lexicon.commands.get(`${name} ${pieces[at + 1]?.lower}`) : undefined,
  ];
  if (entries.some((entry) => entry?.effect === 'destructive' || entry?.action === 'delete')) return true;
  return (isGroup || PIPED.has(name)) && hasSignAfter(at);
}

/** Pieces after which a command may begin: separators, commands that run other commands, and words of a sentence. */
const LEADS = new Set([';', '|', '`', '(', '&', '$', '&&', '||', 'sudo', 'doas', 'then', 'xargs', '-c', '-exec']);
const OPENERS = new Set(['run', 'execute', 'exec', 'eval', 'type', 'issue', 'command', 'do', 'and', 'with']);

/** Pieces that end a statement or a command, and arguments that are not words of English. */
const ENDS = new Set(['|', ';', '&&', '||', '`']);
const TELLING = /[^a-z.,;:!?]/i;
/** The number of pieces of a fragment at most. */
const MAX_PIECES = 60;

/**
 * The offset after a fragment that begins at `pieces[at]`. A statement ends at a separator, or with its sentence; a command ends after its
 * last argument that is not a word of English, because prose may follow.
 */
function endOf({ language }: OpenFragment, pieces: readonly Piece[], at: number): number {
  let last = at + 1;
  for (let next = at + 1; next < Math.min(pieces.length, at + MAX_PIECES); next += 1) {
    const text = pieces[next]?.text ?? '';
    if (ENDS.has(text)) break;
    if (language === 'sql' || TELLING.test(text)) last = next;
    if (text.length > 1 && text.endsWith('.')) break;
  }
  const piece = pieces[Math.min(last, pieces.length - 1)];
  return piece ? piece.at + piece.text.length : 0;
}

/** The code in a text, in order. */
export function fragmentsOf(text: string, lexicon: Lexicon): Fragment[] {
  const pieces = piecesOf(text);
  const found: Fragment[] = [];
  const hasSignAfter = createSignFinder(pieces);
  const redirects = text.includes('>');
  let opens = true;
  let destroyed = false;
  const bomb = /:\s?\(\s?\)\s?\{/.exec(text);
  if (bomb) {
    found.push({
      verb: 'fork-bomb',
      action: 'execute',
      effect: 'destructive',
      traits: ['irreversible'],
      object: 'process',
      domain: 'infra',
      extent: 'all',
      at: bomb.index,
      end: bomb.index + bomb[0].length,
      language: 'shell',
      disguised: false,
    });
  }
  for (let at = 0; at < pieces.length; at += 1) {
    const full = found.length >= MAX_FRAGMENTS;
    if (full && destroyed) break;
    const redirect = redirects ? redirectAt(pieces, at) : undefined;
    // A redirection adds nothing to a command that already writes.
    if (redirect && !full && found.at(-1)?.effect !== 'write')
      found.push({ ...redirect, end: endOf(redirect, pieces, at) });
    const piece = pieces[at];
    if (!piece || !mayBegin(piece, lexicon) || (full && !mayDestroy(pieces, at, hasSignAfter, lexicon))) continue;
    const previous = pieces[at - 1]?.text ?? '';
    opens =
      at === 0 ||
      LEADS.has(previous) ||
      OPENERS.has(pieces[at - 1]?.lower ?? '') ||
      ENDS_OPEN.test(previous) ||
      ((previous === "'" || previous === '"') && /[:]$|^(?:run|execute|exec|-c)$/i.test(pieces[at - 2]?.text ?? ''));
    const fragment = sqlAt(pieces, at) ?? httpAt(pieces, at, lexicon) ?? shellAt(pieces, at, opens, lexicon);
    if (!fragment || (full && !destroys(fragment))) continue;
    found.push({ ...fragment, end: endOf(fragment, pieces, at) });
    destroyed ||= destroys(fragment);
  }
  return found;
}
