// What one command does, by the lexicon: its subcommands, options, dry runs and values.
import { commandEntry } from '../lexicon/commands.ts';
import type { CodeOnLine, CommandEntry, Doing, Lexicon } from '../lexicon/types.ts';
import { gravest, gravity, READS, WRITES } from './code.ts';
import { doingOfName, isActing, isDestroying, partsOf, verbIn, withMoney, withNouns } from './names.ts';
import { doingInReads, EMPTIES, emptiesSetting, SETTING, settingsOfWords } from './settings.ts';
import {
  argumentsOf,
  eitherOf,
  hasDestroyingOption,
  hasOption,
  isDryRun,
  isOption,
  mayHaveValues,
  writesByOption,
} from './options.ts';

/** A command of the lexicon with the words that it was found by. */
export interface KnownCommand {
  readonly entry: CommandEntry;
  /** Words of the line that are subcommands or arguments, without options and their values. */
  readonly arguments: readonly string[];
  /** The rest of the line is understood by this entry; false: it has a subcommand that is not known. */
  readonly isKnown: boolean;
  readonly doing: Doing;
  /** Options with a value of their own. */
  readonly valued: ReadonlySet<string>;
  /** It runs what an option names, which is not seen. */
  readonly loads: boolean;
}

/** `/usr/bin/rm` and `rm.exe` count as `rm`. */
export function commandName(word: string): string {
  if (word.length > 200) return '';
  const lower = word.toLowerCase();
  const name = lower.slice(Math.max(lower.lastIndexOf('/'), lower.lastIndexOf('\\')) + 1);
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}

const IS_SCRIPT = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|ps1|bat|cmd|[cm]?[jt]s|lua)$/;

/** The entry of a command: `mkfs.ext4` counts as `mkfs`, `python3.12` as `python`, but `test.sh` is no `test`. */
export function commandOf(name: string, lexicon: Lexicon): CommandEntry | undefined {
  const own = lexicon.commands.get(name);
  if (own || IS_SCRIPT.test(name)) return own;
  const dot = name.indexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return lexicon.commands.get(stem) ?? lexicon.commands.get(stem.replace(/\d{1,2}$/, ''));
}

const HELP = new Set(['--help', '--version', '-h', '-v', '-V', '-?', 'help', 'version']);
const SUBCOMMAND = /^[a-z][\w:-]*$/i;

/** Whether a line only asks how a command is used: `df --version`, `helm uninstall --help`. */
function asksForHelp(words: readonly string[], { effect, unseen }: CommandEntry): boolean {
  const last = words.at(-1) ?? '';
  if (words.length === 2)
    return /^--(?:help|version)$/.test(last) || (HELP.has(last) && !unseen && effect !== 'destructive');
  return last === '--help' && words.slice(1, -1).every((word) => SUBCOMMAND.test(word));
}

function withOptions(doing: Doing, { options }: CommandEntry, words: readonly string[]): Doing {
  let gravest = doing;
  for (const rule of options)
    if (gravity(rule) > gravity(gravest) && [...rule.any].some((option) => hasOption(words, option))) gravest = rule;
  return gravest;
}

/** `docker service scale web=0`, `heroku ps:scale worker=0`, `docker compose up --scale web=0` */
const scalesToNothing = (words: readonly string[]): boolean =>
  words.some((word) => /(?:^|:|-)scale$/.test(word)) && words.some((word) => /^[\w.-]+=0$/.test(word));

/** The words of a command by the name that the lexicon has for it: `docker container ls`, `nerdctl ls` are `docker ls`. */
export function canonical<Word extends { readonly text: string }>(
  words: readonly Word[],
  lexicon: Lexicon,
): readonly Word[] {
  const [head] = words;
  if (head === undefined) return words;
  const name = commandName(head.text);
  const groups = lexicon.sameCommands.get(name);
  if (groups === undefined) return words;
  const valued = commandOf(name, lexicon)?.valued;
  let at = 1;
  while (at < words.length && isOption(words[at]?.text ?? '')) at += valued?.has(words[at]?.text ?? '') ? 2 : 1;
  const group = words[at]?.text ?? '';
  const same = groups.get(group) ?? groups.get('');
  if (same === undefined) return words;
  const rest = groups.has(group) && group !== '' ? words.toSpliced(at, words[at + 1]?.text === '--' ? 2 : 1) : words;
  const named = [{ ...head, text: same }, ...rest.slice(1)];
  // `nerdctl container ls` has both.
  return same === name ? named : canonical(named, lexicon);
}

