// The embedded PostgreSQL: starts the database of a data folder, and stops it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findInstalled } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import { describeFileError, makeDataDir, writeWhole } from './data-folder.ts';
import { type Lock, takeLock } from './lock.ts';
import { addressesOf, type EmbeddedAddresses } from './roles.ts';
import { passwordOf } from './secrets.ts';
import { type EmbeddedServer, startServer } from './server.ts';

/** The addresses stay the same over restarts of the server. */
export interface Embedded extends EmbeddedAddresses {
  /** Whether the last supervisor of this data folder was killed. Its other processes may still be ending. */
  readonly afterCrash: boolean;
  /** The running server. */
  readonly server: () => EmbeddedServer;
  /** Starts the server on the same port after it ended or was stopped. */
  restart(): Promise<void>;
  /** Stops the server and releases the lock of the data folder. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Receives lines for a person, such as the place of the database when it is not in the data folder. */
  readonly say: (line: string) => void;
}

/** File in the data folder with the service role's address of the database, for commands while it runs. */
export const ADDRESS_FILE = 'postgres.address';

/** The addresses of the running database of a data folder. @throws the file system's error */
export function runningAddresses(dataDir: string): EmbeddedAddresses {
  const { port } = new URL(readFileSync(path.join(dataDir, ADDRESS_FILE), 'utf8').trim());
  return addressesOf(passwordOf(dataDir), Number(port));
}

/**
 * Starts the database of a data folder, and creates it the first time.
 * @throws {AlreadyRunning} when another process uses the folder
 * @throws {SetupError} when a person must fix something
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  try {
    return await start(options);
  } catch (error) {
    throw describeFileError(error, options.dataDir);
  }
}

async function start({ dataDir, say }: EmbeddedOptions): Promise<Embedded> {
  // Before anything is created.
  findInstalled();
  makeDataDir(dataDir);
  const lock: Lock = await takeLock(dataDir);
  try {
    const cluster = await prepareCluster(dataDir, say);
    let server = await startServer(cluster);
    const { url, ownerUrl, adminUrl, port } = server;
    writeWhole(path.join(dataDir, ADDRESS_FILE), `${url}\n`);
    return {
      url,
      ownerUrl,
      adminUrl,
      afterCrash: lock.afterCrash,
      server: () => server,
      async restart() {
        server = await startServer(cluster, port);
      },
      async stop(mode) {
        await server.stop(mode);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
