// The workers of one process: started together, stopped together.
import type { StoreConfig } from '../shared/config.ts';
import { openDatabase, type Statement } from '../shared/db/database.ts';
import type { Logger } from '../shared/log.ts';
import { startPolicyReader } from './policies.ts';
import { startUpkeep } from './upkeep.ts';

export interface WorkersDependencies {
  readonly config: StoreConfig;
  readonly log: Logger;
}

export interface RunningWorkers {
  /** Whether the stores that the workers need answer now; the reason why not, when they do not. */
  check(): Promise<{ readonly ready: boolean; readonly reason?: string }>;
  /** Takes no new work and waits for what is running. */
  close(): Promise<void>;
}

const PING: Statement = { name: 'ping', text: 'SELECT 1' };
/** Workers may wait longer than a request may: a large policy set takes its time to be stored. */
const QUERY_TIMEOUT_MS = 30_000;

/** Starts every worker of the process. */
export async function startWorkers({ config, log }: WorkersDependencies): Promise<RunningWorkers> {
  const db = await openDatabase({
    url: config.databaseUrl,
    applicationName: 'custos-workers',
    poolSize: config.databasePool,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  });
  const nowMs = (): number => Date.now();
  const reader = startPolicyReader({ db, databaseUrl: config.databaseUrl, policyDir: config.policyDir, nowMs, log });
  const upkeep = startUpkeep({ databaseUrl: config.databaseUrl, redisUrl: config.redisUrl, db, log });
  return {
    check: () =>
      db.query(PING, []).then(
        () => ({ ready: true }),
        () => ({ ready: false, reason: 'PostgreSQL does not answer' }),
      ),
    async close() {
      await Promise.all([reader.close(), upkeep.close()]);
      await db.close();
    },
  };
}
