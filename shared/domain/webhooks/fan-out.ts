// The fan-out: reads the logs of an endpoint's owner from the endpoint's cursors, and stores a delivery for each event that it wants.
//
// Deliveries and cursors change in one transaction that holds the endpoint's row, so a crash neither loses nor doubles an
// event. Requests and decisions have nothing to do with it: they write the log anyway.
import type { Owner } from '../../kernel/owner.ts';
import { anyText, columnMap, longText, text } from '../../platform/db/columns.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { EndpointRow } from './endpoints.ts';
import type { WebhookEvent } from './events.ts';
import { readEvents, type Stream, streamOf } from './read-events.ts';
import { HOLDING_ATTEMPTS } from './schedule.ts';

/** Leaves of one batch. */
const MAX_LEAVES = 1_000;
/** Pending messages of an endpoint, about. While there are more, events stay in the log (backpressure). */
const MAX_PENDING = 10_000;
/** An endpoint that was disabled or failing for longer misses the events before. */
const CATCH_UP_MS = 3 * 86_400_000;

const HOLD = 'SELECT endpoint_id FROM webhook_endpoint WHERE endpoint_id = $1 FOR UPDATE';
const PENDING = `SELECT count(*)::int AS n FROM (SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'pending' LIMIT ${MAX_PENDING}) AS pending`;
/** Streams of the owner's logs, and their cursors. A halted log is not signed, so its new proofs are not anchored. */
const STREAMS_OF = `log CROSS JOIN LATERAL (VALUES ('records', log.size),
      ('proofs', coalesce((SELECT max(size) FROM checkpoint WHERE checkpoint.log_id = log.log_id), 0))) AS ends (stream, size)
    LEFT JOIN webhook_cursor c ON c.endpoint_id = e.endpoint_id AND c.log_id = log.log_id AND c.stream = ends.stream
    WHERE log.organisation_id = e.organisation_id AND log.environment = e.environment AND ends.size > coalesce(c.next_index, 0)`;
/** A FROM clause: streams of which leaves wait for an endpoint, with the columns log_id, stream, next and size. */
export const behindSql = (endpoints: string): string =>
  `${endpoints} CROSS JOIN LATERAL (SELECT log.log_id, ends.stream, coalesce(c.next_index, 0) AS next, ends.size FROM ${STREAMS_OF}) AS behind`;
const BEHIND = `SELECT log_id, stream, next::float8 AS next, size::float8 AS size FROM ${behindSql('webhook_endpoint e')} WHERE e.endpoint_id = $1`;
const MOVE = `INSERT INTO webhook_cursor (endpoint_id, log_id, stream, next_index) VALUES ($1, $2, $3, $4)
    ON CONFLICT (endpoint_id, log_id, stream) DO UPDATE SET next_index = excluded.next_index`;

const DELIVERIES = columnMap<WebhookEvent>({
  message_id: text(({ messageId }) => messageId),
  type: text(({ type }) => type),
  subject: anyText(({ subject }) => subject),
  payload: longText(({ payload }) => payload),
});
const [ENDPOINT, NOW] = [`$${DELIVERIES.size + 1}`, `$${DELIVERIES.size + 2}::timestamptz`];
// The first message about a subject is due, unless an earlier one waits or is being tried; the others wait for it.
const INSERT = `WITH given AS MATERIALIZED (${DELIVERIES.rows()}), added AS (
      SELECT given.*, row_number() OVER (PARTITION BY subject ORDER BY ordinal) = 1 AS is_first FROM given
      WHERE NOT EXISTS (SELECT FROM webhook_delivery known WHERE known.endpoint_id = ${ENDPOINT} AND known.message_id = given.message_id)
    )
    INSERT INTO webhook_delivery (${DELIVERIES.names}, endpoint_id, created_at, due_at)
    SELECT ${DELIVERIES.names}, ${ENDPOINT}, ${NOW}, CASE WHEN is_first AND NOT EXISTS (
        SELECT FROM webhook_delivery w WHERE w.endpoint_id = ${ENDPOINT} AND w.subject = added.subject AND w.state = 'pending' AND w.due_at IS NULL
      ) AND NOT EXISTS (
        SELECT FROM webhook_delivery h WHERE h.endpoint_id = ${ENDPOINT} AND h.subject = added.subject AND h.due_at IS NOT NULL AND h.attempts < ${HOLDING_ATTEMPTS}
      ) THEN ${NOW} END
    FROM added ORDER BY ordinal`;

function wants({ events, verdicts, agent_ids: agentIds }: EndpointRow, { type, verdict, agentId }: WebhookEvent) {
  if (!events.includes(type)) return false;
  return (
    (verdict === undefined || verdicts === null || verdicts.some((known) => known === verdict)) &&
    (agentId === undefined || agentIds === null || agentIds.includes(agentId))
  );
}

interface BehindRow {
  readonly log_id: number;
  readonly stream: Stream;
  readonly next: number;
  readonly size: number;
}

/** Reads the next leaves of one stream. @returns the events that the endpoint wants, and whether more leaves wait */
async function readBatch(sql: Sql, endpoint: EndpointRow, row: BehindRow, nowMs: number) {
  const { log_id: logId, stream, next: from, size } = row;
  const { endpoint_id: endpointId, organisation_id: organisationId, environment } = endpoint;
  const owner: Owner = { organisationId, environment };
  const types = new Set(endpoint.events.filter((type) => streamOf(type) === stream));
  // A stream of which nothing is wanted is not read: a later subscription begins at its end.
  const to = types.size === 0 ? size : Math.min(size, from + MAX_LEAVES);
  const since = new Date(nowMs - CATCH_UP_MS);
  const range = { logId, stream, from, to, since, types };
  const events = types.size === 0 ? [] : await readEvents(sql, owner, range);
  await sql.query(MOVE, [endpointId, logId, stream, to]);
  return { events: events.filter((event) => wants(endpoint, event)), hasMore: to < size };
}

/**
 * Stores deliveries of the next events.
 * @returns `more`: leaves wait; `full`: leaves wait, and so many messages that no more are stored
 */
export async function fanOut(sql: Sql, endpoint: EndpointRow, nowMs: number): Promise<'done' | 'more' | 'full'> {
  const { endpoint_id: endpointId } = endpoint;
  // Deleted meanwhile.
  if ((await sql.query(HOLD, [endpointId])).length === 0) return 'done';
  const behind = await sql.query<BehindRow>(BEHIND, [endpointId]);
  if (behind.length === 0) return 'done';
  const [pending] = await sql.query<{ n: number }>(PENDING, [endpointId]);
  if (pending !== undefined && pending.n >= MAX_PENDING) return 'full';
  const added: WebhookEvent[] = [];
  let state: 'done' | 'more' = 'done';
  for (const row of behind) {
    const { events, hasMore } = await readBatch(sql, endpoint, row, nowMs);
    added.push(...events);
    if (hasMore) state = 'more';
  }
  if (added.length > 0) await sql.query(INSERT, [...DELIVERIES.values(added), endpointId, new Date(nowMs)]);
  return state;
}
