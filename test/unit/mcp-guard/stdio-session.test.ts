// One session over stdio in memory: messages that are forwarded unchanged, calls that are stopped, the order, and the answers.
import { expect } from 'chai';
import { FrameError } from '../../../cli/mcp/frames.ts';
import { type Answer, quickClock, startGuardSession, turn } from '../../support/guard-session.ts';

const call = (id: unknown, name: string, args: unknown = {}, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...more },
});
const result = (id: unknown, value: object = { content: [] }): object => ({ jsonrpc: '2.0', id, result: value });
const text = (value: unknown): string => JSON.stringify(value);

interface Refusal {
  readonly id: unknown;
  readonly result: {
    readonly content: { readonly text: string }[];
    readonly isError: boolean;
    readonly resultType?: string;
  };
}

function refusals(lines: readonly string[]): Refusal[] {
  return lines.map((line) => JSON.parse(line) as Refusal);
}

describe('a session of the guard over stdio', () => {
  it('forwards everything but tool calls unchanged, in both directions, in order', async () => {
    const guarded = startGuardSession();
    const toServer = [
      ' {"jsonrpc" : "2.0","id":1,"method":"initialize","params":{"x":1.0, "big":12345678901234567890}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}\r',
      '',
      '{"id":2,"jsonrpc":"2.0","method":"resources/read","params":{"uri":"a\\u0062"}}',
      '[{"jsonrpc":"2.0","id":3,"method":"ping"} , {"jsonrpc":"2.0","method":"x"}]',
      '{"jsonrpc":"2.0","id":"s1","result":{"action":"accept"}}',
    ];
    const toClient = [
      '{"jsonrpc":"2.0","id":1,"result":{"a":1e0}} ',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
      '{"jsonrpc":"2.0","id":"s1","method":"elicitation/create","params":{}}',
      '{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}',
    ];
    for (const line of toServer) guarded.fromClient(line);
    for (const line of toClient) guarded.fromServer(line);
    await turn();
    expect(guarded.server).to.deep.equal(toServer.map((line) => line.replace(/\r$/, '')));
    expect(guarded.client).to.deep.equal(toClient);
    expect(guarded.asked).to.deep.equal([]);
  });

  it('requests a decision on a tool call and forwards its bytes unchanged, only after ALLOW', async () => {
    let allow: (said: Answer) => void = () => undefined;
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => (allow = resolve)) });
    const line = '{"jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"arguments":{"p":"\\u0061"},"name":"read"}}';
    guarded.fromClient(line);
    await turn();
    expect(guarded.server).to.deep.equal([]);
    expect(guarded.asked[0]?.question).to.include({ agentId: 'agent-7', server: 'files' });
    expect(guarded.asked[0]?.question.call).to.deep.include({ name: 'read', arguments: { p: 'a' } });
    allow({ verdict: 'ALLOW' });
    await turn();
    expect(guarded.server).to.deep.equal([line]);
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[] }}';
    guarded.fromServer(answer);
    expect(guarded.client).to.deep.equal([answer]);
    expect(guarded.reports.map(({ outcome }) => outcome)).to.deep.equal(['success']);
  });

  it('answers a denied call with a tool result in words, with resultType where the version needs it', async () => {
    const guarded = startGuardSession({ answer: () => ({ verdict: 'DENY' }) });
    guarded.fromClient(call(1, 'wipe'));
    guarded.fromClient(call('x', 'wipe', {}, { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }));
    await turn();
    expect(guarded.server).to.deep.equal([]);
    const [old, modern] = refusals(guarded.client);
    expect(old?.result).to.include({ isError: true }).and.not.have.property('resultType');
    expect(old?.result.content[0]?.text).to.match(
      /"wipe" of "files".*because of the test \(SOME_CODE\)\. Decision dec_1\./,
    );
    expect([modern?.id, modern?.result.resultType]).to.deep.equal(['x', 'complete']);
  });

  for (const [what, message, words] of [
    ['arguments that are an array', call(1, 'read', [1]), 'not a JSON object'],
    ['arguments that are null', call(1, 'read', null), 'not a JSON object'],
    ['arguments that are a text', call(1, 'read', '{}'), 'not a JSON object'],
    ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, 'no params'],
    ['no name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 'does not name a tool'],
    ['a name that is not a text', call(1, 5 as never), 'does not name a tool'],
    [
      'two names',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
      'duplicate member',
    ],
    [
      'a name in another case',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}',
      'mistaken',
    ],
    [
      'one argument twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"p":1,"p":2}}}',
      'duplicate',
    ],
    ['a text that ends early in C', call(1, 'a', { sql: ['DELETE FROM users\0 WHERE id = 1'] }), 'a zero character'],
    ['the name of an argument that ends early in C', call(1, 'a', { 'path\0': '/etc' }), 'a zero character'],
    ['the name of a tool that ends early in C', call(1, 'read\0', {}), 'a zero character'],
    ['arguments that differ only in case', call(1, 'a', { x: [{ path: 1, Path: 2 }] }), 'only in case'],
    [
      'a number that parsers read differently',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":9007199254740993}}}',
      'beyond',
    ],
    [
      'a lone surrogate',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"p":"\\ud800"}}}',
      'surrogate',
    ],
  ] as const)
    it(`refuses a call with ${what} without a request to the service`, async () => {
      const guarded = startGuardSession();
      guarded.fromClient(message);
      await turn();
      expect([guarded.server, guarded.asked]).to.deep.equal([[], []]);
      const [refusal] = refusals(guarded.client);
      expect(refusal?.result.isError).to.equal(true);
      expect(refusal?.result.content[0]?.text).to.include(words);
    });

  for (const id of [undefined, null, {}, true])
    it(`drops a call with the id ${text(id) ?? 'undefined'}, which can't be answered`, async () => {
      const guarded = startGuardSession();
      guarded.fromClient(call(id, 'read'));
      await turn();
      expect([guarded.server, guarded.client, guarded.asked, guarded.logs.length]).to.deep.equal([[], [], [], 1]);
    });

  it('refuses when there is no decision', async () => {
    const guarded = startGuardSession({ answer: () => 'away' });
    guarded.fromClient(call(1, 'read'));
    await turn();
    expect(guarded.server).to.deep.equal([]);
    expect(refusals(guarded.client)[0]?.result.content[0]?.text).to.include('Custos could not be reached.');
  });

  it('keeps calls in order, whichever decision comes first, and lets other requests overtake them', async () => {
    const allow: Record<string, (answer: Answer) => void> = {};
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => new Promise((resolve) => (allow[name] = resolve)),
    });
    const lines = [call(1, 'a'), call(2, 'b'), call(3, 'c')];
    for (const line of lines) guarded.fromClient(line);
    guarded.fromClient('{"jsonrpc":"2.0","id":9,"method":"ping"}');
    await turn();
    allow['c']?.({ verdict: 'ALLOW' });
    allow['b']?.({ verdict: 'DENY' });
    await turn();
    expect(guarded.server).to.deep.equal(['{"jsonrpc":"2.0","id":9,"method":"ping"}']);
    allow['a']?.({ verdict: 'ALLOW' });
    await turn();
    expect(guarded.server.slice(1)).to.deep.equal([text(lines[0]), text(lines[2])]);
  });

  it('requests a decision again, under the same attempt, that has waited long for its turn', async () => {
    const allow: Record<string, (answer: Answer) => void> = {};
    let nowMs = 0;
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => new Promise((resolve) => (allow[name] = resolve)),
      clock: { ...quickClock(), nowMs: () => nowMs },
    });
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(call(2, 'b'));
    await turn();
    allow['b']?.({ verdict: 'ALLOW' });
    await turn();
    nowMs = 60_000;
    allow['a']?.({ verdict: 'ALLOW' });
    await turn();
    const [, first, again] = guarded.asked;
    expect([again?.question.call.name, again?.attemptId]).to.deep.equal(['b', first?.attemptId]);
    expect([guarded.server.length, guarded.unused]).to.deep.equal([2, []]);
  });

  for (const [what, clock] of [
    ['the clock', 'nowMs'],
    ['a machine that slept', 'dateMs'],
  ] as const)
    it(`refuses a call of a batch whose decision has waited long for another one, by ${what}`, async () => {
      const allow: Record<string, (answer: Answer) => void> = {};
      let ms = 0;
      const guarded = startGuardSession({
        answer: ({ call: { name } }) => new Promise((resolve) => (allow[name] = resolve)),
        clock: { ...quickClock(), [clock]: () => ms },
      });
      const batch = [call(1, 'a'), call(2, 'b')];
      guarded.fromClient(batch);
      await turn();
      allow['a']?.({ verdict: 'ALLOW' });
      await turn();
      ms = 6_000;
      allow['b']?.({ verdict: 'ALLOW' });
      await turn();
      expect(guarded.server).to.deep.equal([text([batch[1]])]);
      expect(guarded.unused).to.have.length(1);
    });

  it('lets later calls overtake one that waits for a human', async () => {
    let status = 'pending';
    const guarded = startGuardSession({
      answer: ({ call: { name } }, approvalId) => ({
        verdict: name === 'a' && approvalId === undefined ? 'ESCALATE' : 'ALLOW',
      }),
      approval: () => ({ kind: 'status', status }),
      waitMs: 1e9,
    });
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(call(2, 'b'));
    await turn();
    await turn();
    expect(guarded.server).to.deep.equal([text(call(2, 'b'))]);
    status = 'approved';
    await turn();
    await turn();
    expect(guarded.server).to.deep.equal([text(call(2, 'b')), text(call(1, 'a'))]);
  });

  it('drops a cancelled call that is on hold, at once and without an answer, and forwards the cancellation of a forwarded one', async () => {
    let allow: (said: Answer) => void = () => undefined;
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => (allow = resolve)) });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(cancel);
    allow({ verdict: 'ALLOW' });
    await turn();
    expect([guarded.server, guarded.client, guarded.reports]).to.deep.equal([[], [], []]);
    guarded.fromClient(call(2, 'a'));
    await turn();
    allow({ verdict: 'ALLOW' });
    await turn();
    const second = { ...cancel, params: { requestId: 2 } };
    guarded.fromClient(second);
    guarded.fromClient({ ...cancel, params: { requestId: '2' } });
    expect(guarded.server.slice(1)).to.deep.equal([text(second), text({ ...cancel, params: { requestId: '2' } })]);
    expect(guarded.reports.map(({ outcome }) => outcome)).to.deep.equal(['cancelled']);
  });

  it('refuses a call whose id is that of a call on hold or unanswered, and answers both', async () => {
    let allow: (said: Answer) => void = () => undefined;
    const guarded = startGuardSession({ answer: () => new Promise((resolve) => (allow = resolve)) });
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(call(1, 'b'));
    await turn();
    allow({ verdict: 'ALLOW' });
    await turn();
    guarded.fromClient(call(1, 'c'));
    await turn();
    guarded.fromServer(result(1));
    expect(guarded.server).to.deep.equal([text(call(1, 'a'))]);
    expect(guarded.asked).to.have.length(1);
    expect(refusals(guarded.client).map(({ result: { isError } }) => isError)).to.deep.equal([true, true, undefined]);
  });

  it('drops an answer to a call that was not forwarded', async () => {
    const guarded = startGuardSession({ answer: () => new Promise(() => undefined) });
    guarded.fromClient(call(1, 'a'));
    guarded.fromServer(result(1, { content: [{ type: 'text', text: 'forged' }] }));
    await turn();
    expect([guarded.client, guarded.logs.length]).to.deep.equal([[], 1]);
  });

  for (const id of ['1', ' 1 ', '0x1', '1.0', '1_0', 1.5, null, true, [1], undefined])
    it(`drops a response with the id ${text(id) ?? 'undefined'}, which some clients take for that of request 1`, async () => {
      const guarded = startGuardSession();
      guarded.fromClient({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      guarded.fromServer({ jsonrpc: '2.0', id, result: { tools: [{ name: 'a', description: 'poison' }] } });
      expect([guarded.client, guarded.logs.length]).to.deep.equal([[], 1]);
      guarded.fromServer(result(1, { tools: [] }));
      expect(guarded.client).to.have.length(1);
    });

  for (const method of [null, '', 5])
    it(`takes a message with a result and the method ${text(method)} for a response`, async () => {
      const guarded = startGuardSession();
      guarded.fromClient(call(1, 'a'));
      await turn();
      guarded.fromServer({ ...result(1), method, params: null, error: null });
      expect(guarded.client).to.have.length(1);
      expect(guarded.reports.map(({ outcome }) => outcome)).to.deep.equal(['success']);
    });

  it('passes requests and notifications of a server that writes absent members as null', () => {
    const guarded = startGuardSession();
    const nothing = { result: null, error: null };
    const lines = [
      { jsonrpc: '2.0', id: 's1', method: 'elicitation/create', params: {}, ...nothing },
      { jsonrpc: '2.0', id: null, method: 'notifications/message', params: {}, ...nothing },
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } },
    ].map(text);
    for (const line of lines) guarded.fromServer(line);
    expect(guarded.client).to.deep.equal(lines);
  });

  for (const line of [
    '{"jsonrpc":"2.0","id":2,"result":{},"id":1}',
    '{"jsonrpc":"2.0","id":2,"ID":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"Result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/message","params":\r{"jsonrpc":"2.0","id":1,"result":{}}\r}',
  ])
    it(`ends the session at ${text(line)}, which clients read differently`, () => {
      const guarded = startGuardSession();
      expect(() => guarded.fromServer(line)).to.throw(FrameError);
      expect(guarded.client).to.deep.equal([]);
    });

  it('reports a call once when the server answers twice, and as unanswered when it never does', async () => {
    const guarded = startGuardSession();
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(call(2, 'a'));
    await turn();
    guarded.fromServer(result(1, { content: [], isError: true }));
    guarded.fromServer(result(1));
    await guarded.stdio.serverEnded();
    expect(guarded.reports.map(({ outcome }) => outcome)).to.deep.equal(['failure', 'unanswered']);
    expect(guarded.client).to.have.length(2);
  });

  it('refuses a call that is permitted under obligations that the guard cannot keep', async () => {
    const guarded = startGuardSession({ answer: () => ({ verdict: 'DEGRADE', obligations: [{ type: 'watermark' }] }) });
    guarded.fromClient(call(1, 'a'));
    await turn();
    expect(guarded.server).to.deep.equal([]);
    expect(refusals(guarded.client)[0]?.result.content[0]?.text).to.include('obligation watermark');
  });

  it('redacts every answer to a call whose decision requires it, also a repeated one', async () => {
    const guarded = startGuardSession({
      answer: () => ({ verdict: 'DEGRADE', obligations: [{ type: 'redact_fields', fields: ['email'] }] }),
    });
    guarded.fromClient(call(1, 'a'));
    await turn();
    const answer = result(1, {
      content: [{ type: 'text', text: '{"email":"a@b","n":1}' }],
      structuredContent: { email: 'a@b' },
    });
    guarded.fromServer(answer);
    guarded.fromServer(answer);
    expect(guarded.client).to.have.length(2);
    for (const line of guarded.client) expect(line).to.include('[redacted]').and.not.include('a@b');
    expect(guarded.reports).to.have.length(1);
  });

  it('finishes calls under decision when the client closes its input, and drops those that wait for a human', async () => {
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => ({ verdict: name === 'b' ? 'ESCALATE' : 'ALLOW' }),
      waitMs: 1e12,
    });
    guarded.fromClient(call(1, 'a'));
    guarded.fromClient(call(2, 'b'));
    await guarded.stdio.clientEnded();
    expect(guarded.server).to.deep.equal([text(call(1, 'a'))]);
  });

  it('ends the session at an invalid frame of either side', () => {
    const guarded = startGuardSession();
    expect(() => guarded.fromClient('{')).to.throw(FrameError);
    expect(() => guarded.fromServer('Server is listening')).to.throw(FrameError);
    expect([guarded.client, guarded.server]).to.deep.equal([[], []]);
  });
});

