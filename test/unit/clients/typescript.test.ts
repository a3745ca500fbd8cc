// The TypeScript client without a service: what its own `fetch` is given, and what it makes of answers.
import { inspect } from 'node:util';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

type Guarded = (args: unknown) => Promise<unknown>;

/** The part of the client that is used here. It is compiled by a tsconfig of its own. */
interface Client {
  guard(options: object, run: (args: object) => unknown): Guarded;
  readonly intents: { submit(body: object): Promise<unknown> };
  readonly approvals: { get(id: string): Promise<unknown> };
  readonly enforce: { evaluate(body: object, options?: object): Promise<unknown> };
}

const KEY = 'cst_live_secret';
const entry = path.join(findRoot(), 'clients', 'typescript', 'dist', 'src', 'index.js');

/** A client whose requests all get this answer, and the bodies of its requests. */
async function clientWith(answer: () => Response) {
  const { Custos } = (await import(pathToFileURL(entry).href)) as { Custos: new (options: object) => Client };
  const bodies: unknown[] = [];
  const fetch = async (_: string, { body }: { body?: string }): Promise<Response> => {
    bodies.push(body === undefined ? undefined : JSON.parse(body));
    return answer();
  };
  return { custos: new Custos({ url: 'http://custos.test', key: KEY, fetch, retries: 0 }), bodies };
}

const circular: { self?: object } = {};
circular.self = circular;

