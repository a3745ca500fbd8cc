// Deliveries of webhooks: list them, and send one again.
import {
  Delivery,
  type DeliveryBody,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  WebhookParams,
} from '../../shared/api/webhook.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type DeliveryRow, listDeliveries, replayDelivery } from '../../shared/domain/webhooks/deliveries.ts';
import { holdEndpoint, readEndpoint } from '../../shared/domain/webhooks/endpoints.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { ownerOf } from '../../shared/kernel/owner.ts';
import type { EntitySql } from '../../shared/platform/db/database.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';

export interface WebhookDeliveryDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
}

/**
 * An endpoint receives events of all agents and of the administration, so a key that may name only some agents must not
 * manage any. @throws {ApiError} E1004
 */
export function ownerFor(key: AuthenticatedKey) {
  if (key.agentIds !== null)
    throw new ApiError('E1004', 'The key is bound to agents, and webhooks receive events of all agents.');
  return ownerOf(key);
}

function deliveryBody(row: DeliveryRow): DeliveryBody {
  return {
    deliveryId: row.message_id,
    type: row.type,
    subject: row.subject,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at.toISOString(),
    nextAttemptAt: row.due_at?.toISOString() ?? null,
    lastAttemptAt: row.attempted_at?.toISOString() ?? null,
    durationMs: row.duration_ms,
    responseStatus: row.response_status,
    error: row.error,
    // The fan-out stored the text of an object.
    payload: JSON.parse(row.payload) as Record<string, unknown>,
  };
}

export function webhookDeliveryRoutes({ db, nowMs }: WebhookDeliveryDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks/{webhookId}/deliveries',
      operationId: 'listWebhookDeliveries',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: "List a webhook's deliveries, newest first",
      description: 'Deliveries are kept for a week.',
      request: { params: WebhookParams, query: DeliveryQuery },
      responses: { 200: { description: 'One page of deliveries.', schema: DeliveryList } },
      errors: ['E4001'],
      handler: async ({ key, params, query }) => {
        const { endpoint_id: endpointId } = await readEndpoint(db, ownerFor(key), params.webhookId);
        const page = await readPage(query, {
          cursor: /^\d{1,18}$/,
          read: (before, count) => listDeliveries(db, endpointId, { before, state: query.state, count }),
          sortKey: (row) => row.seq,
        });
        return { status: 200, body: { ...page, items: page.items.map(deliveryBody) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
      operationId: 'replayWebhookDelivery',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: 'Send a message again',
      description:
        'It keeps its `webhook-id`, so that a receiver can recognize it. One that is pending is sent at once instead of at its next attempt.',
      request: { params: DeliveryParams },
      responses: { 202: { description: 'The delivery, pending.', schema: Delivery } },
      errors: ['E4001', 'E5002'],
      idempotent: true,
      handler: ({ key, params, commit }) => {
        const owner = ownerFor(key);
        return commit(async (sql) => {
          const held = await holdEndpoint(sql, owner, params.webhookId);
          const row = await replayDelivery(sql, held, params.deliveryId, nowMs());
          const change = { subject: 'delivery', id: row.message_id, fields: [{ name: 'state', to: row.state }] };
          return { status: 202, body: deliveryBody(row), change };
        });
      },
    }),
  ];
}
