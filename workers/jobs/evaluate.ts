// The job `evaluate`: decides the submitted intents that wait in one organisation and environment.
import type { JobPayload } from '../../shared/kernel/jobs.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { QUEUED_AHEAD } from '../../shared/domain/decisions/intent-batch.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import type { DeadJob } from '../../shared/platform/queues/types.ts';
import type { GivenUpIntent, IntentWorker } from '../intents.ts';
import type { Pacing } from '../pacer.ts';
import { acceptedBefore, diedLately, type JobDefinition, THREE_ATTEMPTS } from './definition.ts';
import type { Drain, Drains } from './drains.ts';

type EvaluatePayload = JobPayload<'intents', 'evaluate'>;

/** Organisations and environments whose intents a process decides at once. */
export const OWNERS_AT_ONCE = 4;
/** After so many the job ends or looks again: owners with fewer intents get their turn, and a worker that stops need not wait. */
const BATCHES_A_PASS = 10;

const CONTINUE = enqueueSql('intents', 'evaluate', { organisationId: '$1::text', environment: '$2::text' });

const OPEN = `status IN ('queued', 'evaluating')`;
// Skips from owner to owner, so that a long backlog costs no more than a short one.
const OWNERS = `WITH RECURSIVE owner AS (
    (SELECT organisation_id, environment FROM intent WHERE ${OPEN} ORDER BY organisation_id, environment, agent_id COLLATE "C" LIMIT 1)
    UNION ALL
    SELECT next.* FROM owner o CROSS JOIN LATERAL (
      SELECT i.organisation_id, i.environment FROM intent i
      WHERE i.${OPEN} AND (i.organisation_id, i.environment) > (o.organisation_id, o.environment)
      ORDER BY i.organisation_id, i.environment, i.agent_id COLLATE "C" LIMIT 1
    ) next
  )`;
const LOST = `owner o WHERE EXISTS (
    SELECT FROM intent i WHERE i.organisation_id = o.organisation_id AND i.environment = o.environment
      AND i.${OPEN} AND ${acceptedBefore('i.queued_at', '1 second', QUEUED_AHEAD)}
  ) AND NOT EXISTS (
    SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'intents' AND d.name = 'evaluate' AND d.payload::json ->> 'intentId' IS NULL
      AND d.organisation_id = o.organisation_id AND d.environment = o.environment AND ${diedLately('d')}
  )`;
const QUEUE_LOST = enqueueSql(
  'intents',
  'evaluate',
  { organisationId: 'organisation_id', environment: 'environment', swept: 'true' },
  LOST,
);
const OF_DEAD = 'i.organisation_id = d.organisation_id AND i.environment = d.environment';

export interface EvaluateDeps {
  readonly db: Database;
  readonly intentWorker: IntentWorker;
  /** Runs each batch. */
  readonly pace: Pacing;
  /** Announces that intents may be decided. */
  readonly announce: () => void;
  readonly drains: Drains;
}

/**
 * Batches of one owner at once while more waits than one takes: the worker evaluates one while PostgreSQL stores the other. They claim
 * different rows. Without a backlog there is one, because a second one would only make smaller batches.
 */
const BATCHES_AT_ONCE = 2;

/** From one batch to the next without a backlog. */
const EVERY_MS = 50;

/** What decides the intents that wait. At most one runs for each owner at a time in a process. */
function drainOf(
  { db, intentWorker, pace, announce }: EvaluateDeps,
  { organisationId, environment }: EvaluatePayload,
): Drain {
  const owner = { organisationId, environment };
  let left = 0;
  const decide = async (after?: string): Promise<string | undefined> => {
    left -= 1;
    const next = await pace((most) => intentWorker.decideBatch(owner, most, after));
    announce();
    return next;
  };
  /** Decides batch after batch. @returns whether something may be left */
  const decideOn = async (after: string | undefined): Promise<boolean> => {
    let next = after;
    while (next !== undefined) {
      if (left <= 0) return true;
      next = await decide(next);
    }
    return false;
  };
  return {
    queue: 'intents',
    key: [organisationId, environment],
    everyMs: EVERY_MS,
    async pass() {
      left = BATCHES_A_PASS;
      const first = await decide();
      if (first === undefined) return false;
      const lanes = Array.from({ length: BATCHES_AT_ONCE }, () => decideOn(first));
      // All have ended when the pass does, so that the next one never runs beside them.
      const ends = await Promise.allSettled(lanes);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return ends.some((end) => end.status === 'fulfilled' && end.value);
    },
    async again() {
      await db.query(CONTINUE, [organisationId, environment]);
    },
  };
}

/** An intent that was given up, as the dead job that operators see. */
export function deadJobOf(intent: GivenUpIntent): DeadJob {
  const { organisationId, environment, intentId, approvalId, traceparent, error, attempts } = intent;
  const payload: EvaluatePayload = {
    v: 1,
    organisationId,
    environment,
    intentId,
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return {
    queue: 'intents',
    name: 'evaluate',
    payload,
    error,
    run: `${intentId}-${approvalId ?? 'first'}@${attempts}`,
  };
}

export const evaluate: JobDefinition<'intents', 'evaluate', EvaluateDeps> = {
  queue: 'intents',
  name: 'evaluate',
  // Beside one whose job stays.
  concurrency: OWNERS_AT_ONCE + 1,
  retries: THREE_ATTEMPTS,
  coalescing: {
    kind: 'wake-up',
    key: ({ organisationId, environment, intentId, retryOf }) =>
      intentId === undefined || retryOf === undefined
        ? [organisationId, environment]
        : [organisationId, environment, intentId],
  },
  sweeping: {
    requeue: `${OWNERS} ${QUEUE_LOST} RETURNING seq`,
    isDone: `CASE WHEN d.payload::json ->> 'intentId' IS NULL THEN NOT EXISTS (
        SELECT FROM intent i WHERE ${OF_DEAD} AND i.${OPEN} AND i.open_since <= d.failed_at
      ) ELSE EXISTS (
        SELECT FROM intent i WHERE ${OF_DEAD} AND i.intent_id = d.payload::json ->> 'intentId' AND i.status IN ('waiting_approval', 'decided')
      ) END`,
  },
  handler: (deps) => async (payload) => {
    const { organisationId, environment, intentId, retryOf } = payload;
    if (intentId === undefined || retryOf === undefined) return deps.drains.run(drainOf(deps, payload));
    await deps.intentWorker.decideOne({ organisationId, environment, intentId });
    deps.announce();
  },
  onDead:
    ({ intentWorker, announce }) =>
    async ({ organisationId, environment, intentId }) => {
      // A job that only wakes has no intent of its own; the sweeper queues another one.
      if (intentId === undefined) return;
      await intentWorker.endAsFailed({ organisationId, environment, intentId });
      announce();
    },
};
