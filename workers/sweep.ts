// The sweeper: puts back into the outbox what stayed behind, because a queue was emptied or a worker went away.
import type { Database, Statement } from '../shared/db/database.ts';

/** Rows a statement. */
const BATCH = 1_000;

/** Of a dead job whose fate nobody has decided: such work is left alone. */
const IS_DEAD = (queue: string, name: string, same: string): string =>
  `EXISTS (SELECT FROM dead_job d WHERE d.state = 'dead' AND d.queue = '${queue}' AND d.name = '${name}'${same})`;

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
    SELECT 'proofs', 'append', json_build_object('v', 1, 'organisationId', organisation_id, 'environment', environment)::text
    FROM oldest o WHERE created_at < now() - interval '1 second'
      AND NOT ${IS_DEAD('proofs', 'append', ' AND d.organisation_id = o.organisation_id AND d.environment = o.environment')}
    RETURNING seq`,
};
const SWEEP_TRUST: Statement = {
  name: 'sweep-trust',
  text: `INSERT INTO outbox (queue, name, payload)
    SELECT 'trust', 'fold', '{"v":1}' FROM (SELECT created_at FROM trust_inbox ORDER BY seq LIMIT 1) oldest
    WHERE created_at < now() - interval '1 second' AND NOT ${IS_DEAD('trust', 'fold', '')}
    RETURNING seq`,
};
// A swept intent counts as touched, so that it is not queued again and again while its job waits its turn.
const SWEEP_INTENTS: Statement = {
  name: 'sweep-intents',
  text: `WITH stuck AS (
      UPDATE intent SET updated_at = now() WHERE (organisation_id, environment, intent_id) IN (
        SELECT i.organisation_id, i.environment, i.intent_id FROM intent i
        WHERE i.status IN ('queued', 'evaluating') AND i.updated_at < now() - interval '15 seconds'
          AND NOT ${IS_DEAD(
            'intents',
            'evaluate',
            " AND d.organisation_id = i.organisation_id AND d.environment = i.environment AND d.payload::json ->> 'intentId' = i.intent_id",
          )}
        ORDER BY i.updated_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ) RETURNING organisation_id, environment, intent_id, traceparent
    )
    INSERT INTO outbox (queue, name, payload)
    SELECT 'intents', 'evaluate', json_strip_nulls(json_build_object('v', 1, 'organisationId', organisation_id,
      'environment', environment, 'intentId', intent_id, 'traceparent', traceparent))::text
    FROM stuck RETURNING seq`,
};

export interface Swept {
  readonly logs: number;
  readonly trust: number;
  readonly intents: number;
}

/** Safe to run at any time and by several workers at once: at worst work is queued that has nothing left to do. */
export async function sweep(db: Database): Promise<Swept> {
  const logs = await db.query(SWEEP_LOGS, []);
  const trust = await db.query(SWEEP_TRUST, []);
  const intents = await db.query(SWEEP_INTENTS, []);
  return { logs: logs.length, trust: trust.length, intents: intents.length };
}
