// The log key of this process: read from its file, and the same one that every other worker of the database has.
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Sql } from '../db/database.ts';
import { ensureSecretFingerprint } from '../keys/fingerprints.ts';
import { keyIdOf, loadPrivateKey } from '../proof/keys.ts';

/**
 * Reads CUSTOS_SIGNING_KEY_FILE.
 * @throws {SecretMismatchError} when the database knows another log key: `custos log rotate-key` changes it
 * @throws {TypeError} when the file holds no Ed25519 key; the file system's error when it can't be read
 */
export async function readSigningKey(sql: Sql, file: string | undefined): Promise<KeyObject> {
  if (file === undefined) throw new TypeError('CUSTOS_SIGNING_KEY_FILE is needed by workers');
  const key = loadPrivateKey(await readFile(file, 'utf8'));
  await ensureSecretFingerprint(sql, 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(key));
  return key;
}
