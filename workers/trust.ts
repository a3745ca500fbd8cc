// The trust worker: folds the signals that wait into scores.
import type { Database, Statement } from '../shared/platform/db/database.ts';
import { FOLD_BATCH, foldBatch } from '../shared/domain/trust/fold.ts';
import type { Handlers } from '../shared/platform/queues/queues.ts';

/** Full batches a job: a worker that is asked to stop waits for its running job, which must end although signals keep coming. */
const BATCHES_A_JOB = 10;

const GO_ON: Statement = {
  name: 'trust-go-on',
  text: `INSERT INTO outbox (queue, name, payload) VALUES ('trust', 'fold', '{"v":1}')`,
};

export interface TrustWorkerDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly dailyCap: number;
}

export function trustHandlers(deps: TrustWorkerDeps): Handlers<'trust'> {
  return {
    /** Until nothing waits. Signals that arrive meanwhile bring a job of their own; a batch that fails is folded by the job's next attempt. */
    async fold() {
      for (let i = 0; i < BATCHES_A_JOB; i += 1) if ((await foldBatch(deps)) < FOLD_BATCH) return;
      await deps.db.query(GO_ON, []);
    },
  };
}
