// The function of the guide to enforcing: it acts once for each decision that still stands, and for no other.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Service, startService } from '../../support/service.ts';

interface Options {
  readonly url: string;
  readonly key: string;
  readonly acted: Set<string>;
  readonly send?: (url: string, init: RequestInit) => Promise<Response>;
  readonly wait: (seconds: number) => Promise<void>;
  readonly nowMs?: () => number;
}
interface Gate {
  mayAct(answer: object, acted: Set<string>, nowMs: number): boolean;
  enforce(question: object, act: (obligations: unknown) => Promise<void>, options: Options): Promise<boolean>;
}

const NOW = Date.parse('2026-03-01T09:30:00.000Z');
const ALLOW = {
  decision_id: 'dec_1',
  allowed: true,
  verdict: 'ALLOW',
  obligations: [],
  expires_at: '2026-03-01T10:30:00.000Z',
};
const QUESTION = { agent_id: 'report-bot', intent: 'data.read.sales_report' };

describe('The guide to enforcing', () => {
  let gate: Gate;
  before(async () => {
    const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'enforce.md'), 'utf8');
    const [, code] = /<!-- gate -->\n```js\n([^]*?)^```$/m.exec(guide) ?? [];
    const file = path.join(temporaryFolder('gate'), 'gate.mjs');
    writeFileSync(file, code ?? '');
    // The function of the guide; its shape is declared above.
    gate = (await import(pathToFileURL(file).href)) as Gate;
  });

  const CASES: readonly (readonly [what: string, change: object, acts: boolean])[] = [
    ['ALLOW', {}, true],
    ['DEGRADE whose obligations it knows', { verdict: 'DEGRADE', obligations: [{ type: 'max_rows', limit: 3 }] }, true],
    ['an unknown obligation', { verdict: 'DEGRADE', obligations: [{ type: 'novel' }] }, false],
    ['an unknown obligation among others', { obligations: [{ type: 'max_rows' }, { type: 'novel' }] }, false],
    ['DENY', { verdict: 'DENY', allowed: false }, false],
    ['ESCALATE', { verdict: 'ESCALATE', allowed: false }, false],
    ['an unknown verdict', { verdict: 'PERHAPS' }, false],
    ['a dry run', { dry_run: true }, false],
    ['no decision_id', { decision_id: undefined }, false],
    ['a decision that it has acted on', { decision_id: 'dec_0' }, false],
    ['a decision that has expired', { expires_at: '2026-03-01T09:30:00.000Z' }, false],
    ['a decision that expires during the check', { expires_at: '2026-03-01T09:30:04.000Z' }, false],
    ['an invalid time', { expires_at: 'soon' }, false],
  ];
  for (const [what, change, acts] of CASES)
    it(`${acts ? 'acts' : 'does not act'} on ${what}`, () => {
      expect(gate.mayAct({ ...ALLOW, ...change }, new Set(['dec_0']), NOW)).to.equal(acts);
    });

  type Step = readonly [status: number, body: object, headers?: Record<string, string>] | 'no answer';
  /** Gives these answers in order. @returns how often it acted, the keys that were sent, and the waits */
  const play = async (steps: readonly Step[]) => {
    const keys: string[] = [];
    const waits: number[] = [];
    let acts = 0;
    const did = await gate.enforce(QUESTION, async () => void (acts += 1), {
      url: 'http://custos',
      key: 'k',
      acted: new Set(),
      nowMs: () => NOW,
      wait: async (seconds) => void waits.push(seconds),
      send: async (_, { headers }) => {
        const step = steps[keys.length];
        keys.push(new Headers(headers).get('idempotency-key') ?? '');
        if (step === undefined || step === 'no answer') throw new Error('connection reset');
        return new Response(JSON.stringify(step[1]), { status: step[0], headers: step[2] ?? {} });
      },
    });
    return { did, acts, keys, isSameKey: new Set(keys).size === 1, waits };
  };
  const problem = (code: string): object => ({ code });

  it('repeats under the same Idempotency-Key when the outcome is unknown, after the time of Retry-After', async () => {
    const played = await play([
      'no answer',
      [503, problem('E6002'), { 'retry-after': '7' }],
      [409, problem('E2010'), { 'retry-after': '9' }],
      [429, problem('E3001'), { 'retry-after': '1' }],
      [200, ALLOW],
    ]);
    expect(played).to.deep.include({ did: true, acts: 1, isSameKey: true, waits: [1, 7, 9, 4] });
  });
  it('requests another decision, under another Idempotency-Key, when the decision no longer stands', async () => {
    const { acts, keys } = await play([
      [409, problem('E5004')],
      [200, ALLOW],
    ]);
    expect([acts, new Set(keys).size]).to.deep.equal([1, 2]);
  });
  it('does not act, and does not repeat, when the request or the key is wrong', async () => {
    for (const [status, code] of [
      [400, 'E2001'],
      [401, 'E1002'],
      [403, 'E1004'],
      [422, 'E2010'],
    ] as const)
      expect(
        await play([
          [status, problem(code)],
          [200, ALLOW],
        ]),
      ).to.deep.include({ did: false, acts: 0, waits: [] });
  });
  it('does not act when there is no answer', async () => {
    expect(await play([])).to.deep.include({ did: false, acts: 0 });
  });

  describe('against the service', () => {
    let service: Service;
    before(async () => {
      service = await startService();
    });
    after(() => service?.close());

    it('acts once for a decision that is returned twice, and not at all under a halt', async () => {
      const acted = new Set<string>();
      let acts = 0;
      const options = { url: service.ingress.address, key: service.adminKey, acted, wait: async () => undefined };
      const enforce = (more: object = {}) =>
        gate.enforce({ ...QUESTION, ...more }, async () => void (acts += 1), options);
      expect(await enforce()).to.equal(true);
      expect(await enforce({ dry_run: true })).to.equal(false);
      await service.admin.post('/v1/halt', { reason: 'x' });
      expect(await enforce()).to.equal(false);
      await service.admin.delete('/v1/halt');
      expect([acts, acted.size]).to.deep.equal([1, 1]);
    });
  });
});
