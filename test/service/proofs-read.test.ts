// Reading proofs: pending, then in the log; single, in lists and in chains; hidden from other organisations, environments and bindings.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];
const idsOf = (answer: ClientResponse): string[] => answer.json.items.map((item: { proofId: string }) => item.proofId);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const ZEROS = '0'.repeat(64);

describe('reading proofs', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const post = async (body: object = {}, by: Client = client) =>
    (await by.post('/v1/proofs', { event: 'e', entityId: 'entity', payload: { a: 1 }, ...body })).json as {
      proofId: string;
      recordDigest: string;
    };
  const pathOf = (proofId: string): string => `/v1/proofs/${encodeURIComponent(proofId)}`;

  /** The last item on an entity's chain. */
  const lastOf = async (entityId: string) =>
    (await client.get(`/v1/proofs/chain/${encodeURIComponent(entityId)}?limit=200`)).json.items.at(-1);
  const recordOf = (answer: ClientResponse): string => Buffer.from(answer.json.record, 'base64').toString('utf8');

  it('returns 202 with Retry-After until a signed checkpoint covers the proof, then 200 with the canonical bytes', async () => {
    const accepted = await post({ proofId: 'a/b ü?', payload: { text: 'a\u0000é', n: 1e30 } });
    const expectPending = async (): Promise<void> => {
      const pending = await client.get(pathOf(accepted.proofId));
      expect(pending.status).to.equal(202);
      expect(Number(pending.headers['retry-after'])).to.be.above(0);
      expect(pending.json).to.deep.equal({ ...accepted, status: 'pending' });
    };
    await expectPending();
    await worker.appendUnsigned();
    await expectPending();
    await worker.append();
    const answer = await client.get(pathOf(accepted.proofId));
    expect(answer.status).to.equal(200);
    expect(Object.keys(answer.json)).to.deep.equal([
      'format',
      'status',
      'proofId',
      'record',
      'index',
      'path',
      'checkpoint',
    ]);
    expect(answer.json).to.include({ format: 'custos-receipt/1', status: 'anchored', proofId: accepted.proofId });
    const item = await lastOf('entity');
    expect(item).to.include({ event: 'e', entityId: 'entity', record: answer.json.record, index: answer.json.index });
    const bytes = Buffer.from(answer.json.record, 'base64');
    expect(sha256(bytes)).to.equal(item.eventHash);
    const record = JSON.parse(bytes.toString('utf8'));
    expect(Object.keys(record)).to.deep.equal(['agentId', 'eventType', 'occurredAt', 'payload', 'previousHash']);
    expect(Object.keys(record.payload)).to.deep.equal(['body', 'environment', 'organisation', 'proofId']);
    expect(record.payload.body).to.deep.equal({ text: 'a\u0000é', n: 1e30 });
    expect(record).to.include({ previousHash: item.previousHash, occurredAt: item.occurredAt });
    const { previousHash: _, ...others } = record;
    expect(sha256(Buffer.from(JSON.stringify(others)))).to.equal(accepted.recordDigest);
    const again = await client.post('/v1/proofs', {
      event: 'e',
      entityId: 'entity',
      payload: { n: 1e30, text: 'a\u0000é' },
      proofId: 'a/b ü?',
    });
    expect(again.json).to.deep.equal({ ...accepted, status: 'anchored' });
  });

  it('returns the proofs named by decisions, pending and then on the chain of the agent', async () => {
    const { json } = await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'decided' });
    const pending = await client.get(pathOf(json.proof.proof_id));
    expect([pending.status, pending.json.status]).to.deep.equal([202, 'pending']);
    await worker.append();
    const record = recordOf(await client.get(pathOf(json.proof.proof_id)));
    expect(await lastOf('decided')).to.include({
      proofId: json.proof.proof_id,
      event: 'custos.decision',
      entityId: 'decided',
      previousHash: ZEROS,
      chainIndex: 0,
    });
    const { factsDigest, ...body } = JSON.parse(record).payload.body;
    expect(factsDigest).to.match(/^[0-9a-f]{64}$/);
    const { proof: _, ...answer } = json;
    expect(body).to.deep.equal(answer);
    expect(pending.json.recordDigest).to.equal(
      sha256(Buffer.from(`${record.slice(0, record.lastIndexOf(',"previousHash"'))}}`)),
    );
  });

  it('answers for other organisations, environments and bindings as for absent proofs: E4003', async () => {
    const pending = (await post({ entityId: 'private' })).proofId;
    const anchored = (await post({ entityId: 'private' })).proofId;
    await service.rows('DELETE FROM log_inbox WHERE source_id = $1', [pending]);
    await worker.append();
    expect((await client.get(pathOf(pending))).status).to.equal(202);
    expect((await client.get(pathOf(anchored))).status).to.equal(200);
    const absent = await client.get('/v1/proofs/absent');
    expect(outcome(absent)).to.deep.equal([404, 'E4003']);
    const organisationId = await service.addOrganisation('proofs-stranger');
    const scopes = ['admin:*'] as const;
    for (const spec of [
      { environment: 'test', scopes },
      { environment: 'dev', scopes },
      { organisationId, scopes },
      { agentIds: ['other'], scopes: ['proofs:read'] },
    ] as const) {
      const stranger = await service.client(spec);
      for (const proofId of [pending, anchored]) {
        const answer = await stranger.get(pathOf(proofId));
        expect(outcome(answer)).to.deep.equal([404, 'E4003']);
        expect(answer.json.detail).to.equal(absent.json.detail);
      }
      // Its own log may have leaves for its keys: records of the service itself.
      const { items } = (await stranger.get('/v1/proofs?limit=200')).json;
      for (const item of items) expect(item.entityId).to.equal('custos:keys');
    }
    const outsider = await service.client({ organisationId, scopes });
    const chain = (await outsider.get('/v1/proofs/chain/private')).json;
    expect(chain).to.deep.equal({ entityId: 'private', head: null, items: [], nextCursor: null });
  });

  it('needs proofs:read', async () => {
    const writer = await service.client();
    for (const path of ['/v1/proofs', '/v1/proofs/x', '/v1/proofs/chain/x'])
      expect(outcome(await writer.get(path)), path).to.deep.equal([403, 'E1004']);
  });

  it('is limited to its agents for a bound key', async () => {
    const mine = (await post({ entityId: 'bound-1' })).proofId;
    const second = (await post({ entityId: 'bound-2' })).proofId;
    await post({ entityId: 'free' });
    await worker.append();
    const bound = await service.client({ scopes: ['proofs:read'], agentIds: ['bound-1', 'bound-2'] });
    expect(idsOf(await bound.get('/v1/proofs'))).to.deep.equal([second, mine]);
    expect(idsOf(await bound.get('/v1/proofs?entityId=bound-1'))).to.deep.equal([mine]);
    expect((await bound.get(pathOf(mine))).status).to.equal(200);
    expect((await bound.get('/v1/proofs/chain/bound-2')).json.items[0].proofId).to.equal(second);
    for (const path of ['/v1/proofs?entityId=free', '/v1/proofs/chain/free'])
      expect(outcome(await bound.get(path)), path).to.deep.equal([403, 'E1004']);
  });

  it('gives no internal error for impossible ids and filters', async () => {
    for (const path of [
      '/v1/proofs/%00',
      '/v1/proofs/custos:x',
      '/v1/proofs/chain/%00',
      '/v1/proofs?event=%00',
      '/v1/proofs?entityId=%00',
      '/v1/proofs?from=never',
      '/v1/proofs?from=2026-02-30T00:00:00Z',
      '/v1/proofs?cursor=x',
      '/v1/proofs?limit=0',
      '/v1/proofs/chain/entity?cursor=LTE',
      '/v1/proofs/chain/entity?limit=201',
    ])
      expect(outcome(await client.get(path)), path).to.deep.equal([400, 'E2001']);
  });

  describe('in lists', () => {
    const ids: string[] = [];
    const times: string[] = [];
    let lister: Client;
    before(async () => {
      const organisationId = await service.addOrganisation('listing');
      lister = await service.client({ organisationId, scopes: ['intents:write', 'proofs:read'] });
      for (let i = 0; i < 9; i += 1) {
        service.advance(1_000);
        ids.unshift((await post({ entityId: `list-${i % 2}`, event: `kind-${i % 3}` }, lister)).proofId);
        await worker.append();
      }
      // One of the first leaves of the log is the key that makes all requests here.
      const { items } = (await lister.get('/v1/proofs')).json;
      const made = items.findIndex((item: { entityId: string }) => item.entityId === 'custos:keys');
      expect(items[made]).to.include({ event: 'custos.key', index: 0 });
      ids.push(items[made].proofId);
      for (const item of items) times.push(item.occurredAt);
    });

    it('returns each proof once, newest first, over all pages, while proofs are added', async () => {
      expect(idsOf(await lister.get('/v1/proofs'))).to.deep.equal(ids);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: ClientResponse = await lister.get(
          `/v1/proofs?limit=4${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        seen.push(...idsOf(page));
        cursor = page.json.nextCursor;
        await post({ entityId: 'later', event: 'later' }, lister);
        await worker.append();
      } while (cursor !== null);
      expect(seen).to.deep.equal(ids);
    });

    it('filters by entity, event and time, from inclusive and to exclusive', async () => {
      const at = (i: number): string => encodeURIComponent(times[i] ?? '');
      const listed = async (query: string) => idsOf(await lister.get(`/v1/proofs?limit=200&${query}`));
      const posted = ids.slice(0, 9);
      expect(await listed('entityId=list-1')).to.deep.equal(posted.filter((_, i) => (8 - i) % 2 === 1));
      expect(await listed('event=kind-2')).to.deep.equal(posted.filter((_, i) => (8 - i) % 3 === 2));
      expect(await listed('entityId=list-0&event=kind-0')).to.deep.equal(posted.filter((_, i) => (8 - i) % 6 === 0));
      expect(await listed(`from=${at(5)}&to=${at(2)}`)).to.deep.equal(ids.slice(3, 6));
      expect(await listed(`entityId=list-1&from=${at(5)}`)).to.include(ids[5]);
      expect(await listed('entityId=nobody')).to.deep.equal([]);
      expect(await listed('entityId=List-1')).to.deep.equal([]);
    });
  });

  it('returns one chain per entity in pages, oldest first, with its head', async () => {
    const entityId = 'chain/of é';
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      ids.push((await post({ entityId, payload: { i } })).proofId);
      if (i % 3 === 0) await worker.append();
    }
    await worker.append();
    const path = `/v1/proofs/chain/${encodeURIComponent(entityId)}`;
    const items: { proofId: string; eventHash: string; previousHash: string; chainIndex: number; record: string }[] =
      [];
    let cursor: string | null = null;
    do {
      const page: ClientResponse = await client.get(`${path}?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      items.push(...page.json.items);
      expect(page.json.head.chainIndex).to.equal(6);
      cursor = page.json.nextCursor;
      if (cursor === null) expect(page.json.head.eventHash).to.equal(items.at(-1)?.eventHash);
    } while (cursor !== null);
    expect(items.map((item) => item.proofId)).to.deep.equal(ids);
    let previous = ZEROS;
    for (const [i, item] of items.entries()) {
      expect(item).to.include({ chainIndex: i, previousHash: previous });
      expect(sha256(Buffer.from(item.record, 'base64'))).to.equal(item.eventHash);
      previous = item.eventHash;
    }
  });
});
