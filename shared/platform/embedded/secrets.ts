// The service's own secrets, made in the data folder when PostgreSQL is embedded: whoever reads the folder has them.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { secretText, writeWhole } from './cluster.ts';

export interface Secrets {
  /** Key of the HMAC under which API keys are stored: 256 random bits in base64url. */
  readonly pepper: string;
  /** Ed25519 private keys, PKCS 8 in PEM. */
  readonly signingKeyFile: string;
  readonly promiseKeyFile: string;
}

/** The secrets of a data folder, made on first use, each file mode 0600. Call it with the folder's lock. */
export function ensureSecrets(dataDir: string): Secrets {
  return {
    pepper: secretText(path.join(dataDir, 'pepper'), 32),
    signingKeyFile: ensureKey(path.join(dataDir, 'signing-key.pem')),
    promiseKeyFile: ensureKey(path.join(dataDir, 'promise-key.pem')),
  };
}

function ensureKey(file: string): string {
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  }
  return file;
}
