// How long accepted work has waited for workers: for the metrics, /ready, the dashboard and `custos doctor`. The ages are those of the
// rows that state the work, so they also count work whose job is in no queue yet, was lost, or is held by a worker that hangs.
import { QUEUE_NAMES, type QueueName } from '../../kernel/jobs.ts';
import type { Sql } from '../../platform/db/database.ts';
import { hasCome } from '../../platform/db/elapsed.ts';
import { UNSIGNED } from '../ledger/unsigned.ts';
import { LEASED_AHEAD } from '../webhooks/deliver.ts';
import type { QueueCounts, Queues } from '../../platform/queues/queues.ts';

/** Queues whose work is rows. The jobs of `upkeep` are scheduled, and have none. */
type RowQueue = Exclude<QueueName, 'upkeep'>;

/** Ages of the oldest waiting work in seconds; 0: none waits. */
export interface Backlog {
  /** By the queue of the job that does the work. */
  readonly queues: Readonly<Record<RowQueue, number>>;
  /** Work that is in no queue yet. */
  readonly outbox: number;
  /** The oldest message that an enabled webhook has not received, also while it waits for its next attempt. */
  readonly webhookMessage: number;
  /** How far ahead of now the oldest of any of these is, in seconds; 0: not at all. The clock was set back since. */
  readonly ahead: number;
}

/** From here on `ahead` is a problem: stored times are rounded to milliseconds. */
export const AHEAD_SECONDS = 1;

/** A queue with its jobs. */
export interface QueueReading {
  readonly queue: QueueName;
  /** Age of the oldest work that waits, in seconds; 0: none waits. Undefined: it has no rows, and the store does not answer. */
  readonly oldestSeconds: number | undefined;
  /** Undefined while the queues' store does not answer. */
  readonly jobs: QueueCounts | undefined;
}

/** An SQL expression for each queue: when its oldest open work became due. `seq` is the order of acceptance. */
const OLDEST: Readonly<Record<RowQueue, string>> = {
  intents: `SELECT open_since FROM intent WHERE status IN ('queued', 'evaluating') ORDER BY open_since LIMIT 1`,
  trust: 'SELECT created_at FROM trust_inbox ORDER BY seq LIMIT 1',
  proofs: `SELECT least((SELECT created_at FROM log_inbox ORDER BY seq LIMIT 1), (SELECT min(created_at) FROM (${UNSIGNED}) AS unsigned))`,
  // Since when a message could be sent and nobody has the lease of its endpoint. While somebody delivers, messages that wait behind
  // others wait for the receiver and not for workers.
  webhooks: `SELECT min(greatest(due.due_at, e.leased_until)) FROM webhook_endpoint e CROSS JOIN LATERAL (
      SELECT due_at FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND due_at <= now() ORDER BY due_at LIMIT 1
    ) AS due WHERE e.disabled_at IS NULL AND ${hasCome('e.leased_until', LEASED_AHEAD)}`,
};
const OUTBOX = 'SELECT created_at FROM outbox ORDER BY seq LIMIT 1';
const WEBHOOK_MESSAGE = `SELECT min(oldest.created_at) FROM webhook_endpoint e CROSS JOIN LATERAL (
      SELECT created_at FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND state = 'pending' ORDER BY seq LIMIT 1
    ) AS oldest WHERE e.disabled_at IS NULL`;

const NAMED = { ...OLDEST, outbox: OUTBOX, webhookMessage: WEBHOOK_MESSAGE };
const ageOf = (name: string): string =>
  `greatest(0, coalesce(extract(epoch FROM now() - "${name}"), 0))::float8 AS "${name}"`;
const NAMES = Object.keys(NAMED);
const AGES = `SELECT ${NAMES.map(ageOf).join(', ')},
      greatest(0, extract(epoch FROM greatest(${NAMES.map((name) => `"${name}"`).join(', ')}) - now()))::float8 AS ahead
    FROM (SELECT ${Object.entries(NAMED)
      .map(([name, oldest]) => `(${oldest}) AS "${name}"`)
      .join(', ')}) AS oldest`;

/** Reads the ages, by the database's clock. The first row of an index gives each. @throws {ApiError} E6002 */
export async function readBacklog(sql: Pick<Sql, 'query'>): Promise<Backlog> {
  const [row] = await sql.query<Record<RowQueue | 'outbox' | 'webhookMessage' | 'ahead', number>>(AGES, []);
  if (row === undefined) throw new Error('a statement without a condition returned no row');
  const { outbox, webhookMessage, ahead, ...queues } = row;
  return { queues, outbox, webhookMessage, ahead };
}

const WAITING_INTENTS = `SELECT count(*)::int AS waiting FROM (SELECT FROM intent WHERE status IN ('queued', 'evaluating') LIMIT 1000000) AS open`;

/**
 * The submitted intents that wait for a worker, counted up to a million, which takes some 100 ms. One job wakes a worker for any number of
 * them. @throws {ApiError} E6002
 */
export async function countWaitingIntents(sql: Pick<Sql, 'query'>): Promise<number> {
  return (await sql.query<{ waiting: number }>(WAITING_INTENTS, []))[0]?.waiting ?? 0;
}

/** Every queue with its jobs, and the age of its oldest work: that of the rows or of the first job that is due, whichever is older. */
export function readQueues(queues: Pick<Queues, 'counts'>, ages: Backlog['queues']): Promise<QueueReading[]> {
  return Promise.all(
    QUEUE_NAMES.map(async (queue) => {
      const jobs = await queues.counts(queue).catch(() => undefined);
      const seconds = [
        ...(queue === 'upkeep' ? [] : [ages[queue]]),
        ...(jobs === undefined ? [] : [jobs.oldestDueMs / 1_000]),
      ];
      return { queue, oldestSeconds: seconds.length === 0 ? undefined : Math.max(...seconds), jobs };
    }),
  );
}
