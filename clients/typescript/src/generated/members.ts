// Generated from docs/openapi.json by "npm run generate". Do not edit.

/** Members whose values are never respelled: they belong to callers and to policies. */
export const FREE_FORM: readonly string[] = ['actual', 'annotations', 'arguments', 'attributes', 'authzen', 'bound', 'context', 'evidence', 'expected', 'lexicon', 'metadata', 'obligations', 'payload', 'policies', 'reads', 'resources', 'tools'];

export interface OperationMembers {
  /** Members of the request that the service spells in snake_case. */
  readonly respelled?: readonly string[];
  /** Members, in camelCase, by which an answer is recognised: each with a status 2xx has them. */
  readonly required?: readonly string[];
}

export const OPERATIONS = {
  'POST /v1/intent': { respelled: ['agent_id', 'raw_intent', 'trust_score'], required: ['intentId', 'agentId'] },
  'GET /v1/intent/{id}': { required: ['intentId', 'agentId'] },
  'POST /v1/enforce': { respelled: ['agent_id', 'approval_id', 'definition_digest', 'dry_run', 'intent_id', 'trust_level'], required: ['allowed', 'verdict'] },
  'POST /v1/enforce/batch': { respelled: ['agent_id', 'approval_id', 'definition_digest', 'dry_run', 'intent_id', 'trust_level'], required: ['decisions'] },
  'GET /v1/intents': { required: ['items', 'nextCursor'] },
  'POST /v1/intents': { respelled: ['definition_digest'], required: ['intentId', 'status'] },
  'GET /v1/intents/{id}': { required: ['intentId', 'agentId'] },
  'GET /v1/decisions': { required: ['items', 'nextCursor'] },
  'GET /v1/decisions/{id}': { required: ['decisionId', 'allowed'] },
  'POST /v1/decisions/{id}/outcome': { required: ['decisionId', 'outcome'] },
  'GET /v1/approvals': { required: ['items', 'nextCursor'] },
  'GET /v1/approvals/{id}': { required: ['requested', 'approvalId'] },
  'POST /v1/approvals/{id}/approve': { required: ['requested', 'approvalId'] },
  'POST /v1/approvals/{id}/reject': { required: ['requested', 'approvalId'] },
  'GET /v1/proofs': { required: ['items', 'nextCursor'] },
  'POST /v1/proofs': { required: ['proofId', 'status'] },
  'POST /v1/proofs/batch': { required: ['proofs'] },
  'GET /v1/proofs/{id}': { required: ['status', 'proofId'] },
  'GET /v1/proofs/chain/{entityId}': { required: ['entityId', 'head'] },
  'GET /v1/log/checkpoint': {},
  'GET /v1/log/checkpoints': { required: ['items', 'nextCursor'] },
  'GET /v1/log/keys': { required: ['items', 'nextCursor'] },
  'GET /v1/log/consistency': { required: ['from', 'to'] },
  'GET /v1/log/leaves': { required: ['from', 'to'] },
  'POST /v1/proofs/verify': { required: ['valid', 'failure'] },
  'GET /v1/agents': { required: ['items', 'nextCursor'] },
  'POST /v1/agents': { required: ['agentId', 'name'] },
  'GET /v1/agents/{agentId}': { required: ['agentId', 'name'] },
  'PATCH /v1/agents/{agentId}': { required: ['agentId', 'name'] },
  'DELETE /v1/agents/{agentId}': { required: ['agentId', 'name'] },
  'POST /v1/trust/signals': { required: ['signalIds'] },
  'GET /v1/trust/{agentId}': { required: ['agentId', 'registered'] },
  'GET /v1/trust/{agentId}/history': { required: ['items', 'nextCursor'] },
  'GET /v1/auth/keys': { required: ['items', 'nextCursor'] },
  'POST /v1/auth/keys': { required: ['keyId', 'name'] },
  'DELETE /v1/auth/keys/{keyId}': { required: ['keyId', 'name'] },
  'POST /v1/auth/keys/{keyId}/rotate': { required: ['keyId', 'name'] },
  'GET /v1/halt': { required: ['environment', 'halted'] },
  'POST /v1/halt': { required: ['environment', 'halted'] },
  'DELETE /v1/halt': { required: ['environment', 'halted'] },
  'POST /v1/policies/replay': { required: ['draft'] },
  'GET /v1/policies/replays/{id}': { required: ['replayId', 'status'] },
  'GET /v1/policies/shadow': { required: ['running', 'draft'] },
  'GET /v1/policies': { required: ['digest', 'activatedAt'] },
  'GET /v1/policies/{digest}': { required: ['digest', 'createdAt'] },
  'POST /v1/policies/validate': { required: ['valid', 'digest'] },
  'GET /v1/tools': { required: ['digest', 'items'] },
  'GET /v1/webhooks': { required: ['items', 'nextCursor'] },
  'POST /v1/webhooks': { required: ['webhookId', 'url'] },
  'PATCH /v1/webhooks/{webhookId}': { required: ['webhookId', 'url'] },
  'DELETE /v1/webhooks/{webhookId}': { required: ['webhookId', 'url'] },
  'POST /v1/webhooks/{webhookId}/rotate': { required: ['webhookId', 'url'] },
  'GET /v1/webhooks/{webhookId}/deliveries': { required: ['items', 'nextCursor'] },
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': { required: ['deliveryId', 'type'] },
  'GET /health': { required: ['status'] },
  'GET /ready': { required: ['status', 'checks'] },
  'GET /v1/reference/tiers': { required: ['items', 'nextCursor'] },
  'GET /v1/reference/rate-limits': { required: ['items', 'nextCursor'] },
  'GET /v1/reference/errors': { required: ['items', 'nextCursor'] },
  'GET /v1/reference/scopes': { required: ['items', 'nextCursor'] },
} as const satisfies Readonly<Record<string, OperationMembers>>;
