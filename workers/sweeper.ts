// The sweeper: queues work again whose job was lost, because a queue was emptied or a worker died.
//
// Work that waits its turn is left alone, however long it waits. A waiting job is dated by when its work was accepted, and
// jobs wait in that order. So work that was accepted before the first waiting job has no job. Some work is queued again in
// vain, such as an intent that a worker evaluates at this moment: the queue holds its job under the same id and ignores it.
import type { Database } from '../shared/platform/db/database.ts';
import type { Queues } from '../shared/platform/queues/queues.ts';
import type { Sweeping } from './jobs/definition.ts';
import { ALL_JOBS } from './jobs/list.ts';
import type { Swept } from './jobs/sweep.ts';

/** Statements per run and job: a queue that was emptied is filled again in steps. */
const MAX_BATCHES = 10;

// Read before the queues are: work in the outbox at that moment is in no queue yet, and other work is.
const OLDEST_IN_OUTBOX = 'SELECT coalesce((SELECT created_at FROM outbox ORDER BY seq LIMIT 1), now()) AS before';

const DONE = ALL_JOBS.flatMap(({ queue, name, sweeping }) =>
  sweeping === undefined ? [] : [`WHEN '${queue}.${name}' THEN ${sweeping.isDone}`],
);
// A dead job waits for an operator's decision. When another job did its work, there is nothing left to decide.
const RESOLVE = `UPDATE dead_job d SET state = 'discarded', resolved_at = now(), resolved_by = 'custos', reason = 'The work was done after all.'
    WHERE state = 'dead' AND CASE queue || '.' || name ${DONE.join(' ')} ELSE false END
    RETURNING dead_job_id`;

export interface SweeperDeps {
  readonly db: Database;
  readonly queues: Pick<Queues, 'oldestWaitingAtMs'>;
}

async function requeue(db: Database, { requeue: statement, batch }: Sweeping, before: Date): Promise<number> {
  let queued = 0;
  for (let i = 0; i < MAX_BATCHES; i += 1) {
    const { length } = await db.query(statement, [before]);
    queued += length;
    if (batch === undefined || length < batch) break;
  }
  return queued;
}

/**
 * Safe to run at any time and by several workers at once: at worst it queues a job that finds nothing to do.
 * @throws while PostgreSQL or the queues' store is away, because then it is unknown which work has no job
 */
export async function sweep({ db, queues }: SweeperDeps): Promise<Swept> {
  const [outbox] = await db.query<{ before: Date }>(OLDEST_IN_OUTBOX, []);
  if (outbox === undefined) throw new Error('a statement without a condition returned no row');
  const resolved = (await db.query(RESOLVE, [])).length;
  const queued: Record<string, number> = {};
  for (const { queue, name, sweeping } of ALL_JOBS) {
    if (sweeping === undefined) continue;
    const waitingAtMs = await queues.oldestWaitingAtMs(queue);
    const before = new Date(Math.min(outbox.before.getTime(), waitingAtMs ?? Number.POSITIVE_INFINITY));
    queued[`${queue}.${name}`] = await requeue(db, sweeping, before);
  }
  return { queued, resolved };
}
