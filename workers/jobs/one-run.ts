// One run of an upkeep job at a time in the installation: a run holds a lease, a row that it renews while it runs.
import { randomUUID } from 'node:crypto';
import type { Sql } from '../../shared/platform/db/database.ts';

/** How long a killed worker's runs keep others waiting. Not a lock of its session: one that is frozen would hold it for ever. */
const LEASE = `interval '5 seconds'`;
const RENEW_EVERY_MS = 1_000;

// A lease that ends later than any can is of a clock that was set back since.
const TAKE = `INSERT INTO upkeep_run (name, holder, until) VALUES ($1, $2, now() + ${LEASE})
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE upkeep_run.until NOT BETWEEN now() AND now() + ${LEASE} RETURNING name`;
// Not one that has ended: a renewal may arrive after the end of its run.
const RENEW = `UPDATE upkeep_run SET until = now() + ${LEASE} WHERE name = $1 AND holder = $2 AND until >= now()`;
const END = 'UPDATE upkeep_run SET until = to_timestamp(0) WHERE name = $1 AND holder = $2';

/**
 * Runs `work`, unless a run with this name is under way. BullMQ creates the next run when one begins, so a job that outlasts its interval
 * would run beside itself, ever more often. A worker whose renewals fail for the length of a lease goes on beside the next run.
 * @throws {ApiError} E6002
 */
export async function inOneRun(db: Sql, name: string, work: () => Promise<void>): Promise<void> {
  const lease = [name, randomUUID()];
  if ((await db.query(TAKE, lease)).length === 0) return;
  const ignore = (): void => undefined;
  const renewing = setInterval(() => void db.query(RENEW, lease).catch(ignore), RENEW_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(renewing);
    // If this fails, the lease ends by itself.
    await db.query(END, lease).catch(ignore);
  }
}
