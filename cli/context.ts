// What every command needs: the checked settings, and errors shown to a person as sentences.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { ConfigError, readConfig } from '../shared/platform/config/config.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { AlreadyRunning, holderOf } from '../shared/platform/embedded/lock.ts';
import { signal } from '../shared/platform/embedded/processes.ts';
import { ensureSecrets } from '../shared/platform/embedded/secrets.ts';
import { BootstrapError } from '../shared/domain/keys/bootstrap.ts';
import { SecretMismatchError } from '../shared/platform/db/fingerprints.ts';
import { findRoot } from '../shared/platform/config/root.ts';

/** The settings of this command. @throws {ConfigError} */
export function loadConfig(): Config {
  return readConfig(process.env, { root: findRoot(), cwd: process.cwd() });
}

/** Where a command finds the service's data. */
export interface Store {
  readonly databaseUrl: string;
  readonly pepper: string;
}

/**
 * Runs `work` on the service's database: the one DATABASE_URL names, the one that a running `custos start` keeps, or,
 * when none runs, the embedded one, started for as long as the work takes. Migrations have run in each case but the second,
 * in which the service itself ran them.
 * @throws {ConfigError} {SetupError} or what `work` throws
 */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, migrationDatabaseUrl, pepper, dataDir } = config;
  // Here, so that a command which needs no database does not load the drivers of one.
  const { migrate } = await import('../shared/platform/db/migrate.ts');
  if (databaseUrl !== undefined && pepper !== undefined) {
    await migrate({ databaseUrl, migrationDatabaseUrl }, pepper);
    return work({ databaseUrl, pepper });
  }
  const { ADDRESS_FILE, startEmbedded } = await import('../shared/platform/embedded/embedded.ts');
  if (holderOf(dataDir) !== undefined) {
    const address = readFileSync(path.join(dataDir, ADDRESS_FILE), 'utf8').trim();
    return work({ databaseUrl: address, pepper: pepper ?? ensureSecrets(dataDir).pepper });
  }
  const embedded = await startEmbedded({ dataDir, say });
  // A command that ends before its work does (Ctrl-C, `| head`) must not leave the server behind, which is deaf to Ctrl-C.
  const letGo = (): void => signal(embedded.server().pid, 'SIGINT');
  const interrupted = (name: NodeJS.Signals): void => process.exit(128 + constants.signals[name]);
  process.once('exit', letGo).once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const store = { databaseUrl: embedded.url, pepper: pepper ?? ensureSecrets(dataDir).pepper };
    await migrate({ databaseUrl: embedded.url, migrationDatabaseUrl: embedded.ownerUrl }, store.pepper);
    return await work(store);
  } finally {
    await embedded.stop();
    process.off('exit', letGo).off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

/** A line for a person, beside the output of the command. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Shows why a command failed: expected errors as their sentence, others whole. @returns the exit code */
export function explain(error: unknown): number {
  const expected =
    error instanceof ConfigError ||
    error instanceof SetupError ||
    error instanceof AlreadyRunning ||
    error instanceof BootstrapError ||
    error instanceof SecretMismatchError;
  say(`custos: ${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}
