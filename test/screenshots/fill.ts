// Example data for screenshots: a day of decisions by agents of several trust levels, with everything that a person looks after.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import { DEFAULT_DAILY_CAP } from '../../shared/core/trust/beta.ts';
import type { Client } from '../support/client.ts';
import { admitHere } from '../../shared/domain/policy-sets/admission.ts';
import { changePolicySet } from '../../shared/domain/policy-sets/change.ts';
import { folderOf, type PolicyFiles, type Service, SHIPPED_POLICIES } from '../support/service.ts';
import { acceptLateDecisions } from '../support/late-decisions.ts';
import { createTestDeliverer, startReceiver } from '../support/webhooks.ts';
import type { TestWorker } from '../support/worker.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HISTORY_MS = 26 * HOUR_MS;
const STEPS = 160;

/** The shipped policies, and one that limits the rows of a report, so that every verdict occurs. */
export function examplePolicies(): PolicyFiles {
  const files = readdirSync(SHIPPED_POLICIES).filter((name) => name.endsWith('.json'));
  const tools = readdirSync(path.join(SHIPPED_POLICIES, 'tools')).map((name) => `tools/${name}`);
  const shipped = [...files, ...tools].map((name) => [
    name,
    JSON.parse(readFileSync(path.join(SHIPPED_POLICIES, name), 'utf8')) as object,
  ]);
  return {
    ...(Object.fromEntries(shipped) as PolicyFiles),
    'attributes.json': {
      resource: {
        region: { type: 'text', values: ['eu', 'us'], description: 'where it is stored' },
        critical: { type: 'boolean', description: 'whether a failure stops the business' },
        systems: { type: 'list', description: 'which systems use it' },
      },
    },
    'resources/customers.json': {
      name: 'db/customers/*',
      class: 'confidential',
      owner: 'sales',
      attributes: { region: 'eu' },
    },
    'resources/reports.json': { name: 'reports/*', owner: 'finance', attributes: { systems: ['crm', 'billing'] } },
    'payroll.json': {
      id: 'payroll',
      description: 'Payrolls are read when two people of finance agree.',
      stage: 'enforce',
      target: { actions: ['read'], resources: ['payroll/*'] },
      rules: [
        {
          name: 'two-of-finance',
          conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'read' }] },
          event: {
            type: 'ESCALATE',
            params: {
              code: 'PAYROLL',
              message: 'payrolls need two people of finance',
              approvers: { tags: ['finance'], atLeast: 2 },
              ttl: '20m',
            },
          },
        },
      ],
    },
    'refunds.json': {
      id: 'refunds',
      description: 'Agents grant refunds of at most 500 a day, and send at most 40 letters an hour.',
      stage: 'enforce',
      target: { actions: ['update', 'send'], resources: ['refunds/*', 'letters/*'] },
      rules: [
        {
          name: 'refunds-a-day',
          conditions: {
            all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: 'refunds/*' }],
          },
          event: { type: 'ALLOW', params: { code: 'SMALL_REFUND', message: 'refunds within the budget are free' } },
          budget: {
            name: 'refunds-a-day',
            per: ['agent'],
            window: '1d',
            limit: 500,
            amount: { fact: 'context', path: 'amount' },
          },
        },
        {
          name: 'letters-an-hour',
          conditions: {
            all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: 'letters/*' }],
          },
          event: { type: 'ALLOW', params: { code: 'LETTERS', message: 'letters within the budget are free' } },
          budget: { name: 'letters-an-hour', window: '1h', limit: 40 },
        },
      ],
    },
    'reports.json': {
      id: 'reports',
      description: 'Reports about customers have at most 500 rows, with addresses masked.',
      stage: 'enforce',
      target: { actions: ['read'], resources: ['reports/customers'] },
      rules: [
        {
          name: 'limited',
          conditions: { all: [{ fact: 'trust', path: 'level', operator: 'greaterThanInclusive', value: 1 }] },
          event: {
            type: 'DEGRADE',
            params: {
              code: 'ROWS_LIMITED',
              message: 'a report has at most 500 rows',
              obligations: [{ type: 'max_rows', limit: 500 }],
            },
          },
        },
      ],
    },
  };
}

