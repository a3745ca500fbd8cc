// The job `append`: appends the records that wait for one log, and signs the log's new head.
import { type AppendDeps as LedgerDeps, appendWaiting } from '../../shared/domain/ledger/append.ts';
import type { Checkpointer } from '../../shared/domain/ledger/checkpoints.ts';
import { UNSIGNED } from '../../shared/domain/ledger/unsigned.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import { acceptedBefore, diedLately, type JobDefinition, THREE_ATTEMPTS } from './definition.ts';
import { QUEUE_DELIVERIES } from './deliver.ts';
import type { Drains } from './drains.ts';

export interface AppendDeps extends LedgerDeps {
  readonly checkpointer: Checkpointer;
  /** Announces that proofs may be anchored. */
  readonly announce: () => void;
  readonly drains: Drains;
}

/** From one batch of a log to the next. */
const EVERY_MS = 100;

// Reads the oldest row of each log only, so that a long inbox costs no more than a short one.
const OLDEST = `WITH RECURSIVE oldest AS (
    (SELECT organisation_id, environment, created_at FROM log_inbox ORDER BY organisation_id, environment, seq LIMIT 1)
    UNION ALL
    SELECT next.* FROM oldest o CROSS JOIN LATERAL (
      SELECT i.organisation_id, i.environment, i.created_at FROM log_inbox i
      WHERE (i.organisation_id, i.environment) > (o.organisation_id, o.environment)
      ORDER BY i.organisation_id, i.environment, i.seq LIMIT 1
    ) next
  ), open AS (SELECT * FROM oldest UNION ALL ${UNSIGNED})`;
const LOST = `open o WHERE ${acceptedBefore('created_at', '1 second')} AND NOT EXISTS (
    SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'proofs' AND d.name = 'append'
      AND d.organisation_id = o.organisation_id AND d.environment = o.environment AND ${diedLately('d')}
  )`;
const CONTINUE = enqueueSql('proofs', 'append', { organisationId: '$1::text', environment: '$2::text' });
const QUEUE_LOST = enqueueSql(
  'proofs',
  'append',
  { organisationId: 'organisation_id', environment: 'environment', swept: 'true' },
  LOST,
);

export const append: JobDefinition<'proofs', 'append', AppendDeps> = {
  queue: 'proofs',
  name: 'append',
  // Two logs at once, beside one whose job stays. The lock on a log's head keeps a second worker away from the same log.
  concurrency: 3,
  retries: THREE_ATTEMPTS,
  coalescing: { kind: 'wake-up', key: ({ organisationId, environment }) => [organisationId, environment] },
  sweeping: {
    requeue: `${OLDEST} ${QUEUE_LOST} RETURNING seq`,
    // Appended, and the newest generation of the log is signed up to its end.
    isDone: `NOT EXISTS (
        SELECT FROM log_inbox i WHERE i.organisation_id = d.organisation_id AND i.environment = d.environment AND i.created_at <= d.failed_at
      ) AND NOT EXISTS (
        SELECT FROM log WHERE log.organisation_id = d.organisation_id AND log.environment = d.environment
          AND log.generation = (SELECT max(g.generation) FROM log g WHERE g.organisation_id = log.organisation_id AND g.environment = log.environment)
          AND log.size > coalesce((SELECT max(c.size) FROM checkpoint c WHERE c.log_id = log.log_id), 0))`,
  },
  handler:
    (deps) =>
    ({ organisationId, environment }) => {
      const { db, checkpointer, announce, drains } = deps;
      const owner = [organisationId, environment] as const;
      return drains.run({
        queue: 'proofs',
        key: owner,
        everyMs: EVERY_MS,
        async pass() {
          const isLeft = await appendWaiting(deps, ...owner);
          await checkpointer.publish(...owner);
          announce();
          // After the checkpoint, so that anchored proofs are among the events. If this is lost, the sweeper finds the events.
          await db.query(QUEUE_DELIVERIES, owner);
          return isLeft;
        },
        async again() {
          await db.query(CONTINUE, owner);
        },
      });
    },
};
