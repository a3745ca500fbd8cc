// The job `fold`: folds the waiting trust signals of all tenants into scores.
import { FOLD_BATCH, foldBatch, nextBatch } from '../../shared/domain/trust/fold.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import { acceptedBefore, diedLately, type JobDefinition, THREE_ATTEMPTS } from './definition.ts';

/** Full batches per job. A worker that stops waits for its running job, which must end even while signals keep arriving. */
const BATCHES_PER_JOB = 10;

const CONTINUE = enqueueSql('trust', 'fold', {});
const LOST = `(SELECT created_at FROM trust_inbox ORDER BY seq LIMIT 1) AS oldest
  WHERE ${acceptedBefore('created_at', '1 second')} AND NOT EXISTS (
    SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'trust' AND d.name = 'fold' AND ${diedLately('d')}
  )`;

export interface FoldDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly dailyCap: number;
  /** Default: the clock of the process. */
  readonly monotonicMs?: () => number;
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
  // Signals that arrive meanwhile bring their own job. The job's next attempt folds what a failed batch left, in smaller batches.
  handler: (deps) => {
    const { monotonicMs = () => performance.now() } = deps;
    let maxSignals = FOLD_BATCH;
    return async () => {
      for (let i = 0; i < BATCHES_PER_JOB; i += 1) {
        const startedMs = monotonicMs();
        const size = maxSignals;
        try {
          const folded = await foldBatch({ ...deps, maxSignals: size });
          maxSignals = nextBatch(size, { ...folded, tookMs: monotonicMs() - startedMs });
          if (folded.leftOut === 0 && folded.signals < size) return;
        } catch (error) {
          maxSignals = nextBatch(size, 'failed');
          throw error;
        }
      }
      await deps.db.query(CONTINUE, []);
    };
  },
};
