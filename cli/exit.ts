// How a command ends: exit codes, errors that a person can act on, and lines on standard error.
import { CommanderError } from '@commander-js/extra-typings';
import { ApiError } from '../shared/kernel/errors.ts';
import { OperatorError } from '../shared/kernel/operator-error.ts';
import { printable } from '../shared/core/proof/encoding.ts';

/** Exit codes that mean the same in every command. A command with further codes lists them in its help. */
export const EXIT = { ok: 0, failed: 1, usage: 2, broken: 3, unmet: 4 } as const;

/** Meanings by exit code, for help texts. */
export type ExitCodes = Readonly<Record<number, string>>;

export const COMMON_EXIT_CODES: ExitCodes = {
  [EXIT.ok]: 'The command succeeded.',
  [EXIT.failed]: 'The command failed or was refused; standard error has the reason.',
  [EXIT.usage]: "The command line or the input can't be used, or something that it names does not exist.",
};

/** Exit code 1 unless another is given. */
export class CommandError extends OperatorError {
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

/** Makes a handler of a function that returns an exit code. */
export function exitWith<Args extends unknown[]>(
  work: (...args: Args) => number | Promise<number>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    process.exitCode = await work(...args);
  };
}

/** Writes a line for a person to standard error; standard output is for the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints why a command failed: the sentences of an expected error, the stack of any other. @returns the exit code */
export function reportError(error: unknown): number {
  // Commander has printed its message already. `--help` and `--version` also end as an error, with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof OperatorError || error instanceof ApiError)
    for (const line of error.message.split('\n')) say(`custos: ${printable(line)}`);
  else say(`custos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
