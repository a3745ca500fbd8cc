// Agents over HTTP: lifecycle, stored metadata, and who may see them.
import { expect } from 'chai';
import { AGENT_STATUSES, type AgentStatus } from '../../shared/kernel/vocabulary.ts';
import type { Client } from '../support/client.ts';
import { factsText } from '../support/stored-facts.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { policy } from '../unit/policy/support.ts';

describe('agents', () => {
  let service: Service;
  let agents: Client;
  before(async () => {
    service = await startService();
    agents = await service.client({ scopes: ['agents:read', 'agents:write'] });
  });
  after(() => service.close());

  const register = (agentId: string, more: object = {}) =>
    agents.post('/v1/agents', { agentId, name: `Agent ${agentId}`, ...more });
  const at = (agentId: string): string => `/v1/agents/${encodeURIComponent(agentId)}`;
  const outcome = (answer: { status: number; json: { code?: string } }) => [answer.status, answer.json.code];

  it('are registered under the id that the caller chose, ACTIVE, with the default trust for no evidence', async () => {
    const answer = await register('billing bot/7 ✓', { description: 'Pays.', capabilities: ['pay'], tags: ['a', 'b'] });
    expect(answer.status).to.equal(201);
    expect(answer.headers['location']).to.equal('/v1/agents/billing%20bot%2F7%20%E2%9C%93');
    const { createdAt, updatedAt, ...agent } = answer.json;
    expect(updatedAt).to.equal(createdAt);
    expect(agent).to.deep.equal({
      agentId: 'billing bot/7 ✓',
      name: 'Agent billing bot/7 ✓',
      description: 'Pays.',
      capabilities: ['pay'],
      tags: ['a', 'b'],
      attributes: {},
      metadata: null,
      status: 'ACTIVE',
      trust: { score: 250, level: 1, tier: 'Observed', uncertainty: 1 },
    });
    expect((await agents.get(answer.headers['location'] ?? '')).json).to.deep.equal(answer.json);
  });

  it('get a generated id when the caller names none', async () => {
    const one = await agents.post('/v1/agents', { name: 'nameless' });
    const two = await agents.post('/v1/agents', { name: 'nameless' });
    expect(one.json.agentId).to.match(/^agt_[0-9a-z]{26}$/);
    expect(two.json.agentId).not.to.equal(one.json.agentId);
  });

  it('are unique: a second registration of the same id is E5003, and ids are compared by code points', async () => {
    await register('caf\u00e9');
    const again = await register('caf\u00e9');
    expect(outcome(again)).to.deep.equal([409, 'E5003']);
    expect((await register('cafe\u0301')).status, 'looks equal, other code points').to.equal(201);
    const many = await Promise.all(Array.from({ length: 8 }, () => register('raced')));
    expect(many.map((answer) => answer.status).sort()).to.deep.equal([201, ...Array.from({ length: 7 }, () => 409)]);
  });

  for (const [what, agentId] of [
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['with a line feed', 'a\nb'],
    ['with NUL', 'a\u0000b'],
    ['with a C1 control character', 'a\u0085b'],
    ['reserved for the service', 'custos:agent'],
    ['too long', 'x'.repeat(257)],
  ] as const)
    it(`are refused with an id that is ${what}`, async () => {
      const answer = await register(agentId);
      expect(outcome(answer)).to.deep.equal([400, 'E2001']);
      expect(answer.json.errors[0].pointer).to.equal('/agentId');
    });

  it('accept ids of 256 characters beyond the basic plane, and read them back', async () => {
    const agentId = '\u{1F916}'.repeat(256);
    expect((await register(agentId, { name: 'x' })).status).to.equal(201);
    expect((await agents.get(at(agentId))).json.agentId).to.equal(agentId);
  });

  it('are listed newest first, page by page, without duplicates or gaps while others are added', async () => {
    const lister = await service.client({ scopes: ['agents:read', 'agents:write'], environment: 'test' });
    const make = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i += 1) await lister.post('/v1/agents', { agentId: `list-${i}`, name: 'x' });
    };
    await make(0, 11);
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { json } = await lister.get(`/v1/agents?limit=4${query}`);
      seen.push(...(json.items as { agentId: string }[]).map((agent) => agent.agentId));
      cursor = json.nextCursor;
      pages += 1;
      await make(100 + pages * 3, 103 + pages * 3);
    } while (cursor !== null);
    expect(seen).to.deep.equal(Array.from({ length: 11 }, (_, i) => `list-${10 - i}`));
    expect(pages).to.equal(3);
    await lister.delete('/v1/agents/list-3');
    const { json } = await lister.get('/v1/agents?status=TERMINATED');
    expect(json)
      .to.nested.include({ 'items[0].agentId': 'list-3', nextCursor: null })
      .and.to.have.nested.property('items.length', 1);
  });

  for (const cursor of [
    'x',
    'MTIz=',
    Buffer.from('-1').toString('base64url'),
    Buffer.from('1;drop').toString('base64url'),
  ])
    it(`refuse the cursor ${cursor}, which no list returned`, async () => {
      const answer = await agents.get(`/v1/agents?cursor=${encodeURIComponent(cursor)}`);
      expect(outcome(answer)).to.deep.equal([400, 'E2001']);
      expect(answer.json.errors[0].pointer).to.equal('?cursor');
    });

  it('are updated member by member: absent members stay, null clears optional ones', async () => {
    await register('patched', { description: 'before', tags: ['t'], capabilities: ['c'], metadata: { a: 1 } });
    const named = await agents.patch(at('patched'), { name: 'after' });
    expect(named.json).to.include({ name: 'after', description: 'before' });
    expect(named.json).to.deep.include({ tags: ['t'], capabilities: ['c'], metadata: { a: 1 } });
    const cleared = await agents.patch(at('patched'), { description: null, metadata: null, tags: [] });
    expect(cleared.json).to.deep.include({
      name: 'after',
      description: null,
      metadata: null,
      tags: [],
      capabilities: ['c'],
    });
    expect((await agents.get(at('patched'))).json).to.deep.equal(cleared.json);
    for (const body of [
      {},
      { name: null },
      { tags: null },
      { agentId: 'other' },
      { status: 'DEAD' },
      { reason: 'of no change of status' },
      { status: 'PAUSED', reason: ' ' },
      { tags: ['a', 'a'] },
    ]) {
      expect(outcome(await agents.patch(at('patched'), body)), JSON.stringify(body)).to.deep.equal([400, 'E2001']);
    }
    expect((await agents.get(at('patched'))).json, 'a refused change changes nothing').to.deep.equal(cleared.json);
  });

  describe('change their status', () => {
    const legal: Record<AgentStatus, readonly AgentStatus[]> = {
      ACTIVE: ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'],
      PAUSED: ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'],
      SUSPENDED: ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'],
      TERMINATED: ['TERMINATED'],
    };
    for (const from of AGENT_STATUSES)
      for (const to of AGENT_STATUSES)
        it(`from ${from} to ${to}: ${legal[from].includes(to) ? 'yes' : 'E5002, and nothing changes'}`, async () => {
          const agentId = `${from}-${to}`;
          await register(agentId);
          expect((await agents.patch(at(agentId), { status: from })).json.status).to.equal(from);
          const answer = await agents.patch(at(agentId), { status: to });
          expect(outcome(answer)).to.deep.equal(legal[from].includes(to) ? [200, undefined] : [409, 'E5002']);
          expect((await agents.get(at(agentId))).json.status).to.equal(legal[from].includes(to) ? to : from);
        });

    it('to TERMINATED by DELETE, which is final: no later change, and the id is never reused', async () => {
      await register('ended');
      const ended = await agents.delete(at('ended'));
      expect([ended.status, ended.json.status]).to.deep.equal([200, 'TERMINATED']);
      expect((await agents.delete(at('ended'))).json, 'ending twice changes nothing').to.deep.equal(ended.json);
      expect(outcome(await agents.patch(at('ended'), { name: 'revived' }))).to.deep.equal([409, 'E5002']);
      expect(outcome(await agents.patch(at('ended'), { name: 'x', status: 'TERMINATED' }))).to.deep.equal([
        409,
        'E5002',
      ]);
      expect(outcome(await register('ended'))).to.deep.equal([409, 'E5003']);
      expect((await agents.get(at('ended'))).json).to.deep.equal(ended.json);
    });
  });

  describe('keep metadata', () => {
    it('unchanged, with NUL, numbers at their limits, and names of inherited object members', async () => {
      const metadata =
        '{"nul":"\\u0000","big":9007199254740991,"tiny":5e-324,"float":0.1,"neg":-0.5,"__proto__":{"x":1},"constructor":"c","text":"\\ud83e\\udd16 \\u202e","list":[null,true,{}]}';
      const answer = await agents.request('POST', '/v1/agents', {
        raw: `{"agentId":"metadata","name":"m","metadata":${metadata}}`,
      });
      expect(answer.status).to.equal(201);
      const { json } = await agents.get(at('metadata'));
      expect(json.metadata).to.deep.equal(JSON.parse(metadata));
      expect(Object.keys(json.metadata)).to.deep.equal(Object.keys(JSON.parse(metadata)));
    });

    it('up to 16,384 bytes of JSON, in registration and in updates', async () => {
      const filled = (bytes: number): object => ({ k: 'x'.repeat(bytes - '{"k":""}'.length) });
      expect((await register('metadata-fits', { metadata: filled(16_384) })).status).to.equal(201);
      const over = await register('metadata-over', { metadata: filled(16_385) });
      expect(outcome(over)).to.deep.equal([400, 'E2001']);
      expect(over.json.errors[0].pointer).to.equal('/metadata');
      expect((await agents.get(at('metadata-over'))).status, 'nothing was written').to.equal(404);
      const patched = await agents.patch(at('metadata-fits'), { metadata: { k: '\u00e9'.repeat(8_192) } });
      expect(outcome(patched)).to.deep.equal([400, 'E2001']);
    });
  });

  describe('are visible', () => {
    it('to a bound key only when it is bound to them; naming any other is refused', async () => {
      await register('mine');
      await register('not-mine');
      const bound = await service.client({ scopes: ['agents:read', 'agents:write'], agentIds: ['mine', 'mine-too'] });
      expect((await bound.get(at('mine'))).status).to.equal(200);
      const hidden = await bound.get(at('not-mine'));
      const absent = await bound.get(at('nobody'));
      expect([outcome(hidden), hidden.json.detail]).to.deep.equal([[404, 'E4002'], absent.json.detail]);
      const { json } = await bound.get('/v1/agents');
      expect(json.items.map((agent: { agentId: string }) => agent.agentId)).to.deep.equal(['mine']);
      for (const answer of [
        await bound.patch(at('not-mine'), { name: 'stolen' }),
        await bound.delete(at('not-mine')),
        await bound.delete(at('nobody')),
        await bound.post('/v1/agents', { agentId: 'another', name: 'x' }),
      ])
        expect(outcome(answer)).to.deep.equal([403, 'E1004']);
      expect((await bound.post('/v1/agents', { agentId: 'mine-too', name: 'x' })).status).to.equal(201);
      expect((await agents.get(at('not-mine'))).json.name).to.equal('Agent not-mine');
    });

    it('to a key that is bound to them, which can make their status stricter and change nothing else that policies know', async () => {
      await register('itself', { tags: ['plain'] });
      const own = await service.client({ scopes: ['agents:read', 'agents:write'], agentIds: ['itself', 'itself-too'] });
      const agent = at('itself');
      const refused = [{ tags: ['trusted'] }, { tags: [] }, { capabilities: ['root'] }, { name: 'x', attributes: {} }];
      for (const body of refused) expect(outcome(await own.patch(agent, body))).to.deep.equal([403, 'E1004']);
      for (const body of [{ tags: ['trusted'] }, { capabilities: ['root'] }])
        expect(outcome(await own.post('/v1/agents', { agentId: 'itself-too', name: 'x', ...body }))).to.deep.equal([
          403,
          'E1004',
        ]);
      expect((await own.patch(agent, { name: 'renamed', tags: ['plain'], capabilities: [] })).json.name).to.equal(
        'renamed',
      );
      for (const [i, from] of AGENT_STATUSES.entries())
        for (const [j, to] of AGENT_STATUSES.entries()) {
          if (from === 'TERMINATED' || to === 'TERMINATED') continue;
          await agents.patch(agent, { status: from });
          expect((await own.patch(agent, { status: to })).status, `from ${from} to ${to}`).to.equal(j < i ? 403 : 200);
        }
      expect((await own.delete(agent)).json.status).to.equal('TERMINATED');
    });

    it('only in their environment and organisation: elsewhere the answer is E4002, and their ids are free', async () => {
      await register('isolated');
      const scopes = ['agents:read', 'agents:write'] as const;
      const organisationId = await service.addOrganisation('neighbour');
      const others = [
        await service.client({ scopes, environment: 'test' }),
        await service.client({ scopes, environment: 'dev' }),
        await service.client({ scopes, organisationId }),
        await service.client({ scopes: ['admin:*'], organisationId }),
      ];
      /** The body of a refusal without the members that differ for each request. */
      const shape = ({ json }: { json: Record<string, unknown> }) => ({ ...json, requestId: '', instance: '' });
      for (const other of others) {
        const absent = await other.get(at('never-there'));
        expect(outcome(absent)).to.deep.equal([404, 'E4002']);
        for (const answer of [
          await other.get(at('isolated')),
          await other.patch(at('isolated'), { status: 'PAUSED' }),
          await other.delete(at('isolated')),
        ])
          expect(shape(answer)).to.deep.equal(shape(absent));
        expect((await other.get('/v1/agents')).text).not.to.contain('isolated');
      }
      expect((await others[0]?.post('/v1/agents', { agentId: 'isolated', name: 'same id' }))?.status).to.equal(201);
      expect((await agents.get(at('isolated'))).json).to.include({ status: 'ACTIVE', name: 'Agent isolated' });
    });
  });

  describe('have attributes,', () => {
    const declared = { agent: { team: { type: 'text', values: ['finance', 'sales'] }, limit: { type: 'number' } } };
    const ofFinance = { all: [{ fact: 'agent', path: 'attributes.team', operator: 'equal', value: 'finance' }] };
    before(() => service.apply({ 'attributes.json': declared, 'p.json': policy('p', 'ALLOW', ofFinance) }));

    const attributesOf = async (agentId: string) => (await agents.get(at(agentId))).json;
    const verdictOf = async (agentId: string): Promise<string> =>
      (await service.admin.post('/v1/enforce', { agent_id: agentId, intent: 'data.read.report' })).json.verdict;

    it('given at registration, replaced by an update, and facts of the next decision', async () => {
      const made = await register('attributed', { attributes: { team: 'finance', limit: 5 } });
      expect(made.json.attributes).to.deep.equal({ limit: 5, team: 'finance' });
      expect(await verdictOf('attributed')).to.equal('ALLOW');
      await agents.patch(at('attributed'), { attributes: { team: 'sales' } });
      expect((await attributesOf('attributed')).attributes).to.deep.equal({ team: 'sales' });
      expect(await verdictOf('attributed')).to.equal('DENY');
      await agents.patch(at('attributed'), { name: 'Renamed' });
      expect((await attributesOf('attributed')).attributes, 'others are kept').to.deep.equal({ team: 'sales' });
      await agents.patch(at('attributed'), { attributes: {} });
      expect((await attributesOf('attributed')).attributes).to.deep.equal({});
      const [row] = await service.rows<{ facts: Buffer }>(
        "SELECT facts FROM decision WHERE agent_id = 'attributed' ORDER BY decision_id LIMIT 1",
      );
      expect(factsText(row?.facts)).to.include('"agent":{"attributes":{"limit":5,"team":"finance"},"capabilities":');
      const leaves = await service.rows<{ record: string }>(
        "SELECT convert_from(record, 'UTF8') AS record FROM record WHERE event = 'custos.agent' AND entity_id = 'attributed' ORDER BY proof_id",
      );
      expect(leaves.map(({ record }) => /"attributes":\{[^}]*\}/.exec(record)?.[0])).to.deep.equal([
        '"attributes":{"limit":5,"team":"finance"}',
        '"attributes":{"team":"sales"}',
        undefined,
      ]);
    });

    const refused: Readonly<Record<string, readonly [attributes: unknown, pointer: string, says: string]>> = {
      'a name that is not declared': [{ tema: 'x' }, '/attributes/tema', 'did you mean "team"?'],
      'a value of another type': [{ limit: '5' }, '/attributes/limit', 'must be a number'],
      'a value that is not declared': [{ team: 'legal' }, '/attributes/team', 'must be one of finance, sales'],
      'a nested object': [{ team: { of: 'x' } }, '/attributes/team', 'must be a text'],
      null: [{ team: null }, '/attributes/team', 'must be a text'],
      'a name of the language': [JSON.parse('{"__proto__": "x"}'), '/attributes/__proto__', 'is not declared'],
      'an inherited name': [{ constructor: 'x' }, '/attributes/constructor', 'is not declared'],
      'a thousand attributes': [
        Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${i}`, 'x'])),
        '/attributes',
        '100',
      ],
      'a list': [['finance'], '/attributes', 'object'],
    };
    for (const [what, [attributes, pointer, says]] of Object.entries(refused))
      it(`which are refused with their pointer when they are or have ${what}`, async () => {
        const answer = await register('refused', { attributes });
        expect(outcome(answer)).to.deep.equal([400, 'E2001']);
        expect(answer.json.errors[0].pointer).to.equal(pointer);
        expect(answer.json.errors[0].message).to.include(says);
      });

    it('which a key that is bound to the agent may not set', async () => {
      const scopes = ['agents:read', 'agents:write'] as const;
      await register('self-made', { attributes: { team: 'sales' } });
      const own = await service.client({ scopes, agentIds: ['self-made', 'next'] });
      const said = await own.patch(at('self-made'), { attributes: { team: 'finance' } });
      expect(outcome(said)).to.deep.equal([403, 'E1004']);
      expect(
        outcome(await own.post('/v1/agents', { agentId: 'next', name: 'x', attributes: { team: 'finance' } })),
      ).to.deep.equal([403, 'E1004']);
      expect((await own.patch(at('self-made'), { name: 'Own name' })).json.attributes).to.deep.equal({ team: 'sales' });
    });

    it('which count as missing, and are reported, when the declarations change; a row that was edited counts as SUSPENDED', async () => {
      await register('outdated', { attributes: { team: 'finance', limit: 5 } });
      await service.apply({
        'attributes.json': { agent: { team: { type: 'text', values: ['sales'] } } },
        'p.json': policy('p', 'ALLOW', {
          all: [{ fact: 'agent', path: 'attributes.team', operator: 'isPresent', value: true }],
        }),
      });
      expect(await verdictOf('outdated')).to.equal('DENY');
      const { attributes, attributesIgnored } = await attributesOf('outdated');
      expect(attributes).to.deep.equal({ limit: 5, team: 'finance' });
      expect(attributesIgnored.map(({ name }: { name: string }) => name)).to.deep.equal(['limit', 'team']);
      await service.apply({ 'attributes.json': declared, 'p.json': policy('p', 'ALLOW', ofFinance) });
      expect(await verdictOf('outdated')).to.equal('ALLOW');
      await service.rows('UPDATE agent SET attributes = \'{"team":"sales"}\' WHERE agent_id = \'outdated\'');
      await waitFor(async () => (await verdictOf('outdated')) === 'DENY', { what: 'the edited row is refused' });
      expect((await agents.get(at('outdated'))).status).to.equal(404);
    });
  });

  describe('and resources have attributes:', () => {
    const rules = (operator: string, value: unknown) => ({
      all: [{ fact: 'resource', path: 'attributes.owner', operator, value }],
    });
    before(() =>
      service.apply({
        'attributes.json': { resource: { region: { type: 'text' } } },
        'resources/customers.json': { name: 'db/customers/*', owner: 'sales' },
        'p.json': policy('p', 'ALLOW', rules('equal', 'sales')),
      }),
    );
    const on = (name: string): string => `/v1/resources/${encodeURIComponent(name)}`;
    const put = (name: string, body: object, client = agents) => client.request('PUT', on(name), { body });
    const verdictOn = async (resource: string): Promise<string> =>
      (await service.admin.post('/v1/enforce', { agent_id: 'asks', intent: `read:${resource}` })).json.verdict;

    it('those of the folder and those that were registered, which decide at the same name', async () => {
      expect(await verdictOn('db/customers/a')).to.equal('ALLOW');
      expect(await verdictOn('db/orders')).to.equal('DENY');
      const made = await put('DB.Orders', { owner: 'sales', attributes: { region: 'eu' } });
      expect([made.status, made.json.name, made.json.attributes]).to.deep.equal([201, 'db/orders', { region: 'eu' }]);
      expect(await verdictOn('db/orders')).to.equal('ALLOW');
      expect((await put('db/customers/*', { owner: 'crm' })).status).to.equal(201);
      expect(await verdictOn('db/customers/a')).to.equal('DENY');
      expect((await agents.delete(on('db/customers/*'))).status).to.equal(200);
      expect(await verdictOn('db/customers/a')).to.equal('ALLOW');
      expect(outcome(await agents.get(on('db/customers/*')))).to.deep.equal([404, 'E4001']);
      expect(outcome(await agents.delete(on('db/customers/*')))).to.deep.equal([404, 'E4001']);
    });

    it('a request for a pattern is permitted only if no resource in it has another owner', async () => {
      expect(await verdictOn('db/customers/*')).to.equal('ALLOW');
      await put('db/customers/vip', { owner: 'board' });
      expect(await verdictOn('db/customers/*')).to.equal('DENY');
      expect(await verdictOn('db/customers/a/*')).to.equal('ALLOW');
    });

    it('every change is a leaf; an entry can be replaced, read and listed by name', async () => {
      await put('files/b', { owner: 'x' });
      expect((await put('files/b', { class: 'public' })).status).to.equal(200);
      const { json } = await agents.get(on('files/b'));
      expect([json.class, json.owner, json.attributes]).to.deep.equal(['public', null, {}]);
      await put('files/a', { owner: 'x' });
      const first = (await agents.get('/v1/resources?limit=2')).json;
      const rest = (await agents.get(`/v1/resources?limit=50&cursor=${first.nextCursor}`)).json;
      const names = [...first.items, ...rest.items].map(({ name }: { name: string }) => name);
      expect(names).to.deep.equal([...names].sort());
      expect(names).to.include.members(['files/a', 'files/b']);
      await agents.delete(on('files/a'));
      const leaves = await service.rows<{ record: string }>(
        "SELECT convert_from(record, 'UTF8') AS record FROM record WHERE event = 'custos.resource' AND position('files/' IN convert_from(record, 'UTF8')) > 0 ORDER BY proof_id",
      );
      const changes = leaves.map(({ record }) => /"change":"(\w+)".*"name":"([^"]+)"/.exec(record)?.slice(1));
      expect(changes).to.deep.equal([
        ['registered', 'files/b'],
        ['changed', 'files/b'],
        ['registered', 'files/a'],
        ['removed', 'files/a'],
      ]);
    });

    for (const [what, name] of [
      ['*', '*'],
      ['a name that climbs', 'db/../x'],
      ['a star inside', 'db/*/x'],
      ['a name that is still encoded', 'db%252Fx'],
      ['a zero-width character', 'db/\u200bx'],
      ['a name that is too long', 'x'.repeat(1_001)],
    ] as const)
      it(`${what} is refused`, async () => {
        const answer = await put(name, { owner: 'x' });
        expect(outcome(answer)).to.deep.equal([400, 'E2001']);
        expect(answer.json.errors[0].pointer).to.equal('{name}');
      });

    it('attributes are refused with their pointers; a key that is bound to agents changes nothing', async () => {
      const wrong = await put('files/c', { attributes: { regoin: 'eu', owner: 'x' } });
      expect(outcome(wrong)).to.deep.equal([400, 'E2001']);
      expect(wrong.json.errors.map(({ pointer }: { pointer: string }) => pointer)).to.deep.equal([
        '/attributes/owner',
        '/attributes/regoin',
      ]);
      const own = await service.client({ scopes: ['agents:read', 'agents:write'], agentIds: ['asks'] });
      expect(outcome(await put('db/mine', { owner: 'sales' }, own))).to.deep.equal([403, 'E1004']);
      expect(outcome(await own.delete(on('files/b')))).to.deep.equal([403, 'E1004']);
    });

    it('an entry whose row was edited or deleted in the database has no attributes that anything is permitted by', async () => {
      for (const change of ['UPDATE resource SET entry = \'{"owner":"sales"}\'', 'DELETE FROM resource']) {
        await put('db/forged', { owner: 'it' });
        expect(await verdictOn('db/forged')).to.equal('DENY');
        await service.rows(`${change} WHERE name = 'db/forged'`);
        await service.apply({
          'resources/forged.json': { name: 'db/forged', owner: 'sales' },
          'p.json': policy('p', 'ALLOW', rules('equal', 'sales')),
        });
        await waitFor(async () => (await agents.get(on('db/forged'))).status === 404);
        expect(await verdictOn('db/forged'), change).to.equal('DENY');
        expect((await put('db/forged', { owner: 'sales' })).status, 'it can be registered again').to.equal(201);
        expect(await verdictOn('db/forged')).to.equal('ALLOW');
      }
    });
  });
});
