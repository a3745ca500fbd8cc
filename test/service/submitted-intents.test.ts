// POST /v1/intents and reading intents: what is accepted, what is refused, and who may see the result.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];

describe('submitted intents', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    client = await service.client();
  });
  after(() => both?.close());

  const BODY = { agentId: 'nobody', action: 'read', resource: 'db/customers' };
  const submit = (body: object = {}, by: Client = client) => by.post('/v1/intents', { ...BODY, ...body });
  const count = async (table: string): Promise<number> =>
    (await service.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1;
  const idsOf = (answer: ClientResponse): string[] =>
    answer.json.items.map((item: { intentId: string }) => item.intentId);

  it('are accepted with 202 and a Location that leads to them, and wake a worker of their organisation and environment', async () => {
    const answer = await submit();
    expect(answer.status).to.equal(202);
    const { intentId } = answer.json;
    expect(answer.json).to.deep.equal({ intentId, status: 'queued' });
    expect(intentId).to.match(/^int_[0-9a-z]{26}$/);
    expect(answer.headers['location']).to.equal(`/v1/intents/${intentId}`);
    const read = await client.get(answer.headers['location'] ?? '');
    expect(read.status).to.equal(200);
    expect(read.json).to.deep.include({ ...BODY, intentId, status: 'queued', decision: null });
    expect(read.json.submittedAt).to.equal(read.json.updatedAt);
    const [woken] = await service.rows<{ queue: string; name: string; payload: string }>(
      'SELECT queue, name, payload FROM outbox ORDER BY seq DESC LIMIT 1',
    );
    expect(woken).to.deep.include({ queue: 'intents', name: 'evaluate' });
    expect(JSON.parse(woken?.payload ?? '')).to.deep.equal({
      v: 1,
      organisationId: service.operatorId,
      environment: 'live',
    });
  });

  it('carry their trace context into their row and their decision', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { json } = await client.post('/v1/intents', BODY, { headers: { traceparent } });
    await worker.evaluate(json.intentId);
    const rows = await service.rows<{ of_intent: string; of_decision: string }>(
      'SELECT i.traceparent AS of_intent, d.traceparent AS of_decision FROM intent i JOIN decision d USING (decision_id) WHERE intent_id = $1',
      [json.intentId],
    );
    expect(rows).to.have.lengthOf(1);
    // The service's own span continues the caller's trace.
    for (const text of Object.values(rows[0] ?? {}))
      expect(text).to.match(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/);
  });

  describe('are refused with E2001 at the pointer, and nothing is stored:', () => {
    const REFUSED: readonly (readonly [string, object, string])[] = [
      ['an empty action', { action: '' }, '/action'],
      ['an action that is not a word', { action: 'read all' }, '/action'],
      ['an action with a line feed', { action: 'read\nx' }, '/action'],
      ['an empty resource', { resource: '' }, '/resource'],
      ['a resource with a parent segment', { resource: 'db/../secrets' }, '/resource'],
      ['a resource with a percent-encoded parent segment', { resource: 'db/%2e%2e/secrets' }, '/resource'],
      ['a resource with a zero-width space', { resource: 'db/cus\u200btomers' }, '/resource'],
      ['a resource with a line feed', { resource: 'db/a\nb' }, '/resource'],
      ['a star in the middle', { resource: 'db/*/x' }, '/resource'],
      ['a star that is part of a segment', { resource: 'db/cust*' }, '/resource'],
      ['an empty agentId', { agentId: '' }, '/agentId'],
      ["an agentId of the service's own", { agentId: 'custos:policies' }, '/agentId'],
      ['a context that is not an object', { context: [] }, '/context'],
      ['an unknown member', { trust_level: 7 }, '/trust_level'],
    ];
    for (const [what, change, pointer] of REFUSED)
      it(what, async () => {
        const before = [await count('intent'), await count('outbox')];
        const answer = await submit(change);
        expect(outcome(answer), answer.text).to.deep.equal([400, 'E2001']);
        expect(answer.json.errors.map((error: { pointer: string }) => error.pointer)).to.deep.equal([pointer]);
        expect([await count('intent'), await count('outbox')]).to.deep.equal(before);
      });
  });

  it('repeated under one Idempotency-Key are one intent and one job, also when sent at once', async () => {
    const [intents, jobs] = [await count('intent'), await count('outbox')];
    const send = () => client.post('/v1/intents', BODY, { headers: { 'idempotency-key': 'intent-once' } });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    const accepted = answers.filter((answer) => answer.status === 202);
    for (const answer of answers) expect([202, 409]).to.include(answer.status);
    expect(accepted.length).to.be.above(0);
    const again = await send();
    expect(new Set([again, ...accepted].map((answer) => answer.text)).size).to.equal(1);
    expect(again.headers['location']).to.equal(accepted[0]?.headers['location']);
    expect([await count('intent'), await count('outbox')]).to.deep.equal([intents + 1, jobs + 1]);
    const other = await client.post(
      '/v1/intents',
      { ...BODY, action: 'delete' },
      { headers: { 'idempotency-key': 'intent-once' } },
    );
    expect(outcome(other)).to.deep.equal([422, 'E2010']);
  });

  it('sent at once all keep their own members', async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => ({
      agentId: `many ${i} "quoted" \\ é 漢`,
      action: 'read',
      resource: `db/many/${i}`,
      ...(i % 2 === 0 ? {} : { context: { i, text: 'line\nfeed \u0000 \u2028', big: 1e30 } }),
    }));
    const answers = await Promise.all(bodies.map((body) => client.post('/v1/intents', body)));
    await Promise.all(
      answers.map(async ({ json }, i) => {
        const read = await client.get(`/v1/intents/${json.intentId}`);
        const { context: _, ...rest } = bodies[i] as (typeof bodies)[number] & { context?: object };
        expect(read.json).to.deep.include(rest);
      }),
    );
    const rows = await service.rows<{ resource: string; context: string | null }>(
      "SELECT resource, context FROM intent WHERE resource LIKE 'db/many/%'",
    );
    expect(rows).to.have.lengthOf(bodies.length);
    for (const row of rows) {
      const body = bodies[Number(row.resource.slice('db/many/'.length))];
      expect(row.context === null ? undefined : JSON.parse(row.context)).to.deep.equal(body?.context);
    }
  });

  describe('are read', () => {
    let mine: string;
    let ofOther: string;
    let other: Client;
    before(async () => {
      other = await service.client();
      mine = (await submit({ agentId: 'reading' })).json.intentId;
      // Ids made in the same millisecond have no order.
      service.advance(1);
      ofOther = (await submit({ agentId: 'reading' }, other)).json.intentId;
    });

    it('by the key that submitted them, by proofs:read and by admins, and not by another writer', async () => {
      const auditor = await service.client({ scopes: ['proofs:read'] });
      for (const by of [client, auditor, service.admin])
        expect((await by.get(`/v1/intents/${mine}`)).json.intentId).to.equal(mine);
      expect(outcome(await other.get(`/v1/intents/${mine}`))).to.deep.equal([404, 'E4001']);
      expect(idsOf(await client.get('/v1/intents?agentId=reading'))).to.deep.equal([mine]);
      expect(idsOf(await auditor.get('/v1/intents?agentId=reading'))).to.deep.equal([ofOther, mine]);
    });

    it('by every key that rotations made of the one that asked, as are its decisions and approvals', async () => {
      const AUTH = '/v1/auth/keys';
      const first = (await service.admin.post(AUTH, { name: 'line', scopes: ['intents:write'] })).json;
      const second = (await service.admin.post(`${AUTH}/${first.keyId}/rotate`, { overlap: '1h' })).json;
      const third = (await service.admin.post(`${AUTH}/${second.keyId}/rotate`, { overlap: '1h' })).json;
      const line = [first, second, third].map(({ key }) => service.admin.withKey(key));
      const asked: string[][] = [];
      for (const by of line) {
        const { intentId } = (await submit({ agentId: 'line' }, by)).json;
        // The shipped policies escalate it, each key's own.
        const { json } = await by.post('/v1/enforce', { agent_id: 'line', intent: 'read:db/*' });
        asked.push([`intents/${intentId}`, `decisions/${json.decision_id}`, `approvals/${json.approval.approval_id}`]);
      }
      for (const by of [...line, other]) {
        for (const path of asked.flat())
          expect((await by.get(`/v1/${path}`)).status, path).to.equal(by === other ? 404 : 200);
        for (const list of ['intents', 'decisions'])
          expect((await by.get(`/v1/${list}?agentId=line`)).json.items.length, list).to.equal(by === other ? 0 : 3);
      }
    });

    it('by no key without the scope', async () => {
      const stranger = await service.client({ scopes: ['agents:read'] });
      for (const answer of [
        await stranger.get(`/v1/intents/${mine}`),
        await stranger.get('/v1/intents'),
        await submit({}, stranger),
        await submit({}, await service.client({ scopes: ['proofs:read'] })),
      ])
        expect(outcome(answer)).to.deep.equal([403, 'E1004']);
    });

    it('in no other environment or organisation: the same 404 as for an absent intent', async () => {
      const absent = await client.get('/v1/intents/int_00000000000000000000000000');
      expect(outcome(absent)).to.deep.equal([404, 'E4001']);
      const organisationId = await service.addOrganisation('reading-others');
      for (const spec of [{ environment: 'test' }, { environment: 'dev' }, { organisationId }] as const) {
        const stranger = await service.client({ ...spec, scopes: ['admin:*'] });
        const answer = await stranger.get(`/v1/intents/${mine}`);
        expect(answer.json.detail).to.equal(absent.json.detail);
        expect(outcome(answer)).to.deep.equal([404, 'E4001']);
        expect(idsOf(await stranger.get('/v1/intents'))).to.deep.equal([]);
      }
    });

    it('by a bound key for its agents only, and it submits for no others', async () => {
      const bound = await service.client({ scopes: ['intents:write', 'proofs:read'], agentIds: ['bound-one'] });
      const own = (await submit({ agentId: 'bound-one' })).json.intentId;
      expect((await bound.get(`/v1/intents/${own}`)).status).to.equal(200);
      expect(idsOf(await bound.get('/v1/intents'))).to.deep.equal([own]);
      expect(outcome(await bound.get(`/v1/intents/${mine}`))).to.deep.equal([404, 'E4001']);
      expect(outcome(await bound.get('/v1/intents?agentId=reading'))).to.deep.equal([403, 'E1004']);
      const refused = await submit({ agentId: 'reading' }, bound);
      expect(outcome(refused)).to.deep.equal([403, 'E1004']);
      expect(refused.json.errors[0].pointer).to.equal('/agentId');
    });

    it('by invalid ids without an internal error', async () => {
      for (const id of ['x', 'int_%00', "int_'", '%2e%2e', 'int_%F0%9F%98%80']) {
        const answer = await client.get(`/v1/intents/${id}`, { check: false });
        expect([400, 404], `${id}: ${answer.text}`).to.include(answer.status);
      }
    });
  });

  describe('are listed', () => {
    let lister: Client;
    const ids: string[] = [];
    before(async () => {
      lister = await service.client();
      for (let i = 0; i < 7; i += 1)
        ids.push((await submit({ agentId: i % 2 === 0 ? 'even' : 'odd' }, lister)).json.intentId);
      await worker.evaluate(ids[0] ?? '');
      await worker.evaluate(ids[1] ?? '');
      ids.sort().reverse();
    });

    it('newest first, each once over all pages, while rows are added', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: ClientResponse = await lister.get(
          `/v1/intents?limit=3${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        expect(page.json.items.length).to.be.at.most(3);
        seen.push(...idsOf(page));
        cursor = page.json.nextCursor;
        await submit({ agentId: 'later' }, lister);
      } while (cursor !== null);
      expect(seen).to.deep.equal(ids);
    });

    it('by agent and by status', async () => {
      const listed = async (query: string): Promise<ClientResponse> => lister.get(`/v1/intents?limit=200&${query}`);
      expect((await listed('agentId=even')).json.items).to.have.lengthOf(4);
      expect((await listed('agentId=odd')).json.items).to.have.lengthOf(3);
      const decided = (await listed('status=decided')).json.items;
      expect(decided).to.have.lengthOf(2);
      for (const item of decided) expect(item.decision.verdict).to.equal('ALLOW');
      expect((await listed('agentId=even&status=decided')).json.items).to.have.lengthOf(1);
      expect((await listed('status=failed')).json.items).to.deep.equal([]);
      expect(outcome(await listed('status=done'))).to.deep.equal([400, 'E2001']);
      expect(outcome(await listed('cursor=AAAA'))).to.deep.equal([400, 'E2001']);
    });
  });
});
