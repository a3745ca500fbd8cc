// Opens the database of a service process, after the checks without which it must not be used, and starts its clock.
import { performance } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import type { StoreConfig } from '../config/config.ts';
import type { Logger } from '../observe/logger.ts';
import { type DatabaseClock, reportClock, startDatabaseClock } from './clock.ts';
import { type DatabaseOptions, keptOf, type OpenDatabase, openDatabase } from './database.ts';
import { ensureDurable } from './durability.ts';
import { ensureSecretFingerprint, PEPPER } from './fingerprints.ts';
import { warnOfExcessRights } from './rights.ts';
import { requireSchema } from './schema-state.ts';
import { createWatchedSeals } from './seals/refusals.ts';

export interface ServiceDatabaseOptions<Clock>
  extends Pick<DatabaseOptions, 'applicationName' | 'queryTimeoutMs' | 'connectTimeoutMs' | 'onError'> {
  readonly config: StoreConfig;
  readonly logger: Logger;
  readonly registry: Registry;
  /** This machine's wall clock, which is compared with the database's. */
  readonly machineMs: () => number;
  /** In place of the database's clock; for tests. */
  readonly clock?: Clock | undefined;
}

/** @throws {OperatorError} when a setting of the database the schema or the pepper does not fit, or it is not reachable */
export async function openServiceDatabase<Clock = DatabaseClock>({
  config,
  logger,
  registry,
  machineMs,
  clock,
  ...options
}: ServiceDatabaseOptions<Clock>): Promise<{ readonly db: OpenDatabase; readonly clock: Clock | DatabaseClock }> {
  const { databaseUrl, databasePool, pepper } = config;
  const monotonicMs = (): number => performance.now();
  const db = await openDatabase({
    ...options,
    url: databaseUrl,
    seals: createWatchedSeals({ pepper, registry, logger, monotonicMs }),
    poolSize: databasePool,
    kept: keptOf(databasePool),
  });
  const newer = await requireSchema(db);
  if (newer.length > 0)
    logger.warn({ newer }, 'the schema is of a newer version: replace this process by one of that version soon');
  await ensureDurable(db);
  await warnOfExcessRights(db, logger);
  await ensureSecretFingerprint(db, PEPPER, pepper);
  const started = clock ?? (await startDatabaseClock({ db, monotonicMs, machineMs, onProblem: reportClock(logger) }));
  return { db, clock: started };
}
