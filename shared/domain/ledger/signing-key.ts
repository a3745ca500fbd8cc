// The log key of this process. All workers of a database must have the same one.
import type { KeyObject } from 'node:crypto';
import type { Sql } from '../../platform/db/database.ts';
import { ensureSecretFingerprint, SIGNING_KEY } from '../../platform/db/fingerprints.ts';
import { keyIdOf } from '../../core/proof/keys.ts';
import { readKeyFile } from './key-file.ts';

/**
 * Reads CUSTOS_SIGNING_KEY_FILE.
 * @throws {SecretMismatchError} when the database knows another log key: `custos log rotate-key` changes it
 * @throws {ConfigError} when the file cannot be read, or holds no Ed25519 key
 */
export async function readSigningKey(sql: Sql, file: string): Promise<KeyObject> {
  const key = await readKeyFile(SIGNING_KEY, file);
  await ensureSecretFingerprint(sql, SIGNING_KEY, keyIdOf(key));
  return key;
}
