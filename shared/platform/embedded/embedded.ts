// PostgreSQL as part of the service: one call that takes a data folder and gives a running database, and one that ends it.
import path from 'node:path';
import { makeDataDir, prepareCluster, writeWhole } from './cluster.ts';
import { type Lock, takeLock } from './lock.ts';
import type { EmbeddedAddresses } from './roles.ts';
import { type EmbeddedServer, startServer } from './server.ts';

/** The addresses stay the same when the server is started again. */
export interface Embedded extends EmbeddedAddresses {
  /** Whether the last user of this data folder was killed: its other processes may still be ending. */
  readonly afterCrash: boolean;
  /** The server now running. */
  readonly server: () => EmbeddedServer;
  /** Starts the server again on the same port, after it ended or was stopped. */
  restart(): Promise<void>;
  /** Stops the server and gives the data folder free. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Takes the few lines a person should read: where things are when they are not where they were expected. */
  readonly say: (line: string) => void;
}

/** File in the data folder with the address of the running database for the service's role, for the command line. */
export const ADDRESS_FILE = 'postgres.address';

/**
 * Starts the database of a data folder; the first time it is made.
 * @throws {AlreadyRunning} when another process uses the folder
 * @throws {SetupError} when a person must put something right
 */
export async function startEmbedded({ dataDir, say }: EmbeddedOptions): Promise<Embedded> {
  makeDataDir(dataDir);
  const lock: Lock = takeLock(dataDir);
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
