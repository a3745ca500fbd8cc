// Repeats of stored answers: a permission is given again only while its decision stands.
import { expect } from 'chai';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import { validKeys } from '../../shared/domain/keys/validity.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { cookieOf, signIn, withCookie } from '../support/dashboard.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { approve, ask, escalate, ESCALATING, gist } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';

const POLICIES = {
  ...ESCALATING,
  // Trusted agents may read; an agent without evidence is at level 1.
  'reads.json': {
    id: 'reads',
    stage: 'enforce',
    description: 'Reads for tests',
    target: { actions: ['read'], resources: ['data/*', 'limited/*'] },
    rules: [
      {
        name: 'open',
        conditions: { all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: 'data/*' }] },
        event: { type: 'ALLOW', params: { code: 'OPEN', message: 'open' } },
      },
      {
        name: 'limited',
        conditions: { all: [{ fact: 'intent', path: 'resource', operator: 'matchesResource', value: 'limited/*' }] },
        event: {
          type: 'DEGRADE',
          params: { code: 'LIMITED', message: 'limited', obligations: [{ type: 'max_rows', limit: 3 }] },
        },
      },
    ],
  },
  'distrust.json': {
    id: 'distrust',
    stage: 'enforce',
    description: 'Nothing for agents without trust',
    target: { actions: ['delete'], resources: ['db/asked/*'] },
    rules: [
      {
        name: 'none',
        conditions: { all: [{ fact: 'trust', path: 'level', operator: 'lessThan', value: 1 }] },
        event: { type: 'DENY', params: { code: 'NO_TRUST', message: 'no trust' } },
      },
    ],
  },
};

const HOUR_MS = 3_600_000;
let names = 0;
const name = (): string => `agent-${(names += 1)}`;

