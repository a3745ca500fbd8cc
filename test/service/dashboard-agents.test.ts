// The data of the agents page: with very many agents, and for a bound key.
import { expect } from 'chai';
import { AGENT_LISTS } from '../../ingress/dashboard/agents.ts';
import type { SessionAnswer } from '../../ingress/dashboard/client/wire.ts';
import type { AgentActivity, AgentRows } from '../../ingress/dashboard/client/wire/agents.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { type Signed, signIn } from '../support/dashboard.ts';
import { type Reading, startReading } from '../support/dashboard-reading.ts';
import { sealAll } from '../support/seals.ts';
import type { Service } from '../support/service.ts';
import { rowsRead } from '../support/rows-read.ts';
import { startTestWorker } from '../support/worker.ts';

/** The agents are numbered in steps of five, up to this number. */
const LAST = 20_000;
describe('the data of the agents page', () => {
  const ids = ['zz', 'zz-1', 'zz-2', 'zz%', 'zz_', 'zz\u00e9', 'zz\u{10ffff}', 'zz\u{10ffff}x', 'z{'];
  let service: Service;
  let signed: Signed;
  let otherKey: string;
  let read: Reading['read'];
  let enforce: Reading['enforce'];

  before(async () => {
    ({ service, signed, otherKey, read, enforce } = await startReading());
    await service.rows(
      `INSERT INTO agent (organisation_id, environment, agent_id, name, status, created_at, updated_at)
       SELECT $1, 'live', 'fleet-' || lpad(n::text, 6, '0'), 'Fleet ' || n, CASE WHEN n % 4000 = 0 THEN 'SUSPENDED' ELSE 'ACTIVE' END, now(), now()
       FROM generate_series(5, ${LAST}, 5) n`,
      [service.operatorId],
    );
    await sealAll(service.db, 'agent');
    for (const agentId of ids) await service.admin.post('/v1/agents', { agentId, name: 'z' });
    await service.admin.withKey(otherKey).post('/v1/agents', { agentId: 'zz-of-another', name: 'z' });
    await service.rows('ANALYZE agent');
  });
  after(() => service?.close());

  it('reads about as many rows as the page shows, for every filter', async () => {
    const owner = [service.operatorId, 'live'];
    for (const [name, ...values] of [
      ['newest', '9223372036854775807', 51],
      ['newest', '500', 51],
      ['newestOfStatus', '9223372036854775807', 51, 'SUSPENDED'],
      ['newestOfStatus', '9223372036854775807', 51, 'TERMINATED'],
      ['byPrefix', 'fleet-0199', 'fleet-019:', 51],
      ['byPrefix', 'no', 'np', 51],
      ['byPrefixOfStatus', 'fleet-01', 'fleet-02', 51, 'SUSPENDED'],
    ] as const) {
      const read = await rowsRead(service.db.transaction, (sql) => sql.query(AGENT_LISTS[name], [...owner, ...values]));
      expect(read, `${name} ${values.join()}`).to.be.at.most(200);
    }
  });

  it('returns each agent once, page by page, while others are registered', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let n = 0; cursor !== null && n < 5; n += 1) {
      const page: AgentRows = await read(`/agents?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ agentId }) => agentId));
      cursor = page.nextCursor;
      await service.admin.post('/v1/agents', { agentId: `meanwhile-${n}`, name: 'new' });
    }
    expect(seen).to.have.length(1_000);
    expect(new Set(seen).size).to.equal(1_000);
    expect(seen.slice(0, ids.length)).to.deep.equal(ids.toReversed());
    expect(seen).not.to.include('zz-of-another');
  });

  it('finds the ids with a given prefix, in the order of code points, and no others', async () => {
    const found = async (prefix: string, more = ''): Promise<AgentRows> =>
      read(`/agents?prefix=${encodeURIComponent(prefix)}${more}`);
    const sorted = (of: readonly string[]): string[] =>
      of.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const prefix of ['z', 'zz', 'zz-', 'zz%', 'zz_', 'zz\u{10ffff}', 'ZZ', '\u{10ffff}'])
      expect(
        (await found(prefix)).items.map(({ agentId }) => agentId),
        prefix,
      ).to.deep.equal(sorted(ids.filter((id) => id.startsWith(prefix))));
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: AgentRows = await found('zz', `&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...page.items.map(({ agentId }) => agentId));
      cursor = page.nextCursor;
    }
    expect(walked).to.deep.equal(sorted(ids.filter((id) => id.startsWith('zz'))));
    const { items } = await read<AgentRows>('/agents?prefix=fleet-01&status=SUSPENDED');
    expect(items.map(({ agentId, status }) => [agentId, status])).to.deep.equal([
      ['fleet-012000', 'SUSPENDED'],
      ['fleet-016000', 'SUSPENDED'],
    ]);
    expect((await read<AgentRows>('/agents?status=SUSPENDED')).items).to.have.length(5);
  });

  it('lists agents, keys and chains by age in the API, too, independent of how their numbers sort as text', async () => {
    const listed: string[] = [];
    let cursor: string | null = '';
    for (let n = 0; cursor !== null && n < 6; n += 1) {
      const { items, nextCursor } = (
        await service.admin.get(`/v1/agents?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).json as { items: { agentId: string }[]; nextCursor: string | null };
      listed.push(...items.map(({ agentId }) => agentId));
      cursor = nextCursor;
    }
    const newest = await service.rows<{ agent_id: string }>(
      "SELECT agent_id FROM agent WHERE organisation_id = $1 AND environment = 'live' ORDER BY seq DESC LIMIT 30",
      [service.operatorId],
    );
    expect(listed).to.deep.equal(newest.map((row) => row.agent_id));
    for (let n = 0; n < 12; n += 1) await service.addKey({ name: `key-${n}` });
    const keys = (await service.admin.get('/v1/auth/keys?limit=12')).json.items as { name: string }[];
    expect(keys.map(({ name }) => name)).to.deep.equal(Array.from({ length: 12 }, (_, n) => `key-${11 - n}`));
    for (let n = 0; n < 12; n += 1) await enforce('data.read.user_profile', { agent_id: 'of-a-dozen' });
    const worker = await startTestWorker(service);
    await worker.append();
    await worker.close();
    const { head, items } = (await service.admin.get('/v1/proofs/chain/of-a-dozen')).json;
    expect(head).to.deep.equal({ chainIndex: 11, eventHash: items.at(-1).eventHash });
  });

  it('shows the same trust as the page of a single agent', async () => {
    const [row] = (await read<AgentRows>('/agents?prefix=zz-1')).items;
    const { score, level } = (await service.admin.get('/v1/trust/zz-1')).json;
    expect(row?.trust).to.deep.equal({ score, level });
  });

  it('shows the decisions, tools, keys and changes of status of an agent, registered or not', async () => {
    const agentId = 'an-active-agent';
    const activity = async (id = agentId): Promise<AgentActivity> => read(`/agents/${id}/activity`);
    await service.admin.post('/v1/agents', { agentId, name: 'n', tags: ['a'] });
    await enforce('data.read.user_profile', { agent_id: agentId });
    const tool = { server: 'files', name: 'run', arguments: {} };
    const { decision_id: decisionId, verdict } = (await service.admin.post('/v1/enforce', { agent_id: agentId, tool }))
      .json;
    const bound = await service.addKey({ name: 'of the agent', agentIds: [agentId, 'other'] });
    await service.addKey({ agentIds: ['other'] });
    await service.addKey({ agentIds: [agentId], expiresAtMs: service.nowMs() - 1 });
    await signed.send('PATCH', `/v1/agents/${agentId}`, { tags: ['b'] });
    await signed.send('PATCH', `/v1/agents/${agentId}`, { status: 'PAUSED', reason: 'incident 42' });
    await service.admin.patch(`/v1/agents/${agentId}`, { status: 'ACTIVE' });
    const { day, tools, keys, statusChanges } = await activity();
    expect([Object.values(day.counts).reduce((sum, n) => sum + n), day.more]).to.deep.equal([2, false]);
    expect(
      tools.items.map(({ server, name, counts, last }) => [server, name, counts[verdict as Verdict], last.decisionId]),
    ).to.deep.equal([['files', 'run', 1, decisionId]]);
    expect(tools).to.deep.include({ decisions: 2, more: false });
    expect(keys.items).to.deep.equal([{ keyId: bound.keyId, name: 'of the agent', agents: 2, expiresAt: null }]);
    expect(statusChanges.items.map(({ from, to, reason }) => [from, to, reason])).to.deep.equal([
      ['PAUSED', 'ACTIVE', null],
      ['ACTIVE', 'PAUSED', 'incident 42'],
      [null, 'ACTIVE', null],
    ]);
    expect(statusChanges.items.every(({ keyId, keyName }) => keyId !== null && keyName !== null)).to.equal(true);
    const [row] = (await read<AgentRows>(`/agents?prefix=${agentId}`)).items;
    expect([row?.day, row?.last?.decisionId]).to.deep.equal([day, decisionId]);
    await enforce('data.read.user_profile', { agent_id: 'never-registered' });
    expect((await activity('never-registered')).tools.decisions).to.equal(1);
    expect((await activity('never-heard-of')).statusChanges.items).to.deep.equal([]);
  });

  it('refuses a wrong cursor and an invalid prefix', async () => {
    for (const query of [
      'cursor=AAAA',
      'cursor=x&prefix=zz',
      'prefix=',
      `prefix=${'x'.repeat(257)}`,
      'status=active',
      'limit=0',
    ])
      expect((await signed.get(`/agents?${query}`)).json, query).to.deep.include({ status: 400, code: 'E2001' });
  });

  describe('with a key that is bound to some of the agents', () => {
    it('shows only these agents', async () => {
      for (const agentId of ['bound-1', 'bound-2', 'free-1'])
        await service.admin.post('/v1/agents', { agentId, name: 'n' });
      const first = await enforce('data.read.user_profile', { agent_id: 'bound-1' });
      const foreign = await enforce('data.read.user_profile', { agent_id: 'free-1' });
      const agentIds = ['bound-1', 'bound-2', 'not-registered'];
      const bound = await signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], agentIds })).key);
      const ids = async (query: string): Promise<string[]> =>
        (await read<AgentRows>(`/agents${query}`, bound)).items.map(({ agentId }) => agentId);
      expect(await ids('')).to.deep.equal(['bound-2', 'bound-1']);
      // The pages show the binding: otherwise the list would look complete.
      expect((await read<SessionAnswer>('/session', bound)).session?.bound?.agentIds).to.have.length(3);
      expect((await read<SessionAnswer>('/session')).session?.bound).to.equal(null);
      expect(await ids('?status=SUSPENDED')).to.deep.equal([]);
      expect(await ids('?prefix=bound')).to.deep.equal(['bound-1', 'bound-2']);
      expect(await ids('?prefix=free')).to.deep.equal([]);
      const page = await read<AgentRows>('/agents?prefix=b&limit=1', bound);
      expect(await ids(`?prefix=b&limit=1&cursor=${page.nextCursor}`)).to.deep.equal(['bound-2']);
      expect(await read(`/decisions/${first}/explanation`, bound)).to.have.property('state', 'explained');
      expect((await bound.get(`/decisions/${foreign}/explanation`)).json).to.include({ status: 404, code: 'E4001' });
      expect(await read('/decisions/newer', bound)).to.deep.equal({ newer: 1, more: false });
      expect((await bound.get('/decisions/newer?q=agent:free-1')).json).to.include({ status: 403, code: 'E1004' });
    });
  });
});
