// The decision client and the reporter against a service that works, is slow, answers garbage or is unreachable.
import net from 'node:net';
import { expect } from 'chai';
import { createCustos } from '../../../cli/mcp-guard/custos.ts';
import type { Allowed, Question } from '../../../cli/mcp-guard/decision.ts';
import { createHideDenied } from '../../../cli/mcp-guard/hiding.ts';
import { Reporter } from '../../../cli/mcp-guard/reports.ts';
import { readCall } from '../../../cli/mcp-guard/tool-call.ts';
import { type FakeCustos, type Said, startFakeCustos } from '../../support/fake-custos.ts';
import { quickClock } from '../../support/guard-session.ts';

const NEVER = new AbortController().signal;
const ATTEMPT = { id: 'id-1', approvalId: undefined, rounds: 0 };

function question(args: object = { path: 'a' }): Question {
  const value = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read', arguments: args } };
  const read = readCall({ text: JSON.stringify(value), value });
  if (read.kind !== 'call') throw new Error(read.kind);
  return {
    agentId: 'a',
    server: 's',
    call: read.call,
    definitionDigest: 'sha256:00',
    annotations: { readOnlyHint: true },
  };
}

async function withService(
  said: (n: number) => Said,
  work: (custos: ReturnType<typeof createCustos>, fake: FakeCustos) => Promise<void>,
): Promise<void> {
  const fake = await startFakeCustos((_, n) => said(n));
  let ids = 0;
  try {
    await work(
      createCustos({ url: fake.url, key: fake.key, clock: quickClock(), newId: () => `id-${(ids += 1)}` }),
      fake,
    );
  } finally {
    await fake.close();
  }
}

const problem = (status: number, code: string, headers: Record<string, string> = {}): Said => ({
  status,
  headers,
  raw: JSON.stringify({ code, detail: 'Why it is so.', errors: [{ pointer: '/tool', message: 'is wrong' }] }),
});

