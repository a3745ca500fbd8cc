// An approval is valid only for the exact question that a human saw: any change to the question makes it invalid.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { signIn } from '../support/dashboard.ts';
import { approve, ask, type Asking, escalate, gist, reject } from '../support/escalations.ts';
import { rewriteSealed } from '../support/seals.ts';
import type { Service } from '../support/service.ts';
import { recordText } from '../support/stored-records.ts';
import { startServiceAndWorker, type TestWorker } from '../support/worker.ts';

/** Escalates everything, recognised words and unrecognised ones. */
const EVERYTHING = {
  'everything.json': {
    id: 'everything',
    stage: 'enforce',
    description: 'a human decides',
    target: { actions: ['*'], resources: ['*'] },
    rules: [
      {
        name: 'rule',
        conditions: { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
        event: { type: 'ESCALATE', params: { code: 'ASKED', message: 'asked' } },
      },
    ],
  },
};

describe('an approval', () => {
  let service: Service;
  let client: Client;
  let worker: TestWorker;
  let close: () => Promise<void>;
  before(async () => {
    ({ service, worker, close } = await startServiceAndWorker({ policies: EVERYTHING, words: 'few' }));
    client = await service.client();
  });
  after(() => close?.());

  const context = { ticket: 'OPS-1', rows: 3 };
  const CASES: readonly { readonly name: string; readonly asked: object; readonly used: object }[] = [
    {
      name: 'another unknown word',
      asked: { intent: 'frobnicate:infra/cluster_9' },
      used: { intent: 'exfiltratify:infra/cluster_9' },
    },
    {
      name: 'another verb for the same action',
      asked: { intent: 'db.delete.staging.users' },
      used: { intent: 'db.wipe.staging.users' },
    },
    {
      name: 'the same request in other words',
      asked: { intent: 'delete:db/staging/users' },
      used: { intent: 'db.delete.staging.users' },
    },
    { name: 'other letters', asked: { intent: 'delete:db/a' }, used: { intent: 'DELETE:db/a' } },
    { name: 'another spelling of the resource', asked: { intent: 'delete:db/a' }, used: { intent: 'delete:db//a' } },
    { name: 'another resource', asked: { intent: 'delete:db/a' }, used: { intent: 'delete:db/b' } },
    { name: 'a wider resource', asked: { intent: 'delete:db/a/b' }, used: { intent: 'delete:db/a/*' } },
    { name: 'another agent', asked: {}, used: { agent_id: 'somebody-else' } },
    { name: 'another value in the context', asked: { context }, used: { context: { ...context, rows: 4 } } },
    { name: 'more in the context', asked: { context }, used: { context: { ...context, force: true } } },
    { name: 'less in the context', asked: { context }, used: { context: { ticket: 'OPS-1' } } },
    { name: 'no context', asked: { context }, used: { context: undefined } },
  ];
  for (const [i, { name, asked, used }] of CASES.entries())
    it(`is not valid for ${name}`, async () => {
      const question: Asking = { agent_id: `agent-${i}`, intent: 'delete:db/a', ...asked };
      const approval_id = await escalate(client, question);
      await approve(service.admin, approval_id);
      const other = { ...question, ...used, approval_id };
      const preview = await ask(service.admin, { ...other, dry_run: true });
      for (const refused of [preview, await ask(client, other)])
        expect(gist(refused)).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
      expect(gist(await ask(client, { ...question, approval_id }))).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect(gist(await ask(client, other)), 'also after it was used').to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    });

  it('is grouped on the dashboard with alike ones, with the words, the masked arguments, who may decide, and the agent', async () => {
    const seen = await signIn(service.admin, service.adminKey);
    const waiting = async (query = '') => (await seen.get(`/approvals/waiting${query}`)).json;
    const agent_id = 'grouped';
    await service.admin.post('/v1/agents', { agentId: agent_id, name: 'Cleaner' });
    const raw_intent = 'delete the users in the staging database';
    const { intent_id, normalized: intent } = (await client.post('/v1/intent', { agent_id, raw_intent })).json;
    const tool = { server: 'mailer', name: 'send', arguments: { to: 'anna', api_token: 'abcdefgh' } };
    const ids: string[] = [];
    for (const more of [{ intent_id }, { context: { ticket: 'OPS-7' } }, { context: { ticket: 'OPS-8' } }, {}]) {
      ids.push(await escalate(client, { agent_id, intent, ...more }));
      service.advance(1);
    }
    const own = (await service.admin.post('/v1/enforce', { agent_id, tool })).json.approval.approval_id;
    const page = await waiting(`?agentId=${agent_id}`);
    const [group, single] = page.items;
    expect(group.agent).to.deep.equal({
      agentId: agent_id,
      name: 'Cleaner',
      status: 'ACTIVE',
      trust: { score: 250, level: 1 },
      verdicts: Array(5).fill('ESCALATE'),
    });
    expect([group.count, group.items.length, single.count]).to.deep.equal([4, 3, 1]);
    const [first, second] = group.items;
    expect(first).to.include({ approvalId: ids[0], text: raw_intent, mayDecide: true, isLarge: false });
    expect([second.text, second.context]).to.deep.equal([null, { ticket: 'OPS-7' }]);
    expect(single.items[0]).to.include({ approvalId: own, mayDecide: false });
    expect(single.items[0].call.arguments).to.deep.equal({ to: 'anna', api_token: '[secret]' });
    expect(single.items[0].masked).to.deep.equal([{ pointer: '/api_token', reason: 'name' }]);
    expect(group.earlier).to.deep.equal({ approved: 0, rejected: 0, expired: 0, last: null });

    await approve(service.admin, ids[0] ?? '', 'as agreed');
    await reject(service.admin, ids[1] ?? '', 'not this one');
    const [after] = (await waiting(`?agentId=${agent_id}`)).items;
    expect(after).to.deep.include({ count: 2 });
    expect(after.earlier).to.deep.include({ approved: 1, rejected: 1, expired: 0 });
    expect(after.earlier.last).to.include({
      state: 'rejected',
      reason: 'not this one',
      by: service.adminKey.split('_')[2],
    });
    const members = (await seen.get(`/approvals/waiting/alike?group=${group.id}&limit=1`)).json;
    expect(members.items[0].approvalId).to.equal(ids[2]);
    const rest = (await seen.get(`/approvals/waiting/alike?group=${group.id}&limit=1&cursor=${members.nextCursor}`))
      .json;
    expect(rest.items[0].approvalId).to.equal(ids[3]);
    const one = await waiting(`?agentId=${agent_id}&limit=1`);
    const two = await waiting(`?agentId=${agent_id}&limit=1&cursor=${one.nextCursor}`);
    expect([one.items[0].id, two.items[0].id, two.nextCursor]).to.deep.equal([group.id, single.id, null]);
    expect((await seen.get('/approvals/waiting?cursor=x')).json.code).to.equal('E2001');
  });

  it('is not valid for the same string with a parse attached, nor the other way round', async () => {
    const agent_id = 'parsing';
    const parse = async () =>
      (await client.post('/v1/intent', { agent_id, raw_intent: 'delete the users in the staging database' })).json;
    const [one, other] = [await parse(), await parse()];
    const plain = { agent_id, intent: one.normalized };
    const questions = [plain, { ...plain, intent_id: one.intent_id }, { ...plain, intent_id: other.intent_id }];
    const ids = [];
    for (const question of questions) ids.push(await escalate(client, question));
    for (const id of ids) await approve(service.admin, id);
    for (const [i, question] of questions.entries())
      for (const [j, approval_id] of ids.entries())
        if (i !== j)
          expect(gist(await ask(client, { ...question, approval_id }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
  });

  it("shows and records the caller's original text, also for submitted work, and nothing else can use it", async () => {
    const work = { agentId: 'submitting', action: 'Frobnicate', resource: 'Infra/Cluster_9' };
    const { intentId } = (await client.post('/v1/intents', work)).json;
    await worker.evaluate(intentId);
    const { approvalId } = (await client.get(`/v1/intents/${intentId}`)).json;
    const requested = { action: 'Frobnicate', resource: 'Infra/Cluster_9' };
    const { json } = await service.admin.get(`/v1/approvals/${approvalId}`);
    expect(json.requested).to.deep.equal(requested);
    expect(json.decision.intent).to.deep.include({
      requested,
      action: 'unknown',
      normalized: 'infra.unknown.cluster_9',
    });
    expect(json.bound.intent).to.deep.include({ requested, flags: json.bound.intent.flags });
    expect(Object.keys(json)[0], 'first of all').to.equal('requested');
    const [row] = await service.rows<{ record: Buffer }>('SELECT record FROM decision WHERE decision_id = $1', [
      json.decision.decision_id,
    ]);
    expect(JSON.parse(`${recordText(row?.record)}}`).payload.body.intent.requested).to.deep.equal(requested);
    await approve(service.admin, approvalId);
    await worker.evaluate(intentId);
    expect((await client.get(`/v1/intents/${intentId}`)).json.decision.verdict).to.equal('ALLOW');
    for (const intent of ['frobnicate:infra/cluster_9', 'Frobnicate:Infra/Cluster_9'])
      expect(gist(await ask(client, { agent_id: 'submitting', intent, approval_id: approvalId }))).to.deep.equal([
        'DENY',
        'APPROVAL_MISMATCH',
      ]);
  });

  it('created by an earlier version can be read, shows that it is bound to less, and permits nothing', async () => {
    const question = { agent_id: 'upgraded', intent: 'delete:db/a' };
    const approval_id = await escalate(client, question);
    await rewriteSealed(service.db, 'approval', 'approval_id = $1', [approval_id], { digest: 'ab'.repeat(32) });
    const { json } = await approve(service.admin, approval_id);
    expect(json).to.include({ status: 'approved', bound: null });
    expect(gist(await ask(client, { ...question, approval_id }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
  });
});
