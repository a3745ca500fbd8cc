// What commands on the database share: a connection, the check of the pepper, and refusals shown as sentences.
import os from 'node:os';
import { printable } from '../shared/core/proof/encoding.ts';
import { databaseNowMs } from '../shared/platform/db/clock.ts';
import { openDatabase, type Database } from '../shared/platform/db/database.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ensureSecretFingerprint } from '../shared/platform/db/fingerprints.ts';
import { organisationBySlug, type Organisation, OrganisationError } from '../shared/domain/keys/organisations.ts';
import { createSecretHasher, type SecretHasher } from '../shared/domain/keys/secrets.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { explain, loadConfig, say, withStore } from './context.ts';

/** A migration or a backup may hold a lock for a while; a person waits longer than a request. */
const QUERY_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface AdminStore {
  readonly db: Database;
  readonly hasher: SecretHasher;
  readonly nowMs: number;
}

/** A refusal that a person caused and can act on. */
export class CommandError extends Error {}

/**
 * Runs a command on the service's database and sets the exit code: 0, or 1 with a sentence on standard error.
 * @param options names of the command's options by the pointers that refusals carry (`/scopes` is `--scope`)
 * @param onRefused hears of each row that is refused; by default it is said
 */
export async function runAdmin(
  work: (store: AdminStore) => Promise<void>,
  options: Readonly<Record<string, string>> = {},
  onRefused: (table: string, id: string) => void = sayRefused,
): Promise<void> {
  try {
    await withStore(loadConfig(), async ({ databaseUrl, pepper }) => {
      const db = await openDatabase({
        url: databaseUrl,
        seals: createSeals({ pepper, onRefused }),
        applicationName: 'custos-cli',
        poolSize: 2,
        queryTimeoutMs: QUERY_TIMEOUT_MS,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        onError: () => undefined,
      });
      try {
        await ensureSecretFingerprint(db, 'CUSTOS_PEPPER', pepper);
        await work({ db, hasher: createSecretHasher(pepper), nowMs: await databaseNowMs(db) });
      } finally {
        await db.close();
      }
    });
  } catch (error) {
    process.exitCode = refusal(error, options);
  }
}

/** Shown beside the answer, in which such a row is missing. */
export function sayRefused(table: string, id: string): void {
  say(`custos: a row of ${table} is not as this service wrote it, and is refused: ${printable(id)}`);
}

function refusal(error: unknown, options: Readonly<Record<string, string>>): number {
  if (error instanceof ApiError && error.errors !== undefined) {
    for (const { pointer, message } of error.errors) say(`custos: ${optionOf(pointer, options)} ${message}.`);
    return 1;
  }
  if (error instanceof ApiError || error instanceof CommandError || error instanceof OrganisationError) {
    say(`custos: ${error.message}`);
    return 1;
  }
  return explain(error);
}

/** `/scopes/1` is the second --scope. */
function optionOf(pointer: string, options: Readonly<Record<string, string>>): string {
  const [, name = '', index] = pointer.split('/');
  const option = options[`/${name}`] ?? pointer;
  return index === undefined ? option : `${option} number ${Number(index) + 1}`;
}

/** @throws {CommandError} with what there is instead */
export async function requireOrganisation(db: Database, slug: string): Promise<Organisation> {
  const organisation = await organisationBySlug(db, slug);
  if (organisation === undefined)
    throw new CommandError(
      `There is no organisation "${slug}". "custos org list" shows them; the first one is made by the first start of the service (or by custos migrate).`,
    );
  return organisation;
}

/** Rows under their headings, in columns. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  for (const row of [headings, ...rows])
    process.stdout.write(
      `${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Who sits at the shell, as far as the system knows; a container may have a user without a name. */
export function userName(): string {
  try {
    return printable(os.userInfo().username).slice(0, 64);
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
