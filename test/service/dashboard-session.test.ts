// Sessions of the dashboard: sign-in, ends of sessions, protection against other sites, and the operator trail.
import { expect } from 'chai';
import { createSessions, IDLE_MS, SESSION_MS } from '../../ingress/dashboard/sessions.ts';
import { ATTEMPT_WINDOW_MS, MAX_ATTEMPTS } from '../../ingress/dashboard/attempts.ts';
import { formatKey, generateKey } from '../../shared/domain/keys/format.ts';
import { ENVIRONMENTS } from '../../shared/kernel/vocabulary.ts';
import { loadKey } from '../../shared/domain/keys/lookup.ts';
import type { ClientResponse } from '../support/client.ts';
import { cookieOf, OWN_HEADERS, type Signed, signIn, trySignIn, withCookie } from '../support/dashboard.ts';
import { type Service, startService } from '../support/service.ts';

interface AuditRow {
  readonly action: string;
  readonly subject: string;
  readonly outcome: string;
  readonly key_id: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly request_id: string;
  readonly environment: string | null;
}

describe('sessions of the dashboard', () => {
  let service: Service;
  const audit = (action: string): Promise<AuditRow[]> =>
    service.rows<AuditRow>('SELECT * FROM dashboard_audit WHERE action = $1 ORDER BY seq', [action]);
  const clearAttempts = (): Promise<object[]> => service.rows('DELETE FROM dashboard_attempt');
  const expectProblem = (answer: ClientResponse, status: number, code: string): void => {
    expect([answer.status, answer.json.code]).to.deep.equal([status, code]);
  };
  const adminKeyId = (): string => service.adminKey.split('_')[2] ?? '';

  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  beforeEach(clearAttempts);

  it('exchanges an admin key for a cookie that scripts and other sites cannot use, and never returns the key', async () => {
    const answer = await trySignIn(service.admin, service.adminKey);
    expect(answer.status).to.equal(200);
    expect(answer.json.session).to.deep.include({ keyId: adminKeyId(), environment: 'live', isOperator: true });
    expect(answer.headers['set-cookie']).to.match(
      /^custos_session=[\w-]{43}; Max-Age=43200; HttpOnly; SameSite=Strict; Path=\/dashboard$/,
    );
    expect(answer.text).not.to.contain(service.adminKey);
    const signed = withCookie(service.admin, cookieOf(answer));
    expect((await signed.get('/session')).json.session.keyId).to.equal(adminKeyId());
  });

  it('marks the cookie Secure with TLS', async () => {
    const { db, nowMs } = service;
    const sessions = createSessions({ db, nowMs, secure: true, onUse: () => undefined });
    const stored = await loadKey(db, adminKeyId());
    if (stored === undefined) throw new Error('the admin key is not stored');
    const { cookie } = await sessions.open(stored.key);
    expect(cookie).to.match(/; HttpOnly; SameSite=Strict; Path=\/dashboard; Secure$/);
  });

  it('stores neither the token nor the key', async () => {
    const { cookie } = await signIn(service.admin, service.adminKey);
    const rows = await service.rows<{ text: string }>('SELECT row_to_json(s)::text AS text FROM dashboard_session s');
    const stored = rows.map(({ text }) => text).join();
    const token = cookie.split('=')[1] ?? '';
    expect(stored).not.to.contain(token).and.not.to.contain(Buffer.from(token).toString('hex'));
    expect(stored).not.to.contain(service.adminKey.split('_')[3]);
  });

  it('refuses wrong keys, and valid keys without admin:*, with different messages', async () => {
    expectProblem(await trySignIn(service.admin, generateKey('live').key), 401, 'E1002');
    expectProblem(await trySignIn(service.admin, 'not a key'), 401, 'E1002');
    expectProblem(await trySignIn(service.admin, ''), 400, 'E2001');
    const { key } = await service.addKey({ scopes: ['proofs:read'] });
    const refused = await trySignIn(service.admin, key);
    expectProblem(refused, 403, 'E1004');
    expect(refused.json.detail).to.contain('admin:*');
    expect(refused.headers).not.to.have.property('set-cookie');
  });

  it('allows a client five wrong keys in 15 minutes, also concurrently, and then refuses even the right one', async () => {
    const answers = await Promise.all(
      Array.from({ length: MAX_ATTEMPTS + 3 }, () => trySignIn(service.admin, generateKey('live').key)),
    );
    expect(answers.filter(({ status }) => status === 401)).to.have.lengthOf(MAX_ATTEMPTS);
    const refused = await trySignIn(service.admin, service.adminKey);
    expectProblem(refused, 429, 'E3001');
    expect(Number(refused.headers['retry-after'])).to.be.within(1, ATTEMPT_WINDOW_MS / 1_000);
    service.advance(ATTEMPT_WINDOW_MS);
    expect((await trySignIn(service.admin, service.adminKey)).status).to.equal(200);
  });

  it('counts attempts of a known browser separately from those of strangers at its address', async () => {
    const attempt = (key: string, device: unknown): Promise<ClientResponse> =>
      service.admin.request('POST', '/dashboard/api/session', {
        key: null,
        body: { key, device },
        headers: OWN_HEADERS,
        check: false,
      });
    const { device } = (await trySignIn(service.admin, service.adminKey)).json;
    for (let i = 0; i <= MAX_ATTEMPTS; i += 1) await trySignIn(service.admin, generateKey('live').key);
    expectProblem(await trySignIn(service.admin, service.adminKey), 429, 'E3001');
    const again = await attempt(service.adminKey, device);
    expect([again.status, again.json.device]).to.deep.equal([200, device]);
    // The browser's token does not permit tries of another key, and the browser, too, has only five tries.
    expectProblem(await attempt(generateKey('live').key, device), 429, 'E3001');
    for (const other of [`${device}x`, 'A'.repeat(43), ''])
      expectProblem(await attempt(service.adminKey, other), 429, 'E3001');
    const wrong = formatKey({ environment: 'live', keyId: adminKeyId(), secret: 'A'.repeat(43) });
    for (let i = 0; i < MAX_ATTEMPTS; i += 1) expectProblem(await attempt(wrong, device), 401, 'E1002');
    expectProblem(await attempt(service.adminKey, device), 429, 'E3001');
  });

  it('does not count valid keys as attempts', async () => {
    for (let i = 0; i <= MAX_ATTEMPTS; i += 1)
      expect((await trySignIn(service.admin, service.adminKey)).status).to.equal(200);
  });

  it('serves the API as the key that signed in, and nothing without a session', async () => {
    const signed = await signIn(service.admin, service.adminKey);
    expect((await signed.get('/v1/agents')).status).to.equal(200);
    const anonymous = withCookie(service.admin, 'other=1');
    expectProblem(await anonymous.get('/v1/agents'), 401, 'E1001');
    expect((await anonymous.get('/session')).json).to.deep.equal({ session: null });
    // The cookie authenticates to the dashboard, not to the API, and a key does not authenticate to the dashboard.
    expectProblem(
      await service.admin.get('/v1/agents', { key: null, headers: { cookie: signed.cookie } }),
      401,
      'E1001',
    );
    expectProblem(await service.admin.get('/dashboard/api/v1/agents', { check: false }), 401, 'E1001');
  });

  it('does not use up the rate limit of the key', async () => {
    const signed = await signIn(service.admin, service.adminKey);
    const answer = await signed.get('/v1/agents');
    expect(answer.headers).not.to.have.property('ratelimit');
  });

  it('trusts no cookie when a second one was planted', async () => {
    const { cookie } = await signIn(service.admin, service.adminKey);
    const twice = withCookie(service.admin, `${cookie}; custos_session=${'A'.repeat(43)}`);
    expectProblem(await twice.get('/v1/agents'), 401, 'E1001');
    expectProblem(await withCookie(service.admin, `custos_session=${'A'.repeat(43)}`).get('/v1/agents'), 401, 'E1001');
  });

  describe('requests from other sites', () => {
    const foreign: readonly [what: string, headers: Record<string, string>][] = [
      ['without the dashboard header', { 'x-custos-dashboard': '' }],
      ['marked cross-site by the browser', { ...OWN_HEADERS, 'sec-fetch-site': 'cross-site' }],
      ['from another port', { ...OWN_HEADERS, 'sec-fetch-site': 'same-site' }],
      ['with another Origin', { ...OWN_HEADERS, origin: 'http://evil.example' }],
      ['from a sandboxed frame', { ...OWN_HEADERS, origin: 'null' }],
    ];
    let signed: Signed;
    before(async () => {
      await clearAttempts();
      signed = await signIn(service.admin, service.adminKey);
    });
    for (const [what, headers] of foreign)
      it(`are refused ${what}, without effect`, async () => {
        expectProblem(await signed.send('POST', '/v1/halt', { reason: 'x' }, { headers }), 403, 'E1004');
        expectProblem(await trySignIn(service.admin, service.adminKey, headers), 403, 'E1004');
        expectProblem(await signed.send('DELETE', '/session', undefined, { headers }), 403, 'E1004');
        expect(await service.rows('SELECT FROM halt')).to.have.lengthOf(0);
        expect((await signed.get('/v1/agents')).status).to.equal(200);
      });
    it("are accepted from the dashboard's origin", async () => {
      const headers = { origin: service.ingress.address, 'sec-fetch-site': 'same-origin' };
      const answer = await signed.send('POST', '/v1/agents', { agentId: 'ours', name: 'ours' }, { headers });
      expect(answer.status).to.equal(201);
    });
  });

  it('ends one session by signing out', async () => {
    const [gone, stays] = [
      await signIn(service.admin, service.adminKey),
      await signIn(service.admin, service.adminKey),
    ];
    const answer = await gone.send('DELETE', '/session');
    expect(answer.headers['set-cookie']).to.match(/^custos_session=; Max-Age=0; /);
    expectProblem(await gone.get('/v1/agents'), 401, 'E1001');
    expect((await stays.get('/v1/agents')).status).to.equal(200);
  });

  it('ends at once when its key is revoked', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    const signed = await signIn(service.admin, key);
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    expectProblem(await signed.get('/v1/agents'), 401, 'E1002');
    expect(await service.rows('SELECT FROM dashboard_session WHERE key_id = $1', [keyId])).to.have.lengthOf(0);
  });

  it('ends when its key expires, one hour after the last use, and twelve hours after sign-in', async () => {
    const { key } = await service.addKey({ scopes: ['admin:*'], expiresAtMs: service.nowMs() + 60_000 });
    const short = await signIn(service.admin, key);
    service.advance(60_000);
    expectProblem(await short.get('/v1/agents'), 401, 'E1003');

    const idle = await signIn(service.admin, service.adminKey);
    service.advance(IDLE_MS - 1_000);
    expect((await idle.get('/v1/agents')).status).to.equal(200);
    service.advance(IDLE_MS - 1_000);
    expect((await idle.get('/v1/agents')).status).to.equal(200);
    service.advance(IDLE_MS);
    const ended = await idle.get('/v1/agents');
    expectProblem(ended, 401, 'E1001');
    expect(ended.json.detail).to.contain('an hour without use');

    const busy = await signIn(service.admin, service.adminKey);
    for (let passed = 0; passed < SESSION_MS - IDLE_MS / 2; passed += IDLE_MS / 2) {
      service.advance(IDLE_MS / 2);
      expect((await busy.get('/v1/agents')).status).to.equal(200);
    }
    service.advance(IDLE_MS / 2);
    expectProblem(await busy.get('/v1/agents'), 401, 'E1001');
  });

  it('records sign-ins, failed ones, sign-outs and every change, before and after, in rows that cannot be changed', async () => {
    const wrong = generateKey('live').key;
    const refused = await trySignIn(service.admin, wrong);
    const signed = await signIn(service.admin, service.adminKey);
    const made = await signed.send('POST', '/v1/agents', { agentId: 'audited', name: 'audited' });
    expect(made.status).to.equal(201);
    expectProblem(await signed.send('POST', '/v1/agents', { agentId: 'audited', name: 'again' }), 409, 'E5003');
    await signed.send('DELETE', '/session');

    const attempts = (await audit('sign-in')).filter(
      ({ request_id }) => request_id === refused.headers['x-request-id'],
    );
    expect(attempts.map(({ outcome, key_id, code }) => [outcome, key_id, code])).to.deep.equal([
      ['begun', wrong.split('_')[2], null],
      ['refused', wrong.split('_')[2], 'E1002'],
    ]);
    const changes = await audit('POST /dashboard/api/v1/agents');
    expect(changes.map(({ outcome, key_id, status }) => [outcome, key_id, status])).to.deep.equal([
      ['begun', adminKeyId(), null],
      ['done', adminKeyId(), 201],
      ['begun', adminKeyId(), null],
      ['refused', adminKeyId(), 409],
    ]);
    expect(changes[0]?.request_id).to.equal(made.headers['x-request-id']);
    expect((await audit('sign-out')).at(-1)).to.include({ outcome: 'done', key_id: adminKeyId() });
    let refusedEdit: unknown;
    await service
      .rows('UPDATE dashboard_audit SET outcome = $1', ['done'])
      .catch((error: unknown) => (refusedEdit = error));
    expect(String(refusedEdit)).to.contain('insert-only');
  });

  describe('act in another environment', () => {
    const switchTo = (signed: Signed, environment: string): Promise<ClientResponse> =>
      signed.send('POST', '/session/environment', { environment });
    const switched = async (signed: Signed, environment: string): Promise<Signed> =>
      withCookie(service.admin, cookieOf(await switchTo(signed, environment)));

    it('only where their key may create keys: a live key anywhere, any other key in its own environment', async () => {
      for (const own of ENVIRONMENTS)
        for (const other of ENVIRONMENTS) {
          const name = `${own} to ${other}`;
          const { key, keyId } = await service.addKey({ scopes: ['admin:*'], environment: own });
          const made = await service.admin.withKey(key).post('/v1/auth/keys', {
            name,
            scopes: ['admin:*'],
            environment: other,
          });
          const signed = await signIn(service.admin, key);
          const answer = await switchTo(signed, other);
          expect(answer.status === 200, name).to.equal(made.status === 201);
          const { session } = (await signed.get('/session')).json;
          if (answer.status !== 200) {
            expectProblem(answer, 403, 'E1004');
            expect(session, name).to.deep.include({ environment: own, environments: [own] });
            continue;
          }
          expect(session, 'the old token').to.equal(null);
          expect(answer.json.session, name).to.deep.include({ keyId, environment: other });
          expect(answer.json.session.environments).to.deep.equal(own === 'live' ? ENVIRONMENTS : [own]);
          const now = withCookie(service.admin, cookieOf(answer));
          const agentId = `in-${other}-from-${own}`;
          await now.send('POST', '/v1/agents', { agentId, name });
          const rows = await service.rows('SELECT environment FROM agent WHERE agent_id = $1', [agentId]);
          expect(rows, name).to.deep.equal([{ environment: other }]);
          const { json } = await now.send('POST', '/v1/auth/keys', { name, scopes: ['agents:read'] });
          expect(json.environment, name).to.equal(other);
        }
    });

    it('keep their expiry and the bounds of their key, and are on the trail with the environment', async () => {
      const { key, keyId } = await service.addKey({
        scopes: ['admin:*'],
        agentIds: ['only'],
        expiresAtMs: service.nowMs() + 600_000,
      });
      const live = await signIn(service.admin, key);
      const { expiresAt } = (await live.get('/session')).json.session;
      service.advance(60_000);
      const test = await switched(live, 'test');
      expect((await test.get('/session')).json.session).to.deep.include({
        expiresAt,
        bound: { agentIds: ['only'], tags: [], keepsObligations: [] },
        isOperator: false,
      });
      expectProblem(await test.send('POST', '/v1/agents', { agentId: 'other', name: 'x' }), 403, 'E1004');
      expectProblem(await test.send('POST', '/v1/auth/keys', { name: 'x', scopes: ['admin:*'] }), 403, 'E1004');
      const trail = await service.rows<AuditRow>(
        "SELECT * FROM dashboard_audit WHERE key_id = $1 AND outcome <> 'begun' ORDER BY seq",
        [keyId],
      );
      expect(trail.map(({ action, subject, environment }) => [action, subject, environment])).to.deep.equal([
        ['sign-in', '/dashboard/api/session', null],
        ['switch-environment', 'test', 'live'],
        ['POST /dashboard/api/v1/agents', '/dashboard/api/v1/agents', 'test'],
        ['POST /dashboard/api/v1/auth/keys', '/dashboard/api/v1/auth/keys', 'test'],
      ]);
      await service.admin.delete(`/v1/auth/keys/${keyId}`);
      expectProblem(await test.get('/v1/agents'), 401, 'E1002');
    });

    it('lose the pages of the operator outside live, and decide no approval of their own key', async () => {
      const test = await switched(await signIn(service.admin, service.adminKey), 'test');
      expectProblem(await test.get('/v1/policies'), 403, 'E1004');
      const asked = await test.send('POST', '/v1/enforce', { agent_id: 'a', intent: 'read:db/*' });
      expect(asked.json.verdict).to.equal('ESCALATE');
      const approval = `/v1/approvals/${asked.json.approval.approval_id}`;
      expectProblem(await test.send('POST', `${approval}/approve`, { reason: 'mine' }), 403, 'E1004');
      const { key } = await service.addKey({ scopes: ['admin:*'] });
      const other = await switched(await signIn(service.admin, key), 'test');
      expect((await other.send('POST', `${approval}/approve`, { reason: 'another hand' })).json.status).to.equal(
        'approved',
      );
    });

    it('refuse an unknown environment, a switch without a session, and a window that shows another environment or key', async () => {
      const live = await signIn(service.admin, service.adminKey);
      expectProblem(await switchTo(live, 'production'), 400, 'E2001');
      expectProblem(await switchTo(withCookie(service.admin, 'custos_session=x'), 'test'), 401, 'E1001');
      const test = await switched(live, 'test');
      const shows = (environment: string) => ({ headers: { 'x-custos-environment': environment } });
      expectProblem(await test.send('POST', '/v1/halt', { reason: 'meant for live' }, shows('live')), 409, 'E5002');
      expect((await test.get('/v1/agents', shows('test'))).status).to.equal(200);
      expect((await test.get('/session', shows('live'))).json.session.environment).to.equal('test');
      const other = await signIn(
        service.admin,
        (await service.addKey({ organisationId: await service.addOrganisation('window'), scopes: ['admin:*'] })).key,
      );
      const { keyId } = (await test.get('/session')).json.session;
      const shown = { headers: { 'x-custos-environment': 'live', 'x-custos-key': keyId } };
      expectProblem(await other.send('POST', '/v1/halt', { reason: 'meant for another' }, shown), 409, 'E5002');
      expect((await test.get('/v1/agents', { headers: { 'x-custos-key': keyId } })).status).to.equal(200);
    });
  });
});
