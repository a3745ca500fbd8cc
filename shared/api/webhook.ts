// Schemas of webhooks and of their deliveries.
import { type Static, Type } from 'typebox';
import { DURATION_PATTERN } from '../kernel/durations.ts';
import { AGENT_IDS_MAX } from '../domain/keys/limits.ts';
import { URL_MAX } from '../domain/webhooks/addresses.ts';
import { SIGNATURES } from '../domain/webhooks/signing-keys.ts';
import { VERDICTS } from '../kernel/vocabulary.ts';
import { DELIVERY_STATES, DISABLED_REASONS, WEBHOOK_EVENTS } from '../kernel/webhook-events.ts';
import {
  CallerId,
  closed,
  JsonObject,
  listOf,
  NO_NUL,
  named,
  Nullable,
  PAGE,
  StringEnum,
  Timestamp,
} from './common.ts';

const WebhookId = Type.String({
  pattern: '^whk_[0-9a-z]{26}$',
  description: 'Names the webhook.',
  examples: ['whk_01jq3k8v5m9z4t2c6x7b8n9p0q'],
});
const Url = Type.String({
  minLength: 1,
  maxLength: URL_MAX,
  pattern: NO_NUL,
  description:
    'Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.',
  examples: ['https://receiver.example.com/custos'],
});
const Description = Type.String({
  maxLength: 200,
  pattern: NO_NUL,
  description: 'For people.',
  examples: ['pages the on-call engineer'],
});
const Events = Type.Array(StringEnum(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  uniqueItems: true,
  description: 'The types of events that are sent.',
  examples: [['decision.made', 'approval.opened']],
});
const Filter = closed(
  {
    verdicts: Type.Optional(
      Type.Array(StringEnum(VERDICTS), {
        minItems: 1,
        maxItems: VERDICTS.length,
        uniqueItems: true,
        description: 'Only decisions with one of these verdicts.',
      }),
    ),
    agentIds: Type.Optional(
      Type.Array(CallerId, { minItems: 1, maxItems: AGENT_IDS_MAX, description: 'Only decisions about these agents.' }),
    ),
  },
  {
    $id: 'WebhookFilter',
    description: 'Which decisions are sent as `decision.made`; other events are not filtered. Absent members: all.',
  },
);
const Secret = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64. Absent: one is generated.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
});
const SignatureKind = StringEnum(SIGNATURES, {
  description: 'Kind of the generated key; a given `secret` has its own. Default: hmac.',
});

/** No pattern, so that a malformed id gets the same 404 as another tenant's webhook. */
const PathId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Names the webhook.',
  examples: ['whk_01jq3k8v5m9z4t2c6x7b8n9p0q'],
});
export const WebhookParams = closed({ webhookId: PathId });
export const DeliveryParams = closed({
  webhookId: PathId,
  deliveryId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Names the delivery.',
    examples: ['msg_2b8f0c4de1a94f7d86c3a5b7e9f01234'],
  }),
});

export const WebhookCreate = named('WebhookCreate', {
  url: Url,
  events: Events,
  filter: Type.Optional(Filter),
  description: Type.Optional(Description),
  secret: Type.Optional(Secret),
  signature: Type.Optional(SignatureKind),
});

export const WebhookUpdate = closed(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    filter: Type.Optional(Nullable(Filter)),
    description: Type.Optional(Nullable(Description)),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'false: nothing is sent. true: messages that wait are sent, then the events of the time while it was disabled, at most those of the last three days.',
      }),
    ),
  },
  { $id: 'WebhookUpdate', minProperties: 1 },
);

export const WebhookRotate = named('WebhookRotate', {
  overlap: Type.Optional(
    Type.String({
      pattern: DURATION_PATTERN,
      description: 'How long messages are signed with the old key too. Default: 24h; 0m ends the old key at once.',
      examples: ['24h'],
    }),
  ),
  secret: Type.Optional(Secret),
  signature: Type.Optional(SignatureKind),
});

const FIELDS = {
  webhookId: WebhookId,
  url: Url,
  description: Nullable(Description),
  events: Events,
  filter: Nullable(Filter),
  enabled: Type.Boolean({ description: 'Whether messages are sent.' }),
  disabledReason: Nullable(
    StringEnum(DISABLED_REASONS, {
      description:
        'operator: by an administrator; gone: the receiver answered 410; failing: no success for three days.',
    }),
  ),
  disabledAt: Nullable(Timestamp),
  failingSince: Nullable(
    Type.String({
      ...Timestamp,
      description: 'The first failure since the last success; null: the last message arrived.',
    }),
  ),
  signature: StringEnum(SIGNATURES, { description: 'hmac: `v1` signatures; ed25519: `v1a`.' }),
  publicKey: Nullable(
    Type.String({ description: 'The key that verifies `v1a` signatures (`whpk_...`); null for hmac.' }),
  ),
  previousKeysUntil: Nullable(
    Type.String({ ...Timestamp, description: 'Until then messages have signatures of replaced keys too.' }),
  ),
  createdAt: Timestamp,
  createdBy: Type.String({ description: 'The key that created it.' }),
};

export const Webhook = named('Webhook', FIELDS);
export type WebhookBody = Static<typeof Webhook>;
export const WebhookList = listOf(Webhook, 'WebhookList');

export const WebhookWithSecret = named('WebhookWithSecret', {
  ...FIELDS,
  secret: Type.Optional(
    Type.String({
      description:
        'The secret of an hmac webhook; it is never shown again. A repeat under the same Idempotency-Key lacks it.',
    }),
  ),
});

export const DeliveryQuery = closed({
  state: Type.Optional(StringEnum(DELIVERY_STATES, { description: 'Only deliveries in this state.' })),
  ...PAGE,
});

export const Delivery = named('WebhookDelivery', {
  deliveryId: Type.String({
    description: 'The header `webhook-id` of the message. The same after a retry and a replay.',
    examples: ['msg_2b8f0c4de1a94f7d86c3a5b7e9f01234'],
  }),
  type: StringEnum(WEBHOOK_EVENTS, { description: 'The type of the event.' }),
  subject: Type.String({ description: 'What the event is about; messages about one subject are sent in order.' }),
  state: StringEnum(DELIVERY_STATES, {
    description:
      'pending: not delivered yet; delivered: answered with a status of 200 to 299; failed: no more attempts are made.',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'How often it was tried.' }),
  createdAt: Timestamp,
  nextAttemptAt: Nullable(
    Type.String({
      ...Timestamp,
      description: 'null: it is closed, or waits for an earlier message about its subject.',
    }),
  ),
  lastAttemptAt: Nullable(Timestamp),
  durationMs: Nullable(Type.Integer({ minimum: 0, description: 'Duration of the last attempt.' })),
  responseStatus: Nullable(Type.Integer({ description: 'HTTP status of the last answer; null: there was none.' })),
  error: Nullable(
    Type.String({ description: 'Why the last attempt failed; null: it did not.', examples: ['timeout'] }),
  ),
  payload: JsonObject({ description: 'The body of the message: type, timestamp and data.' }),
});
export type DeliveryBody = Static<typeof Delivery>;
export const DeliveryList = listOf(Delivery, 'WebhookDeliveryList');
