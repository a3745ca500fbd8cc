// The database and the secrets of the service under the supervisor, with embedded or external PostgreSQL.
import { setTimeout as delay } from 'node:timers/promises';
import { requireIngress, requireWorkers, type StoreConfig } from '../../shared/platform/config/config.ts';
import type { Config } from '../../shared/platform/config/table.ts';
import { requireWhole } from '../../shared/platform/embedded/cluster.ts';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { readSecrets } from '../../shared/platform/embedded/secrets.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';

export interface SupervisedStore {
  /** The settings, completed with the addresses and secrets of the embedded database. */
  readonly config: StoreConfig;
  readonly embedded: boolean;
  /** Whether the previous run was killed: its processes may still be ending. */
  readonly afterCrash: boolean;
  close(): Promise<void>;
  /** Ends the embedded server at once; the next start recovers. */
  kill(): void;
}

const RESTART_DELAY_MS = 500;

/** Opens the database of DATABASE_URL, or the embedded one, which is restarted whenever it ends. */
export async function openStore(config: Config, logger: Logger, say: (line: string) => void): Promise<SupervisedStore> {
  if (config.databaseUrl !== undefined)
    return {
      // Checks the settings of both processes, so that their problems are reported once.
      config: { ...requireIngress(config), ...requireWorkers(config) },
      embedded: false,
      afterCrash: false,
      close: async () => undefined,
      kill: () => undefined,
    };
  requireWhole(config.dataDir, config);
  const embedded = await startEmbedded({ dataDir: config.dataDir, say });
  const secrets = readSecrets(config.dataDir, config);
  const closing = new AbortController();
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await embedded.server().ended;
      while (!closing.signal.aborted) {
        logger.error('the embedded PostgreSQL ended and is restarted');
        const again = await embedded.restart().then(
          () => true,
          (error: unknown) => {
            logger.error({ err: error }, 'the embedded PostgreSQL did not start');
            return false;
          },
        );
        if (again) break;
        await delay(RESTART_DELAY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
      if (closing.signal.aborted) return;
    }
  };
  const running = keepRunning();
  return {
    config: {
      ...config,
      databaseUrl: embedded.url,
      migrationDatabaseUrl: embedded.ownerUrl,
      ...secrets,
    },
    embedded: true,
    afterCrash: embedded.afterCrash,
    async close() {
      closing.abort();
      // A restart may be in progress. It is awaited, and the second call stops the server that it started.
      await embedded.server().stop();
      await running;
      await embedded.stop();
    },
    kill() {
      closing.abort();
      void embedded.server().stop('immediate');
    },
  };
}
