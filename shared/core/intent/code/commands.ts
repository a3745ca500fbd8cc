// What one command does, by the lexicon: its subcommands, options, dry runs and values.
import { singular } from '../lexicon/inflection.ts';
import type { CommandEntry, Doing, Lexicon } from '../lexicon/types.ts';
import { gravity } from './code.ts';
import { argumentsOf, hasDestroyingOption, hasOption, isDryRun, isOption, writesByOption } from './options.ts';

/** A command of the lexicon with the words that it was found by. */
export interface KnownCommand {
  readonly entry: CommandEntry;
  /** Words of the line that are subcommands or arguments, without options and their values. */
  readonly arguments: readonly string[];
  /** The rest of the line is understood by this entry; false: it has a subcommand that is not known. */
  readonly isKnown: boolean;
  readonly doing: Doing;
}

/** `/usr/bin/rm` and `rm.exe` count as `rm`. */
export function commandName(word: string): string {
  if (word.length > 200) return '';
  const lower = word.toLowerCase();
  const name = lower.slice(Math.max(lower.lastIndexOf('/'), lower.lastIndexOf('\\')) + 1);
  return name.endsWith('.exe') ? name.slice(0, -4) : name;
}

/** The entry of a command: `mkfs.ext4` counts as `mkfs`, `python3.12` as `python`. */
export function commandOf(name: string, lexicon: Lexicon): CommandEntry | undefined {
  const own = lexicon.commands.get(name);
  if (own) return own;
  const dot = name.indexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return lexicon.commands.get(stem) ?? lexicon.commands.get(stem.replace(/\d{1,2}$/, ''));
}

/** The parts of a name: `delete-bucket`, `apps:destroy`, `deleteMany`. */
export const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

function verbIn(word: string, lexicon: Lexicon): Doing | undefined {
  const known = lexicon.commandVerbs.get(word);
  if (known) return known;
  const verb = lexicon.verbs.get(word);
  return verb === undefined || verb.weak ? undefined : verb;
}

/** What the verb in the name of a subcommand or function does: the whole name, or else its first or its last part. */
export function doingOfName(name: string, lexicon: Lexicon): Doing | undefined {
  if (name.length > 80) return undefined;
  const parts = partsOf(name);
  const and = parts.indexOf('and');
  // `findOneAndDelete` does both.
  if (and > 0) {
    const both = [parts.slice(0, and), parts.slice(and + 1)].flatMap(
      (some) => doingOfName(some.join('-'), lexicon) ?? [],
    );
    return both.length > 0 ? both.reduce((a, b) => (gravity(b) > gravity(a) ? b : a)) : undefined;
  }
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const doing = verbIn(parts.join('-'), lexicon) ?? verbIn(first, lexicon) ?? verbIn(last, lexicon);
  // `sendPayment` moves money, as in a sentence.
  const rule = parts.length > 1 && doing?.effect === 'write' && lexicon.refinements.get(first);
  const refined = rule
    ? rule.find(({ action, objects }) => action === 'transfer' && parts.some((part) => objects?.has(part)))
    : undefined;
  return refined ?? doing;
}

const MOVES: Doing = { action: 'transfer', effect: 'write', traits: ['financial'] };

/** Whether a name is one of a movement of money: `payouts`, `transfer`. */
export function isMoney(name: string, lexicon: Lexicon): boolean {
  const noun = singular(name.toLowerCase(), lexicon.plurals);
  return lexicon.verbs.get(noun)?.action === 'transfer' && lexicon.domainOfNoun.get(noun) === 'payments';
}

/** Creating a payment moves money: `payouts create`, `stripe.transfers.create()`. */
export function withMoney(doing: Doing, names: readonly string[], lexicon: Lexicon): Doing {
  const makes = doing.effect === 'write' && (doing.action === 'create' || doing.action === 'send');
  return makes && names.some((name) => isMoney(name, lexicon)) ? MOVES : doing;
}

