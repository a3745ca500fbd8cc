// API keys over HTTP and a real database: creation, listing, revocation, and isolation of organisations and environments.
import { expect } from 'chai';
import { formatKey, generateKey, parseKey } from '../../shared/domain/keys/format.ts';
import { type KeyActions, keyActions, type KeyService, startKeyService } from './keys-setup.ts';

const DAY_MS = 86_400_000;
const PATH = '/v1/auth/keys';

describe('API keys', () => {
  let service: KeyService;
  let make: KeyActions['make'];
  let list: KeyActions['list'];
  let codeWith: KeyActions['codeWith'];
  before(async () => {
    service = await startKeyService();
    ({ make, list, codeWith } = keyActions(service));
  });
  after(() => service.close());

  describe('when made', () => {
    it('are returned once with their text, work at once, and show what was requested', async () => {
      const before = service.nowMs();
      const answer = await service.admin.post(PATH, {
        name: 'Gateway é 🗝',
        scopes: ['agents:read', 'agents:write'],
        expiresIn: '90d',
        agentIds: ['a', 'b'],
        environment: 'live',
        tier: 2,
        keepsObligations: ['redact_fields', 'watermark'],
        tags: ['finance', 'on call é'],
      });
      expect(answer.status).to.equal(201);
      const { key, keyId, createdAt, expiresAt, ...rest } = answer.json;
      expect(rest).to.deep.equal({
        name: 'Gateway é 🗝',
        scopes: ['agents:read', 'agents:write'],
        agentIds: ['a', 'b'],
        keepsObligations: ['redact_fields', 'watermark'],
        tags: ['finance', 'on call é'],
        environment: 'live',
        tier: 2,
      });
      expect(parseKey(key)?.keyId).to.equal(keyId);
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(90 * DAY_MS);
      expect(Date.parse(createdAt)).to.be.at.least(before);
      expect(await codeWith(key)).to.equal('accepted');
    });

    it('have tier 4, no expiry and no binding by default', async () => {
      const answer = await service.admin.post(PATH, { name: 'plain', scopes: ['proofs:read'] });
      expect(answer.json).to.deep.include({
        tier: 4,
        expiresAt: null,
        agentIds: null,
        environment: 'live',
        keepsObligations: [],
        tags: [],
      });
    });

    it('leave no secret in the database or in any other answer', async () => {
      const { key, keyId } = await make();
      const secret = parseKey(key)?.secret ?? '';
      const rows = await service.db.query<{ text: string }>(
        'SELECT row_to_json(api_key)::text AS text FROM api_key',
        [],
      );
      expect(rows.length).to.be.greaterThan(1);
      for (const { text } of rows) expect(text).to.not.contain(secret);
      for (const answer of [await service.admin.get(PATH), await service.admin.delete(`${PATH}/${keyId}`)]) {
        expect(answer.status).to.equal(200);
        expect(answer.text).to.not.contain(secret);
        expect(answer.text, 'no member with the hash').to.not.match(/"[a-z_]*hmac/i);
      }
    });

    const refused: [string, object, string][] = [
      ['an unknown scope', { scopes: ['agents:read', 'everything:*'] }, '/scopes/1'],
      ['a scope twice', { scopes: ['agents:read', 'agents:read'] }, '/scopes/1'],
      ['no scope', { scopes: [] }, '/scopes'],
      ['no name', { name: '' }, '/name'],
      ['a name of 101 characters', { name: '🗝'.repeat(101) }, '/name'],
      ['a control character in the name', { name: 'a\u0085b' }, '/name'],
      ['a NUL in the name', { name: 'a\u0000b' }, '/name'],
      ['a lifetime without a unit', { expiresIn: '90' }, '/expiresIn'],
      ['a lifetime below a minute', { expiresIn: '0d' }, '/expiresIn'],
      ['a lifetime above 3650 days', { expiresIn: '3651d' }, '/expiresIn'],
      ['an empty list of agents', { agentIds: [] }, '/agentIds'],
      ['101 agents', { agentIds: Array.from({ length: 101 }, (_, i) => `a${i}`) }, '/agentIds'],
      ['an agent twice', { agentIds: ['a', 'b', 'a'] }, '/agentIds/2'],
      ['an agent id reserved for the service', { agentIds: ['custos:one'] }, '/agentIds/0'],
      ['a tag twice', { tags: ['a', 'a'] }, '/tags/1'],
      ['an empty tag', { tags: [''] }, '/tags/0'],
      ['a tag of 201 characters', { tags: ['🗝'.repeat(201)] }, '/tags/0'],
      ['a control character in a tag', { tags: ['a\u0000b'] }, '/tags/0'],
      ['101 tags', { tags: Array.from({ length: 101 }, (_, i) => `t${i}`) }, '/tags'],
      ['an unknown environment', { environment: 'prod' }, '/environment'],
      ['a tier that does not exist', { tier: 8 }, '/tier'],
      ['a member that is misspelt', { agentsIds: ['a'] }, '/agentsIds'],
    ];
    for (const [what, body, pointer] of refused)
      it(`are refused for ${what}, at ${pointer}`, async () => {
        const count = (await list()).length;
        const answer = await service.admin.post(PATH, { name: 'one', scopes: ['agents:read'], ...body });
        expect(answer.status, answer.text).to.equal(400);
        expect(answer.json.code).to.equal('E2001');
        expect(answer.json.errors.map((error: { pointer: string }) => error.pointer)).to.contain(pointer);
        expect((await list()).length, 'nothing was made').to.equal(count);
      });

    it('accept names of 100 characters and 100 agents', async () => {
      const agentIds = Array.from({ length: 100 }, (_, i) => `agent ${i}`);
      const made = await make({ name: '🗝'.repeat(100), agentIds });
      expect((made as unknown as { agentIds: string[] }).agentIds).to.deep.equal(agentIds);
    });

    it('are limited to the tier of their organisation', async () => {
      const organisationId = await service.addOrganisation('small', 3);
      const small = service.as(await service.addKey({ organisationId, scopes: ['admin:*'] }));
      expect((await small.post(PATH, { name: 'x', scopes: ['agents:read'] })).json.tier).to.equal(3);
      expect((await small.post(PATH, { name: 'x', scopes: ['agents:read'], tier: 3 })).status).to.equal(201);
      const answer = await small.post(PATH, { name: 'x', scopes: ['agents:read'], tier: 4 });
      expect(answer.json).to.deep.include({ code: 'E2001' });
      expect(answer.json.errors[0].pointer).to.equal('/tier');
    });

    it('are made once for one Idempotency-Key, and the key itself is shown only once', async () => {
      const count = (await list()).length;
      const body = { name: 'once', scopes: ['agents:read'] };
      const headers = { 'idempotency-key': 'make-once' };
      const first = await service.admin.post(PATH, body, { headers });
      const second = await service.admin.post(PATH, body, { headers });
      const { key, ...rest } = first.json;
      expect(key).to.match(/^cst_/);
      expect([second.status, second.json, second.headers['idempotent-replayed']]).to.deep.equal([201, rest, 'true']);
      expect((await list()).length).to.equal(count + 1);
      const stranger = service.as((await make({ scopes: ['admin:*'] })).key);
      const theirs = (await stranger.post(PATH, body, { headers })).json;
      expect(theirs.keyId, 'the request of another key makes another key').to.not.equal(first.json.keyId);
      const other = await service.admin.post(PATH, { ...body, name: 'other' }, { headers });
      expect([other.status, other.json.code]).to.deep.equal([422, 'E2010']);
    });
  });

  describe('when shown', () => {
    it('are accepted in either header, and in both when they are equal', async () => {
      const { key } = await make();
      const other = await make();
      const get = (headers: Record<string, string>) => service.admin.get('/v1/agents', { key: null, headers });
      expect((await get({ authorization: `bEaReR ${key}` })).status).to.equal(200);
      expect((await get({ 'x-api-key': key })).status).to.equal(200);
      expect((await get({ 'x-api-key': key, authorization: `Bearer ${key}` })).status).to.equal(200);
      const both = await get({ 'x-api-key': key, authorization: `Bearer ${other.key}` });
      expect([both.status, both.json.code]).to.deep.equal([400, 'E2001']);
      const none = await get({});
      expect([none.status, none.json.code]).to.deep.equal([401, 'E1001']);
      expect(none.headers['www-authenticate']).to.contain('Bearer');
      expect((await get({ authorization: 'Basic dTpw' })).json.code).to.equal('E1001');
    });

    it('are refused in the query string', async () => {
      const { key } = await make();
      const answer = await service.admin.get(`/v1/agents?api_key=${key}`, { key: null });
      expect(answer.status).to.equal(401);
      expect(answer.text).to.not.contain(key);
    });

    it('expire on time, and the error reports the expiry only when the secret is correct', async () => {
      const { key, keyId } = await make({ expiresIn: '1h' });
      expect(await codeWith(key)).to.equal('accepted');
      service.advance(3_600_000);
      expect(await codeWith(key)).to.equal('E1003');
      expect(await codeWith(formatKey({ ...generateKey('live'), keyId }))).to.equal('E1002');
    });

    it('permit what their scopes allow: admin:* all, others only their own', async () => {
      const { key } = await make({ scopes: ['agents:read'] });
      expect((await service.as(key).get('/v1/agents')).status).to.equal(200);
      expect((await service.as(key).post('/v1/agents', { name: 'x' })).json.code).to.equal('E1004');
      for (const answer of [
        await service.as(key).get(PATH),
        await service.as(key).post(PATH, { name: 'x', scopes: ['agents:read'] }),
        await service.as(key).delete(`${PATH}/${service.adminKeyId}`),
        await service.as(key).post(`${PATH}/${service.adminKeyId}/rotate`, {}),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([403, 'E1004']);
      expect((await service.admin.get('/v1/agents')).status).to.equal(200);
    });
  });

  describe('when listed', () => {
    it('are listed newest first, page by page, without duplicates or gaps while keys are added', async () => {
      const organisationId = await service.addOrganisation('pages');
      const admin = service.as(await service.addKey({ organisationId, scopes: ['admin:*'], name: 'admin' }));
      for (let i = 0; i < 6; i += 1) await service.addKey({ organisationId, name: `k${i}` });
      const seen: string[] = [];
      let path = `${PATH}?limit=3`;
      for (;;) {
        const page = (await admin.get(path)).json as { items: { name: string }[]; nextCursor: string | null };
        seen.push(...page.items.map((item) => item.name));
        await service.addKey({ organisationId, name: 'late' });
        if (page.nextCursor === null) break;
        path = `${PATH}?limit=3&cursor=${page.nextCursor}`;
      }
      expect(seen).to.deep.equal(['k5', 'k4', 'k3', 'k2', 'k1', 'k0', 'admin']);
      for (const query of ['cursor=zzz', 'limit=0', 'limit=201', 'page=2'])
        expect((await admin.get(`${PATH}?${query}`)).json.code, query).to.equal('E2001');
    });
  });

  describe('when revoked', () => {
    it('are refused from then on, and a second revocation changes nothing', async () => {
      const { key, keyId } = await make();
      expect(await codeWith(key)).to.equal('accepted');
      const first = await service.admin.delete(`${PATH}/${keyId}`);
      expect(first.status).to.equal(200);
      expect(first.json.revokedAt).to.be.a('string');
      await service.changes.refresh();
      expect(await codeWith(key)).to.equal('E1002');
      service.advance(60_000);
      const second = await service.admin.delete(`${PATH}/${keyId}`);
      expect([second.status, second.json.revokedAt]).to.deep.equal([200, first.json.revokedAt]);
    });

    it('may be the key of the caller', async () => {
      const { key, keyId } = await make({ scopes: ['admin:*'] });
      expect((await service.as(key).delete(`${PATH}/${keyId}`)).status).to.equal(200);
      await service.changes.refresh();
      expect(await codeWith(key)).to.equal('E1002');
    });
  });

  describe('of another organisation or environment', () => {
    it('are not found: the same answer as for an unknown id', async () => {
      const organisationId = await service.addOrganisation('stranger');
      const stranger = service.as(await service.addKey({ organisationId, scopes: ['admin:*'] }));
      const tester = service.as(await service.addKey({ environment: 'test', scopes: ['admin:*'] }));
      const { key, keyId } = await make();
      for (const client of [stranger, tester]) {
        const answers = [
          await client.delete(`${PATH}/${keyId}`),
          await client.delete(`${PATH}/zzzzzzzz`),
          await client.delete(`${PATH}/not%20an%20id`),
          await client.post(`${PATH}/${keyId}/rotate`, {}),
        ];
        const shown = answers.map(({ status, json: { code, detail, title } }) => ({ status, code, detail, title }));
        for (const one of shown) expect(one).to.deep.equal(shown[0]);
        expect(shown[0]).to.include({ status: 404, code: 'E4001' });
        expect((await list(client)).map((one) => one.keyId)).to.not.contain(keyId);
      }
      expect(await codeWith(key), 'untouched').to.equal('accepted');
    });

    it('cannot be made with a test or dev key, and can with a live one', async () => {
      for (const environment of ['test', 'dev'] as const) {
        const made = await make({ environment, scopes: ['admin:*'] });
        expect(parseKey(made.key)?.environment).to.equal(environment);
        const client = service.as(made.key);
        const own = await client.post(PATH, { name: 'x', scopes: ['agents:read'] });
        expect(own.json.environment).to.equal(environment);
        expect((await client.post(PATH, { name: 'x', scopes: ['agents:read'], environment })).status).to.equal(201);
        const live = await client.post(PATH, { name: 'x', scopes: ['agents:read'], environment: 'live' });
        expect([live.status, live.json.code, live.json.errors[0].pointer]).to.deep.equal([
          403,
          'E1004',
          '/environment',
        ]);
      }
    });

    it('see records of their own environment only', async () => {
      const clients = Object.fromEntries(
        await Promise.all(
          (['live', 'test', 'dev'] as const).map(async (environment) => {
            const key = await service.addKey({ environment, scopes: ['agents:read', 'agents:write'] });
            return [environment, service.as(key)] as const;
          }),
        ),
      );
      // The same id in each environment: three different agents.
      for (const [environment, client] of Object.entries(clients))
        expect((await client.post('/v1/agents', { agentId: 'shared', name: environment })).status).to.equal(201);
      for (const [environment, client] of Object.entries(clients)) {
        expect((await client.get('/v1/agents/shared')).json.name).to.equal(environment);
        expect((await client.get('/v1/agents')).json.items.map((item: { name: string }) => item.name)).to.deep.equal([
          environment,
        ]);
      }
    });
  });
});
