// Recognizes calls of programs in a text: `fetch("/users", {method: "DELETE"})`, `db.users.drop()`.
import { callFragment, type Where } from './calls.ts';
import { type Call, chainAt } from './call-syntax.ts';
import { fileWrite, type Fragment, fragmentOf, readsOnly, gravest, gravity, NOT_UNDERSTOOD } from './code.ts';
import { doingOfValues } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { parseInner } from './shell-syntax.ts';
import { shellFragments } from './shell.ts';
import { onlyReads } from './short-programs.ts';
import type { Piece, Place, ReadAt } from './start.ts';

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
  const doing = doingOfValues(assignments.join(';'), true, lexicon);
  const what = { verb: 'save', object: 'object', domain: 'code', language: 'sql' } as const;
  return doing ? [fragmentOf({ at, end: at }, { ...doing, ...what })] : [];
}

const DOTTED = /^[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){1,6}$/;

/** Whether a function is only named where it is to be called: `Run stripe.payouts.create`. */
const isNamed = (pieces: readonly Piece[], at: number, { codeWords }: Lexicon): boolean =>
  DOTTED.test(pieces[at]?.text ?? '') &&
  pieces[at + 1]?.text !== '(' &&
  (codeWords.runners.has(pieces[at - 1]?.lower ?? '') || pieces[at - 1]?.lower === 'call');

function namedCall({ text, at }: Piece, lexicon: Lexicon): ReadAt | undefined {
  const end = at + text.length;
  const read = callFragment(
    { path: text.split('.'), arguments: '', at, end, isCut: false },
    'program',
    lexicon,
    () => [],
  );
  return read === undefined || read.effect === 'read' ? undefined : { fragments: [read], end };
}

/** Calls that open a file to write it anew, which loses what was in it: `open("ledger", "w")`. */
const OPENS = /^(?:open|opensync|fopen|file_open)$/;
/** What they write begins anew, whatever else they are given. */
const OPENS_ANEW = /^(?:createwritestream|fileoutputstream|filewriter|printwriter|streamwriter)$/;
const FILES = new Set(['file', 'os', 'fs', 'fsp']);
const WRITE_MODE = /,\s{0,3}(?:mode\s{0,3}=\s{0,3})?[rub]{0,2}["'](?:w[bt+]{0,2}|wb\+)["']/;
const APPENDS = /["']a[bt+]{0,2}["']|,\s{0,3}true\b|flags\W{1,6}a\b/;
/** Something is written into it: not nothing. */
const WRITES =
  /\b(?:write\w*|puts|print\w*|dump|to_csv|to_json|savefig|save|pipe|copyfileobj|encode|format|append|end|fputs|fwrite|fprintf|writerow|train)\s{0,3}\(\s{0,3}(?!b?(?:""|'')\s{0,3}\)|\))|\bfile\s{0,3}=|\bpipe\b/i;
const PATH = /^\s{0,3}["'`]([^"'`]{1,300})["'`]/;
/** How much of the text after a call may say what is written. */
const MAX_AFTER = 1_000;

/** What a call that opens a file to write does; undefined for other calls. `after`: the text that follows it. */
function fileCallOf({ path, arguments: args, at, end }: Call, after: string): Fragment | undefined {
  const name = path.at(-1)?.toLowerCase() ?? '';
  const makes = name === 'create' && path.length > 1 && FILES.has(path.at(-2)?.toLowerCase() ?? '');
  const isWrite =
    (OPENS.test(name) && WRITE_MODE.test(args)) || ((OPENS_ANEW.test(name) || makes) && !APPENDS.test(args));
  if (!isWrite) return undefined;
  const target = PATH.exec(args)?.[1] ?? '';
  return fileWrite(target, { at, end }, !WRITES.test(after.slice(0, MAX_AFTER)));
}

export function callAt({ text, pieces, at, lexicon, effort }: Place): ReadAt | undefined {
  const piece = pieces[at];
  if (piece && isNamed(pieces, at, lexicon)) return namedCall(piece, lexicon);
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
  const written = links.flatMap((call) => fileCallOf(call, text.slice(links[0]?.end ?? text.length)) ?? []);
  const kept = keeps
    ? assignedBefore(text.slice(Math.max(0, piece.at - MAX_PROGRAM), piece.at), piece.at, lexicon)
    : [];
  const fragmentsIn = (where: Where): Fragment[] =>
    links.flatMap(
      (call) =>
        callFragment(call, where, lexicon, (line, span) =>
          shellFragments(parseInner(line, span.at, effort), lexicon, 1),
        ) ?? [],
    );
  const inProse = gravest([...written, ...kept, ...fragmentsIn('prose')]);
  const isOpen = isAlone && STANDS_ALONE.test(piece.text) && (inProse === undefined || inProse.action === 'read');
  const inProgram = isOpen ? gravest(fragmentsIn('program')) : undefined;
  const worst = inProgram !== undefined && gravity(inProgram) >= gravity(NOT_UNDERSTOOD) ? inProgram : inProse;
  // Calls within the arguments are read by themselves.
  return worst && { fragments: [worst], end: piece.at + piece.text.length };
}
