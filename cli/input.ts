// What commands read: files, standard input and trusted keys. Input that can't be used becomes a usage error.
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { quoted } from '../shared/core/proof/encoding.ts';
import { ProofError } from '../shared/core/proof/failures.ts';
import { type TrustedKey, trustKey, trustPublishedKeys } from '../shared/core/proof/keys.ts';
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import { UsageError } from './exit.ts';

/** @throws {UsageError} when the file can't be read */
export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/** The lines of a file, without their ends. @throws {UsageError} when it can't be read */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const input = createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw asUnreadable(file, error);
  } finally {
    input.destroy();
  }
}

/** An error of the file system as a usage error; any other error is returned unchanged. */
function asUnreadable(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return new UsageError(`${quoted(file)} cannot be read (${String(error.code)}).`);
}

/** All of standard input. */
export async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** Strict JSON. @param source its name in errors @throws {UsageError} when it is not UTF-8 or not strict JSON */
export function parseJsonInput(bytes: Uint8Array, source: string): unknown {
  let text: string;
  try {
    // A byte order mark is kept, so that the JSON parser refuses it.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8.`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new UsageError(`${source} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** The values of --vkey and --keys, as commander parses them. */
export interface KeyOptions {
  readonly vkey?: readonly string[] | undefined;
  readonly keys?: string | undefined;
}

/** The keys of --vkey and --keys. @throws {UsageError} when one can't be used */
export function trustedKeysOf({ vkey = [], keys }: KeyOptions): TrustedKey[] {
  try {
    const published = keys === undefined ? [] : trustPublishedKeys(parseJsonInput(readFile(keys), quoted(keys)));
    return [...vkey.map((text) => trustKey(text)), ...published];
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(error.message) : error;
  }
}
