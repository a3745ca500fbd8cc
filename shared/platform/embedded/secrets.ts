// The secrets of the service, generated in the data folder when PostgreSQL is embedded. Read access to the folder gives them.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './account.ts';
import { writeWhole } from './data-folder.ts';

export const PEPPER_FILE = 'pepper';
export const PEPPER_PREVIOUS_FILE = 'pepper-previous';
/** The pepper of a rotation that is not complete: it may be in force in the database already. */
const PEPPER_NEXT_FILE = 'pepper-next';
const PASSWORD_FILE = 'postgres-password';
const SIGNING_KEY_FILE = 'signing-key.pem';
const PROMISE_KEY_FILE = 'promise-key.pem';

export interface Secrets {
  /** Key of the HMAC with which API keys are stored: 256 random bits in base64url. */
  readonly pepper: string;
  /** The pepper before the last rotation, while its file exists. */
  readonly pepperPrevious: string | undefined;
  /** Ed25519 private keys, PKCS 8 in PEM. */
  readonly signingKeyFile: string;
  readonly promiseKeyFile: string;
}

/**
 * Makes the secrets of a data folder that do not exist yet, each file with mode 0600. Call it with the folder's lock, before its database
 * is created: a database never exists without them.
 */
export function makeSecrets(dataDir: string): void {
  makeText(path.join(dataDir, PASSWORD_FILE), 24);
  makeText(path.join(dataDir, PEPPER_FILE), 32);
  makeKey(path.join(dataDir, SIGNING_KEY_FILE));
  makeKey(path.join(dataDir, PROMISE_KEY_FILE));
}

/** Secrets that settings name: their files are not needed. */
export type GivenSecrets = { readonly [Name in keyof Secrets]?: Secrets[Name] | undefined };

/** @throws {SetupError} when a file is missing or empty that the database of the folder was made with: another secret would not fit it */
export function requireSecrets(dataDir: string, given: GivenSecrets): void {
  passwordOf(dataDir);
  if (given.pepper === undefined) pepperOf(dataDir);
  if (given.signingKeyFile === undefined) secretOf(dataDir, SIGNING_KEY_FILE);
}

/** The secrets of a data folder that has a database. @throws {SetupError} as requireSecrets */
export function readSecrets(dataDir: string, given: GivenSecrets): Secrets {
  requireSecrets(dataDir, given);
  const { pepper, pepperPrevious, signingKeyFile, promiseKeyFile } = given;
  // Promises stay valid when their key is replaced.
  if (promiseKeyFile === undefined) makeKey(path.join(dataDir, PROMISE_KEY_FILE));
  return {
    pepper: pepper ?? pepperOf(dataDir),
    pepperPrevious: pepperPrevious ?? textOf(path.join(dataDir, PEPPER_PREVIOUS_FILE)),
    signingKeyFile: signingKeyFile ?? signingKeyOf(dataDir),
    promiseKeyFile: promiseKeyFile ?? path.join(dataDir, PROMISE_KEY_FILE),
  };
}

/** The file of the log key in a data folder. */
export const signingKeyOf = (dataDir: string): string => path.join(dataDir, SIGNING_KEY_FILE);

/** Makes this the log key of the folder. @param pem PKCS 8 */
export function keepSigningKey(dataDir: string, pem: string): void {
  writeWhole(signingKeyOf(dataDir), pem);
}

/** @throws {SetupError} when its file is missing or empty */
export function pepperOf(dataDir: string): string {
  return secretOf(dataDir, PEPPER_FILE);
}

/** The password of PostgreSQL's superuser. @throws {SetupError} when its file is missing or empty */
export function passwordOf(dataDir: string): string {
  return secretOf(dataDir, PASSWORD_FILE);
}

const LOST: Readonly<Record<string, string>> = {
  [SIGNING_KEY_FILE]:
    ' If it is lost, let another key sign from now on: openssl genpkey -algorithm ed25519 -out FILE, "custos log rotate-key --to FILE", and start again.',
};

function secretOf(dataDir: string, name: string): string {
  const file = path.join(dataDir, name);
  const text = textOf(file);
  if (text !== undefined && text !== '') return text;
  throw new SetupError(
    `${file} is ${text === undefined ? 'missing' : 'empty'}, and the database of this folder does not work without what it held. Put the file back, or move the folder away and make it again from a backup ("custos restore").${LOST[name] ?? ''}`,
  );
}

function makeText(file: string, bytes: number): void {
  if (!existsSync(file)) writeWhole(file, `${randomBytes(bytes).toString('base64url')}\n`);
}

function makeKey(file: string): void {
  if (existsSync(file)) return;
  const { privateKey } = generateKeyPairSync('ed25519');
  writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
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

/** Begins a change of the pepper, or continues an interrupted one. Call it with the folder's lock. @throws {SetupError} when the pepper is missing */
export function beginPepperChange(dataDir: string): PepperChange {
  const file = (name: string): string => path.join(dataDir, name);
  const previous = pepperOf(dataDir);
  makeText(file(PEPPER_NEXT_FILE), 32);
  const next = secretOf(dataDir, PEPPER_NEXT_FILE);
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
