// The data of the decision pages: the explanation, also with damaged or erased facts, and the number of newer decisions.
import { expect } from 'chai';
import { factsText } from '../support/stored-facts.ts';
import { storePlainRecords } from '../support/stored-records.ts';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import type {
  DecisionExplanation,
  DecisionHistogram,
  DecisionsFound,
  NewerDecisions,
} from '../../ingress/dashboard/client/wire/decisions.ts';
import { Reasons1763700000030 } from '../../shared/platform/db/migrations/0030-reasons.ts';
import { adminUrlOf, asSuperuser } from '../support/database.ts';
import { type Signed, signIn } from '../support/dashboard.ts';
import { type Reading, startReading } from '../support/dashboard-reading.ts';
import { approve, ask, escalate, ESCALATING } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';

describe('the data of the decisions page', () => {
  let service: Service;
  let signed: Signed;
  let other: Signed;
  let read: Reading['read'];
  let enforce: Reading['enforce'];

  before(async () => {
    ({ service, signed, other, read, enforce } = await startReading());
  });
  after(() => service?.close());

  it('explains a decision by its own facts and policy set, also when another set is in force', async () => {
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

  it('names the cause when the verdict did not come from the policies alone', async () => {
    await service.apply(ESCALATING);
    const asking = await service.client();
    const question = { intent: 'delete:db/asked/users', agent_id: 'agent-1' };
    const approvalId = await escalate(asking, question);
    await approve(service.admin, approvalId);
    const used = await ask(asking, { ...question, approval_id: approvalId });
    expect(used.verdict).to.equal('ALLOW');
    expect(await read(`/decisions/${used.decision_id}/explanation`)).to.deep.include({
      special: 'used',
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

  it('reports erased, changed and invalid facts', async () => {
    const change = async (id: string, facts: Buffer | null): Promise<DecisionExplanation> => {
      await asSuperuser(service.db, async (sql) => {
        const text = `UPDATE decision SET facts = $2 ${facts === null ? ', facts_salt = NULL' : ''} WHERE decision_id = $1`;
        await sql.query(text, [id, facts]);
      });
      return read(`/decisions/${id}/explanation`);
    };
    const facts = async (id: string): Promise<string> =>
      factsText(
        (await service.rows<{ facts: Buffer }>('SELECT facts FROM decision WHERE decision_id = $1', [id]))[0]?.facts,
      );
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

  it('counts newer decisions', async () => {
    const first = await enforce('data.read.user_profile');
    // Ids of the same millisecond have no order.
    service.advance(1);
    for (let i = 0; i < 3; i += 1) await enforce('data.read.user_profile');
    service.advance(1);
    const second = await enforce('db.delete.production.users', { agent_id: 'agent-2' });
    const newer = async (query: string, by = signed): Promise<NewerDecisions> => read(`/decisions/newer?${query}`, by);
    expect(await newer(`after=${first}`)).to.deep.equal({ newer: 4, more: false });
    expect(await newer(`after=${first}&q=verdict:deny`)).to.deep.equal({ newer: 1, more: false });
    expect(await newer(`after=${first}&q=agent:agent-2`)).to.deep.equal({ newer: 1, more: false });
    expect(await newer(`after=${second}`)).to.deep.equal({ newer: 0, more: false });
    expect((await newer('')).newer).to.be.above(4);
    expect(await newer('', other)).to.deep.equal({ newer: 0, more: false });
    expect((await signed.get('/decisions/newer?after=x')).status).to.equal(400);
  });

  describe('the search', () => {
    const found = async (q: string, by = signed): Promise<string[]> =>
      (await read<DecisionsFound>(`/decisions/search?q=${encodeURIComponent(q)}`, by)).items.map(
        ({ decision_id: id }) => id,
      );
    let searched: Record<'delete' | 'read' | 'tool', string>;
    before(async () => {
      await service.apply();
      service.advance(1_000);
      const call = { server: 'files', name: 'write "it"', arguments: { path: '/srv/é' } };
      const { json } = await service.admin.post('/v1/enforce', { tool: call, agent_id: 'searched-2' });
      searched = {
        delete: await enforce('db.delete.production.searched_users', { agent_id: 'searched-1' }),
        read: await enforce('data.read.searched_profile', { agent_id: 'searched-2' }),
        tool: json.decision_id as string,
      };
    });

    for (const [q, expected] of [
      ['reason:TRUST_TOO_LOW agent:searched-1', ['delete']],
      ['reason:AGENT_NOT_REGISTERED intent:db.delete.production.searched', ['delete']],
      ['intent:data.read.searched', ['read']],
      ['intent:read.searched', []],
      ['resource:db/production/searched', ['delete']],
      ['searched_users -verdict:allow', ['delete']],
      ['"files" -agent:searched-1 action:unknown', ['tool']],
      ['tool:"write \\"it\\""', ['tool']],
      ['tool:"files/write \\"it\\""', ['tool']],
      ['server:files', ['tool']],
      ['policy:production agent:searched-1', ['delete']],
      ['risk:high agent:searched-1', []],
      ['verdict:allow reason:READ_OPEN agent:searched-2', ['read']],
      ['reason:READ_OPEN agent:searched-2', []],
    ] as const)
      it(`finds ${expected.join(', ') || 'nothing'} by ${q}`, async () => {
        expect(await found(q)).to.deep.equal(expected.map((name) => searched[name]));
        expect(await found(q, other), 'nothing of another organisation').to.deep.equal([]);
        const { counts, countedTo } = await read<DecisionHistogram>(`/decisions/histogram?q=${encodeURIComponent(q)}`);
        const total = Object.values(counts).flat();
        expect([total.reduce((sum, count) => sum + count, 0), countedTo]).to.deep.equal([expected.length, null]);
      });

    it('by reason is part of the API, for decisions that are not ALLOW', async () => {
      const by = async (query: string): Promise<string[]> =>
        (await service.admin.get(`/v1/decisions?${query}`)).json.items.map(
          (each: { decision_id: string }) => each.decision_id,
        );
      expect(await by('reason=AGENT_NOT_REGISTERED&agentId=searched-1')).to.deep.equal([searched.delete]);
      expect(await by('reason=READ_OPEN&agentId=searched-2')).to.deep.equal([]);
      expect((await service.admin.get('/v1/decisions?reason=low')).json.errors[0].pointer).to.equal('?reason');
    });

    it('refuses a wrong search with the reason, and agents that the key is not bound to', async () => {
      const wrong = await signed.get('/decisions/search?q=colour:red');
      expect([wrong.status, wrong.json.errors[0].pointer]).to.deep.equal([400, '?q']);
      expect(wrong.json.errors[0].message).to.match(/^There is no field colour\. Fields: agent, /);
      const { key } = await service.addKey({ scopes: ['admin:*'], agentIds: ['searched-2'] });
      const bound = await signIn(service.admin, key);
      expect((await bound.get('/decisions/search?q=agent:searched-1')).json.code).to.equal('E1004');
      const seen = await read<DecisionsFound>('/decisions/search', bound);
      expect(new Set(seen.items.map(({ agent_id: agent }) => agent))).to.deep.equal(new Set(['searched-2']));
      expect(await read('/decisions/suggestions?field=reason', bound)).to.deep.equal({ values: [] });
    });

    it('finds decisions by reason that were made before reasons had a column', async () => {
      const made = 'SELECT decision_id, reasons FROM decision ORDER BY decision_id';
      const sql = new pg.Client({ connectionString: adminUrlOf(service.databaseUrl) });
      await sql.connect();
      try {
        const query = async (text: string, values?: unknown[]): Promise<unknown> =>
          (await sql.query(text, values)).rows;
        // The migration uses nothing else of its runner.
        const runner = { query } as QueryRunner;
        const before = await query(made);
        await storePlainRecords(service.db);
        await sql.query('BEGIN');
        await new Reasons1763700000030().down(runner);
        await new Reasons1763700000030().up(runner);
        expect(await query(made)).to.deep.equal(before);
        await sql.query('ROLLBACK');
      } finally {
        await sql.end();
      }
    });

    it('suggests what is known', async () => {
      expect(await read('/decisions/suggestions?field=tool&prefix=fil')).to.deep.equal({
        values: ['files/write "it"'],
      });
      expect(await read('/decisions/suggestions?field=reason&prefix=not_reg')).to.deep.equal({
        values: ['AGENT_NOT_REGISTERED'],
      });
      expect(await read('/decisions/suggestions?field=server', other)).to.deep.equal({ values: [] });
    });
  });
});
