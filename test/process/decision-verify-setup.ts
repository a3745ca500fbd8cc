// Set-up for tests of `custos decision verify`: a service with decisions of every kind, and ways to verify them.
import { expect } from 'chai';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import type { VerifiedDecision } from '../../shared/core/verification/decision.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier, type StoredVerifier } from '../../shared/domain/verification/stored.ts';
import type { Client } from '../support/client.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { approve, ask, escalate, reject } from '../support/escalations.ts';
import { TEST_PEPPER } from '../support/process.ts';
import type { Service } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const CAP = 10_000;
const HOUR_MS = 3_600_000;

export interface DecisionsUnderTest {
  readonly service: Service;
  readonly worker: TestWorker;
  /** Decision ids by kind. */
  readonly kinds: ReadonlyMap<string, string>;
  verifier(): StoredVerifier;
  verifyAll(): Promise<VerifiedDecision[]>;
  run(...args: string[]): Promise<Ran>;
  /** Runs `custos decision verify` on the service's database. */
  custos(...args: string[]): Promise<Ran>;
  close(): Promise<void>;
}

/** Makes decisions of all kinds; none of them is in the log yet. */
export async function startDecisions(): Promise<DecisionsUnderTest> {
  const { service, worker, close } = await startServiceAndWorker();
  const client = await service.client({
    scopes: ['intents:write', 'agents:read', 'agents:write', 'trust:write', 'trust:read'],
  });
  const verifier = () => createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
  const run = (...args: string[]) =>
    runCommand(args, { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });
  return {
    service,
    worker,
    kinds: await decideEverything({ service, worker, client }),
    verifier,
    async verifyAll() {
      const outcomes: VerifiedDecision[] = [];
      for await (const outcome of verifier().all({})) outcomes.push(outcome);
      return outcomes;
    },
    run,
    custos: (...args) => run('decision', 'verify', ...args),
    close,
  };
}

