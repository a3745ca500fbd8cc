// Approvals at the time of use, when the policies may have changed, and approvals that expire unused.
import { expect } from 'chai';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { type ApprovalsUnderTest, question, startApprovals } from '../support/approvals.ts';
import type { Client } from '../support/client.ts';
import { approve, ask, DENYING, escalate, ESCALATING, gist, PERMITTING } from '../support/escalations.ts';
import type { Service } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('approvals', function () {
  this.timeout(120_000);
  let on: ApprovalsUnderTest;
  let service: Service;
  let client: Client;
  before(async () => {
    on = await startApprovals();
    ({ service, client } = on);
  });
  after(() => on?.close());

  describe('when the policies are evaluated at use', () => {
    it('do not override a DENY, and stay valid until they expire', async () => {
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
      expect((await on.read(approval_id)).status).to.equal('approved');
      expect((await ask(client, use)).verdict).to.equal('ALLOW');
      await service.admin.post('/v1/halt', { reason: 'incident' });
      expect((await ask(client, use)).code, 'a halt takes precedence over a repeat').to.equal('E5004');
      await service.admin.delete('/v1/halt');
    });

    it('keep the obligations of the rules below an ESCALATE', async () => {
      const asked = question({ intent: 'delete:db/asked/some/table' });
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      const decision = await ask(client, { ...asked, approval_id });
      expect(gist(decision)).to.deep.equal(['DEGRADE', 'ASKED', 'SOME', 'APPROVED']);
      expect(decision.obligations).to.deep.equal([{ type: 'max_rows', limit: 3 }]);
    });

    it('are used up by an ALLOW, too: they were given for one use', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      await approve(service.admin, approval_id);
      await service.apply(PERMITTING);
      const decision = await ask(client, { ...asked, approval_id });
      await service.apply(ESCALATING);
      expect(gist(decision)).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect((await on.read(approval_id)).status).to.equal('used');
    });

    it('are not used by a dry run, which reports what the verdict would be', async () => {
      const asked = question();
      const approval_id = await escalate(client, asked);
      const dry = () => ask(service.admin, { ...asked, approval_id, dry_run: true, explain: true });
      expect(gist(await dry())).to.deep.equal(['ESCALATE', 'ASKED']);
      const other = await service.client({ scopes: ['admin:*'] });
      await approve(other, approval_id);
      expect(gist(await dry())).to.deep.equal(['ALLOW', 'ASKED', 'APPROVED']);
      expect((await on.read(approval_id)).status).to.equal('approved');
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
    it('expire at once for every reader, before and after the upkeep job, with one leaf', async () => {
      const [pending, approved] = [question(), question()];
      const ids = [await escalate(client, pending), await escalate(client, approved)] as const;
      await approve(service.admin, ids[1]);
      service.advance(HOUR_MS);
      const check = async (): Promise<void> => {
        for (const [i, asked] of [pending, approved].entries()) {
          const approval_id = ids[i] ?? '';
          expect((await on.read(approval_id)).status).to.equal('expired');
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
      expect(await on.statesOf(pending.agent_id)).to.deep.equal(['expired']);
      expect(await on.statesOf(approved.agent_id)).to.have.members(['approved', 'expired']);
      expect(await expireApprovals(service.db, service.nowMs())).to.equal(0);
    });

    it('do not block a new approval of the same question before the upkeep job has run', async () => {
      const asked = question();
      const first = await escalate(client, asked);
      service.advance(HOUR_MS);
      const ids = await Promise.all([1, 2, 3].map(() => escalate(client, asked)));
      expect(new Set(ids).size).to.equal(1);
      expect(ids[0]).to.not.equal(first);
      expect(await on.statesOf(asked.agent_id)).to.deep.equal(['expired']);
    });
  });

  // Nested, so that it runs after all the others.
  describe('together', () => {
    it('leave a log whose chains and decisions all verify, and every decision by an approval is evaluated again', () =>
      on.expectWhole(4));
  });
});
