// Commands of the shell as data: their schema, and the tables that the readers of code use.
import Type, { type Static } from 'typebox';
import { closed, COMMAND_PATTERN, count, DOING, flag, list, named } from './parts.ts';
import { doingOf, listingOnce, type Report } from './tables.ts';
import type { CommandEntry, Doing } from './types.ts';

const Option = Type.String({ pattern: '^[-/+=.:!a-zA-Z0-9][a-zA-Z0-9_.,:/=+@!~-]*\\*?$', maxLength: 40 });
const options = (description: string, example: readonly string[]) => Type.Optional(list(Option, description, example));

const OptionRule = Type.Object(
  {
    any: list(
      Option,
      'One of these options or arguments is there. `-f` is found within `-rf` too; `*` at the end stands for any rest.',
      ['-f', '--force'],
    ),
    ...DOING,
  },
  { ...closed, description: 'What the command does with these options.' },
);

const Runs = Type.Object(
  {
    language: Type.Enum(['command', 'shell', 'sql', 'script', 'python', 'javascript'], {
      description: 'What it runs: the rest of the line as a command, or code of this language.',
      examples: ['shell'],
    }),
    options: options(
      'The options whose value is the code; with `skip`, the arguments are code too. Absent: the arguments are.',
      ['-c', '--command'],
    ),
    skip: count(0, 3, 'The number of arguments before the code.', 1),
    dashed: flag('The code is what follows `--`, and nothing else.'),
  },
  {
    ...closed,
    description: 'How a command runs code that is on its line.',
    examples: [{ language: 'shell', options: ['-c'] }],
  },
);

export const Command = Type.Object(
  {
    command: Type.String({
      pattern: COMMAND_PATTERN,
      maxLength: 60,
      description: 'The command as it is typed, with at most two subcommands.',
      examples: ['git push'],
    }),
    also: Type.Optional(
      list(
        Type.String({ pattern: COMMAND_PATTERN, maxLength: 60 }),
        'Further commands for which all of this holds too.',
        ['unlink'],
      ),
    ),
    ...DOING,
    object: Type.Optional(named('The object when the command line names none.', 'branch')),
    domain: Type.Optional(named('The domain, whatever the object.', 'code')),
    evidence: Type.Optional(
      Type.Enum(['name', 'option'], {
        description:
          'What shows in prose that it is the command: its name alone, or an option right after it (for words of English). Absent: an option, a path or a URL.',
        examples: ['option'],
      }),
    ),
    verbAt: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 5 }), {
        uniqueItems: true,
        maxItems: 5,
        description:
          'Which of its subcommands may be the verb: 2 in `aws s3api delete-bucket`. Unknown verbs are not understood.',
        examples: [[2]],
      }),
    ),
    valued: options('Options with a value of their own, which is no subcommand.', ['-n', '--namespace']),
    dryRun: options('Options with which nothing is changed.', ['--dry-run']),
    options: Type.Optional(
      Type.Array(OptionRule, {
        description: 'What certain options change; the gravest counts.',
        examples: [[{ any: ['--force'], action: 'delete', traits: ['irreversible'] }]],
      }),
    ),
    runs: Type.Optional(Runs),
    fed: Type.Optional(
      Type.Object(DOING, {
        ...closed,
        description: 'What it does with the output of another command, beside all else.',
        examples: [{ action: 'send', traits: ['external'] }],
      }),
    ),
    sends: flag('It copies to its last address; outside, that is sending.'),
    asks: flag('It asks the hosts among its arguments. A host name that is put together from data sends this data.'),
    loads: options('Options with which it runs what they name or hold, which is not understood.', [
      '-f',
      'core.pager=*',
    ]),
    readsCommands: flag('What it is fed are commands of its own, one a line.'),
    unseen: flag('It runs what is not on its line, so its effect is not known.'),
    targets: Type.Optional(
      Type.Enum(['all', 'first'], {
        description: 'Which arguments name what it runs, which is seen for `plainTargets`.',
        examples: ['all'],
      }),
    ),
  },
  { ...closed, description: 'A shell command, with its subcommands where they decide (`git push`).' },
);

export const CommandVerbs = Type.Array(
  Type.Object(
    {
      ...DOING,
      words: list(
        Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 40 }),
        'Verbs of subcommands and functions, where they mean something else than in a sentence.',
        ['rb', 'rmtree'],
      ),
    },
    { ...closed, description: 'Verbs of one class.' },
  ),
  {
    description: 'Verbs of subcommands and of functions; others are verbs of this lexicon.',
    examples: [[{ action: 'delete', words: ['rb', 'rmtree'] }]],
  },
);

const Parts = (description: string, example: readonly string[]) =>
  list(Type.String({ pattern: '^[a-z0-9]+$', maxLength: 40 }), description, example);

export const CommandNouns = Type.Array(
  Type.Object(
    {
      ...DOING,
      words: Parts('Parts of the names of subcommands that say what is changed.', ['policy', 'acl']),
      verbs: Type.Optional(Parts('The verbs beside them. Absent: any that changes something.', ['disable', 'stop'])),
    },
    { ...closed, description: 'What a change of these things is.' },
  ),
  {
    description:
      'Nouns in the names of subcommands that make a change graver than its verb: `put-bucket-policy`, `stop-logging`.',
    examples: [[{ action: 'grant', traits: ['privileged'], words: ['policy', 'acl'] }]],
  },
);

export const Emptying = Type.Array(
  Type.Object(
    {
      settings: Parts('Words in the names of settings that keep things.', ['replicas', 'retention']),
      values: list(Type.String({ minLength: 1, maxLength: 20 }), 'Values with which nothing is left.', ['0', '0s']),
    },
    { ...closed, description: 'Settings, and the values that empty what they keep.' },
  ),
  {
    description: 'Settings by which something is emptied: `--replicas=0`.',
    examples: [[{ settings: ['replicas'], values: ['0'] }]],
  },
);

export const SameCommands = Type.Array(
  Type.Object(
    {
      command: Type.String({
        pattern: '^[a-z0-9._-]+$',
        maxLength: 40,
        description: 'A command.',
        examples: ['docker'],
      }),
      also: list(
        Type.String({ pattern: '^[a-z0-9._-]+( [a-z0-9._-]+)?$', maxLength: 60 }),
        'Commands, or groups of subcommands, that have the same subcommands.',
        ['nerdctl', 'docker container'],
      ),
    },
    { ...closed, description: 'A command by other names.' },
  ),
  {
    description: 'Commands whose subcommands are those of another one.',
    examples: [[{ command: 'docker', also: ['nerdctl', 'docker container'] }]],
  },
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
