// For migrations that seal rows: with another pepper than the service's every row would be refused.
import { compareFingerprints, PEPPER, SecretMismatchError } from '../fingerprints.ts';
import type { MigrationRunner } from './sql-migration.ts';

/** @throws {SecretMismatchError} when the database was set up with another one */
export async function requirePepper(runner: MigrationRunner, pepper: string): Promise<void> {
  const [known] = (await runner.query(`SELECT fingerprint FROM secret_fingerprint WHERE name = '${PEPPER}'`)) as {
    fingerprint: string;
  }[];
  if (compareFingerprints(known?.fingerprint, PEPPER, pepper) === 'other') throw new SecretMismatchError(PEPPER);
}
