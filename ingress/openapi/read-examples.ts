// The examples of answers to GET requests. Ids, times, digests and signatures differ each time.
import { ERROR_TABLE } from '../../shared/kernel/errors.ts';
import { RATE_LIMIT_TABLE, SCOPE_TABLE, TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import {
  AGENT,
  RESOURCE,
  DENIED,
  AT,
  decision,
  newKey,
  nightPolicy,
  PARSE,
  RECEIPT,
  WEBHOOK,
  webhookBody,
} from './example-answers.ts';

const digest = '7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902';
const HASH = 'a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4';
const PROPOSED = {
  approvalId: 'apr_01jq3kzv5w8e3h2c4n9m7x6y1t',
  status: 'pending',
  digest,
  previousDigest: digest,
  author: '4fZ0q9Lm',
  reason: 'Ticket SEC-12: nobody works at night',
  source: 'push',
  signer: null,
  signature: null,
  createdAt: AT.now,
  expiresAt: AT.now,
  decidedAt: null,
  decidedBy: null,
  decisionReason: null,
  votes: [],
};
/** Of lists whose items are long: the example of one item is that of the route of one. */
const EMPTY_PAGE = { items: [], nextCursor: null };
const pageOf = (...items: object[]) => ({ items, nextCursor: null });

/** Without the promise, which keeps the document small: it is in the examples of what is asked. */
const withoutPromise = (decided: typeof DENIED): typeof DENIED => ({
  ...decided,
  proof: { proof_id: decided.proof.proof_id },
});
const REFUSED = { ...withoutPromise(DENIED), stands: false, stands_reason: 'verdict' };
const SUBMITTED = {
  intentId: 'int_01jq3k5v7w9x1y3z5b7d9f1h3p',
  agentId: 'agent-7',
  action: 'read',
  resource: 'db/customers/*',
  status: 'queued',
  approvalId: null,
  submittedAt: AT.now,
  updatedAt: AT.now,
  decision: null,
};
const REQUESTED = { intent: 'unknown:db/a' };
const APPROVAL = {
  requested: REQUESTED,
  approvalId: 'apr_01jq3k5v7w9x1y3z5b7d9f1h3s',
  status: 'pending',
  agentId: 'agent-7',
  keyId: '4fZ0q9Lm',
  digest: HASH,
  intentId: null,
  createdAt: AT.now,
  expiresAt: AT.inAnHour,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  usedAt: null,
  usedBy: null,
  usedDecisionId: null,
  approvers: [
    {
      policy: 'refunds',
      rule: 'large-ones',
      keys: [],
      tags: ['finance'],
      atLeast: 2,
      approvedBy: ['7hB2s5Xw'],
      missing: 1,
    },
  ],
  votes: [{ by: '7hB2s5Xw', at: AT.now, reason: 'Ticket OPS-7' }],
  decision: withoutPromise(
    decision('01jq3k5v7w9x1y3z5b7d9f1h3s', {
      verdict: 'ESCALATE',
      allowed: false,
      stands: false,
      stands_reason: 'verdict',
      approval: { approval_id: 'apr_01jq3k5v7w9x1y3z5b7d9f1h3s', expires_at: AT.inAnHour },
      intent: {
        requested: REQUESTED,
        normalized: 'db.unknown.a',
        domain: 'db',
        action: 'unknown',
        verb: 'unknown',
        resource: 'db/a',
        effect: 'write',
        risk: { level: 'medium', score: 450, factors: [] },
      },
      reasons: [
        {
          policy: 'unclear',
          rule: 'ask-a-human',
          effect: 'ESCALATE',
          code: 'CONFIDENCE_LOW',
          message: 'the intent was not understood with enough confidence',
        },
      ],
    }),
  ),
};
const ANCHORED = {
  proofId: RECEIPT.proofId,
  status: 'anchored',
  event: 'invoice.approved',
  entityId: 'invoice-INV-7',
};
const SCORE = { score: 257, level: 1, tier: 'Observed' };
const { key: _, ...KEY } = newKey('4fZ0q9Lm');
const KEY_X = 'JfcDjnus4-YdF7Lb6IBNthP9oQF7rKzSZYv-0RNlzNk';

/** The body of the answer with status 200, by method and path. */
export const READ_EXAMPLES: Readonly<Record<string, unknown>> = {
  'GET /v1/intent/{id}': PARSE,
  'GET /v1/intents': pageOf(SUBMITTED),
  'GET /v1/intents/{id}': SUBMITTED,
  'GET /v1/decisions': EMPTY_PAGE,
  'GET /v1/decisions/{id}': REFUSED,
  'GET /v1/approvals': EMPTY_PAGE,
  'GET /v1/approvals/{id}': {
    ...APPROVAL,
    mayDecide: true,
    mayApprove: true,
    canBeMet: true,
    bound: {},
    masked: [],
    context: {},
  },
  'GET /v1/proofs': pageOf({ ...ANCHORED, index: RECEIPT.index, occurredAt: AT.now }),
  'GET /v1/proofs/{id}': RECEIPT,
  'GET /v1/proofs/chain/{entityId}': {
    entityId: 'invoice-INV-7',
    head: { chainIndex: 0, eventHash: HASH },
    ...pageOf({
      ...ANCHORED,
      record: RECEIPT.record,
      index: RECEIPT.index,
      chainIndex: 0,
      eventHash: HASH,
      previousHash: '0'.repeat(64),
      occurredAt: AT.now,
      anchoredAt: AT.now,
    }),
  },
  'GET /v1/log/checkpoints': pageOf({ size: 16, root: HASH, note: RECEIPT.checkpoint, signedAt: AT.now }),
  'GET /v1/log/keys': pageOf({
    keyId: 'UXsF3qVSDG_vGq0kb3RKpwyHA4eiOSJY-3TVmhYwWTA',
    vkey: 'custos.local/default/live+9ec3683f+Ae8/k8M6L4P76CgLWRnmYsBKGc/zcRdaEHvGeo0NRGeg',
    use: 'log',
    firstSize: 0,
    lastSize: null,
  }),
  'GET /v1/log/consistency': { from: 1, to: 2, path: [HASH] },
  'GET /v1/log/leaves': { from: 0, to: 1, hashes: [HASH] },
  'GET /.well-known/jwks.json': {
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: KEY_X, kid: KEY_X, use: 'sig', alg: 'EdDSA' }],
  },
  'GET /v1/resources': pageOf(RESOURCE),
  'GET /v1/resources/{name}': RESOURCE,
  'GET /v1/agents': pageOf(AGENT),
  'GET /v1/agents/{agentId}': AGENT,
  'GET /v1/trust/{agentId}': {
    agentId: 'agent-7',
    registered: true,
    ...SCORE,
    uncertainty: 0.91,
    evidence: { positive: 1, negative: 0, lastSignalAt: AT.now },
    asOf: { signals: 1, day: '2026-03-01' },
  },
  'GET /v1/trust/{agentId}/history': pageOf({
    at: AT.now,
    ...SCORE,
    cause: { firstSignal: 1, lastSignal: 1, success: 1, failure: 0, violation: 0, proofId: RECEIPT.proofId },
  }),
  'GET /v1/auth/keys': pageOf({ ...KEY, createdBy: null, revokedAt: null, replacedBy: null, lastUsedAt: AT.now }),
  'GET /v1/halt': { environment: 'live', halted: false, reason: null, keyId: null, since: null },
  'GET /v1/policies/shadow': { running: false, draft: null, share: null, findings: [], drafts: [] },
  'GET /v1/policies': {
    digest,
    activatedAt: AT.now,
    author: 'folder',
    reason: null,
    source: 'folder',
    policies: [nightPolicy(6)],
    folder: { digest, isFollowed: true },
    lastRead: { at: AT.now, ok: true, findings: [] },
  },
  'GET /v1/policies/difference': {
    before: digest,
    after: digest,
    parts: [{ name: 'nights', change: 'changed' }],
    examples: [
      {
        rule: 'nights/closed',
        in: 'after',
        intent: 'read:db/orders',
        environment: 'live',
        facts: { 'time.hour': 5 },
        before: 'ALLOW',
        after: 'DENY',
        differs: ['verdict'],
      },
    ],
    withoutExample: [],
  },
  'GET /v1/policies/stages': pageOf(),
  'GET /v1/policies/activations': pageOf({
    activatedAt: AT.now,
    digest,
    previousDigest: null,
    organisation: null,
    author: 'folder',
    reason: null,
    source: 'folder',
    approver: null,
    signer: null,
  }),
  'GET /v1/policies/approvals': pageOf(PROPOSED),
  'GET /v1/policies/approvals/{approvalId}': {
    ...PROPOSED,
    authorKey: { name: 'release-admin', tags: ['security'] },
    mayDecide: true,
  },
  'GET /v1/policies/{digest}': { digest, createdAt: AT.now, engine: 1, lexicon: {}, policies: [nightPolicy(6)] },
  'GET /v1/tools': { digest, ...pageOf() },
  'GET /v1/tools/{server}': { server: 'git', description: null, trustAnnotations: false, tools: [], seen: [] },
  'GET /health': { status: 'alive' },
  'GET /ready': { status: 'ready', checks: [{ name: 'database', ok: true }], degraded: [], unknown: [], halted: [] },
  'GET /v1/reference/tiers': pageOf(TIER_TABLE[0]),
  'GET /v1/reference/rate-limits': pageOf(RATE_LIMIT_TABLE[0]),
  'GET /v1/reference/scopes': pageOf(SCOPE_TABLE[0]),
  'GET /v1/reference/errors': pageOf({ code: 'E2001', ...ERROR_TABLE.E2001 }),
  'GET /v1/policies/replays/{id}': {
    replayId: 'rpl_01jq3k5v7w9x1y3z5b7d9f1h3t',
    status: 'queued',
    draft: { digest },
    progress: { replayed: 0, total: 4_711 },
    createdAt: AT.now,
    finishedAt: null,
    error: null,
    report: null,
  },
  'GET /v1/webhooks': pageOf(webhookBody(WEBHOOK)),
  'GET /v1/webhooks/{webhookId}/deliveries': pageOf(),
  'GET /.well-known/authzen-configuration': {
    policy_decision_point: 'https://custos.example.com',
    access_evaluation_endpoint: 'https://custos.example.com/access/v1/evaluation',
    access_evaluations_endpoint: 'https://custos.example.com/access/v1/evaluations',
    search_subject_endpoint: 'https://custos.example.com/access/v1/search/subject',
    search_resource_endpoint: 'https://custos.example.com/access/v1/search/resource',
    search_action_endpoint: 'https://custos.example.com/access/v1/search/action',
  },
  'GET /openapi.json': { openapi: '3.1.0' },
};
