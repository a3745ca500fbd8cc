// Reads one shell command: by the lexicon, by the places that it is given, and by the code that it runs.
import { type Fragment, fragmentOf, gravest, readsOnly, type Span, unknownCode } from './code.ts';
import { canonical, type KnownCommand, knownCommand, runsUnseen } from './commands.ts';
import { urlFragments } from './downloads.ts';
import { doingOfName } from './names.ts';
import { isTrial, runsOthers } from './options.ts';
import type { CodeOnLine, Lexicon } from '../lexicon/types.ts';
import {
  type Before,
  codeFragments,
  type CommandLine,
  decidesWhatRuns,
  fedCode,
  isProgramming,
  fedCommands,
  loadsFirst,
  patchedFromOutside,
  readsFile,
  type Reading,
} from './shell-code.ts';
import {
  ANY_ARGUMENT,
  argumentsGiven,
  isDecidedElsewhere,
  runsLines,
  withArguments,
  withFound,
} from './given-arguments.ts';
import { backedUpOutside, fedTo, fileOfBody, givenPlaces, ownFragment, plainFragment } from './shell-files.ts';
import { codeInOptions, codesOnLine } from './shell-options.ts';
import { type ShellWord, textsOf } from './shell-words.ts';
import { editedInPlace, keepsWhatIsPrinted, programRuns } from './stream-editors.ts';

const MAX_PREFIXES = 12;

/** What one simple command does, without redirections. */
export function commandFragments(line: readonly ShellWord[], reading: Reading): Fragment[] {
  const { lexicon, prefixes } = reading;
  const words = canonical(line, lexicon);
  const [head] = words;
  if (head === undefined) return [];
  const texts = textsOf(words);
  if (/\s/.test(head.text.trim())) return reading.inner(texts.join(' '), head.at, reading);
  // `python -m pytest` runs the module as a command.
  if (/^python[\d.]*$/.test(head.text) && texts[1] === '-m' && words.length > 2 && prefixes < MAX_PREFIXES)
    return commandFragments(words.slice(2), within(reading, reading.before));
  const span = { at: head.at, end: Math.max(head.end, words.at(-1)?.end ?? 0) };
  if (MEMBER.test(head.text) && words.length === 1) return [memberFragment(head.text.slice(1), span, lexicon)];
  const known = head.isDynamic || prefixes > MAX_PREFIXES ? undefined : knownCommand(texts, lexicon);
  if (!known) return [!head.isDynamic && isTrial(texts, lexicon) ? readsOnly(span) : unknownCode(span)];
  const { command, before, inner } = reading;
  const own: CommandLine = { command, before, lexicon, prefixes, inner, known, words, texts, span };
  return known.entry.object === 'url' ? urlFragments(own) : knownFragments(own);
}

/** A member of what another command gives: `(Get-Item x).Delete()`. */
const MEMBER = /^\.[A-Za-z]\w*$/;

/** What a member of an object does, by its name: what destroys, and what only shows. Others may do anything. */
function memberFragment(name: string, span: Span, lexicon: Lexicon): Fragment {
  if (lexicon.codeWords.plainMembers.has(name.toLowerCase())) return readsOnly(span, { object: 'object' });
  const doing = doingOfName(name, lexicon);
  if (doing?.effect === 'destructive') return fragmentOf(span, { verb: name, ...doing, object: 'object' });
  return doing?.effect === 'read' ? readsOnly(span, { object: 'object' }) : unknownCode(span);
}

/** `Get-Item x | ForEach-Object Delete`, which calls this member of each. */
function membersCalled({ known: { entry, arguments: args }, span, lexicon }: CommandLine): Fragment[] {
  const [name = ''] = args;
  return entry.command === 'foreach-object' && /^[A-Za-z]\w*$/.test(name) ? [memberFragment(name, span, lexicon)] : [];
}

/** The reading of a command that the one of this reading runs. */
const within = (reading: Reading, before: Before | undefined, command = reading.command): Reading => ({
  ...reading,
  command,
  before,
  prefixes: reading.prefixes + 1,
});

