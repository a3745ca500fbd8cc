// A service that is unreachable, slow or faulty: each call is refused with a sentence, and none is forwarded without a decision on record.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { SYSTEM_CLOCK } from '../../../cli/mcp-guard/clock.ts';
import { createCustos } from '../../../cli/mcp-guard/custos.ts';
import { type FakeCustos, type Said, startFakeCustos } from '../../support/fake-custos.ts';
import { AGENT, type GuardSession, SERVER, startGuardSession } from '../../support/guard-session.ts';
import { waitFor } from '../../support/wait.ts';

const call = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'read', arguments: { path: `file-${id}` }, _meta: { progressToken: id } },
});
const raw = (status: number, body: string, headers: Record<string, string> = {}): Said => ({
  status,
  raw: body,
  headers,
});
const problem = (status: number, code: string, headers?: Record<string, string>): Said =>
  raw(status, JSON.stringify({ code, detail: 'Why.' }), headers);

const about = (tool: object): Said => ({ verdict: 'ALLOW', tool });

let ids = 0;

/** The timeout is long, because a busy machine can take a while to refuse a connection. */
function sessionWith(fake: FakeCustos, answerTimeoutMs = 10_000): GuardSession {
  const custos = createCustos({
    url: fake.url,
    key: fake.key,
    clock: SYSTEM_CLOCK,
    newId: () => `attempt-${(ids += 1)}`,
    answerTimeoutMs,
  });
  return startGuardSession({ custos, clock: SYSTEM_CLOCK });
}

interface Line {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly progress: number };
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

const linesOf = ({ client }: GuardSession): Line[] => client.map((line) => JSON.parse(line) as Line);

async function responseTo(guarded: GuardSession, id: number): Promise<Line> {
  return waitFor(() => linesOf(guarded).find((line) => line.id === id && line.method === undefined));
}

/** Each forwarded call has a decision of the service about exactly this call, and no two have the same. */
function expectDecided({ server }: GuardSession, { permitted }: FakeCustos): void {
  const open = [...permitted.values()].map(({ agent_id: agent, tool }) => [
    agent,
    tool.server,
    tool.name,
    tool.arguments,
  ]);
  for (const line of server) {
    const { params } = JSON.parse(line) as { params: { name: string; arguments: object } };
    const wanted = JSON.stringify([AGENT, SERVER, params.name, params.arguments]);
    const at = open.findIndex((one) => JSON.stringify(one) === wanted);
    expect(at, `no decision for ${line}`).to.not.equal(-1);
    open.splice(at, 1);
  }
}

