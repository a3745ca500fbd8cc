// Commands of the shell as data: their schema, and the tables that the readers of code use.
import Type, { type Static } from 'typebox';
import { COMMAND_PATTERN, count, DOING, flag, list, named, object, oneOf, rows, shown } from './parts.ts';
import { doingOf, listingOnce, type Report } from './tables.ts';
import type { CommandEntry, Doing } from './types.ts';

const Option = Type.String({ pattern: '^[-/+=.:!a-zA-Z0-9][a-zA-Z0-9_.,:/=+@!~-]*\\*?$', maxLength: 40 });
const options = (example: readonly string[]) => Type.Optional(list(Option, example));
const CommandName = Type.String({ pattern: COMMAND_PATTERN, maxLength: 60 });

const Runs = object(
  'runs',
  {
    language: oneOf(['command', 'shell', 'sql', 'script', 'python', 'javascript'], 'shell'),
    options: options(['-c', '--command']),
    skip: count(0, 3, 1),
    dashed: flag,
  },
  { examples: [{ language: 'shell', options: ['-c'] }] },
);

export const Command = object('command', {
  command: shown(CommandName, 'git push'),
  also: Type.Optional(list(CommandName, ['unlink'])),
  ...DOING,
  object: Type.Optional(named('branch')),
  domain: Type.Optional(named('code')),
  evidence: Type.Optional(oneOf(['name', 'option'], 'option')),
  verbAt: Type.Optional(rows(Type.Integer({ minimum: 1, maximum: 5 }), [2], { uniqueItems: true, maxItems: 5 })),
  valued: options(['-n', '--namespace']),
  dryRun: options(['--dry-run']),
  options: Type.Optional(
    rows(object('optionRule', { any: list(Option, ['-f', '--force']), ...DOING }), [
      { any: ['--force'], action: 'delete', traits: ['irreversible'] },
    ]),
  ),
  runs: Type.Optional(Runs),
  fed: Type.Optional(object('fed', DOING, { examples: [{ action: 'send', traits: ['external'] }] })),
  sends: flag,
  asks: flag,
  loads: options(['-f', 'core.pager=*']),
  readsCommands: flag,
  unseen: flag,
  targets: Type.Optional(oneOf(['all', 'first'], 'all')),
});

const word = (pattern: string, maxLength = 40) => Type.String({ pattern, maxLength });
const parts = (example: readonly string[]) => list(word('^[a-z0-9]+$'), example);

export const CommandVerbs = rows(
  object('commandVerbGroup', { ...DOING, words: list(word('^[a-z0-9]+(-[a-z0-9]+)*$'), ['rb', 'rmtree']) }),
  [{ action: 'delete', words: ['rb', 'rmtree'] }],
);

export const CommandNouns = rows(
  object('commandNounGroup', {
    ...DOING,
    words: parts(['policy', 'acl']),
    verbs: Type.Optional(parts(['disable', 'stop'])),
  }),
  [{ action: 'grant', traits: ['privileged'], words: ['policy', 'acl'] }],
);

export const Emptying = rows(
  object('emptyingGroup', {
    settings: parts(['replicas', 'retention']),
    values: list(Type.String({ minLength: 1, maxLength: 20 }), ['0', '0s']),
  }),
  [{ settings: ['replicas'], values: ['0'] }],
);

export const SameCommands = rows(
  object('sameCommand', {
    command: shown(word('^[a-z0-9._-]+$'), 'docker'),
    also: list(word('^[a-z0-9._-]+( [a-z0-9._-]+)?$', 60), ['nerdctl', 'docker container']),
  }),
  [{ command: 'docker', also: ['nerdctl', 'docker container'] }],
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
