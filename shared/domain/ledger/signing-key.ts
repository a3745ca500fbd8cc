// The log key of this process: read from its file, and the same one that every other worker of the database has.
import type { KeyObject } from 'node:crypto';
import type { Sql } from '../../platform/db/database.ts';
import { ensureSecretFingerprint } from '../../platform/db/fingerprints.ts';
import { keyIdOf } from '../../core/proof/keys.ts';
import { readKeyFile } from './key-file.ts';

/**
 * Reads CUSTOS_SIGNING_KEY_FILE.
 * @throws {SecretMismatchError} when the database knows another log key: `custos log rotate-key` changes it
 * @throws {ConfigError} when there is no such file, or no Ed25519 key in it
 */
export async function readSigningKey(sql: Sql, file: string | undefined): Promise<KeyObject> {
  const key = await readKeyFile('CUSTOS_SIGNING_KEY_FILE', file);
  await ensureSecretFingerprint(sql, 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(key));
  return key;
}
