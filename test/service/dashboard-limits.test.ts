// Limits of the dashboard: look-ups, rows, streams and sessions that strangers or one organisation cannot exhaust.
import http from 'node:http';
import { expect } from 'chai';
import { ANONYMOUS_PER_SECOND } from '../../ingress/request/address-limit.ts';
import { createSessions, MAX_SESSIONS_PER_KEY } from '../../ingress/dashboard/sessions.ts';
import { loadKey } from '../../shared/domain/keys/lookup.ts';
import type { ClientResponse } from '../support/client.ts';
import { OWN_HEADERS, type Signed, signIn, withCookie } from '../support/dashboard.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

describe('limits of the dashboard', () => {
  let service: Service;
  let signed: Signed;
  const inventedCookie = (n: number): string => `custos_session=${String(n).padStart(43, 'A')}`;
  const get = (path: string, headers: Record<string, string>): Promise<ClientResponse> =>
    service.admin.get(path, { key: null, check: false, headers });
  /** The status of a stream once its headers have arrived; the stream stays open until `close`. */
  const follow = (cookie: string): Promise<{ status: number; close(): void }> =>
    new Promise((resolve, reject) => {
      const url = `${service.ingress.address}/dashboard/api/events?topics=overview`;
      const request = http.get(url, { headers: { cookie } }, (res) => {
        res.resume();
        resolve({ status: res.statusCode ?? 0, close: () => request.destroy() });
      });
      request.on('error', reject);
    });
  let aheadMs = 0;
  /** Ends the second whose limit the tests before have used up. */
  const roomAgain = (): void => void (aheadMs += 1_000);

  before(async () => {
    service = await startService({
      env: { CUSTOS_RATE_LIMIT: 'on' },
      monotonicMs: () => performance.now() + aheadMs,
    });
    signed = await signIn(service.admin, service.adminKey);
  });
  after(() => service.close());

  const ways: readonly [what: string, path: string, headers: Record<string, string>][] = [
    ['the live events', '/dashboard/api/events?topics=overview', {}],
    ['the board', '/dashboard/queues/board/api/queues', {}],
    ['the board in a window', '/dashboard/queues/board/', { accept: 'text/html' }],
    ['the API', '/dashboard/api/v1/agents', {}],
    ['the session', '/dashboard/api/session', {}],
  ];
  for (const [what, path, headers] of ways)
    it(`limits requests of strangers for ${what} as all others, and does not limit signed-in users behind the same address`, async () => {
      const stranger = async (n: number): Promise<number> =>
        (await get(path, { ...headers, cookie: inventedCookie(n) })).status;
      const known: number[] = [];
      // On a slow machine a flood takes several seconds, and each second permits some requests.
      await waitFor(
        async () => {
          const statuses = await Promise.all(Array.from({ length: 3 * ANONYMOUS_PER_SECOND }, (_, n) => stranger(n)));
          for (const own of ['/v1/agents', '/session']) known.push((await signed.get(own)).status);
          return statuses.includes(429);
        },
        { what: 'a stranger to be refused' },
      );
      expect(new Set(known)).to.deep.equal(new Set([200]));
    });

  it('writes no row for a sign-out without a session', async () => {
    roomAgain();
    const rows = (): Promise<object[]> => service.rows('SELECT FROM dashboard_audit');
    const before = (await rows()).length;
    for (const cookie of ['x=1', inventedCookie(1)]) {
      const answer = await withCookie(service.admin, cookie).send('DELETE', '/session');
      expect([answer.status, answer.headers['set-cookie']?.startsWith('custos_session=; Max-Age=0')]).to.deep.equal([
        200,
        true,
      ]);
    }
    expect(await rows()).to.have.lengthOf(before);
  });

  it('counts requests about agents against the limit of the key, with their cost, also through a session', async () => {
    roomAgain();
    const { key } = await service.addKey({ scopes: ['admin:*'], tier: 0 });
    const low = await signIn(service.admin, key);
    const requests = Array.from({ length: 20 }, () => ({ intent: 'files.read.report', agent_id: 'a' }));
    const batch = await low.send('POST', '/v1/enforce/batch', { requests });
    expect([batch.status, batch.headers['ratelimit-policy'] !== undefined]).to.deep.equal([200, true]);
    // Ten in a minute, in any second; a new minute may start meanwhile.
    const answers = await Promise.all(Array.from({ length: 30 }, () => low.send('POST', '/v1/enforce', requests[0])));
    expect(answers.filter(({ status }) => status === 429).length).to.be.above(9);
    // Reading decisions and the halt count against separate limits for the dashboard.
    expect((await low.get('/v1/decisions')).status).to.equal(200);
    expect((await low.send('POST', '/v1/halt', { reason: 'enough' })).status).to.equal(200);
    expect((await low.send('DELETE', '/v1/halt')).status).to.equal(200);
  });

  it('keeps only the most recently used sessions of a key', async () => {
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    await service.rows(
      `INSERT INTO dashboard_session (token_hash, key_id, created_at, last_seen_at, expires_at)
        SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), $1, now(), now() - n * interval '1 second', now() + interval '1 hour' FROM generate_series(1, 200) n`,
      [keyId],
    );
    roomAgain();
    const last = await signIn(service.admin, key);
    const [row] = await service.rows<{ kept: number; oldest: number }>(
      'SELECT count(*)::int AS kept, extract(epoch FROM max(now() - last_seen_at))::int AS oldest FROM dashboard_session WHERE key_id = $1',
      [keyId],
    );
    expect(row?.kept).to.equal(MAX_SESSIONS_PER_KEY);
    expect(row?.oldest).to.be.below(MAX_SESSIONS_PER_KEY + 60);
    expect((await last.get('/v1/agents')).status).to.equal(200);
  });

  it('reserves streams for the operator', async () => {
    const streams: { status: number; close(): void }[] = [];
    const { db, nowMs } = service;
    const sessions = createSessions({ db, nowMs, secure: false, onUse: () => undefined });
    const cookies: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const organisationId = await service.addOrganisation(`tenant-${n}`);
      for (let k = 0; k < 3; k += 1) {
        const stored = await loadKey(db, (await service.addKey({ organisationId, scopes: ['admin:*'] })).keyId);
        if (stored === undefined) throw new Error('the key is not stored');
        cookies.push((await sessions.open(stored.key)).cookie.split(';', 1)[0] ?? '');
      }
    }
    for (const cookie of cookies)
      streams.push(...(await Promise.all(Array.from({ length: 20 }, () => follow(cookie)))));
    const own = await follow(signed.cookie);
    for (const { close } of [...streams, own]) close();
    expect(
      streams.slice(0, 60).filter(({ status }) => status === 200),
      'of one tenant',
    ).to.have.lengthOf(40);
    expect(
      streams.filter(({ status }) => status === 200),
      'of all tenants',
    ).to.have.lengthOf(180);
    expect(own.status).to.equal(200);
  });

  it('answers a HEAD of the stream at once, and keeps no connection open for it', async () => {
    const answer = await service.admin.request('HEAD', '/dashboard/api/events?topics=overview', {
      key: null,
      check: false,
      headers: { cookie: signed.cookie, ...OWN_HEADERS },
    });
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
  });
});