interface ExampleAgent {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  /** Successes on each of the last 30 days. */
  readonly successes: number;
  readonly violations?: number;
}

const AGENTS: readonly ExampleAgent[] = [
  { agentId: 'deploy-bot', name: 'Deploy bot', description: 'Ships releases to staging and production.', successes: 9 },
  { agentId: 'support-triage', name: 'Support triage', description: 'Sorts and answers tickets.', successes: 6 },
  { agentId: 'invoice-reader', name: 'Invoice reader', description: 'Reads invoices for accounting.', successes: 4 },
  { agentId: 'data-analyst', name: 'Data analyst', description: 'Writes reports about customers.', successes: 3 },
  { agentId: 'code-reviewer', name: 'Code reviewer', description: 'Comments on pull requests.', successes: 8 },
  {
    agentId: 'crm-sync',
    name: 'CRM sync',
    description: 'Copies contacts between systems.',
    successes: 2,
    violations: 2,
  },
  { agentId: 'night-janitor', name: 'Night janitor', description: 'Removes old files.', successes: 1, violations: 4 },
  { agentId: 'new-hire', name: 'New hire', description: 'Registered yesterday.', successes: 0 },
];

/** Requests with their share of all requests. */
const REQUESTS: readonly (readonly [share: number, agentId: string, body: object])[] = [
  [12, 'invoice-reader', { intent: 'data.read.invoices' }],
  [9, 'support-triage', { intent: 'data.read.user_profile' }],
  [8, 'code-reviewer', { tool: tool('git', 'git_diff', { repo_path: '/srv/app', target: 'main' }) }],
  [7, 'deploy-bot', { tool: tool('filesystem', 'read_text_file', { path: '/srv/app/config.yaml' }) }],
  [4, 'data-analyst', { intent: 'read:reports/customers' }],
  [3, 'support-triage', { intent: 'mail.send.customer_list' }],
  [2, 'crm-sync', { intent: 'db.delete.production.users' }],
  [2, 'night-janitor', { tool: tool('filesystem', 'write_file', { path: '/srv/app/old.log', content: '' }) }],
  [1, 'new-hire', { tool: tool('payroll', 'export_salaries', { month: '2026-10', format: 'csv' }) }],
];
const SHARES = REQUESTS.reduce((sum, [share]) => sum + share, 0);

