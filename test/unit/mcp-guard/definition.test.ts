// The definition of a tool: it is part of the request, and a change needs another decision.
import { expect } from 'chai';
import { type Answer, type GuardSession, startGuardSession, turn } from '../../support/guard-session.ts';
import { call, CHANGED, refusal, see, withApproval } from './guard-calls.ts';

describe('the definition of a tool', () => {
  const [one, two] = [
    { name: 'write', description: 'one' },
    { name: 'write', description: 'two' },
  ];

  const digests = ({ asked }: GuardSession): (string | undefined)[] =>
    asked.map(({ question }) => question.definitionDigest);

  it('is sent with the request, as the server listed it', async () => {
    const guarded = startGuardSession();
    see(guarded, 1, one, { name: 'read' });
    guarded.fromClient(call(2));
    await turn();
    expect(digests(guarded)[0]).to.match(/^sha256:[0-9a-f]{64}$/);
  });

  describe('that the client was shown', () => {
    const hints = { readOnlyHint: true };
    for (const [what, later] of [
      ['the guard is listed another one after a notice of change', () => CHANGED],
      [
        'the client is listed another one later',
        (guarded: GuardSession) => see(guarded, 5, { ...two, annotations: hints }),
      ],
    ] as const)
      it(`has no digest when ${what}, however often it is listed afterwards, and keeps its hints`, async () => {
        const guarded = startGuardSession({ tools: () => [{ ...two, annotations: hints }] });
        see(guarded, 1, one);
        guarded.fromClient(call(2));
        await turn();
        const notice = later(guarded);
        if (notice !== undefined) guarded.fromServer(notice);
        guarded.fromClient(call(3));
        await turn();
        see(guarded, 4, two);
        guarded.fromClient(call(6));
        await turn();
        expect(digests(guarded).slice(1)).to.deep.equal([undefined, undefined]);
        expect(guarded.asked[1]?.question.annotations).to.deep.equal(hints);
      });

    it('keeps its digest when the guard is listed the same one', async () => {
      const guarded = startGuardSession({ tools: () => [one] });
      see(guarded, 1, one);
      guarded.fromServer(CHANGED);
      guarded.fromClient(call(2));
      await turn();
      expect(digests(guarded)[0]).to.match(/^sha256:/);
      expect(guarded.ownLists).to.have.length(1);
    });

    it('has no digest when it is shown while the guard waits for its own list', async () => {
      const guarded = startGuardSession({ tools: () => [two] });
      guarded.fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      guarded.fromClient(call(2));
      guarded.fromServer({ jsonrpc: '2.0', id: 1, result: { tools: [one] } });
      await turn();
      expect(digests(guarded)).to.deep.equal([undefined]);
    });
  });

  for (const id of [1, 'abc'])
    it(`is requested by the guard under an id of the same kind as the client's ${JSON.stringify(id)}`, async () => {
      const guarded = startGuardSession();
      guarded.fromClient({ ...call(1), id });
      await turn();
      expect(guarded.ownLists).to.have.length(1);
      expect(guarded.ownLists[0]).to.be.a(typeof id);
      expect(String(guarded.ownLists[0])).to.not.include('custos');
    });

  it('is sent with its hints, without those of another type', async () => {
    const guarded = startGuardSession();
    see(guarded, 1, { ...one, annotations: { readOnlyHint: true, openWorldHint: 'no', title: 'Write', other: 1 } });
    guarded.fromClient(call(2));
    await turn();
    expect(guarded.asked[0]?.question.annotations).to.deep.equal({ readOnlyHint: true });
  });

  it('is fetched by the guard when the client has not listed the tools, and after a change notification', async () => {
    let tools = [one];
    const guarded = startGuardSession({ tools: () => tools });
    guarded.fromClient(call(1));
    await turn();
    tools = [two];
    guarded.fromServer(CHANGED);
    guarded.fromClient(call(2));
    guarded.fromClient(call(3));
    await turn();
    const [first, second, third] = digests(guarded);
    expect(first).to.match(/^sha256:/);
    expect(second)
      .to.match(/^sha256:/)
      .and.not.equal(first);
    expect(third).to.equal(second);
    // The client receives the notification and none of the guard's lists.
    expect(guarded.client).to.deep.equal([JSON.stringify(CHANGED)]);
  });

  it('leads to another request when it changes during the decision', async () => {
    let answer: (said: Answer) => void = () => undefined;
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => (answer = resolve)) });
    see(guarded, 1, one);
    guarded.fromClient(call(2));
    await turn();
    see(guarded, 3, two);
    answer({ verdict: 'ALLOW' });
    await turn();
    expect(guarded.server).to.have.length(2);
    expect(guarded.asked).to.have.length(2);
    answer({ verdict: 'DENY' });
    await turn();
    expect(guarded.server).to.have.length(2);
    refusal(guarded);
  });

  it('that a human approved is not valid for another one: the request is sent without the approval', async () => {
    let status = 'pending';
    const guarded = startGuardSession({
      answer: withApproval({ verdict: 'ALLOW' }),
      approval: () => ({ kind: 'status', status }),
      waitMs: 5_000,
    });
    see(guarded, 1, one);
    guarded.fromClient(call(2));
    await turn();
    see(guarded, 3, two);
    status = 'approved';
    for (let i = 0; i < 20 && guarded.asked.length < 3; i += 1) await turn();
    expect(guarded.asked.slice(0, 2).map(({ approvalId }) => approvalId)).to.deep.equal([undefined, undefined]);
    const [first, second] = guarded.asked.map(({ question }) => question.definitionDigest);
    expect(second).to.not.equal(first);
  });

  it('is invalid when one list has it twice, and calls are refused until a list has it once', async () => {
    const guarded = startGuardSession();
    see(guarded, 1, one, { name: 'read' }, two);
    guarded.fromClient(call(2));
    await turn();
    expect([refusal(guarded).includes('lists the tool twice'), guarded.asked.length]).to.deep.equal([true, 0]);
    see(guarded, 3, one, one);
    guarded.fromClient(call(4));
    await turn();
    expect(guarded.asked).to.have.length(1);
  });

  it('is unique across the pages of a list: two on two pages count as two in one list', async () => {
    const guarded = startGuardSession();
    const page = (id: number, cursor: string | undefined, nextCursor: string | undefined, tool: object): void => {
      guarded.fromClient({ jsonrpc: '2.0', id, method: 'tools/list', params: { cursor } });
      guarded.fromServer({ jsonrpc: '2.0', id, result: { tools: [tool], nextCursor } });
    };
    page(1, undefined, 'p2', one);
    page(2, 'p2', undefined, two);
    guarded.fromClient(call(3));
    await turn();
    expect(refusal(guarded)).to.include('lists the tool twice');
  });

  it('with a member that some clients take for another has its calls refused', async () => {
    const guarded = startGuardSession();
    see(guarded, 1, { ...one, Description: 'poison' });
    guarded.fromClient(call(2));
    await turn();
    expect([refusal(guarded).includes('"Description"'), guarded.asked.length]).to.deep.equal([true, 0]);
  });

  it('without canonical JSON has its calls refused', async () => {
    const guarded = startGuardSession();
    guarded.fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    guarded.fromServer('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"write","description":"\\ud800"}]}}');
    guarded.fromClient(call(2));
    await turn();
    expect(refusal(guarded)).to.include('no canonical JSON');
  });
});
