// Standard input of filter commands, read whole and checked.
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import { UsageError } from './frame.ts';

/** The bytes of a source as text. @throws {UsageError} when they are not UTF-8 */
export function textOf(bytes: Uint8Array, what: string): string {
  try {
    // A byte order mark is no white space of JSON: it stays, and is refused there.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${what} is not UTF-8.`);
  }
}

/** All of standard input. */
export async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** Strict JSON from standard input. @throws {UsageError} */
export async function readJsonInput(): Promise<unknown> {
  const text = textOf(await readStandardInput(), 'Standard input');
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new UsageError(`Standard input is not valid JSON: ${error.message}.`);
    throw error;
  }
}
