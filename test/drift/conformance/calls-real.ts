// Conformance cases against a real service: every operation that the clients wrap, and guards with real decisions.
//
// The organisation is new and belongs to this run alone. ADMIN_KEY, AGENT_KEY (intents:write, proofs:read), DEV_KEY (admin:*, dev) and
// OPERATOR_KEY (admin:* of the operator, live) are in `env`.
import type { CallCase, CallStep } from './call-case.ts';

const ADMIN = '${env.ADMIN_KEY}';
const AGENT = '${env.AGENT_KEY}';
const OPERATOR = '${env.OPERATOR_KEY}';

/** Of the body of a request; an answer that repeats what it said has more. */
const REQUEST_LEVELS = 64;
const nested = (levels: number): object => (levels === 1 ? {} : { below: nested(levels - 1) });

/** The calls of the clients, with the operations that they wrap. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  'intent.parse': 'POST /v1/intent',
  'intent.get': 'GET /v1/intent/{id}',
  'enforce.evaluate': 'POST /v1/enforce',
  'enforce.evaluateBatch': 'POST /v1/enforce/batch',
  'decisions.get': 'GET /v1/decisions/{id}',
  'decisions.list': 'GET /v1/decisions',
  'decisions.reportOutcome': 'POST /v1/decisions/{id}/outcome',
  'intents.submit': 'POST /v1/intents',
  'intents.get': 'GET /v1/intents/{id}',
  'intents.list': 'GET /v1/intents',
  'approvals.get': 'GET /v1/approvals/{id}',
  'approvals.list': 'GET /v1/approvals',
  'approvals.approve': 'POST /v1/approvals/{id}/approve',
  'approvals.reject': 'POST /v1/approvals/{id}/reject',
  'proofs.create': 'POST /v1/proofs',
  'proofs.createBatch': 'POST /v1/proofs/batch',
  'proofs.get': 'GET /v1/proofs/{id}',
  'proofs.list': 'GET /v1/proofs',
  'proofs.chain': 'GET /v1/proofs/chain/{entityId}',
  'proofs.verify': 'POST /v1/proofs/verify',
  'agents.create': 'POST /v1/agents',
  'agents.get': 'GET /v1/agents/{agentId}',
  'agents.list': 'GET /v1/agents',
  'agents.update': 'PATCH /v1/agents/{agentId}',
  'agents.terminate': 'DELETE /v1/agents/{agentId}',
  'resources.put': 'PUT /v1/resources/{name}',
  'resources.get': 'GET /v1/resources/{name}',
  'resources.list': 'GET /v1/resources',
  'resources.remove': 'DELETE /v1/resources/{name}',
  'trust.signal': 'POST /v1/trust/signals',
  'trust.get': 'GET /v1/trust/{agentId}',
  'trust.history': 'GET /v1/trust/{agentId}/history',
  'log.checkpoint': 'GET /v1/log/checkpoint',
  'log.checkpoints': 'GET /v1/log/checkpoints',
  'log.keys': 'GET /v1/log/keys',
  'log.consistency': 'GET /v1/log/consistency',
  'log.leaves': 'GET /v1/log/leaves',
  'keys.create': 'POST /v1/auth/keys',
  'keys.list': 'GET /v1/auth/keys',
  'keys.revoke': 'DELETE /v1/auth/keys/{keyId}',
  'keys.rotate': 'POST /v1/auth/keys/{keyId}/rotate',
  'policies.active': 'GET /v1/policies',
  'policies.get': 'GET /v1/policies/{digest}',
  'policies.validate': 'POST /v1/policies/validate',
  'policies.replay': 'POST /v1/policies/replay',
  'policies.getReplay': 'GET /v1/policies/replays/{id}',
  'policies.shadow': 'GET /v1/policies/shadow',
  'policies.push': 'POST /v1/policies',
  'policies.rollback': 'POST /v1/policies/rollback',
  'policies.followFolder': 'POST /v1/policies/follow-folder',
  'policies.promote': 'POST /v1/policies/promote',
  'policies.dropStage': 'DELETE /v1/policies/stages/{digest}',
  'policies.withdraw': 'DELETE /v1/policies',
  'policies.difference': 'GET /v1/policies/difference',
  'policies.stages': 'GET /v1/policies/stages',
  'policies.activations': 'GET /v1/policies/activations',
  'policies.approvals': 'GET /v1/policies/approvals',
  'policies.getApproval': 'GET /v1/policies/approvals/{approvalId}',
  'policies.approve': 'POST /v1/policies/approvals/{approvalId}/approve',
  'policies.reject': 'POST /v1/policies/approvals/{approvalId}/reject',
  'tools.list': 'GET /v1/tools',
  'tools.get': 'GET /v1/tools/{server}',
  'webhooks.create': 'POST /v1/webhooks',
  'webhooks.list': 'GET /v1/webhooks',
  'webhooks.update': 'PATCH /v1/webhooks/{webhookId}',
  'webhooks.remove': 'DELETE /v1/webhooks/{webhookId}',
  'webhooks.rotate': 'POST /v1/webhooks/{webhookId}/rotate',
  'webhooks.deliveries': 'GET /v1/webhooks/{webhookId}/deliveries',
  'webhooks.replayDelivery': 'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
  'halt.set': 'POST /v1/halt',
  'halt.get': 'GET /v1/halt',
  'halt.lift': 'DELETE /v1/halt',
  'reference.errors': 'GET /v1/reference/errors',
  'reference.scopes': 'GET /v1/reference/scopes',
  'reference.tiers': 'GET /v1/reference/tiers',
  'reference.rateLimits': 'GET /v1/reference/rate-limits',
  health: 'GET /health',
  ready: 'GET /ready',
};

type Args = Readonly<Record<string, unknown>>;

const gives = (call: string, args: Args, result: unknown, more: Partial<CallStep> = {}): CallStep => ({
  call,
  arguments: args,
  ...more,
  expect: { result },
});
const fails = (call: string, args: Args, error: object, more: Partial<CallStep> = {}): CallStep => ({
  call,
  arguments: args,
  ...more,
  expect: { error: { type: 'api', ...error } },
});
/** Time is not what these cases are about, and the machine may be busy. */
const PATIENT = { timeoutMs: 60_000 };
const real = (name: string, steps: readonly CallStep[], key = ADMIN): CallCase => ({
  name: `real: ${name}`,
  server: 'real',
  client: PATIENT,
  key,
  steps,
});

