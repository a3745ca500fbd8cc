// Reads private keys from the files that the settings name.
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../platform/config/config.ts';
import { loadPrivateKey } from '../../core/proof/keys.ts';

export type KeySetting = 'CUSTOS_SIGNING_KEY_FILE' | 'CUSTOS_PROMISE_KEY_FILE';

/** @throws {ConfigError} when the file cannot be read, or holds no Ed25519 private key */
export async function readKeyFile(name: KeySetting, file: string): Promise<KeyObject> {
  let pem: string;
  try {
    pem = await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new ConfigError([`${name} names ${file}, which cannot be read (${String(error.code)}).`]);
  }
  try {
    return loadPrivateKey(pem);
  } catch (error) {
    // The file may hold a secret of another kind, so its content is not repeated.
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([
      `${name} names ${file}, which holds no Ed25519 private key (PKCS 8, PEM). This makes one: openssl genpkey -algorithm ed25519`,
    ]);
  }
}
