// Finds code in a text. The effect of such code outweighs the words around it. Each reader recognizes the code of one family.
import { callAt } from './call-start.ts';
import { cypherAt } from './cypher.ts';
import { newEffort } from './effort.ts';
import {
  accountingFor,
  fileWrite,
  type Fragment,
  fragmentOf,
  gravity,
  isNowhere,
  type Span,
  unknownCode,
  WRITES,
} from './code.ts';
import { graphAt, httpAt, urlAt } from './http-start.ts';
import { firstOf } from '../first-of.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { configurationIn } from './configuration.ts';
import { type JudgedSettings, settingsAlone, settingsOnly } from './judged-settings.ts';
import { programIn } from './program/program.ts';
import type { ReadTool } from './program/tools.ts';
import type { UnreadProgram } from './program/tree.ts';
import { redisAt } from './redis-start.ts';
import { writtenPlace } from './shell-files.ts';
import { shellFragments } from './shell.ts';
import { shellAt } from './shell-start.ts';
import { parseInner } from './shell-syntax.ts';
import { sqlAt } from './sql-start.ts';
import { opensAt, type Piece, piecesOf, type Place, type Reader } from './start.ts';
import { type GivenText, givenTexts, toolCallsIn } from './tool-calls.ts';

/** Beyond this number of pieces of code, only those that do something new are kept, because the last one may matter most. */
const MAX_FRAGMENTS = 40;

/** The readers, in the order in which they are tried. */
const READERS: readonly Reader[] = [sqlAt, cypherAt, httpAt, graphAt, shellAt, redisAt, callAt, urlAt];

