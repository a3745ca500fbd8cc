// Commands of the shell as data: their schema, and the tables that the readers of code use.
import Type, { type Static } from 'typebox';
import { COMMAND_PATTERN, count, DOING, flag, list, Name, object, oneOf, rows } from './parts.ts';
import { doingOf, listingOnce, type Report } from './tables.ts';
import type { CommandEntry, Doing } from './types.ts';

const Option = Type.String({ pattern: '^[-/+=.:!a-zA-Z0-9][a-zA-Z0-9_.,:/=+@!~-]*\\*?$', maxLength: 40 });
const Options = Type.Optional(list(Option));
const CommandName = Type.String({ pattern: COMMAND_PATTERN, maxLength: 60 });

const Runs = object('runs', {
  language: oneOf(['command', 'shell', 'sql', 'script', 'python', 'javascript']),
  options: Options,
  skip: count(0, 3),
  dashed: flag,
});

export const Command = object('command', {
  command: CommandName,
  also: Type.Optional(list(CommandName)),
  ...DOING,
  object: Type.Optional(Name),
  domain: Type.Optional(Name),
  evidence: Type.Optional(oneOf(['name', 'option'])),
  verbAt: Type.Optional(rows(Type.Integer({ minimum: 1, maximum: 5 }), { uniqueItems: true, maxItems: 5 })),
  valued: Options,
  dryRun: Options,
  options: Type.Optional(rows(object('optionRule', { any: list(Option), ...DOING }))),
  runs: Type.Optional(Runs),
  fed: Type.Optional(object('fed', DOING)),
  sends: flag,
  asks: flag,
  loads: Options,
  readsCommands: flag,
  unseen: flag,
  targets: Type.Optional(oneOf(['all', 'first'])),
});

const word = (pattern: string, maxLength = 40) => Type.String({ pattern, maxLength });
const Parts = list(word('^[a-z0-9]+$'));

export const CommandVerbs = rows(
  object('commandVerbGroup', { ...DOING, words: list(word('^[a-z0-9]+(-[a-z0-9]+)*$')) }),
);
export const CommandNouns = rows(object('commandNounGroup', { ...DOING, words: Parts, verbs: Type.Optional(Parts) }));
export const Emptying = rows(
  object('emptyingGroup', { settings: Parts, values: list(Type.String({ minLength: 1, maxLength: 20 })) }),
);
export const SameCommands = rows(
  object('sameCommand', {
    command: word('^[a-z0-9._-]+$'),
    also: list(word('^[a-z0-9._-]+( [a-z0-9._-]+)?$', 60)),
  }),
);

/** The name of a command by the first word of its other names and the second, which may be empty. Mistakes are reported. */
export function compileSameCommands(
  groups: Static<typeof SameCommands> | undefined,
  report: Report,
): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { command, also } of groups ?? [])
    for (const name of also) {
      const [first = '', second = ''] = name.split(' ');
      found.set(first, (found.get(first) ?? new Map<string, string>()).set(second, command));
    }
  // Names are followed until there is no other one, so two that lead to each other would have no end.
  for (const [at, { command }] of (groups ?? []).entries()) {
    const other = found.get(command)?.get('');
    if (other !== undefined)
      report(`/sameCommands/${at}/command`, `"${command}" is listed as another name of "${other}"`);
  }
  return found;
}

type File = { readonly commands: readonly Static<typeof Command>[] };

/** Every command of a file with its entry and its JSON pointer. */
export const namedCommands = ({ commands }: File) =>
  commands.flatMap((entry, at) => [
    { name: entry.command, entry, pointer: `/commands/${at}/command` },
    ...(entry.also ?? []).map((name, index) => ({ name, entry, pointer: `/commands/${at}/also/${index}` })),
  ]);

/** Of commands that name none: what they do is done to machines. */
const DEFAULT_DOMAIN = 'infra';

type Given = Omit<Static<typeof Command>, 'command' | 'also' | keyof Doing> & Pick<Doing, 'action'> & Partial<Doing>;

/** A command as the readers of code use it. */
export const commandEntry = (command: string, entry: Given) => ({
  command,
  ...doingOf(entry),
  object: entry.object,
  domain: entry.domain ?? DEFAULT_DOMAIN,
  evidence: entry.evidence,
  verbAt: entry.verbAt ?? [],
  valued: new Set(entry.valued),
  dryRun: new Set(entry.dryRun),
  options: (entry.options ?? []).map((rule) => ({ ...doingOf(rule), any: new Set(rule.any) })),
  runs: entry.runs,
  fed: entry.fed === undefined ? undefined : doingOf(entry.fed),
  sends: entry.sends ?? false,
  asks: entry.asks ?? false,
  unseen: entry.unseen ?? false,
  targets: entry.targets,
  loads: new Set(entry.loads),
  readsCommands: entry.readsCommands ?? false,
});

export function compileCommands(file: File, report: Report): Map<string, CommandEntry> {
  const found = new Map<string, CommandEntry>();
  const isFirst = listingOnce(report);
  for (const { name, entry, pointer } of namedCommands(file)) {
    if (isFirst(name, pointer, `the command "${name}" is listed twice`)) found.set(name, commandEntry(name, entry));
  }
  return found;
}

/** The commands whose next words decide, and the beginnings of those with two. */
export function commandGroups(commands: Iterable<string>): Set<string> {
  return new Set(
    [...commands].flatMap((command) => {
      const words = command.split(' ');
      return words.slice(1).map((_, at) => words.slice(0, at + 1).join(' '));
    }),
  );
}

/** Verbs of subcommands and functions by word. */
export const compileCommandVerbs = (groups: Static<typeof CommandVerbs> = []): Map<string, Doing> =>
  new Map(groups.flatMap((group) => group.words.map((word) => [word, doingOf(group)] as const)));

/** Nouns in the names of subcommands that make a change graver. */
export const compileCommandNouns = (groups: Static<typeof CommandNouns> = []) =>
  groups.map((group) => ({
    ...doingOf(group),
    words: new Set(group.words),
    /** Undefined: any verb. */
    verbs: group.verbs && new Set(group.verbs),
  }));

/** Values that empty, by the words in the names of their settings. */
export function compileEmptying(groups: Static<typeof Emptying> = []): Map<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { settings, values } of groups)
    for (const setting of settings) found.set(setting, new Set([...(found.get(setting) ?? []), ...values]));
  return found;
}