async function decideEverything({
  service,
  worker,
  client,
}: {
  readonly service: Service;
  readonly worker: TestWorker;
  readonly client: Client;
}): Promise<Map<string, string>> {
  const kinds = new Map<string, string>();
  const enforce = async (intent: string, more: object = {}, by = client) =>
    (await by.post('/v1/enforce', { intent, agent_id: 'nobody', ...more })).json;
  const fold = () => foldBatch({ db: service.db, nowMs: service.nowMs, dailyCap: CAP });
  const signal = async (agentId: string, types: readonly string[]): Promise<void> => {
    await client.post('/v1/trust/signals', { signals: types.map((type) => ({ agentId, type })) });
    await fold();
  };
  /** Repeats the request until the decision uses that many signals. */
  const enforceWith = (signals: number, agentId: string, intent: string) =>
    waitFor(
      async () => {
        const decision = await enforce(intent, { agent_id: agentId });
        return decision.trust.as_of.signals === signals ? decision : undefined;
      },
      { what: `a decision of ${agentId} with ${signals} signals` },
    );

  await client.post('/v1/agents', { agentId: 'worker-bot', name: 'Worker', capabilities: ['sql'], tags: ['ä', 'b'] });
  await client.post('/v1/agents', { agentId: 'paused-bot', name: 'Paused' });
  await client.patch('/v1/agents/paused-bot', { status: 'PAUSED' });

  kinds.set('read', (await enforce('data.read.user_profile')).decision_id);
  kinds.set(
    'claimed',
    (await enforce('data.update.user_profile', { trust_level: 0, context: { n: 1.5, 'ü"': [null, {}] } })).decision_id,
  );
  kinds.set('scored', (await enforce('db.delete.users', { trust_score: 120 })).decision_id);
  kinds.set('approval', (await enforce('data.read.x', { approval_id: 'apr_01jq3k00000000000000000000' })).decision_id);
  await decideOnApprovals({ service, client, kinds });
  const headers = { 'idempotency-key': 'verify-once' };
  for (let i = 0; i < 2; i += 1)
    await client.post('/v1/enforce', { intent: 'files.read.report', agent_id: 'nobody' }, { headers });
  await client.post('/v1/enforce/batch', {
    requests: ['data.read.a', 'payments.transfer.money', 'nonsense.unknown.thing', 'identity.grant.role'].map(
      (intent) => ({
        intent,
        agent_id: 'worker-bot',
      }),
    ),
  });
  await waitFor(async () => {
    const decision = await enforce('data.read.x', { agent_id: 'paused-bot' });
    kinds.set('paused', decision.decision_id);
    return decision.reasons[0].code === 'AGENT_NOT_ACTIVE';
  });
  const parsed = (
    await client.post('/v1/intent', {
      agent_id: 'nobody',
      raw_intent: 'Please delete all users from the production database',
    })
  ).json;
  await enforce(parsed.parsed_intent?.normalized ?? parsed.normalized_intent, { intent_id: parsed.intent_id });

  for (const agentId of ['worker-bot', 'stranger']) {
    await signal(agentId, ['success', 'success', 'failure']);
    kinds.set(agentId, (await enforceWith(3, agentId, 'data.read.x')).decision_id);
    await signal(agentId, ['violation']);
    await enforceWith(4, agentId, 'data.update.x');
  }
  service.advance(40 * 86_400_000);
  kinds.set('healed', (await enforceWith(4, 'worker-bot', 'data.read.later')).decision_id);

  for (const resource of ['db/customers', 'db/customers/*']) {
    const { intentId } = (
      await client.post('/v1/intents', {
        agentId: 'worker-bot',
        action: 'read',
        resource,
        context: { ticket: 'OPS-1' },
      })
    ).json;
    await worker.evaluate(intentId);
  }
  const { intentId } = (
    await client.post('/v1/intents', { agentId: 'worker-bot', action: 'read', resource: 'db/lost' })
  ).json;
  await worker.intentWorker().endAsFailed(await worker.keyOf(intentId));

  await service.admin.post('/v1/halt', { reason: 'incident "42"' });
  const halted = await enforce('data.read.x');
  expect(halted.reasons[0].code).to.equal('HALTED');
  kinds.set('halted', halted.decision_id);
  await service.admin.delete('/v1/halt');
  kinds.set('after the halt', (await enforce('data.read.x')).decision_id);
  const test = await service.client({ environment: 'test' });
  await enforce('data.read.x', {}, test);
  const other = await service.client({ organisationId: await service.addOrganisation('other') });
  kinds.set('other', (await enforce('data.read.x', {}, other)).decision_id);
  return kinds;
}

/** Approvals that are used, rejected, expired (recorded by upkeep, or not yet), or presented again by another key. */
async function decideOnApprovals({
  service,
  client,
  kinds,
}: {
  readonly service: Service;
  readonly client: Client;
  readonly kinds: Map<string, string>;
}): Promise<void> {
  const other = await service.client();
  const questionOf = (name: string) => ({ agent_id: 'waiting-bot', intent: `nonsense.unknown.${name}` });
  const open = (name: string): Promise<string> => escalate(client, questionOf(name));
  const use = async (name: string, approvalId: string, code: string, by = client): Promise<void> => {
    const decision = await ask(by, { ...questionOf(name), approval_id: approvalId });
    expect(decision.reasons.at(-1).code, name).to.equal(code);
    kinds.set(name, decision.decision_id);
  };
  const [rejected, used, closed, due] = [
    await open('rejected'),
    await open('approved'),
    await open('closed'),
    await open('due'),
  ];
  await reject(service.admin, rejected, 'not "today": \u{1f44e}\nask again');
  await approve(service.admin, used);
  await approve(service.admin, closed);
  await use('rejected', rejected, 'APPROVAL_REJECTED');
  await use('approved', used, 'APPROVED');
  const again = await ask(other, { ...questionOf('approved'), approval_id: used });
  expect(again.reasons[0].code).to.equal('APPROVAL_USED');
  kinds.set('used', again.decision_id);
  service.advance(HOUR_MS);
  await use('due', due, 'APPROVAL_EXPIRED');
  expect(await expireApprovals(service.db, service.nowMs())).to.be.at.least(2);
  await use('closed', closed, 'APPROVAL_EXPIRED');
}
