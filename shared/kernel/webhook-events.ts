// The events that webhook endpoints can subscribe to.

export const WEBHOOK_EVENTS = [
  'decision.made',
  'approval.opened',
  'approval.decided',
  'intent.decided',
  'trust.level_changed',
  'proof.anchored',
  'policy.activated',
  'policy.refused',
  'key.created',
  'key.revoked',
  'log.halted',
  'audit.failed',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an endpoint gets nothing: an operator's decision, an answer 410, or days without a success. */
export const DISABLED_REASONS = ['operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Endpoints of one organisation and environment. Each takes part in the fan-out of every event. */
export const MAX_ENDPOINTS = 20;
