// Signing keys for the processes and services of a test run, and the folders of their checkpoints.
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

/** The settings that name the log key and the promise key, which are the same for the whole run. */
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

/** The checkpoint folder that all workers of one database share. */
export function checkpointsOf(databaseUrl: string): string {
  const known = folders.get(databaseUrl) ?? temporaryFolder('checkpoints');
  folders.set(databaseUrl, known);
  return known;
}
