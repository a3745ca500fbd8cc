// Approvals at the time of use, when the policies may have changed, and approvals that expire unused.
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_VOTES } from '../../shared/core/policy/approvers.ts';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { type ApprovalsUnderTest, question, startApprovals } from '../support/approvals.ts';
import type { Client } from '../support/client.ts';
import { cookieOf, signIn, withCookie } from '../support/dashboard.ts';
import {
  approve,
  ask,
  DENYING,
  escalate,
  ESCALATING,
  gist,
  PERMITTING,
  QUORUM,
  reject,
} from '../support/escalations.ts';
import type { Service } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('approvals', () => {
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

  describe('that name their approvers', () => {
    let names = 0;
    const asksFor = (place = 'several') => {
      names += 1;
      return question({ intent: `delete:db/asked/${place}/table_${names}` });
    };
    const approver = (tags: string[], by?: string) =>
      service.addKey({ scopes: ['admin:*'], tags, ...(by === undefined ? {} : { createdBy: by }) });
    const as = ({ key }: { readonly key: string }): Client => client.withKey(key);
    const gistOf = ({ json }: { readonly json: { status: string; approvers: { missing: number }[]; code?: string } }) =>
      json.code ?? [json.status, ...json.approvers.map(({ missing }) => missing)];

    before(() => service.apply(QUORUM));
    after(() => service.apply(ESCALATING));

    it('are pending until as many different hands as demanded have approved, and each vote is a record', async () => {
      const asked = asksFor();
      const decision = await ask(client, asked);
      const demand = { keys: [], policy: 'several', rule: 'rule', tags: ['finance'] };
      expect(decision.approval.approvers).to.deep.equal([{ ...demand, at_least: 2 }]);
      expect(Date.parse(decision.approval.expires_at) - Date.parse(decision.evaluated_at)).to.equal(HOUR_MS / 2);
      const id = decision.approval.approval_id;
      const [ann, bob, other] = [
        await approver(['finance']),
        await approver(['x', 'finance']),
        await approver(['legal']),
      ];
      expect(gistOf(await approve(as(other), id)), 'not among the approvers').to.equal('E1004');
      expect(gistOf(await approve(service.admin, id)), 'an admin without the tag').to.equal('E1004');
      expect(await on.read(id)).to.include({ mayDecide: true, mayApprove: false, canBeMet: true });
      expect(gistOf(await approve(as(ann), id, 'first'))).to.deep.equal(['pending', 1]);
      expect(gistOf(await approve(as(ann), id, 'again'))).to.deep.equal(['pending', 1]);
      expect(gist(await ask(client, { ...asked, approval_id: id }))).to.deep.equal(['ESCALATE', 'ASKED', 'SEVERAL']);
      const done = await approve(as(bob), id, 'second');
      expect(gistOf(done)).to.deep.equal(['approved', 0]);
      expect(done.json).to.deep.include({ decidedBy: bob.keyId, reason: 'second' });
      expect(done.json.votes.map(({ by, reason }: { by: string; reason: string }) => [by, reason])).to.deep.equal([
        [ann.keyId, 'first'],
        [bob.keyId, 'second'],
      ]);
      expect(gistOf(await approve(as(bob), id))).to.equal('E5001');
      expect(gist(await ask(client, { ...asked, approval_id: id }))).to.deep.equal([
        'ALLOW',
        'ASKED',
        'SEVERAL',
        'APPROVED',
      ]);
      expect(await on.statesOf(asked.agent_id)).to.deep.equal(['pending', 'approved', 'used']);
    });

    it('need every rule that names approvers, each counted by itself; one key may count for several', async () => {
      const asked = asksFor('several/both');
      const { approval } = await ask(client, asked);
      expect(Date.parse(approval.expires_at) - service.nowMs()).to.be.at.most(HOUR_MS / 3);
      const id = approval.approval_id;
      const [ann, both] = [await approver(['finance']), await approver(['finance', 'legal'])];
      expect(gistOf(await approve(as(both), id)), 'both: legal is met').to.deep.equal(['pending', 0, 1]);
      expect(gistOf(await approve(as(ann), id))).to.deep.equal(['approved', 0, 0]);
    });

    it('count two keys of one hand once, and none of the hands that asked', async () => {
      const ann = await approver(['finance']);
      const second = await approver(['finance'], ann.keyId);
      const asker = await service.addKey({ createdBy: ann.keyId });
      const foreign = await escalate(client, asksFor());
      expect(gistOf(await approve(as(ann), foreign))).to.deep.equal(['pending', 1]);
      expect(gistOf(await approve(as(second), foreign)), 'made by the first').to.deep.equal(['pending', 1]);
      expect(gistOf(await approve(as(await approver(['finance'])), foreign))).to.deep.equal(['approved', 0]);
      const own = await escalate(as(asker), asksFor());
      expect(gistOf(await approve(as(ann), own)), 'the key that made the asker').to.equal('E1004');
    });

    it('do not count a key that was revoked before there were enough, and do when it was rotated', async () => {
      const [ann, bob] = [await approver(['finance']), await approver(['finance'])];
      const [one, two] = [await escalate(client, asksFor()), await escalate(client, asksFor())];
      await approve(as(ann), one);
      await approve(as(bob), two);
      await service.admin.delete(`/v1/auth/keys/${ann.keyId}`);
      await service.admin.post(`/v1/auth/keys/${bob.keyId}/rotate`, { overlap: '0m' });
      expect((await on.read(one)).approvers[0]).to.deep.include({ approvedBy: [], missing: 2 });
      const last = await approver(['finance']);
      expect(gistOf(await approve(as(last), one))).to.deep.equal(['pending', 1]);
      expect(gistOf(await approve(as(last), two))).to.deep.equal(['approved', 0]);
    });

    it('are approved by the vote that meets the demand, for any votes in any order', async () => {
      const [ann, cem, other] = [await approver(['finance']), await approver(['finance']), await approver(['legal'])];
      const second = await approver(['finance'], ann.keyId);
      const maker = await approver(['finance']);
      const asker = as(await service.addKey({ createdBy: maker.keyId }));
      // Ann has two keys. The maker of the key that asks, and a key without the tag, can't vote.
      const hands = new Map([
        [ann, 'ann'],
        [second, 'ann'],
        [cem, 'cem'],
        [other, undefined],
        [maker, undefined],
      ]);
      const sequences = fc.shuffledSubarray([...hands.keys()], { minLength: 2 });
      const agrees = fc.asyncProperty(sequences, async (voters) => {
        const id = await escalate(asker, asksFor());
        const voted = new Set<string>();
        for (const voter of voters) {
          const hand = hands.get(voter);
          const isMaker = voter === maker;
          const isOpen = voted.size < 2;
          if (hand !== undefined && isOpen) voted.add(hand);
          const expected = isMaker ? 'E1004' : !isOpen ? 'E5001' : hand === undefined ? 'E1004' : undefined;
          const state = voted.size === 2 ? ['approved', 0] : ['pending', 2 - voted.size];
          expect(gistOf(await approve(as(voter), id))).to.deep.equal(expected ?? state);
        }
      });
      await fc.assert(agrees, { numRuns: 12, endOnFailure: true });
    });

    it('are rejected by one rejection, by any key that may decide', async () => {
      const id = await escalate(client, asksFor());
      await approve(as(await approver(['finance'])), id);
      expect(gistOf(await reject(service.admin, id))).to.deep.equal(['rejected', 1]);
      expect(gistOf(await approve(as(await approver(['finance'])), id))).to.equal('E5001');
    });

    it('say so when no existing keys can complete them', async () => {
      await service.apply({
        ...QUORUM,
        'nobody.json': {
          ...(QUORUM['both.json'] as object),
          id: 'nobody',
          target: { actions: ['delete'], resources: ['db/asked/nobody/*'] },
          rules: [
            {
              name: 'rule',
              conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'delete' }] },
              event: { type: 'ESCALATE', params: { code: 'NOBODY', message: 'm', approvers: { keys: ['zzzzzzzz'] } } },
            },
          ],
        },
      });
      const id = await escalate(client, question({ intent: 'delete:db/asked/nobody/table' }));
      expect(await on.read(id)).to.include({ canBeMet: false });
      await service.apply(QUORUM);
    });

    it('keep the approvers of the policies that opened them', async () => {
      const asked = asksFor();
      const id = await escalate(client, asked);
      await service.apply(ESCALATING);
      const again = await ask(client, { ...asked, approval_id: id });
      expect(again.approval.approvers.map(({ policy }: { policy: string }) => policy)).to.deep.equal(['several']);
      expect(await escalate(client, asked), 'without its id, by the policies of now').to.not.equal(id);
      expect(gistOf(await approve(service.admin, id))).to.equal('E1004');
      await service.apply(QUORUM);
    });

    it('are decided once, whichever votes and uses come at the same time', async () => {
      const asked = asksFor();
      const id = await escalate(client, asked);
      const keys = await Promise.all(Array.from({ length: 4 }, () => approver(['finance'])));
      const use = () => ask(client, { ...asked, approval_id: id });
      const [votes, uses] = await Promise.all([
        Promise.all(keys.map((key) => approve(as(key), id))),
        Promise.all([use(), use(), use()]),
      ]);
      const outcomes = votes.map((vote) => String(gistOf(vote))).sort();
      expect(outcomes).to.deep.equal(['E5001', 'E5001', 'approved,0', 'pending,1']);
      for (const { verdict } of uses) expect(verdict).to.be.oneOf(['ESCALATE', 'ALLOW']);
      const last = await use();
      expect(last.verdict).to.equal('ALLOW');
      expect(await on.statesOf(asked.agent_id)).to.have.members(['pending', 'approved', 'used']);
    });

    it('do not become approved by a vote after their end', async () => {
      const id = await escalate(client, asksFor());
      const [ann, bob] = [await approver(['finance']), await approver(['finance'])];
      await approve(as(ann), id);
      service.advance(HOUR_MS / 2);
      const [vote] = await Promise.all([approve(as(bob), id), expireApprovals(service.db, service.nowMs())]);
      expect(gistOf(vote)).to.equal('E5001');
      expect((await on.read(id)).status).to.equal('expired');
    });

    it('take no more votes than can be counted', async () => {
      const id = await escalate(client, asksFor());
      const ann = await approver(['finance']);
      expect(gistOf(await approve(as(ann), id))).to.deep.equal(['pending', 1]);
      // Each made by the one before: all in the same hands.
      let last = ann;
      for (let i = 1; i < MAX_VOTES; i += 1) {
        last = await approver(['finance'], last.keyId);
        expect(gistOf(await approve(as(last), id))).to.deep.equal(['pending', 1]);
      }
      expect(gistOf(await approve(as(await approver(['finance'], last.keyId)), id))).to.equal('E5002');
    });
  });

  it('that a live key decides in the test environment verify with the keys of both logs', async () => {
    const signed = await signIn(service.admin, service.adminKey);
    const switched = await signed.send('POST', '/session/environment', { environment: 'test' });
    const session = withCookie(service.admin, cookieOf(switched));
    const tester = await service.addKey({ environment: 'test' });
    const asked = question();
    const id = await escalate(client.withKey(tester.key), asked);
    const answer = await session.send('POST', `/v1/approvals/${id}/approve`, { reason: 'seen in the sandbox' });
    expect(answer.status, answer.text).to.equal(200);
    expect((await ask(client.withKey(tester.key), { ...asked, approval_id: id })).verdict).to.equal('ALLOW');
  });

  // Nested, so that it runs after all the others.
  describe('together', () => {
    it('leave a log whose chains and decisions all verify, and every decision by an approval is evaluated again', () =>
      on.expectWhole(4));
  });
});