const MAY_EMPTY = /[\d]|no(?:ne|thing)|null/i;
const SETTING =
  /(?<![\w.])([a-z][\w.-]{0,60})(?=["']?\s{0,3}[=: \t]\s{0,3}["']?(?:interval\s{1,3}["']?)?(-?[\w.%]{1,12})(?![\w.]))/gi;

/** `1` in a unit as short as that is nothing too: `retention_ms: 1`. */
function isNothing(parts: readonly string[], value: string, lexicon: Lexicon): boolean {
  const isShort =
    value === '1' && parts.some((part) => /^(?:ms|millis|s|secs?|seconds?|minutes|hours|days)$/.test(part));
  return parts.some(
    (part) => (lexicon.emptying.get(part)?.has(value) ?? false) || (isShort && lexicon.emptying.has(part)),
  );
}

const valuesByLexicon = new WeakMap<Lexicon, ReadonlySet<string>>();

/** All values that leave nothing of some setting. */
function emptyValues(lexicon: Lexicon): ReadonlySet<string> {
  let values = valuesByLexicon.get(lexicon);
  if (values === undefined) {
    values = new Set(['1', ...[...lexicon.emptying.values()].flatMap((of) => [...of])]);
    valuesByLexicon.set(lexicon, values);
  }
  return values;
}

/** Whether a setting that keeps something is set to nothing: `--replicas=0`, `maxmemory 1`, `"retention": 0`. */
export function emptiesSetting(text: string, lexicon: Lexicon): boolean {
  if (lexicon.emptying.size === 0 || !MAY_EMPTY.test(text)) return false;
  const values = emptyValues(lexicon);
  for (const [, name = '', value = ''] of text.matchAll(SETTING)) {
    const lower = value.toLowerCase();
    if (values.has(lower) && isNothing(partsOf(name), lower, lexicon)) return true;
  }
  return false;
}

const MAY_DISABLE = /[01]|true|false|yes|no|o(?:n|ff)|ed\b|(?:in|de)active/i;

/** Whether what an update sets ends or disables something: `active = false`, `"status": "suspended"`. */
export function disablesSomething(text: string, { disabling }: Lexicon): boolean {
  if (disabling.size === 0 || !MAY_DISABLE.test(text)) return false;
  for (const [, name = '', value = ''] of text.matchAll(SETTING))
    if (partsOf(name).some((part) => disabling.get(part)?.has(value.toLowerCase()))) return true;
  return false;
}

/** A setting is set to nothing, or an option destroys. */
export const EMPTIES: Doing = { action: 'delete', effect: 'destructive', traits: ['irreversible'] };
const WRITES: Doing = { action: 'update', effect: 'write', traits: [] };
const READS: Doing = { action: 'read', effect: 'read', traits: [] };
const HELP = new Set(['--help', '--version', '-h', '-v', '-V', '-?', 'help', 'version']);
const SUBCOMMAND = /^[a-z][\w:-]*$/i;

/** Whether a line only asks how a command is used: `df --version`, `helm uninstall --help`. */
function asksForHelp(words: readonly string[], { effect, unseen }: CommandEntry): boolean {
  const last = words.at(-1) ?? '';
  if (words.length === 2)
    return /^--(?:help|version)$/.test(last) || (HELP.has(last) && !unseen && effect !== 'destructive');
  return last === '--help' && words.slice(1, -1).every((word) => SUBCOMMAND.test(word));
}

/** The gravest of what a command does with its options. */
function withOptions(doing: Doing, { options }: CommandEntry, words: readonly string[]): Doing {
  let gravest = doing;
  for (const rule of options)
    if (gravity(rule) > gravity(gravest) && [...rule.any].some((option) => hasOption(words, option))) gravest = rule;
  return gravest;
}

/** A change is graver by what it changes: `put-bucket-policy`, `stop-logging`. */
export function withNouns(doing: Doing, names: readonly string[], { commandNouns }: Lexicon): Doing {
  if (doing.effect === 'read' || commandNouns.length === 0) return doing;
  const parts = new Set(names.flatMap(partsOf));
  const has = (words: ReadonlySet<string>) => [...parts].some((part) => words.has(part));
  return commandNouns.reduce(
    (gravest: Doing, rule) =>
      gravity(rule) > gravity(gravest) && has(rule.words) && (rule.verbs === undefined || has(rule.verbs))
        ? rule
        : gravest,
    doing,
  );
}

