// How a command ends: exit codes, errors that a person can act on, and lines on standard error.
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError } from '@commander-js/extra-typings';
import { ApiError } from '../shared/kernel/errors.ts';
import { OperatorError } from '../shared/kernel/operator-error.ts';
import { fileFailure } from '../shared/platform/files/reasons.ts';
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

/** Time for a reader to take the last output of a command that is over. */
export const LAST_OUTPUT_MS = 200;

/**
 * As exitWith, for a command that serves until it is stopped. Then it ends, although a reader of its output that does not
 * read leaves a write pending, which keeps a process of Node. Other commands wait: their output is their result.
 */
export function exitAfterServing<Args extends unknown[]>(
  work: (...args: Args) => Promise<number>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const code = await work(...args).catch(reportError);
    const taken = [process.stdout, process.stderr]
      .filter(({ writableLength }) => writableLength > 0)
      .map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve())));
    await Promise.race([Promise.all(taken), delay(LAST_OUTPUT_MS)]);
    process.exit(code);
  };
}

/** Writes a line for a person to standard error; standard output is for the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints why a command failed: sentences for an expected error and for one of the file system, the stack of any other. @returns the exit code */
export function reportError(error: unknown): number {
  // Commander has printed its message already. `--help` and `--version` also end as an error, with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof OperatorError || error instanceof ApiError)
    for (const line of error.message.split('\n')) say(`custos: ${printable(line)}`);
  else say(`custos: ${sentenceOf(error) ?? stackOf(error)}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}

/** A file or folder that the command can't use, where the command itself has no better sentence. */
function sentenceOf(error: unknown): string | undefined {
  const { code, reason, file } = fileFailure(error) ?? {};
  return reason === undefined || file === undefined
    ? undefined
    : printable(`${file} can't be used: ${reason} (${code}).`);
}

function stackOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.split('\n').map(printable).join('\n');
}
