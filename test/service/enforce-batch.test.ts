// POST /v1/enforce/batch: many requests in one call, each answered at its index.
import { expect } from 'chai';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

describe('a batch', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService();
    client = await service.client();
  });
  after(() => service.close());

  const stored = async (): Promise<number> =>
    (await service.rows<{ n: number }>('SELECT count(*)::int AS n FROM decision'))[0]?.n ?? -1;

  it('is answered in the order of its members, and every decision is recorded', async () => {
    const before = await stored();
    const requests = Array.from({ length: 100 }, (_, i) => ({
      intent: `data.read.thing_${i}`,
      agent_id: `agent-${i % 7}`,
    }));
    const { status, json } = await client.post('/v1/enforce/batch', { requests });
    expect(status).to.equal(200);
    expect(json.decisions.map((one: { intent: { normalized: string } }) => one.intent.normalized)).to.deep.equal(
      requests.map(({ intent }) => intent),
    );
    expect(json.decisions.map((one: { agent_id: string }) => one.agent_id)).to.deep.equal(
      requests.map((r) => r.agent_id),
    );
    expect(new Set(json.decisions.map((one: { decision_id: string }) => one.decision_id)).size).to.equal(100);
    expect(await stored()).to.equal(before + 100);
    const last = json.decisions[99];
    const { json: read } = await client.get(`/v1/decisions/${last.decision_id}`);
    // The promises of the answer were signed together; that of a decision that is read is signed alone.
    const { batch, ...claims } = last.proof.promise;
    expect(batch.size).to.be.greaterThan(1);
    const promise = { ...claims, signature: read.proof.promise.signature };
    expect(read).to.deep.equal({ ...last, proof: { ...last.proof, promise }, stands: true });
  });

  it('reports what is wrong with a member at its index, and answers all others', async () => {
    const bound = await service.client({ agentIds: ['mine'] });
    const before = await stored();
    const good = { intent: 'data.read.x', agent_id: 'mine' };
    const requests = [
      good,
      { ...good, intent: 'data' },
      { ...good, agent_id: 'other' },
      { ...good, trust_level: 9 },
      'not an object',
      { ...good, dry_run: true },
      { ...good, intent_id: 'int_00000000000000000000000000' },
      { ...good, intent: 'delete:db/production/users' },
      null,
      good,
    ];
    const { status, json } = await bound.post('/v1/enforce/batch', { requests });
    expect(status).to.equal(200);
    const shapes = json.decisions.map(
      (one: { verdict?: string; error?: { code: string; errors?: { pointer: string }[] } }) =>
        one.error === undefined ? one.verdict : `${one.error.code} ${one.error.errors?.[0]?.pointer}`,
    );
    expect(shapes).to.deep.equal([
      'ALLOW',
      'E2001 /requests/1/intent',
      'E1004 /requests/2/agent_id',
      'E2001 /requests/3/trust_level',
      'E2001 /requests/4',
      'E1004 /requests/5/dry_run',
      'E2001 /requests/6/intent_id',
      'DENY',
      'E2001 /requests/8',
      'ALLOW',
    ]);
    expect(await stored()).to.equal(before + 3);
  });

  for (const count of [0, 101])
    it(`of ${count} is refused as a whole: E2001 at /requests`, async () => {
      const before = await stored();
      const requests = Array.from({ length: count }, () => ({ intent: 'data.read.x', agent_id: 'a' }));
      const { status, json } = await client.post('/v1/enforce/batch', { requests });
      expect([status, json.code, json.errors[0].pointer]).to.deep.equal([400, 'E2001', '/requests']);
      expect(await stored()).to.equal(before);
    });

  it('is stored once for one Idempotency-Key, with its failed members', async () => {
    const before = await stored();
    const body = {
      requests: [
        { intent: 'data.read.x', agent_id: 'a' },
        { intent: 'bad', agent_id: 'a' },
      ],
    };
    const headers = { 'idempotency-key': 'batch-once' };
    const first = await client.post('/v1/enforce/batch', body, { headers });
    const again = await client.post('/v1/enforce/batch', body, { headers });
    expect(again.text).to.equal(first.text);
    expect(first.json.decisions[1].error.code).to.equal('E2001');
    expect(await stored()).to.equal(before + 1);
    expect((await client.get(`/v1/decisions/${first.json.decisions[0].decision_id}`)).status).to.equal(200);
  });

  it('costs a tenth of its member count, rounded up, against the rate limit', async () => {
    const limited = await startService({ env: { CUSTOS_RATE_LIMIT: 'on', CUSTOS_RATE_LIMITS: '7=1000/50' } });
    try {
      const asker = await limited.client();
      const left = async (count: number): Promise<number> => {
        const requests = Array.from({ length: count }, () => ({ intent: 'data.read.x', agent_id: 'a' }));
        const { headers } = await asker.post('/v1/enforce/batch', { requests });
        return Number(/"minute";r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]);
      };
      const counts = [await left(1), await left(10), await left(11), await left(100)];
      expect(counts.map((count, i) => (counts[i - 1] ?? 50) - count)).to.deep.equal([1, 1, 2, 10]);
    } finally {
      await limited.close();
    }
  });
});