/** `docker service scale web=0`, `heroku ps:scale worker=0`, `docker compose up --scale web=0` */
const scalesToNothing = (words: readonly string[]): boolean =>
  words.some((word) => /(?:^|:|-)scale$/.test(word)) && words.some((word) => /^[\w.-]+=0$/.test(word));

/** The command of a line by the lexicon; undefined for one that it has not. */
export function knownCommand(words: readonly string[], lexicon: Lexicon): KnownCommand | undefined {
  const name = commandName(words[0] ?? '');
  const base =
    commandOf(name, lexicon) ?? cmdletOf(words[0] ?? '', lexicon) ?? onlyWithSubcommand(name, words, lexicon);
  if (!base) return undefined;
  const subcommands = argumentsOf(words, base.valued);
  let [entry, isKnown, path] = [base, true, base.command.split(' ', 1)[0] ?? ''];
  let depth = 0;
  while (depth < 2 && lexicon.commandGroups.has(path) && /\D/.test(subcommands[depth] ?? '')) {
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
    const found = verbs.flatMap((at) => doingOfName(subcommands[at - 1] ?? '', lexicon) ?? []);
    isKnown = found.length > 0;
    doing = found.reduce((a, b) => (gravity(b) > gravity(a) ? b : a), found[0] ?? doing);
    doing = withMoney(doing, subcommands.slice(0, 3), lexicon);
    doing = withNouns(doing, subcommands.slice(0, Math.max(...verbs)), lexicon);
  }
  // Rules of the command itself hold for its subcommands too.
  doing = withOptions(doing, base, words);
  if (entry !== base) doing = withOptions(doing, entry, words);
  const destroys = () =>
    (doing.effect !== 'read' && hasDestroyingOption(words, lexicon)) ||
    emptiesSetting(words.slice(1).join(' '), lexicon) ||
    scalesToNothing(words);
  if (gravity(doing) < gravity(EMPTIES) && destroys()) doing = EMPTIES;
  // An option of a command that it runs is not one of its own.
  if (entry.runs?.language !== 'command' && isDryRun(words, base, entry)) [doing, isKnown] = [READS, true];
  if (doing.effect === 'read' && writesByOption(words, lexicon)) doing = WRITES;
  if (entry.runs?.language !== 'command' && asksForHelp(words, entry)) [doing, isKnown] = [READS, true];
  return { entry, arguments: subcommands, isKnown, doing };
}

/** A command of which the lexicon has only subcommands. */
const onlyWithSubcommand = (name: string, words: readonly string[], { commandGroups, commands }: Lexicon) =>
  commandGroups.has(name)
    ? commands.get(
        `${name} ${words
          .slice(1)
          .find((word) => !isOption(word))
          ?.toLowerCase()}`,
      )
    : undefined;

const CMDLET = /^[A-Z][a-zA-Z]+-[A-Z][A-Za-z0-9]+$/;
const WHAT_IF: ReadonlySet<string> = new Set(['-WhatIf', '-whatif']);

/** A PowerShell command, whose name begins with its verb: `Remove-ADUser`. */
function cmdletOf(word: string, lexicon: Lexicon): CommandEntry | undefined {
  if (!CMDLET.test(word)) return undefined;
  const doing = verbIn((word.split('-')[0] ?? '').toLowerCase(), lexicon);
  if (!doing) return undefined;
  const { action, effect, traits } = withNouns(doing, [word], lexicon);
  const none = {
    valued: new Set<string>(),
    options: [],
    runs: undefined,
    fed: undefined,
    asks: false,
    sends: false,
    unseen: false,
  };
  const what = { command: word.toLowerCase(), object: undefined, domain: undefined, evidence: 'name' as const };
  return { ...what, ...none, action, effect, traits, verbAt: [], dryRun: WHAT_IF };
}
