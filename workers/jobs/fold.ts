// The job `fold`: folds the waiting trust signals of all tenants into scores.
import { FOLD_BATCH, foldBatch } from '../../shared/domain/trust/fold.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import { acceptedBefore, type JobDefinition, RETRY_DEAD_AFTER, THREE_ATTEMPTS } from './definition.ts';

/** Full batches per job. A worker that stops waits for its running job, which must end even while signals keep arriving. */
const BATCHES_PER_JOB = 10;

const CONTINUE = enqueueSql('trust', 'fold', {});
const LOST = `(SELECT created_at FROM trust_inbox ORDER BY seq LIMIT 1) AS oldest
  WHERE ${acceptedBefore('created_at', '1 second')} AND NOT EXISTS (
    SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'trust' AND d.name = 'fold' AND d.failed_at > now() - ${RETRY_DEAD_AFTER}
  )`;

export interface FoldDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly dailyCap: number;
}

export const fold: JobDefinition<'trust', 'fold', FoldDeps> = {
  queue: 'trust',
  name: 'fold',
  // One job takes all waiting signals, so a second one would only share them.
  concurrency: 1,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'wake-up', key: () => ['all', 'all'] },
  sweeping: {
    requeue: `${enqueueSql('trust', 'fold', { swept: 'true' }, LOST)} RETURNING seq`,
    isDone: 'NOT EXISTS (SELECT FROM trust_inbox i WHERE i.created_at <= d.failed_at)',
  },
  // Signals that arrive meanwhile bring their own job. The job's next attempt folds a batch that failed.
  handler: (deps) => async () => {
    for (let i = 0; i < BATCHES_PER_JOB; i += 1) if ((await foldBatch(deps)) < FOLD_BATCH) return;
    await deps.db.query(CONTINUE, []);
  },
};