describe('while the service', () => {
  for (const [what, said, words] of [
    ['does not answer', { hang: true }, 'did not answer within 0.3 s'],
    ['breaks every connection', { cut: true }, 'could not be reached'],
    ['answers garbage', raw(200, '<html>busy</html>'), 'no decision'],
    ['answers half a decision', raw(200, '{"verdict":"ALLOW","allowed":'), 'no decision'],
    ['is busy for good', problem(429, 'E3001', { 'retry-after': '60' }), 'E3001'],
    ['has lost its database', problem(503, 'E6002', { 'retry-after': '60' }), 'E6002'],
    ['has an error', problem(500, 'E6001'), 'E6001'],
    ['has revoked the key', problem(401, 'E1002'), 'E1002'],
    ['takes the scope away', problem(403, 'E1004'), 'E1004'],
    ['sends the guard elsewhere', raw(307, '', { location: 'http://127.0.0.1:9/' }), 'status 307'],
    ['decides about another tool', about({ server: SERVER, name: 'other', arguments_digest: 'x' }), 'no decision'],
    [
      'allows under an obligation that nobody knows',
      { verdict: 'ALLOW', obligations: [{ type: 'mystery' }] },
      'mystery',
    ],
    ['allows without a list of obligations', { verdict: 'ALLOW', obligations: null }, 'no decision'],
    ['gives a decision an empty id', { verdict: 'ALLOW', decision_id: '' }, 'no decision'],
    ['gives a verdict in small letters', { verdict: 'allow' as 'ALLOW', allowed: true }, 'no decision'],
    ['decides for another request', { verdict: 'ALLOW', request_id: 'other' }, 'keeps changing'],
  ] as const satisfies readonly (readonly [string, Said, string])[])
    it(`${what}, a call is refused with a sentence, and the next one is permitted when it has recovered`, async () => {
      const fake = await startFakeCustos(() => said);
      const guarded = sessionWith(fake, 'hang' in said ? 300 : undefined);
      guarded.fromClient(call(1));
      const refused = await responseTo(guarded, 1);
      expect(refused.result?.isError).to.equal(true);
      expect(refused.result?.content[0]?.text).to.include(words);
      expect(guarded.server).to.deep.equal([]);
      fake.answer = () => ({ verdict: 'ALLOW' });
      guarded.fromClient(call(2));
      await waitFor(() => guarded.server.length === 1);
      expectDecided(guarded, fake);
      await fake.close();
    });

  for (const [what, first] of [
    ['is slow', delay(100).then((): Said => ({ verdict: 'ALLOW' }))],
    ['is busy for a moment', problem(429, 'E3001', { 'retry-after': '0' })],
    ['restarts', { cut: true }],
  ] as const satisfies readonly (readonly [string, Said | Promise<Said>])[])
    it(`${what}, a call is forwarded once`, async () => {
      const fake = await startFakeCustos((_, n) => (n === 1 ? first : { verdict: 'ALLOW' }));
      const guarded = sessionWith(fake);
      guarded.fromClient(call(1));
      await waitFor(() => guarded.server.length > 0);
      expect(guarded.server).to.deep.equal([JSON.stringify(call(1))]);
      expectDecided(guarded, fake);
      await fake.close();
    });

  it('dies right after it has permitted a call, that call is forwarded at most once and the next one is refused', async () => {
    const fake = await startFakeCustos();
    const guarded = sessionWith(fake);
    guarded.fromClient(call(1));
    await waitFor(() => fake.permitted.size === 1);
    await fake.close();
    guarded.fromClient(call(2));
    expect((await responseTo(guarded, 2)).result?.content[0]?.text).to.include('could not be reached');
    // The first answer may have been on its way, or not: both are safe.
    expect(guarded.server.length).to.be.most(1);
    expectDecided(guarded, fake);
  });

  it('fails and a call waits for a human, the client gets all notices before the result, in order', async () => {
    let isAway = false;
    let unanswered = 0;
    const fake = await startFakeCustos(({ approval_id: approval }) => ({
      verdict: approval === undefined ? 'ESCALATE' : 'ALLOW',
    }));
    fake.other = (path) => {
      if (!isAway || !path.startsWith('/v1/approvals')) return undefined;
      unanswered += 1;
      return { cut: true };
    };
    const guarded = sessionWith(fake);
    guarded.fromClient(call(1));
    await waitFor(() => fake.polls > 0);
    isAway = true;
    await waitFor(() => unanswered > 0);
    isAway = false;
    fake.approvals.set('apr_01m7z6w78c5ardnz9csgncbv86', 'approved');
    await waitFor(() => guarded.server.length === 1);
    const notice = (progress: number): object => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress },
    });
    for (const progress of [1, 2, 3, 4]) guarded.fromServer(notice(progress));
    guarded.fromServer({ jsonrpc: '2.0', id: 1, result: { content: [] } });
    const progress = linesOf(guarded).map(({ params }) => params?.progress);
    expect(progress.slice(-5)).to.deep.equal([1, 2, 3, 4, undefined]);
    expect(progress.slice(0, -1)).to.deep.equal(progress.slice(0, -1).toSorted((a, b) => Number(a) - Number(b)));
    expectDecided(guarded, fake);
    await fake.close();
  });
});
