// Health, readiness, metrics, reference tables and the published schemas, over HTTP.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type ReadinessCheck, readinessChecks } from '../../ingress/readiness.ts';
import { createMetrics } from '../../shared/platform/observe/metrics.ts';
import { ERROR_TABLE } from '../../shared/kernel/errors.ts';
import { SCOPES, TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import { type Client, createClient } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Sample, startSample } from '../support/sample-app.ts';
import { leastMs } from '../support/undisturbed.ts';

const HALTED = { organisation: 'acme', environment: 'live', reason: 'an incident' } as const;

describe("the service's own endpoints", () => {
  let sample: Sample;
  let client: Client;
  const state: Record<string, () => Promise<{ ok: boolean; detail?: string }>> = {};
  const check = (name: string, severity?: 'degraded'): ReadinessCheck => ({
    name,
    ...(severity === undefined ? {} : { severity }),
    state: 'process',
    check: () => (state[name] ?? (async () => ({ ok: true })))(),
  });
  const schemaDir = temporaryFolder('schemas');
  before(async () => {
    writeFileSync(
      path.join(schemaDir, 'policy.schema.json'),
      '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
    );
    sample = await startSample({
      readiness: [check('database'), check('queue', 'degraded')],
      halted: async () => [HALTED],
      metrics: createMetrics(),
      config: { schemaDir },
    });
    client = createClient(sample.baseUrl, undefined, { hasOwnDocument: true });
  });
  afterEach(() => {
    for (const name of Object.keys(state)) delete state[name];
    sample.stopping = false;
  });
  after(async () => {
    client.close();
    await sample.close();
  });

  it('is alive even when every check fails', async () => {
    state['database'] = () => Promise.reject(new Error('away'));
    expect((await client.get('/health')).json).to.deep.equal({ status: 'alive' });
  });
  it('is ready when every check passes', async () => {
    const answer = await client.get('/ready');
    expect(answer.status).to.equal(200);
    expect(answer.json.degraded).to.deep.equal([]);
  });
  for (const key of [null, 'reader', 'no-such-key', 'expired'])
    it(`shows ${key ?? 'a caller without a key'} the state of each part, without reasons and halts`, async () => {
      state['queue'] = async () => ({ ok: false, detail: '/srv/policies/a.json:7 of organisation acme' });
      const answer = await client.get('/ready', { key });
      expect([answer.status, answer.json]).to.deep.equal([
        200,
        {
          status: 'ready',
          checks: [
            { name: 'database', ok: true },
            { name: 'queue', ok: false },
          ],
          degraded: ['queue'],
          unknown: [],
        },
      ]);
    });
  it('is not ready while a required part is down, and shows the operator the reason, without the error text', async () => {
    state['database'] = async () => ({ ok: false, detail: 'PostgreSQL is read-only' });
    const answer = await client.get('/ready', { key: 'admin' });
    expect([answer.status, answer.json.status]).to.deep.equal([503, 'not_ready']);
    expect(answer.json.checks[0]).to.deep.equal({ name: 'database', ok: false, detail: 'PostgreSQL is read-only' });
  });
  it('is not ready while the state of a required part is unknown, and shows nobody the text of the error', async () => {
    state['database'] = () => Promise.reject(new Error('password=hunter2'));
    const answer = await client.get('/ready', { key: 'admin' });
    expect([answer.status, answer.json.unknown]).to.deep.equal([503, ['database']]);
    expect(answer.text).not.to.contain('hunter2');
  });
  it('shows the operator which environments are halted, and stays ready', async () => {
    const { status, json } = await client.get('/ready', { key: 'admin' });
    expect([status, json.degraded, json.halted]).to.deep.equal([200, [], [HALTED]]);
  });
  it('stays ready, degraded, while an optional part is down', async () => {
    state['queue'] = async () => ({ ok: false, detail: 'Redis does not answer' });
    const answer = await client.get('/ready');
    expect([answer.status, answer.json.degraded]).to.deep.equal([200, ['queue']]);
  });
  it('answers /ready within 2 s although a check hangs', async () => {
    state['database'] = () => new Promise(() => undefined);
    const asked = async (): Promise<number> => {
      const startedMs = performance.now();
      expect((await client.get('/ready')).status).to.equal(503);
      return performance.now() - startedMs;
    };
    expect(await leastMs(2_000, asked)).to.be.below(2_000);
  });
  it('is not ready during shutdown', async () => {
    sample.stopping = true;
    const answer = await client.get('/ready');
    expect([answer.status, answer.json.status]).to.deep.equal([503, 'stopping']);
  });

  it('counts requests by route template, method and status, and exports process metrics', async () => {
    await client.get('/v1/things/a-b-c', { key: 'writer' });
    await client.get('/v1/unknown/x-y-z');
    await client.get('/docs');
    const { text, headers } = await client.get('/metrics');
    expect(headers['content-type']).to.match(/^text\/plain/);
    expect(text).to.contain(
      'custos_http_request_duration_seconds_count{route="/v1/things/{id}",method="GET",status="200"} 1',
    );
    expect(text).to.contain('route="unmatched"').and.to.contain('route="/docs",method="GET",status="200"');
    expect(text).not.to.match(/a-b-c|x-y-z/);
    expect(text).to.contain('nodejs_eventloop_lag_seconds');
  });
  it('keeps /metrics private when it is configured so', async () => {
    const priv = await startSample({ config: { metricsAccess: ['admin:*'] } });
    const other = createClient(priv.baseUrl, undefined, { hasOwnDocument: true });
    try {
      expect((await other.get('/metrics')).json.code).to.equal('E1001');
      expect((await other.get('/metrics', { key: 'reader' })).json.code).to.equal('E1004');
      expect((await other.get('/metrics', { key: 'admin' })).status).to.equal(200);
    } finally {
      other.close();
      await priv.close();
    }
  });

  it('publishes the four tables in full, cacheable and without a key', async () => {
    const items = async (name: string) => {
      const answer = await client.get(`/v1/reference/${name}`);
      expect(answer.headers['cache-control']).to.equal('public, max-age=300');
      expect(
        (
          await client.get(`/v1/reference/${name}`, {
            headers: { 'if-none-match': String(answer.headers['etag']) },
          })
        ).status,
      ).to.equal(304);
      return answer.json.items;
    };
    expect(await items('tiers')).to.deep.equal(TIER_TABLE);
    expect((await items('errors')).map((e: { code: string }) => e.code)).to.deep.equal(Object.keys(ERROR_TABLE));
    expect((await items('scopes')).map((s: { scope: string }) => s.scope)).to.deep.equal(SCOPES);
    expect((await items('rate-limits'))[7]).to.deep.equal({ tier: 7, perSecond: 500, perMinute: 10_000 });
  });
  it('serves a published schema, and a problem document when the installation lacks it', async () => {
    const answer = await client.get('/schemas/policy.json');
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'application/schema+json']);
    expect((await client.get('/schemas/lexicon.json')).json.code).to.equal('E4001');
  });
});