/** Output of any command redirected into a file: `print "hi" > /etc/motd`. Only a path distinguishes it from a comparison. */
function redirectAt(pieces: readonly Piece[], at: number, lexicon: Lexicon): Fragment[] {
  const piece = pieces[at];
  const glued = /^(?:1|&)?>{1,2}\|?(.*)$/s.exec(piece?.text ?? '')?.[1];
  if (piece === undefined || at === 0 || glued === undefined) return [];
  const next = pieces[/^["']$/.test(pieces[at + 1]?.text ?? '') ? at + 2 : at + 1];
  const target = glued === '' && next !== undefined ? next : piece;
  const path = glued || target.text;
  if (!/^(?:~|\.{1,2})?\/[\w.~-]/.test(path) || isNowhere(path)) return [];
  const span = { at: piece.at, end: target.at + target.text.length };
  return [fileWrite(path, span), ...writtenPlace(path, span, lexicon)];
}

/** A line that is a comment. One that goes on from the line before, or says to run something, is none. */
const COMMENT = /^(?<![\\`^]\r?\n)[ \t]*(?:#(?!!)|--\s|\/\/|;\s|::\s)[^\n]*/gm;
const NEGATED = /\b(?:never|not|don't|no longer|was|were|calls|used to|removed|moved|disabled)\b/i;
const NUMBERED = /^[\s#;/:-]{1,12}(?:step\b|\d)/i;

/** Strings and comments of SQL. Where dialects differ about where a string ends, there is no comment. */
const IN_SQL = /'[^']*'|"[^"]*"|`[^`]*`|(\/\*(?![!+])(?:[^*]|\*(?!\/))*\*\/|(?<![^\s;])--\s[^\n]*)|\/\*[^]*/g;
const OPENS_SQL = /^\s*(?:(?:\/\*(?![!+])(?:[^*]|\*(?!\/))*\*\/|--\s[^\n]*\n)\s*)*([a-z]+)\s/i;

/** The comments of a script, or of a statement of SQL. */
export function commentsIn(text: string, { codeWords }: Lexicon): Span[] {
  const isSql = /--|\/\*/.test(text) && codeWords.sqlHeads.has(OPENS_SQL.exec(text)?.[1]?.toLowerCase() ?? '');
  const ofSql =
    isSql && !/\\|\$\w*\$/.test(text) ? Array.from(text.matchAll(IN_SQL)).filter(([, one]) => one !== undefined) : [];
  const ofLines = text.includes('\n') ? [...text.matchAll(COMMENT)] : [];
  const says = (line: string) =>
    NUMBERED.test(line) ||
    (!NEGATED.test(line) &&
      line
        .toLowerCase()
        .split(/[^a-z]+/)
        .some((word) => codeWords.runners.has(word)));
  return [...ofLines, ...ofSql]
    .filter(([line]) => !says(line))
    .map(({ 0: line, index }) => ({ at: index, end: index + line.length }));
}

/** Whether a text calls tools: their arguments look like settings where each has a line of its own. */
const callsTools = (text: string): boolean => toolCallsIn(text).some(({ isSurely }) => isSurely);

/** A program that is all of a text, of which everything is understood. */
export interface WholeProgram {
  readonly onlyWrites: boolean;
  /** Comments, and texts that are no part of a statement. */
  readonly remarks: readonly Span[];
}

export interface CodeOfText {
  readonly fragments: readonly Fragment[];
  readonly program?: WholeProgram;
  /** Why a program is not read, and from where on. */
  readonly unread?: UnreadProgram;
}

const MAX_GIVEN = 100;
const ONE_WORD = /^\S*$/;
const COMMAND_ALONE = /^[a-z][a-z-]*$/;

/** The code in what a call is given: a word may be anything, but for a command that destroys. */
function codeIn({ key, text }: GivenText, lexicon: Lexicon): readonly Fragment[] {
  const { searchFields, textFields } = lexicon.codeWords;
  const last = key.toLowerCase();
  // What is looked for is no command, but may be a statement; what people are told, or a file holds, runs nothing that is not known.
  const found = fragmentsOf(text, lexicon).filter(({ action, language }) => {
    if (searchFields.has(last)) return language === 'sql';
    return !(textFields.has(last) && action === 'unknown');
  });
  if (!ONE_WORD.test(text)) return found;
  return COMMAND_ALONE.test(text) ? found.filter(({ effect }) => effect === 'destructive') : [];
}

/** The code in what calls of tools are given. What surrounds it is JSON, in which `"id": 7` is no command. */
function fragmentsGiven(texts: readonly GivenText[], whole: string, lexicon: Lexicon): Fragment[] {
  const { kept, isCut } = firstOf([...new Map(texts.map((one) => [one.text, one])).values()], MAX_GIVEN);
  const found = kept.flatMap((given) => {
    const at = Math.max(0, whole.indexOf(JSON.stringify(given.text).slice(1, -1)));
    const span = { at, end: Math.min(whole.length, at + given.text.length) };
    return codeIn(given, lexicon).map((one) => ({ ...one, ...span }));
  });
  return isCut ? [...found, unknownCode({ at: 0, end: whole.length })] : found;
}

/** What a command line does that a configuration holds. */
function heldCommand(line: string, span: Span, lexicon: Lexicon): Fragment[] {
  const does = shellFragments(parseInner(line, 0, newEffort(line.length)), lexicon, 1);
  return does.length === 0 ? [unknownCode(span)] : does.map((one) => ({ ...one, ...span }));
}

/** The code in a text, in order. What the comments of a script mention is none, unless the text has no other code. */
export const fragmentsOf = (text: string, lexicon: Lexicon): readonly Fragment[] => codeOf(text, lexicon).fragments;

/** The same, with the program that the text is. Without `readTool`, calls of what that does not define are not understood. */
export function codeOf(text: string, lexicon: Lexicon, readTool?: ReadTool): CodeOfText {
  const whole = { at: 0, end: text.length };
  const given = givenTexts(text);
  if (given !== undefined) return { fragments: fragmentsGiven(given, text, lexicon) };
  const program = programIn(text, lexicon);
  // What its lines do counts, too.
  if (program?.unread) {
    const unknown = unknownCode(whole, { object: program.unread.why, domain: 'code' });
    return { fragments: [...fragmentsInAndBeside(text, lexicon), unknown], unread: program.unread };
  }
  const effort = newEffort(text.length);
  const runShell = (line: string) => shellFragments(parseInner(line, 0, effort), lexicon, 1);
  const done = program?.does({ runShell, readTool });
  const remarks = done?.fragments && program ? program.remarks() : [];
  // Code in a comment may be what comes next.
  const isSaid = ({ at, end }: Span) =>
    fragmentsBeside([], text.slice(at, end), lexicon).every(({ effect }) => effect === 'read');
  if (done?.fragments && (program?.reads === true || remarks.every(isSaid)))
    return {
      fragments: accountingFor(done.fragments, whole),
      program: { onlyWrites: done.onlyWrites, remarks },
    };
  const configuration = configurationIn(text, lexicon);
  const settings = settingsOnly(text, configuration, lexicon);
  // Words of a command are no names with values: of one that destroys, or of a grave one where no line says that it is a command.
  const isCode = ({ form }: JudgedSettings) =>
    form !== 'assigned' &&
    fragmentsBeside([], text, lexicon).some(
      (one) => one.effect === 'destructive' || (form === 'lines' && gravity(one) > gravity(WRITES)),
    );
  if (
    settings !== undefined &&
    !callsTools(text) &&
    fragmentsBeside([], settings.around, lexicon).length === 0 &&
    !isCode(settings)
  )
    return {
      fragments: [settings.change, ...settings.commands.flatMap((command) => heldCommand(command, whole, lexicon))],
    };
  const all = fragmentsInAndBeside(text, lexicon);
  // A configuration that no other reader takes.
  if (!all.some(({ effect, action }) => effect === 'destructive' || action === 'unknown') && !callsTools(text))
    all.push(...settingsAlone(text, configuration, lexicon));
  // A program that does more than read is none of its lines alone.
  const isMore =
    program !== undefined &&
    (program.sendsUnseen ||
      done?.isRefused === true ||
      (program.surelyActs && all.every(({ effect }) => effect === 'read')));
  return { fragments: isMore ? [...all, unknownCode(whole)] : all };
}

function fragmentsInAndBeside(text: string, lexicon: Lexicon): Fragment[] {
  const comments = commentsIn(text, lexicon);
  const found = comments.length > 0 ? fragmentsBeside(comments, text, lexicon) : [];
  if (found.length === 0) return fragmentsBeside([], text, lexicon);
  const mentioned = comments.flatMap(({ at, end }) =>
    fragmentsBeside([], text.slice(at, end), lexicon).map((fragment) => ({
      ...fragment,
      at: fragment.at + at,
      end: fragment.end + at,
      inComment: true,
    })),
  );
  return [...found, ...mentioned].sort((a, b) => a.at - b.at);
}

const isWithin = (spans: readonly Span[], offset: number): boolean =>
  spans.some(({ at, end }) => at <= offset && offset < end);

function fragmentsBeside(comments: readonly Span[], text: string, lexicon: Lexicon): Fragment[] {
  const pieces = piecesOf(text);
  const found: Fragment[] = [];
  const bomb = /:\s?\(\s?\)\s?\{/.exec(text);
  if (bomb) {
    const span = { at: bomb.index, end: bomb.index + bomb[0].length };
    const what = { object: 'process', extent: 'all', traits: ['irreversible'] } as const;
    found.push(fragmentOf(span, { verb: 'fork-bomb', action: 'execute', effect: 'destructive', ...what }));
  }
  const effort = newEffort(text.length);
  let until = 0;
  // Beyond the limit, more of the same says nothing new.
  const kinds = new Set<string>();
  const kindOf = ({ action, effect, traits }: Fragment): string => [action, effect, ...traits].join(' ');
  const push = (fragment: Fragment): void => {
    if (found.length >= MAX_FRAGMENTS && kinds.has(kindOf(fragment))) return;
    found.push(fragment);
    kinds.add(kindOf(fragment));
  };
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (!piece || piece.at < until || isWithin(comments, piece.at)) continue;
    // A redirection adds nothing to a command that already writes.
    if (piece.text.includes('>') && found.at(-1)?.effect !== 'write') redirectAt(pieces, at, lexicon).forEach(push);
    if (effort.left <= 0) break;
    const opens = opensAt(text, pieces, at, lexicon);
    const place: Place = { text, pieces, at, lexicon, opens, effort };
    for (const reader of READERS) {
      const read = reader(place);
      if (!read) continue;
      read.fragments.forEach(push);
      until = read.end;
      break;
    }
  }
  if (effort.left <= 0) push(unknownCode({ at: until, end: until }));
  return found;
}
