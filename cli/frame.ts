// The frame of every command: exit codes, errors that a person can act on, and lines on standard error.
import { CommanderError } from 'commander';
import { printable } from '../shared/core/proof/encoding.ts';

/** Exit codes of every command. Codes from 5 on belong to one command, which lists them in its help. */
export const EXIT = { ok: 0, failed: 1, usage: 2, broken: 3, negative: 4 } as const;

/** For `addHelpText('after', ...)`. */
export const COMMON_EXIT_CODES = `
Exit codes:
  0  The command succeeded.
  1  The command failed or was refused; standard error has the reason.
  2  The command line or the input can't be used, or something that it names does not exist.
`;

/** A refusal that a person caused and can act on; its message is one or more sentences. Exit code 1 unless another is given. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** Arguments, options or input that a command can't use, or a name of something that does not exist. Exit code 2. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, { exitCode: EXIT.usage });
  }
}

/** Writes a line for a person to standard error; standard output is for the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Shows a refusal, each line with the program's name. */
function complain(message: string): void {
  for (const line of message.split('\n')) say(`custos: ${printable(line)}`);
}

/** Shows why a command failed: an expected error as its sentences, any other with its stack. @returns the exit code */
export async function reportError(error: unknown): Promise<number> {
  // Commander has written its message already. `--help` and `--version` also end as an error, with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CommandError) {
    complain(error.message);
    return error.exitCode;
  }
  // Loaded on failure only: its imports include the database driver, which filters do not need.
  const { isExpected } = await import('./expected-errors.ts');
  if (isExpected(error)) complain(error.message);
  else say(`custos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failed;
}