describe('The TypeScript client', () => {
  const notJson: Readonly<Record<string, unknown>> = {
    'a date': { at: new Date(0) },
    'a number that is not finite': { n: Number.NaN },
    'a function': { f: () => 1 },
    'a big integer': { n: 1n },
    'a map': { m: new Map() },
    'an instance of a class': { e: new URL('http://custos.test') },
    'undefined in a list': { list: [undefined] },
    'a hole in a list': { list: Object.assign([], { length: 1 }) },
    'a lone surrogate': { text: '\ud800' },
    'a lone surrogate in a name': { '\ud800': 1 },
    'a circle': circular,
    'a list': [],
    'no object': null,
  };
  for (const [what, args] of Object.entries(notJson))
    it(`refuses arguments with ${what} without a request, and does not run`, async () => {
      const { custos, bodies } = await clientWith(() => Response.json({}));
      let ran = false;
      const guarded = custos.guard({ agentId: 'a', server: 's', name: 'n' }, () => (ran = true));
      const error = await guarded(args).catch((caught: unknown) => caught);
      expect(error).to.include({ name: 'RefusedError', verdict: null });
      expect({ ran, bodies }).to.deep.equal({ ran: false, bodies: [] });
    });

  it('makes different digests of different tools, also where their members are getters of a class', async () => {
    const { definitionDigest } = (await import(pathToFileURL(entry).href)) as {
      definitionDigest: (tool: object) => string;
    };
    class Tool {
      readonly name = 'n';
      get description() {
        return 'd';
      }
    }
    expect(definitionDigest(new Tool())).to.equal(definitionDigest({ name: 'n', description: 'd' }));
  });

  it('spells members as the service does, and leaves free-form values alone', async () => {
    const answer = { decision_id: 'd', allowed: false, verdict: 'DENY', obligations: [{ type: 'x', own_name: 1 }] };
    const { custos, bodies } = await clientWith(() => Response.json(answer));
    const context = { ownName: 1, own_name: { agentId: 2 } };
    const tool = { server: 's', name: 'n', arguments: { dryRun: true }, definitionDigest: 'sha256:0' };
    const decision = await custos.enforce.evaluate({ agentId: 'a', tool, context });
    expect(bodies).to.deep.equal([
      {
        agent_id: 'a',
        tool: { server: 's', name: 'n', arguments: { dryRun: true }, definition_digest: 'sha256:0' },
        context,
      },
    ]);
    expect(decision).to.deep.include({ decisionId: 'd', obligations: [{ type: 'x', own_name: 1 }] });
    // This request is in camelCase, except for one member.
    await custos.intents.submit({ agentId: 'a', tool }).catch(() => undefined);
    expect(bodies[1]).to.have.property('agentId', 'a');
    expect(bodies[1]).to.have.nested.property('tool.definition_digest', 'sha256:0');
  });

  it('refuses an answer that has a member in both spellings', async () => {
    const answer = { decision_id: 'd', decisionId: 'e', allowed: true, verdict: 'ALLOW', obligations: [] };
    const { custos } = await clientWith(() => Response.json(answer));
    const error = await custos.enforce.evaluate({ agentId: 'a', intent: 'read:x' }).catch((caught: unknown) => caught);
    expect(error).to.include({ name: 'UnexpectedAnswerError' });
  });

  it('refuses limits that are none, and takes an endless timeout', async () => {
    const { Custos } = (await import(pathToFileURL(entry).href)) as { Custos: new (options: object) => Client };
    const wrong = [
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
      { retries: -1 },
      { retries: 4 },
      { retries: Number.NaN },
    ];
    for (const limit of wrong) expect(() => new Custos(limit), inspect(limit)).to.throw(TypeError, /must be/);
    const answer = { decision_id: 'd', allowed: false, verdict: 'DENY' };
    const fetch = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        setTimeout(() => resolve(Response.json(answer)), 20);
      });
    const custos = new Custos({ url: 'http://custos.test', key: KEY, timeoutMs: Infinity, retries: 0, fetch });
    expect(await custos.enforce.evaluate({ agentId: 'a', intent: 'x' })).to.include({ verdict: 'DENY' });
  });

  it('takes a key with a newline at its end, as files have it, and none with one inside', async () => {
    const { Custos } = (await import(pathToFileURL(entry).href)) as { Custos: new (options: object) => Client };
    const keys: (string | null)[] = [];
    const fetch = async (_: string, { headers }: RequestInit): Promise<Response> => {
      keys.push(new Headers(headers).get('x-api-key'));
      return Response.json({});
    };
    const custos = new Custos({ url: 'http://custos.test', key: `${KEY}\n`, retries: 0, fetch });
    await custos.approvals.get('a').catch(() => undefined);
    expect(keys).to.deep.equal([KEY]);
    expect(() => new Custos({ key: 'cst_live\nsecret' })).to.throw(TypeError, /printable ASCII/);
  });

  it('refuses a key of idempotency or an id that no header may have, without a request', async () => {
    const { custos, bodies } = await clientWith(() => Response.json({}));
    for (const value of ['', 'ключ', 'x'.repeat(256), 'k\r\nx-other: 1'])
      for (const name of ['idempotencyKey', 'requestId']) {
        const asked = custos.enforce.evaluate({ agentId: 'a', intent: 'x' }, { [name]: value });
        const error = await asked.catch((caught: unknown) => caught);
        expect(error, `${name} ${value}`).to.be.an.instanceOf(TypeError);
        expect(String(error)).to.match(/must have 1 to 255 printable ASCII characters/);
      }
    expect(bodies).to.deep.equal([]);
  });

  it('takes an empty environment variable for none', async () => {
    const { Custos } = (await import(pathToFileURL(entry).href)) as { Custos: new () => Client };
    const names = ['CUSTOS_URL', 'CUSTOS_KEY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = '';
    try {
      expect(() => new Custos()).not.to.throw();
    } finally {
      for (const [i, name] of names.entries()) {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      }
    }
  });

  it('shows its key neither in itself nor in an error', async () => {
    const failures: (() => Response)[] = [
      () => Response.error(),
      () => new Response('<html>', { status: 502 }),
      () => Response.json({ code: 'E1002', detail: 'The API key is invalid.' }, { status: 401 }),
      () => {
        throw new TypeError('fetch failed');
      },
    ];
    for (const answer of failures) {
      const { custos } = await clientWith(answer);
      const error = await custos.approvals.get('x').then(
        () => undefined,
        (caught: unknown) => caught,
      );
      expect(error).to.be.an('error');
      for (const value of [custos, error]) expect(inspect(value, { depth: 9, showHidden: true })).not.to.include(KEY);
    }
  });
});
