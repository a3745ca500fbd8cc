// What the pages of decisions, agents and audit read: the routes of the dashboard's own, with many agents and with damaged rows.
import { expect } from 'chai';
import { AGENT_LISTS } from '../../ingress/dashboard/agents.ts';
import type {
  AgentRows,
  AuditedLogs,
  DecisionExplanation,
  NewerDecisions,
  OperatorAction,
  OperatorActions,
} from '../../ingress/dashboard/client/wire.ts';
import { generateKey } from '../../shared/keys/format.ts';
import { type Signed, signIn, trySignIn } from '../support/dashboard.ts';
import { approve, ask, escalate, ESCALATING } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';
import { startTestWorker } from '../support/worker.ts';

const MANY = 20_000;
/** What is looked up in the index. */
const CONDITIONS = {
  newest: /seq </,
  newestOfStatus: /status =.*seq </,
  byPrefix: /agent_id\)?(::text)? >= .*agent_id\)?(::text)? </,
} as const;

describe('what the pages read', function suite() {
  this.timeout(30_000);
  let service: Service;
  let signed: Signed;
  let other: Signed;
  let otherKey: string;
  let otherId: string;

  before(async function () {
    this.timeout(60_000);
    service = await startService();
    otherId = await service.addOrganisation('other');
    otherKey = (await service.addKey({ organisationId: otherId, scopes: ['admin:*'] })).key;
    signed = await signIn(service.admin, service.adminKey);
    other = await signIn(service.admin, otherKey);
  });
  after(() => service.close());

  /** The body of an answer; its shape is what the pages expect. */
  async function read<T>(path: string, by: Signed = signed): Promise<T> {
    const answer = await by.get(path);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer.json as T;
  }
  const enforce = async (intent: string, more: object = {}): Promise<string> =>
    (await service.admin.post('/v1/enforce', { intent, agent_id: 'agent-1', trust_level: 7, ...more })).json
      .decision_id as string;

  describe('of agents', () => {
    const ids = ['zz', 'zz-1', 'zz-2', 'zz%', 'zz_', 'zz\u00e9', 'zz\u{10ffff}', 'zz\u{10ffff}x', 'z{'];
    before(async () => {
      await service.rows(
        `INSERT INTO agent (organisation_id, environment, agent_id, name, status, created_at, updated_at)
         SELECT $1, 'live', 'fleet-' || lpad(n::text, 6, '0'), 'Fleet ' || n, CASE WHEN n % 4000 = 0 THEN 'SUSPENDED' ELSE 'ACTIVE' END, now(), now()
         FROM generate_series(1, ${MANY}) n`,
        [service.operatorId],
      );
      for (const agentId of ids) await service.admin.post('/v1/agents', { agentId, name: 'z' });
      await service.admin.withKey(otherKey).post('/v1/agents', { agentId: 'zz-of-another', name: 'z' });
      await service.rows('ANALYZE agent');
    });

    it('reads an index from where the page begins, whichever way one looks', async () => {
      const owner = `'${service.operatorId}', 'live'`;
      for (const [name, parameters] of [
        ['newest', `${owner}, 9223372036854775807, 51`],
        ['newest', `${owner}, 500, 51`],
        ['newestOfStatus', `${owner}, 9223372036854775807, 51, 'SUSPENDED'`],
        ['newestOfStatus', `${owner}, 9223372036854775807, 51, 'TERMINATED'`],
        ['byPrefix', `${owner}, 'fleet-0199', 'fleet-019:', 51`],
        ['byPrefix', `${owner}, 'no', 'np', 51`],
        ['byPrefixOfStatus', `${owner}, 'fleet-01', 'fleet-02', 51, 'SUSPENDED'`],
      ] as const) {
        const { text } = AGENT_LISTS[name];
        const values = parameters.split(', ');
        const filled = text.replace(/\$(\d)/g, (_, n: string) => values[Number(n) - 1] ?? '');
        const plan = await service.rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${filled}`);
        const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
        expect(lines, `${name} ${parameters}`).not.to.contain('Seq Scan');
        expect(lines, `${name} ${parameters}`).to.match(/Index (Only )?Scan/);
        // The place where the page begins, and the status, are looked up and not filtered out of everything. Of a rare
        // status all agents are read instead, when that is less.
        if (name !== 'byPrefixOfStatus')
          expect(/Index Cond: \((.*)\)/.exec(lines)?.[1], lines).to.match(CONDITIONS[name]);
      }
    });

    it('gives each agent once, page by page, while others are registered', async () => {
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

    it('finds what begins with a text, in the order of code points, and nothing else', async () => {
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

    it('lists agents, keys and chains by age in the API, too, whatever their numbers look like as texts', async () => {
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

    it('says what an agent is trusted with, as its own page does', async () => {
      const [row] = (await read<AgentRows>('/agents?prefix=zz-1')).items;
      const { score, level } = (await service.admin.get('/v1/trust/zz-1')).json;
      expect(row?.trust).to.deep.equal({ score, level });
    });

    it('refuses what is no cursor of the list, and a prefix that is no text', async () => {
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
  });

  describe('of decisions', () => {
    it('explains one on record by its own facts and set, also when another set is in force', async () => {
      const id = await enforce('db.delete.production.users');
      const decision = (await service.admin.get(`/v1/decisions/${id}`)).json;
      const first = await read<DecisionExplanation>(`/decisions/${id}/explanation`);
      expect(first).to.deep.include({
        state: 'explained',
        verdict: decision.verdict,
        agrees: true,
        special: null,
        factsAsRecorded: true,
      });
      if (first.state !== 'explained') return;
      for (const { policy, rule, effect } of decision.reasons)
        expect(
          first.rules.some(
            (each) => each.matched && each.policy === policy && each.rule === rule && each.effect === effect,
          ),
        ).to.equal(true);
      expect(first.matched).to.equal(first.rules.filter(({ matched }) => matched).length);
      expect(first.rules.slice(0, first.matched).every(({ matched }) => matched)).to.equal(true);
      expect(first.facts).to.have.nested.property('agent.id', 'agent-1');
      await service.apply(ESCALATING);
      expect(await read(`/decisions/${id}/explanation`)).to.deep.equal(first);
      await service.apply();
      expect((await other.get(`/decisions/${id}/explanation`)).json).to.deep.include({ status: 404, code: 'E4001' });
    });

    it('says what decided beside the policies', async () => {
      await service.apply(ESCALATING);
      const asking = await service.client();
      const question = { intent: 'delete:db/asked/users', agent_id: 'agent-1' };
      const approvalId = await escalate(asking, question);
      await approve(service.admin, approvalId);
      const used = await ask(asking, { ...question, approval_id: approvalId });
      expect(used.verdict).to.equal('ALLOW');
      expect(await read(`/decisions/${used.decision_id}/explanation`)).to.deep.include({
        special: 'approved',
        verdict: 'ESCALATE',
      });
      const again = await ask(asking, { ...question, intent: 'delete:db/asked/more', approval_id: approvalId });
      expect(await read(`/decisions/${again.decision_id}/explanation`)).to.deep.include({
        special: 'refused',
        verdict: 'ESCALATE',
      });
      asking.close();
      await service.apply();
      await service.admin.post('/v1/halt', { reason: 'a drill' });
      const halted = await enforce('data.read.user_profile');
      await service.admin.delete('/v1/halt');
      expect(await read(`/decisions/${halted}/explanation`)).to.deep.include({ special: 'halted', agrees: false });
    });

    it('says so when facts were erased, changed, or are none', async () => {
      const change = async (id: string, facts: Buffer | null): Promise<DecisionExplanation> => {
        await service.db.transaction(async (sql) => {
          // As somebody with all rights over the database: its triggers do not run.
          await sql.query({ name: 'no-triggers', text: 'SET LOCAL session_replication_role = replica' }, []);
          const text = `UPDATE decision SET facts = $2 ${facts === null ? ', facts_salt = NULL' : ''} WHERE decision_id = $1`;
          await sql.query({ name: `change-facts-${facts === null}`, text }, [id, facts]);
        });
        return read(`/decisions/${id}/explanation`);
      };
      const facts = async (id: string): Promise<string> =>
        (
          (await service.rows<{ facts: Buffer }>('SELECT facts FROM decision WHERE decision_id = $1', [id]))[0]
            ?.facts ?? ''
        ).toString();
      const [erased, changed, spoilt] = [
        await enforce('data.read.a'),
        await enforce('data.read.b'),
        await enforce('data.read.c'),
      ];
      const other_ = (await facts(changed)).replaceAll('"read"', '"delete"');
      expect(await change(changed, Buffer.from(other_))).to.deep.include({
        state: 'explained',
        factsAsRecorded: false,
      });
      expect(await change(spoilt, Buffer.from('{"a":1}'))).to.deep.include({ state: 'unreadable' });
      expect(await change(erased, null)).to.deep.equal({ state: 'erased' });
      for (const id of ['nothing', `dec_${'0'.repeat(26)}`])
        expect((await signed.get(`/decisions/${id}/explanation`)).status).to.equal(404);
    });

    it('counts what came since', async () => {
      const first = await enforce('data.read.user_profile');
      for (let i = 0; i < 3; i += 1) await enforce('data.read.user_profile');
      const second = await enforce('db.delete.production.users', { agent_id: 'agent-2' });
      const newer = async (query: string, by = signed): Promise<NewerDecisions> =>
        read(`/decisions/newer?${query}`, by);
      expect(await newer(`after=${first}`)).to.deep.equal({ newer: 4, more: false });
      expect(await newer(`after=${first}&verdict=DENY`)).to.deep.equal({ newer: 1, more: false });
      expect(await newer(`after=${first}&agentId=agent-2`)).to.deep.equal({ newer: 1, more: false });
      expect(await newer(`after=${second}`)).to.deep.equal({ newer: 0, more: false });
      expect((await newer('')).newer).to.be.above(4);
      expect(await newer('', other)).to.deep.equal({ newer: 0, more: false });
      expect((await signed.get('/decisions/newer?after=x')).status).to.equal(400);
    });
  });

  describe('of agents and decisions by a key that is bound to some of the agents', () => {
    it('is what the API shows it, and nothing of the other agents', async () => {
      for (const agentId of ['bound-1', 'bound-2', 'free-1'])
        await service.admin.post('/v1/agents', { agentId, name: 'n' });
      const first = await enforce('data.read.user_profile', { agent_id: 'bound-1' });
      const foreign = await enforce('data.read.user_profile', { agent_id: 'free-1' });
      const agentIds = ['bound-1', 'bound-2', 'not-registered'];
      const bound = await signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], agentIds })).key);
      const ids = async (query: string): Promise<string[]> =>
        (await read<AgentRows>(`/agents${query}`, bound)).items.map(({ agentId }) => agentId);
      expect(await ids('')).to.deep.equal(['bound-2', 'bound-1']);
      expect(await ids('?status=SUSPENDED')).to.deep.equal([]);
      expect(await ids('?prefix=bound')).to.deep.equal(['bound-1', 'bound-2']);
      expect(await ids('?prefix=free')).to.deep.equal([]);
      const page = await read<AgentRows>('/agents?prefix=b&limit=1', bound);
      expect(await ids(`?prefix=b&limit=1&cursor=${page.nextCursor}`)).to.deep.equal(['bound-2']);
      expect(await read(`/decisions/${first}/explanation`, bound)).to.have.property('state', 'explained');
      expect((await bound.get(`/decisions/${foreign}/explanation`)).json).to.include({ status: 404, code: 'E4001' });
      expect(await read('/decisions/newer', bound)).to.deep.equal({ newer: 1, more: false });
      expect((await bound.get('/decisions/newer?agentId=free-1')).json).to.include({ status: 403, code: 'E1004' });
    });
  });

  describe('of the audit', () => {
    it('tells the state of the own log and each finding with what it means', async () => {
      const fresh = await service.addKey({
        organisationId: await service.addOrganisation('fresh'),
        scopes: ['admin:*'],
      });
      const nothing = await read<AuditedLogs>('/audit/logs', await signIn(service.admin, fresh.key));
      expect(nothing).to.deep.equal({ logs: [] });
      const worker = await startTestWorker(service);
      await worker.append();
      await worker.close();
      const [log] = (await read<AuditedLogs>('/audit/logs')).logs;
      expect(log).to.deep.include({ generation: 1, haltedReason: null, audit: null, waiting: 0 });
      expect(log?.checkpoint?.size).to.equal(log?.size);
      const finding = {
        kind: 'leaf-missing',
        leafIndex: 3,
        proofId: null,
        sentence: 'Leaf 3 is not there.',
        place: 'head',
      };
      await service.rows(
        'INSERT INTO audit (log_id, audited_size, ok, findings, audited_at) SELECT log_id, 7, false, $1, now() FROM log WHERE organisation_id = $2',
        [JSON.stringify(Array.from({ length: 300 }, () => finding)), service.operatorId],
      );
      const [failed] = (await read<AuditedLogs>('/audit/logs')).logs;
      expect(failed?.audit).to.deep.include({ ok: false, auditedSize: 7, total: 300 });
      expect(failed?.audit?.findings).to.have.length(200);
      expect(failed?.audit?.findings[0]).to.deep.equal({
        kind: 'leaf-missing',
        meaning: 'a leaf was deleted',
        leafIndex: 3,
        proofId: null,
        sentence: 'Leaf 3 is not there.',
      });
    });

    it('lists each action once with its end, and shows nobody what another did', async () => {
      const actions = async (by: Signed, query = ''): Promise<readonly OperatorAction[]> =>
        (await read<OperatorActions>(`/audit/actions${query}`, by)).items;
      await signed.send('POST', '/v1/agents', { agentId: 'made-here', name: 'x' });
      await signed.send('PATCH', '/v1/agents/nobody', { status: 'PAUSED' });
      await other.send('DELETE', '/v1/agents/none-of-theirs');
      const mine = await actions(signed);
      expect(
        mine.slice(0, 2).map(({ action, outcome, status, code }) => [action, outcome, status, code]),
      ).to.deep.equal([
        ['PATCH /dashboard/api/v1/agents/{agentId}', 'refused', 404, 'E4002'],
        ['POST /dashboard/api/v1/agents', 'done', 201, null],
      ]);
      expect(mine.filter(({ outcome }) => outcome === 'begun')).to.deep.equal([]);
      expect(mine.every(({ subject }) => !subject.includes('none-of-theirs'))).to.equal(true);
      const theirs = await actions(other);
      expect(theirs.map(({ action, outcome, keyName }) => [action, outcome, keyName])).to.deep.equal([
        ['DELETE /dashboard/api/v1/agents/{agentId}', 'refused', 'test'],
        ['sign-in', 'done', 'test'],
      ]);
      expect(await actions(signed, '?outcome=done')).to.satisfy((all: readonly OperatorAction[]) =>
        all.every(({ outcome }) => outcome === 'done'),
      );
    });

    it('shows attempts to sign in to whom they concern: the owner of the key, and the operator', async () => {
      const unknown = generateKey('live');
      await trySignIn(service.admin, unknown.key);
      const limited = await service.addKey({ organisationId: otherId, name: 'their reader', scopes: ['proofs:read'] });
      await trySignIn(service.admin, limited.key);
      const of = async (by: Signed): Promise<Map<string | null, OperatorAction>> =>
        new Map((await read<OperatorActions>('/audit/actions', by)).items.map((item) => [item.keyId, item]));
      const bound = await service.addKey({ scopes: ['admin:*'], agentIds: ['agent-1'] });
      const ofBound = await of(await signIn(service.admin, bound.key));
      expect([...ofBound.keys()], 'a bound key sees what it did itself').to.deep.equal([bound.keyId]);
      const [mine, theirs] = [await of(signed), await of(other)];
      expect(mine.get(unknown.keyId)).to.deep.include({
        outcome: 'refused',
        status: 401,
        code: 'E1002',
        keyName: null,
      });
      expect(theirs.has(unknown.keyId)).to.equal(false);
      expect(theirs.get(limited.keyId)).to.deep.include({ outcome: 'refused', status: 403, keyName: 'their reader' });
      expect(mine.get(limited.keyId)?.keyName, 'names of others stay theirs').to.equal(null);
    });

    it('shows an action whose end is not on record, and goes on page by page', async () => {
      await service.rows(
        `INSERT INTO dashboard_audit (at, request_id, key_id, organisation_id, environment, address, action, subject, outcome)
         SELECT now(), 'lost-' || n, 'k', $1, 'live', '127.0.0.1', 'POST /dashboard/api/v1/halt', '/dashboard/api/v1/halt', 'begun' FROM generate_series(1, 5) n`,
        [service.operatorId],
      );
      const walked: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: OperatorActions = await read(
          `/audit/actions?outcome=begun&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        walked.push(...page.items.map(({ seq }) => seq));
        expect(page.items.every(({ requestId, status }) => requestId.startsWith('lost-') && status === null)).to.equal(
          true,
        );
        cursor = page.nextCursor;
      }
      expect(walked).to.have.length(5);
      expect(walked).to.deep.equal(walked.toSorted((a, b) => b - a));
    });

    it('asks for a session, and for no more than a page at once', async () => {
      for (const path of ['/agents', '/decisions/newer', '/decisions/x/explanation', '/audit/logs', '/audit/actions']) {
        const answer = await service.admin.get(`/dashboard/api${path}`, {
          key: null,
          check: false,
          headers: { 'x-custos-dashboard': '1' },
        });
        expect(answer.status, path).to.equal(401);
      }
      expect((await signed.get('/audit/actions?limit=201')).status).to.equal(400);
    });
  });
});
