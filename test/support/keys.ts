// Keys that processes and services of a test run sign with, and where they keep what they signed.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './folders.ts';

export interface TestKeyFiles {
  readonly CUSTOS_SIGNING_KEY_FILE: string;
  readonly CUSTOS_PROMISE_KEY_FILE: string;
}

let files: TestKeyFiles | undefined;
const folders = new Map<string, string>();

/** One log key and one promise key for the whole run, as the settings that name them. */
export function testKeyFiles(): TestKeyFiles {
  if (files === undefined) {
    const folder = temporaryFolder('keys');
    const make = (name: string): string => {
      const file = path.join(folder, name);
      const { privateKey } = generateKeyPairSync('ed25519');
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      return file;
    };
    files = { CUSTOS_SIGNING_KEY_FILE: make('log.pem'), CUSTOS_PROMISE_KEY_FILE: make('promise.pem') };
  }
  return files;
}

/** The folder in which all workers of one database keep their checkpoints. */
export function checkpointsOf(databaseUrl: string): string {
  const known = folders.get(databaseUrl) ?? temporaryFolder('checkpoints');
  folders.set(databaseUrl, known);
  return known;
}
