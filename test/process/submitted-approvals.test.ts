// Submitted intents that need an approval: they wait, and continue once it is decided, even when processes die meanwhile.
import { writeFileSync } from 'node:fs';
import { smallLexicon } from '../support/lexicon.ts';
import path from 'node:path';
import { expect } from 'chai';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import type { Client } from '../support/client.ts';
import { approve, ask, DENYING, ESCALATING, clearFilled, fillApprovals, gist, reject } from '../support/escalations.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startWorker } from '../support/process.ts';
import { rewriteSealed } from '../support/seals.ts';
import type { Service } from '../support/service.ts';
import { endOpenTransactions } from '../support/sessions.ts';
import { waitFor } from '../support/wait.ts';
import {
  failingIntentWorker,
  heldIntentWorker,
  type ServiceAndWorker,
  startServiceAndWorker,
  startTestWorker,
  type TestWorker,
} from '../support/worker.ts';

describe('a submitted intent that needs an approval', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
    ({ service, worker } = both);
    client = await service.client();
  });
  after(() => both?.close());

  let names = 0;
  const submit = async (more: object = {}): Promise<string> => {
    names += 1;
    const body = { agentId: `agent-${names}`, action: 'delete', resource: `db/asked/t${names}`, ...more };
    return (await client.post('/v1/intents', body)).json.intentId;
  };
  const read = async (intentId: string) => (await client.get(`/v1/intents/${intentId}`)).json;
  const approvalOf = async (approvalId: string) => (await service.admin.get(`/v1/approvals/${approvalId}`)).json;
  const evaluate = (intentId: string): Promise<void> => worker.evaluate(intentId);
  /** Evaluates an intent twenty times at once, by two workers with separate caches. */
  const evaluateTwentyTimes = async (intentId: string): Promise<void> => {
    const key = await worker.keyOf(intentId);
    const second = await startTestWorker(service);
    try {
      const workers = [worker.intentWorker(), second.intentWorker()];
      await Promise.all(Array.from({ length: 20 }, (_, i) => workers[i % 2]?.decideOne(key)));
    } finally {
      await second.close();
    }
  };
  const waiting = async (more: object = {}) => {
    const intentId = await submit(more);
    await evaluate(intentId);
    const intent = await read(intentId);
    expect(intent).to.include({ status: 'waiting_approval', decision: null });
    return { intentId, approvalId: intent.approvalId as string, agentId: intent.agentId as string };
  };
  /** Sets the expiry in the past, because worker processes use the machine's clock. */
  const expire = (approvalId: string) =>
    rewriteSealed(service.db, 'approval', 'approval_id = $1', [approvalId], {
      expires_at: new Date(service.nowMs() - 1_000),
    });
  const verdictsOf = async (agentId: string): Promise<string[]> =>
    (
      await service.rows<{ verdict: string }>('SELECT verdict FROM decision WHERE agent_id = $1 ORDER BY decision_id', [
        agentId,
      ])
    ).map(({ verdict }) => verdict);

  it('waits for an approval, which shows the ESCALATE and the context', async () => {
    const { intentId, approvalId, agentId } = await waiting({ context: { ticket: 'OPS-1' } });
    const approval = await approvalOf(approvalId);
    expect(approval).to.deep.include({ status: 'pending', agentId, intentId, context: { ticket: 'OPS-1' } });
    expect(gist(approval.decision)).to.deep.equal(['ESCALATE', 'ASKED']);
    expect(approval.decision.approval).to.deep.equal({ approval_id: approvalId, expires_at: approval.expiresAt });
    expect((await client.get('/v1/intents?status=waiting_approval')).json.items[0]).to.deep.equal(await read(intentId));
    await evaluate(intentId);
    expect(await verdictsOf(agentId), 'a repeated job does nothing').to.deep.equal(['ESCALATE']);
  });

  it('is queued again when approved, and allowed by a decision that uses the approval', async () => {
    const { intentId, approvalId, agentId } = await waiting();
    await approve(service.admin, approvalId);
    expect(await read(intentId)).to.include({ status: 'evaluating', decision: null });
    await worker.evaluateAll(await worker.keyOf(intentId));
    const intent = await read(intentId);
    expect(intent).to.include({ status: 'decided', approvalId });
    expect(gist(intent.decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
    expect(await approvalOf(approvalId)).to.include({ status: 'used', usedDecisionId: intent.decision.decision_id });
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE', 'ALLOW']);
  });

  it('is decided ESCALATE and does not wait when its agent has reached the limit of approvals', async () => {
    const agentId = 'flooding';
    await fillApprovals(service, agentId);
    const intentId = await submit({ agentId });
    await evaluate(intentId);
    const intent = await read(intentId);
    expect(intent).to.include({ status: 'decided', approvalId: null });
    expect(gist(intent.decision)).to.deep.equal(['ESCALATE', 'ASKED']);
    expect(intent.decision).not.to.have.property('approval');
    await clearFilled(service);
  });

  it('is decided DENY, APPROVAL_REJECTED, when rejected', async () => {
    const { intentId, approvalId } = await waiting();
    await reject(service.admin, approvalId, 'no');
    await evaluate(intentId);
    const intent = await read(intentId);
    expect([intent.status, ...gist(intent.decision)]).to.deep.equal(['decided', 'DENY', 'APPROVAL_REJECTED']);
  });

  it('is decided DENY, APPROVAL_EXPIRED, when nobody decides in time', async () => {
    const { intentId, approvalId } = await waiting();
    await expire(approvalId);
    await expireApprovals(service.db, service.nowMs());
    await evaluate(intentId);
    const intent = await read(intentId);
    expect([intent.status, ...gist(intent.decision)]).to.deep.equal(['decided', 'DENY', 'APPROVAL_EXPIRED']);
    expect((await approve(service.admin, approvalId)).json.code).to.equal('E5001');
  });

  it('is decided DENY when approved but denied by the policies by then, and the approval is not used', async () => {
    const { intentId, approvalId } = await waiting();
    await approve(service.admin, approvalId);
    await service.apply(DENYING);
    await worker.deciding.changes.refresh();
    await waitFor(() => worker.deciding.policies.installation().set.policies.length === 4);
    await evaluate(intentId);
    await service.apply(ESCALATING);
    await waitFor(() => worker.deciding.policies.installation().set.policies.length === 3);
    const intent = await read(intentId);
    expect([intent.status, ...gist(intent.decision)]).to.deep.equal(['decided', 'DENY', 'DENIED', 'ASKED']);
    expect((await approvalOf(approvalId)).status).to.equal('approved');
  });

  it('is evaluated once after the approval, by two workers and twenty jobs', async () => {
    const { intentId, approvalId, agentId } = await waiting();
    await approve(service.admin, approvalId);
    await evaluateTwentyTimes(intentId);
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE', 'ALLOW']);
    expect((await read(intentId)).status).to.equal('decided');
  });

  it('waits for one approval when two workers escalate it at once', async () => {
    const intentId = await submit();
    await evaluateTwentyTimes(intentId);
    const { agentId } = await read(intentId);
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE']);
    expect((await service.admin.get(`/v1/approvals?agentId=${agentId}`)).json.items).to.have.lengthOf(1);
  });

  it('stays rejected when a worker that lost its session had evaluated it before the rejection', async () => {
    const intentId = await submit();
    const slow = heldIntentWorker(worker, 'after');
    const late = slow.decideOne(await worker.keyOf(intentId)).catch(() => undefined);
    await slow.held;
    await endOpenTransactions(service);
    await worker.evaluate(intentId);
    const { approvalId, agentId } = await read(intentId);
    await reject(service.admin, approvalId);
    slow.release();
    await late;
    expect(await read(intentId)).to.include({ status: 'evaluating', approvalId });
    await evaluate(intentId);
    expect(gist((await read(intentId)).decision)).to.deep.equal(['DENY', 'APPROVAL_REJECTED']);
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE', 'DENY']);
  });

  it('leaves the approval unused when the decision could not be stored, and uses it when the job is retried', async () => {
    const { intentId, approvalId, agentId } = await waiting();
    await approve(service.admin, approvalId);
    const key = await worker.keyOf(intentId);
    const failing = failingIntentWorker(worker);
    let message = '';
    await failing.decideOne(key).catch((error: Error) => (message = error.message));
    expect(message).to.equal('the disk is full');
    expect((await approvalOf(approvalId)).status).to.equal('approved');
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE']);
    await evaluate(intentId);
    expect((await approvalOf(approvalId)).status).to.equal('used');
    expect(await verdictsOf(agentId)).to.deep.equal(['ESCALATE', 'ALLOW']);
  });

  it('ends in `failed` with a DENY when its job dies after the approval, which stays unused', async () => {
    const { intentId, approvalId } = await waiting();
    await approve(service.admin, approvalId);
    await worker.intentWorker().endAsFailed(await worker.keyOf(intentId));
    const intent = await read(intentId);
    expect([intent.status, ...gist(intent.decision)]).to.deep.equal(['failed', 'DENY', 'EVALUATION_FAILED']);
    expect((await approvalOf(approvalId)).status).to.equal('approved');
  });

  it('has an approval that no direct request can use', async () => {
    const { approvalId, agentId, intentId } = await waiting();
    await approve(service.admin, approvalId);
    const body = { agent_id: agentId, intent: `delete:db/asked/t${names}`, approval_id: approvalId };
    expect(gist(await ask(client, body))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    const named = await client.post('/v1/enforce', { ...body, intent_id: intentId });
    expect(named.json.code).to.equal('E2001');
  });

  describe('and a worker process', () => {
    it('continues without intervention: approved while every worker is dead, and expired by upkeep', async () => {
      const folder = temporaryFolder('policies');
      for (const [name, policy] of Object.entries(ESCALATING))
        writeFileSync(path.join(folder, name), JSON.stringify(policy));
      writeFileSync(path.join(folder, 'lexicon.json'), smallLexicon().text);
      const env = { CUSTOS_POLICY_DIR: folder };
      const [toApprove, toReject, toExpire] = [await submit(), await submit(), await submit()];
      const settled = (intentId: string, status: string) =>
        waitFor(async () => (await read(intentId)).status === status, {
          what: `${intentId} to be ${status}`,
        });
      const first = await startWorker(service.databaseUrl, env);
      await Promise.all([toApprove, toReject, toExpire].map((intentId) => settled(intentId, 'waiting_approval')));
      await first.kill();
      await approve(service.admin, (await read(toApprove)).approvalId);
      await reject(service.admin, (await read(toReject)).approvalId);
      await expire((await read(toExpire)).approvalId);
      const second = await startWorker(service.databaseUrl, env);
      try {
        const codes: string[][] = [];
        for (const intentId of [toApprove, toReject, toExpire]) {
          await settled(intentId, 'decided');
          codes.push(gist((await read(intentId)).decision));
        }
        expect(codes).to.deep.equal([
          ['ALLOW', 'ASKED', 'APPROVED'],
          ['DENY', 'APPROVAL_REJECTED'],
          ['DENY', 'APPROVAL_EXPIRED'],
        ]);
      } finally {
        await second.stop();
      }
    });
  });
});
