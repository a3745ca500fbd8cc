// Important actions of the service are leaves of its log, exactly once, and no caller can create such a leaf.
import { expect } from 'chai';
import { DEFAULT_DAILY_CAP } from '../../shared/core/trust/beta.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import type { Client } from '../support/client.ts';
import { checkLog } from '../support/log-check.ts';
import { folderOf, type Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { recordOf } from './receipt-setup.ts';

type Body = Readonly<Record<string, unknown>>;

describe('leaves written by the service itself', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    await worker.append();
  });
  after(() => both?.close());

  /** The bodies on an entity's chain with one event, oldest first. Appends pending records first. */
  const bodiesOf = async (entityId: string, event: string, by: Client = service.admin): Promise<Body[]> => {
    await worker.append();
    const { items } = (await by.get(`/v1/proofs/chain/${encodeURIComponent(entityId)}?limit=200`)).json;
    return items.map((item: { event: string; record: string }) => {
      expect(item.event).to.equal(event);
      return recordOf(item).payload.body;
    });
  };
  /** The items that a step added to a chain. */
  const added = async (entityId: string, event: string, step: () => Promise<unknown>, by?: Client): Promise<Body[]> => {
    const before = await bodiesOf(entityId, event, by);
    await step();
    return (await bodiesOf(entityId, event, by)).slice(before.length);
  };
  const onKeys = (step: () => Promise<unknown>) => added('custos:keys', 'custos.key', step);

  it('record each key that is created, rotated or revoked, with its scopes and without its secret', async () => {
    let first = { keyId: '', key: '' };
    const scopes = ['agents:read'];
    const made = await onKeys(async () => {
      const body = { name: 'logged', scopes, agentIds: ['a'], tags: ['finance'], tier: 3 };
      first = (await service.admin.post('/v1/auth/keys', body, { headers: { 'idempotency-key': 'one-key' } })).json;
      // A repeated request creates no second key, and no second leaf.
      await service.admin.post('/v1/auth/keys', body, { headers: { 'idempotency-key': 'one-key' } });
    });
    expect(made).to.have.lengthOf(1);
    const power = { scopes, agentIds: ['a'], tags: ['finance'], tier: 3 };
    expect(made[0]).to.deep.include({ change: 'created', keyId: first.keyId, ...power });
    expect(JSON.stringify(made)).not.to.include(first.key);

    let second = { keyId: '' };
    const rotated = await onKeys(async () => {
      second = (await service.admin.post(`/v1/auth/keys/${first.keyId}/rotate`, {})).json;
    });
    const said = rotated.map(({ change, keyId, replacedBy }) => [change, keyId, replacedBy]);
    expect(said).to.have.deep.members([
      ['created', second.keyId, null],
      ['replaced', first.keyId, second.keyId],
    ]);
    expect(said).to.have.lengthOf(2);

    const revoked = await onKeys(async () => {
      for (let i = 0; i < 2; i += 1) await service.admin.delete(`/v1/auth/keys/${second.keyId}`);
    });
    expect(revoked.map(({ change, keyId }) => [change, keyId])).to.deep.equal([['revoked', second.keyId]]);
  });

  it('begin with the first key of the installation', async () => {
    const [first] = await bodiesOf('custos:keys', 'custos.key');
    expect(first).to.deep.include({ change: 'created', scopes: ['admin:*'], by: null });
  });

  it('record the registration of an agent and each change that policies depend on, and no other change', async () => {
    const agentId = 'logged-agent';
    const bodies = await added(agentId, 'custos.agent', async () => {
      const agent = { agentId, name: 'A name', metadata: { secret: 1 }, capabilities: ['mail'], tags: ['blue'] };
      await service.admin.post('/v1/agents', agent, { headers: { 'idempotency-key': 'one-agent' } });
      await service.admin.post('/v1/agents', agent, { headers: { 'idempotency-key': 'one-agent' } });
      await service.admin.patch(`/v1/agents/${agentId}`, { name: 'Another name' });
      await service.admin.patch(`/v1/agents/${agentId}`, { status: 'PAUSED', reason: 'incident 42' });
      await service.admin.patch(`/v1/agents/${agentId}`, { status: 'PAUSED', reason: 'again' });
      await service.admin.delete(`/v1/agents/${agentId}`);
    });
    const [by] = await service.rows<{ key_id: string }>('SELECT key_id FROM api_key WHERE created_by IS NULL');
    const same = { agentId, capabilities: ['mail'], tags: ['blue'], by: by?.key_id };
    expect(bodies).to.deep.equal([
      { ...same, change: 'registered', status: 'ACTIVE' },
      { ...same, change: 'changed', status: 'PAUSED', reason: 'incident 42' },
      { ...same, change: 'changed', status: 'TERMINATED' },
    ]);
  });

  it('record each halt and each lift once, also when requested repeatedly', async () => {
    const bodies = await added('custos:halt', 'custos.halt', async () => {
      await service.admin.post('/v1/halt', { reason: 'incident é' });
      await service.admin.post('/v1/halt', { reason: 'again' });
      await service.admin.delete('/v1/halt');
      await service.admin.delete('/v1/halt');
      await service.admin.post('/v1/halt', { reason: 'later' });
      await service.admin.delete('/v1/halt', { body: { reason: 'repaired' } });
    });
    expect(bodies.map(({ change, reason }) => [change, reason])).to.deep.equal([
      ['halted', 'incident é'],
      ['lifted', undefined],
      ['halted', 'later'],
      ['lifted', 'repaired'],
    ]);
    for (const { keyId } of bodies) expect(keyId).to.equal(bodies[0]?.['keyId']).and.to.be.a('string');
  });

  it('are in every log when a policy set is put into force or refused, and not when nothing changes', async () => {
    const organisationId = await service.addOrganisation('policies-logged');
    const logs = [
      service.admin,
      await service.client({ organisationId, scopes: ['proofs:read'] }),
      await service.client({ environment: 'test', scopes: ['proofs:read'] }),
    ];
    await worker.append();
    const shipped = await folderOf(undefined);
    const files = shipped.policies.filter(({ path }) => !path.startsWith('lexicon/'));
    const texts = Object.fromEntries(files.map(({ path, text }) => [path, JSON.parse(text) as object]));
    const [name = '', dropped] = Object.entries(texts)[0] ?? [];
    const fewer = { ...texts };
    delete fewer[name];
    const before = await Promise.all(logs.map((by) => bodiesOf('custos:policies', 'custos.policy_set', by)));
    const previousDigest = (await service.admin.get('/v1/policies')).json.digest;
    const byFolder = { author: 'folder', reason: null, source: 'folder', approver: null, signer: null };
    const digest = await service.apply(fewer);
    await service.apply(fewer);
    await service.apply({ ...fewer, 'broken.json': { ...dropped, target: 7 } });
    const back = await service.apply();
    for (const [i, by] of logs.entries()) {
      const bodies = (await bodiesOf('custos:policies', 'custos.policy_set', by)).slice(before[i]?.length);
      expect(bodies.map((body) => body['change'])).to.deep.equal(['activated', 'refused', 'activated']);
      expect(bodies[0]).to.deep.equal({ change: 'activated', digest, previousDigest, ...byFolder });
      expect(JSON.stringify(bodies[1]?.['findings'])).to.include('broken.json');
      expect(bodies[2]).to.deep.equal({ change: 'activated', digest: back, previousDigest: digest, ...byFolder });
    }
    expect(back).to.equal(previousDigest);
  });

  it('record each decision and each fold of signals once, on the chain of the agent', async () => {
    const client = await service.client({ scopes: ['intents:write', 'trust:write', 'proofs:read'] });
    const { json } = await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'agent é' });
    const signals = [{ signalId: 'once', agentId: 'agent é', type: 'success' }];
    await client.post('/v1/trust/signals', { signals });
    await client.post('/v1/trust/signals', { signals });
    const fold = foldJob.handler({ db: service.db, nowMs: service.nowMs, dailyCap: DEFAULT_DAILY_CAP });
    for (let i = 0; i < 2; i += 1) await fold({ v: 1 });
    await worker.append();
    await worker.append();
    const chain = (await client.get(`/v1/proofs/chain/${encodeURIComponent('agent é')}`)).json.items;
    expect(chain.map((item: { event: string }) => item.event)).to.deep.equal(['custos.decision', 'custos.trust']);
    expect(chain[0].proofId).to.equal(json.proof.proof_id);
    for (const { proofId } of chain) expect((await client.get(`/v1/proofs/${proofId}`)).status).to.equal(200);
  });

  it('cannot be created by callers with any scopes: E2001, and nothing is added', async () => {
    await worker.append();
    const size = async () => (await checkLog(service.db, service.operatorId, 'live')).size;
    const before = await size();
    const body = { event: 'e', entityId: 'x', payload: {} };
    for (const event of ['decision', 'trust', 'approval', 'policy_set', 'key', 'halt', 'fork', 'new'])
      for (const proof of [
        { ...body, event: `custos.${event}` },
        { ...body, entityId: `custos:${event}` },
      ]) {
        const single = await service.admin.post('/v1/proofs', proof);
        const batch = await service.admin.post('/v1/proofs/batch', { proofs: [body, proof] });
        for (const answer of [single, batch])
          expect([answer.status, answer.json.code], JSON.stringify(proof)).to.deep.equal([400, 'E2001']);
      }
    await worker.append();
    expect(await size()).to.equal(before);
  });
});