const NO_DIGEST = '0'.repeat(64);
const NO_APPROVAL = 'apr_00000000000000000000000000';
const READ = { agentId: 'reader', intent: 'data.read.user_profile' };
/** A policy that forbids one action. */
const file = (id: string, action = 'delete'): object => ({
  path: `${id}.json`,
  text: JSON.stringify({
    id,
    description: 'A draft.',
    stage: 'enforce',
    target: { actions: [action], resources: ['*'] },
    rules: [
      {
        name: 'never',
        conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: action }] },
        event: { type: 'DENY', params: { code: 'NEVER', message: `no agent may ${action}` } },
      },
    ],
  }),
});

function operations(): CallCase[] {
  return [
    real('health, readiness and reference', [
      gives('health', {}, { status: 'alive' }),
      gives('ready', {}, { status: 'ready' }),
      gives('reference.errors', {}, '*'),
      gives('reference.scopes', {}, '*'),
      gives('reference.tiers', {}, '*'),
      gives('reference.rateLimits', {}, '*'),
    ]),
    real('an agent from its creation to its end', [
      gives(
        'agents.create',
        { agentId: 'a 1/é', name: 'An agent', metadata: { own_key: 1, ownKey: [2] } },
        { agentId: 'a 1/é', metadata: { own_key: 1, ownKey: [2] } },
      ),
      gives('agents.get', { agentId: '${steps.0.result.agentId}' }, { agentId: 'a 1/é', name: 'An agent' }),
      fails('agents.create', { agentId: 'a 1/é', name: 'Another' }, { status: 409 }),
      gives(
        'agents.update',
        { agentId: 'a 1/é', description: 'Changed' },
        { agentId: 'a 1/é', description: 'Changed' },
      ),
      gives('agents.terminate', { agentId: 'a 1/é' }, {}),
      gives('agents.get', { agentId: 'a 1/é' }, { status: 'TERMINATED' }),
    ]),
    real('a list with what has as many levels as a request may have', [
      gives('agents.create', { agentId: 'deep', name: 'Deep', metadata: nested(REQUEST_LEVELS - 1) }, {}),
      gives('all:agents.list', {}, { $has: [{ agentId: 'deep' }] }),
    ]),
    real('lists page by page, as one sequence', [
      ...['p1', 'p2', 'p3'].map((agentId) => gives('agents.create', { agentId: `page-${agentId}`, name: agentId }, {})),
      gives('agents.list', { limit: 2 }, { items: ['*', '*'], nextCursor: '*' }),
      gives(
        'all:agents.list',
        { limit: 2, status: 'ACTIVE' },
        { $has: [{ agentId: 'page-p1' }, { agentId: 'page-p2' }, { agentId: 'page-p3' }] },
      ),
    ]),
    real('a text is parsed, and the parse is used', [
      gives(
        'intent.parse',
        { agentId: 'reader', rawIntent: 'Read user profile data', context: { own_fact: 1 } },
        { normalized: '*' },
      ),
      gives('intent.get', { id: '${steps.0.result.intentId}' }, { intentId: '${steps.0.result.intentId}' }),
    ]),
    real('decisions', [
      gives(
        'enforce.evaluate',
        { ...READ, context: { own_fact: 1, ownFact: 2 } },
        { verdict: 'ALLOW', allowed: true, agentId: 'reader' },
      ),
      gives('decisions.get', { id: '${steps.0.result.decisionId}' }, { decisionId: '${steps.0.result.decisionId}' }),
      gives('decisions.list', { agentId: 'reader', limit: 1 }, { items: ['*'] }),
      gives(
        'enforce.evaluateBatch',
        {
          requests: [
            READ,
            { agentId: 'reader', tool: { server: 'files', name: 'remove', arguments: { path: '/a', own_key: 1 } } },
          ],
        },
        { decisions: [{ verdict: 'ALLOW' }, { verdict: 'DENY' }] },
      ),
      // By the key that asked, the second time with the same answer.
      gives('enforce.evaluate', READ, { verdict: 'ALLOW' }, { key: AGENT }),
      ...[1, 2].map(() =>
        gives(
          'decisions.reportOutcome',
          { id: '${steps.4.result.decisionId}', outcome: 'not_carried_out', detail: 'the tool is gone' },
          { outcome: 'not_carried_out', detail: 'the tool is gone' },
          { key: AGENT },
        ),
      ),
      fails(
        'decisions.reportOutcome',
        { id: '${steps.4.result.decisionId}', outcome: 'done' },
        { code: 'E5002' },
        { key: AGENT },
      ),
      fails(
        'decisions.get',
        { id: 'dec_00000000000000000000000000' },
        { status: 404, requestId: '*', retryable: false },
      ),
      fails('enforce.evaluate', { agentId: '' }, { status: 400, code: 'E2001' }),
    ]),
    real('submitted intents are waited for', [
      gives(
        'intents.submit',
        { agentId: 'reader', action: 'read', resource: 'data/user_profile', context: { own_fact: 1 } },
        { status: 'queued' },
      ),
      gives(
        'intents.waitDecided',
        { id: '${steps.0.result.intentId}', timeoutSeconds: 30 },
        { status: 'decided', decision: { verdict: '*' } },
      ),
      gives('intents.get', { id: '${steps.0.result.intentId}' }, { status: 'decided' }),
      gives('intents.list', { agentId: 'reader' }, { items: ['*'] }),
    ]),
    real('approvals', [
      ...['one', 'two'].map((path) =>
        gives(
          'enforce.evaluate',
          { agentId: 'payer', tool: { server: 'files', name: 'pay', arguments: { path } } },
          { verdict: 'ESCALATE', allowed: false, approval: { approvalId: '*' } },
          { key: AGENT },
        ),
      ),
      gives(
        'approvals.list',
        { status: 'pending', agentId: 'payer' },
        { items: { $has: [{ approvalId: '${steps.0.result.approval.approvalId}' }] } },
      ),
      gives(
        'approvals.approve',
        { id: '${steps.0.result.approval.approvalId}', reason: 'fine' },
        { status: 'approved' },
      ),
      gives('approvals.reject', { id: '${steps.1.result.approval.approvalId}', reason: 'no' }, { status: 'rejected' }),
      gives('approvals.get', { id: '${steps.0.result.approval.approvalId}' }, { status: 'approved', reason: 'fine' }),
      gives(
        'approvals.waitDecided',
        { id: '${steps.1.result.approval.approvalId}', timeoutSeconds: 10 },
        { status: 'rejected' },
        { key: AGENT },
      ),
      fails('approvals.approve', { id: '${steps.1.result.approval.approvalId}', reason: 'late' }, { code: 'E5001' }),
    ]),
    real('proofs are anchored, read, verified by the service and offline', [
      gives(
        'proofs.create',
        { event: 'deploy', entityId: 'entity-1', payload: { own_key: 1, ownKey: { deep_key: 2 } } },
        { status: 'pending', proofId: '*' },
      ),
      gives(
        'proofs.createBatch',
        {
          proofs: [
            { event: 'deploy', entityId: 'entity-1', payload: {} },
            { event: 'deploy', entityId: 'entity-2', payload: {} },
          ],
        },
        { proofs: ['*', '*'] },
      ),
      gives('proofs.waitAnchored', { id: '${steps.0.result.proofId}', timeoutSeconds: 30 }, { status: 'anchored' }),
      gives(
        'proofs.get',
        { id: '${steps.0.result.proofId}' },
        { status: 'anchored', proofId: '${steps.0.result.proofId}' },
      ),
      gives('log.keys', {}, '*'),
      gives('proofs.verify', { receipt: '${steps.3.result}' }, { valid: true, proofId: '${steps.0.result.proofId}' }),
      gives(
        'verifyReceipt',
        { receipt: '${steps.3.result}', keys: '${steps.4.result}' },
        { proofId: '${steps.0.result.proofId}' },
      ),
      gives('proofs.list', { entityId: 'entity-1' }, { items: { $has: [{ entityId: 'entity-1' }] } }),
      gives(
        'proofs.waitAnchored',
        { id: '${steps.1.result.proofs.0.proofId}', timeoutSeconds: 30 },
        { status: 'anchored' },
      ),
      gives('proofs.chain', { entityId: 'entity-1' }, { items: ['*', '*'] }),
      gives('log.checkpoint', {}, '*'),
      gives('log.checkpoints', { limit: 1 }, { items: ['*'] }),
      gives('log.leaves', { from: 0, to: 1 }, { from: 0, to: 1, hashes: ['*'] }),
      gives('log.consistency', { from: 0, to: 1 }, { from: 0, to: 1, path: [] }),
      fails('proofs.get', { id: 'no-such-proof' }, { status: 404, code: 'E4003' }),
    ]),
    real('trust', [
      gives(
        'trust.signal',
        { signalId: 's-1', agentId: 'worker', type: 'success', source: 'ci', evidence: { own_key: 1 } },
        {},
      ),
      gives(
        'trust.signals',
        {
          signals: [
            { agentId: 'worker', type: 'success' },
            { agentId: 'worker', type: 'failure', weight: 0.5 },
          ],
        },
        {},
      ),
      gives('trust.get', { agentId: 'worker' }, { score: '*' }),
      gives('trust.history', { agentId: 'worker', limit: 5 }, { items: '*' }),
    ]),
    real('keys, and a key that is revoked in the middle', [
      gives('keys.create', { name: 'short', scopes: ['intents:write'] }, { key: '*', keyId: '*' }),
      gives('enforce.evaluate', READ, { verdict: 'ALLOW' }, { key: '${steps.0.result.key}' }),
      gives('keys.rotate', { keyId: '${steps.0.result.keyId}', overlap: '0m' }, { key: '*', keyId: '*' }),
      gives('keys.list', {}, { items: { $has: [{ keyId: '${steps.2.result.keyId}' }] } }),
      gives('keys.revoke', { keyId: '${steps.2.result.keyId}' }, {}),
      fails('enforce.evaluate', READ, { status: 401, code: 'E1002' }, { key: '${steps.2.result.key}' }),
      {
        call: 'guard',
        arguments: { agentId: 'reader', server: 'files', name: 'read', arguments: { path: '/a' }, function: 'ok' },
        key: '${steps.2.result.key}',
        expect: { error: { type: 'refused', verdict: null, cause: 'api' }, ran: 0 },
      },
    ]),
    real(
      'a halt stops a guard',
      [
        gives('halt.set', { reason: 'a drill' }, { halted: true }),
        gives('halt.get', {}, { halted: true, reason: 'a drill' }),
        {
          call: 'guard',
          arguments: { agentId: 'reader', server: 'files', name: 'read', arguments: { path: '/a' }, function: 'ok' },
          expect: { error: { type: 'refused', verdict: 'DENY' }, ran: 0 },
        },
        gives('halt.lift', { reason: 'the drill is over' }, { halted: false }),
        gives('halt.get', {}, { halted: false }),
      ],
      '${env.DEV_KEY}',
    ),
    real(
      'policies and tools',
      [
        gives('policies.active', {}, { digest: '*' }),
        gives('policies.get', { digest: '${steps.0.result.digest}' }, '*'),
        gives('policies.validate', { files: [file('draft')] }, '*'),
        gives('policies.replay', { files: [file('draft')], since: '1h' }, '*'),
        fails('policies.getReplay', { id: 'rpl_00000000000000000000000000' }, { status: 404 }),
        gives('policies.shadow', {}, { running: false }),
        gives('tools.list', {}, { items: '*' }),
        fails('tools.get', { server: 'nowhere' }, { status: 404 }),
      ],
      OPERATOR,
    ),
    real("an organisation's own policies are pushed and withdrawn", [
      gives('policies.active', {}, { digest: '*' }),
      gives(
        'policies.push',
        { files: [file('own', 'grant')], reason: 'Ticket SEC-1', expectedDigest: '${steps.0.result.digest}' },
        { status: 'activated', digest: '*', reason: 'Ticket SEC-1' },
      ),
      gives('policies.withdraw', { reason: 'Ticket SEC-2' }, { digest: '${steps.0.result.digest}' }),
      fails('policies.push', { files: [{ path: 'own.json', text: '{' }], reason: 'broken' }, { code: 'E2001' }),
      fails(
        'policies.push',
        { files: [file('own', 'grant')], reason: 'stale', expectedDigest: NO_DIGEST },
        { code: 'E5002' },
      ),
    ]),
    real(
      'changes of the policy set that need a stage or an approval',
      [
        gives('policies.followFolder', { reason: 'it is followed already' }, { digest: '*' }),
        fails('policies.rollback', { digest: NO_DIGEST, reason: 'never stored' }, { code: 'E4001' }),
        fails('policies.promote', { digest: NO_DIGEST, reason: 'no such stage' }, { code: 'E4001' }),
        fails('policies.dropStage', { digest: NO_DIGEST, reason: 'no such stage' }, { code: 'E4001' }),
        gives('policies.stages', {}, '*'),
        gives('policies.activations', { limit: 1 }, { items: ['*'] }),
        gives('policies.approvals', { limit: 5 }, { items: [], nextCursor: null }),
        gives('all:policies.approvals', {}, []),
        fails('policies.difference', { before: NO_DIGEST, after: NO_DIGEST }, { code: 'E4001' }),
        fails('policies.getApproval', { approvalId: NO_APPROVAL }, { code: 'E4001' }),
        fails('policies.approve', { approvalId: NO_APPROVAL, reason: 'read' }, { code: 'E4001' }),
        fails('policies.reject', { approvalId: NO_APPROVAL, reason: 'too wide' }, { code: 'E4001' }),
      ],
      OPERATOR,
    ),
    real('resources', [
      gives('resources.put', { name: 'db/customers/*', owner: 'sales' }, { name: 'db/customers/*', owner: 'sales' }),
      gives('resources.get', { name: 'db/customers/*' }, { owner: 'sales' }),
      gives('resources.list', {}, { items: ['*'] }),
      gives('resources.remove', { name: 'db/customers/*' }, {}),
      fails('resources.get', { name: 'db/customers/*' }, { status: 404, code: 'E4001' }),
    ]),
    real('webhooks', [
      gives(
        'webhooks.create',
        // An event that does not occur here, so that nothing is sent.
        { url: 'https://receiver.example.com/a', events: ['log.halted'], filter: { agentIds: ['agent-7'] } },
        { webhookId: '*', secret: '*', filter: { agentIds: ['agent-7'] } },
      ),
      gives('webhooks.list', {}, '*'),
      gives(
        'webhooks.update',
        { webhookId: '${steps.0.result.webhookId}', enabled: false },
        { enabled: false, disabledReason: 'operator' },
      ),
      gives('webhooks.update', { webhookId: '${steps.0.result.webhookId}', enabled: true }, { enabled: true }),
      gives('webhooks.rotate', { webhookId: '${steps.0.result.webhookId}', overlap: '1h' }, { secret: '*' }),
      gives('webhooks.deliveries', { webhookId: '${steps.0.result.webhookId}', limit: 5 }, { items: [] }),
      gives('all:webhooks.deliveries', { webhookId: '${steps.0.result.webhookId}' }, []),
      fails(
        'webhooks.replayDelivery',
        { webhookId: '${steps.0.result.webhookId}', deliveryId: 'msg_00000000000000000000000000000000' },
        { code: 'E4001' },
      ),
      gives('webhooks.remove', { webhookId: '${steps.0.result.webhookId}' }, {}),
      fails('webhooks.remove', { webhookId: '${steps.0.result.webhookId}' }, { status: 404, code: 'E4001' }),
    ]),
    real('a key without the scope is refused with its request id', [
      fails('keys.list', {}, { status: 403, code: 'E1004', requestId: '*' }, { key: AGENT }),
      fails(
        'agents.list',
        {},
        { status: 401, code: 'E1002' },
        { key: 'cst_live_0000000000000000000000000000000000000000000' },
      ),
    ]),
  ];
}

