// Limits sign-in attempts with a wrong key: five in a quarter of an hour for each client, counted for all processes together.
import type { Database } from '../../shared/platform/db/database.ts';

export const MAX_ATTEMPTS = 5;
export const ATTEMPT_WINDOW_MS = 15 * 60_000;
/** Clients that are remembered. Beyond that, the counts with the oldest windows are deleted. */
const MAX_CLIENTS = 10_000;

/** Counts the attempt before the key is checked, so that concurrent attempts are counted, too. */
const TAKE = `INSERT INTO dashboard_attempt AS row (client, attempts, since) VALUES ($1, 1, $2)
    ON CONFLICT (client) DO UPDATE SET
      attempts = CASE WHEN row.since <= $3 THEN 1 ELSE LEAST(row.attempts + 1, 1000) END,
      since = CASE WHEN row.since <= $3 THEN excluded.since ELSE row.since END
    RETURNING attempts, since`;
const GIVE_BACK = 'UPDATE dashboard_attempt SET attempts = attempts - 1 WHERE client = $1 AND attempts > 0';
const DELETE_OLD = `DELETE FROM dashboard_attempt WHERE since <= $1
    OR client IN (SELECT client FROM dashboard_attempt ORDER BY since DESC OFFSET ${MAX_CLIENTS})`;

export interface Attempts {
  /**
   * Counts an attempt of a client: an address, or a known browser (devices.ts).
   * @returns seconds until the client may try again; undefined: it may try now
   */
  take(client: string): Promise<number | undefined>;
  /** Takes the attempt off the count again: the key was right, or the service failed. */
  giveBack(client: string): Promise<void>;
}

export function createAttempts(db: Database, nowMs: () => number): Attempts {
  return {
    async take(client) {
      const now = nowMs();
      const past = new Date(now - ATTEMPT_WINDOW_MS);
      const [row] = await db.query<{ attempts: number; since: Date }>(TAKE, [client, new Date(now), past]);
      // Only a new client makes the table grow.
      if (row?.attempts === 1) await db.query(DELETE_OLD, [past]);
      if (row === undefined || row.attempts <= MAX_ATTEMPTS) return undefined;
      return Math.max(1, Math.ceil((row.since.getTime() + ATTEMPT_WINDOW_MS - now) / 1_000));
    },
    giveBack: async (client) => void (await db.query(GIVE_BACK, [client])),
  };
}
