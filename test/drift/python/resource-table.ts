// The resource and the method of the Python client for each operation of the API.

/** Marks a body that is one argument, before the argument's name. */
export const WHOLE = 'whole:';

export interface Row {
  readonly method: string;
  readonly path: string;
  /** The component that is the body, where the description offers several, or `whole:<name>` for a body that is one argument. */
  readonly body?: string;
}

const row = (operation: string, body?: string): Row => {
  const [method = '', path = ''] = operation.split(' ');
  return { method, path, ...(body === undefined ? {} : { body }) };
};

/** Resource and method of each operation. */
export const RESOURCES: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  intent: { parse: row('POST /v1/intent'), get: row('GET /v1/intent/{id}') },
  enforce: { evaluate: row('POST /v1/enforce'), evaluate_batch: row('POST /v1/enforce/batch') },
  decisions: {
    get: row('GET /v1/decisions/{id}'),
    list: row('GET /v1/decisions'),
    report_outcome: row('POST /v1/decisions/{id}/outcome'),
  },
  intents: { submit: row('POST /v1/intents'), get: row('GET /v1/intents/{id}'), list: row('GET /v1/intents') },
  approvals: {
    get: row('GET /v1/approvals/{id}'),
    list: row('GET /v1/approvals'),
    approve: row('POST /v1/approvals/{id}/approve'),
    reject: row('POST /v1/approvals/{id}/reject'),
  },
  proofs: {
    create: row('POST /v1/proofs'),
    create_batch: row('POST /v1/proofs/batch'),
    get: row('GET /v1/proofs/{id}'),
    list: row('GET /v1/proofs'),
    chain: row('GET /v1/proofs/chain/{entityId}'),
    verify: row('POST /v1/proofs/verify', `${WHOLE}receipt`),
  },
  agents: {
    create: row('POST /v1/agents'),
    get: row('GET /v1/agents/{agentId}'),
    list: row('GET /v1/agents'),
    update: row('PATCH /v1/agents/{agentId}'),
    terminate: row('DELETE /v1/agents/{agentId}'),
  },
  resources: {
    put: row('PUT /v1/resources/{name}'),
    get: row('GET /v1/resources/{name}'),
    list: row('GET /v1/resources'),
    remove: row('DELETE /v1/resources/{name}'),
  },
  trust: {
    signal: row('POST /v1/trust/signals', 'TrustSignal'),
    signals: row('POST /v1/trust/signals', 'TrustSignalBatch'),
    get: row('GET /v1/trust/{agentId}'),
    history: row('GET /v1/trust/{agentId}/history'),
  },
  log: {
    checkpoint: row('GET /v1/log/checkpoint'),
    checkpoints: row('GET /v1/log/checkpoints'),
    keys: row('GET /v1/log/keys'),
    consistency: row('GET /v1/log/consistency'),
    leaves: row('GET /v1/log/leaves'),
  },
  keys: {
    create: row('POST /v1/auth/keys'),
    list: row('GET /v1/auth/keys'),
    revoke: row('DELETE /v1/auth/keys/{keyId}'),
    rotate: row('POST /v1/auth/keys/{keyId}/rotate'),
  },
  policies: {
    active: row('GET /v1/policies'),
    get: row('GET /v1/policies/{digest}'),
    validate: row('POST /v1/policies/validate'),
    replay: row('POST /v1/policies/replay'),
    get_replay: row('GET /v1/policies/replays/{id}'),
    shadow: row('GET /v1/policies/shadow'),
    push: row('POST /v1/policies'),
    rollback: row('POST /v1/policies/rollback'),
    follow_folder: row('POST /v1/policies/follow-folder'),
    promote: row('POST /v1/policies/promote'),
    stages: row('GET /v1/policies/stages'),
    activations: row('GET /v1/policies/activations'),
    drop_stage: row('DELETE /v1/policies/stages/{digest}'),
    withdraw: row('DELETE /v1/policies'),
    difference: row('GET /v1/policies/difference'),
    approvals: row('GET /v1/policies/approvals'),
    get_approval: row('GET /v1/policies/approvals/{approvalId}'),
    approve: row('POST /v1/policies/approvals/{approvalId}/approve'),
    reject: row('POST /v1/policies/approvals/{approvalId}/reject'),
  },
  tools: { list: row('GET /v1/tools'), get: row('GET /v1/tools/{server}') },
  webhooks: {
    create: row('POST /v1/webhooks'),
    list: row('GET /v1/webhooks'),
    update: row('PATCH /v1/webhooks/{webhookId}'),
    remove: row('DELETE /v1/webhooks/{webhookId}'),
    rotate: row('POST /v1/webhooks/{webhookId}/rotate'),
    deliveries: row('GET /v1/webhooks/{webhookId}/deliveries'),
    replay_delivery: row('POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay'),
  },
  halt: { set: row('POST /v1/halt'), get: row('GET /v1/halt'), lift: row('DELETE /v1/halt') },
  reference: {
    errors: row('GET /v1/reference/errors'),
    scopes: row('GET /v1/reference/scopes'),
    tiers: row('GET /v1/reference/tiers'),
    rate_limits: row('GET /v1/reference/rate-limits'),
  },
  service: { health: row('GET /health'), ready: row('GET /ready') },
};

/** Not for callers of the API: files for other programs, metrics, and interfaces with clients of their own. */
export const LEFT_OUT = /^\/(openapi\.json|metrics|schemas\/|\.well-known\/|access\/)/;
/** `{id}` in Python, where `id` is a built-in function. */
export const ID_NAMES: Readonly<Record<string, string>> = {
  intent: 'intent_id',
  intents: 'intent_id',
  decisions: 'decision_id',
  approvals: 'approval_id',
  proofs: 'proof_id',
  policies: 'replay_id',
};
