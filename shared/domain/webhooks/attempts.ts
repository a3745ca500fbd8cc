// The result of an attempt to send a message, and its storage.
import { columnMap, numeric, optionalText, text, timeMs } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import { HOLDING_ATTEMPTS, nextAttemptMs } from './schedule.ts';
import type { SendFailure, SendResult } from './send.ts';

/** A message that is due. */
export interface Waiting {
  readonly seq: string;
  readonly message_id: string;
  readonly subject: string;
  readonly payload: string;
  /** Attempts that have failed. */
  readonly attempts: number;
}

export type AttemptError = SendFailure | 'signing_key_unreadable' | 'redirect_refused' | 'gone' | 'error_status';

export interface Attempt {
  readonly waiting: Waiting;
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly atMs: number;
  readonly durationMs: number;
  /** When the next attempt is due, after `retried`. */
  readonly nextMs: number | undefined;
  readonly status: number | undefined;
  readonly error: AttemptError | undefined;
  /** The receiver answered that the endpoint does not exist any more. */
  readonly isGone: boolean;
}

const GONE = 410;

function errorOf(status: number): AttemptError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === GONE) return 'gone';
  return status < 400 ? 'redirect_refused' : 'error_status';
}

/** What a result means for its message. */
export function judge(
  waiting: Waiting,
  result: SendResult | { readonly kind: 'failed'; readonly failure: 'signing_key_unreadable' },
  { nowMs, ...times }: { readonly atMs: number; readonly durationMs: number; readonly nowMs: number },
): Attempt {
  const status = result.kind === 'answered' ? result.status : undefined;
  const error = result.kind === 'answered' ? errorOf(result.status) : result.failure;
  const isGone = error === 'gone';
  const nextMs = error === undefined || isGone ? undefined : nextAttemptMs(waiting.attempts + 1, nowMs);
  const outcome = error === undefined ? 'delivered' : nextMs === undefined ? 'failed' : 'retried';
  return { waiting, outcome, ...times, nextMs, status, error, isGone };
}

const orNull = (value: number | undefined): number | string => value ?? 'NULL';
const RESULTS = columnMap<Attempt>({
  seq: numeric('bigint', ({ waiting }) => waiting.seq),
  attempts: numeric('integer', ({ waiting }) => waiting.attempts),
  state: text(({ outcome }) => (outcome === 'retried' ? 'pending' : outcome)),
  due_ms: numeric('float8', ({ nextMs }) => orNull(nextMs)),
  attempted_at: timeMs(({ atMs }) => atMs),
  duration_ms: numeric('integer', ({ durationMs }) => durationMs),
  response_status: numeric('smallint', ({ status }) => orNull(status)),
  error: optionalText(({ error }) => error),
});
// A message that was replayed meanwhile has another number of attempts, and keeps that of its replay.
const RECORD = `UPDATE webhook_delivery d SET state = given.state, attempts = d.attempts + 1, due_at = to_timestamp(given.due_ms / 1000), attempted_at = given.attempted_at,
      duration_ms = given.duration_ms, response_status = given.response_status, error = given.error
    FROM (${RESULTS.rows()}) AS given
    WHERE d.endpoint_id = $${RESULTS.size + 1} AND d.seq = given.seq AND d.attempts = given.attempts AND d.state = 'pending'`;
// The next message about each subject, unless one is being tried that holds it back.
const NEXT = `UPDATE webhook_delivery SET due_at = $3 WHERE seq = ANY (ARRAY(
      SELECT next.seq FROM unnest($2::text[]) AS s (subject) CROSS JOIN LATERAL (
        SELECT seq FROM webhook_delivery w WHERE w.endpoint_id = $1 AND w.subject = s.subject AND w.state = 'pending' AND w.due_at IS NULL ORDER BY seq LIMIT 1
      ) AS next
      WHERE NOT EXISTS (
        SELECT FROM webhook_delivery h WHERE h.endpoint_id = $1 AND h.subject = s.subject AND h.due_at IS NOT NULL AND h.attempts < ${HOLDING_ATTEMPTS}
      )))`;

/** Call it in a transaction that holds the endpoint's row. */
export async function recordAttempts(
  sql: Sql,
  endpointId: string,
  attempts: readonly Attempt[],
  nowMs: number,
): Promise<void> {
  await sql.query(RECORD, [...RESULTS.values(attempts), endpointId]);
  const subjects = [...new Set(attempts.map(({ waiting }) => waiting.subject))];
  await sql.query(NEXT, [endpointId, subjects, new Date(nowMs)]);
}
