// Commands that are filters: JSON in on standard input, an answer on standard output, 2 for input that cannot be used.
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import type { CommanderError } from 'commander';

/** Exit code for input that cannot be used, as opposed to an answer that is no. */
export const BAD_INPUT = 2;

/** Input or arguments that a command cannot use; its message is a sentence for a person. */
export class InputError extends Error {}

/** The bytes of a source as text. @throws {InputError} when they are not UTF-8 */
export function textOf(bytes: Uint8Array, what: string): string {
  try {
    // A byte order mark is no white space of JSON: it stays, and is refused there.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(`${what} is not UTF-8.`);
  }
}

/** All of standard input. */
export async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** Strict JSON from standard input. @throws {InputError} */
export async function readJsonInput(): Promise<unknown> {
  const text = textOf(await readStandardInput(), 'Standard input');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new InputError(`Standard input is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** Runs a command; input that it cannot use becomes a sentence on standard error and exit code 2. */
export async function runFilter(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    process.stderr.write(`custos: ${error.message}\n`);
    process.exitCode = BAD_INPUT;
  }
}

/** For Command.exitOverride: arguments that cannot be used are bad input, too, and no "no". */
export function exitAsFilter({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : BAD_INPUT);
}
