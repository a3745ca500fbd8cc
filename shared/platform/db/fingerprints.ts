// Fingerprints of secrets, stored in the database, so that all processes use the same secrets.
import { OperatorError } from '../../kernel/operator-error.ts';
import { createHmac } from 'node:crypto';
import type { Sql } from './database.ts';

const KEEP = 'INSERT INTO secret_fingerprint (name, fingerprint) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';
const REPLACE = 'UPDATE secret_fingerprint SET fingerprint = $2 WHERE name = $1';
const READ = 'SELECT fingerprint FROM secret_fingerprint WHERE name = $1';

/** This process has another secret than the database expects. The message says what to do. */
export class SecretMismatchError extends OperatorError {
  constructor(name: string) {
    super(
      `${name} is not the one this database was set up with. Start with the same ${name} as before (or as the other processes); ${
        name === SIGNING_KEY
          ? 'to sign with another key from now on, stop the workers and run "custos log rotate-key"'
          : 'to change it, stop everything and run "custos pepper rotate" (the same finishes one that was interrupted)'
      }.`,
    );
  }
}

/** The names of the settings, and of their fingerprints. */
export const PEPPER = 'CUSTOS_PEPPER';
export const SIGNING_KEY = 'CUSTOS_SIGNING_KEY_FILE';

/** Identifies a pepper in the database. */
export const pepperFingerprint = (pepper: string): string => secretFingerprint(PEPPER, pepper);

/** A keyed hash: it identifies the secret and does not help to guess it. */
function secretFingerprint(name: string, secret: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`custos secret fingerprint 1\n${name}`).digest('hex').slice(0, 32);
}

/** Compares the secret with the stored fingerprint; read-only. @throws {ApiError} E6002 */
export async function compareSecretFingerprint(
  sql: Sql,
  name: string,
  secret: string | Uint8Array,
): Promise<'same' | 'other' | 'none'> {
  const [row] = await sql.query<{ fingerprint: string }>(READ, [name]);
  return compareFingerprints(row?.fingerprint, name, secret);
}

/** As compareSecretFingerprint; the secret is not replaced until the caller's transaction ends. @throws {ApiError} E6002 */
export async function holdSecretFingerprint(
  sql: Sql,
  name: string,
  secret: string | Uint8Array,
): Promise<'same' | 'other' | 'none'> {
  const [row] = await sql.query<{ fingerprint: string }>(`${READ} FOR SHARE`, [name]);
  return compareFingerprints(row?.fingerprint, name, secret);
}

/** Makes this the secret that processes must have. It waits for transactions that hold the fingerprint. @throws {ApiError} E6002 */
export async function replaceSecretFingerprint(sql: Sql, name: string, secret: string | Uint8Array): Promise<void> {
  await sql.query(REPLACE, [name, secretFingerprint(name, secret)]);
  await ensureSecretFingerprint(sql, name, secret);
}

/** @param known the stored fingerprint */
export function compareFingerprints(
  known: string | undefined,
  name: string,
  secret: string | Uint8Array,
): 'same' | 'other' | 'none' {
  if (known === undefined) return 'none';
  return known === secretFingerprint(name, secret) ? 'same' : 'other';
}

/**
 * Stores the fingerprint at the first start and compares it at every later one; safe for concurrent processes.
 * @param name the setting that holds the secret, e.g. `CUSTOS_PEPPER`
 * @throws {SecretMismatchError} the process must end: it could neither check keys nor sign what others can verify
 * @throws {ApiError} E6002
 */
export async function ensureSecretFingerprint(sql: Sql, name: string, secret: string | Uint8Array): Promise<void> {
  const fingerprint = secretFingerprint(name, secret);
  await sql.query(KEEP, [name, fingerprint]);
  if ((await compareSecretFingerprint(sql, name, secret)) !== 'same') throw new SecretMismatchError(name);
}
