// Approvals opened by an ESCALATE: they show everything needed to decide, there is one for each action, and they are listed.
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import { APPROVAL_STATES } from '../../shared/core/decision/approval.ts';
import { listApprovals } from '../../shared/domain/approvals/list.ts';
import { type ApprovalsUnderTest, question, startApprovals } from '../support/approvals.ts';
import { asAnswered, type Client } from '../support/client.ts';
import { approve, ask, escalate, clearFilled, fillApprovals, gist, reject } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';
import { rowsRead } from '../support/rows-read.ts';

const HOUR_MS = 3_600_000;

describe('approvals opened by an ESCALATE', () => {
  let on: ApprovalsUnderTest;
  let service: Service;
  let client: Client;
  before(async () => {
    on = await startApprovals();
    ({ service, client } = on);
  });
  after(() => on?.close());

  it('show a human everything needed to decide, and are bound to exactly that action', async () => {
    const context = { ticket: 'OPS-1', rows: 3, ü: [null, { '"': '\n' }] };
    const asked = question({ context });
    const decision = await ask(client, asked);
    expect(decision).to.include({ verdict: 'ESCALATE', allowed: false });
    const { approval_id: approvalId, expires_at: expiresAt } = decision.approval;
    expect(Date.parse(expiresAt) - Date.parse(decision.evaluated_at)).to.equal(HOUR_MS);
    const approval = await on.read(approvalId);
    const { bound } = approval;
    const { risk: _, ...intent } = decision.intent;
    expect(intent).to.deep.include({ requested: { intent: asked.intent }, verb: 'delete', action: 'delete' });
    expect(bound.intent).to.deep.include(intent);
    expect(bound).to.deep.equal({
      agent: { id: asked.agent_id },
      context,
      environment: 'live',
      intent: bound.intent,
      intentId: null,
      organisation: { slug: 'default' },
    });
    expect(approval).to.deep.equal({
      requested: { intent: asked.intent },
      approvalId,
      status: 'pending',
      agentId: asked.agent_id,
      keyId: on.keyId,
      digest: createHash('sha256')
        .update(canonicalizeIndependently(bound) ?? '')
        .digest('hex'),
      intentId: null,
      createdAt: decision.evaluated_at,
      expiresAt,
      decidedAt: null,
      decidedBy: null,
      reason: null,
      usedAt: null,
      usedBy: null,
      usedDecisionId: null,
      approvers: null,
      votes: [],
      decision: { ...decision, stands: false, stands_reason: 'verdict' },
      bound,
      masked: [],
      context,
      mayDecide: true,
      mayApprove: true,
      canBeMet: true,
    });
    expect(asAnswered((await client.get(`/v1/decisions/${decision.decision_id}`)).text)).to.equal(
      JSON.stringify(decision),
    );
  });

  it('are not opened by another verdict, or by a dry run', async () => {
    const asked = question();
    expect(await ask(client, { ...asked, intent: 'delete:db/open/a' })).not.to.have.property('approval');
    expect(await ask(client, { ...asked, intent: 'delete:db/closed/a' })).not.to.have.property('approval');
    expect(await ask(service.admin, { ...asked, dry_run: true })).not.to.have.property('approval');
    expect((await service.admin.get(`/v1/approvals?agentId=${asked.agent_id}`)).json.items).to.deep.equal([]);
  });

  it('are reused while open, for any number of equal requests, also concurrent ones', async () => {
    const asked = question();
    const decisions = await Promise.all(Array.from({ length: 30 }, () => ask(client, asked)));
    const batch = (await client.post('/v1/enforce/batch', { requests: Array.from({ length: 5 }, () => asked) })).json;
    const kept = await client.post(
      '/v1/enforce/batch',
      { requests: [asked, asked] },
      { headers: { 'idempotency-key': `kept-${asked.agent_id}` } },
    );
    const all = [...decisions, ...batch.decisions, ...kept.json.decisions];
    expect(new Set(all.map((decision) => decision.approval.approval_id)).size).to.equal(1);
    expect(new Set(all.map((decision) => decision.decision_id)).size).to.equal(37);
    const stored = await service.rows('SELECT decision_id FROM decision WHERE agent_id = $1', [asked.agent_id]);
    expect(stored).to.have.lengthOf(37);
    const { items } = (await service.admin.get(`/v1/approvals?agentId=${asked.agent_id}`)).json;
    expect(items).to.have.lengthOf(1);
  });

  it('are opened by requests with an Idempotency-Key, alone and in a batch with two equal members', async () => {
    const asked = question();
    const headers = { 'idempotency-key': asked.agent_id };
    const first = await client.post('/v1/enforce', asked, { headers });
    const again = await client.post('/v1/enforce', asked, { headers });
    expect(again.text).to.equal(first.text);
    const other = question();
    const batch = await client.post(
      '/v1/enforce/batch',
      { requests: [other, { ...other, intent: 'nonsense' }, other] },
      { headers: { 'idempotency-key': other.agent_id } },
    );
    const [one, failed, two] = batch.json.decisions;
    expect(failed.error.code).to.equal('E2001');
    expect(one.approval).to.deep.equal(two.approval);
    for (const { approval_id: id } of [first.json.approval, one.approval])
      expect((await on.read(id)).status).to.equal('pending');
  });

  it('are limited to 1,000 for an agent: its further escalations name none, and other agents are not affected', async () => {
    const asked = question();
    await fillApprovals(service, asked.agent_id, 1);
    const last = await ask(client, asked);
    expect(last).to.have.property('approval');
    const more = (n: number) => ({ ...asked, context: { n } });
    const headers = { 'idempotency-key': `flood-${asked.agent_id}` };
    const refused = [
      await ask(client, more(1)),
      await ask(client, more(2), headers),
      ...(await client.post('/v1/enforce/batch', { requests: [more(3)] })).json.decisions,
    ];
    for (const decision of refused) {
      expect(gist(decision)).to.deep.equal(['ESCALATE', 'ASKED']);
      expect(decision).not.to.have.property('approval');
    }
    expect((await ask(client, asked)).approval, 'the open approval is named again').to.deep.equal(last.approval);
    await escalate(client, question());
    await reject(service.admin, last.approval.approval_id);
    await escalate(client, more(4));
    service.advance(60_000);
    for (const n of [5, 6]) await escalate(client, more(n));
    await clearFilled(service);
  });

  it('are separate for another agent, context, action, parse or key', async () => {
    const asked = question();
    const raw_intent = 'Delete the customers';
    const parse = (await client.post('/v1/intent', { agent_id: asked.agent_id, raw_intent })).json;
    const ids = await Promise.all([
      escalate(client, asked),
      escalate(client, { ...asked, agent_id: 'another' }),
      escalate(client, { ...asked, context: { a: 1 } }),
      escalate(client, { ...asked, context: { a: 2 } }),
      escalate(client, { ...asked, intent: `${asked.intent}/part` }),
      escalate(service.admin, asked),
    ]);
    expect(new Set(ids).size).to.equal(6);
    expect(await escalate(client, { ...asked, context: {} }), 'an absent context equals an empty one').to.equal(ids[0]);
    const withParse = await ask(client, {
      agent_id: asked.agent_id,
      intent: parse.normalized,
      intent_id: parse.intent_id,
    });
    const without = await ask(client, { agent_id: asked.agent_id, intent: parse.normalized });
    expect([withParse.verdict, without.verdict]).to.deep.equal(['DENY', 'DENY']);
  });

  it('are listed newest first, by status and agent, page by page', async () => {
    const agent_id = 'listed';
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      ids.unshift(await escalate(client, { agent_id, intent: `delete:db/asked/${name}` }));
      // Ids of the same millisecond have no order.
      service.advance(1);
    }
    await approve(service.admin, ids[4] ?? '');
    await reject(service.admin, ids[3] ?? '');
    const list = async (query: string) => (await service.admin.get(`/v1/approvals?agentId=${agent_id}${query}`)).json;
    const idsOf = (items: { approvalId: string }[]) => items.map(({ approvalId }) => approvalId);
    expect(idsOf((await list('')).items)).to.deep.equal(ids);
    expect(idsOf((await list('&status=pending')).items)).to.deep.equal(ids.slice(0, 3));
    expect(idsOf((await list('&status=approved')).items)).to.deep.equal([ids[4]]);
    const first = await list('&limit=2');
    const second = await list(`&limit=2&cursor=${first.nextCursor}`);
    const third = await list(`&limit=2&cursor=${second.nextCursor}`);
    expect(idsOf([...first.items, ...second.items, ...third.items])).to.deep.equal(ids);
    expect(third.nextCursor).to.equal(null);
    const [item] = first.items;
    expect(item).not.to.have.property('context');
    const { bound, mayDecide, mayApprove, canBeMet, ...whole } = await on.read(item.approvalId);
    const shown = [{ ...item, masked: [], context: {} }, bound.agent.id, mayDecide, mayApprove, canBeMet];
    expect(shown).to.deep.equal([whole, agent_id, true, true, true]);
    for (const query of ['&cursor=x', '&status=open', '&limit=0'])
      expect((await list(query)).code, query).to.equal('E2001');
  });

  it('are listed without a full scan', async () => {
    const organisationId = await service.addOrganisation('busy');
    // The n-th belongs to agent n mod 7; every hundredth is pending, the others were rejected.
    await service.rows(
      `INSERT INTO approval (organisation_id, environment, approval_id, state, agent_id, key_id, digest, decision_id, created_at, expires_at, decided_at, decided_by, reason)
       SELECT $1, 'live', 'apr_' || lpad(n::text, 26, '0'), CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'rejected' END, 'agent-' || n % 7, 'AAAAAAAA', lpad(n::text, 64, '0'),
         'dec_x', now(), $2, decided, CASE WHEN decided IS NULL THEN NULL ELSE 'BBBBBBBB' END, CASE WHEN decided IS NULL THEN NULL ELSE 'no' END
       FROM generate_series(1, 5000) n, LATERAL (SELECT CASE WHEN n % 100 = 0 THEN NULL ELSE now() END AS decided) AS of`,
      [organisationId, new Date(service.nowMs() + HOUR_MS)],
    );
    await service.rows('ANALYZE approval');
    for (const status of [undefined, ...APPROVAL_STATES])
      for (const agentIds of [undefined, ['nobody'], ['nobody', 'agent-3']]) {
        const filter = { organisationId, environment: 'live' as const, status, agentIds, nowMs: service.nowMs() };
        const read = await rowsRead(service.db.transaction, (sql) => listApprovals(sql, filter, 10));
        // Of 5,000 approvals, 50 are pending and each agent has 715.
        expect(read, `${status ?? 'any'} of ${agentIds?.join() ?? 'all'}`).to.be.at.most(1_500);
      }
  });

  it('no longer show the context once retention has erased the facts', async () => {
    const approvalId = await escalate(client, question({ context: { a: 1 } }));
    const { decision } = await on.read(approvalId);
    await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [
      decision.decision_id,
    ]);
    expect(await on.read(approvalId)).to.deep.include({ context: null, decision });
  });

  // Nested, so that it runs after all the others.
  describe('together', () => {
    it('leave a log whose chains and decisions all verify', () => on.expectWhole(0));
  });
});
