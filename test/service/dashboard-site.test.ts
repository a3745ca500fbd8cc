// The dashboard over HTTP: pages, files, numbers, live events, and bull-board.
import http from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { Activity, Overview } from '../../ingress/dashboard/client/wire/overview.ts';
import { recordRequests } from '../../ingress/dashboard/overview/request-recorder.ts';
import { VERDICTS } from '../../shared/kernel/vocabulary.ts';
import { createMetrics } from '../../shared/platform/observe/metrics.ts';
import { QUEUE_NAMES } from '../../shared/kernel/jobs.ts';
import { ALIVE_WITHIN_SECONDS, readProcesses, startHeartbeat } from '../../shared/platform/process/heartbeat.ts';
import { type Signed, signIn, withCookie } from '../support/dashboard.ts';
import { startTestRedis, whyNoRedis } from '../support/redis.ts';
import { type Service, startService } from '../support/service.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';
import { startTestWorker } from '../support/worker.ts';

interface Stream {
  readonly status: number;
  readonly type: string;
  text(): string;
  readonly ended: Promise<void>;
  close(): void;
}

describe('the dashboard over HTTP', () => {
  let service: Service;
  let signed: Signed;
  /** Admins of the operator's organisation who do not operate the installation. */
  let limited: Readonly<Record<string, Signed>>;
  before(async () => {
    service = await startService();
    signed = await signIn(service.admin, service.adminKey);
    const withKey = async (spec: object): Promise<Signed> =>
      signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], ...spec })).key);
    limited = {
      'a key of test': await withKey({ environment: 'test' }),
      'a key that is bound to an agent': await withKey({ agentIds: ['robot'] }),
    };
  });
  after(() => service.close());

  const page = (path: string, headers: Record<string, string> = {}) =>
    service.admin.get(path, { key: null, check: false, headers });
  const overview = async (by: Signed = signed): Promise<Overview> => (await by.get('/overview')).json as Overview;
  const activity = async (range: string, route?: string, by: Signed = signed): Promise<Activity> =>
    (await by.get(`/overview/activity?${new URLSearchParams({ range, ...(route && { route }) }).toString()}`))
      .json as Activity;
  /** An open stream of events; the test closes it. */
  const follow = (query: string, cookie = signed.cookie): Promise<Stream> =>
    new Promise((resolve, reject) => {
      const url = `${service.ingress.address}/dashboard/api/events${query}`;
      const request = http.get(url, { headers: { cookie } }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        resolve({
          status: res.statusCode ?? 0,
          type: String(res.headers['content-type']),
          text: () => text,
          ended: new Promise((done) => res.once('close', () => done())),
          close: () => request.destroy(),
        });
      });
      request.on('error', reject);
    });

  it('serves one page for every path, with a content security policy that permits only its own files', async () => {
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/agents/agent%2F7', '/dashboard/no-such-page']) {
      const answer = await page(path);
      expect([answer.status, answer.headers['content-type']], path).to.deep.equal([200, 'text/html; charset=utf-8']);
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).to.match(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
      expect(policy).not.to.match(/unsafe|https?:|\*|upgrade-insecure-requests/);
      expect(policy).to.contain("frame-ancestors 'none'").and.to.contain("base-uri 'none'");
      expect(answer.text).not.to.match(/https?:\/\/|style="|onclick|<style/);
    }
  });

  it('redirects a browser from / to the dashboard, and answers a program 404 with the address of the description', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const moved = await page('/', { accept: browser });
    expect(moved.status).to.equal(302);
    expect(moved.headers).to.include({ location: '/dashboard', vary: 'Accept', 'cache-control': 'no-store' });
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0, */*']) {
      const answer = await page('/', { accept });
      expect([answer.status, answer.json.detail], accept).to.deep.equal([
        404,
        'There is no such endpoint; /openapi.json lists them all.',
      ]);
    }
    expect((await page('/nothing', { accept: browser })).status).to.equal(404);
    const written = await service.admin.request('POST', '/', { key: null, check: false, headers: { accept: browser } });
    expect(written.status).to.equal(404);
  });

  it('serves the first load in under 25 files and 200 kB, each with its type, nosniff and caching for ever', async () => {
    const { text } = await page('/dashboard');
    const files = [...new Set([...text.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map(([, file]) => file ?? ''))];
    // The document, the session and the live stream are requests too.
    expect(files.length).to.be.within(5, 20);
    let sentBytes = text.length;
    for (const file of files) {
      const answer = await page(file, { 'accept-encoding': 'gzip' });
      expect(answer.status, file).to.equal(200);
      sentBytes += Number(answer.headers['content-length']);
      expect(answer.headers['content-type'], file).to.match(
        /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml|font\/woff2)$/,
      );
      expect(answer.headers, file).to.include({
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    }
    expect(sentBytes).to.be.below(200_000);
    const [first = ''] = files;
    const other = first.replace(/assets\/[^/]+/, 'assets/0000000000000000');
    expect((await page(other)).headers['cache-control'], 'of another version').to.equal('no-store');
    const script = files.find((file) => file.endsWith('/main.js')) ?? '';
    const plain = await page(script);
    expect(plain.headers).not.to.have.property('content-encoding');
    // Everything that the first script imports statically is named by the document, so that nothing is found late.
    const imported = [...plain.text.matchAll(/from"\.\/([^"]+)"/g)].map(([, name]) => name);
    expect(files.map((file) => file.slice(file.lastIndexOf('/') + 1))).to.include.members(imported);
    expect((await page(script, { 'accept-encoding': 'br, gzip' })).headers['content-encoding']).to.equal('gzip');
    expect((await page(script, { 'accept-encoding': 'gzip;q=0' })).headers).not.to.have.property('content-encoding');
  });

  it('serves no other files', async () => {
    for (const name of ['manifest.json', 'client/main.ts', '../main.js', '%2e%2e/site.js', 'client/', 'x'])
      expect((await page(`/dashboard/assets/v/${name}`)).json.code, name).to.equal('E4004');
    expect((await service.admin.request('PUT', '/dashboard/api/session', { check: false })).status).to.equal(403);
    expect((await signed.send('PUT', '/nothing')).json.code).to.equal('E4004');
  });

  it('answers another method than that of a page, a file or a part of its API with E4005 and those that there are', async () => {
    const allowed = async (method: string, path: string): Promise<[number, string, string]> => {
      const { status, json, headers } = await signed.send(method, path);
      return [status, json.code, String(headers['allow'])];
    };
    const read = [405, 'E4005', 'GET, HEAD, OPTIONS'];
    for (const path of ['/overview', '/events']) expect(await allowed('PUT', path), path).to.deep.equal(read);
    expect(await allowed('PUT', '/v1/agents')).to.deep.equal([405, 'E4005', 'GET, HEAD, OPTIONS, POST']);
    for (const path of ['/dashboard', '/dashboard/agents/agent-7', '/dashboard/assets/v/main.js']) {
      const { status, headers } = await service.admin.request('POST', path, { key: null, check: false });
      expect([status, headers['allow']], path).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    }
    expect((await service.admin.request('OPTIONS', '/dashboard')).headers['allow']).to.equal('GET, HEAD, OPTIONS');
  });

  it('counts decisions by verdict, agents by level, the log, and problems', async () => {
    const worker = await startTestWorker(service);
    await service.admin.post('/v1/agents', { agentId: 'agent-7', name: 'seven' });
    for (const intent of ['data.read.user_profile', 'data.read.user_profile', 'db.delete.production.users'])
      await service.admin.post('/v1/enforce', { intent, agent_id: 'agent-7', trust_level: 7 });
    const decided = { ALLOW: 2, DENY: 1, ESCALATE: 0, DEGRADE: 0 };
    const counted = async (): Promise<boolean> => {
      const { counts, totals } = await activity('10m');
      for (const verdict of VERDICTS)
        expect(counts[verdict].reduce((sum, count) => sum + count, 0)).to.equal(totals[verdict]);
      return isDeepStrictEqual(totals, decided);
    };
    await waitFor(counted, { what: 'the decisions to be counted before they are in the log' });
    await worker.append();
    await worker.close();
    const seen = await waitFor(
      async () => {
        const now = await overview();
        return now.agents.total === 1 && (now.log?.checkpoint?.size ?? 0) >= 3 && now;
      },
      { what: 'the numbers to be refreshed' },
    );
    await waitFor(counted, { what: 'the decisions to be counted once after they are in the log' });
    expect(seen.agents).to.deep.include({ byLevel: [0, 1, 0, 0, 0, 0, 0, 0], byStatus: { ACTIVE: 1 } });
    expect(seen.log).to.deep.include({ waiting: 0, haltedReason: null });
    const { digest } = (await service.admin.get('/v1/policies')).json;
    expect(seen.system?.policies).to.deep.include({ digest, lastReadOk: true, findings: 0 });
    expect(seen.system?.queues?.map(({ queue }) => queue)).to.deep.equal([
      'intents',
      'trust',
      'proofs',
      'webhooks',
      'upkeep',
    ]);
    expect(seen.halt).to.equal(null);
  });

  it('adds up the times of requests of all processes, for the operator', async () => {
    const processes = [1, 2].map(() => createMetrics({ processMetrics: false }));
    for (const [i, metrics] of processes.entries()) {
      const recorder = recordRequests({ db: service.db, registry: metrics.registry, nowMs: Date.now });
      metrics.observeRequest('/v1/tested', 'PUT', 200, 15);
      metrics.observeRequest('/dashboard', 'GET', 200, 15);
      await recorder.flush();
      metrics.observeRequest('/v1/tested', 'PUT', 503, i === 0 ? 15 : 20_000);
      // What was counted since the last time is written when a process stops, and nothing twice.
      await recorder.close();
    }
    const { latency } = await waitFor(
      async () => {
        const seen = await activity('1h', 'PUT /v1/tested');
        return seen.latency?.total.requests === 4 && seen;
      },
      { what: 'four requests' },
    );
    expect(latency?.total).to.deep.equal({ requests: 4, p50Ms: 10 + (10 * 2) / 3, p99Ms: 10_000 });
    expect(latency?.routes.map(({ route }) => route))
      .to.include('PUT /v1/tested')
      .and.not.include('GET /dashboard');
  });

  it('marks halts and their ends on the time axis of their own environment', async () => {
    await service.admin.post('/v1/halt', { reason: 'a drill' });
    await service.admin.delete('/v1/halt');
    const marks = await waitFor(
      async () => {
        const found = (await activity('6h')).marks.filter(({ kind }) => kind !== 'policies');
        return found.length === 2 && found;
      },
      { what: 'two marks' },
    );
    expect(marks.map(({ kind, text }) => [kind, text])).to.deep.equal([
      ['halt', 'a drill'],
      ['resume', ''],
    ]);
    expect((await signed.get('/overview/activity?range=1y')).json.code).to.equal('E2001');
  });

  it('shows the whole installation only to the operator, and each tenant its own numbers', async () => {
    const organisationId = await service.addOrganisation('other');
    const { key } = await service.addKey({ organisationId, scopes: ['admin:*'] });
    const other = await signIn(service.admin, key);
    expect((await other.get('/session')).json.session.isOperator).to.equal(false);
    await service.rows(
      `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at)
       SELECT $1, environment, 'intents', 'evaluate', '{"v":1}', 'Error: no', now() FROM unnest(ARRAY['live', 'test']) AS environment`,
      [organisationId],
    );
    const failing = async (minutes: number): Promise<void> =>
      void (await service.rows(
        `INSERT INTO webhook_endpoint (organisation_id, environment, endpoint_id, url, events, signing_keys, created_at, created_by, failing_since)
         VALUES ($1, 'live', $2, 'https://example.com', '{}', '[]', now(), 'key', $3)`,
        [organisationId, `whk_${minutes}`, new Date(service.nowMs() - minutes * 60_000)],
      ));
    await failing(1);
    await failing(10);
    const seen = await overview(other);
    expect([seen.system, seen.log, seen.agents.total]).to.deep.equal([null, null, 0]);
    expect([seen.deadJobs, seen.webhooks]).to.deep.equal([1, { disabled: 0, failing: 1 }]);
    await waitFor(async () => (await overview()).deadJobs === 2, { what: 'the operator to see all dead jobs' });
    const { latency, totals, marks } = await activity('10m', undefined, other);
    expect([latency, totals.ALLOW, marks.filter(({ kind }) => kind !== 'policies')]).to.deep.equal([null, 0, []]);
    for (const [what, signedIn] of Object.entries(limited)) {
      expect((await signedIn.get('/session')).json.session.isOperator, what).to.equal(false);
      expect((await overview(signedIn)).system, what).to.equal(null);
      const shown = await signedIn.get('/overview/activity?range=10m');
      // They are counted for all agents together, which a bound key must not learn.
      if ((await signedIn.get('/session')).json.session.bound !== null)
        expect([shown.status, shown.json.code], what).to.deep.equal([403, 'E1004']);
      else expect(shown.json.latency, what).to.equal(null);
    }
    const { key: bound } = await service.addKey({ organisationId, scopes: ['admin:*'], agentIds: ['theirs', 'none'] });
    for (const agentId of ['theirs', 'another'])
      await service.admin.withKey(key).post('/v1/agents', { agentId, name: 'x' });
    await waitFor(async () => (await overview(other)).agents.total === 2, { what: 'both agents' });
    const ofBound = await overview(await signIn(service.admin, bound));
    expect([ofBound.agents.total, ofBound.agents.byStatus, ofBound.deadJobs, ofBound.webhooks]).to.deep.equal([
      1,
      { ACTIVE: 1 },
      0,
      { disabled: 0, failing: 0 },
    ]);
    expect((await other.get('/v1/policies')).json).to.not.have.property('organisations');
  });

  it('reports any halted log to the operator, as /ready does, and to nobody else', async () => {
    const organisationId = await service.addOrganisation('halted');
    const { key } = await service.addKey({ organisationId, scopes: ['admin:*'], environment: 'test' });
    await service.rows(
      "INSERT INTO log (organisation_id, environment, origin, halted_reason) VALUES ($1, 'live', 'x', 'a restored backup')",
      [organisationId],
    );
    await waitFor(
      async () => (await overview()).system?.logProblems[0] === 'the log halted/live is halted: a restored backup',
      {
        what: 'the overview to report the halt',
      },
    );
    expect((await service.admin.get('/ready')).json.degraded).to.include('audit');
    expect((await overview(await signIn(service.admin, key))).system).to.equal(null);
    await service.rows('UPDATE log SET halted_reason = NULL WHERE organisation_id = $1', [organisationId]);
    await waitFor(async () => (await overview()).system?.logProblems.length === 0, { what: 'the report to disappear' });
  });

  it('reports that no worker is alive, also on /ready and in the metrics, until the first heartbeat', async () => {
    const check = async () => {
      const { json } = await service.admin.get('/ready');
      return (json.checks as { name: string; ok: boolean }[]).find(({ name }) => name === 'workers')?.ok;
    };
    // Left out while a busy machine does not read it in time.
    const gauge = (): Promise<string> =>
      waitFor(async () => /^custos_workers_alive (\d+)$/m.exec((await service.admin.get('/metrics')).text)?.[1]);
    expect([await check(), await gauge(), (await overview()).system?.workersAlive]).to.deep.equal([false, '0', 0]);
    const { json } = await service.admin.get('/ready');
    expect(json.status).to.equal('ready');
    expect(json.degraded).to.include('workers');
    const heartbeat = await startHeartbeat({
      db: service.db,
      role: 'workers',
      version: '0.0.0',
      onError: (error) => {
        throw error;
      },
    });
    expect(await check()).to.equal(true);
    await waitFor(async () => (await gauge()) === '1', { what: 'the metrics to see the worker' });
    await waitFor(async () => (await overview()).system?.workersAlive === 1, {
      what: 'the overview to see the worker',
    });
    // As if it had been killed that long ago.
    await service.rows(
      `UPDATE process_heartbeat SET seen_at = now() - interval '${ALIVE_WITHIN_SECONDS} seconds' WHERE role = 'workers'`,
    );
    await heartbeat.close();
    expect(await check()).to.equal(false);
    await waitFor(async () => (await gauge()) === '0', { what: 'the metrics to see that it is gone' });
  });

  it('lists workers seen in the last hour, and a crash loop does not make the answer long', async () => {
    await service.rows(
      `INSERT INTO process_heartbeat (process_id, role, version, host, pid, started_at, seen_at)
       SELECT 'gone-' || n, 'workers', '0', 'h', n, now() - interval '3 hours', now() - n * interval '1 minute' FROM generate_series(1, 61) n
       UNION ALL SELECT 'loop-' || n, 'workers', '0', 'h', n, now() - interval '5 seconds', now() - interval '5 seconds' FROM generate_series(1, 500) n`,
    );
    const processes = await readProcesses(service.db);
    await service.rows("DELETE FROM process_heartbeat WHERE process_id ~ '^(gone|loop)-'");
    expect(processes).to.have.lengthOf(100);
    expect(processes.filter(({ role, alive }) => role === 'ingress' && alive)).to.have.lengthOf(1);
    expect(processes.filter(({ silentSeconds }) => silentSeconds > 3_600)).to.deep.equal([]);
  });

  it('streams changes, and ends the stream when the session ends', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const { cookie } = await signIn(service.admin, key);
    const stream = await follow('?topics=overview', cookie);
    expect([stream.status, stream.type]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    await waitFor(() => stream.text().split('event: overview\n').length > 2, { what: 'two events' });
    const data = /^data: (.*)$/m.exec(stream.text())?.[1] ?? '';
    expect(JSON.parse(data)).to.have.nested.property('approvals.total');
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    await stream.ended;
    expect(stream.text()).to.match(/event: ended\ndata: \{"code":"E1002"/);
  });

  it('refuses streams without a session and of unknown topics', async () => {
    const refused = async (query: string, cookie?: string): Promise<number> => {
      const stream = await follow(query, cookie);
      await stream.ended;
      return stream.status;
    };
    expect(await refused('?topics=overview', 'custos_session=x')).to.equal(401);
    expect(await refused('')).to.equal(400);
    expect(await refused('?topics=overview,secrets')).to.equal(400);
  });

  it('limits the streams of a key', async () => {
    const { key } = await service.addKey({ scopes: ['admin:*'] });
    const { cookie } = await signIn(service.admin, key);
    const streams = await Promise.all(Array.from({ length: 24 }, () => follow('?topics=overview', cookie)));
    for (const stream of streams) stream.close();
    const statuses = streams.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(20);
    expect(statuses.filter((status) => status === 503)).to.have.lengthOf(4);
  });

  describe('the board of the queues', () => {
    const board = (path: string, cookie = signed.cookie, method = 'GET', headers: Record<string, string> = {}) =>
      service.admin.request(method, `/dashboard/queues/board${path}`, {
        key: null,
        check: false,
        headers: { cookie, ...headers },
      });

    it('is served to an operator, without fonts from another host, under a policy that would refuse them', async () => {
      const answer = await board('/');
      expect(answer.status).to.equal(200);
      expect(answer.text).not.to.contain('googleapis');
      const [styles = ''] = /\/dashboard\/assets\/[0-9a-f]{16}\/board\.css/.exec(answer.text) ?? [];
      expect((await page(styles)).text, 'bull-board in our look').to.contain('--background:');
      expect(answer.headers['content-security-policy'])
        .to.contain("font-src 'self'")
        .and.not.to.match(/https?:/);
      const { json } = await board('/api/queues');
      expect(json.queues.map(({ name }: { name: string }) => name)).to.deep.equal([
        'intents',
        'trust',
        'proofs',
        'webhooks',
        'upkeep',
      ]);
    });

    it('is read-only, and refuses changes from other sites', async () => {
      const own = { 'sec-fetch-site': 'same-origin' };
      expect((await board('/api/queues/intents/pause', signed.cookie, 'PUT', own)).json.code).to.equal('E1004');
      expect((await board('/api/queues/intents/pause', signed.cookie, 'PUT')).json.detail).to.contain(
        'neither Origin nor Sec-Fetch-Site',
      );
    });

    it('is for operators only, and redirects to the sign-in page without a session', async () => {
      const organisationId = await service.addOrganisation('tenant');
      const tenant = await signIn(service.admin, (await service.addKey({ organisationId, scopes: ['admin:*'] })).key);
      expect((await board('/api/queues', tenant.cookie)).json.code).to.equal('E1004');
      for (const [what, { cookie }] of Object.entries(limited))
        expect((await board('/api/queues', cookie)).json.code, what).to.equal('E1004');
      expect((await board('/api/queues', 'x=1')).json.code).to.equal('E1001');
      const moved = await board('/', 'x=1', 'GET', { accept: 'text/html' });
      expect([moved.status, moved.headers['location']]).to.deep.equal([303, '/dashboard/queues']);
    });
  });

  describe('another process of the service', () => {
    let other: Service;
    before(async () => {
      other = await startService({ databaseUrl: service.databaseUrl, env: { CUSTOS_QUEUE_ADMIN: 'on' } });
    });
    after(async () => {
      await other.db.close();
      other.admin.close();
    });

    it('accepts the sessions that the first process created', async () => {
      expect((await withCookie(other.admin, signed.cookie).get('/v1/agents')).status).to.equal(200);
    });

    it('lets operators change queues when that is enabled, and records each change before and after', async () => {
      const change = (path: string, method: string, cookie = signed.cookie) =>
        other.admin.request(method, `/dashboard/queues/board/api/queues/${path}`, {
          key: null,
          check: false,
          headers: { cookie, origin: other.ingress.address },
        });
      for (const [what, { cookie }] of Object.entries(limited))
        expect((await change('intents/pause', 'PUT', cookie)).json.code, what).to.equal('E1004');
      expect((await change('intents/pause', 'PUT')).status).to.equal(200);
      expect((await change('intents/resume', 'PUT')).status).to.equal(200);
      expect((await change('no-such-queue/pause', 'PUT')).status).to.equal(404);
      // The second row of each is written after its answer was sent.
      const rows = await waitFor(
        async () => {
          const found = await service.rows<{ subject: string; outcome: string }>(
            "SELECT subject, outcome FROM dashboard_audit WHERE action = 'PUT /dashboard/queues/board' ORDER BY seq",
          );
          return found.length >= 6 && found;
        },
        { what: 'six rows of the audit' },
      );
      const outcomes = new Map<string, string[]>();
      for (const { subject, outcome } of rows) {
        const name = subject.split('/').slice(-2).join('/');
        outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
      }
      expect(Object.fromEntries(outcomes)).to.deep.equal({
        'intents/pause': ['begun', 'done'],
        'intents/resume': ['begun', 'done'],
        'no-such-queue/pause': ['begun', 'refused'],
      });
    });

    it('stops at once despite open streams', async () => {
      const stream = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const url = `${other.ingress.address}/dashboard/api/events?topics=overview`;
        http.get(url, { headers: { cookie: signed.cookie } }, resolve).on('error', reject);
      });
      stream.resume();
      const ended = new Promise<void>((resolve) => stream.once('close', () => resolve()));
      await other.ingress.close();
      await ended;
    });
  });
});

describeUnless(whyNoRedis(), 'the board of queues in Redis', () => {
  it('shows the queues, reports in plain words that Redis is unreachable, and recovers; the numbers continue meanwhile', async function () {
    const redis = await startTestRedis();
    // A Redis from outside must not be stopped by this test.
    if (redis.stop === undefined || redis.start === undefined) {
      await redis.close();
      return this.skip();
    }
    const service = await startService({ env: { REDIS_URL: redis.url } });
    const signed = await signIn(service.admin, service.adminKey);
    const board = () =>
      service.admin.get('/dashboard/queues/board/api/queues', {
        key: null,
        check: false,
        headers: { cookie: signed.cookie },
      });
    const queuesShown = async (): Promise<boolean> => {
      const { status, json } = await signed.get('/overview');
      expect(status).to.equal(200);
      return (json as Overview).system?.queues !== null;
    };
    expect((await board()).json.queues).to.have.lengthOf(QUEUE_NAMES.length);
    expect(await queuesShown()).to.equal(true);
    await redis.stop();
    const away = await board();
    expect([away.status, away.json.code, away.headers['retry-after']]).to.deep.equal([503, 'E6002', '2']);
    await waitFor(async () => !(await queuesShown()), { what: 'the overview to report Redis as unreachable' });
    await redis.start();
    await waitFor(async () => (await board()).status === 200, { what: 'the board to show the queues again' });
    await service.close();
    await redis.close();
  });
});