describe('the decision client', () => {
  it('sends agent, server, tool, arguments, digest and approval', () =>
    withService(
      () => ({ verdict: 'ALLOW' }),
      async (custos, { asked }) => {
        expect(await custos.ask(question(), { ...ATTEMPT, approvalId: 'apr_x' }, NEVER)).to.include({
          kind: 'allowed',
        });
        expect(asked).to.deep.equal([
          {
            agent_id: 'a',
            tool: {
              server: 's',
              name: 'read',
              arguments: { path: 'a' },
              definition_digest: 'sha256:00',
              annotations: { readOnlyHint: true },
            },
            approval_id: 'apr_x',
          },
        ]);
      },
    ));

  for (const [what, said, words] of [
    ['garbage', { raw: '<html>' }, 'no decision'],
    ['an empty answer', { raw: '' }, 'no decision'],
    ['JSON that is not a decision', { raw: '{"verdict":"ALLOW","allowed":true}' }, 'no decision'],
    ['a verdict that does not exist', { verdict: 'MAYBE' as never }, 'no decision'],
    [
      'a decision about other arguments',
      { verdict: 'ALLOW', tool: { server: 's', name: 'read', arguments_digest: `sha256:${'0'.repeat(64)}` } },
      'no decision',
    ],
    ['ALLOW that is not allowed', { verdict: 'ALLOW', allowed: false }, 'no decision'],
    ['a decision without id', { verdict: 'ALLOW', decision_id: null }, 'no decision'],
    ['an endless answer', { raw: `"${'x'.repeat(5_000_000)}"` }, 'no decision'],
    ['a redirect', { raw: '', status: 307, headers: { location: 'http://127.0.0.1:9/v1/enforce' } }, 'status 307'],
    ['a key that was revoked', problem(401, 'E1002'), 'E1002, Why it is so (/tool: is wrong).'],
    ['a refused request', problem(400, 'E2001'), 'E2001'],
    ['an internal error', problem(500, 'E6001'), 'E6001'],
  ] as const satisfies readonly (readonly [string, Said, string])[])
    it(`reports ${what} in one sentence, and gives no decision`, () =>
      withService(
        () => said,
        async (custos) => {
          const ruling = await custos.ask(question(), ATTEMPT, NEVER);
          expect(ruling.kind).to.equal('none');
          expect(ruling.kind === 'none' && ruling.sentence).to.include(words);
        },
      ));

  it('retries under the same Idempotency-Key when a connection breaks once, and when the service sends Retry-After', () =>
    withService(
      (n) => (n === 1 ? { cut: true } : n === 2 ? problem(429, 'E3001', { 'retry-after': '1' }) : { verdict: 'ALLOW' }),
      async (custos, { asked }) => {
        expect(await custos.ask(question(), ATTEMPT, NEVER)).to.include({ kind: 'allowed' });
        expect(asked).to.have.length(3);
      },
    ));

  it('retries a request while the service still handles the first one, and requests a new decision when the first has lapsed', () =>
    withService(
      (n) => (n === 1 ? problem(409, 'E2010', { 'retry-after': '1' }) : problem(409, 'E5004')),
      async (custos, { asked }) => {
        expect(await custos.ask(question(), ATTEMPT, NEVER)).to.deep.equal({ kind: 'void' });
        expect(asked).to.have.length(2);
      },
    ));

  for (const [what, said, kind] of [
    ['of another request', { verdict: 'ALLOW', request_id: 'id-2' }, 'void'],
    ['without the request', { verdict: 'ALLOW', request_id: undefined }, 'void'],
    ['with null for the request', { verdict: 'ALLOW', request_id: null }, 'void'],
    ['of its own request', { verdict: 'ALLOW', request_id: 'id-1' }, 'allowed'],
  ] as const satisfies readonly (readonly [string, Said, string])[])
    it(`treats a decision ${what} as ${kind}`, () =>
      withService(
        () => said,
        async (custos) => {
          expect((await custos.ask(question(), ATTEMPT, NEVER)).kind).to.equal(kind);
        },
      ));

  const wholeAnswer = (): Record<string, unknown> => ({
    decision_id: 'dec_1',
    request_id: 'id-1',
    agent_id: 'a',
    verdict: 'ALLOW',
    allowed: true,
    obligations: [],
    expires_at: '2100-01-01T00:00:00.000Z',
    tool: { server: 's', name: 'read', arguments_digest: question().call.argumentsDigest },
  });
  const answers: readonly (readonly [what: string, raw: string, kind: string])[] = [
    ['as the service writes it', JSON.stringify(wholeAnswer()), 'allowed'],
    ['with a member twice', JSON.stringify(wholeAnswer()).replace('"verdict"', '"verdict":"DENY","verdict"'), 'none'],
    ...['Fri, 01 Jan 2100 00:00:00 GMT', '2100', '2100-02-30T00:00:00Z', '2100-01-01', 4_102_444_800_000].map(
      (end) => [`that ends at ${end}`, JSON.stringify({ ...wholeAnswer(), expires_at: end }), 'none'] as const,
    ),
  ];
  for (const [what, raw, kind] of answers)
    it(`takes an answer ${what} as ${kind}`, () =>
      withService(
        () => ({ raw }),
        async (custos) => {
          expect((await custos.ask(question(), ATTEMPT, NEVER)).kind).to.equal(kind);
        },
      ));

  it('reports in one sentence that connections keep breaking, that nothing listens, and that the service stays busy', async () => {
    await withService(
      () => ({ cut: true }),
      async (custos, { asked }) => {
        expect(await custos.ask(question(), ATTEMPT, NEVER)).to.include({ kind: 'none' });
        expect(asked).to.have.length(2);
      },
    );
    await withService(
      () => problem(503, 'E6002', { 'retry-after': '4' }),
      async (custos, { asked }) => {
        expect(await custos.ask(question(), ATTEMPT, NEVER)).to.include({ kind: 'none' });
        expect(asked).to.have.length(3);
      },
    );
    const gone = net.createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as net.AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const custos = createCustos({ url: `http://127.0.0.1:${port}`, key: 'k', clock: quickClock(), newId: () => 'id' });
    expect(await custos.ask(question(), ATTEMPT, NEVER)).to.deep.equal({
      kind: 'none',
      sentence: 'Custos could not be reached (ECONNREFUSED).',
    });
  });

  it('reads the time at which a decision expires by the clock of the service', () =>
    withService(
      () => ({ verdict: 'ALLOW', expires_at: new Date(Date.now() + 60_000).toISOString() }),
      async (custos) => {
        // The guard's clock is at 1970.
        const ruling = await custos.ask(question(), ATTEMPT, NEVER);
        expect(ruling.kind === 'allowed' && ruling.allowed.expiresAtMs).to.be.within(59_000, 70_000);
      },
    ));

  it('takes an answer without such a time for no decision', () =>
    withService(
      () => ({ verdict: 'ALLOW', expires_at: undefined }),
      async (custos) => {
        expect(await custos.ask(question(), ATTEMPT, NEVER)).to.include({ kind: 'none' });
      },
    ));

  it('stops as soon as the call is cancelled', () =>
    withService(
      () => ({ hang: true }),
      async (custos) => {
        const controller = new AbortController();
        setImmediate(() => controller.abort());
        expect(await custos.ask(question(), ATTEMPT, controller.signal)).to.include({ kind: 'none' });
      },
    ));
});

