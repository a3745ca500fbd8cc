// Upkeep: what must be done now and then, once for the whole installation, as scheduled jobs.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from '../shared/db/database.ts';
import type { Logger } from '../shared/log.ts';
import { createQueues } from '../shared/queues.ts';

const MINUTE_MS = 60_000;
/** Rows a statement, so that no lock is held and no log written for long. */
const BATCH = 5_000;

// A process that has not asked for half an hour forgets all it knows (shared/db/changes.ts), so an hour is enough.
const FORGET_CHANGES: Statement = {
  name: 'changes-forget',
  text: `DELETE FROM change WHERE seq IN (SELECT seq FROM change WHERE changed_at < now() - interval '1 hour' ORDER BY seq LIMIT ${BATCH}) RETURNING seq`,
};
const FORGET_IDEMPOTENCY: Statement = {
  name: 'idempotency-forget',
  text: `DELETE FROM idempotency WHERE (organisation_id, environment, route, key_hash) IN (
      SELECT organisation_id, environment, route, key_hash FROM idempotency WHERE created_at < now() - interval '24 hours' ORDER BY created_at LIMIT ${BATCH}
    ) RETURNING created_at`,
};

/** Deletes batch by batch until one is not full. */
async function forget(db: Database, statement: Statement): Promise<void> {
  while ((await db.query(statement, [])).length === BATCH);
}

export interface UpkeepDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly log: Logger;
}

export interface Upkeep {
  close(): Promise<void>;
}

/** Starts taking upkeep jobs, and sees to it that they are made, as soon as the queue's store answers. */
export function startUpkeep({ db, databaseUrl, redisUrl, log }: UpkeepDeps): Upkeep {
  const stop = new AbortController();
  const queues = createQueues({
    databaseUrl,
    redisUrl,
    onError: (error) => log.warn({ err: error }, 'the upkeep queue had trouble'),
  });
  queues.work('upkeep', {
    'forget-changes': () => forget(db, FORGET_CHANGES),
    'forget-idempotency': () => forget(db, FORGET_IDEMPOTENCY),
  });

  const schedule = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await queues.every('upkeep', 'forget-changes', 10 * MINUTE_MS, {});
        await queues.every('upkeep', 'forget-idempotency', 60 * MINUTE_MS, {});
        return;
      } catch (error) {
        log.warn({ err: error }, 'upkeep jobs could not be scheduled; it is tried again');
        await delay(5_000, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  };
  const scheduling = schedule();
  return {
    async close() {
      stop.abort();
      await scheduling;
      await queues.close();
    },
  };
}
