// API keys over HTTP: bound to agents, and replaced by rotation.
import { expect } from 'chai';
import { type KeyActions, keyActions, type KeyService, startKeyService } from './keys-setup.ts';

const DAY_MS = 86_400_000;
const PATH = '/v1/auth/keys';

describe('API keys that pass on their permissions', () => {
  let service: KeyService;
  let make: KeyActions['make'];
  let list: KeyActions['list'];
  let codeWith: KeyActions['codeWith'];
  before(async () => {
    service = await startKeyService();
    ({ make, list, codeWith } = keyActions(service));
  });
  after(() => service.close());

  describe('bound to agents', () => {
    it('may name only those', async () => {
      const { key } = await make({ scopes: ['agents:read', 'agents:write'], agentIds: ['mine'] });
      const bound = service.as(key);
      expect((await bound.post('/v1/agents', { agentId: 'mine', name: 'x' })).status).to.equal(201);
      const answer = await bound.post('/v1/agents', { agentId: 'theirs', name: 'x' });
      expect([answer.status, answer.json.code, answer.json.errors[0].pointer]).to.deep.equal([
        403,
        'E1004',
        '/agentId',
      ]);
    });

    it('cannot remove the binding, with any scopes', async () => {
      const { key, keyId } = await make({ scopes: ['admin:*'], agentIds: ['a', 'b'] });
      const free = await make({ scopes: ['admin:*'] });
      const wider = await make({ scopes: ['agents:read'], agentIds: ['a', 'z'] });
      const narrower = await make({ scopes: ['agents:read'], agentIds: ['b'] });
      const bound = service.as(key);
      const post = (body: object) => bound.post(PATH, { name: 'x', scopes: ['admin:*'], ...body });
      const count = (await list()).length;
      for (const answer of [
        await post({}),
        await post({ agentIds: ['a', 'z'] }),
        await post({ environment: 'test' }),
        await bound.post(`${PATH}/${free.keyId}/rotate`, {}),
        await bound.post(`${PATH}/${wider.keyId}/rotate`, {}),
      ])
        expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, 'E1004']);
      expect((await list()).length).to.equal(count);
      expect((await post({ agentIds: ['a'] })).json.agentIds).to.deep.equal(['a']);
      expect((await bound.post(`${PATH}/${narrower.keyId}/rotate`, {})).json.agentIds).to.deep.equal(['b']);
      expect((await bound.post(`${PATH}/${keyId}/rotate`, {})).json.agentIds).to.deep.equal(['a', 'b']);
    });
  });

  describe('when rotated', () => {
    const rotate = (keyId: string, body: object = {}) => service.admin.post(`${PATH}/${keyId}/rotate`, body);

    it('are replaced by a key with the same permissions; the old one is valid until the overlap ends', async () => {
      const old = await make({
        scopes: ['agents:read', 'trust:read'],
        agentIds: ['a'],
        keepsObligations: ['rate'],
        tags: ['finance'],
        tier: 3,
        expiresIn: '90d',
      });
      service.advance(10 * DAY_MS);
      const answer = await rotate(old.keyId, { overlap: '2h' });
      expect(answer.status, answer.text).to.equal(201);
      const { key, keyId, createdAt, expiresAt, replaces, ...rest } = answer.json;
      expect(rest).to.deep.equal({
        name: 'one',
        scopes: ['agents:read', 'trust:read'],
        agentIds: ['a'],
        keepsObligations: ['rate'],
        tags: ['finance'],
        environment: 'live',
        tier: 3,
      });
      expect(Date.parse(expiresAt) - Date.parse(createdAt), 'the same lifetime, from now').to.equal(90 * DAY_MS);
      expect(replaces.keyId).to.equal(old.keyId);
      expect(Date.parse(replaces.expiresAt) - Date.parse(createdAt)).to.equal(2 * 3_600_000);
      await service.changes.refresh();
      expect([await codeWith(old.key), await codeWith(key)]).to.deep.equal(['accepted', 'accepted']);
      service.advance(2 * 3_600_000 - 60_000);
      expect(await codeWith(old.key), 'a minute before').to.equal('accepted');
      service.advance(60_000);
      expect([await codeWith(old.key), await codeWith(key)]).to.deep.equal(['E1003', 'accepted']);
      const listed = (await service.admin.get(`${PATH}?limit=200`)).json.items;
      expect(listed.find((item: { keyId: string }) => item.keyId === old.keyId).replacedBy).to.equal(keyId);
    });

    it('overlap for an hour by default, and not at all with 0m', async () => {
      const one = await make();
      const replaced = (await rotate(one.keyId)).json;
      expect(Date.parse(replaced.replaces.expiresAt) - Date.parse(replaced.createdAt)).to.equal(3_600_000);
      const two = await make();
      expect((await rotate(two.keyId, { overlap: '0m' })).status).to.equal(201);
      await service.changes.refresh();
      expect(await codeWith(two.key)).to.equal('E1002');
    });

    it('never expire later than before the rotation', async () => {
      const old = await make({ expiresIn: '30m' });
      const { replaces } = (await rotate(old.keyId, { overlap: '30d' })).json;
      expect(replaces.expiresAt).to.equal(old.expiresAt);
    });

    it('must be valid and not rotated before', async () => {
      const revoked = await make();
      await service.admin.delete(`${PATH}/${revoked.keyId}`);
      const rotated = await make();
      await rotate(rotated.keyId);
      const expired = await make({ expiresIn: '1m' });
      service.advance(60_000);
      for (const { keyId } of [revoked, rotated, expired]) {
        const answer = await rotate(keyId);
        expect([answer.status, answer.json.code]).to.deep.equal([409, 'E5002']);
      }
    });

    for (const overlap of ['31d', '1', '-1h', 'P1D'])
      it(`are refused with the overlap ${overlap}`, async () => {
        const { keyId } = await make();
        const answer = await rotate(keyId, { overlap });
        expect([answer.status, answer.json.errors[0].pointer]).to.deep.equal([400, '/overlap']);
      });

    it('are replaced once by two concurrent requests', async () => {
      const { keyId } = await make();
      const answers = await Promise.all([rotate(keyId), rotate(keyId), rotate(keyId)]);
      expect(answers.map((answer) => answer.status).sort()).to.deep.equal([201, 409, 409]);
    });

    it('can rotate themselves; a repeat after a lost answer returns the id of the new key, never the key itself', async () => {
      const own = await make({ scopes: ['admin:*'] });
      const headers = { 'idempotency-key': 'rotate-me' };
      const first = await service.as(own.key).post(`${PATH}/${own.keyId}/rotate`, {}, { headers });
      await service.changes.refresh();
      const again = await service.as(own.key).post(`${PATH}/${own.keyId}/rotate`, {}, { headers });
      expect(again.status).to.equal(201);
      const { key, ...rest } = first.json;
      expect(again.json).to.deep.equal(rest);
      // The documented recovery: the new key is of the same line, and can be rotated again.
      const next = await service.admin.post(`${PATH}/${again.json.keyId}/rotate`, {});
      expect(next.status).to.equal(201);
      const third = await service.as(key).post(`${PATH}/${own.keyId}/rotate`, {}, { headers });
      expect([third.json, third.headers['idempotent-replayed']]).to.deep.equal([rest, 'true']);
    });
  });
});
