// Private keys from the files that the settings name; what is wrong with a file is said as a sentence.
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError, keyFileMissing, type KeySetting } from '../../platform/config/config.ts';
import { loadPrivateKey } from '../../core/proof/keys.ts';

/** @throws {ConfigError} when no file is named, it can't be read, or holds no Ed25519 private key */
export async function readKeyFile(name: KeySetting, file: string | undefined): Promise<KeyObject> {
  if (file === undefined) throw new ConfigError([keyFileMissing(name)]);
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
    // What the file holds instead may be a secret of another kind: it is not repeated.
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([
      `${name} names ${file}, which holds no Ed25519 private key (PKCS 8, PEM). This makes one: openssl genpkey -algorithm ed25519`,
    ]);
  }
}
