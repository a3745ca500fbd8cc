// The only place that inserts outbox rows. It builds SQL fragments, so that a job commits with the row that it is about.
import type { JobName, JobPayload, QueueName } from '../../kernel/jobs.ts';

/** One SQL expression for each member of a payload but its version; NULL leaves the member out. */
type PayloadSql<P> = { readonly [M in keyof Omit<P, 'v'>]: string };

const insert = (select: string): string => `INSERT INTO outbox (queue, name, payload) SELECT ${select}`;

/**
 * An INSERT of one outbox row for each row of `from`. It ends a statement or is a member of its WITH list; `RETURNING` may
 * follow. A member that the job's payload type does not have does not compile.
 * @param members SQL expressions over the columns of `from`; never values from outside, use parameters for those
 * @param from the FROM clause without the keyword; absent: one row
 */
export function enqueueSql<Q extends QueueName, N extends JobName<Q>>(
  queue: Q,
  name: N,
  members: PayloadSql<JobPayload<Q, N>>,
  from?: string,
): string {
  // The mapped type has string values only, which TypeScript cannot see through the generic payload.
  const pairs = Object.entries(members as Readonly<Record<string, string>>).map(([key, sql]) => `'${key}', ${sql}`);
  const payload =
    pairs.length === 0 ? `'{"v":1}'` : `json_strip_nulls(json_build_object('v', 1, ${pairs.join(', ')}))::text`;
  return insert(`'${queue}', '${name}', ${payload}${from === undefined ? '' : ` FROM ${from}`}`);
}

/**
 * An INSERT that queues dead jobs again. The queue still holds the dead job under its id and ignores a second one with the
 * same id, so `retryOf` makes the id of the new job different.
 * @param from rows of dead_job
 */
export function requeueSql(from: string): string {
  return insert(`queue, name, (payload::jsonb || jsonb_build_object('retryOf', dead_job_id::text))::text FROM ${from}`);
}
