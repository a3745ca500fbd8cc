// Recognizes calls of programs in a text: `fetch("/users", {method: "DELETE"})`, `db.users.drop()`.
import { callFragment, chainAt, onlyReads } from './calls.ts';
import { gravity, type Fragment, readsOnly } from './code.ts';
import { parseInner } from './shell-syntax.ts';
import { shellFragments } from './shell.ts';
import type { Place, ReadAt } from './start.ts';

const MAX_PROGRAM = 2_000;
/** Calls that no name of a thing looks like. */
const STANDS_ALONE = /\.|^(?:print|puts|len|sum|sorted)$/;

export function callAt({ text, pieces, at, lexicon, effort }: Place): ReadAt | undefined {
  const piece = pieces[at];
  if (
    !piece ||
    pieces[at + 1]?.text !== '(' ||
    !/^[\w$.!?>:-]+$/.test(piece.text) ||
    text.charAt(piece.at + piece.text.length) !== '('
  )
    return undefined;
  const links = chainAt(text, piece.at);
  // A text that is nothing but a program: `print(os.path.getsize("a"))`, `db.orders.stats().count`.
  const rest = text.slice(links.at(-1)?.end ?? text.length);
  if (
    at === 0 &&
    STANDS_ALONE.test(piece.text) &&
    /^[\w.\s;[\]]*$/.test(rest) &&
    text.length < MAX_PROGRAM &&
    onlyReads(text, lexicon)
  )
    return {
      fragments: [readsOnly({ at: 0, end: text.length }, { verb: 'print', object: 'value' })],
      end: text.length,
    };
  for (const link of links) effort.left -= link.arguments.length;
  const read = links.flatMap(
    (call) =>
      callFragment(call, 'prose', lexicon, (line, span) =>
        shellFragments(parseInner(line, span.at, effort), lexicon, 1),
      ) ?? [],
  );
  const gravest = read.reduce<Fragment | undefined>((a, b) => (a && gravity(a) >= gravity(b) ? a : b), undefined);
  // Calls within the arguments are read by themselves.
  return gravest && { fragments: [gravest], end: piece.at + piece.text.length };
}
