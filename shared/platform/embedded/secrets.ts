// The secrets of the service, generated in the data folder when PostgreSQL is embedded. Read access to the folder gives them.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { secretText, writeWhole } from './cluster.ts';

export const PEPPER_FILE = 'pepper';
export const PEPPER_PREVIOUS_FILE = 'pepper-previous';
/** The pepper of a rotation that is not complete: it may be in force in the database already. */
const PEPPER_NEXT_FILE = 'pepper-next';

export interface Secrets {
  /** Key of the HMAC with which API keys are stored: 256 random bits in base64url. */
  readonly pepper: string;
  /** The pepper before the last rotation, while its file exists. */
  readonly pepperPrevious: string | undefined;
  /** Ed25519 private keys, PKCS 8 in PEM. */
  readonly signingKeyFile: string;
  readonly promiseKeyFile: string;
}

/** Reads the secrets of a data folder, generated on first use, each file with mode 0600. Call it with the folder's lock. */
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

/** A change of the pepper of a data folder: first the database takes `next`, then `keep` makes it the current file. */
export interface PepperChange {
  readonly previous: string;
  /** The same until `keep` has run, however often a rotation was interrupted. */
  readonly next: string;
  /** Renames the files. After a crash at any point, run the whole rotation again. */
  keep(): void;
}

/** Begins a change of the pepper, or continues an interrupted one. Call it with the folder's lock. */
export function beginPepperChange(dataDir: string): PepperChange {
  const file = (name: string): string => path.join(dataDir, name);
  const previous = secretText(file(PEPPER_FILE), 32);
  const next = secretText(file(PEPPER_NEXT_FILE), 32);
  return {
    previous,
    next,
    keep() {
      // Equal after an interruption between the last two steps.
      if (previous !== next) {
        writeWhole(file(PEPPER_PREVIOUS_FILE), `${previous}\n`);
        writeWhole(file(PEPPER_FILE), `${next}\n`);
      }
      rmSync(file(PEPPER_NEXT_FILE), { force: true });
    },
  };
}
