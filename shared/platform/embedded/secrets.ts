// The service's own secrets, made in the data folder when PostgreSQL is embedded: whoever reads the folder has them.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { secretText, writeWhole } from './cluster.ts';

export const PEPPER_FILE = 'pepper';
export const PEPPER_PREVIOUS_FILE = 'pepper-previous';
/** A pepper that is not in force yet, or is and has not got its place yet. */
const PEPPER_NEXT_FILE = 'pepper-next';

export interface Secrets {
  /** Key of the HMAC under which API keys are stored: 256 random bits in base64url. */
  readonly pepper: string;
  /** The one before the last rotation, while its file is there. */
  readonly pepperPrevious: string | undefined;
  /** Ed25519 private keys, PKCS 8 in PEM. */
  readonly signingKeyFile: string;
  readonly promiseKeyFile: string;
}

/** The secrets of a data folder, made on first use, each file mode 0600. Call it with the folder's lock. */
export function ensureSecrets(dataDir: string): Secrets {
  return {
    pepper: secretText(path.join(dataDir, PEPPER_FILE), 32),
    pepperPrevious: textOf(path.join(dataDir, PEPPER_PREVIOUS_FILE)),
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

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);

/** A change of the pepper that lies in a data folder: first `next` is put into force in the database, then it is kept. */
export interface PepperChange {
  readonly previous: string;
  /** The same until it has been kept, however often a rotation was interrupted. */
  readonly next: string;
  /** Gives the files their places. A crash at any point is made good by doing all of it again. */
  keep(): void;
}

/** Begins a change of the pepper, or goes on with one that was interrupted. Call it with the folder's lock. */
export function beginPepperChange(dataDir: string): PepperChange {
  const file = (name: string): string => path.join(dataDir, name);
  const previous = secretText(file(PEPPER_FILE), 32);
  const next = secretText(file(PEPPER_NEXT_FILE), 32);
  return {
    previous,
    next,
    keep() {
      // Interrupted between the last two steps: the pepper is in its place already.
      if (previous !== next) {
        writeWhole(file(PEPPER_PREVIOUS_FILE), `${previous}\n`);
        writeWhole(file(PEPPER_FILE), `${next}\n`);
      }
      rmSync(file(PEPPER_NEXT_FILE), { force: true });
    },
  };
}
