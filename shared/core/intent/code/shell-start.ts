// Recognizes where shell commands begin in a text, and reads them to their end.
import { accountingFor, unknownCode } from './code.ts';
import { commandName, commandOf, knownCommand } from './commands.ts';
import { newEffort } from './effort.ts';
import { doingOfName } from './names.ts';
import { singular } from '../lexicon/inflection.ts';
import type { CommandEntry, Lexicon } from '../lexicon/types.ts';
import { shellFragments, unseenWriter } from './shell.ts';
import { parseShell, type Prose } from './shell-syntax.ts';
import { enclosureOf, type Piece, type Place, type ReadAt } from './start.ts';

/** The number of arguments that serve as evidence of a command within a text. */
const MAX_TELLING = 6;
/** The number of pieces of a command whose output goes to another one. */
const MAX_PIPED = 60;
const TELLS =
  /^(?:-{1,2}[a-z]|\+[a-z]{3}|\/|~|\.{1,2}\/|\*|\$|https?:\/\/|(?:if|of)=|nul$|[\w./-]+\.(?:sh|py|js|rb|pl|ps1|sql|ya?ml|json|log|txt|csv|db|tf|gz|zip|tgz|tar|md|xml|html|ts|go|conf|cfg|toml|bak|dat|iso|img)$|[\w.-]+\/$|.*[*@=:/\\]\S)/i;
const ENDS_COMMAND = new Set(['|', ';', '&&', '`', '||', ')']);
const ENCLOSES = new Set(['(', "'", '"']);
const SCRIPT = /^(?:\.{1,2}\/|~\/|\/)?[\w./-]*\.(?:sh|bash|ps1|bat|cmd|py|rb|pl|exe)[.,]?$|^\.\/[\w.-]+$/;
/** A program by its path, whatever it is called. */
const PROGRAM = /^\/(?:usr|opt|etc|s?bin|srv|home|root|tmp|var|mnt|Applications|Users)\/[\w./-]*[\w-]$/;
const ASSIGNS = /^[A-Za-z_]\w*=\S*$/;
const LOOPS = new Set(['for', 'while', 'until', 'if']);
/** What no sentence has right after a word: an option, a path, a redirection, an assignment, a substitution. */
const DASHED = /^(?:-.|[+]o$|\/|\d?>|<|[A-Za-z_]\w{0,63}=|\$|[A-Za-z]:(?:\\|$)|[nN][uU][lL]$)/;
const CMDLET = /^[A-Z][a-zA-Z]+-[A-Z][A-Za-z0-9]+$/;

/** Arguments in pieces up to the end of the command or sentence: at most MAX_TELLING, or all before the offset `until`. */
function argumentPieces(pieces: readonly Piece[], from: number, until = 0): Piece[] {
  const found: Piece[] = [];
  for (let at = from; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (!piece || ENDS_COMMAND.has(piece.text)) break;
    if (found.length >= MAX_TELLING && piece.at >= until) break;
    if (!ENCLOSES.has(piece.text)) found.push(piece);
    if (/[^./][.!?]$/.test(piece.text)) break;
  }
  return found;
}

/** The end of the first line of a text, where its first word may be a command: sentences begin with a capital. */
function endOfLine({ text, pieces, at }: Place): number {
  if (at > 0 || pieces[0]?.text !== pieces[0]?.lower) return 0;
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}

/** Whether a command that is no word of English follows the name of one that runs it: `timeout 9 gcloud`. */
const isPrefixed = (pieces: readonly Piece[], at: number, lexicon: Lexicon): boolean =>
  pieces.slice(at + 1, at + 4).some(({ text }) => {
    const entry = commandOf(commandName(text), lexicon);
    return entry !== undefined && entry.evidence !== 'option';
  });

/** Whether the output of a command goes to another one that is known. */
function leadsIntoPipe(pieces: readonly Piece[], at: number, lexicon: Lexicon): boolean {
  const last = Math.min(pieces.length, at + MAX_PIPED);
  let end = at + 1;
  let quote = '';
  for (; end < last; end += 1) {
    const text = pieces[end]?.text ?? '';
    // A parenthesis or a semicolon in quotes ends no command.
    if (text === '|' || (quote === '' && ENDS_COMMAND.has(text))) break;
    if (text === quote) quote = '';
    else if (quote === '' && (text === "'" || text === '"')) quote = text;
  }
  return pieces[end]?.text === '|' && commandOf(commandName(pieces[end + 1]?.text ?? ''), lexicon) !== undefined;
}

const TARGET = /^[a-z](?:[\w:.-]*\w)?$/;

