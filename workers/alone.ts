// Work that one worker of the installation does at a time: the one that holds an advisory lock on its own connection.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../shared/platform/observe/logger.ts';

export interface AloneDeps {
  readonly databaseUrl: string;
  /** A value of ADVISORY_LOCKS. */
  readonly lock: number;
  /** The application_name of the connection that holds the lock. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Called repeatedly while the lock is held; `isFirst` is true for the first call. Resolves to the pause before the next
   * call in milliseconds. When it throws, the lock is released and requested again.
   */
  readonly turn: (isFirst: boolean) => Promise<number>;
}

const RETRY_LOCK_MS = 1_000;
const RECONNECT_MS = 500;

/** Starts to request the lock. `close` resolves after the running turn has ended. */
export function runAlone({ databaseUrl, lock, name, logger, turn }: AloneDeps): { close(): Promise<void> } {
  const stop = new AbortController();
  const { signal } = stop;

  const hold = async (client: pg.Client): Promise<void> => {
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error(`the connection of ${name} ended`)));
    });
    lost.catch(() => undefined);
    await client.connect();
    const rest = (ms: number): Promise<unknown> => Promise.race([delay(ms, undefined, { signal }), lost]);
    const isMine = async (): Promise<boolean> => {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lock]);
      return rows[0]?.locked === true;
    };
    while (!signal.aborted && !(await isMine())) await rest(RETRY_LOCK_MS);
    for (let isFirst = true; !signal.aborted; isFirst = false) await rest(await turn(isFirst));
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: databaseUrl, application_name: name, keepAlive: true });
      try {
        await hold(client);
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, `${name} was interrupted; it starts again`);
      }
      await client.end().catch(() => undefined);
      if (!signal.aborted) await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