const CALL = {
  server: 'files',
  arguments: { path: '/a', own_key: [1, 2.5e-7, 1e21, 'é😀'] },
  function: 'ok',
  waitSeconds: 30,
};

function guards(): CallCase[] {
  const guard = (name: string, args: Args, expect: CallStep['expect']): CallCase => ({
    name: `real: guard: ${name}`,
    server: 'real',
    client: PATIENT,
    key: AGENT,
    steps: [{ call: 'guard', arguments: { ...CALL, ...args }, expect }],
  });
  const ran = { result: { ran: true, arguments: CALL.arguments }, ran: 1 };
  return [
    {
      ...guard(
        'allowed, run, and reported as a proof',
        { agentId: 'guarded', name: 'read', reportSignals: false },
        ran,
      ),
      steps: [
        { call: 'guard', arguments: { ...CALL, agentId: 'guarded', name: 'read' }, expect: ran },
        gives('decisions.list', { agentId: 'guarded' }, { items: [{ verdict: 'ALLOW' }] }),
        gives(
          'proofs.waitAnchored',
          { id: 'tool.called:${steps.1.result.items.0.decisionId}', timeoutSeconds: 30 },
          { status: 'anchored' },
        ),
      ],
    },
    guard(
      'denied',
      { agentId: 'denied', name: 'remove' },
      { error: { type: 'refused', verdict: 'DENY', decisionId: '*' }, ran: 0 },
    ),
    guard(
      'obligations without handlers',
      { agentId: 'degraded', name: 'export' },
      { error: { type: 'refused', verdict: 'DEGRADE' }, ran: 0 },
    ),
    guard(
      'obligations with handlers',
      { agentId: 'degraded', name: 'export', obligations: { redact_fields: 'keep' } },
      ran,
    ),
    {
      ...guard('refused at once, approved later, and repeated with the approval', {}, ran),
      steps: [
        {
          call: 'guard',
          arguments: { ...CALL, agentId: 'later-approved', name: 'pay', waitSeconds: 0 },
          expect: { error: { type: 'refused', verdict: 'ESCALATE', approvalId: '*', hasRun: false }, ran: 0 },
        },
        {
          ...gives('approvals.list', { agentId: 'later-approved' }, { items: [{ approvalId: '*' }] }),
          key: ADMIN,
        },
        gives(
          'approvals.waitDecided',
          { id: '${steps.1.result.items.0.approvalId}', timeoutSeconds: 30 },
          { status: 'approved' },
        ),
        {
          call: 'guard',
          arguments: {
            ...CALL,
            agentId: 'later-approved',
            name: 'pay',
            waitSeconds: 0,
            approvalId: '${steps.1.result.items.0.approvalId}',
          },
          expect: ran,
        },
      ],
    },
    guard('approved while it waits', { agentId: 'payer-approved', name: 'pay' }, ran),
    guard(
      'rejected while it waits',
      { agentId: 'payer-rejected', name: 'pay' },
      { error: { type: 'refused', approvalId: '*' }, ran: 0 },
    ),
    guard(
      'nobody decides in time',
      { agentId: 'payer-late', name: 'pay', waitSeconds: 1 },
      { error: { type: 'refused', verdict: 'ESCALATE', approvalId: '*' }, ran: 0 },
    ),
  ];
}

export function realCases(): CallCase[] {
  return [...operations(), ...guards()];
}
