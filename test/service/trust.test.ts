// Recorded trust over HTTP: scores, history, past times, agents, and the decisions that use it.
import { expect } from 'chai';
import { factsText } from '../support/stored-facts.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import type { Client } from '../support/client.ts';
import { leaveMidnight, type Service, startService } from '../support/service.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

const DAY_MS = 86_400_000;
/** Allows what an agent without evidence is not trusted with. */
const POLICY = {
  id: 'needs-trust',
  description: 'Level 2 may.',
  stage: 'enforce',
  target: { actions: ['update'], resources: ['db/*'] },
  rules: [
    {
      name: 'trusted',
      conditions: { all: [{ fact: 'trust', path: 'level', operator: 'greaterThanInclusive', value: 2 }] },
      event: { type: 'ALLOW', params: { code: 'TRUSTED', message: 'is trusted' } },
    },
  ],
};

describe('recorded trust', () => {
  let service: Service;
  let client: Client;
  before(async () => {
    service = await startService({ policies: { 'needs-trust.json': POLICY }, words: 'few' });
    leaveMidnight(service);
    client = await service.client({
      scopes: ['trust:write', 'trust:read', 'agents:write', 'agents:read', 'intents:write'],
    });
  });
  after(() => service?.close());

  const fold = () => foldJob.handler({ db: service.db, nowMs: service.nowMs, dailyCap: 10_000 })({ v: 1 });
  const register = (agentId: string) => client.post('/v1/agents', { agentId, name: agentId });
  const send = async (agentId: string, type: string, count = 1, more: object = {}): Promise<void> => {
    const answer = await client.post('/v1/trust/signals', {
      signals: Array.from({ length: count }, () => ({ agentId, type, ...more })),
    });
    expect(answer.status).to.equal(202);
  };
  const trust = async (agentId: string, query = '') =>
    (await client.get(`/v1/trust/${encodeURIComponent(agentId)}${query}`)).json;
  const enforce = async (agentId: string, more: object = {}) =>
    (await client.post('/v1/enforce', { intent: 'db.update.customers', agent_id: agentId, ...more })).json;
  /** Waits until this ingress decides with the first n signals of the agent. @returns milliseconds it took */
  const enforced = async (agentId: string, n: number): Promise<number> => {
    const began = performance.now();
    const what = `signal ${n} of ${agentId} to count in decisions`;
    await waitFor(async () => (await enforce(agentId)).trust.as_of.signals === n, { intervalMs: 5, what });
    return performance.now() - began;
  };

  it('of an unknown agent is that of no evidence, without an error', async () => {
    const today = new Date(service.nowMs()).toISOString().slice(0, 10);
    expect(await trust('nobody')).to.deep.equal({
      agentId: 'nobody',
      registered: false,
      score: 250,
      level: 1,
      tier: 'Observed',
      uncertainty: 1,
      evidence: { positive: 0, negative: 0, lastSignalAt: null },
      asOf: { signals: 0, day: today },
    });
    expect((await client.get('/v1/trust/nobody/history')).json).to.deep.equal({ items: [], nextCursor: null });
    expect((await trust('nobody', '?at=2020-01-01T00:00:00Z')).asOf).to.deep.equal({ signals: 0, day: '2020-01-01' });
  });

  it('follows the signals, and is shown with the agent, alone and in lists', async () => {
    await register('shown');
    const occurredAt = new Date(service.nowMs()).toISOString();
    await send('shown', 'success', 4, { occurredAt });
    await send('shown', 'failure', 1, { weight: 0.5, occurredAt });
    await fold();
    const shown = await trust('shown');
    expect(shown).to.include({
      registered: true,
      score: Math.floor((1_000 * 6_500) / 15_500),
      level: 2,
      tier: 'Provisional',
    });
    expect(shown.evidence).to.deep.equal({ positive: 4, negative: 0.5, lastSignalAt: occurredAt });
    const { score, level, tier, uncertainty } = shown;
    expect((await client.get('/v1/agents/shown')).json.trust).to.deep.equal({ score, level, tier, uncertainty });
    const listed = (await client.get('/v1/agents')).json.items.find(
      (agent: { agentId: string }) => agent.agentId === 'shown',
    );
    expect(listed.trust).to.deep.equal({ score, level, tier, uncertainty });
    expect((await client.patch('/v1/agents/shown', { name: 'renamed' })).json.trust).to.deep.equal({
      score,
      level,
      tier,
      uncertainty,
    });
  });

  it('affects decisions within a second of being folded, up and down', async () => {
    let agents = 0;
    const upAndDown = async (): Promise<number> => {
      agents += 1;
      const quick = `quick-${agents}`;
      await register(quick);
      expect((await enforce(quick)).verdict).to.equal('DENY');
      await send(quick, 'success', 10);
      await fold();
      const upMs = await enforced(quick, 10);
      const allowed = await enforce(quick);
      expect(allowed.verdict).to.equal('ALLOW');
      expect(allowed.trust).to.include({ score: 625, recorded_level: 3, effective_level: 3, uncertainty: 0.5 });
      await send(quick, 'violation');
      await fold();
      const downMs = await enforced(quick, 11);
      expect(await enforce(quick)).to.include({ verdict: 'DENY' });
      return Math.max(upMs, downMs);
    };
    expect(await leastMs(1_000, upAndDown)).to.be.below(1_000);
  });

  it('can only be lowered by a claim in the request', async () => {
    await register('claiming');
    await send('claiming', 'success', 10);
    await fold();
    await enforced('claiming', 10);
    expect((await enforce('claiming', { trust_level: 7 })).trust).to.include({ claimed_level: 7, effective_level: 3 });
    expect((await enforce('claiming', { trust_level: 1 })).trust).to.include({ recorded_level: 3, effective_level: 1 });
  });

  it('keeps the history of decisions while signals are folded', async () => {
    await register('remembered');
    for (let i = 0; i < 3; i += 1) await enforce('remembered');
    await send('remembered', 'success');
    await fold();
    await waitFor(async () => (await trust('remembered')).asOf.signals === 1);
    await enforced('remembered', 1);
    const [last] = await service.rows<{ facts: Buffer; n: string }>(
      "SELECT facts, count(*) OVER () AS n FROM decision WHERE agent_id = 'remembered' ORDER BY decision_id DESC LIMIT 1",
    );
    const facts = JSON.parse(factsText(last?.facts));
    expect(facts.history.last_1h.DENY + 1).to.equal(Number(last?.n));
  });

  it('of an unregistered agent never rises above no evidence, and is lowered by bad signals', async () => {
    await send('stranger', 'success', 10);
    await fold();
    await enforced('stranger', 10);
    expect((await enforce('stranger')).trust).to.include({ score: 250, recorded_level: 1 });
    expect(await trust('stranger')).to.include({ registered: false, score: 625 });
    await send('bad stranger', 'violation');
    await fold();
    await enforced('bad stranger', 1);
    expect((await enforce('bad stranger')).trust).to.include({ score: 62, recorded_level: 0 });
    await register('stranger');
    expect((await enforce('stranger')).trust).to.include({ score: 625 });
  });

  it('counts the signals of one key in one day only up to the cap', async () => {
    await register('flattered');
    await send('flattered', 'success', 500);
    await fold();
    expect(await trust('flattered')).to.deep.include({ score: 625 });
    expect((await trust('flattered')).evidence.positive).to.equal(10);
    const second = await service.client({ scopes: ['trust:write'] });
    await second.post('/v1/trust/signals', {
      signals: Array.from({ length: 20 }, () => ({ agentId: 'flattered', type: 'success' })),
    });
    await fold();
    expect(await trust('flattered')).to.deep.include({ score: 750 });
  });

  it('has a history that is listed newest first, page by page and by time range', async () => {
    const times: string[] = [];
    for (const type of ['success', 'failure', 'violation'] as const) {
      service.advance(10);
      times.push(new Date(service.nowMs()).toISOString());
      await send('listed', type, 2);
      await fold();
    }
    const path = '/v1/trust/listed/history';
    const { items } = (await client.get(path)).json;
    const now = await trust('listed');
    expect(items).to.have.length(3);
    expect(items[0]).to.include({ score: now.score, level: now.level, tier: now.tier });
    expect(
      items.map((item: { cause: { firstSignal: number; lastSignal: number } }) => [
        item.cause.firstSignal,
        item.cause.lastSignal,
      ]),
    ).to.deep.equal([
      [5, 6],
      [3, 4],
      [1, 2],
    ]);
    expect(items[0].cause).to.include({ success: 0, failure: 0, violation: 2 });
    const first = (await client.get(`${path}?limit=2`)).json;
    expect(first.items).to.deep.equal(items.slice(0, 2));
    expect((await client.get(`${path}?limit=2&cursor=${first.nextCursor}`)).json).to.deep.equal({
      items: items.slice(2),
      nextCursor: null,
    });
    expect((await client.get(`${path}?from=${times[1]}&to=${times[2]}`)).json.items).to.deep.equal([items[1]]);
    expect((await client.get(`${path}?cursor=nonsense`)).json.errors[0].pointer).to.equal('?cursor');
    const { agentId, score } = (await client.get(`/v1/trust/listed?at=${times[1]}`)).json;
    expect([agentId, score]).to.deep.equal(['listed', items[2].score]);
  });

  it('is recomputed for the time of every decision as the decision recorded it, over days', async () => {
    await register('audited');
    const decisions: { evaluated_at: string; trust: { score: number; uncertainty: number; as_of: object } }[] = [];
    let n = 0;
    for (const [type, count, days] of [
      ['success', 7, 1],
      ['success', 5, 3],
      ['violation', 1, 20],
      ['failure', 3, 0],
      ['success', 9, 11],
    ] as const) {
      await send('audited', type, count, { weight: 0.9 });
      await fold();
      n += count;
      await enforced('audited', n);
      decisions.push(await enforce('audited'));
      service.advance(days * DAY_MS + 5);
      // The agent is cached: the new day must take effect without a change notice.
      decisions.push(await enforce('audited'));
      service.advance(5);
    }
    const scores = new Set<number>();
    for (const { evaluated_at, trust: recorded } of decisions) {
      const then = await trust('audited', `?at=${evaluated_at}`);
      expect({ score: then.score, uncertainty: then.uncertainty, as_of: then.asOf }, evaluated_at).to.deep.equal({
        score: recorded.score,
        uncertainty: recorded.uncertainty,
        as_of: recorded.as_of,
      });
      scores.add(then.score);
    }
    expect(scores.size).to.be.above(6);
  });

  it('drifts towards the base rate over time when no signals arrive', async () => {
    await send('idle', 'violation');
    await fold();
    const score = async (days: number): Promise<number> =>
      (await trust('idle', `?at=${new Date(service.nowMs() + days * DAY_MS).toISOString()}`)).score;
    expect([await score(0), await score(30), await score(60), await score(990)]).to.deep.equal([62, 100, 142, 249]);
    expect(await score(2_000)).to.equal(250);
  });
});
