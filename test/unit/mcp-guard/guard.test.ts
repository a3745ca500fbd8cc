// Decisions about one call: waiting for a human, approvals that outlive their call, and calls in several rounds.
import { expect } from 'chai';
import { MAX_CALLS } from '../../../cli/mcp-guard/guard.ts';
import { type Answer, type GuardSession, startGuardSession, turn } from '../../support/guard-session.ts';
import { APPROVAL, call, refusal, see, settled, withApproval } from './guard-calls.ts';

describe('calls', () => {
  it('are refused while too many others are being decided, and decided again afterwards', async () => {
    const decide: ((said: Answer) => void)[] = [];
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => decide.push(resolve)) });
    for (let id = 1; id <= MAX_CALLS + 1; id += 1) guarded.fromClient(call(id));
    await settled(guarded);
    expect(refusal(guarded)).to.include('other calls are being decided');
    expect(guarded.asked).to.have.length(MAX_CALLS);
    decide[0]?.({ verdict: 'DENY' });
    await turn();
    guarded.fromClient(call(MAX_CALLS + 2));
    await turn();
    expect(guarded.asked).to.have.length(MAX_CALLS + 1);
  });
});

describe('a call that a human has to approve', () => {
  it('waits, is decided again with the approval, and is forwarded', async () => {
    let looks = 0;
    const guarded = startGuardSession({
      answer: withApproval({ verdict: 'ALLOW' }),
      approval: () => ({ kind: 'status', status: (looks += 1) > 3 ? 'approved' : 'pending' }),
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(guarded.asked.map(({ approvalId }) => approvalId)).to.deep.equal([undefined, APPROVAL]);
    expect(guarded.server).to.deep.equal([JSON.stringify(call(1))]);
  });

  it('shows progress that increases, stays below the first notice of a server, and ends with the wait', async () => {
    let looks = 0;
    const guarded = startGuardSession({
      answer: withApproval({ verdict: 'ALLOW' }),
      approval: () => ({ kind: 'status', status: (looks += 1) > 12 ? 'approved' : 'pending' }),
    });
    guarded.fromClient(call(1, { progressToken: 't' }));
    await settled(guarded);
    const notices = guarded.client.map(
      (line) => JSON.parse(line) as { params: { progressToken: string; progress: number; message: string } },
    );
    const values = notices.map(({ params }) => params.progress);
    expect(values.length).to.be.greaterThan(3);
    expect(values).to.deep.equal(values.toSorted((a, b) => a - b));
    expect(new Set(values).size).to.equal(values.length);
    expect(Math.max(...values)).to.be.lessThan(0.001);
    expect(notices[0]?.params).to.include({ progressToken: 't' });
    expect(notices[0]?.params.message).to.include(APPROVAL).and.include('because of the test');
  });

  it('shows nothing to a client that has not asked for progress', async () => {
    const guarded = startGuardSession({ answer: () => ({ verdict: 'ESCALATE' }), waitMs: 1_000 });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(guarded.client).to.have.length(1);
  });

  it('is refused at the time limit, with the approval and how to view it', async () => {
    const guarded = startGuardSession({ answer: () => ({ verdict: 'ESCALATE' }), waitMs: 1_000 });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(refusal(guarded)).to.include(APPROVAL).and.include('custos approvals show').and.include('same arguments');
    expect(guarded.server).to.deep.equal([]);
  });

  it('does not wait at all with a wait of 0', async () => {
    let looks = 0;
    const guarded = startGuardSession({
      answer: () => ({ verdict: 'ESCALATE' }),
      approval: () => ({ kind: 'status', status: String((looks += 1)) }),
      waitMs: 0,
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect([refusal(guarded).includes(APPROVAL), looks]).to.deep.equal([true, 0]);
  });

  it('is refused with the reason of the human who rejects it', async () => {
    const reasons = [{ code: 'APPROVAL_REJECTED', message: `${APPROVAL} was rejected: not on a Friday` }];
    const guarded = startGuardSession({
      answer: withApproval({ verdict: 'DENY', reasons }),
      approval: () => ({ kind: 'status', status: 'rejected' }),
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(refusal(guarded)).to.include('not on a Friday');
  });

  it('is refused at once when no approval could be opened', async () => {
    const guarded = startGuardSession({ answer: () => ({ verdict: 'ESCALATE', approval: undefined }) });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(refusal(guarded)).to.include('no approval could be opened');
  });

  it('keeps waiting during a short outage of the service, and is refused when its key is no longer valid', async () => {
    let looks = 0;
    const guarded = startGuardSession({
      answer: () => ({ verdict: 'ESCALATE' }),
      approval: () => ({ kind: 'failed', sentence: `failure ${(looks += 1)}`, isFinal: looks > 3 }),
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(refusal(guarded)).to.include('failure 4');
  });

  for (const how of ['late', 'cancelled'] as const)
    it(`leaves an unused approval when it is ${how}: the same call may use it later, another call may not`, async () => {
      let status = 'pending';
      const guarded = startGuardSession({
        answer: withApproval({ verdict: 'ALLOW' }),
        approval: () => ({ kind: 'status', status }),
        waitMs: how === 'late' ? 1_000 : 1e9,
      });
      guarded.fromClient(call(1));
      await turn();
      if (how === 'late') await settled(guarded);
      else guarded.fromClient({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      await turn();
      status = 'approved';
      guarded.fromClient({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'write', arguments: { path: 'b' } },
      });
      await turn();
      guarded.fromClient(call(3));
      await turn();
      const asked = guarded.asked.map(({ question, approvalId }) => [question.call.id, approvalId]);
      expect(asked).to.deep.include.members([
        [3, APPROVAL],
        [2, undefined],
      ]);
      expect(guarded.server).to.include(JSON.stringify(call(3)));
    });

  it('ignores an earlier approval that cannot be used', async () => {
    let calls = 0;
    const used: Answer = { verdict: 'DENY', reasons: [{ code: 'APPROVAL_USED', message: 'x' }] };
    const guarded = startGuardSession({
      answer: (_, approvalId) =>
        approvalId === undefined && (calls += 1) > 1
          ? { verdict: 'ALLOW' }
          : approvalId === undefined
            ? { verdict: 'ESCALATE' }
            : used,
      waitMs: 0,
    });
    guarded.fromClient(call(1));
    await turn();
    guarded.fromClient(call(2));
    await turn();
    expect(guarded.asked.map(({ approvalId }) => approvalId)).to.deep.equal([undefined, APPROVAL, undefined]);
    expect(guarded.server).to.deep.equal([JSON.stringify(call(2))]);
  });

  it('requests another decision when the answer was made for another request', async () => {
    let asked = 0;
    const guarded = startGuardSession({
      answer: () => ((asked += 1) < 3 ? { verdict: 'ALLOW', decision_id: 'dec_same' } : { verdict: 'DENY' }),
    });
    guarded.fromClient(call(1));
    await turn();
    guarded.fromClient(call(2));
    await turn();
    expect(guarded.server).to.deep.equal([JSON.stringify(call(1))]);
    expect(refusal(guarded)).to.include('because of the test');
    expect(new Set(guarded.asked.map(({ attemptId }) => attemptId)).size).to.equal(3);
  });

  it('repeats the attempt that used the approval when its answer was lost, for one later call', async () => {
    let isAway = true;
    const guarded = startGuardSession({
      answer: (_, approvalId) =>
        approvalId === undefined ? { verdict: 'ESCALATE' } : isAway ? 'away' : { verdict: 'ALLOW' },
      approval: () => ({ kind: 'status', status: 'approved' }),
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    expect(refusal(guarded)).to.include('could not be reached');
    isAway = false;
    guarded.fromClient(call(2));
    guarded.fromClient(call(3));
    await turn();
    const [, lost, repeated, other] = guarded.asked;
    expect([lost?.approvalId, repeated?.approvalId, other?.approvalId]).to.deep.equal([APPROVAL, APPROVAL, undefined]);
    expect(repeated?.attemptId).to.equal(lost?.attemptId);
  });

  it('is reported as not called when it was permitted but not forwarded', async () => {
    let answer: (said: Answer) => void = () => undefined;
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => (answer = resolve)) });
    guarded.fromClient(call(1));
    await turn();
    guarded.fromClient({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    answer({ verdict: 'ALLOW' });
    await turn();
    guarded.fromClient(call(2));
    await turn();
    answer({ verdict: 'DEGRADE', obligations: [{ type: 'mystery' }] });
    await turn();
    expect([guarded.unused, guarded.server, guarded.reports]).to.deep.equal([['dec_1', 'dec_2'], [], []]);
  });
});

describe('a call for which the server has asked for input', () => {
  const continued = (id: number, params: object): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'write', arguments: { path: 'a' }, inputResponses: { ok: { action: 'accept' } }, ...params },
  });
  const asksForInput = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'input_required', inputRequests: { ok: {} }, requestState: 's' },
  });
  let isAway = false;
  const approvedOnce = async (): Promise<GuardSession> => {
    isAway = false;
    const guarded = startGuardSession({
      answer: withApproval({ verdict: 'ALLOW' }),
      isAway: () => isAway,
      approval: () => ({ kind: 'status', status: 'approved' }),
      waitMs: 1e9,
    });
    guarded.fromClient(call(1));
    await settled(guarded);
    guarded.fromServer(asksForInput(1));
    expect(guarded.asked).to.have.length(2);
    return guarded;
  };

  it('continues under its approval, and each round is reported', async () => {
    const guarded = await approvedOnce();
    guarded.fromClient(continued(2, { requestState: 's' }));
    await turn();
    guarded.fromServer(asksForInput(2));
    guarded.fromClient(continued(3, { requestState: 's' }));
    await turn();
    guarded.fromServer({ jsonrpc: '2.0', id: 3, result: { resultType: 'complete', content: [] } });
    expect(guarded.server.slice(1)).to.deep.equal([
      JSON.stringify(continued(2, { requestState: 's' })),
      JSON.stringify(continued(3, { requestState: 's' })),
    ]);
    // The same attempt each time, which the service answers with the same decision while it stands.
    const [, used, ...rounds] = guarded.asked.map(({ attemptId }) => attemptId);
    expect(rounds).to.deep.equal([used, used]);
    const reports = guarded.reports.map(({ outcome, allowed }) => [
      outcome,
      allowed.decisionId,
      allowed.attempt.rounds,
    ]);
    expect(reports).to.deep.equal([
      ['pending', 'dec_2', 0],
      ['pending', 'dec_2', 1],
      ['success', 'dec_2', 2],
    ]);
  });

  for (const [what, params] of [
    ['other arguments', { requestState: 's', arguments: { path: 'b' } }],
    ['another tool', { requestState: 's', name: 'read' }],
    ['another state', { requestState: 't' }],
    ['no state', {}],
  ] as const)
    it(`is another call with ${what}, and needs another approval`, async () => {
      const guarded = await approvedOnce();
      guarded.fromClient(continued(2, params));
      await turn();
      expect(guarded.asked[2]).to.include({ approvalId: undefined });
      expect(guarded.asked[2]?.attemptId).to.not.equal(guarded.asked[1]?.attemptId);
    });

  it('is continued once: a second call with the same state is another call', async () => {
    const guarded = await approvedOnce();
    guarded.fromClient(continued(2, { requestState: 's' }));
    guarded.fromClient(continued(3, { requestState: 's' }));
    await turn();
    expect(guarded.asked.slice(2, 4).map(({ approvalId }) => approvalId)).to.deep.equal([APPROVAL, undefined]);
  });

  it('can be repeated after an outage of the service, and its decision is valid for no other call', async () => {
    const guarded = await approvedOnce();
    isAway = true;
    guarded.fromClient(continued(2, { requestState: 's' }));
    await turn();
    expect(refusal(guarded)).to.include('could not be reached');
    isAway = false;
    guarded.fromClient(call(3));
    await turn();
    expect(guarded.asked[3]?.approvalId).to.equal(undefined);
    guarded.fromClient(continued(4, { requestState: 's' }));
    await turn();
    expect(guarded.server).to.include(JSON.stringify(continued(4, { requestState: 's' })));
  });

  it('needs another decision when its definition has changed', async () => {
    const guarded = await approvedOnce();
    see(guarded, 5, { name: 'write', description: 'changed' });
    guarded.fromClient(continued(2, { requestState: 's' }));
    await turn();
    expect(guarded.asked[2]?.approvalId).to.equal(undefined);
  });
});
