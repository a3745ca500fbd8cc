// Halt: one call stops an environment, and no other.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

describe('a halt', () => {
  let service: Service;
  let live: Client;
  let test: Client;
  let stranger: Client;
  before(async () => {
    service = await startService();
    live = await service.client();
    test = await service.client({ environment: 'test' });
    stranger = await service.client({ organisationId: await service.addOrganisation('stranger') });
  });
  afterEach(() => service.admin.delete('/v1/halt'));
  after(() => service.close());

  const verdict = async (by: Client, agent_id = 'a'): Promise<string> => {
    const { json } = await by.post('/v1/enforce', { intent: 'data.read.x', agent_id });
    return `${json.verdict} ${json.reasons[0].code}`;
  };

  it('makes every later verdict of its environment DENY, HALTED, affects no other, and can be lifted', async () => {
    expect(await verdict(live)).to.equal('ALLOW READ_OPEN');
    const halted = await service.admin.post('/v1/halt', { reason: 'incident 42' });
    expect(halted.json).to.include({ environment: 'live', halted: true, reason: 'incident 42' });
    for (const agent of ['a', 'never seen before']) expect(await verdict(live, agent)).to.equal('DENY HALTED');
    expect(await verdict(test)).to.equal('ALLOW READ_OPEN');
    expect(await verdict(stranger)).to.equal('ALLOW READ_OPEN');
    expect((await service.admin.get('/v1/halt')).json).to.deep.equal(halted.json);
    const lifted = await service.admin.delete('/v1/halt');
    expect(lifted.json).to.deep.equal({ environment: 'live', halted: false, reason: null, keyId: null, since: null });
    expect(await verdict(live)).to.equal('ALLOW READ_OPEN');
  });

  it('shows in the preview of a parse, and in every member of a batch', async () => {
    await service.admin.post('/v1/halt', { reason: 'all' });
    const { json } = await live.post('/v1/intent', { agent_id: 'a', raw_intent: 'Read user profile data' });
    expect(json.verdict_preview).to.equal('DENY');
    const requests = [
      { intent: 'data.read.x', agent_id: 'a' },
      { intent: 'data.read.y', agent_id: 'b' },
    ];
    const batch = await live.post('/v1/enforce/batch', { requests });
    expect(batch.json.decisions.map((one: { verdict: string }) => one.verdict)).to.deep.equal(['DENY', 'DENY']);
  });

  it('keeps its first time and reason when it is requested again', async () => {
    const first = await service.admin.post('/v1/halt', { reason: 'first' });
    const second = await service.admin.post('/v1/halt', { reason: 'second' });
    expect(second.json).to.deep.equal(first.json);
  });

  it('is applied once for one Idempotency-Key: a repeat after it was lifted halts nothing', async () => {
    const headers = { 'idempotency-key': 'halt-once' };
    const first = await service.admin.post('/v1/halt', { reason: 'once' }, { headers });
    await service.admin.delete('/v1/halt');
    const again = await service.admin.post('/v1/halt', { reason: 'once' }, { headers });
    expect(again.text).to.equal(first.text);
    expect(await verdict(live)).to.equal('ALLOW READ_OPEN');
    const other = await service.admin.post('/v1/halt', { reason: 'other' }, { headers });
    expect([other.status, other.json.code]).to.deep.equal([422, 'E2010']);
  });

  it('needs admin:* of the same environment, and a reason', async () => {
    for (const answer of [
      await live.post('/v1/halt', { reason: 'x' }),
      await live.get('/v1/halt'),
      await live.delete('/v1/halt'),
    ])
      expect([answer.status, answer.json.code]).to.deep.equal([403, 'E1004']);
    for (const body of [
      {},
      { reason: '' },
      { reason: ' ' },
      { reason: 'x'.repeat(501) },
      { reason: 'a\u0000b' },
      { reason: 1 },
    ]) {
      const answer = await service.admin.post('/v1/halt', body);
      expect([answer.status, answer.json.code], JSON.stringify(body)).to.deep.equal([400, 'E2001']);
    }
    for (const body of [{ reason: ' ' }, { reason: 'x'.repeat(501) }, { why: 'x' }, 'x']) {
      const answer = await service.admin.delete('/v1/halt', { body });
      expect([answer.status, answer.json.code], JSON.stringify(body)).to.deep.equal([400, 'E2001']);
    }
    const testAdmin = await service.client({ environment: 'test', scopes: ['admin:*'] });
    await testAdmin.post('/v1/halt', { reason: 'only the sandbox' });
    expect(await verdict(test)).to.equal('DENY HALTED');
    expect(await verdict(live)).to.equal('ALLOW READ_OPEN');
    await testAdmin.delete('/v1/halt');
  });
});
