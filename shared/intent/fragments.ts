// Finds code in a text: SQL statements, shell commands, HTTP requests. What such code does outweighs the words around it.
import { type Fragment, type Piece, piecesOf } from './code.ts';
import { httpAt, METHODS } from './http.ts';
import type { Lexicon } from './lexicon.ts';
import { commandName, redirectAt, SUBCOMMANDS, shellAt } from './shell.ts';
import { SQL_HEADS, sqlAt } from './sql.ts';

const MAX_FRAGMENTS = 40;

/** Cheap first look: whether a piece of code may begin with this word. */
function mayBegin(piece: Piece | undefined, lexicon: Lexicon): boolean {
  if (!piece || !/^[a-z$/.]/i.test(piece.text)) return false;
  const { text, lower } = piece;
  if (SQL_HEADS.has(lower) || METHODS[text] !== undefined || lower.startsWith('db.')) return true;
  const name = commandName(lower);
  const dot = name.indexOf('.');
  return lexicon.commands.has(name) || SUBCOMMANDS.has(name) || (dot > 0 && lexicon.commands.has(name.slice(0, dot)));
}

/** Code in a text, in its order. */
export function fragmentsOf(text: string, lexicon: Lexicon): Fragment[] {
  const pieces = piecesOf(text);
  const found: Fragment[] = [];
  let opens = true;
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
      language: 'shell',
      disguised: false,
    });
  }
  for (let at = 0; at < pieces.length && found.length < MAX_FRAGMENTS; at += 1) {
    const redirect = redirectAt(pieces, at);
    // A command that writes already says so.
    if (redirect && found.at(-1)?.effect !== 'write') found.push(redirect);
    if (!mayBegin(pieces[at], lexicon)) continue;
    const previous = pieces[at - 1]?.text ?? '';
    opens =
      at === 0 ||
      /^(?:[;|`(&$]|&&|\|\||sudo|doas|then|xargs|-c|-exec)$/.test(previous) ||
      /[:>$`]$/.test(previous) ||
      /^(?:run|execute|exec|eval|type|issue|command|do|and|with)$/i.test(previous) ||
      ((previous === "'" || previous === '"') && /[:]$|^(?:run|execute|exec|-c)$/i.test(pieces[at - 2]?.text ?? ''));
    const fragment = sqlAt(pieces, at) ?? httpAt(pieces, at, lexicon) ?? shellAt(pieces, at, opens, lexicon);
    if (fragment) found.push(fragment);
  }
  return found;
}
