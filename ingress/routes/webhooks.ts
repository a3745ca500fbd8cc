// Webhooks: endpoints that receive events, and their signing keys.
import { invalidField } from '../../shared/kernel/errors.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { OVERLAP, readDuration } from '../../shared/domain/keys/durations.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { type AddressRule, urlProblem } from '../../shared/domain/webhooks/addresses.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointRow,
  holdEndpoint,
  keysOf,
  listEndpoints,
  rotateKeys,
} from '../../shared/domain/webhooks/endpoints.ts';
import { generateSecret, type Signature, secretProblem, validKeys } from '../../shared/domain/webhooks/signing-keys.ts';
import {
  Webhook,
  type WebhookBody,
  WebhookCreate,
  WebhookList,
  WebhookParams,
  WebhookRotate,
  WebhookUpdate,
  WebhookWithSecret,
} from '../../shared/api/webhook.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { ownerFor, type WebhookDeliveryDeps, webhookDeliveryRoutes } from './webhook-deliveries.ts';

export interface WebhookDeps extends WebhookDeliveryDeps {
  readonly webhookAddresses: AddressRule;
}

/** Long enough to roll out a new secret by hand. */
const DEFAULT_OVERLAP = '24h';
const SECRET_ONCE = 'Only the first answer shows the secret.';

function checkUrl(url: string | undefined, { environment }: AuthenticatedKey, rule: AddressRule): void {
  const problem = url === undefined ? undefined : urlProblem(url, environment, rule);
  if (problem !== undefined) throw invalidField('/url', problem);
}

function secretFor({ secret, signature = 'hmac' }: { secret?: string; signature?: Signature }): string {
  if (secret === undefined) return generateSecret(signature);
  const problem = secretProblem(secret);
  if (problem !== undefined) throw invalidField('/secret', problem);
  return secret;
}

function bodyOf(row: EndpointRow, nowMs: number): WebhookBody {
  const keys = validKeys(keysOf(row), nowMs);
  const publicKey = keys[0]?.publicKey ?? null;
  const ends = keys.slice(1).flatMap(({ until }) => until ?? []);
  const { verdicts, agent_ids: agentIds } = row;
  return {
    webhookId: row.endpoint_id,
    url: row.url,
    description: row.description,
    events: [...row.events],
    filter:
      verdicts === null && agentIds === null
        ? null
        : {
            ...(verdicts === null ? {} : { verdicts: [...verdicts] }),
            ...(agentIds === null ? {} : { agentIds: [...agentIds] }),
          },
    enabled: row.disabled_at === null,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at?.toISOString() ?? null,
    failingSince: row.failing_since?.toISOString() ?? null,
    signature: publicKey === null ? 'hmac' : 'ed25519',
    publicKey,
    previousKeysUntil: ends.sort().at(-1) ?? null,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
  };
}

/** The answer to a request that made a key. The private half of an Ed25519 key is never shown. */
function withSecret(
  status: number,
  { before, row, secret }: { readonly before?: EndpointRow; readonly row: EndpointRow; readonly secret: string },
  nowMs: number,
): Reply {
  const body = bodyOf(row, nowMs);
  const shown = body.signature === 'hmac' ? { ...body, secret } : body;
  return { status, body: shown, kept: body, change: changeOf(before, row) };
}

/** The settings of an endpoint before and after, and whether its signing key was replaced. @param before undefined: it is new */
function changeOf(before: EndpointRow | undefined, after: EndpointRow | undefined): RecordedChange {
  const members = ({
    url,
    description,
    events,
    verdicts,
    agent_ids: agentIds,
    disabled_at: disabledAt,
  }: EndpointRow) => {
    return { url, description, events, verdicts, agentIds, enabled: disabledAt === null };
  };
  const fields = changedFields(before && members(before), after && members(after));
  const isRotated = before !== undefined && after !== undefined && before.signing_keys !== after.signing_keys;
  const rotated = isRotated ? [{ name: 'signing key', to: 'a new one' }] : [];
  return { subject: 'webhook', id: (after ?? before)?.endpoint_id ?? '', fields: [...fields, ...rotated] };
}

export function webhookRoutes(deps: WebhookDeps): Route[] {
  return [...endpointRoutes(deps), ...webhookDeliveryRoutes(deps)];
}