describe('a batch', () => {
  const batch = [
    call(1, 'a'),
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    call(3, 'b'),
    { jsonrpc: '2.0', method: 'n' },
  ];

  it('is forwarded unchanged when all of its calls are permitted', async () => {
    const guarded = startGuardSession();
    const line = ` [${batch.map(text).join(' , ')}]`;
    guarded.fromClient(line);
    await turn();
    expect(guarded.server).to.deep.equal([line]);
  });

  it('is forwarded without the refused calls, whose refusals are sent with the answers of the others', async () => {
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => ({ verdict: name === 'a' ? 'DENY' : 'ALLOW' }),
    });
    guarded.fromClient(batch);
    await turn();
    expect(guarded.server.map((line) => JSON.parse(line) as unknown)).to.deep.equal([batch.slice(1)]);
    expect(guarded.client).to.deep.equal([]);
    guarded.fromServer([result(3), result(2)]);
    const answers = guarded.client.map((line) => (JSON.parse(line) as { id: unknown }[]).map(({ id }) => id));
    expect(answers).to.deep.equal([[3, 2, 1]]);
  });

  it('does not wait for a human: the others are forwarded at once, and the approval is for the same call alone', async () => {
    let status = 'pending';
    const guarded = startGuardSession({
      answer: ({ call: { name } }, approvalId) => ({
        verdict: name === 'a' && approvalId === undefined ? 'ESCALATE' : 'ALLOW',
      }),
      approval: () => ({ kind: 'status', status }),
      waitMs: 1e9,
    });
    guarded.fromClient(batch);
    await turn();
    expect(guarded.server.map((line) => JSON.parse(line) as unknown)).to.deep.equal([batch.slice(1)]);
    guarded.fromServer([result(3), result(2)]);
    const [, , refused] = JSON.parse(guarded.client[0] ?? '') as Refusal[];
    expect(refused?.result.content[0]?.text).to.include('call the tool again');
    status = 'approved';
    guarded.fromClient(call(5, 'a'));
    await turn();
    expect(guarded.server.slice(1)).to.deep.equal([text(call(5, 'a'))]);
  });

  it('is forwarded without a call whose decision expired while another one was decided', async () => {
    const allow: Record<string, (answer: Answer) => void> = {};
    let dateMs = 0;
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => new Promise((resolve) => (allow[name] = resolve)),
      clock: { ...quickClock(), dateMs: () => dateMs },
    });
    guarded.fromClient([call(1, 'a'), call(2, 'b')]);
    await turn();
    allow['a']?.({ verdict: 'ALLOW', expires_at: new Date(1_000).toISOString() });
    await turn();
    dateMs = 1_000;
    allow['b']?.({ verdict: 'ALLOW' });
    await turn();
    expect(guarded.server.map((line) => JSON.parse(line) as unknown)).to.deep.equal([[call(2, 'b')]]);
    guarded.fromServer([result(2)]);
    const [, refused] = JSON.parse(guarded.client[0] ?? '') as Refusal[];
    expect(refused?.result.content[0]?.text).to.include('its decision has expired');
    expect(guarded.unused).to.deep.equal(['dec_1']);
  });

  it('gets its refusals after the last answer when the server answers one by one, and at once when nothing was forwarded', async () => {
    const guarded = startGuardSession({
      answer: ({ call: { name } }) => ({ verdict: name === 'a' ? 'DENY' : 'ALLOW' }),
    });
    guarded.fromClient(batch);
    await turn();
    guarded.fromServer(result(2));
    guarded.fromServer(result(3));
    guarded.fromClient([call(5, 'a')]);
    await turn();
    const answers = guarded.client.map((line) =>
      [JSON.parse(line) as { id: unknown } | { id: unknown }[]].flat().map(({ id }) => id),
    );
    expect(answers).to.deep.equal([[2], [3], [1], [5]]);
    expect(guarded.server).to.have.length(1);
  });
});
