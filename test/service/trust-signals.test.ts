// Trust signals over HTTP: which are accepted, which are refused and at which pointer, and their deduplication.
import { expect } from 'chai';
import { trustRoutes } from '../../ingress/routes/trust.ts';
import { foldBatch } from '../../shared/domain/trust/fold.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { leaveMidnight, type Service, startService } from '../support/service.ts';

const PATH = '/v1/trust/signals';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('trust signals', () => {
  let service: Service;
  let reporter: Client;
  before(async () => {
    service = await startService();
    leaveMidnight(service);
    reporter = await service.client({ scopes: ['trust:write', 'trust:read'] });
  });
  after(() => service?.close());

  const fold = () => foldJob.handler({ db: service.db, nowMs: service.nowMs, dailyCap: 10_000 })({ v: 1 });
  const outcome = ({ status, json }: ClientResponse) => [
    status,
    json.code,
    ...(json.errors ?? []).map((e: { pointer: string }) => e.pointer),
  ];
  const at = (ms: number): string => new Date(service.nowMs() + ms).toISOString();
  const countOf = async (agentId: string): Promise<number> => {
    await fold();
    return (await reporter.get(`/v1/trust/${encodeURIComponent(agentId)}`)).json.asOf.signals;
  };

  it('are accepted singly or together, with given or generated ids, in order', async () => {
    const one = await reporter.post(PATH, { agentId: 'one', type: 'success' });
    expect(one.status).to.equal(202);
    expect(one.json.signalIds).to.have.length(1);
    expect(one.json.signalIds[0]).to.match(/^sig_[0-9a-z]{26}$/);
    const signals = [
      {
        signalId: 'mine/1',
        agentId: 'one',
        type: 'failure',
        weight: 0.001,
        occurredAt: at(-DAY_MS),
        source: 'ci',
        evidence: { run: [1, null, '\n\u0000'] },
      },
      { agentId: 'one', type: 'violation', weight: 1 },
      { signalId: 'mine/0', agentId: 'another, unknown to all', type: 'success', weight: 0.3 },
    ];
    const many = await reporter.post(PATH, { signals });
    expect(many.status).to.equal(202);
    expect(many.json.signalIds[0]).to.equal('mine/1');
    expect(many.json.signalIds[2]).to.equal('mine/0');
    expect(await countOf('one')).to.equal(3);
    const [stored] = await service.rows<{ weight: number; source: string; evidence: string; key_id: string }>(
      "SELECT weight, source, evidence, key_id FROM trust_signal WHERE signal_id = 'mine/1'",
    );
    expect(stored).to.include({ weight: 1, source: 'ci', evidence: '{"run":[1,null,"\\n\\u0000"]}' });
  });

  for (const weight of [0, -0.5, 1.5, 0.0005, 0.30000000000000004, 1.001, 1e-9, '1', null])
    it(`are refused with the weight ${JSON.stringify(weight)}, at its pointer`, async () => {
      const one = await reporter.post(PATH, { agentId: 'weighed', type: 'success', weight });
      expect(outcome(one)).to.deep.equal([400, 'E2001', '/weight']);
      const good = { agentId: 'weighed', type: 'success' };
      const many = await reporter.post(PATH, { signals: [good, good, { ...good, weight }] });
      expect(outcome(many)).to.deep.equal([400, 'E2001', '/signals/2/weight']);
    });

  it('accept every whole thousandth as a weight', async () => {
    const signals = Array.from({ length: 1_000 }, (_, i) => ({
      agentId: 'all weights',
      type: 'failure',
      weight: (i + 1) / 1_000,
    }));
    expect((await reporter.post(PATH, { signals })).status).to.equal(202);
    await fold();
    const [sum] = await service.rows<{ negative: string }>(
      "SELECT sum(negative) AS negative FROM trust_bucket WHERE agent_id = 'all weights'",
    );
    expect(sum?.negative).to.equal('500500');
  });

  it('are refused beyond 5 minutes in the future or 30 days in the past, and accepted up to these limits', async () => {
    const signal = { agentId: 'timed', type: 'success' };
    for (const [ms, status] of [
      [5 * MINUTE_MS - 5_000, 202],
      [5 * MINUTE_MS + 5_000, 400],
      [5_000 - 30 * DAY_MS, 202],
      [-5_000 - 30 * DAY_MS, 400],
    ] as const) {
      const answer = await reporter.post(PATH, { ...signal, occurredAt: at(ms) });
      expect(outcome(answer), String(ms)).to.deep.equal(
        status === 202 ? [202, undefined] : [400, 'E2001', '/occurredAt'],
      );
    }
    const many = await reporter.post(PATH, {
      signals: [signal, { ...signal, occurredAt: at(DAY_MS) }, signal, { ...signal, occurredAt: at(-31 * DAY_MS) }],
    });
    expect(outcome(many)).to.deep.equal([400, 'E2001', '/signals/1/occurredAt', '/signals/3/occurredAt']);
    expect(await countOf('timed')).to.equal(2);
  });

  it('are refused together when one member is invalid, which is named', async () => {
    const good = { agentId: 'in a bad batch', type: 'success' };
    for (const [bad, pointer] of [
      [{ agentId: 'x' }, '/signals/1/type'],
      [{ agentId: 'x', type: 'praise' }, '/signals/1/type'],
      [{ agentId: 'custos:log', type: 'success' }, '/signals/1/agentId'],
      [{ agentId: '..', type: 'success' }, '/signals/1/agentId'],
      [{ ...good, signalId: 'a\nb' }, '/signals/1/signalId'],
      [{ ...good, evidence: [1] }, '/signals/1/evidence'],
      [{ ...good, evidence: { long: 'x'.repeat(16_400) } }, '/signals/1/evidence'],
      [{ ...good, source: '' }, '/signals/1/source'],
      [{ ...good, score: 1_000 }, '/signals/1/score'],
    ] as const)
      expect(outcome(await reporter.post(PATH, { signals: [good, bad, good] })), pointer).to.deep.equal([
        400,
        'E2001',
        pointer,
      ]);
    expect(await countOf('in a bad batch')).to.equal(0);
  });

  it('are sent as one signal or as a list of 1 to 1,000, and never as both', async () => {
    const good = { agentId: 'shaped', type: 'success' };
    expect(outcome(await reporter.post(PATH, { signals: [] }))).to.deep.equal([400, 'E2001', '/signals']);
    expect(outcome(await reporter.post(PATH, { signals: Array.from({ length: 1_001 }, () => good) }))).to.deep.equal([
      400,
      'E2001',
      '/signals',
    ]);
    expect(outcome(await reporter.post(PATH, { ...good, signals: [good] }))).to.have.members([
      400,
      'E2001',
      '/agentId',
      '/type',
    ]);
    expect(outcome(await reporter.post(PATH, {}))).to.have.members([400, 'E2001', '/agentId', '/type']);
  });

  it('count once per signalId: within a batch, repeated, sent at once, and after they were folded', async () => {
    const signal = { signalId: 'once', agentId: 'counted once', type: 'failure', weight: 0.5 };
    const all = await Promise.all([
      reporter.post(PATH, { signals: [signal, signal, signal] }),
      ...Array.from({ length: 10 }, () => reporter.post(PATH, signal)),
    ]);
    expect(new Set(all.map((answer) => answer.status))).to.deep.equal(new Set([202]));
    expect(all[0]?.json.signalIds).to.deep.equal(['once', 'once', 'once']);
    expect(await countOf('counted once')).to.equal(1);
    expect((await reporter.post(PATH, { ...signal, occurredAt: undefined })).status).to.equal(202);
    expect(await countOf('counted once')).to.equal(1);
  });

  it('are refused with E2010 when a signalId was used for another signal, with the whole batch', async () => {
    const signal = { signalId: 'taken', agentId: 'first', type: 'failure', occurredAt: at(-MINUTE_MS) };
    expect((await reporter.post(PATH, signal)).status).to.equal(202);
    for (const other of [
      { ...signal, type: 'success' },
      { ...signal, agentId: 'second' },
      { ...signal, weight: 0.5 },
      { ...signal, occurredAt: at(-2 * MINUTE_MS) },
      { ...signal, source: 'elsewhere' },
      { ...signal, evidence: {} },
    ]) {
      expect(outcome(await reporter.post(PATH, other))).to.deep.equal([422, 'E2010', '/signalId']);
      const batch = await reporter.post(PATH, { signals: [{ agentId: 'second', type: 'success' }, other] });
      expect(outcome(batch)).to.deep.equal([422, 'E2010', '/signals/1/signalId']);
      const keyed = await reporter.post(PATH, other, {
        headers: { 'idempotency-key': `other ${JSON.stringify(other)}`.slice(0, 200) },
      });
      expect(outcome(keyed)).to.deep.equal([422, 'E2010', '/signalId']);
    }
    const within = await reporter.post(PATH, {
      signals: [
        { ...signal, signalId: 'new' },
        { ...signal, signalId: 'new', type: 'success' },
      ],
    });
    expect(outcome(within)).to.deep.equal([422, 'E2010', '/signals/1/signalId']);
    expect(await countOf('second')).to.equal(0);
    expect(await countOf('first')).to.equal(1);
  });

  it('in concurrent requests are accepted when one of these requests is refused', async () => {
    const signal = { signalId: 'contested', agentId: 'crowd', type: 'failure' };
    await reporter.post(PATH, signal);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        reporter.post(PATH, i % 4 === 0 ? { ...signal, type: 'success' } : { agentId: 'crowd', type: 'success' }),
      ),
    );
    expect(answers.map((a) => a.status)).to.deep.equal(Array.from({ length: 12 }, (_, i) => (i % 4 === 0 ? 422 : 202)));
    expect(await countOf('crowd')).to.equal(10);
  });

  it('honour an Idempotency-Key: the first answer is returned, and no signal is added', async () => {
    const request = { headers: { 'idempotency-key': 'signals' } };
    const first = await reporter.post(PATH, { agentId: 'idempotent', type: 'success' }, request);
    const again = await reporter.post(PATH, { agentId: 'idempotent', type: 'success' }, request);
    expect(again.json).to.deep.equal(first.json);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(await countOf('idempotent')).to.equal(1);
  });

  it('are refused from a key that is bound to agents, about any agent', async () => {
    const bound = await service.client({ scopes: ['trust:write', 'trust:read'], agentIds: ['bound one'] });
    for (const agentId of ['bound one', 'somebody else']) {
      expect(outcome(await bound.post(PATH, { agentId, type: 'success' }))).to.deep.equal([403, 'E1004', '/agentId']);
      expect(outcome(await bound.post(PATH, { signals: [{ agentId, type: 'success' }] }))).to.deep.equal([
        403,
        'E1004',
        '/signals/0/agentId',
      ]);
    }
    expect((await bound.get('/v1/trust/bound%20one')).status).to.equal(200);
    expect(outcome(await bound.get('/v1/trust/somebody%20else'))).to.deep.equal([403, 'E1004', '{agentId}']);
    expect(outcome(await bound.get('/v1/trust/somebody%20else/history'))).to.deep.equal([403, 'E1004', '{agentId}']);
  });

  it('need trust:write, and reading needs trust:read', async () => {
    const reader = await service.client({ scopes: ['trust:read'] });
    const writer = await service.client({ scopes: ['trust:write'] });
    expect(outcome(await reader.post(PATH, { agentId: 'a', type: 'success' })).slice(0, 2)).to.deep.equal([
      403,
      'E1004',
    ]);
    expect(outcome(await writer.get('/v1/trust/a')).slice(0, 2)).to.deep.equal([403, 'E1004']);
    expect(outcome(await writer.get('/v1/trust/a/history')).slice(0, 2)).to.deep.equal([403, 'E1004']);
  });

  it('of one environment or organisation do not affect another, even under the same id', async () => {
    const organisationId = await service.addOrganisation('elsewhere');
    const scopes = ['trust:write', 'trust:read'] as const;
    const others = [
      await service.client({ environment: 'test', scopes: [...scopes] }),
      await service.client({ organisationId, scopes: [...scopes] }),
    ];
    await reporter.post(PATH, { signalId: 'shared id', agentId: 'shared', type: 'violation' });
    for (const other of others)
      expect((await other.post(PATH, { signalId: 'shared id', agentId: 'shared', type: 'success' })).status).to.equal(
        202,
      );
    await fold();
    const scores = await Promise.all(
      [reporter, ...others].map(async (client) => (await client.get('/v1/trust/shared')).json.score),
    );
    expect(scores).to.deep.equal([62, 318, 318]);
  });

  it('cost one unit of rate limit per ten', () => {
    const route = trustRoutes({} as never).find((r) => r.method === 'POST');
    expect(
      [1, 10, 11, 1_000].map((n) => route?.cost?.({ signals: Array.from({ length: n }, () => ({})) })),
    ).to.deep.equal([1, 1, 2, 100]);
    expect(route?.cost?.({ agentId: 'a', type: 'success' })).to.equal(1);
  });

  it('are queued for folding in the transaction that accepts them, and a repeat queues nothing', async () => {
    // No worker runs in this test, so the outbox keeps its rows.
    const jobs = async () =>
      (await service.rows<{ n: string }>("SELECT count(*) AS n FROM outbox WHERE queue = 'trust' AND name = 'fold'"))[0]
        ?.n;
    const signal = { signalId: 'queued', agentId: 'queued', type: 'success' };
    const before = Number(await jobs());
    await reporter.post(PATH, signal);
    expect(Number(await jobs())).to.equal(before + 1);
    await reporter.post(PATH, signal);
    expect(Number(await jobs())).to.equal(before + 1);
    expect((await foldBatch({ db: service.db, nowMs: service.nowMs, dailyCap: 10_000 })).signals).to.equal(1);
  });
});