describe('/ready while the database does not work', () => {
  const failures: Readonly<Record<string, () => Promise<never>>> = {
    'refuses connections': () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    hangs: () => new Promise(() => undefined),
    'fails in one of its reads': () => Promise.reject(new Error('a bug')),
  };
  for (const [what, query] of Object.entries(failures))
    it(`makes no claim about any part whose state is in it, when it ${what}`, async () => {
      const readiness = readinessChecks({
        db: { query } as never,
        policies: { status: () => ({ activeDigest: 'd', readOk: false, findings: [] }) } as never,
        redisOk: () => false,
        clockProblem: () => undefined,
      });
      const sample = await startSample({ readiness, halted: query });
      const client = createClient(sample.baseUrl, undefined, { hasOwnDocument: true });
      const { status, json } = await client.get('/ready', { key: 'admin' });
      client.close();
      await sample.close();
      const namesOf = (state: ReadinessCheck['state']): string[] =>
        readiness.filter((check) => check.state === state).map(({ name }) => name);
      expect(status).to.equal(503);
      expect(json.unknown).to.deep.equal(namesOf('database'));
      expect(json.unknown).to.include.members(['policy-folder', 'workers', 'backlog', 'audit', 'audit-lag']);
      expect(json.checks.map(({ name }: { name: string }) => name)).to.deep.equal(namesOf('process'));
      expect(json.degraded).to.deep.equal(['queue']);
      expect(json).not.to.have.property('halted');
    });
});
