// The sweeper: puts back into the outbox what stayed behind, because a queue was emptied or a worker went away.
//
// What merely waits its turn is left alone, however long: a job that waits says when its work was accepted, and jobs wait
// in that order. Work accepted before the first of them has no job that waits. What is put back in vain all the same, such
// as an intent that is evaluated just now, finds its job in the queue under the same id, and is ignored there.
import type { Database, Statement } from '../shared/platform/db/database.ts';
import type { Queues } from '../shared/platform/queues/queues.ts';

/** Rows a statement, and statements a run: a queue that was emptied is filled again in steps. */
const BATCH = 1_000;
const BATCHES = 10;
/** Work whose job has failed for good is tried again this often: rarely, but for as long as it waits. */
const AGAIN = `interval '30 seconds'`;

// Read before the queues are asked: what is in the outbox then is in no queue yet, and what is not, is.
const HANDED_OVER: Statement = {
  name: 'sweep-handed-over',
  text: 'SELECT coalesce((SELECT created_at FROM outbox ORDER BY seq LIMIT 1), now()) AS before',
};

/** Work that was accepted before $1 and at least so long ago. */
const LEFT_BEHIND = (column: string, age: string): string =>
  `${column} < least($1::timestamptz, now() - interval '${age}')`;

// Looks at the oldest row of each log only, so that a long inbox costs no more than a short one.
const SWEEP_LOGS: Statement = {
  name: 'sweep-logs',
  text: `WITH RECURSIVE oldest AS (
      (SELECT organisation_id, environment, created_at FROM log_inbox ORDER BY organisation_id, environment, seq LIMIT 1)
      UNION ALL
      SELECT next.* FROM oldest o CROSS JOIN LATERAL (
        SELECT i.organisation_id, i.environment, i.created_at FROM log_inbox i
        WHERE (i.organisation_id, i.environment) > (o.organisation_id, o.environment)
        ORDER BY i.organisation_id, i.environment, i.seq LIMIT 1
      ) next
    )
    INSERT INTO outbox (queue, name, payload)
    SELECT 'proofs', 'append', json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment, 'swept', true)::text
    FROM oldest o WHERE ${LEFT_BEHIND('created_at', '1 second')} AND NOT EXISTS (
      SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'proofs' AND d.name = 'append'
        AND d.organisation_id = o.organisation_id AND d.environment = o.environment AND d.failed_at > now() - ${AGAIN}
    ) RETURNING seq`,
};
const SWEEP_TRUST: Statement = {
  name: 'sweep-trust',
  text: `INSERT INTO outbox (queue, name, payload)
    SELECT 'trust', 'fold', '{"v":1,"swept":true}' FROM (SELECT created_at FROM trust_inbox ORDER BY seq LIMIT 1) oldest
    WHERE ${LEFT_BEHIND('created_at', '1 second')} AND NOT EXISTS (
      SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = 'trust' AND d.name = 'fold' AND d.failed_at > now() - ${AGAIN}
    ) RETURNING seq`,
};
// A dead job keeps its id in the queue, so what it was for is put back as its repetition.
const SWEEP_INTENTS: Statement = {
  name: 'sweep-intents',
  text: `WITH dead AS MATERIALIZED (
      SELECT organisation_id, environment, payload::json ->> 'intentId' AS intent_id, max(dead_job_id)::text AS retry_of, max(failed_at) AS failed_at
      FROM dead_job WHERE state = 'dead' AND queue = 'intents' AND name = 'evaluate' GROUP BY 1, 2, 3
    ), lost AS (
      SELECT i.organisation_id, i.environment, i.intent_id, d.retry_of FROM intent i LEFT JOIN dead d USING (organisation_id, environment, intent_id)
      WHERE i.status IN ('queued', 'evaluating') AND ${LEFT_BEHIND('i.queued_at', '5 seconds')}
        AND (d.failed_at IS NULL OR d.failed_at <= now() - ${AGAIN})
      ORDER BY i.queued_at LIMIT ${BATCH} FOR UPDATE OF i SKIP LOCKED
    ), found AS (
      UPDATE intent SET queued_at = now() FROM lost
      WHERE intent.organisation_id = lost.organisation_id AND intent.environment = lost.environment AND intent.intent_id = lost.intent_id
      RETURNING intent.organisation_id, intent.environment, intent.intent_id, intent.approval_id, intent.traceparent, lost.retry_of
    )
    INSERT INTO outbox (queue, name, payload)
    SELECT 'intents', 'evaluate', json_strip_nulls(json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment,
      'intentId', intent_id, 'approvalId', approval_id, 'traceparent', traceparent, 'retryOf', retry_of))::text
    FROM found RETURNING seq`,
};
// A dead job is there for somebody to decide about. When its work was done by another, nothing is left to decide.
const RESOLVE: Statement = {
  name: 'sweep-resolve',
  text: `UPDATE dead_job d SET state = 'discarded', resolved_at = now(), resolved_by = 'custos', reason = 'The work was done after all.'
    WHERE state = 'dead' AND CASE queue || '.' || name
      WHEN 'intents.evaluate' THEN EXISTS (
        SELECT FROM intent i WHERE i.organisation_id = d.organisation_id AND i.environment = d.environment
          AND i.intent_id = d.payload::json ->> 'intentId' AND i.status IN ('waiting_approval', 'decided'))
      WHEN 'proofs.append' THEN NOT EXISTS (
        SELECT FROM log_inbox i WHERE i.organisation_id = d.organisation_id AND i.environment = d.environment AND i.created_at <= d.failed_at
      ) AND NOT EXISTS (
        SELECT FROM log WHERE log.organisation_id = d.organisation_id AND log.environment = d.environment
          AND log.generation = (SELECT max(g.generation) FROM log g WHERE g.organisation_id = log.organisation_id AND g.environment = log.environment)
          AND log.size > coalesce((SELECT max(c.size) FROM checkpoint c WHERE c.log_id = log.log_id), 0))
      WHEN 'trust.fold' THEN NOT EXISTS (SELECT FROM trust_inbox i WHERE i.created_at <= d.failed_at)
      ELSE false END
    RETURNING dead_job_id`,
};

