// What commands on the database share: a connection, the check of the pepper, and validation errors in terms of options.
import os from 'node:os';
import { printable } from '../shared/core/proof/encoding.ts';
import { databaseNowMs } from '../shared/platform/db/clock.ts';
import { openDatabase, type Database } from '../shared/platform/db/database.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ensureSecretFingerprint } from '../shared/platform/db/fingerprints.ts';
import { organisationBySlug } from '../shared/domain/keys/organisations.ts';
import { createSecretHasher, type SecretHasher } from '../shared/domain/keys/secrets.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { loadConfig, withStore } from './context.ts';
import { say, UsageError } from './exit.ts';

/** A migration or a backup may hold a lock for a while; a person waits longer than a request. */
const QUERY_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface AdminStore {
  readonly db: Database;
  readonly hasher: SecretHasher;
  readonly nowMs: number;
}

export interface AdminOptions {
  /** Names of the command's options by the pointers in validation errors (`/scopes` is `--scope`). */
  readonly optionNames?: Readonly<Record<string, string>>;
  /** Called for each row that is refused; prints it by default. */
  readonly onRefused?: (table: string, id: string) => void;
}

/**
 * Runs `work` on the service's database.
 * @throws {UsageError} for values that the service does not accept; any other error of `work` unchanged
 */
export async function runAdmin<T>(
  work: (store: AdminStore) => Promise<T>,
  { optionNames = {}, onRefused = sayRefused }: AdminOptions = {},
): Promise<T> {
  return withStore(loadConfig(), async ({ databaseUrl, pepper }) => {
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
      return await work({ db, hasher: createSecretHasher(pepper), nowMs: await databaseNowMs(db) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.errors === undefined) throw error;
      const sentences = error.errors.map(({ pointer, message }) => `${optionOf(pointer, optionNames)} ${message}.`);
      throw new UsageError(sentences.join('\n'));
    } finally {
      await db.close();
    }
  });
}

/** Printed to standard error; the refused row is missing from the result. */
function sayRefused(table: string, id: string): void {
  say(`custos: a row of ${table} is refused, because its seal is not this service's: ${printable(id)}`);
}

/** `/scopes/1` is the second --scope, and `/stage/organisations/0` the first --organisation. */
function optionOf(pointer: string, optionNames: Readonly<Record<string, string>>): string {
  const [, list = '', index] = /^(.+)\/(\d+)$/.exec(pointer) ?? [];
  const repeated = optionNames[list];
  return repeated === undefined ? (optionNames[pointer] ?? pointer) : `${repeated} number ${Number(index) + 1}`;
}

/** The organisation with this slug. @throws {UsageError} when there is none */
export async function requireOrganisation(db: Database, slug: string) {
  const organisation = await organisationBySlug(db, slug);
  if (organisation === undefined)
    throw new UsageError(
      `There is no organisation "${slug}". "custos org list" shows them; the first start of the service (or custos migrate) creates the first one.`,
    );
  return organisation;
}

/** Who decided, for records: the name of the shell's user. In a container the user may have no name; then the uid. */
export function operatorName(): string {
  let name: string;
  try {
    name = printable(os.userInfo().username).slice(0, 64);
  } catch {
    name = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  return `cli:${name}`;
}
