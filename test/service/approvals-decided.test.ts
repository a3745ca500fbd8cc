// Decisions on approvals: what a human may do, who may do it, and that an approval is valid once, for one action of one agent.
import { expect } from 'chai';
import { type ApprovalsUnderTest, question, startApprovals } from '../support/approvals.ts';
import type { Client } from '../support/client.ts';
import { approve, ask, escalate, ESCALATING, gist, reject } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';

describe('decided approvals', () => {
  let on: ApprovalsUnderTest;
  let service: Service;
  let client: Client;
  before(async () => {
    on = await startApprovals();
    ({ service, client } = on);
  });
  after(() => on?.close());

  it('permit exactly one use, and record in the log who decided, why and for what', async () => {
    const asked = question();
    const approvalId = await escalate(client, asked);
    const answer = await approve(service.admin, approvalId, 'backup verified, "OPS-7" \u{1f44d}');
    expect(answer.status).to.equal(200);
    expect(answer.json).to.include({
      status: 'approved',
      decidedBy: on.adminKeyId,
      reason: 'backup verified, "OPS-7" \u{1f44d}',
    });
    const allowed = await ask(client, { ...asked, approval_id: approvalId });
    expect(gist(allowed)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
    expect(allowed.allowed).to.equal(true);
    expect(allowed.reasons[1]).to.deep.equal({
      policy: 'default',
      rule: 'approval',
      effect: 'ALLOW',
      code: 'APPROVED',
      message: `${approvalId} approved by ${on.adminKeyId}`,
    });
    expect(await on.read(approvalId)).to.include({
      status: 'used',
      usedBy: on.keyId,
      usedAt: allowed.evaluated_at,
      usedDecisionId: allowed.decision_id,
    });
    const { digest, decision } = await on.read(approvalId);
    const common = { approvalId, decisionId: decision.decision_id, digest, intentId: null };
    const bodies = (await on.leavesOf(asked.agent_id)).map(({ body }) => body);
    expect(bodies).to.have.deep.members([
      { ...common, state: 'approved', by: on.adminKeyId, reason: 'backup verified, "OPS-7" \u{1f44d}' },
      { ...common, state: 'used', by: on.keyId, usedDecisionId: allowed.decision_id },
    ]);
    const next = await escalate(client, asked);
    expect(next, 'the next request needs another approval').to.not.equal(approvalId);
  });

  it('return the first decision byte for byte to a repeat by the same key, and APPROVAL_USED to another key', async () => {
    const asked = question();
    const approvalId = await escalate(client, asked);
    await approve(service.admin, approvalId);
    const use = { ...asked, approval_id: approvalId };
    const first = await client.post('/v1/enforce', use);
    expect(first.json.verdict).to.equal('ALLOW');
    expect((await client.post('/v1/enforce', use)).text).to.equal(first.text);
    const kept = await client.post('/v1/enforce', use, { headers: { 'idempotency-key': `again-${approvalId}` } });
    expect(kept.text).to.equal(first.text);
    const batch = await client.post('/v1/enforce/batch', { requests: [use, use] });
    expect(batch.json.decisions).to.deep.equal([first.json, first.json]);
    expect(gist(await ask(service.admin, use))).to.deep.equal(['DENY', 'APPROVAL_USED']);
    expect(gist(await ask(client, { ...use, context: { a: 1 } }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    expect(await on.statesOf(asked.agent_id)).to.have.members(['approved', 'used']);
  });

  it('are used exactly once under concurrent requests, from two processes and with two keys', async () => {
    const second = await startService({ databaseUrl: service.databaseUrl, policies: ESCALATING, words: 'few' });
    try {
      const other = (await service.addKey()).key;
      for (let round = 0; round < 5; round += 1) {
        const asked = question();
        const approvalId = await escalate(client, asked);
        await approve(service.admin, approvalId);
        const use = { ...asked, approval_id: approvalId };
        const racers = [client, second.admin.withKey(other), client.withKey(other), second.admin.withKey(other)];
        const answers = await Promise.all([...racers, ...racers].map((racer) => ask(racer, use)));
        const allowed = answers.filter(({ verdict }) => verdict === 'ALLOW');
        const ids = new Set(allowed.map((decision) => decision.decision_id));
        expect(ids.size, 'all permitted requests share one decision').to.equal(1);
        for (const answer of answers)
          if (answer.verdict !== 'ALLOW') expect(gist(answer)).to.deep.equal(['DENY', 'APPROVAL_USED']);
        expect(await on.statesOf(asked.agent_id)).to.have.members(['approved', 'used']);
        const stored = await service.rows(
          "SELECT decision_id FROM decision WHERE agent_id = $1 AND verdict = 'ALLOW'",
          [asked.agent_id],
        );
        expect(stored).to.have.lengthOf(1);
      }
    } finally {
      await second.close();
    }
  });

  it('are used once by a batch of a hundred members, which does not exhaust the database connections', async () => {
    const asked = question();
    const approval_id = await escalate(client, asked);
    await approve(service.admin, approval_id);
    const requests = Array.from({ length: 100 }, () => ({ ...asked, approval_id }));
    const [{ json }, other] = await Promise.all([
      client.post('/v1/enforce/batch', { requests }),
      ask(client, { ...asked, intent: 'delete:db/open/a' }),
    ]);
    expect(new Set(json.decisions.map(({ decision_id: id }: { decision_id: string }) => id)).size).to.equal(1);
    expect(json.decisions.map(gist)).to.deep.equal(requests.map(() => ['ALLOW', 'ASKED', 'APPROVED']));
    expect(other.verdict).to.equal('ALLOW');
    expect(await on.statesOf(asked.agent_id)).to.have.members(['approved', 'used']);
  });

  it('are not valid for another agent, action, context, environment or organisation', async () => {
    const asked = question({ context: { a: 1 } });
    const approval_id = await escalate(client, asked);
    await approve(service.admin, approval_id);
    const test = await service.client({ environment: 'test' });
    const tenant = await service.client({ organisationId: await service.addOrganisation('stranger') });
    const wrong: [Client, object][] = [
      [client, { agent_id: 'another' }],
      [client, { intent: `${asked.intent}/part` }],
      [client, { context: { a: 2 } }],
      [client, { context: undefined }],
      [test, {}],
      [tenant, {}],
    ];
    for (const [by, change] of wrong)
      expect(gist(await ask(by, { ...asked, approval_id, ...change }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    expect((await on.read(approval_id)).status).to.equal('approved');
    expect((await ask(client, { ...asked, approval_id })).verdict).to.equal('ALLOW');
  });

  it('deny with the reason when they were rejected', async () => {
    const asked = question();
    const approval_id = await escalate(client, asked);
    expect((await reject(service.admin, approval_id, 'never')).json.status).to.equal('rejected');
    const denied = await ask(client, { ...asked, approval_id });
    expect(gist(denied)).to.deep.equal(['DENY', 'APPROVAL_REJECTED']);
    expect(denied.reasons[0].message).to.equal(`${approval_id} was rejected: never`);
    expect(await on.statesOf(asked.agent_id)).to.deep.equal(['rejected']);
    expect(await escalate(client, asked)).to.not.equal(approval_id);
  });

  it('are named again by the ESCALATE while undecided, with their remaining time', async () => {
    const asked = question();
    const { approval } = await ask(client, asked);
    service.advance(60_000);
    const again = await ask(client, { ...asked, approval_id: approval.approval_id });
    expect(gist(again)).to.deep.equal(['ESCALATE', 'ASKED']);
    expect(again.approval).to.deep.equal(approval);
  });

  it('cannot be approved or rejected twice, nor after their use: that is E5001, and what was decided stays', async () => {
    const used = question();
    const [approved, rejected, useless] = await Promise.all(
      [question(), question(), used].map((q) => escalate(client, q)),
    );
    for (const id of [approved, useless]) await approve(service.admin, id ?? '', 'first');
    await reject(service.admin, rejected ?? '', 'first');
    expect((await ask(client, { ...used, approval_id: useless })).verdict).to.equal('ALLOW');
    for (const [decide, id = '', state] of [
      [approve, approved, 'approved'],
      [approve, rejected, 'rejected'],
      [reject, rejected, 'rejected'],
      [approve, useless, 'used'],
      [reject, useless, 'used'],
    ] as const) {
      const refused = await decide(service.admin, id, 'second');
      expect([refused.status, refused.json.code, refused.json.detail]).to.deep.equal([
        409,
        'E5001',
        `The approval is closed: it is ${state}.`,
      ]);
      expect((await on.read(id)).reason).to.equal('first');
    }
  });

  it('are decided exactly once under concurrent requests', async () => {
    const asked = question();
    const approvalId = await escalate(client, asked);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => approve(service.admin, approvalId, `${i}`)));
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 409)).to.have.lengthOf(5);
    expect(await on.statesOf(asked.agent_id)).to.have.lengthOf(1);
  });

  it('are withdrawn by a rejection until they are used, by any key that may reject, and the log has both decisions', async () => {
    const asked = question();
    const approval_id = await escalate(client, asked);
    await approve(service.admin, approval_id, 'go');
    const other = await service.addKey({ scopes: ['admin:*'], agentIds: [asked.agent_id] });
    expect((await reject(client, approval_id)).json.code).to.equal('E1004');
    const withdrawn = await reject(service.admin.withKey(other.key), approval_id, 'the ticket was closed');
    expect(withdrawn.json).to.include({
      status: 'rejected',
      decidedBy: other.keyId,
      reason: 'the ticket was closed',
      usedAt: null,
    });
    const denied = await ask(client, { ...asked, approval_id });
    expect(gist(denied)).to.deep.equal(['DENY', 'APPROVAL_REJECTED']);
    expect(denied.reasons[0].message).to.equal(`${approval_id} was rejected: the ticket was closed`);
    const records = (await on.leavesOf(asked.agent_id)).map(({ body: { state, by, reason } }) => [state, by, reason]);
    expect(records).to.have.deep.members([
      ['approved', on.adminKeyId, 'go'],
      ['rejected', other.keyId, 'the ticket was closed'],
    ]);
    expect(await escalate(client, asked), 'the next request needs another approval').to.not.equal(approval_id);
  });

  it('are either used or withdrawn when both happen at once, in whichever order', async () => {
    for (let round = 0; round < 6; round += 1) {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const use = () => ask(client, { ...asked, approval_id });
      const withdraw = () => reject(service.admin, approval_id, 'stop');
      // Each begins first in half of the rounds.
      const early = round % 2 === 0 ? use() : undefined;
      const [refusal, answer] = await Promise.all([withdraw(), early ?? use()]);
      const isUsed = answer.verdict === 'ALLOW';
      expect(gist(answer)).to.deep.equal(isUsed ? ['ALLOW', 'ASKED', 'APPROVED'] : ['DENY', 'APPROVAL_REJECTED']);
      expect([refusal.status, refusal.json.code]).to.deep.equal(isUsed ? [409, 'E5001'] : [200, undefined]);
      expect(await on.statesOf(asked.agent_id)).to.have.members(['approved', isUsed ? 'used' : 'rejected']);
    }
  });

  it('are decided once for an Idempotency-Key', async () => {
    const approvalId = await escalate(client, question());
    const headers = { 'idempotency-key': approvalId };
    const path = `/v1/approvals/${approvalId}/approve`;
    const first = await service.admin.post(path, { reason: 'once' }, { headers });
    const again = await service.admin.post(path, { reason: 'once' }, { headers });
    expect([first.status, again.status, again.text]).to.deep.equal([200, 200, first.text]);
  });

  it('refuse the key that asked, and accept only keys of admins who may act for the agent', async () => {
    const asked = question();
    const own = await escalate(service.admin, asked);
    for (const decide of [approve, reject]) {
      const refused = await decide(service.admin, own);
      expect([refused.status, refused.json.code]).to.deep.equal([403, 'E1004']);
    }
    const other = await service.client({ scopes: ['admin:*'] });
    const bound = await service.client({ scopes: ['admin:*'], agentIds: ['somebody-else'] });
    const elsewhere = await service.client({ scopes: ['admin:*'], environment: 'test' });
    const tenant = await service.client({
      scopes: ['admin:*'],
      organisationId: await service.addOrganisation('outsider'),
    });
    for (const by of [bound, elsewhere, tenant]) {
      for (const answer of [await approve(by, own), await reject(by, own), await by.get(`/v1/approvals/${own}`)])
        expect([answer.status, answer.json.code, answer.json.detail]).to.deep.equal([
          404,
          'E4001',
          'There is no such approval in this organisation and environment.',
        ]);
      expect((await by.get('/v1/approvals')).json.items).to.deep.equal([]);
    }
    expect((await bound.get(`/v1/approvals?agentId=${asked.agent_id}`)).json.code).to.equal('E1004');
    expect((await client.get('/v1/approvals')).json.code).to.equal('E1004');
    expect((await client.get(`/v1/approvals/${own}`)).json.code).to.equal('E4001');
    expect((await approve(client, own)).json.code).to.equal('E1004');
    expect((await approve(other, own)).status).to.equal(200);
  });

  it('can be read with intents:write by the key that asked, with the current status, and by no other such key', async () => {
    const [asker, other] = [await service.client(), await service.client()];
    const id = await escalate(asker, question());
    const seen = await asker.get(`/v1/approvals/${id}`);
    expect([seen.status, seen.json.status, seen.json.mayDecide]).to.deep.equal([200, 'pending', false]);
    expect((await other.get(`/v1/approvals/${id}`)).json.code).to.equal('E4001');
    expect((await (await service.client({ scopes: ['proofs:read'] })).get(`/v1/approvals/${id}`)).json.code).to.equal(
      'E1004',
    );
    await approve(service.admin, id);
    expect((await asker.get(`/v1/approvals/${id}`)).json.status).to.equal('approved');
  });

  it('refuse keys rotated from the key that asked, and the key that it was rotated from', async () => {
    const first = await service.addKey({ scopes: ['admin:*'] });
    const rotate = async (keyId: string) =>
      (await service.admin.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '2h' })).json;
    const second = await rotate(first.keyId);
    const third = await rotate(second.keyId);
    const [oldest, newest] = [service.admin.withKey(first.key), service.admin.withKey(third.key)];
    const [early, late] = [await escalate(oldest, question()), await escalate(newest, question())];
    for (const [by, approvalId] of [
      [newest, early],
      [oldest, late],
      [service.admin.withKey(second.key), early],
    ] as const)
      expect((await approve(by, approvalId)).json.code).to.equal('E1004');
    const other = await service.client({ scopes: ['admin:*'] });
    for (const approvalId of [early, late]) expect((await approve(other, approvalId)).status).to.equal(200);
  });

  it('refuse keys made by the asking key and the key that made it, over any number of keys and rotations', async () => {
    type Held = { readonly keyId: string; readonly by: Client };
    const held = ({ key, keyId }: { key: string; keyId: string }): Held => ({ keyId, by: service.admin.withKey(key) });
    const shell = async (): Promise<Held> => held(await service.addKey({ scopes: ['admin:*'] }));
    const make = async ({ by }: Held): Promise<Held> =>
      held((await by.post('/v1/auth/keys', { name: 'made', scopes: ['admin:*'] })).json);
    const rotate = async ({ by }: Held, { keyId }: Held): Promise<Held> =>
      held((await by.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '2h' })).json);

    const [root, helper] = [await shell(), await shell()];
    const maker = await make(root);
    const asking = await make(maker);
    const child = await make(asking);
    const same: Readonly<Record<string, Held>> = {
      'the key itself': asking,
      'a key made by it': child,
      'a key made by that one': await make(child),
      'a rotation of a key made by it': await rotate(child, child),
      'the key that made it': maker,
      'the key that made that one': root,
      'a rotation of the key that made it': await rotate(helper, maker),
      'the key that rotated its maker, and so has the successor': helper,
    };
    const strangers: Readonly<Record<string, Held>> = {
      'another key made by the same key': await make(maker),
      'a key made by such a key': await make(await make(root)),
      'a key made on the command line': await shell(),
    };
    const mayDecide = async ({ by }: Held, id: string): Promise<unknown> =>
      (await by.get(`/v1/approvals/${id}`)).json.mayDecide;
    const asked = await escalate(asking.by, question());
    for (const [name, one] of Object.entries(same)) {
      expect(await mayDecide(one, asked), name).to.equal(false);
      for (const answer of [await approve(one.by, asked), await reject(one.by, asked)])
        expect([answer.status, answer.json.code], name).to.deep.equal([403, 'E1004']);
      // The reverse holds too: this key may not decide what that key asks for.
      const reversed = await escalate(one.by, question());
      expect((await approve(asking.by, reversed)).json.code, `${name}, reversed`).to.equal('E1004');
    }
    expect((await on.read(asked)).status).to.equal('pending');
    for (const [name, one] of Object.entries(strangers)) {
      const id = await escalate(asking.by, question());
      expect(await mayDecide(one, id), name).to.equal(true);
      expect((await approve(one.by, id)).status, name).to.equal(200);
    }
  });

  it('are decided only with a reason', async () => {
    const approvalId = await escalate(client, question());
    const path = `/v1/approvals/${approvalId}/approve`;
    for (const body of [
      {},
      { reason: '' },
      { reason: ' \t' },
      { reason: 'x'.repeat(1_001) },
      { reason: 'a\u0000' },
      { reason: 7 },
      null,
    ])
      expect((await service.admin.post(path, body)).json.code, JSON.stringify(body)).to.equal('E2001');
    expect((await approve(service.admin, approvalId, 'x'.repeat(1_000))).status).to.equal(200);
    expect((await approve(service.admin, 'apr_00000000000000000000000000')).json.code).to.equal('E4001');
  });

  // Nested, so that it runs after all the others.
  describe('together', () => {
    it('leave a log whose chains and decisions all verify, and every decision by an approval is evaluated again', () =>
      on.expectWhole(8));
  });
});
