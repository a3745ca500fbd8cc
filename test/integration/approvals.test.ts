// Approvals over HTTP: what an ESCALATE opens, what a human may do with it, and that it is good once, for one action of one agent.
import { expect } from 'chai';
import type { Sql } from '../../shared/db/database.ts';
import { APPROVAL_STATES, approvalDigest } from '../../shared/decide/approval.ts';
import { listApprovals } from '../../shared/decide/approval-list.ts';
import { expireApprovals } from '../../shared/decide/approval-store.ts';
import { createEvidenceStore } from '../../shared/decide/verify-store.ts';
import { createStoredVerifier } from '../../shared/decide/verify-stored.ts';
import { compileLexicon } from '../../shared/intent/lexicon.ts';
import type { Client } from '../support/client.ts';
import {
  approve,
  ask,
  type Asking,
  DENYING,
  escalate,
  ESCALATING,
  fillApprovals,
  gist,
  PERMITTING,
  reject,
} from '../support/escalations.ts';
import { checkLog } from '../support/log-check.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const HOUR_MS = 3_600_000;

describe('approvals', function () {
  this.timeout(60_000);
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  let keyId: string;
  before(async () => {
    service = await startService({ policies: ESCALATING });
    worker = await startTestWorker(service);
    const made = await service.addKey();
    client = service.admin.withKey(made.key);
    keyId = made.keyId;
  });
  after(async () => {
    await worker?.close();
    await service?.close();
  });

  let names = 0;
  /** A question that no other test has asked. */
  const question = (more: object = {}): Asking => {
    names += 1;
    return { agent_id: `agent-${names}`, intent: `delete:db/asked/table_${names}`, ...more };
  };
  const read = async (approvalId: string) => (await service.admin.get(`/v1/approvals/${approvalId}`)).json;
  const adminKeyId = (): string => service.adminKey.slice('cst_live_'.length, 'cst_live_'.length + 8);
  const leavesOf = async (agentId: string): Promise<{ event: string; body: Record<string, unknown> }[]> => {
    const rows = await service.rows<{ event: string; record: Buffer }>(
      "SELECT event, record FROM record WHERE entity_id = $1 AND event = 'custos.approval' ORDER BY proof_id",
      [agentId],
    );
    return rows.map(({ event, record }) => ({ event, body: JSON.parse(`${record.toString('utf8')}}`).payload.body }));
  };
  const statesOf = async (agentId: string) => (await leavesOf(agentId)).map(({ body }) => body.state);

  describe('opened by an ESCALATE', () => {
    it('show a human all that is needed to decide, and are bound to exactly that action', async () => {
      const context = { ticket: 'OPS-1', rows: 3, ü: [null, { '"': '\n' }] };
      const asked = question({ context });
      const decision = await ask(client, asked);
      expect(decision).to.include({ verdict: 'ESCALATE', allowed: false });
      const { approval_id: approvalId, expires_at: expiresAt } = decision.approval;
      expect(Date.parse(expiresAt) - Date.parse(decision.evaluated_at)).to.equal(HOUR_MS);
      const approval = await read(approvalId);
      expect(approval).to.deep.equal({
        approvalId,
        status: 'pending',
        agentId: asked.agent_id,
        keyId,
        digest: approvalDigest({
          agentId: asked.agent_id,
          context,
          environment: 'live',
          intentId: null,
          normalized: decision.intent.normalized,
          organisation: 'default',
        }),
        intentId: null,
        createdAt: decision.evaluated_at,
        expiresAt,
        decidedAt: null,
        decidedBy: null,
        reason: null,
        usedAt: null,
        usedBy: null,
        usedDecisionId: null,
        decision,
        context,
      });
      expect((await client.get(`/v1/decisions/${decision.decision_id}`)).text).to.equal(JSON.stringify(decision));
    });

    it('are not opened by another verdict, or by a dry run', async () => {
      const asked = question();
      expect(await ask(client, { ...asked, intent: 'delete:db/open/a' })).not.to.have.property('approval');
      expect(await ask(client, { ...asked, intent: 'delete:db/closed/a' })).not.to.have.property('approval');
      expect(await ask(service.admin, { ...asked, dry_run: true })).not.to.have.property('approval');
      expect((await service.admin.get(`/v1/approvals?agentId=${asked.agent_id}`)).json.items).to.deep.equal([]);
    });

    it('are one for as long as one is open, however often and however many at once ask the same', async () => {
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

    it('are opened by requests with an Idempotency-Key, alone and in a batch that asks the same twice', async () => {
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
        expect((await read(id)).status).to.equal('pending');
    });

    it('are at most 1,000 for an agent: its further escalations name none, and those of others do', async () => {
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
      expect((await ask(client, asked)).approval, 'what is open is named again').to.deep.equal(last.approval);
      await escalate(client, question());
      await reject(service.admin, last.approval.approval_id);
      await escalate(client, more(4));
      service.advance(60_000);
      for (const n of [5, 6]) await escalate(client, more(n));
      await service.rows("DELETE FROM approval WHERE decision_id = 'dec_x'");
    });

    it('are another one for another agent, context, action, parse or key', async () => {
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
      expect(await escalate(client, { ...asked, context: {} }), 'no context is an empty one').to.equal(ids[0]);
      const withParse = await ask(client, {
        agent_id: asked.agent_id,
        intent: parse.normalized,
        intent_id: parse.intent_id,
      });
      const without = await ask(client, { agent_id: asked.agent_id, intent: parse.normalized });
      expect([withParse.verdict, without.verdict]).to.deep.equal(['DENY', 'DENY']);
    });
  });

  describe('decided', () => {
    it('let exactly one use through, and say in the log who, why and what for', async () => {
      const asked = question();
      const approvalId = await escalate(client, asked);
      const answer = await approve(service.admin, approvalId, 'backup verified, "OPS-7" \u{1f44d}');
      expect(answer.status).to.equal(200);
      expect(answer.json).to.include({
        status: 'approved',
        decidedBy: adminKeyId(),
        reason: 'backup verified, "OPS-7" \u{1f44d}',
      });
      const allowed = await ask(client, { ...asked, approval_id: approvalId });
      expect(gist(allowed)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect(allowed.allowed).to.equal(true);
      expect(allowed.reasons[1]).to.deep.equal({
        policy: 'default',
        rule: 'approval',
        effect: 'ALLOW',
        code: 'APPROVED',
        message: `${approvalId} approved by ${adminKeyId()}`,
      });
      expect(await read(approvalId)).to.include({
        status: 'used',
        usedBy: keyId,
        usedAt: allowed.evaluated_at,
        usedDecisionId: allowed.decision_id,
      });
      const { digest, decision } = await read(approvalId);
      const common = { approvalId, decisionId: decision.decision_id, digest, intentId: null };
      const bodies = (await leavesOf(asked.agent_id)).map(({ body }) => body);
      expect(bodies).to.have.deep.members([
        { ...common, state: 'approved', by: adminKeyId(), reason: 'backup verified, "OPS-7" \u{1f44d}' },
        { ...common, state: 'used', by: keyId, usedDecisionId: allowed.decision_id },
      ]);
      const next = await escalate(client, asked);
      expect(next, 'the next time needs another one').to.not.equal(approvalId);
    });

    it('give the first decision again, byte for byte, to the same key that repeats, and APPROVAL_USED to another', async () => {
      const asked = question();
      const approvalId = await escalate(client, asked);
      await approve(service.admin, approvalId);
      const use = { ...asked, approval_id: approvalId };
      const first = await client.post('/v1/enforce', use);
      expect(first.json.verdict).to.equal('ALLOW');
      expect((await client.post('/v1/enforce', use)).text).to.equal(first.text);
      const kept = await client.post('/v1/enforce', use, { headers: { 'idempotency-key': `again-${approvalId}` } });
      expect(kept.text).to.equal(first.text);
      const batch = await client.post('/v1/enforce/batch', { requests: [use, use] });
      expect(batch.json.decisions).to.deep.equal([first.json, first.json]);
      expect(gist(await ask(service.admin, use))).to.deep.equal(['DENY', 'APPROVAL_USED']);
      expect(gist(await ask(client, { ...use, context: { a: 1 } }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
      expect(await statesOf(asked.agent_id)).to.have.members(['approved', 'used']);
    });

    it('are used by one of many that race, in two processes and with two keys', async () => {
      const second = await startService({ databaseUrl: service.databaseUrl, policies: ESCALATING });
      try {
        const other = (await service.addKey()).key;
        for (let round = 0; round < 5; round += 1) {
          const asked = question();
          const approvalId = await escalate(client, asked);
          await approve(service.admin, approvalId);
          const use = { ...asked, approval_id: approvalId };
          const racers = [client, second.admin.withKey(other), client.withKey(other), second.admin.withKey(other)];
          const answers = await Promise.all([...racers, ...racers].map((racer) => ask(racer, use)));
          const allowed = answers.filter(({ verdict }) => verdict === 'ALLOW');
          const ids = new Set(allowed.map((decision) => decision.decision_id));
          expect(ids.size, 'all that were let through have the one decision').to.equal(1);
          for (const answer of answers)
            if (answer.verdict !== 'ALLOW') expect(gist(answer)).to.deep.equal(['DENY', 'APPROVAL_USED']);
          expect(await statesOf(asked.agent_id)).to.have.members(['approved', 'used']);
          const stored = await service.rows(
            "SELECT decision_id FROM decision WHERE agent_id = $1 AND verdict = 'ALLOW'",
            [asked.agent_id],
          );
          expect(stored).to.have.lengthOf(1);
        }
      } finally {
        await second.close();
      }
    });

    it('are used once by a hundred members of a batch, which leave connections to each other and to everyone else', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const requests = Array.from({ length: 100 }, () => ({ ...asked, approval_id }));
      const [{ json }, other] = await Promise.all([
        client.post('/v1/enforce/batch', { requests }),
        ask(client, { ...asked, intent: 'delete:db/open/a' }),
      ]);
      expect(new Set(json.decisions.map(({ decision_id: id }: { decision_id: string }) => id)).size).to.equal(1);
      expect(json.decisions.map(gist)).to.deep.equal(requests.map(() => ['ALLOW', 'ASKED', 'APPROVED']));
      expect(other.verdict).to.equal('ALLOW');
      expect(await statesOf(asked.agent_id)).to.deep.equal(['approved', 'used']);
    });

    it('are of no use to another agent, action, context, environment or organisation', async () => {
      const asked = question({ context: { a: 1 } });
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const test = await service.client({ environment: 'test' });
      const tenant = await service.client({ organisationId: await service.addOrganisation('stranger') });
      const wrong: [Client, object][] = [
        [client, { agent_id: 'another' }],
        [client, { intent: `${asked.intent}/part` }],
        [client, { context: { a: 2 } }],
        [client, { context: undefined }],
        [test, {}],
        [tenant, {}],
      ];
      for (const [by, change] of wrong)
        expect(gist(await ask(by, { ...asked, approval_id, ...change }))).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
      expect((await read(approval_id)).status).to.equal('approved');
      expect((await ask(client, { ...asked, approval_id })).verdict).to.equal('ALLOW');
    });

    it('rejected, deny with the reason', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      expect((await reject(service.admin, approval_id, 'never')).json.status).to.equal('rejected');
      const denied = await ask(client, { ...asked, approval_id });
      expect(gist(denied)).to.deep.equal(['DENY', 'APPROVAL_REJECTED']);
      expect(denied.reasons[0].message).to.equal(`${approval_id} was rejected: never`);
      expect(await statesOf(asked.agent_id)).to.deep.equal(['rejected']);
      expect(await escalate(client, asked)).to.not.equal(approval_id);
    });

    it('not yet, are named again by the ESCALATE, with what is left of their time', async () => {
      const asked = question();
      const { approval } = await ask(client, asked);
      service.advance(60_000);
      const again = await ask(client, { ...asked, approval_id: approval.approval_id });
      expect(gist(again)).to.deep.equal(['ESCALATE', 'ASKED']);
      expect(again.approval).to.deep.equal(approval);
    });

    it('can not be decided twice: E5001, and the first word stays', async () => {
      const approvalId = await escalate(client, question());
      await approve(service.admin, approvalId, 'first');
      for (const decide of [approve, reject]) {
        const refused = await decide(service.admin, approvalId, 'second');
        expect([refused.status, refused.json.code, refused.json.detail]).to.deep.equal([
          409,
          'E5001',
          'The approval is closed: it is approved.',
        ]);
      }
      expect((await read(approvalId)).reason).to.equal('first');
    });

    it('are decided by one of many that race', async () => {
      const asked = question();
      const approvalId = await escalate(client, asked);
      const answers = await Promise.all(
        [approve, reject, approve, reject, approve, reject].map((decide, i) =>
          decide(service.admin, approvalId, `${i}`),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
      expect(answers.filter(({ status }) => status === 409)).to.have.lengthOf(5);
      expect(await statesOf(asked.agent_id)).to.have.lengthOf(1);
    });

    it('once for an Idempotency-Key', async () => {
      const approvalId = await escalate(client, question());
      const headers = { 'idempotency-key': approvalId };
      const path = `/v1/approvals/${approvalId}/approve`;
      const first = await service.admin.post(path, { reason: 'once' }, { headers });
      const again = await service.admin.post(path, { reason: 'once' }, { headers });
      expect([first.status, again.status, again.text]).to.deep.equal([200, 200, first.text]);
    });

    it('not by the key that asked, and only by keys of admins who may speak for the agent', async () => {
      const asked = question();
      const own = await escalate(service.admin, asked);
      for (const decide of [approve, reject]) {
        const refused = await decide(service.admin, own);
        expect([refused.status, refused.json.code]).to.deep.equal([403, 'E1004']);
      }
      const other = await service.client({ scopes: ['admin:*'] });
      const bound = await service.client({ scopes: ['admin:*'], agentIds: ['somebody-else'] });
      const elsewhere = await service.client({ scopes: ['admin:*'], environment: 'test' });
      const tenant = await service.client({
        scopes: ['admin:*'],
        organisationId: await service.addOrganisation('outsider'),
      });
      for (const by of [bound, elsewhere, tenant]) {
        for (const answer of [await approve(by, own), await reject(by, own), await by.get(`/v1/approvals/${own}`)])
          expect([answer.status, answer.json.code, answer.json.detail]).to.deep.equal([
            404,
            'E4001',
            'There is no such approval in this organisation and environment.',
          ]);
        expect((await by.get('/v1/approvals')).json.items).to.deep.equal([]);
      }
      expect((await bound.get(`/v1/approvals?agentId=${asked.agent_id}`)).json.code).to.equal('E1004');
      for (const path of ['/v1/approvals', `/v1/approvals/${own}`])
        expect((await client.get(path)).json.code).to.equal('E1004');
      expect((await approve(client, own)).json.code).to.equal('E1004');
      expect((await approve(other, own)).status).to.equal(200);
    });

    it('not by what a rotation made of the key that asked, nor by what that key was before', async () => {
      const first = await service.addKey({ scopes: ['admin:*'] });
      const rotate = async (keyId: string) =>
        (await service.admin.post(`/v1/auth/keys/${keyId}/rotate`, { overlap: '2h' })).json;
      const second = await rotate(first.keyId);
      const third = await rotate(second.keyId);
      const [oldest, newest] = [service.admin.withKey(first.key), service.admin.withKey(third.key)];
      const [early, late] = [await escalate(oldest, question()), await escalate(newest, question())];
      for (const [by, approvalId] of [
        [newest, early],
        [oldest, late],
        [service.admin.withKey(second.key), early],
      ] as const)
        expect((await approve(by, approvalId)).json.code).to.equal('E1004');
      const other = await service.client({ scopes: ['admin:*'] });
      for (const approvalId of [early, late]) expect((await approve(other, approvalId)).status).to.equal(200);
    });

    it('only with a reason', async () => {
      const approvalId = await escalate(client, question());
      const path = `/v1/approvals/${approvalId}/approve`;
      for (const body of [
        {},
        { reason: '' },
        { reason: 'x'.repeat(1_001) },
        { reason: 'a\u0000' },
        { reason: 7 },
        null,
      ])
        expect((await service.admin.post(path, body)).json.code, JSON.stringify(body)).to.equal('E2001');
      expect((await approve(service.admin, approvalId, 'x'.repeat(1_000))).status).to.equal(200);
      expect((await approve(service.admin, 'apr_00000000000000000000000000')).json.code).to.equal('E4001');
    });
  });

  describe('against what the policies say when they are used', () => {
    it('a DENY stands, and the approval stays for as long as it lives', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const use = { ...asked, approval_id };
      await service.apply(DENYING);
      expect(gist(await ask(client, use))).to.deep.equal(['DENY', 'DENIED', 'ASKED']);
      await service.apply(ESCALATING);
      await service.admin.post('/v1/halt', { reason: 'incident' });
      expect(gist(await ask(client, use))).to.deep.equal(['DENY', 'HALTED']);
      await service.admin.delete('/v1/halt');
      await service.admin.post('/v1/agents', { agentId: asked.agent_id, name: 'x' });
      await service.admin.patch(`/v1/agents/${asked.agent_id}`, { status: 'PAUSED' });
      expect(gist(await ask(client, use))).to.deep.equal(['DENY', 'AGENT_NOT_ACTIVE']);
      await service.admin.patch(`/v1/agents/${asked.agent_id}`, { status: 'ACTIVE' });
      expect((await read(approval_id)).status).to.equal('approved');
      expect((await ask(client, use)).verdict).to.equal('ALLOW');
      await service.admin.post('/v1/halt', { reason: 'incident' });
      expect(gist(await ask(client, use)), 'a halt comes before a repeat').to.deep.equal(['DENY', 'HALTED']);
      await service.admin.delete('/v1/halt');
    });

    it('the obligations below an ESCALATE are not given up with it', async () => {
      const asked = question({ intent: 'delete:db/asked/some/table' });
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const decision = await ask(client, { ...asked, approval_id });
      expect(gist(decision)).to.deep.equal(['DEGRADE', 'ASKED', 'SOME', 'APPROVED']);
      expect(decision.obligations).to.deep.equal([{ type: 'max_rows', limit: 3 }]);
    });

    it('an ALLOW uses it all the same: it was given for one time', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      await service.apply(PERMITTING);
      const decision = await ask(client, { ...asked, approval_id });
      await service.apply(ESCALATING);
      expect(gist(decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect((await read(approval_id)).status).to.equal('used');
    });

    it('a dry run says what would be, and uses nothing', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      const dry = () => ask(service.admin, { ...asked, approval_id, dry_run: true, explain: true });
      expect(gist(await dry())).to.deep.equal(['ESCALATE', 'ASKED']);
      const other = await service.client({ scopes: ['admin:*'] });
      await approve(other, approval_id);
      expect(gist(await dry())).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect((await read(approval_id)).status).to.equal('approved');
      const mismatch = await ask(service.admin, { ...asked, approval_id: 'apr_1', dry_run: true });
      expect(gist(mismatch)).to.deep.equal(['DENY', 'APPROVAL_MISMATCH']);
    });

    it('are explained together with the decision that they lead to', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const decision = await ask(service.admin, { ...asked, approval_id, explain: true });
      expect(decision.verdict).to.equal('ALLOW');
      expect(decision.explanation.map(({ policy }: { policy: string }) => policy)).to.include('asked');
    });
  });

  describe('that expire', () => {
    it('are expired at once, for everyone, before and after upkeep says so, with one leaf', async () => {
      const [pending, approved] = [question(), question()];
      const ids = [await escalate(client, pending), await escalate(client, approved)] as const;
      await approve(service.admin, ids[1]);
      service.advance(HOUR_MS);
      const check = async (): Promise<void> => {
        for (const [i, asked] of [pending, approved].entries()) {
          const approval_id = ids[i] ?? '';
          expect((await read(approval_id)).status).to.equal('expired');
          expect(gist(await ask(client, { ...asked, approval_id }))).to.deep.equal(['DENY', 'APPROVAL_EXPIRED']);
          expect((await approve(service.admin, approval_id)).json.code).to.equal('E5001');
          const listed = async (status: string) =>
            (await service.admin.get(`/v1/approvals?agentId=${asked.agent_id}&status=${status}`)).json.items.length;
          expect([await listed('expired'), await listed('pending'), await listed('approved')]).to.deep.equal([1, 0, 0]);
        }
      };
      await check();
      const expiring = await Promise.all([1, 2, 3].map(() => expireApprovals(service.db, service.nowMs())));
      expect(expiring.reduce((sum, n) => sum + n, 0)).to.be.at.least(2);
      await check();
      expect(await statesOf(pending.agent_id)).to.deep.equal(['expired']);
      expect(await statesOf(approved.agent_id)).to.have.members(['approved', 'expired']);
      expect(await expireApprovals(service.db, service.nowMs())).to.equal(0);
    });

    it('do not keep the same question from opening another one before upkeep has come', async () => {
      const asked = question();
      const first = await escalate(client, asked);
      service.advance(HOUR_MS);
      const ids = await Promise.all([1, 2, 3].map(() => escalate(client, asked)));
      expect(new Set(ids).size).to.equal(1);
      expect(ids[0]).to.not.equal(first);
      expect(await statesOf(asked.agent_id)).to.deep.equal(['expired']);
    });
  });

  it('are listed newest first, by status and agent, page by page', async () => {
    const agent_id = 'listed';
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      ids.unshift(await escalate(client, { agent_id, intent: `delete:db/asked/${name}` }));
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
    expect({ ...item, context: {} }).to.deep.equal(await read(item.approvalId));
    for (const query of ['&cursor=x', '&status=open', '&limit=0'])
      expect((await list(query)).code, query).to.equal('E2001');
  });

  it('are listed at the same cost however many there are: the others are not read', async () => {
    const organisationId = await service.addOrganisation('busy');
    // The n-th is of agent n mod 7; each hundredth waits, the others were rejected.
    await service.rows(
      `INSERT INTO approval (organisation_id, environment, approval_id, state, agent_id, key_id, digest, decision_id, created_at, expires_at, decided_at, decided_by, reason)
       SELECT $1, 'live', 'apr_' || lpad(n::text, 26, '0'), CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'rejected' END, 'agent-' || n % 7, 'AAAAAAAA', lpad(n::text, 64, '0'),
         'dec_x', now(), $2, decided, CASE WHEN decided IS NULL THEN NULL ELSE 'BBBBBBBB' END, CASE WHEN decided IS NULL THEN NULL ELSE 'no' END
       FROM generate_series(1, 5000) n, LATERAL (SELECT CASE WHEN n % 100 = 0 THEN NULL ELSE now() END AS decided) AS of`,
      [organisationId, new Date(service.nowMs() + HOUR_MS)],
    );
    await service.rows('ANALYZE approval');
    const plans: { [name: string]: unknown }[] = [];
    const explaining: Sql = {
      query: async ({ name, text }, values) => {
        const explain = { name: `${name}-explained`, text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` };
        const [row] = await service.db.query<{ 'QUERY PLAN': { Plan: { [name: string]: unknown } }[] }>(
          explain,
          values,
        );
        plans.push(...(row?.['QUERY PLAN'] ?? []).map(({ Plan }) => Plan));
        return [];
      },
    };
    const passedOver = (plan: { [name: string]: unknown }): number =>
      Number(plan['Rows Removed by Filter'] ?? 0) +
      // A plan of Postgres: children are plans.
      ((plan['Plans'] ?? []) as { [name: string]: unknown }[]).reduce((sum, child) => sum + passedOver(child), 0);
    for (const status of [undefined, ...APPROVAL_STATES])
      for (const agentIds of [undefined, ['nobody'], ['nobody', 'agent-3']]) {
        const filter = { organisationId, environment: 'live' as const, status, agentIds, nowMs: service.nowMs() };
        await listApprovals(explaining, filter, 10);
        const removed = passedOver(plans.pop() ?? {});
        // Of one agent and one state, the shorter range of the two is read: 50 wait, and each agent has 715.
        expect(removed, `${status ?? 'any'} of ${agentIds?.join() ?? 'all'}`).to.be.at.most(800);
      }
  });

  it('show the context no more once retention has erased the facts', async () => {
    const approvalId = await escalate(client, question({ context: { a: 1 } }));
    const { decision } = await read(approvalId);
    await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [
      decision.decision_id,
    ]);
    expect(await read(approvalId)).to.deep.include({ context: null, decision });
  });

  // Nested, so that it comes after all the others.
  describe('together', () => {
    it('leave a log whose chains and decisions all hold, and every decision by an approval is evaluated again', async () => {
      const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }), compileLexicon });
      for (const append of [false, true]) {
        if (append) await worker.append();
        let approved = 0;
        for await (const outcome of verifier.all({})) {
          expect(outcome.status, outcome.sentence).to.not.equal('failed');
          const open = outcome.notEvaluable.filter((code) => code !== 'FACTS_ERASED' && code !== 'APPROVAL');
          expect(open).to.deep.equal([]);
          if (outcome.sentence.includes('the logged approval apr_')) approved += 1;
        }
        expect(approved).to.be.at.least(10);
      }
      await waitFor(async () => (await service.rows('SELECT seq FROM log_inbox')).length === 0);
      await checkLog(service.db, service.operatorId, 'live');
    });
  });
});