describe('reports', () => {
  // The part of a decision that a report names.
  const allowed = { question: question(), attempt: ATTEMPT, decisionId: 'dec_1' } as unknown as Allowed;

  it('give budgets back for a call that was not carried out, unless an earlier round of it was', async () => {
    const sent: [string, object][] = [];
    const custos = {
      report: async (path: string, body: object) => {
        sent.push([path, body]);
        return 'done' as const;
      },
    };
    for (const one of [
      { ...allowed, hasBudgets: true },
      { ...allowed, hasBudgets: true, attempt: { ...ATTEMPT, rounds: 1 } },
    ]) {
      const reporter = new Reporter({ custos, clock: quickClock(), withSignals: false, log: () => undefined });
      reporter.notCalled(one);
      await reporter.end();
    }
    expect(sent.map(([path]) => path)).to.deep.equal(['/v1/proofs', '/v1/decisions/dec_1/outcome', '/v1/proofs']);
    expect(sent[1]?.[1]).to.deep.equal({ outcome: 'not_carried_out' });
  });

  it('contain digests and never arguments or results, and signals only if enabled', () =>
    withService(
      () => ({ verdict: 'ALLOW' }),
      async (custos, { proofs, signals }) => {
        for (const withSignals of [false, true]) {
          const reporter = new Reporter({ custos, clock: quickClock(), withSignals, log: () => undefined });
          reporter.called({ allowed, outcome: 'failure', resultDigest: 'sha256:11' });
          reporter.called({ allowed, outcome: 'cancelled', resultDigest: undefined });
          reporter.notCalled(allowed);
          await reporter.end();
        }
        expect(proofs).to.have.length(6);
        expect(proofs[2]).to.deep.include({ event: 'tool.not_called', proofId: 'tool.not_called:dec_1' });
        expect(proofs[2]?.['payload']).to.include({ decisionId: 'dec_1', tool: 'read' });
        expect(proofs[0]).to.deep.equal({
          event: 'tool.called',
          entityId: 'a',
          proofId: 'tool.called:dec_1',
          payload: {
            decisionId: 'dec_1',
            server: 's',
            tool: 'read',
            argumentsDigest: question().call.argumentsDigest,
            definitionDigest: 'sha256:00',
            resultDigest: 'sha256:11',
            outcome: 'failure',
          },
        });
        expect(signals).to.deep.equal([
          {
            signalId: 'tool.called:dec_1',
            agentId: 'a',
            type: 'failure',
            source: 'mcp-guard',
            evidence: { decisionId: 'dec_1', server: 's', tool: 'read' },
          },
        ]);
      },
    ));

  it('are retried in order while the service is unreachable, and are dropped with a log line when it refuses them', () =>
    withService(
      () => ({ verdict: 'ALLOW' }),
      async (custos, fake) => {
        const lines: string[] = [];
        let failures = 3;
        fake.other = (path) => {
          if (path === '/v1/trust/signals') return problem(403, 'E1004');
          return (failures -= 1) >= 0 ? problem(503, 'E6002') : undefined;
        };
        const reporter = new Reporter({
          custos,
          clock: quickClock(),
          withSignals: true,
          log: (line) => void lines.push(line),
        });
        reporter.called({ allowed, outcome: 'success', resultDigest: undefined });
        await reporter.end();
        expect(fake.proofs).to.have.length(1);
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include('/v1/trust/signals').and.include('E1004');
      },
    ));
});

describe('a list without denied tools', () => {
  const denied = (...conditions: object[]): Said => ({
    verdict: 'DENY',
    explanation: [{ policy: 'p', rule: 'r', effect: 'DENY', matched: true, conditions }],
  });
  const met = (fact: string, path: string): object => ({ fact, path, operator: 'equal', missing: false, result: true });
  const text =
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}, {"name":"b" },{"name":"c"}],"nextCursor":"n"}}';
  const hidden = async (said: (name: string) => Said): Promise<unknown> => {
    const fake = await startFakeCustos(({ tool }) => said(tool.name));
    const custos = createCustos({ url: fake.url, key: fake.key, clock: quickClock(), newId: () => 'id' });
    const lines: string[] = [];
    const hide = createHideDenied({ agentId: 'a', server: 's', custos, log: (line) => void lines.push(line) });
    const message = { text, value: JSON.parse(text) as Record<string, unknown> };
    const passed = await hide(message, () => ({ kind: 'unlisted' }));
    await hide(message, () => ({ kind: 'unlisted' }));
    await fake.close();
    return { passed, lines: lines.length };
  };

  it('omits tools that a rule denies for any arguments, and keeps the bytes of the rest', async () => {
    const said = (name: string): Said =>
      name === 'b' ? denied(met('trust', 'level'), met('tool', 'name')) : { verdict: 'ALLOW' };
    expect(await hidden(said)).to.deep.equal({
      passed: { kind: 'other', text: text.replace(' {"name":"b" },', '') },
      lines: 0,
    });
  });

  for (const [what, said] of [
    ['is denied by default', { verdict: 'DENY', explanation: [] }],
    ['is denied for an argument', denied(met('tool', 'arguments.path'))],
    ['is denied for its resource', denied(met('trust', 'level'), met('intent', 'resource'))],
    ['is denied for a missing fact', denied({ ...met('agent', 'attributes.team'), missing: true })],
    ['is escalated', { verdict: 'ESCALATE' }],
  ] as const satisfies readonly (readonly [string, Said])[])
    it(`shows a tool that ${what}`, async () => {
      expect(await hidden(() => said)).to.deep.equal({ passed: { kind: 'same' }, lines: 0 });
    });

  it('is complete when the service does not answer or the key lacks the scope, with one log line that gives the reason', async () => {
    for (const said of [problem(403, 'E1004'), { raw: 'x' }] satisfies Said[])
      expect(await hidden(() => said)).to.deep.equal({ passed: { kind: 'same' }, lines: 1 });
  });
});
