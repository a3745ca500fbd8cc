// Deliveries of webhooks: their list, and the replay of one.
import { ApiError } from '../../kernel/errors.ts';
import type { DeliveryState, WebhookEventType } from '../../kernel/webhook-events.ts';
import type { Sql } from '../../platform/db/database.ts';
import { HIGHEST_SEQ } from '../../platform/db/plans.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';
import type { EndpointRow } from './endpoints.ts';

export interface DeliveryRow {
  readonly seq: string;
  readonly message_id: string;
  readonly type: WebhookEventType;
  readonly subject: string;
  readonly payload: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: Date;
  readonly due_at: Date | null;
  readonly attempted_at: Date | null;
  readonly duration_ms: number | null;
  readonly response_status: number | null;
  readonly error: string | null;
}

const COLUMNS =
  'seq::text AS seq, message_id, type, subject, payload, state, attempts, created_at, due_at, attempted_at, duration_ms, response_status, error';
/** The state is a literal, so that the planner can use the partial indexes of migrations 0022 and 0063. */
const listSql = (state: DeliveryState | undefined): string => `SELECT ${COLUMNS} FROM webhook_delivery
    WHERE endpoint_id = $1 AND seq < $2${state === undefined ? '' : ` AND state = '${state}'`} ORDER BY webhook_delivery.seq DESC LIMIT $3`;
// It is sent at once, before what waits for its subject.
const REPLAY = `UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $3 WHERE endpoint_id = $1 AND message_id = $2 RETURNING ${COLUMNS}`;
const WAKE = enqueueSql('webhooks', 'deliver', { endpointId: '$1::text' });

export interface DeliveryPage {
  /** Sequence number of the last row of the page before. */
  readonly before: string | undefined;
  readonly state: DeliveryState | undefined;
  readonly count: number;
}

/** Newest first. */
export function listDeliveries(sql: Sql, endpointId: string, page: DeliveryPage): Promise<DeliveryRow[]> {
  return sql.query<DeliveryRow>(listSql(page.state), [endpointId, page.before ?? HIGHEST_SEQ, page.count]);
}

/**
 * Sends a message again, under the same id.
 * @param endpoint a row that this transaction holds
 * @throws {ApiError} E4001; E5002 when the endpoint is disabled
 */
export async function replayDelivery(
  sql: Sql,
  endpoint: EndpointRow,
  messageId: string,
  nowMs: number,
): Promise<DeliveryRow> {
  const { endpoint_id: endpointId } = endpoint;
  if (endpoint.disabled_at !== null)
    throw new ApiError('E5002', 'The webhook is disabled: enable it, then replay the delivery.');
  const [row] = await sql.query<DeliveryRow>(REPLAY, [endpointId, messageId, new Date(nowMs)]);
  if (row === undefined)
    throw new ApiError('E4001', 'The webhook has no such delivery, or it was deleted because of its age.');
  await sql.query(WAKE, [endpointId]);
  return row;
}