interface Found {
  readonly entry: CommandEntry;
  readonly isKnown: boolean;
  readonly doing: Doing;
  readonly subcommands: readonly string[];
}

/** The subcommand of a line, and what it does, without its options. */
function subcommandOf(base: CommandEntry, subcommands: readonly string[], lexicon: Lexicon): Found {
  let [entry, isKnown, path] = [base, true, base.command.split(' ', 1)[0] ?? ''];
  let depth = 0;
  // A number is one only where it is listed: `chmod 644`, but not `kill 644`.
  const mayBe = (name: string): boolean => /\D/.test(name) || lexicon.commands.has(`${path} ${name}`);
  while (depth < 2 && lexicon.commandGroups.has(path) && mayBe(subcommands[depth] ?? '')) {
    path = `${path} ${subcommands[depth]?.toLowerCase()}`;
    depth += 1;
    const found = lexicon.commands.get(path);
    if (found) entry = found;
    isKnown = found !== undefined;
    if (!isKnown && !lexicon.commandGroups.has(path)) break;
  }
  if (isKnown && entry === base && depth > 0 && !base.command.includes(' ')) isKnown = false;
  let doing: Doing = entry;
  const verbs = isKnown && entry !== base ? [] : base.verbAt;
  if (verbs.length > 0 && subcommands.length > 0) {
    // Only verbs of commands show that something is read: `compute` in `gcloud compute` is none.
    const isVerb = (name: string) => partsOf(name).some((part) => lexicon.commandVerbs.has(part));
    const found = verbs.flatMap((at) => {
      const name = subcommands[at - 1] ?? '';
      // What is put there by a variable or another command is not known: `kubectl $(cat f)`.
      const one = /[$`]/.test(name) ? undefined : doingOfName(name, lexicon);
      return one === undefined || (one.effect === 'read' && !isVerb(name)) ? [] : one;
    });
    isKnown = found.length > 0;
    doing = withMoney(gravest(found) ?? doing, subcommands.slice(0, 3), lexicon);
    doing = withNouns(doing, subcommands.slice(0, Math.max(...verbs)), lexicon);
  }
  return { entry, isKnown, doing, subcommands };
}

/** A line as it is understood when options that nobody knows have no values, or when they have. The graver of both counts. */
function foundIn(
  words: readonly string[],
  base: CommandEntry,
  lexicon: Lexicon,
): Found & { readonly valued: ReadonlySet<string> } {
  const { valued } = base;
  const plain = { ...subcommandOf(base, argumentsOf(words, valued), lexicon), valued };
  if (!lexicon.commandGroups.has(base.command) && base.verbAt.length === 0) return plain;
  const unknown = mayHaveValues(words, eitherOf(valued, plain.entry.valued));
  if (unknown.length === 0) return plain;
  const more = new Set([...valued, ...unknown]);
  const other = { ...subcommandOf(base, argumentsOf(words, more), lexicon), valued: more };
  return other.isKnown && other.subcommands.length > 0 && gravity(other.doing) > gravity(plain.doing) ? other : plain;
}

/** The command of a line by the lexicon; undefined for one that it has not. */
export function knownCommand(line: readonly string[], lexicon: Lexicon): KnownCommand | undefined {
  const named = canonical(
    line.map((text) => ({ text })),
    lexicon,
  );
  const words = named.map(({ text }) => text);
  const name = commandName(words[0] ?? '');
  const base =
    commandOf(name, lexicon) ??
    cmdletOf(words[0] ?? '', lexicon) ??
    lexicon.commands.get(`${name} ${argumentsOf(words, new Set())[0]?.toLowerCase()}`);
  if (!base) return undefined;
  const found = foundIn(words, base, lexicon);
  const { entry, subcommands } = found;
  let { doing, isKnown } = found;
  if (entry.targets !== undefined) isKnown = !runsUnseen({ entry, arguments: subcommands }, lexicon);
  const valued = eitherOf(found.valued, entry.valued);
  const own = ownWords(words, entry, valued);
  // Rules of the command itself hold for its subcommands too.
  doing = withOptions(doing, base, own);
  if (entry !== base) doing = withOptions(doing, entry, own);
  if (doing.effect !== 'read' && gravity(doing) < gravity(EMPTIES)) doing = weakened(own, lexicon) ?? doing;
  const destroys = () =>
    (doing.effect !== 'read' && hasDestroyingOption(own, lexicon)) ||
    emptiesSetting(own.slice(1).join(' ').replace(LIMITS_TOOL, ' '), lexicon) ||
    scalesToNothing(own);
  if (gravity(doing) < gravity(EMPTIES) && destroys()) doing = EMPTIES;
  // An option of a command that it runs is not one of its own.
  if (entry.runs?.language !== 'command' && isDryRun(words, base, entry)) [doing, isKnown] = [READS, true];
  if (doing.effect === 'read' && writesByOption(own, lexicon)) doing = WRITES;
  if (gravity(doing) < gravity(EMPTIES)) {
    const args = own.slice(1);
    const maySet = (at: number) =>
      !MESSAGE.test(args[at - 1] ?? '') && (doing.effect !== 'read' || valued.has(args[at - 1] ?? ''));
    doing = doingInReads(args.join(' '), () => settingsOfWords(args, maySet), lexicon) ?? doing;
  }
  if (onlyShows(words, entry)) [doing, isKnown] = [READS, true];
  if (entry.runs?.language !== 'command' && asksForHelp(words, entry)) [doing, isKnown] = [READS, true];
  // `gh workflow run wipe.yml`
  const runsDestroyer = () =>
    doing.action === 'execute' &&
    entry.runs === undefined &&
    subcommands.slice(0, 2).some((name) => RUNS.test(name)) &&
    subcommands.slice(1).some((name) => partsOf(name).some((part) => isDestroying(part, lexicon)));
  // `psql -f -` runs what it is fed, which is read.
  const isFile = (word: string, at: number) => !(FILE.test(word) && own[at + 1] === '-');
  const loading = entry.runs?.language === 'sql' ? own.filter(isFile) : own;
  const loads =
    doing !== READS &&
    (runsDestroyer() ||
      [...base.loads, ...entry.loads].some((option) => hasOption(loading, option) || hasGlued(loading, option)));
  return { entry, arguments: subcommands, isKnown, doing, valued, loads };
}

/** Limits of what a tool itself does, which keep nothing: `eslint --max-warnings 0`. */
const LIMITS_TOOL = /--(?:max|min)-(?:warnings|errors|failures|retries|redirs?|depth)(?:=|\s)-?\d+/g;

/** Commands that only show something when nothing is set: `mount`, `sysctl vm.swappiness`. */
const onlyShows = (words: readonly string[], { command }: CommandEntry): boolean =>
  /^(?:mount|sysctl(?: (?:-[anNbeq]|[a-z][\w.-]*))*)$/.test([command, ...words.slice(1)].join(' '));

/** Whether what a command runs is not seen: a program, or a part of a project that is none of the plain ones: `just ship`. */
export function runsUnseen({ entry, arguments: given }: Pick<KnownCommand, 'entry' | 'arguments'>, lexicon: Lexicon) {
  if (!entry.unseen || entry.targets === undefined) return entry.unseen;
  const own = given.slice(entry.command.split(' ').length - 1);
  const targets = entry.targets === 'all' ? own : own.slice(0, 1);
  return targets.length === 0 || !targets.every((target) => isPlainTarget(target, lexicon));
}

/** `test`, `test:unit`, `api:lint`, but not `test:deploy`. */
function isPlainTarget(target: string, lexicon: Lexicon): boolean {
  const parts = target.toLowerCase().split(/[:._-]+/);
  const isPlain = (part: string) => lexicon.codeWords.plainTargets.has(part);
  const isNamed = /^[\w:.-]+$/.test(target) && (isPlain(parts[0] ?? '') || isPlain(parts.at(-1) ?? ''));
  return isNamed && parts.every((part) => isPlain(part) || !isActing(part, lexicon));
}

const FILE = /^(?:-f|--file)$/;
/** Options whose value somebody reads. */
const MESSAGE = /^(?:-m|--(?:message|body|title|notes|description|subject|comment))$/;
const RUNS = /^(?:run|start|invoke|exec|execute|trigger|dispatch|call|submit)$/;

/** An option of one letter with its value right after it: `-fdrop.sql`. */
const hasGlued = (words: readonly string[], option: string): boolean =>
  /^-[a-zA-Z]$/.test(option) && words.some((word) => word.length > 2 && word.startsWith(option));

/** The words of a command without those of a command that it runs. */
function ownWords(
  words: readonly string[],
  { runs, command }: CommandEntry,
  valued: ReadonlySet<string>,
): readonly string[] {
  if (runs === undefined || runs.options !== undefined || runs.dashed || runs.language === 'sql') return words;
  const at = restAt(runs, words, command, valued);
  return at < 0 ? words : words.slice(0, at);
}

/** Where the words after the options and the arguments of a command begin that runs the rest of its line: `kubectl exec POD -- CMD`. */
export function restAt(
  { language, skip = 0, dashed }: CodeOnLine,
  words: readonly string[],
  command: string,
  valued: ReadonlySet<string>,
): number {
  if (dashed === true) return words.includes('--') ? words.indexOf('--') + 1 : -1;
  // The subcommands come before the code too.
  const most = skip + command.split(' ').length - 1;
  let skipped = 0;
  for (let at = 1; at < words.length; at += 1) {
    const text = words[at] ?? '';
    if (text === '--') return at + 1;
    if (valued.has(text)) at += 1;
    else if (/^-./.test(text) || (language === 'command' && /^[A-Za-z_]\w*=/.test(text) && skipped === 0)) continue;
    else if (skipped >= most) return at;
    else skipped += 1;
  }
  return -1;
}

const OPENS: Doing = { action: 'grant', effect: 'write', traits: ['privileged', 'external'] };
const OFF = /^(?:false|0|off|no|none|disabled?|suspended|inactive|never)$/i;
const ON = /^(?:true|1|on|yes|enabled?|allow|all|blob|container)$/i;
const SWITCH = new Set(['enabled', 'enable', 'status', 'state']);

/** A protection is switched off, or something is opened to everybody: `--no-deletion-protection`, `Status=Suspended`, `--public true`. */
function weakened(words: readonly string[], { codeWords }: Lexicon): Doing | undefined {
  const protects = (names: readonly string[]) => names.some((part) => codeWords.protections.has(part));
  const isGuarded = () => protects(words.slice(1).flatMap(partsOf));
  const isSwitch = (names: readonly string[]) => names.some((part) => SWITCH.has(part));
  const stops = words.some((word) => codeWords.stoppers.has(word.toLowerCase()));
  if (stops && words.some((word) => codeWords.guards.has(word.toLowerCase().replace(/\.service$/, '')))) return EMPTIES;
  for (const word of words) {
    const [, left] = /^--(?:no|disable|skip|without)-([a-z-]+)$/.exec(word) ?? [];
    const names = left === undefined ? [] : partsOf(left);
    if (protects(names) || (isSwitch(names) && isGuarded())) return EMPTIES;
  }
  for (const [, name = '', value = ''] of words.slice(1).join(' ').matchAll(SETTING)) {
    const names = partsOf(name);
    if (OFF.test(value) && (protects(names) || (isSwitch(names) && isGuarded()))) return EMPTIES;
    if (ON.test(value) && names.some((part) => codeWords.exposures.has(part))) return OPENS;
  }
  return undefined;
}

const CMDLET = /^[A-Z][a-zA-Z]+-[A-Z][A-Za-z0-9]+$/;

/** A PowerShell command, whose name begins with its verb: `Remove-ADUser`. */
function cmdletOf(word: string, lexicon: Lexicon): CommandEntry | undefined {
  if (!CMDLET.test(word)) return undefined;
  const doing = verbIn((word.split('-')[0] ?? '').toLowerCase(), lexicon);
  if (!doing) return undefined;
  // `LocalUser` is one word of the lexicon.
  const { action, effect, traits } = withNouns(doing, [word, word.slice(word.indexOf('-') + 1).toLowerCase()], lexicon);
  const dryRun = ['-WhatIf', '-whatif'];
  return commandEntry(word.toLowerCase(), { action, effect, traits, evidence: 'name', dryRun });
}
