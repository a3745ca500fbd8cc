// Work that only one worker of the installation does at a time: whoever holds the advisory lock, for as long as its connection lives.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../shared/platform/observe/logger.ts';

export interface AloneDeps {
  readonly databaseUrl: string;
  /** Of ADVISORY_LOCKS. */
  readonly lock: number;
  /** The application_name of the connection that holds the lock. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Called again and again while the lock is held, and first with `isFirst`. Resolves to how long to rest in
   * milliseconds. When it throws, the lock is given back and asked for anew.
   */
  readonly turn: (isFirst: boolean) => Promise<number>;
}

const ASK_AGAIN_MS = 1_000;
const AFTER_TROUBLE_MS = 500;

/** Starts trying. @returns how to stop: resolves when the turn under way has ended */
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
    while (!signal.aborted && !(await isMine())) await rest(ASK_AGAIN_MS);
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
      if (!signal.aborted) await delay(AFTER_TROUBLE_MS, undefined, { signal }).catch(() => undefined);
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
