// The log over HTTP, as an auditor reads it: checkpoints, keys, consistency proofs and leaves, checked against each other.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { peekCheckpoint, readCheckpoint } from '../../shared/core/proof/checkpoint.ts';
import { trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import { rootFromLeafHashes, verifyConsistency } from '../../shared/core/proof/merkle.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

interface CheckpointItem {
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly signedAt: string;
}

const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const BATCHES = [1, 2, 1, 4, 3, 1, 5];

describe('the log over HTTP', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  let writer: Client;
  let organisationId: string;
  before(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    organisationId = await service.addOrganisation('routes');
    client = await service.client({ organisationId, scopes: ['proofs:read'] });
    writer = await service.client({ organisationId });
    await worker.append();
    for (const count of BATCHES) {
      const proofs = Array.from({ length: count }, (_, i) => ({ event: 'e', entityId: 'x', payload: { i } }));
      expect((await writer.post('/v1/proofs/batch', { proofs })).status).to.equal(202);
      service.advance(1_000);
      await worker.append();
    }
  });
  after(() => both?.close());

  const keys = async () => trustPublishedKeys((await client.get('/v1/log/keys')).json);
  const checkpoints = async (): Promise<CheckpointItem[]> =>
    (await client.get('/v1/log/checkpoints?limit=200')).json.items;
  const leaves = async (from: number, to: number) => (await client.get(`/v1/log/leaves?from=${from}&to=${to}`)).json;

  it('returns its newest checkpoint as a note that the published keys verify', async () => {
    const answer = await client.get('/v1/log/checkpoint');
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
    const head = readCheckpoint(answer.text, await keys());
    expect(head.origin).to.equal('custos.local/routes/live');
    const [newest] = await checkpoints();
    expect({ note: answer.text, size: head.size, root: head.root.toString('hex') }).to.deep.equal({
      note: newest?.note,
      size: newest?.size,
      root: newest?.root,
    });
  });

  it('lists every checkpoint once, newest first, over all pages', async () => {
    const all = await checkpoints();
    const last = all[0]?.size ?? 0;
    const sizes = [...BATCHES].reverse().reduce<number[]>((list, n) => [...list, (list.at(-1) ?? 0) - n], [last]);
    expect(all.map((one) => one.size)).to.deep.equal(sizes);
    const trusted = await keys();
    for (const { note, size, root, signedAt } of all) {
      const head = readCheckpoint(note, trusted);
      expect([head.size, head.root.toString('hex')]).to.deep.equal([size, root]);
      expect(Math.floor(Date.parse(signedAt) / 1_000) * 1_000).to.equal(head.timeMs);
    }
    const seen: CheckpointItem[] = [];
    let cursor: string | null = null;
    do {
      const page: ClientResponse = await client.get(
        `/v1/log/checkpoints?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.json.items.length).to.be.within(1, 3);
      seen.push(...page.json.items);
      cursor = page.json.nextCursor;
    } while (cursor !== null);
    expect(seen).to.deep.equal(all);
  });

  it('returns leaf hashes that lead to the root of every checkpoint', async () => {
    for (const { size, root } of await checkpoints()) {
      const { from, to, hashes } = await leaves(0, size);
      expect([from, to, hashes.length]).to.deep.equal([0, size, size]);
      expect(Buffer.from(rootFromLeafHashes(hashes.map(bytes))).toString('hex')).to.equal(root);
    }
    const { items } = (await client.get('/v1/proofs?limit=200')).json;
    for (const { proofId, index } of items.slice(0, 5)) {
      const { record } = (await client.get(`/v1/proofs/${proofId}`)).json;
      const hash = createHash('sha256').update('\0').update(Buffer.from(record, 'base64')).digest('hex');
      expect((await leaves(index, index + 1)).hashes).to.deep.equal([hash]);
    }
  });

  it('returns the leaf hashes that exist, at most 1,000 per request', async () => {
    const size = (await checkpoints())[0]?.size ?? 0;
    expect(await leaves(size, size + 5)).to.deep.equal({ from: size, to: size, hashes: [] });
    const tail = await leaves(size - 2, Number.MAX_SAFE_INTEGER);
    expect([tail.to, tail.hashes.length]).to.deep.equal([size, 2]);
    expect(await leaves(3, 3)).to.deep.equal({ from: 3, to: 3, hashes: [] });

    const big = await service.client({
      organisationId,
      environment: 'test',
      scopes: ['intents:write', 'proofs:read'],
    });
    const proofs = Array.from({ length: 1_000 }, (_, i) => ({ event: 'e', entityId: 'x', payload: { i } }));
    await big.post('/v1/proofs/batch', { proofs });
    await worker.append();
    const { size: total, root } = (await big.get('/v1/log/checkpoints')).json.items[0];
    expect(total).to.be.above(1_000);
    const first = (await big.get(`/v1/log/leaves?from=0&to=${total}`)).json;
    expect([first.from, first.to, first.hashes.length]).to.deep.equal([0, 1_000, 1_000]);
    const rest = (await big.get(`/v1/log/leaves?from=${first.to}&to=${total}`)).json;
    expect(rest.to).to.equal(total);
    const hashes = [...first.hashes, ...rest.hashes].map(bytes);
    expect(Buffer.from(rootFromLeafHashes(hashes)).toString('hex')).to.equal(root);
  });

  it('proves that each checkpoint extends every earlier one', async () => {
    const all = (await checkpoints()).reverse();
    for (const [i, to] of all.entries())
      for (const from of all.slice(0, i + 1)) {
        const { json } = await client.get(`/v1/log/consistency?from=${from.size}&to=${to.size}`);
        expect([json.from, json.to]).to.deep.equal([from.size, to.size]);
        const proof = { from: from.size, to: to.size, path: json.path.map(bytes) };
        const check = (fromRoot: string): boolean =>
          verifyConsistency({ ...proof, fromRoot: bytes(fromRoot), toRoot: bytes(to.root) });
        expect(check(from.root), `${from.size} to ${to.size}`).to.equal(true);
        expect(check('ab'.repeat(32)), 'another root').to.equal(false);
      }
    const empty = await client.get('/v1/log/consistency?from=0&to=3');
    expect(empty.json).to.deep.equal({ from: 0, to: 3, path: [] });
  });

  it('refuses invalid ranges with E2001, and sizes beyond the log with E4001', async () => {
    const size = (await checkpoints())[0]?.size ?? 0;
    for (const query of [
      '',
      '?from=1',
      '?to=1',
      '?from=2&to=1',
      '?from=-1&to=1',
      '?from=a&to=2',
      '?from=1.5&to=2',
      '?from=1&to=9007199254740993',
    ])
      for (const path of ['/v1/log/consistency', '/v1/log/leaves'])
        expect(outcome(await client.get(`${path}${query}`)), path + query).to.deep.equal([400, 'E2001']);
    for (const query of [
      `from=1&to=${size + 1}`,
      `from=${size + 1}&to=${size + 1}`,
      `from=0&to=${Number.MAX_SAFE_INTEGER}`,
    ])
      expect(outcome(await client.get(`/v1/log/consistency?${query}`)), query).to.deep.equal([404, 'E4001']);
    for (const query of ['?cursor=x', '?limit=0', '?limit=201'])
      expect(outcome(await client.get(`/v1/log/checkpoints${query}`)), query).to.deep.equal([400, 'E2001']);
  });

  it('without a checkpoint returns E4001, no keys of the log and empty lists', async () => {
    const fresh = await service.client({ organisationId, environment: 'dev', scopes: ['proofs:read'] });
    expect(outcome(await fresh.get('/v1/log/checkpoint'))).to.deep.equal([404, 'E4001']);
    expect((await fresh.get('/v1/log/checkpoints')).json).to.deep.equal({ items: [], nextCursor: null });
    expect(
      (await fresh.get('/v1/log/keys')).json.items.filter((key: { use: string }) => key.use === 'log'),
    ).to.deep.equal([]);
    expect(outcome(await fresh.get('/v1/log/consistency?from=0&to=1'))).to.deep.equal([404, 'E4001']);
    expect((await fresh.get('/v1/log/leaves?from=0&to=9')).json).to.deep.equal({ from: 0, to: 0, hashes: [] });
  });

  it('is separate for each organisation and environment, and its routes return only the log of the key', async () => {
    const own = new Set((await leaves(0, 1_000)).hashes);
    const scopes = ['proofs:read'] as const;
    for (const spec of [{ scopes }, { organisationId, environment: 'test', scopes }] as const) {
      const stranger = await service.client(spec);
      await worker.append();
      const note = (await stranger.get('/v1/log/checkpoint')).text;
      const { origin } = peekCheckpoint(note);
      expect(origin).not.to.equal('custos.local/routes/live');
      const theirs = trustPublishedKeys((await stranger.get('/v1/log/keys')).json);
      expect(new Set(theirs.map((key) => key.origin))).to.deep.equal(new Set([origin]));
      expect(readCheckpoint(note, theirs).origin).to.equal(origin);
      const others: string[] = (await stranger.get('/v1/log/leaves?from=0&to=1000')).json.hashes;
      expect(others).not.to.deep.equal([]);
      expect(others.filter((hash) => own.has(hash))).to.deep.equal([]);
    }
  });

  it('needs proofs:read', async () => {
    for (const path of ['checkpoint', 'checkpoints', 'keys', 'consistency?from=1&to=2', 'leaves?from=1&to=2'])
      expect(outcome(await writer.get(`/v1/log/${path}`)), path).to.deep.equal([403, 'E1004']);
  });

  it('publishes all its public keys as a JWK set, without authentication and without duplicates', async () => {
    const { status, json } = await client.withKey(undefined).get('/.well-known/jwks.json');
    expect(status).to.equal(200);
    const ids = json.keys.map((key: { kid: string }) => key.kid);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.have.members([...new Set((await keys()).map((key) => key.keyId))]);
    for (const key of json.keys) {
      expect(key).to.include({ kty: 'OKP', crv: 'Ed25519' }).and.not.have.property('d');
      const known = (await keys()).find((one) => one.keyId === key.kid);
      expect(Buffer.from(key.x, 'base64url')).to.deep.equal(known?.raw);
      // RFC 7638: the key id is the thumbprint of the key.
      const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${key.x}"}`);
      expect(thumbprint.digest('base64url')).to.equal(key.kid);
    }
  });
});
