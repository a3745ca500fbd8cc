// Recognizes calls of programs in a text: `fetch("/users", {method: "DELETE"})`, `db.users.drop()`.
import { callFragment, chainAt } from './calls.ts';
import { gravity, type Fragment, unknownCode } from './code.ts';
import { doingOfName } from './commands.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Piece } from './pieces.ts';
import { parseInner } from './shell-syntax.ts';
import { shellFragments } from './shell.ts';
import type { Place, ReadAt } from './start.ts';

const spanOf = ({ at, text }: Piece) => ({ at, end: at + text.length });
/** Whether a name is that of a call that does something. */
const isKnownCall = (path: string, lexicon: Lexicon): boolean =>
  path.includes('.') && doingOfName(path.split('.').at(-1) ?? '', lexicon)?.effect !== undefined;

export function callAt({ text, pieces, at, lexicon, budget }: Place): ReadAt | undefined {
  const piece = pieces[at];
  if (
    !piece ||
    pieces[at + 1]?.text !== '(' ||
    !/^[\w$.!?>:-]+$/.test(piece.text) ||
    text.charAt(piece.at + piece.text.length) !== '('
  )
    return undefined;
  // Beyond the limit only names are looked at.
  if (budget.calls <= 0)
    return isKnownCall(piece.text, lexicon)
      ? { fragments: [unknownCode(spanOf(piece))], end: spanOf(piece).end }
      : undefined;
  const links = chainAt(text, piece.at);
  for (const link of links) budget.calls -= link.arguments.length;
  const read = links.flatMap(
    (call) =>
      callFragment(call, 'prose', lexicon, (line, span) => shellFragments(parseInner(line, span.at), lexicon, 1)) ?? [],
  );
  const gravest = read.reduce<Fragment | undefined>((a, b) => (a && gravity(a) >= gravity(b) ? a : b), undefined);
  // Calls within the arguments are read by themselves.
  return gravest && { fragments: [gravest], end: piece.at + piece.text.length };
}
