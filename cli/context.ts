// Settings of commands, and access to the service's database.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { readConfig } from '../shared/platform/config/config.ts';
import { findPlaces } from '../shared/platform/config/root.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { holderOf } from '../shared/platform/embedded/lock.ts';
import { signal } from '../shared/platform/embedded/processes.ts';
import type { EmbeddedAddresses } from '../shared/platform/embedded/roles.ts';
import { pepperOf } from '../shared/platform/embedded/secrets.ts';
import { CommandError, say } from './exit.ts';

/** The settings of this command. @throws {ConfigError} */
export function loadConfig(): Config {
  return readConfig(process.env, findPlaces());
}

/** Access to the service's data. */
export interface Store {
  readonly databaseUrl: string;
  readonly pepper: string;
}

/**
 * Runs `work` on the service's database: the one that DATABASE_URL names, else that of a running `custos start`, else the
 * embedded one, started for as long as the work takes. The schema is migrated first, except when the service runs: it has
 * migrated already.
 * @throws {ConfigError} {SetupError} or any error of `work`
 */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, migrationDatabaseUrl, pepper, dataDir } = config;
  if (databaseUrl !== undefined && pepper !== undefined) {
    // Imported here, so that commands without a database do not load its driver.
    const { migrate } = await import('../shared/platform/db/migrate.ts');
    await migrate({ databaseUrl, migrationDatabaseUrl }, pepper);
    return work({ databaseUrl, pepper });
  }
  try {
    return await withEmbedded(config, work);
  } catch (error) {
    throw describeFileError(error, dataDir);
  }
}

async function withEmbedded<T>({ pepper, dataDir }: Config, work: (store: Store) => Promise<T>): Promise<T> {
  // The default depends on the folder in which the command is started, which may be the wrong one.
  if (!existsSync(dataDir)) say(`There is no database yet: creating one in ${dataDir}.`);
  return withEmbeddedServer(dataDir, async ({ url, ownerUrl }, isOwn) => {
    const store = { databaseUrl: url, pepper: pepper ?? pepperOf(dataDir) };
    if (isOwn) {
      const { migrate } = await import('../shared/platform/db/migrate.ts');
      await migrate({ databaseUrl: url, migrationDatabaseUrl: ownerUrl }, store.pepper);
    }
    return work(store);
  });
}

/** Signals that end a command. SIGHUP comes when its terminal is closed. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const exitCodeOf = (name: NodeJS.Signals): number => 128 + constants.signals[name];

/** Calls back with each signal that ends a command. @returns a function that stops it */
function onEnding(listener: (name: NodeJS.Signals) => void): () => void {
  for (const name of ENDING) process.on(name, listener);
  return () => {
    for (const name of ENDING) process.off(name, listener);
  };
}

/**
 * Runs `work`, which ends in order and leaves nothing behind when its signal is aborted: by the first Ctrl-C or the like. The second one
 * ends the process.
 * @throws {CommandError} with the exit code of a signal, when `work` was interrupted; any error of `work`
 */
export async function interruptible<T>(work: (interruption: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const off = onEnding((name) => {
    if (interruption.signal.aborted) process.exit(exitCodeOf(name));
    interruption.abort(new CommandError(`interrupted by ${name}.`, { exitCode: exitCodeOf(name) }));
  });
  try {
    return await work(interruption.signal);
  } finally {
    off();
  }
}

export interface ServerUse {
  /** Of `interruptible`. Absent: a signal ends the command, and the server that it started. */
  readonly interruption?: AbortSignal;
}

/**
 * Runs `work` on the embedded server of a data folder: that of a running `custos start`, else one that is started for as long
 * as the work takes.
 * @param work called with the addresses, and whether this command has started the server
 * @throws {SetupError} or any error of `work`
 */
export async function withEmbeddedServer<T>(
  dataDir: string,
  work: (addresses: EmbeddedAddresses, isOwn: boolean) => Promise<T>,
  { interruption }: ServerUse = {},
): Promise<T> {
  const { runningAddresses, startEmbedded } = await import('../shared/platform/embedded/embedded.ts');
  if (holderOf(dataDir) !== undefined) return work(runningAddresses(dataDir), false);
  let isStarted = false;
  let ended: NodeJS.Signals | undefined;
  // The server runs detached and gets no Ctrl-C, so it is not left alone while it starts.
  const off =
    interruption === undefined
      ? onEnding((name) => {
          ended = name;
          if (isStarted) process.exit(exitCodeOf(name));
        })
      : () => undefined;
  try {
    const embedded = await startEmbedded({ dataDir, say });
    isStarted = true;
    // A command that ends early (Ctrl-C, `| head`) must stop it.
    const stopServer = (): void => signal(embedded.server().pid, 'SIGINT');
    process.once('exit', stopServer);
    try {
      if (ended !== undefined) process.exit(exitCodeOf(ended));
      return await work(embedded, true);
    } finally {
      await embedded.stop();
      process.off('exit', stopServer);
    }
  } finally {
    off();
  }
}
