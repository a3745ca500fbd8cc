// An admin key that is bound to an agent, which holds it: it administers nothing that the agent is governed by.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

describe('an admin key that is bound to an agent', () => {
  let service: Service;
  let bound: Client;
  before(async () => {
    service = await startService({ words: 'few' });
    bound = await service.client({ scopes: ['admin:*'], agentIds: ['robot'], tags: ['plain'] });
  });
  after(() => service?.close());

  const PATH = '/v1/auth/keys';
  const open = {
    id: 'open',
    description: 'permits everything',
    stage: 'enforce',
    target: { actions: ['*'], resources: ['*'] },
    rules: [
      {
        name: 'all',
        conditions: { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
        event: { type: 'ALLOW', params: { code: 'ALL', message: 'all' } },
      },
    ],
  };
  const files = [{ path: 'open.json', text: JSON.stringify(open) }];
  const digest = '0'.repeat(64);
  const key = { name: 'x', scopes: ['admin:*'], agentIds: ['robot'] };

  const REQUESTS: Readonly<Record<string, () => Promise<ClientResponse>>> = {
    'puts no policies into force': () => bound.post('/v1/policies', { reason: 'x', files }),
    'tries no policies': () => bound.post('/v1/policies', { reason: 'x', files, dryRun: true }),
    'rolls no policies back': () => bound.post('/v1/policies/rollback', { reason: 'x', digest }),
    'reads no policies': () => bound.get('/v1/policies'),
    'lifts no halt': () => bound.delete('/v1/halt', {}),
    'makes no key without its binding': () => bound.post(PATH, { ...key, agentIds: undefined }),
    'makes no key for another agent': () => bound.post(PATH, { ...key, agentIds: ['robot', 'other'] }),
    'makes no key with a tag that it has not': () => bound.post(PATH, { ...key, tags: ['finance'] }),
    'makes no key that keeps obligations': () => bound.post(PATH, { ...key, keepsObligations: ['redact_fields'] }),
    'revokes no key of others': async () =>
      bound.delete(`${PATH}/${(await service.addKey({ scopes: ['admin:*'] })).keyId}`),
    'rotates no key with another tag': async () => {
      const { keyId } = await service.addKey({ scopes: ['admin:*'], agentIds: ['robot'], tags: ['finance'] });
      return bound.post(`${PATH}/${keyId}/rotate`, {});
    },
    'approves nothing that is asked for its agent, whoever asks': async () => {
      const asked = await (await service.client()).post('/v1/enforce', {
        agent_id: 'robot',
        intent: 'read:robots/*',
      });
      return bound.post(`/v1/approvals/${asked.json.approval?.approval_id}/approve`, { reason: 'mine' });
    },
    'finds no registered resource': () =>
      bound.post('/access/v1/search/resource', {
        subject: { type: 'Agent', id: 'x' },
        action: { name: 'read' },
        resource: { type: 'doc' },
      }),
  };

  for (const [what, ask] of Object.entries(REQUESTS))
    it(what, async () => {
      const { status, json } = await ask();
      expect([status, json.code]).to.deep.equal([403, 'E1004']);
    });

  it('rejects what is asked for its agent', async () => {
    const { json } = await (await service.client()).post('/v1/enforce', { agent_id: 'robot', intent: 'read:arms/*' });
    const path = `/v1/approvals/${json.approval.approval_id}`;
    const seen = (await bound.get(path)).json;
    expect([seen.mayDecide, seen.mayApprove]).to.deep.equal([true, false]);
    expect((await bound.post(`${path}/reject`, { reason: 'not now' })).status).to.equal(200);
  });

  it('halts its environment, and makes and revokes keys with no more than it has', async () => {
    const made = await bound.post(PATH, { ...key, tags: ['plain'] });
    expect(made.status).to.equal(201);
    expect((await bound.delete(`${PATH}/${made.json.keyId}`)).status).to.equal(200);
    expect((await bound.post('/v1/halt', { reason: 'incident' })).status).to.equal(200);
    expect((await service.admin.delete('/v1/halt', {})).status).to.equal(200);
  });
});