/** What a command of the lexicon does: itself, with what it is fed, and beside that. */
function knownFragments(line: CommandLine): Fragment[] {
  const { known, span, lexicon } = line;
  const { entry, doing } = known;
  const plain = plainFragment(line);
  const own = ownFragment(plain, line);
  // A dry run says more than the code would, but runs what it needs: `rsync -n --rsh=x`.
  if (doing.action === 'read' && entry.action !== 'read')
    return runsForTrial(line) || line.words.some(({ text }) => runsOthers(text, lexicon))
      ? [own, unknownCode(span)]
      : [own];
  const beside = BESIDE.flatMap((reader) => reader(line));
  const sent = fedTo(line, plain);
  return entry.runs ? runFragments(entry.runs, line, { own, sent, beside }) : [...sent, own, ...beside];
}

/** Whether a copy between hosts is told to reach them by another program than that of SSH. */
const runsForTrial = (line: CommandLine): boolean =>
  line.known.entry.sends &&
  line.known.entry.runs !== undefined &&
  codesOnLine(line.known.entry.runs, line).some(([word]) => !/^ssh(?:\s[\w\s.@-]*)?$/.test(word?.text ?? ''));

/** What a command does beside its own effect, in the order in which fragments count. */
const BESIDE: readonly ((line: CommandLine) => Fragment[])[] = [
  unseenCode,
  fedCommands,
  givenPlaces,
  editedInPlace,
  codeInOptions,
  destroyedAfterDashes,
  blockFragments,
  membersCalled,
  fileOfBody,
  backedUpOutside,
  patchedFromOutside,
];

/** Whether a program is not where programs are: `./ls` may be anything. */
const isElsewhere = (path: string): boolean =>
  /[/\\]/.test(path) && !/(?:^|[/\\])\.?s?bin[/\\]|^[a-z]:\\(?:windows|program)/i.test(path);