describe('a decision that is repeated or read', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let admin: Client;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ policies: POLICIES, words: 'few' });
    ({ service, worker } = both);
    ({ admin } = service);
    client = await service.client();
  });
  after(() => both?.close());

  const post = (by: Client, path: string, body: object, key: string): Promise<ClientResponse> =>
    by.post(path, body, { headers: { 'idempotency-key': key } });
  const decisionsOf = async (agentId: string): Promise<number> =>
    (await service.rows('SELECT FROM decision WHERE agent_id = $1', [agentId])).length;
  const status = (agentId: string, to: string) => admin.patch(`/v1/agents/${agentId}`, { status: to });

  /** Each way to end a decision, the reason why it no longer stands, and the way to undo it. */
  interface Ending {
    readonly lapse: string;
    readonly end: (agentId: string) => Promise<unknown>;
    readonly undo?: (agentId: string) => Promise<unknown>;
  }
  const ENDINGS: Readonly<Record<string, Ending>> = {
    'a halt': {
      lapse: 'halted',
      end: () => admin.post('/v1/halt', { reason: 'x' }),
      undo: () => admin.delete('/v1/halt'),
    },
    'a pause of the agent': {
      lapse: 'agent_not_active',
      end: (agentId) => status(agentId, 'PAUSED'),
      undo: (agentId) => status(agentId, 'ACTIVE'),
    },
    'a suspension of the agent': {
      lapse: 'agent_not_active',
      end: (agentId) => status(agentId, 'SUSPENDED'),
      undo: (agentId) => status(agentId, 'ACTIVE'),
    },
    'the end of the agent': { lapse: 'agent_not_active', end: (agentId) => admin.delete(`/v1/agents/${agentId}`) },
    'an hour': { lapse: 'expired', end: async () => service.advance(HOUR_MS) },
  };

  for (const [what, { lapse, end, undo }] of Object.entries(ENDINGS))
    for (const [verdict, intent] of [
      ['ALLOW', 'read:data/x'],
      ['DEGRADE', 'read:limited/x'],
    ] as const)
      it(`${verdict}: after ${what} it is refused under its Idempotency-Key, alone and in a batch, and shown as not standing`, async () => {
        const agentId = name();
        await admin.post('/v1/agents', { agentId, name: agentId });
        const body = { intent, agent_id: agentId };
        const denied = { intent: 'read:nothing/x', agent_id: agentId };
        const batchBody = { requests: [body, denied, { intent: 'bad', agent_id: agentId }] };
        const single = () => post(client, '/v1/enforce', body, agentId);
        const batch = () => post(client, '/v1/enforce/batch', batchBody, agentId);
        const first = await single();
        const firstBatch = await batch();
        expect([
          first.json.verdict,
          firstBatch.json.decisions[0].verdict,
          firstBatch.json.decisions[1].verdict,
        ]).to.deep.equal([verdict, verdict, 'DENY']);
        const read = async () => (await client.get(`/v1/decisions/${first.json.decision_id}`)).json;
        expect((await single()).text).to.equal(first.text);
        expect((await batch()).text).to.equal(firstBatch.text);
        expect(await read()).to.deep.equal({ ...first.json, stands: true });

        await end(agentId);
        try {
          const again = await single();
          expect([again.status, again.json.code], again.text).to.deep.equal([409, 'E5004']);
          expect(again.json.retryable).to.equal(false);
          const { status: batchStatus, json } = await batch();
          expect(batchStatus).to.equal(200);
          expect(json.decisions[0].error).to.include({ code: 'E5004', status: 409, instance: '/v1/enforce/batch' });
          // A verdict that permits nothing is repeated unchecked.
          expect(json.decisions.slice(1)).to.deep.equal(firstBatch.json.decisions.slice(1));
          expect(await read()).to.deep.equal({ ...first.json, stands: false, stands_reason: lapse });
          expect(await decisionsOf(agentId), 'nothing is decided by a repeat').to.equal(3);
        } finally {
          await undo?.(agentId);
        }
        if (undo === undefined) return;
        expect((await single()).text, 'it stands again').to.equal(first.text);
        expect((await batch()).text).to.equal(firstBatch.text);
        expect((await read()).stands).to.equal(true);
      });

  it('belongs to the key that asked: another key gets a decision of its own', async () => {
    const other = await service.addKey();
    const body = { intent: 'read:data/x', agent_id: name() };
    const first = await post(client, '/v1/enforce', body, 'shared');
    const second = await post(client.withKey(other.key), '/v1/enforce', body, 'shared');
    expect(second.headers).to.not.have.property('idempotent-replayed');
    expect(second.json.key_id).to.equal(other.keyId);
    expect(second.json.decision_id).to.not.equal(first.json.decision_id);
    expect((await post(client, '/v1/enforce', body, 'shared')).text).to.equal(first.text);
  });

  it('belongs also to rotations of that key, as long as one of them is valid', async () => {
    const first = await service.addKey();
    const body = { intent: 'read:data/x', agent_id: name() };
    const asked = await post(client.withKey(first.key), '/v1/enforce', body, 'rotated');
    const rotate = async (keyId: string) => (await admin.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '0h' })).json;
    const second = await rotate(first.keyId);
    const third = await rotate(second.keyId);
    const again = await post(client.withKey(third.key), '/v1/enforce', body, 'rotated');
    expect(again.text).to.equal(asked.text);
    const read = async () => (await admin.get(`/v1/decisions/${asked.json.decision_id}`)).json;
    expect((await read()).stands).to.equal(true);
    await admin.delete(`/v1/auth/keys/${third.keyId}`);
    expect(await read()).to.include({ stands: false, stands_reason: 'key_invalid' });
    const { items } = (await admin.get(`/v1/decisions?agentId=${body.agent_id}`)).json;
    expect(items).to.deep.equal([await read()]);
  });

  it('stands when a live key asked for another environment in a session of the dashboard, until that key is revoked', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const live = await signIn(admin, key);
    const test = withCookie(admin, cookieOf(await live.send('POST', '/session/environment', { environment: 'test' })));
    const ask = () =>
      test.send(
        'POST',
        '/v1/enforce',
        { intent: 'read:data/x', agent_id: 'elsewhere' },
        { headers: { 'idempotency-key': 'elsewhere' } },
      );
    const first = await ask();
    expect(first.json).to.include({ verdict: 'ALLOW', key_id: keyId });
    const reader = await service.client({ scopes: ['proofs:read'], environment: 'test' });
    const read = async () => (await reader.get(`/v1/decisions/${first.json.decision_id}`)).json;
    expect(await read()).to.deep.equal({ ...first.json, stands: true });
    expect((await ask()).text).to.equal(first.text);
    await admin.delete(`/v1/auth/keys/${keyId}`);
    expect(await read()).to.include({ stands: false, stands_reason: 'key_invalid' });
  });

  it('does not stand by a key of a less important environment', async () => {
    const { keyId } = await service.addKey({ environment: 'test' });
    const owner = { organisationId: service.operatorId, environment: 'live' as const };
    expect([...(await validKeys(service.db, owner, [keyId], service.nowMs()))]).to.deep.equal([]);
    expect([
      ...(await validKeys(service.db, { ...owner, environment: 'test' }, [keyId], service.nowMs())),
    ]).to.deep.equal([keyId]);
  });

  it('is shown as standing or not in lists, intents and approvals', async () => {
    const agentId = name();
    await admin.post('/v1/agents', { agentId, name: agentId });
    const waiting = await escalate(client, { intent: 'delete:db/asked/y', agent_id: agentId });
    const { intentId } = (await client.post('/v1/intents', { agentId, action: 'read', resource: 'data/x' })).json;
    await worker.evaluate(intentId);
    const shown = async () => ({
      intent: (await client.get(`/v1/intents/${intentId}`)).json.decision,
      listed: (await client.get(`/v1/intents?agentId=${agentId}`)).json.items[0].decision,
      decisions: (await client.get(`/v1/decisions?agentId=${agentId}`)).json.items.map(
        (one: { stands_reason?: string }) => one.stands_reason ?? 'stands',
      ),
      approval: (await admin.get(`/v1/approvals/${waiting}`)).json.decision,
    });
    const before = await shown();
    expect([before.intent.stands, before.listed.stands, before.decisions]).to.deep.equal([
      true,
      true,
      ['stands', 'verdict'],
    ]);
    expect(before.approval).to.include({ stands: false, stands_reason: 'verdict' });
    await status(agentId, 'PAUSED');
    const after = await shown();
    expect(after.intent).to.include({ stands: false, stands_reason: 'agent_not_active' });
    expect([after.listed, after.decisions]).to.deep.equal([after.intent, ['agent_not_active', 'verdict']]);
  });

  describe('of a used approval', () => {
    const approved = async (by = client) => {
      const asked = { intent: 'delete:db/asked/x', agent_id: name() };
      await admin.post('/v1/agents', { agentId: asked.agent_id, name: asked.agent_id });
      const approval_id = await escalate(by, asked);
      await approve(admin, approval_id);
      return { ...asked, approval_id };
    };

    it('is given again to the same key within a minute, and then refused: APPROVAL_USED', async () => {
      const use = await approved();
      const first = await client.post('/v1/enforce', use);
      expect(first.json.verdict).to.equal('ALLOW');
      service.advance(59_000);
      expect((await client.post('/v1/enforce', use)).text).to.equal(first.text);
      service.advance(2_000);
      expect(gist(await ask(client, use))).to.deep.equal(['DENY', 'APPROVAL_USED']);
    });

    it('is given again to a rotation of that key, and to no other key', async () => {
      const { key, keyId } = await service.addKey();
      const use = await approved(client.withKey(key));
      const first = await client.withKey(key).post('/v1/enforce', use);
      const rotated = (await admin.post(`/v1/auth/keys/${keyId}/rotate`, {})).json;
      expect((await client.withKey(rotated.key).post('/v1/enforce', use)).text).to.equal(first.text);
      expect(gist(await ask(client, use))).to.deep.equal(['DENY', 'APPROVAL_USED']);
    });

    const ends: Readonly<Record<string, (agentId: string) => Promise<unknown>>> = {
      'a halt': () => admin.post('/v1/halt', { reason: 'x' }),
      'a pause of the agent': (agentId) => status(agentId, 'PAUSED'),
      'a fall of trust to 0': async (agentId) => {
        const reporter = await service.client({ scopes: ['trust:write'] });
        await reporter.post('/v1/trust/signals', { signals: [{ agentId, type: 'violation' }] });
        await foldJob.handler({ db: service.db, nowMs: service.nowMs, dailyCap: 10_000 })({ v: 1 });
        const asking = { intent: 'delete:db/asked/z', agent_id: agentId };
        await waitFor(async () => (await ask(client, asking)).verdict === 'DENY', { what: 'the trust to be lost' });
      },
    };
    for (const [what, end] of Object.entries(ends))
      it(`is not given again after ${what}, alone, in a batch, or under an Idempotency-Key: E5004`, async () => {
        const use = await approved();
        const first = await client.post('/v1/enforce', use);
        expect(first.json.verdict).to.equal('ALLOW');
        expect((await client.post('/v1/enforce', use)).text).to.equal(first.text);
        await end(use.agent_id);
        try {
          const before = await decisionsOf(use.agent_id);
          const again = await client.post('/v1/enforce', use);
          expect([again.status, again.json.code], again.text).to.deep.equal([409, 'E5004']);
          const keyed = await post(client, '/v1/enforce', use, use.approval_id);
          expect([keyed.status, keyed.json.code], keyed.text).to.deep.equal([409, 'E5004']);
          const other = { intent: 'read:nothing/x', agent_id: name() };
          for (const { json } of [
            await client.post('/v1/enforce/batch', { requests: [use, other] }),
            await post(client, '/v1/enforce/batch', { requests: [use, other] }, use.approval_id),
          ])
            expect([json.decisions[0].error.code, json.decisions[1].verdict]).to.deep.equal(['E5004', 'DENY']);
          const preview = await admin.post('/v1/enforce', { ...use, dry_run: true });
          expect(preview.json.verdict, 'of another key').to.equal('DENY');
          expect(await decisionsOf(use.agent_id)).to.equal(before);
        } finally {
          await admin.delete('/v1/halt');
        }
      });
  });
});
