// The database and the secrets of the service under the supervisor, whether PostgreSQL is embedded or somewhere else.
import { setTimeout as delay } from 'node:timers/promises';
import { requireIngress, requireWorkers, type StoreConfig } from '../../shared/platform/config/config.ts';
import type { Config } from '../../shared/platform/config/table.ts';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { ensureSecrets } from '../../shared/platform/embedded/secrets.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';

export interface SupervisedStore {
  /** The settings with everything in place that embedding provides. */
  readonly config: StoreConfig;
  readonly embedded: boolean;
  /** Whether an earlier start was killed, so that its processes may still be ending. */
  readonly afterCrash: boolean;
  close(): Promise<void>;
  /** Ends the embedded server now; the next start recovers. */
  kill(): void;
}

const RESTART_REST_MS = 500;

/** Opens what DATABASE_URL names, or the embedded database, which is started again whenever it dies. */
export async function openStore(config: Config, logger: Logger, say: (line: string) => void): Promise<SupervisedStore> {
  if (config.databaseUrl !== undefined)
    return {
      // What a child would refuse is refused here, once.
      config: { ...requireIngress(config), ...requireWorkers(config) },
      embedded: false,
      afterCrash: false,
      close: async () => undefined,
      kill: () => undefined,
    };
  const embedded = await startEmbedded({ dataDir: config.dataDir, say });
  const secrets = ensureSecrets(config.dataDir);
  const closing = new AbortController();
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await embedded.server().ended;
      while (!closing.signal.aborted) {
        logger.error('the embedded PostgreSQL died and is started again');
        const again = await embedded.restart().then(
          () => true,
          (error: unknown) => {
            logger.error({ err: error }, 'the embedded PostgreSQL did not start');
            return false;
          },
        );
        if (again) break;
        await delay(RESTART_REST_MS, undefined, { signal: closing.signal }).catch(() => undefined);
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
      pepper: config.pepper ?? secrets.pepper,
      pepperPrevious: config.pepperPrevious ?? secrets.pepperPrevious,
      signingKeyFile: config.signingKeyFile ?? secrets.signingKeyFile,
      promiseKeyFile: config.promiseKeyFile ?? secrets.promiseKeyFile,
    },
    embedded: true,
    afterCrash: embedded.afterCrash,
    async close() {
      closing.abort();
      // A restart may be under way: it ends first, and what it started is stopped by the second call.
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