/** Whether the words after a command are names of what it runs, and nothing else: `just ship`. What somebody makes of known things is a sentence. */
function namesTargets({ pieces, at, lexicon }: Place, entry: CommandEntry | undefined): boolean {
  if (entry?.targets === undefined || pieces[at]?.text !== pieces[at]?.lower) return false;
  const { codeWords, domainOfNoun, plurals, words } = lexicon;
  const isThing = (word: string) => !/^(?:code|infra)?$/.test(domainOfNoun.get(singular(word, plurals)) ?? '');
  const isEnd = ({ text, lower }: Piece) => ENDS_COMMAND.has(text) || codeWords.continues.has(lower);
  const end = pieces.findIndex((next, index) => index > at && isEnd(next));
  const names = pieces.slice(at + 1, end < 0 ? pieces.length : end).map(({ text }) => text);
  const isTarget = (name: string) => TARGET.test(name) && !words.of(name).isEmpty;
  return names.length > 0 && names.every((name) => isTarget(name) && (entry.evidence !== 'option' || !isThing(name)));
}

/** What ends the command before, with the blanks after it. */
const SEPARATES = /^[;|&{(`!]\s*$|\n/;

/** Whether what follows the name of a command right away shows that it is one. */
function showsCommand(place: Place, name: string, entry: CommandEntry | undefined): boolean {
  const { text: whole, pieces, at, lexicon } = place;
  const [before, own, next = '', afterNext = ''] = [at - 1, at, at + 1, at + 2].map((index) => pieces[index]?.text);
  const isCommand = (text: string) => commandOf(commandName(text), lexicon) !== undefined;
  const start = (pieces[at - 1]?.at ?? 0) + (before?.length ?? 0) - 1;
  const isFirst = at === 0 || SEPARATES.test(whole.slice(start, pieces[at]?.at));
  const isLast = next === '' || next === '}' || ENDS_COMMAND.has(next);
  return (
    namesTargets(place, lexicon.commands.get(`${name} ${next}`) ?? entry) ||
    // Most words of English that are names of commands too end here.
    (entry?.runs?.language === 'command' && isPrefixed(pieces, at, lexicon)) ||
    // `(Get-Date).AddDays(-1)`
    (next === ')' && CMDLET.test(own ?? '') && afterNext.startsWith('.')) ||
    // `read 'a[$(reboot)]'` evaluates the name.
    (/^["']$/.test(next) && /\[[$`]/.test(afterNext)) ||
    // `eval "ls | xargs rm"`
    (entry?.runs?.language === 'shell' && entry.runs.options === undefined && /^["'`$]/.test(next)) ||
    // `reboot`, `ls & reboot`
    (isFirst && isLast && entry?.effect === 'destructive') ||
    // `date;uptime`
    (/^(?:;|&&?|\|\|)$/.test(next) && isCommand(afterNext)) ||
    leadsIntoPipe(pieces, at, lexicon) ||
    argumentPieces(pieces, at + 1).some(({ text }) => /^<+$/.test(text))
  );
}

/** Whether the words after a known name show that it is meant as a command. */
function isEvident(place: Place, name: string, isEnclosed: boolean): boolean {
  const { pieces, at, opens, lexicon } = place;
  const entry = commandOf(name, lexicon);
  const next = pieces[at + 1]?.text ?? '';
  const isPiped = pieces[at - 1]?.text === '|';
  const isOption = entry?.evidence === 'option';
  const isGroup = lexicon.commandGroups.has(name) || (entry?.verbAt.length ?? 0) > 0;
  if (opens && showsCommand(place, name, entry)) return true;
  // `init 0`, `nice reboot`
  const isAll = at === 0 && pieces.length === 2;
  const isPrefix = entry?.runs?.language === 'command';
  const isRun = isPrefix && commandOf(commandName(next), lexicon)?.effect === 'destructive';
  if (isAll && (isRun || /^\d+$/.test(next))) return true;
  const isDashed = DASHED.test(next) || (at === 0 && /^-./.test(pieces[at + 2]?.text ?? ''));
  if (isOption && !isEnclosed && !isPiped && !isGroup && !(opens && isDashed)) return false;
  const args = argumentPieces(pieces, at + 1, endOfLine(place));
  const telling = args.some(({ text }) => TELLS.test(text));
  if (isPiped && (args.length === 0 || telling || !isOption)) return at > 1;
  if (opens && (isEnclosed || (!isOption && /^(?:;|\||&&|\|\|)$/.test(next)))) return true;
  const words = [name, ...args.map(({ text }) => text.replace(/[.,!?]$/, ''))];
  const known = isGroup ? knownCommand(words, lexicon) : undefined;
  if (known?.isKnown === true && known.arguments.length > 0) {
    const isTarget = known.entry.targets !== undefined;
    return opens || telling || (!isTarget && (entry?.verbAt.length === 0 || known.entry !== entry));
  }
  // Arguments in prose that name no subcommand: `use kubectl for this`.
  if (isGroup && !telling) return false;
  const dashed = DASHED.test(args[0]?.text ?? '') || (at === 0 && /^-./.test(args[1]?.text ?? ''));
  if (isOption) return opens && dashed;
  if (entry?.evidence === 'name' || entry === undefined)
    return telling || (opens && args.length > 0 && args.length < 4) || pieces.length === 1;
  return opens && telling;
}

const WORD = /^[A-Za-z'’][A-Za-z'’,.!?-]*$/;

/** Where code in a sentence ends: at a word by which that goes on, or before words that are no command. */
export const proseAround = (lexicon: Lexicon): Prose => ({
  goesOnWith: ({ after, words }) =>
    !['\n', ';', '(', ')'].includes(after) ||
    words.length < 3 ||
    !words.every(({ text }) => WORD.test(text)) ||
    commandOf(commandName(words[0]?.text ?? ''), lexicon) !== undefined,
  continues: (word) => lexicon.codeWords.continues.has(word),
});

/** Reads from a piece to the end of its quotation or of its sentence. */
function readFrom(place: Place): ReadAt | undefined {
  const { text, pieces, at, lexicon, effort } = place;
  const piece = pieces[at];
  if (!piece) return undefined;
  const around = enclosureOf(text, piece);
  // Quotes around the name alone are part of the command: `"rm" -rf x`.
  const isName = around !== undefined && around.quote !== '`' && !/\s/.test(text.slice(piece.at, around.until));
  const enclosed = isName ? undefined : around;
  const from = isName ? piece.at - 1 : piece.at;
  const prose = enclosed ? undefined : proseAround(lexicon);
  const code = parseShell(text, { from, until: enclosed?.until ?? text.length, prose, effort });
  // What was not read as a command feeds this one.
  const [first] = code.commands;
  const isPiped = first !== undefined && pieces[at - 1]?.text === '|';
  const fed = isPiped ? { command: first, before: unseenWriter(first) } : undefined;
  const fragments = shellFragments(code, lexicon, 0, fed);
  const end = Math.max(code.end, piece.at + piece.text.length);
  // The beginnings of loops that never come to a command are read once.
  const isNothing = code.commands.every(({ words }) => words.length === 0) && code.end > piece.at + piece.text.length;
  return fragments.length > 0 || isNothing
    ? { fragments: accountingFor(fragments, { at: piece.at, end }), end }
    : undefined;
}

/** The number of pieces before the commands of a loop: `for x in a b c; do`. */
const MAX_LOOP = 200;

const opensQuote = (piece: string): boolean => /^["'`(]$/.test(piece);
/** The length of assignments with quotes before a command. */
const MAX_ASSIGNED = 400;

/** Whether a known command follows assignments with quotes or substitutions: `GIT_PAGER='sh x' git log`. */
function assignsBefore({ text, pieces, at, lexicon, effort }: Place): boolean {
  const from = pieces[at]?.at ?? 0;
  const until = Math.min(text.length, from + MAX_ASSIGNED);
  effort.left -= until - from;
  const limits = { from, until, effort: newEffort(until - from, effort.about), quoting: 'posix' } as const;
  const [first, second] = parseShell(text, limits).commands.filter(({ assignments }) => assignments.length > 0);
  const head = first?.words[0] ?? second?.words[0];
  // What is cut may be a command.
  if (head === undefined || head.end >= until) return first !== undefined;
  return first !== undefined && commandOf(commandName(head.text), lexicon) !== undefined;
}

/** A function whose commands are defined: `f() { ls; }`, `function f {`. */
const DEFINES =
  /(?:[A-Za-z_]\w{0,63}\s?\(\s{0,8}\)|function\s{1,8}[A-Za-z_]\w{0,63}(?:\s{0,8}\(\s{0,8}\))?)\s{0,20}\{\s/y;

function definesFunction({ text, pieces, at, lexicon }: Place): boolean {
  DEFINES.lastIndex = pieces[at]?.at ?? 0;
  const [head = ''] = DEFINES.exec(text) ?? [];
  const inside = head === '' ? undefined : pieces.find((piece) => piece.at >= DEFINES.lastIndex);
  return inside !== undefined && commandOf(commandName(inside.text), lexicon) !== undefined;
}

/** The beginning of a loop, of a function, an assignment before a command, or an output without a command. */
function isOpening(place: Place): boolean {
  const { pieces, at, lexicon, opens } = place;
  const { text = '', lower = '' } = pieces[at] ?? {};
  if (!opens) return false;
  const next = pieces[at + 1]?.text ?? '';
  if (LOOPS.has(lower))
    return pieces
      .slice(at, at + MAX_LOOP)
      .some((piece, index, all) => /^(?:do|then)$/.test(piece.text) && all[index - 1]?.text === ';');
  const begins = at === 0 || lexicon.codeWords.runners.has(pieces[at - 1]?.lower ?? '');
  if (begins && (/^>{1,2}\|?$/.test(text) || (text === ':' && /^[>|]/.test(next)))) return next !== '';
  if (definesFunction(place)) return true;
  if (ASSIGNS.test(text) && (opensQuote(next) || ASSIGNS.test(next))) return assignsBefore(place);
  if (ASSIGNS.test(text)) return next === ';' || next === '&&' || commandOf(commandName(next), lexicon) !== undefined;
  return false;
}

/** The letters of a disguised name that are read. */
const MAX_NAME = 80;

const JOINED = /^(?:'[\w./-]*'|"[\w./-]*")/;

/** Whether a known command is written with quotes, escapes or expansions in its name: `r''m`, `r\\m`, `rm${IFS}-rf`. */
function isDisguised({ text, pieces, at, lexicon, effort }: Place): boolean {
  const piece = pieces[at];
  const end = (piece?.at ?? 0) + (piece?.text.length ?? 0);
  // A quotation that closes within the word; an apostrophe does not.
  const isQuoted = JOINED.test(text.slice(end, end + MAX_NAME));
  if (!piece || !(/[\\$]/.test(piece.text) || isQuoted)) return false;
  if (!/[a-z]/i.test(text.slice(piece.at, piece.at + MAX_NAME))) return false;
  const [from, until] = [piece.at, Math.min(text.length, piece.at + MAX_NAME)];
  const { commands } = parseShell(text, { from, until, effort: newEffort(until - from, effort.about) });
  const name = commands[0]?.words[0]?.text.trim().split(/\s/, 1)[0] ?? '';
  return name !== piece.text && commandOf(commandName(name), lexicon) !== undefined;
}

/** A program that nobody knows, with an option: `augenrules --load`. No sentence begins like this. */
const isUnknownProgram = ({ pieces, at, lexicon }: Place): boolean =>
  at === 0 &&
  /^[a-z][a-z0-9_.+-]*$/.test(pieces[0]?.text ?? '') &&
  /^--?[a-z]/i.test(pieces[1]?.text ?? '') &&
  !lexicon.verbs.has(pieces[0]?.text ?? '');

/** A program that nobody knows whose name says that it changes something: `grant-role --user guest`. */
const isTool = ({ pieces, at, lexicon }: Place): boolean =>
  /^[a-z]\w*(?:-[a-z]\w*)+$/.test(pieces[at]?.text ?? '') &&
  argumentPieces(pieces, at + 1).some(({ text }) => /^--[a-z]/.test(text)) &&
  (doingOfName(pieces[at]?.text ?? '', lexicon)?.effect ?? 'read') !== 'read';

export function shellAt(place: Place): ReadAt | undefined {
  const { text, pieces, at, opens, lexicon } = place;
  const piece = pieces[at];
  if (!piece) return undefined;
  if (isOpening(place)) return readFrom(place);
  // `. x` and `. <(x)` run a script.
  if (
    !/[a-z$]/i.test(piece.text) &&
    !(piece.text === '.' && opens && /^(?:[~.$/].|<)/.test(pieces[at + 1]?.text ?? ''))
  )
    return undefined;
  // `stripe.charges.list(` is a call.
  if (piece.text.includes('.') && text.charAt(piece.at + piece.text.length) === '(') return undefined;
  const name = commandName(piece.text);
  const isEnclosed = text.charAt(piece.at - 1) === '`';
  const entry = commandOf(name, lexicon);
  const isCmdlet = entry === undefined && CMDLET.test(piece.text) && knownCommand([piece.text], lexicon) !== undefined;
  if (entry || isCmdlet || lexicon.commandGroups.has(name))
    return isEvident(place, isCmdlet ? piece.text : name, isEnclosed) ? readFrom(place) : undefined;
  if (opens && (isDisguised(place) || isTool(place) || isUnknownProgram(place))) return readFrom(place);
  const before = pieces[at - 1]?.text === '`' ? at - 2 : at - 1;
  const isRun =
    lexicon.codeWords.scriptRunners.has(pieces[before]?.lower ?? '') || (at === 0 && /^\.{0,2}\//.test(piece.text));
  if (at === 0 && PROGRAM.test(piece.text)) return readFrom(place);
  if (opens && isRun && SCRIPT.test(piece.text)) return readFrom(place) ?? undefined;
  if (isEnclosed && isRun && /^[a-z]/.test(piece.text)) {
    const until = enclosureOf(text, piece)?.until ?? piece.at + piece.text.length;
    if (/[\s/-]/.test(text.slice(piece.at, until)))
      return { fragments: [unknownCode({ at: piece.at, end: until })], end: until };
  }
  return undefined;
}
