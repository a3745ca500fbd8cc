// Permissions of the TypeScript client lapse: what runs has a decision that still stands. Time is given; nothing waits.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { inspect } from 'node:util';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

interface Permission {
  confirm(): Promise<void>;
  run(fn: () => unknown): Promise<unknown>;
  report(report: object): void;
}

/** The part of the client that is used here. It is compiled by a tsconfig of its own. */
interface Client {
  authorize(question: object, options?: object): Promise<Permission>;
  guard(options: object, run: () => unknown): (args: object) => Promise<unknown>;
  flush(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

const QUESTION = { agentId: 'agent-1', server: 'files', name: 'write', arguments: {} };
const DIGEST = `sha256:${createHash('sha256').update('{}').digest('hex')}`;
const entry = path.join(findRoot(), 'clients', 'typescript', 'dist', 'src', 'index.js');
const SECOND = 1_000;
const HOUR = 3_600_000;

/** A client whose service answers each question with a decision, and its time. */
async function setUp(decision: object = {}, onRecord: () => Body | Response = () => ({ stands: true })) {
  const { Custos } = (await import(pathToFileURL(entry).href)) as { Custos: new (options: object) => Client };
  const clock = { nowMs: 0, wallMs: 0 };
  const requests: string[] = [];
  const events: unknown[] = [];
  let ran = 0;
  const fetch = async (url: string, init: { method: string; body?: string; headers: Record<string, string> }) => {
    const { pathname } = new URL(url);
    requests.push(`${init.method} ${pathname}`);
    const body = JSON.parse(init.body ?? '{}') as Record<string, unknown>;
    if (pathname === '/v1/proofs') events.push(body['event']);
    if (init.method === 'GET') {
      const answer = onRecord();
      return answer instanceof Response ? answer : Response.json({ decision_id: 'dec_1', allowed: true, ...answer });
    }
    if (pathname !== '/v1/enforce') return Response.json({ proof_id: 'p', status: 'pending' }, { status: 202 });
    const tool = { server: 'files', name: 'write', arguments_digest: DIGEST };
    const request_id = init.headers['x-request-id'];
    const times = { evaluated_at: '2020-01-01T00:00:00.000Z', expires_at: '2020-01-01T01:00:00.000Z' };
    const answer = {
      decision_id: 'dec_1',
      agent_id: 'agent-1',
      verdict: 'ALLOW',
      allowed: true,
      reasons: [],
      obligations: [],
    };
    return Response.json({ ...answer, ...times, request_id, tool, ...decision });
  };
  const runtime = {
    nowMs: () => clock.nowMs,
    wallMs: () => clock.wallMs,
    sleep: async () => undefined,
    random: () => 0,
    newId: () => crypto.randomUUID(),
  };
  const custos = new Custos({ url: 'http://custos.test', key: 'k', fetch, retries: 0, runtime });
  const tool = (): void => void (ran += 1);
  /** Runs a permission of which the client learns `ms` later that it is used. */
  const runAfter = async (move: (time: typeof clock) => void) => {
    const permission = await custos.authorize(QUESTION);
    move(clock);
    const error = await permission.run(tool).catch((caught: unknown) => caught);
    await custos.flush();
    return { error, ran, requests, events };
  };
  return { custos, clock, tool, runAfter, outcome: () => ({ ran, requests, events }) };
}

const REFUSED = { name: 'RefusedError', verdict: 'ALLOW', decisionId: 'dec_1' };

describe('A permission of the TypeScript client', () => {
  it('runs within seconds without another request, whatever the wall clock says', async () => {
    const { runAfter } = await setUp();
    const { ran, requests } = await runAfter((clock) => (clock.nowMs += 4 * SECOND));
    expect(ran).to.equal(1);
    expect(requests).to.deep.equal(['POST /v1/enforce', 'POST /v1/proofs']);
  });

  for (const member of ['nowMs', 'wallMs'] as const)
    it(`runs later only when its decision stands, by whichever clock has gone on (${member})`, async () => {
      const stands = await setUp();
      const ran = await stands.runAfter((clock) => (clock[member] += 6 * SECOND));
      expect(ran).to.include({ ran: 1, error: undefined });
      expect(ran.requests[1]).to.equal('GET /v1/decisions/dec_1');

      const halted = await setUp({}, () => ({ stands: false, stands_reason: 'halted' }));
      const refused = await halted.runAfter((clock) => (clock[member] += 6 * SECOND));
      expect(refused.error).to.include(REFUSED).and.to.have.property('message').that.includes('halted');
      expect(refused).to.deep.include({ ran: 0, events: ['tool.not_called'] });
    });

  const unclear: Readonly<Record<string, () => Body | Response>> = {
    'the page of a proxy': () => new Response('<html>', { status: 502 }),
    'no word about it': () => ({}),
    'a text': () => ({ stands: 'true' }),
    'another decision': () => ({ stands: true, decision_id: 'dec_2' }),
    'no service': () => {
      throw new TypeError('fetch failed');
    },
  };
  for (const [what, answer] of Object.entries(unclear))
    it(`does not run later after ${what} instead of a clear answer`, async () => {
      const { runAfter } = await setUp({}, answer);
      const { error, ran, events } = await runAfter((clock) => (clock.nowMs += 6 * SECOND));
      expect(error).to.include(REFUSED);
      expect({ ran, events }).to.deep.equal({ ran: 0, events: ['tool.not_called'] });
    });

  it('does not run from some seconds before it expires, and asks nothing then', async () => {
    const { runAfter } = await setUp();
    const { error, ran, requests } = await runAfter((clock) => (clock.nowMs += HOUR - 5 * SECOND));
    expect(error).to.include(REFUSED).and.to.have.property('message').that.includes('expired');
    expect({ ran, requests }).to.deep.equal({ ran: 0, requests: ['POST /v1/enforce', 'POST /v1/proofs'] });
  });

  it('is none when its times can not be read, or are in the wrong order', async () => {
    for (const expires_at of [undefined, null, '', 'soon', '2020-01-01T00:00:00.000Z', '2019-01-01T00:00:00.000Z']) {
      const { custos, tool, outcome } = await setUp({ expires_at });
      const error = await custos
        .guard(
          QUESTION,
          tool,
        )({})
        .catch((caught: unknown) => caught);
      expect(error, String(expires_at)).to.include({ name: 'RefusedError', verdict: null });
      expect(outcome()).to.deep.include({ ran: 0, events: [] });
    }
  });

  it('is confirmed for a function that runs after a slow handler of an obligation', async () => {
    const obligations = [{ type: 'max_rows' }];
    const degrade = { verdict: 'DEGRADE', obligations };
    const { custos, clock, tool, outcome } = await setUp(degrade, () => ({ stands: false, stands_reason: 'halted' }));
    const slow = { max_rows: () => void (clock.nowMs += 6 * SECOND) };
    const error = await custos
      .guard(
        { ...QUESTION, obligations: slow },
        tool,
      )({})
      .catch((caught: unknown) => caught);
    await custos.flush();
    expect(error).to.include({ name: 'RefusedError', verdict: 'DEGRADE' });
    expect(outcome()).to.deep.include({ ran: 0, events: ['tool.not_called'] });
  });

  it('gives nothing of what a tool has thrown when its result has to be redacted, and all of it otherwise', async () => {
    const degrade = { verdict: 'DEGRADE', obligations: [{ type: 'redact_fields' }] };
    const { custos, outcome } = await setUp(degrade);
    const own = new Error('no row of ada@example.com');
    const failWith = (keep: () => unknown) =>
      custos
        .guard({ ...QUESTION, obligations: { redact_fields: keep } }, () => {
          throw own;
        })({})
        .catch((caught: unknown) => caught);
    const withheld = await failWith(() => ({ result: (rows: unknown) => rows }));
    expect(withheld).to.include({ name: 'RefusedError', verdict: 'DEGRADE', hasRun: true });
    expect(inspect(withheld)).not.to.include('ada@');
    expect(await failWith(() => undefined)).to.equal(own);
    await custos.flush();
    expect(outcome().events).to.deep.equal(['tool.called', 'tool.called']);
  });

  const lazy: Readonly<Record<string, (tool: () => void) => () => unknown>> = {
    'a generator': (tool) =>
      function* () {
        yield tool();
      },
    'an asynchronous generator': (tool) =>
      async function* () {
        yield tool();
      },
    'an iterator': (tool) => () => ({ next: () => ({ done: false, value: tool() }) }),
    'a function': (tool) => () => tool,
    'a function that returns a generator': (tool) => () =>
      (function* () {
        yield tool();
      })(),
  };
  for (const [what, make] of Object.entries(lazy))
    it(`does not hand out ${what}, which would run without the decision`, async () => {
      const { custos, tool, outcome } = await setUp();
      const error = await custos
        .guard(
          QUESTION,
          make(tool),
        )({})
        .catch((caught: unknown) => caught);
      expect(error).to.include({ name: 'RefusedError', verdict: 'ALLOW', hasRun: true });
      expect(outcome().ran).to.equal(0);
    });

  it('is not waited for when the time to wait is no number', async () => {
    const { custos, tool, outcome } = await setUp({
      verdict: 'ESCALATE',
      allowed: false,
      approval: { approval_id: 'apr_1' },
    });
    const error = await custos
      .guard(
        { ...QUESTION, waitSeconds: Number.NaN },
        tool,
      )({})
      .catch((caught: unknown) => caught);
    expect(error).to.include({ name: 'RefusedError', verdict: 'ESCALATE', approvalId: 'apr_1', hasRun: false });
    expect(outcome().requests).to.deep.equal(['POST /v1/enforce']);
  });

  it('still reports a call that something else has begun in time and that took hours', async () => {
    const { custos, clock, outcome } = await setUp();
    const permission = await custos.authorize(QUESTION);
    await permission.confirm();
    clock.nowMs += 2 * HOUR;
    permission.report({ outcome: 'success' });
    await custos.flush();
    expect(outcome().events).to.deep.equal(['tool.called']);
  });
});
