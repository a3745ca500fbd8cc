// Both spellings of members against the whole service: one effect, one idempotent request, and errors at their place.
import { expect } from 'chai';
import { type Service, startService } from '../support/service.ts';

describe('requests in the other spelling', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const READ = { intent: 'data.read.user_profile', agent_id: 'agent-7' };
  const READ_IN_CAMEL_CASE = { intent: 'data.read.user_profile', agentId: 'agent-7' };
  const TOOL = { server: 'fs', name: 'read', arguments: { filePath: '/a', file_path: '/b' } };

  it('are judged alike, and what is inside arguments and context stays as it is', async () => {
    const context = { ticketId: 1, ticket_id: 2 };
    const answers = [
      await service.admin.post('/v1/enforce', { agent_id: 'a', tool: TOOL, context, trust_level: 3, explain: true }),
      await service.admin.post('/v1/enforce', { agentId: 'a', tool: TOOL, context, trustLevel: 3, explain: true }),
    ];
    const [first, second] = answers.map(({ json }) => [json.verdict, json.tool, json.trust, json.explanation]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(second).to.deep.equal(first);
  });

  it('create keys that are bound as the request says', async () => {
    const { status, json } = await service.admin.post('/v1/auth/keys', {
      name: 'snake',
      scopes: ['intents:write'],
      agent_ids: ['agent-7'],
      expires_in: '90d',
    });
    expect([status, json.agentIds, typeof json.expiresAt]).to.deep.equal([201, ['agent-7'], 'string']);
  });

  it('find the same items in lists', async () => {
    await service.admin.post('/v1/enforce', READ);
    const [first, second] = [
      await service.admin.get('/v1/decisions?agentId=agent-7'),
      await service.admin.get('/v1/decisions?agent_id=agent-7'),
    ];
    expect(first.json.items).not.to.deep.equal([]);
    expect(second.json).to.deep.equal(first.json);
  });

  for (const [path, body, same, different] of [
    ['/v1/enforce', READ, READ_IN_CAMEL_CASE, { ...READ, agent_id: 'agent-8' }],
    ['/v1/enforce/batch', { requests: [READ] }, { requests: [READ_IN_CAMEL_CASE] }, { requests: [READ, READ] }],
    [
      '/v1/proofs',
      { event: 'e', entityId: 'x', payload: { invoice_id: 1 } },
      { event: 'e', entity_id: 'x', payload: { invoice_id: 1 } },
      { event: 'e', entityId: 'x', payload: { invoiceId: 1 } },
    ],
  ] as const)
    it(`repeat a request to ${path} under its Idempotency-Key`, async () => {
      const headers = { 'idempotency-key': `spelling ${path}` };
      const first = await service.admin.post(path, body, { headers });
      const again = await service.admin.post(path, same, { headers });
      expect([again.status, again.text]).to.deep.equal([first.status, first.text]);
      expect(again.headers['idempotent-replayed']).to.equal('true');
      expect((await service.admin.post(path, different, { headers })).status).to.equal(422);
    });

  it('that have a member in both are refused; in a batch, only the member', async () => {
    const both = { ...READ, agentId: 'agent-8' };
    const single = await service.admin.post('/v1/enforce', both);
    expect([single.status, single.json.code]).to.deep.equal([400, 'E2001']);
    expect(single.json.errors).to.deep.equal([
      { pointer: '/agentId', message: 'is the other spelling of agent_id, which is given too' },
    ]);
    const { status, json } = await service.admin.post('/v1/enforce/batch', { requests: [READ_IN_CAMEL_CASE, both] });
    expect([status, json.decisions[0].agent_id, json.decisions[1].error.errors[0].pointer]).to.deep.equal([
      200,
      'agent-7',
      '/requests/1/agentId',
    ]);
  });
});
