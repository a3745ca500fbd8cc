// Idempotency and isolation of every route that writes: one effect for any number of repeats, and none for other organisations.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

describe('requests that write', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const CASES = [
    {
      path: '/v1/enforce',
      body: { intent: 'data.read.x', agent_id: 'i' },
      other: { intent: 'data.read.y', agent_id: 'i' },
      table: 'decision',
      id: (answer: ClientResponse): string => answer.json.decision_id,
    },
    {
      path: '/v1/intent',
      body: { raw_intent: 'Read x', agent_id: 'i' },
      other: { raw_intent: 'Read y', agent_id: 'i' },
      table: 'intent_parse',
      id: (answer: ClientResponse): string => answer.json.intent_id,
    },
    {
      path: '/v1/agents',
      body: { name: 'i' },
      other: { name: 'j' },
      table: 'agent',
      id: (answer: ClientResponse): string => answer.json.agentId,
    },
  ];

  const count = async (table: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1;
  const all = ['intents:write', 'agents:write'] as const;

  for (const { path, body, other, table, id } of CASES)
    describe(`POST ${path}`, () => {
      let client: Client;
      before(async () => {
        client = await service.client({ scopes: all });
      });
      const send = (key: string, what: object = body, by: Client = client) =>
        by.post(path, what, { headers: { 'idempotency-key': key } });

      it('repeated with its Idempotency-Key gets the first answer, byte for byte, and writes one row', async () => {
        const before = await count(table);
        const first = await send('same');
        const reordered = Object.fromEntries(Object.entries(body).reverse());
        const again = await send('same', reordered);
        expect([again.status, again.text]).to.deep.equal([first.status, first.text]);
        expect(again.headers['idempotent-replayed']).to.equal('true');
        expect(await count(table)).to.equal(before + 1);
      });

      it('with the Idempotency-Key of another body is E2010, 422, and writes nothing', async () => {
        const before = await count(table);
        await send('reused');
        const answer = await send('reused', other);
        expect([answer.status, answer.json.code, answer.json.retryable]).to.deep.equal([422, 'E2010', false]);
        expect(await count(table)).to.equal(before + 1);
      });

      it('sent twenty times at once has one effect: each caller gets its answer, or E2010, 409, with Retry-After', async () => {
        const before = await count(table);
        const answers = await Promise.all(Array.from({ length: 20 }, () => send('raced')));
        const done = answers.filter((answer) => answer.status < 300);
        expect(new Set(done.map(id)).size).to.equal(1);
        for (const answer of answers.filter((one) => one.status >= 300)) {
          expect([answer.status, answer.json.code, answer.json.retryable]).to.deep.equal([409, 'E2010', true]);
          expect(Number(answer.headers['retry-after'])).to.be.at.least(1);
        }
        expect(await count(table)).to.equal(before + 1);
        expect(id(await send('raced'))).to.equal(id(done[0] as ClientResponse));
      });

      it('with sixty keys at once is done sixty times, despite few database connections', async () => {
        const before = await count(table);
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, i) =>
            send(`many-${i}`, path === '/v1/agents' ? body : { ...body, agent_id: `cold-${i}` }),
          ),
        );
        expect(answers.filter((answer) => answer.status >= 300).map((answer) => answer.text)).to.deep.equal([]);
        expect(await count(table)).to.equal(before + 60);
      });

      it('keeps the same Idempotency-Key separate in every organisation and environment', async () => {
        const others = [
          await service.client({ scopes: all, environment: 'test' }),
          await service.client({
            scopes: all,
            organisationId: await service.addOrganisation(`apart-${table.replace('_', '-')}`),
          }),
        ];
        const first = await send('shared');
        for (const by of others) {
          const answer = await send('shared', other, by);
          expect(answer.status).to.equal(first.status);
          expect(id(answer)).not.to.equal(id(first));
        }
      });

      it('leaves its Idempotency-Key free when it is refused', async () => {
        const refused = await send('corrected', { ...body, agent_id: 'a\u0000', agentId: '..' });
        expect(refused.status).to.equal(400);
        expect((await send('corrected')).status).to.be.below(300);
      });
    });

  it('keeps organisations and environments separate: the same agent and the same question share nothing', async () => {
    const organisationId = await service.addOrganisation('mirror');
    const scopes = ['admin:*'] as const;
    const tenants = [
      service.admin,
      await service.client({ scopes, environment: 'test' }),
      await service.client({ scopes, environment: 'dev' }),
      await service.client({ scopes, organisationId }),
      await service.client({ scopes, organisationId, environment: 'test' }),
    ];
    const made: { decision: string; intent: string }[] = [];
    for (const [i, tenant] of tenants.entries()) {
      await tenant.post('/v1/agents', { agentId: 'same', name: `of tenant ${i}` });
      const decision = (await tenant.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'same' })).json.decision_id;
      const intent = (await tenant.post('/v1/intent', { raw_intent: 'Read x', agent_id: 'same' })).json.intent_id;
      made.push({ decision, intent });
    }
    for (const [i, tenant] of tenants.entries()) {
      expect((await tenant.get('/v1/agents/same')).json.name).to.equal(`of tenant ${i}`);
      const { items } = (await tenant.get('/v1/decisions?agentId=same')).json;
      expect(items.map((item: { decision_id: string }) => item.decision_id)).to.deep.equal([made[i]?.decision]);
      for (const [j, { decision, intent }] of made.entries()) {
        const expected = i === j ? 200 : 404;
        expect((await tenant.get(`/v1/decisions/${decision}`)).status).to.equal(expected);
        expect((await tenant.get(`/v1/intent/${intent}`)).status).to.equal(expected);
      }
    }
  });
});
