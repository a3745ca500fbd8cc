// Work that one worker of the installation does at a time: the one that holds an advisory lock on its own connection.
import type pg from 'pg';
import { DatabaseClient } from '../shared/platform/db/client.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import { type Loop, pause, startLoop } from './loop.ts';

/** One holding of the lock. */
export interface Holding {
  /** Whether this is the first call since the lock was acquired. */
  readonly isFirst: boolean;
  /** Rejects when the connection, and with it the lock, is lost. */
  ensureHeld(): Promise<unknown>;
  /** Aborted when the work is to end. */
  readonly signal: AbortSignal;
}

export interface AloneDeps {
  readonly databaseUrl: string;
  /** A value of ADVISORY_LOCKS. */
  readonly lock: number;
  /** The application_name of the connection that holds the lock. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Called repeatedly while the lock is held. Resolves to the pause before the next call in milliseconds. When it throws, the lock
   * is released and requested again.
   */
  readonly turn: (holding: Holding) => Promise<number>;
  /** Awaited before the lock is requested. */
  readonly mayRequest?: () => Promise<void> | undefined;
}

const RETRY_LOCK_MS = 1_000;
const RECONNECT_MS = 500;

/** Starts to request the lock. `close` resolves after the running turn has ended. */
export function runAlone({ databaseUrl, lock, name, logger, turn, mayRequest }: AloneDeps): Loop {
  const hold = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error(`the connection of ${name} ended`)));
    });
    lost.catch(() => undefined);
    await client.connect();
    const rest = (ms: number): Promise<void> => Promise.race([pause(ms, signal), lost]);
    const isMine = async (): Promise<boolean> => {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lock]);
      return rows[0]?.locked === true;
    };
    while (!signal.aborted && !(await isMine())) await rest(RETRY_LOCK_MS);
    const ensureHeld = (): Promise<unknown> => client.query('SELECT 1');
    for (let isFirst = true; !signal.aborted; isFirst = false) await rest(await turn({ isFirst, ensureHeld, signal }));
  };

  return startLoop(async (signal) => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (!signal.aborted) {
      await Promise.race([mayRequest?.(), stopped]);
      const client = new DatabaseClient({ connectionString: databaseUrl, application_name: name, keepAlive: true });
      try {
        await hold(client, signal);
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, `${name} was interrupted; it starts again`);
      }
      await client.end().catch(() => undefined);
      await pause(RECONNECT_MS, signal);
    }
  });
}
