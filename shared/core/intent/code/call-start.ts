// Recognizes calls of programs in a text: `fetch("/users", {method: "DELETE"})`, `db.users.drop()`.
import { callFragment, onlyReads } from './calls.ts';
import { chainAt } from './call-syntax.ts';
import { type Fragment, fragmentOf, readsOnly, gravest, unknownCode } from './code.ts';
import { disablesSomething, doingOfSettings, EMPTIES } from './settings.ts';
import { fileCallOf } from './file-calls.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { parseInner } from './shell-syntax.ts';
import { shellFragments } from './shell.ts';
import type { Place, ReadAt } from './start.ts';

const MAX_PROGRAM = 2_000;
/** How often the arguments of a call are looked at. */
const LOOKS = 3;
/** Calls that no name of a thing looks like. */
const STANDS_ALONE = /\.|^(?:print|puts|len|sum|sorted)$/;

/** What comes before a call that is a statement. */
const LEADS_CALL = /^\s*(?:(?:await|return|yield)\s+|(?:(?:const|let|var)\s+)?[\w$]{1,40}\s*:?=\s*(?:await\s+)?)?$/;

/** Calls that make what was assigned before last. */
const KEEPS = /^(?:save|save!|commit|flush|persist|merge|sync|store|put|apply|update|submit|patch)$/i;
const ASSIGNED = /(?:^|[\s;:{])[$@]?\w{1,40}(?:(?:\.|->)\w{1,40}){1,4}\s{0,3}=(?!=)\s{0,3}[^;\n]{1,100}/g;

/** What the values do that the program before assigns to members of something: `user.is_staff = True; user.save()`. */
function assignedBefore(before: string, at: number, lexicon: Lexicon): Fragment[] {
  const assignments = before.match(ASSIGNED) ?? [];
  const doing = doingOfSettings(assignments.join(';'), lexicon);
  const empties = disablesSomething(assignments.join(';'), lexicon);
  if (doing === undefined && !empties) return [];
  const does = doing ?? EMPTIES;
  return [fragmentOf({ at, end: at }, { ...does, verb: 'save', object: 'object', domain: 'code', language: 'sql' })];
}

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
  // Nothing but one call is no remark in a sentence.
  const isAlone = LEADS_CALL.test(text.slice(0, piece.at)) && /^[\s;)\]}]*$/.test(rest);
  for (const link of links) effort.left -= LOOKS * link.arguments.length;
  const keeps = links.some(({ path }) => KEEPS.test(path.at(-1) ?? ''));
  if (keeps) effort.left -= Math.min(piece.at, MAX_PROGRAM);
  const piecesSpan = { at: piece.at, end: piece.at + piece.text.length };
  const written = links.flatMap((call) => fileCallOf(call, text.slice(links[0]?.end ?? text.length)) ?? []);
  const kept = keeps
    ? assignedBefore(text.slice(Math.max(0, piece.at - MAX_PROGRAM), piece.at), piece.at, lexicon)
    : [];
  const others = links.flatMap(
    (call) =>
      callFragment(call, isAlone ? 'program' : 'prose', lexicon, (line, span) =>
        shellFragments(parseInner(line, span.at, effort), lexicon, 1),
      ) ?? [],
  );
  const read = [...written, ...kept, ...others];
  const worst = gravest(read) ?? (isAlone && STANDS_ALONE.test(piece.text) ? unknownCode(piecesSpan) : undefined);
  // Calls within the arguments are read by themselves.
  return worst && { fragments: [worst], end: piece.at + piece.text.length };
}