/** A call as the guard reports it: with the digest that the catalogue pins, if it has the server. */
function tool(server: string, name: string, args: object): object {
  const file = path.join(SHIPPED_POLICIES, 'tools', `${server}.json`);
  if (!existsSync(file)) return { server, name, arguments: args };
  const { tools } = JSON.parse(readFileSync(file, 'utf8')) as { tools: Record<string, { definition: string }> };
  return { server, name, arguments: args, definition_digest: tools[name]?.definition };
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick(random: () => number): readonly [agentId: string, body: object] {
  let left = random() * SHARES;
  for (const [share, agentId, body] of REQUESTS) {
    left -= share;
    if (left < 0) return [agentId, body];
  }
  throw new Error('the shares have a sum');
}

async function registerAgents({ admin, db, nowMs }: Service): Promise<void> {
  for (const { agentId, name, description } of AGENTS)
    await admin.post('/v1/agents', { agentId, name, description, capabilities: ['read'], tags: ['example'] });
  for (let day = 30; day > 0; day -= 1) {
    const atMs = nowMs() - day * DAY_MS;
    const signals = AGENTS.flatMap(({ agentId, successes, violations = 0 }) => [
      ...Array.from({ length: successes }, () => ({ agentId, type: 'success' })),
      ...(violations > 0 && day % Math.ceil(30 / violations) === 0 ? [{ agentId, type: 'violation' }] : []),
    ]).map((signal) => ({ ...signal, occurredAt: new Date(atMs).toISOString() }));
    await admin.post('/v1/trust/signals', { signals });
    await foldBatch({ db, nowMs: () => atMs, dailyCap: DEFAULT_DAILY_CAP });
  }
}

/** A day of decisions: the service's clock is set back and moved forward in steps. */
async function decideForADay(service: Service, caller: Client, worker: TestWorker): Promise<void> {
  const random = createRandom(7);
  await acceptLateDecisions(service.db);
  service.advance(-HISTORY_MS);
  for (let step = 0; step < STEPS; step += 1) {
    // More by day than by night.
    const requests = 1 + Math.floor(4 * (1 + Math.sin((step / STEPS) * 2 * Math.PI)) * random());
    for (let n = 0; n < requests; n += 1) {
      const [agentId, body] = pick(random);
      const { status, text } = await caller.post('/v1/enforce', { agent_id: agentId, trust_level: 7, ...body });
      if (status !== 200) throw new Error(`the example data lack a decision: ${text}`);
    }
    service.advance(HISTORY_MS / STEPS);
  }
  await worker.append();
}

/** Budgets that are used up, nearly used up, and hardly used. */
async function useBudgets(caller: Client): Promise<void> {
  const refunds = { 'support-triage': 500, 'invoice-reader': 412.5, 'crm-sync': 35, 'new-hire': 0.25 };
  for (const [agentId, sum] of Object.entries(refunds))
    await caller.post('/v1/enforce', {
      agent_id: agentId,
      trust_level: 7,
      intent: 'update:refunds/order-7',
      context: { amount: sum },
    });
  for (let n = 0; n < 17; n += 1)
    await caller.post('/v1/enforce', { agent_id: 'support-triage', trust_level: 7, intent: 'send:letters/reminder' });
}

async function registerResources(admin: Client): Promise<void> {
  const put = (name: string, body: object): Promise<unknown> =>
    admin.request('PUT', `/v1/resources/${encodeURIComponent(name)}`, { body });
  await put('db/customers/*', { class: 'secret', owner: 'sales', attributes: { region: 'eu', critical: true } });
  await put('payroll/november', { class: 'confidential', owner: 'finance' });
  await put('srv/app/config.yaml', { owner: 'platform', attributes: { systems: ['web', 'workers'] } });
}

/** Questions that wait for a human now, with different contexts. One of them has one of two votes. */
async function escalate(caller: Client, { addKey }: Service): Promise<void> {
  const asked = [
    [
      'support-triage',
      { intent: 'mail.send.customer_list', context: { ticket: 4711, reason: 'The customer asked for a copy' } },
    ],
    ['data-analyst', { intent: 'read:crm/*', context: { reason: 'Quarterly report' } }],
    ['data-analyst', { intent: 'read:db/*' }],
    [
      'deploy-bot',
      { tool: tool('filesystem', 'write_file', { path: '/srv/app/config.yaml', content: 'replicas: 6\n' }) },
    ],
  ] as const;
  for (const [agentId, body] of asked) await caller.post('/v1/enforce', { agent_id: agentId, trust_level: 7, ...body });
  const payroll = { agent_id: 'data-analyst', intent: 'read:payroll/november', trust_level: 7 };
  const { approval } = (await caller.post('/v1/enforce', payroll)).json;
  const finance = { scopes: ['admin:*'], tags: ['finance'] } as const;
  const [ada] = [await addKey({ name: 'Ada, finance', ...finance }), await addKey({ name: 'Bo, finance', ...finance })];
  const reason = 'Checked with the accountants';
  await caller.withKey(ada.key).post(`/v1/approvals/${approval.approval_id}/approve`, { reason });
}

/** Agents that were paused and suspended, each with a reason, and a tool whose definition changed. */
async function changeAgents({ admin, client, addKey }: Service): Promise<void> {
  const change = (agentId: string, status: string, reason: string): Promise<unknown> =>
    admin.patch(`/v1/agents/${agentId}`, { status, reason });
  await change('crm-sync', 'PAUSED', 'Copied contacts twice, incident 42');
  await change('crm-sync', 'ACTIVE', 'The duplicate job is removed');
  await change('crm-sync', 'PAUSED', 'It retries a denied export every minute');
  await change('night-janitor', 'SUSPENDED', 'Removed files that nobody asked it to remove');
  await admin.post('/v1/agents', {
    agentId: 'urn:example:agents:customer-success/regional-escalations/emea-primary-2026',
    name: 'Regional escalations of customer success, EMEA, primary instance',
  });
  await addKey({ name: 'CRM sync, production', agentIds: ['crm-sync'] });
  const caller = await client({ name: 'Laptop of a developer' });
  const call = { ...tool('git', 'git_commit', { repo_path: '/srv/app', message: 'x' }), definition_digest: OTHER };
  for (const agentId of ['code-reviewer', 'deploy-bot'])
    await caller.post('/v1/enforce', { agent_id: agentId, trust_level: 7, tool: call });
}

/** A digest that no catalogue pins. */
const OTHER = `sha256:${'5e'.repeat(32)}`;

async function addWebhook(service: Service, worker: TestWorker): Promise<void> {
  const receiver = await startReceiver();
  const deliverer = createTestDeliverer(service);
  receiver.answers.push(204, 204, 500);
  const url = receiver.url;
  const created = await service.admin.post('/v1/webhooks', { url, events: ['decision.made', 'approval.opened'] });
  await service.admin.post('/v1/enforce', { agent_id: 'invoice-reader', intent: 'data.read.invoices', trust_level: 7 });
  await worker.append();
  await deliverer.deliver(String(created.json.webhookId));
  await receiver.close();
}

/** A push, and a change that waits for a second person. */
async function changePolicies({ admin, db, nowMs }: Service): Promise<void> {
  const folder = await folderOf(examplePolicies());
  const files = folder.policies.filter(({ path }) => path.endsWith('.json'));
  const others = files.filter(({ path }) => path !== 'reports.json');
  await admin.post('/v1/policies', { files: others, reason: 'Ticket SEC-12: reports need no limit any more' });
  const fewer = others.filter(({ path }) => path !== 'money.json');
  const { set } = admitHere({ ...folder, policies: fewer });
  if (set === undefined) throw new Error('the example set has errors');
  const rules = { needsApproval: true, approvalTtlMs: 3_600_000, signers: undefined };
  const change = {
    ...set,
    author: 'cli:alice',
    reason: 'Payments have their own service now',
    source: 'push' as const,
  };
  await db.transaction((sql) => changePolicySet(sql, change, rules, nowMs()));
}

/** Fills a service with example data. */
export async function fill(service: Service, worker: TestWorker): Promise<void> {
  const { admin, operatorId } = service;
  await registerAgents(service);
  const caller = await service.client({ name: 'Agents of the production cluster' });
  await service.addKey({ name: 'Reporting', scopes: ['proofs:read'], createdAtMs: service.nowMs() - 40 * DAY_MS });
  await service.addKey({
    name: 'CI',
    scopes: ['agents:read', 'agents:write'],
    expiresAtMs: service.nowMs() + 20 * DAY_MS,
  });
  await decideForADay(service, caller, worker);
  await useBudgets(caller);
  await registerResources(admin);
  await escalate(caller, service);
  await addWebhook(service, worker);
  await changeAgents(service);
  await changePolicies(service);
  await admin.post('/v1/proofs', {
    proofId: 'release-42',
    entityId: 'deploy-bot',
    event: 'release.published',
    payload: { version: '4.2.0' },
  });
  await service.rows(
    `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at)
     VALUES ($1, 'live', 'intents', 'evaluate', $2, $3, now() - interval '7 minutes'),
       ($1, 'live', 'webhooks', 'deliver', '{"v":1,"webhookId":"whk_example"}', 'Error: connect ECONNREFUSED 203.0.113.7:443', now() - interval '2 hours')`,
    [
      operatorId,
      '{"v":1,"intentId":"int_01jq3k5v7w9x1y3z5b7d9f1h3p"}',
      'Error: canceling statement due to statement timeout\n    at evaluate',
    ],
  );
  await worker.append();
}
