// Builds the command line from the list of commands. A command is a value: name, summary, usage, options and handler.
import { Command } from '@commander-js/extra-typings';
import { COMMON_EXIT_CODES, type ExitCodes, reportError } from './exit.ts';

/** The part of a command that its own file exports. */
export interface CommandBody {
  /** Adds arguments, options and the handler (`action`). */
  readonly define: (command: Command) => unknown;
  /** Exit codes beside the common ones, or a narrower meaning of those. */
  readonly exitCodes?: ExitCodes;
  /** Printed in the help below the options: examples, formats. */
  readonly notes?: string;
}

/** A command in the list. Its file is loaded only when it is named: scripts call filters in loops. */
export interface CommandEntry {
  readonly name: string;
  /** One line, for the help of the level above. */
  readonly summary: string;
  readonly load: () => Promise<CommandBody>;
}

/** A command that only holds others: `custos keys create`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: CommandList;
}

export type CommandList = readonly (CommandEntry | CommandGroup)[];

export interface ProgramOptions {
  readonly commands: CommandList;
  /** Words of the command line: the files of the commands that they name are loaded. By default all files are. */
  readonly words?: readonly string[];
  readonly version: string;
  readonly description: string;
}

/** The whole command line. Its errors are thrown; their messages begin with the name of the program. */
export async function buildProgram({ commands, words, version, description }: ProgramOptions): Promise<Command> {
  // Subcommands inherit these settings.
  const program = new Command('custos')
    .version(version)
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'custos: ')) });
  await addGroup(program, { name: 'custos', summary: description, commands }, words);
  return program;
}

/** @param words undefined to load all files */
async function addGroup(group: Command, { name, summary, commands }: CommandGroup, words?: readonly string[]) {
  describe(group, name, summary);
  for (const entry of commands) {
    const path = `${name} ${entry.name}`;
    const command = group.command(entry.name);
    const isNamed = words?.includes(entry.name) ?? true;
    // The files of a group that is not named are not loaded, even if a word is the name of one of its commands.
    if ('commands' in entry) await addGroup(command, { ...entry, name: path }, isNamed ? words : []);
    else describe(command, path, entry.summary, isNamed ? await entry.load() : undefined);
  }
}

function describe(command: Command, path: string, summary: string, body?: CommandBody): void {
  const { define, notes, exitCodes = {} } = body ?? {};
  command.description(summary).showHelpAfterError(`"${path} --help" shows its usage.`);
  define?.(command);
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`);
  command.addHelpText('after', exitCodeLines({ ...COMMON_EXIT_CODES, ...exitCodes }).join('\n'));
}

/** In ascending order, as JavaScript orders whole numbers among keys. */
function exitCodeLines(exitCodes: ExitCodes): string[] {
  return ['', 'Exit codes:', ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padEnd(3)} ${meaning}`)];
}

/** Runs a command line, given without the name of the program. Sets the exit code and prints why a command failed. */
export async function runCommandLine(args: readonly string[], options: Omit<ProgramOptions, 'words'>): Promise<void> {
  try {
    const program = await buildProgram({ ...options, words: args });
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = reportError(error);
  }
}
