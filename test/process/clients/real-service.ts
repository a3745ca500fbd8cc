// The real service of the client conformance run: an ingress in this process and a worker process, with policies that know a few tools.
import { mkdirSync, writeFileSync } from 'node:fs';
import { smallLexicon } from '../../support/lexicon.ts';
import path from 'node:path';
import type { Environment, Scope } from '../../../shared/kernel/vocabulary.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { startWorker, type TestService } from '../../support/process.ts';
import { type PolicyFiles, type Service, startService } from '../../support/service.ts';

/** A policy with one rule for one action. */
const rule = (id: string, action: string, type: string, params: object = {}): object => ({
  id,
  stage: 'enforce',
  description: `${type} for tests`,
  target: { actions: [action], resources: ['*'] },
  rules: [
    {
      name: 'rule',
      conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: action }] },
      event: { type, params: { code: id.toUpperCase(), message: `this is ${id}`, ...params } },
    },
  ],
});

const POLICIES: PolicyFiles = {
  'reading.json': rule('reading', 'read', 'ALLOW'),
  'removing.json': rule('removing', 'delete', 'DENY'),
  'paying.json': rule('paying', 'transfer', 'ESCALATE'),
  'sending.json': rule('sending', 'send', 'ALLOW'),
  'exporting.json': rule('exporting', 'send', 'DEGRADE', {
    obligations: [{ type: 'redact_fields', fields: ['email'] }],
  }),
  'tools/files.json': {
    server: 'files',
    description: 'Tools of the conformance cases.',
    tools: {
      read: { action: 'read', resource: 'file/{path}' },
      remove: { action: 'delete', resource: 'file/{path}' },
      pay: { action: 'transfer', resource: 'money/{path}' },
      export: { action: 'send', resource: 'file/{path}' },
    },
  },
};

/** What the decider does with approvals of agents whose id ends so; others stay pending. */
const DECIDED = { approved: 'approve', rejected: 'reject' } as const;
const DECIDE_EVERY_MS = 100;

interface Pending {
  readonly organisationId: string;
  readonly approvalId: string;
  readonly agentId: string;
}
const PENDING = `SELECT organisation_id AS "organisationId", approval_id AS "approvalId", agent_id AS "agentId" FROM approval
  WHERE state = 'pending' AND environment = 'live'`;

export interface Tenant {
  /** The `env` of the cases. */
  readonly env: Readonly<Record<string, string>>;
  readonly key: string;
}

export interface RealService {
  readonly service: Service;
  /** A new organisation with its keys, in which no other run can interfere. */
  addTenant(slug: string): Promise<Tenant>;
  close(): Promise<void>;
}

export async function startRealService(): Promise<RealService> {
  const service = await startService({ policies: POLICIES, words: 'few' });
  const folder = temporaryFolder('conformance-policies');
  mkdirSync(path.join(folder, 'tools'));
  for (const [name, policy] of Object.entries(POLICIES)) writeFileSync(path.join(folder, name), JSON.stringify(policy));
  writeFileSync(path.join(folder, 'lexicon.json'), smallLexicon().text);
  const worker: TestService = await startWorker(service.databaseUrl, { CUSTOS_POLICY_DIR: folder });

  /** Keys that decide, by organisation. */
  const deciders = new Map<string, string>();
  // One small query: a list over HTTP for each organisation took a third of the processor time of the run.
  const decide = async (): Promise<void> => {
    const pending = await service.rows<Pending>(PENDING);
    for (const { organisationId, approvalId, agentId } of pending) {
      const word = Object.entries(DECIDED).find(([end]) => agentId.endsWith(`-${end}`))?.[1];
      const decider = deciders.get(organisationId);
      if (word !== undefined && decider !== undefined)
        await service.admin.withKey(decider).post(`/v1/approvals/${approvalId}/${word}`, { reason: 'a test' });
    }
  };
  let isClosed = false;
  const deciding = (async () => {
    while (!isClosed) {
      await decide();
      await new Promise((resolve) => setTimeout(resolve, DECIDE_EVERY_MS));
    }
  })();
  deciding.catch(() => undefined);

  return {
    service,
    async addTenant(slug) {
      const organisationId = await service.addOrganisation(slug);
      const keyOf = async (scopes: readonly Scope[], environment: Environment = 'live'): Promise<string> =>
        (await service.addKey({ organisationId, scopes: [...scopes], environment })).key;
      const [admin, decider, agent, dev] = await Promise.all([
        keyOf(['admin:*']),
        keyOf(['admin:*']),
        keyOf(['intents:write', 'proofs:read', 'trust:write']),
        keyOf(['admin:*'], 'dev'),
      ]);
      deciders.set(organisationId, decider);
      const env = { ADMIN_KEY: admin, AGENT_KEY: agent, DEV_KEY: dev, OPERATOR_KEY: service.adminKey };
      return { env, key: agent };
    },
    async close() {
      isClosed = true;
      await deciding;
      await worker.stop();
      await service.close();
    },
  };
}