export interface Swept {
  readonly logs: number;
  readonly trust: number;
  readonly intents: number;
  /** Dead jobs whose work was done after all. */
  readonly resolved: number;
}

export interface SweepDeps {
  readonly db: Database;
  readonly queues: Pick<Queues, 'oldestWaitingAtMs'>;
}

/**
 * Safe to run at any time and by several workers at once: at worst work is queued that has nothing left to do.
 * @throws while PostgreSQL or the queue's store is away: nobody knows then what has no job
 */
export async function sweep({ db, queues }: SweepDeps): Promise<Swept> {
  const [handedOver] = await db.query<{ before: Date }>(HANDED_OVER, []);
  if (handedOver === undefined) throw new Error('a statement without a condition gave no row');
  /** Work accepted before this and not done has no job that waits. */
  const before = async (queue: 'intents' | 'proofs' | 'trust'): Promise<Date> => {
    const waitingAtMs = await queues.oldestWaitingAtMs(queue);
    return new Date(Math.min(handedOver.before.getTime(), waitingAtMs ?? Number.POSITIVE_INFINITY));
  };
  const count = async (statement: Statement, values: readonly unknown[]): Promise<number> =>
    (await db.query(statement, values)).length;

  const resolved = await count(RESOLVE, []);
  const logs = await count(SWEEP_LOGS, [await before('proofs')]);
  const trust = await count(SWEEP_TRUST, [await before('trust')]);
  const intentsBefore = await before('intents');
  let intents = 0;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const queued = await count(SWEEP_INTENTS, [intentsBefore]);
    intents += queued;
    if (queued < BATCH) break;
  }
  return { logs, trust, intents, resolved };
}