function endpointRoutes({ db, nowMs, webhookAddresses }: WebhookDeps): Route[] {
  const ok = (row: EndpointRow, change: RecordedChange): Reply => ({
    status: 200,
    body: bodyOf(row, nowMs()),
    change,
  });
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks',
      operationId: 'createWebhook',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: 'Create a webhook',
      description: `Events of the given types are sent to the URL as Standard Webhooks, signed with the webhook's own key. ${SECRET_ONCE}`,
      request: { body: WebhookCreate },
      responses: { 201: { description: 'The new webhook.', schema: WebhookWithSecret } },
      errors: ['E5002'],
      idempotent: true,
      handler: ({ key, body, commit }) => {
        const owner = ownerFor(key);
        checkUrl(body.url, key, webhookAddresses);
        const secret = secretFor(body);
        const { url, events, filter, description = null } = body;
        const { verdicts = null, agentIds = null } = filter ?? {};
        return commit(async (sql) => {
          const now = nowMs();
          const settings = { url, events, description, verdicts, agentIds };
          const row = await createEndpoint(sql, owner, settings, { secret, by: key.keyId, nowMs: now });
          return withSecret(201, { row, secret }, now);
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/webhooks',
      operationId: 'listWebhooks',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: 'List the webhooks of the environment, newest first',
      description: 'They are few and fit on one page.',
      responses: { 200: { description: 'All webhooks.', schema: WebhookList } },
      handler: async ({ key }) => {
        const rows = await listEndpoints(db, ownerFor(key));
        return { status: 200, body: { items: rows.map((row) => bodyOf(row, nowMs())), nextCursor: null } };
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: '/v1/webhooks/{webhookId}',
      operationId: 'updateWebhook',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: 'Change, disable or enable a webhook',
      description: 'Only the members that are sent are changed.',
      request: { params: WebhookParams, body: WebhookUpdate },
      responses: { 200: { description: 'The webhook.', schema: Webhook } },
      errors: ['E4001'],
      handler: async ({ key, params, commit, body: { filter, ...rest } }) => {
        const owner = ownerFor(key);
        checkUrl(rest.url, key, webhookAddresses);
        const filters =
          filter === undefined ? {} : { verdicts: filter?.verdicts ?? null, agentIds: filter?.agentIds ?? null };
        return commit(async (sql) => {
          const held = await holdEndpoint(sql, owner, params.webhookId);
          const row = await changeEndpoint(sql, held, { ...rest, ...filters }, nowMs());
          return ok(row, changeOf(held, row));
        });
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/webhooks/{webhookId}',
      operationId: 'deleteWebhook',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: 'Delete a webhook',
      description: 'Messages that wait are not sent. To keep them, disable the webhook instead.',
      request: { params: WebhookParams },
      responses: { 200: { description: 'The webhook that was deleted.', schema: Webhook } },
      errors: ['E4001'],
      handler: async ({ key, params, commit }) => {
        const owner = ownerFor(key);
        return commit(async (sql) => {
          const held = await holdEndpoint(sql, owner, params.webhookId);
          await deleteEndpoint(sql, held);
          return ok(held, changeOf(held, undefined));
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks/{webhookId}/rotate',
      operationId: 'rotateWebhook',
      access: ['admin:*'],
      tag: 'Webhooks',
      summary: "Replace a webhook's signing key",
      description: `Until the overlap ends (default ${DEFAULT_OVERLAP}; at most ${OVERLAP.max}) each message has a signature of the old key and one of the new key. ${SECRET_ONCE}`,
      request: { params: WebhookParams, body: WebhookRotate },
      responses: { 200: { description: 'The webhook with its new key.', schema: WebhookWithSecret } },
      errors: ['E4001', 'E5002'],
      idempotent: true,
      handler: ({ key, params, body, commit }) => {
        const owner = ownerFor(key);
        const overlapMs = readDuration(body.overlap ?? DEFAULT_OVERLAP, OVERLAP, '/overlap');
        return commit(async (sql) => {
          const held = await holdEndpoint(sql, owner, params.webhookId);
          const kind = keysOf(held)[0]?.publicKey === undefined ? 'hmac' : 'ed25519';
          const secret = secretFor({ signature: kind, ...body });
          const now = nowMs();
          const row = await rotateKeys(sql, held, { secret, overlapMs, nowMs: now });
          return withSecret(200, { before: held, row, secret }, now);
        });
      },
    }),
  ];
}
