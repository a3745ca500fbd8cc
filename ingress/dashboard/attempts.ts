// How often a client may try to sign in with a wrong key: five times in a quarter of an hour, in all processes together.
import type { Database, Statement } from '../../shared/platform/db/database.ts';

export const MAX_ATTEMPTS = 5;
export const ATTEMPT_WINDOW_MS = 15 * 60_000;
/** Clients that are remembered; beyond that those whose window began first start anew. */
const MAX_CLIENTS = 10_000;

/** Takes an attempt before the key is looked at, so that attempts side by side are counted, too. */
const TAKE: Statement = {
  name: 'dashboard-attempt-take',
  text: `INSERT INTO dashboard_attempt AS row (client, attempts, since) VALUES ($1, 1, $2)
    ON CONFLICT (client) DO UPDATE SET
      attempts = CASE WHEN row.since <= $3 THEN 1 ELSE LEAST(row.attempts + 1, 1000) END,
      since = CASE WHEN row.since <= $3 THEN excluded.since ELSE row.since END
    RETURNING attempts, since`,
};
const GIVE_BACK: Statement = {
  name: 'dashboard-attempt-give-back',
  text: 'UPDATE dashboard_attempt SET attempts = attempts - 1 WHERE client = $1 AND attempts > 0',
};
const FORGET: Statement = {
  name: 'dashboard-attempt-forget',
  text: `DELETE FROM dashboard_attempt WHERE since <= $1
    OR client IN (SELECT client FROM dashboard_attempt ORDER BY since DESC OFFSET ${MAX_CLIENTS})`,
};

export interface Attempts {
  /** Counts an attempt of a client: an address, or a browser that is known. @returns seconds until the client may try again, or undefined when it may now */
  take(client: string): Promise<number | undefined>;
  /** The attempt was a good one. */
  giveBack(client: string): Promise<void>;
}

export function createAttempts(db: Database, nowMs: () => number): Attempts {
  return {
    async take(client) {
      const now = nowMs();
      const past = new Date(now - ATTEMPT_WINDOW_MS);
      const [row] = await db.query<{ attempts: number; since: Date }>(TAKE, [client, new Date(now), past]);
      // When a client is new the table may have grown.
      if (row?.attempts === 1) await db.query(FORGET, [past]);
      if (row === undefined || row.attempts <= MAX_ATTEMPTS) return undefined;
      return Math.max(1, Math.ceil((row.since.getTime() + ATTEMPT_WINDOW_MS - now) / 1_000));
    },
    giveBack: async (client) => void (await db.query(GIVE_BACK, [client])),
  };
}