/** Commands that evaluate the names that they are given: `test -v 'a[$(reboot)]'` runs it. */
const SETS_NAMES =
  /^(?:seq|test|\[|unset|read|declare|typeset|local|readonly|export|printf|let|mapfile|readarray|whereis)$/;

/** Code that the command runs and that is not on its line, or of which nothing is known. */
function unseenCode(line: CommandLine): Fragment[] {
  const { known, words, span, lexicon } = line;
  const { entry, loads } = known;
  const [head = ''] = line.texts;
  const isHidden = ({ text, isQuoted }: ShellWord, at: number): boolean =>
    at > 0 &&
    (runsOthers(text, lexicon) ||
      (entry.command.startsWith('git') && /^alias\..{0,80}=!/.test(text)) ||
      (isQuoted && programRuns(entry.command, text)) ||
      (SETS_NAMES.test(entry.command) && /\[[^\]]*[$`]/.test(text) && !text.startsWith('$')));
  // A plan in a file may do anything.
  const isPlanned = entry.command === 'terraform apply' && known.arguments.some((arg) => arg !== 'apply');
  const isLoaded = isPlanned || loads || loadsFirst(line) || decidesWhatRuns(line) || isDecidedElsewhere(line);
  // `./gradlew` is how a project runs its own tool.
  const isWrapper = entry.targets !== undefined && /^\.[/\\]\w+w(?:\.bat)?$/.test(head);
  const isUnseen = runsUnseen(known, lexicon) || (isElsewhere(head) && !isWrapper);
  return isUnseen || isLoaded || words.some(isHidden) ? [unknownCode(span)] : [];
}

/** A command after `--` that destroys: `npm explore x -- rm -rf y`. */
function destroyedAfterDashes(line: CommandLine): Fragment[] {
  const { entry } = line.known;
  const at = line.texts.indexOf('--');
  const isTool = entry.verbAt.length > 0 || entry.command.includes(' ');
  if (at < 0 || !isTool || entry.runs !== undefined || entry.command.startsWith('git ')) return [];
  const read = commandFragments(line.words.slice(at + 1), within(line, undefined));
  return read.filter(({ effect }) => effect === 'destructive');
}

const COMPARES = /^-i?(?:gt|lt|eq|ne|ge|le|and|or|not|match|like|notlike|notmatch|contains|in|is)$/i;

/** What the block among the words of a command does: `ForEach-Object { Remove-Item $_ }`. A comparison of values is no command. */
function blockFragments(line: CommandLine): Fragment[] {
  const { words, prefixes } = line;
  const open = words.findIndex(({ text, isQuoted }, at) => at > 0 && text === '{' && !isQuoted);
  const block = open < 0 ? [] : words.slice(open + 1).filter(({ text }) => text !== '{' && text !== '}');
  const [first, second] = block;
  const isValue = first?.text.startsWith('$') === true && (second === undefined || COMPARES.test(second.text));
  if (isValue || prefixes >= MAX_PREFIXES) return [];
  return commandFragments(block, within(line, undefined));
}

interface Beside {
  readonly own: Fragment;
  /** What the command sends of what it is fed. */
  readonly sent: readonly Fragment[];
  readonly beside: readonly Fragment[];
}

function runFragments(runs: CodeOnLine, line: CommandLine, { own, sent, beside }: Beside): Fragment[] {
  const { known, span } = line;
  const { doing } = known;
  const codes = codesOnLine(runs, line).map((code) => withFound(code, line));
  if (codes.length === 0) return withoutCode(runs, line, own, beside);
  // A path among the arguments is one of the code.
  const isOwn = (doing.action !== 'execute' && runs.options !== undefined) || doing.traits.length > 0;
  const gives = argumentsGiven(line, codes[0]);
  // What gives arguments to a command has read what it was fed.
  const inner = gives ? within(line, undefined, { ...line.command, input: undefined }) : within(line, line.before);
  const given = gives ? codes.flatMap((code) => withArguments(code, gives)) : codes;
  return [
    ...(isOwn ? [{ ...own, traits: doing.traits }] : []),
    ...sent,
    ...beside,
    ...given.flatMap((code) =>
      runs.language === 'command' ? commandFragments(code, inner) : pieceFragments(code, runs.language, line),
    ),
    ...(gives?.isUnclear || isTorn(runs, line, codes[0]) || keepsWhatIsPrinted(line, codes) ? [unknownCode(span)] : []),
  ];
}

/** What the lines do that a command reads and runs. */
function linesRun(line: CommandLine): Fragment[] {
  const isFed = line.before !== undefined || line.command.input !== undefined;
  return isFed ? fedCode(line, 'shell') : [unknownCode(line.span)];
}

/** What a command does that runs code of which none is on its line. */
function withoutCode(runs: CodeOnLine, line: CommandLine, own: Fragment, beside: readonly Fragment[]): Fragment[] {
  const { command, before, known, span } = line;
  if (runsLines(line)) return [own, ...linesRun(line), ...beside];
  // What a script does is what its options say.
  if (isScript(known) && before === undefined && isTrial(line.texts, line.lexicon)) return [readsOnly(span)];
  const fed = runsWhatItIsFed(runs, line) ? fedCode(line, runs.language) : [];
  if (fed.length > 0) return [...(own.traits.length > 0 ? [own] : []), ...fed, ...beside];
  // A shell of another user or root reads what it is given.
  if (runs.language === 'command' && command.input)
    return [own, ...codeFragments('shell', command.input.text, span, line)];
  return [own, ...beside];
}

/** Whether a file is run: `python tools/purge.py`. */
const isScript = ({ entry, arguments: [file = ''] }: KnownCommand): boolean =>
  (isProgramming(entry.runs?.language) || entry.runs?.language === 'shell') && /^[\w./~-]+\.\w{1,4}$/.test(file);

/** Whether a command runs what it is fed. A copy between places of this host runs nothing. */
function runsWhatItIsFed({ options, language }: CodeOnLine, line: CommandLine): boolean {
  const { known, command, before } = line;
  if (known.entry.sends || language === 'command') return false;
  const isFed = command.input !== undefined || before !== undefined || readsFile(command);
  return options !== undefined || language === 'sql' || (isFed && known.entry.fed !== undefined);
}

/** Whether words follow the code of a shell that it does not use: they come from quotes within quotes. */
const isTorn = ({ language, options }: CodeOnLine, line: CommandLine, code: readonly ShellWord[] = []): boolean =>
  language === 'shell' &&
  options !== undefined &&
  !line.known.entry.sends &&
  line.words.findLast(({ text }) => text !== ANY_ARGUMENT) !== code[0] &&
  !code.some(({ text }) => text.includes('$'));

/** A piece of code on a command's line. A part that is known only when it runs may be anything, but a value in SQL. */
function pieceFragments(code: readonly ShellWord[], language: CodeOnLine['language'], line: CommandLine): Fragment[] {
  const { span } = line;
  const text = textsOf(code).join(' ');
  const isDynamic = language !== 'sql' && code.some((word) => word.isDynamic);
  if (isDynamic && !/\S\s/.test(text)) return [unknownCode(span)];
  const read = codeFragments(language, text, { at: (code[0]?.at ?? span.at) + 1, end: span.end }, line, line);
  return isDynamic && gravest(read)?.effect !== 'destructive' ? [...read, unknownCode(span)] : read;
}
