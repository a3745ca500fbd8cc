// Files and verifier keys that offline commands are given; everything unreadable becomes a usage error.
import { readFileSync } from 'node:fs';
import { quoted } from '../shared/core/proof/encoding.ts';
import { ProofError } from '../shared/core/proof/failures.ts';
import { type TrustedKey, trustKey, trustPublishedKeys } from '../shared/core/proof/keys.ts';
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import { UsageError } from './frame.ts';
import { textOf } from './stdin.ts';

/** The keys of --vkey and --keys. @throws {UsageError} when one can't be read */
export function trustedKeysOf(options: {
  readonly vkey?: readonly string[] | undefined;
  readonly keys?: string | undefined;
}): TrustedKey[] {
  const { vkey = [], keys } = options;
  try {
    const trusted = vkey.map((text) => trustKey(text));
    if (keys !== undefined) trusted.push(...trustPublishedKeys(parseJson(textOf(readFile(keys), quoted(keys)))));
    return trusted;
  } catch (error) {
    if (error instanceof ProofError) throw new UsageError(error.message);
    if (error instanceof JsonError) throw new UsageError(`The keys are not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** @throws {UsageError} when the file can't be read */
export function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

/** An error of the file system as a usage error; any other error is returned unchanged. */
export function asUnreadable(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return new UsageError(`${quoted(file)} cannot be read (${String(error.code)}).`);
}

/** Collects an option that may be repeated. Not variadic, because that would also take the arguments that follow. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
