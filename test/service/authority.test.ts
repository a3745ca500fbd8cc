// Who may call what: every operation of the service and of the dashboard, with every kind of key, as its route declares it.
import { expect } from 'chai';
import type { Route } from '../../ingress/route.ts';
import { formatKey, generateKey } from '../../shared/domain/keys/format.ts';
import { SCOPES, type Scope } from '../../shared/kernel/vocabulary.ts';
import type { ClientResponse } from '../support/client.ts';
import { OWN_HEADERS, signIn, trySignIn } from '../support/dashboard.ts';
import {
  type Authority,
  DASHBOARD,
  isAuthorised,
  nameOf,
  OF_POLICY_SETS,
  OPERATOR_ONLY,
  type Send,
  startAuthority,
} from './authority-setup.ts';

describe('authority', () => {
  let on: Authority;
  before(async () => {
    on = await startAuthority();
  });
  // Wrong keys are counted by address, and all requests here come from the same one.
  afterEach(() => on?.service.rows('DELETE FROM dashboard_attempt'));
  after(() => on?.close());

  /** A request that changes nothing when it is authorised: its ids are unknown and its body cannot be parsed. */
  function harmless(route: Route, send: Send): Promise<ClientResponse> {
    const path = on.pathOf(route, 'none');
    return send(route.method, path, route.request?.body === undefined ? {} : { raw: '{' });
  }

  /** Sends every operation and collects those with an unexpected answer. */
  async function unexpected(
    of: readonly Route[],
    send: Send,
    isRight: (route: Route, answer: ClientResponse) => boolean,
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const route of of) {
      const answer = await harmless(route, send);
      if (!isRight(route, answer)) wrong.push(`${nameOf(route)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    return wrong;
  }

  const says =
    (status: number, code: string) =>
    (_: Route, answer: ClientResponse): boolean =>
      answer.status === status && answer.json.code === code;

  it('covers every operation that needs a key', () => {
    expect(on.routes.v1.length).to.be.greaterThan(40);
    expect(on.routes.dashboard.length).to.be.greaterThan(on.routes.v1.length);
    for (const route of [...on.routes.v1, ...on.routes.dashboard]) if (route.path.includes('{')) on.namedBy(route);
    expect(on.service.ingress.dashboardRoutes.filter(({ access }) => access === 'none').map(nameOf)).to.have.members([
      `POST ${DASHBOARD}/session`,
      `GET ${DASHBOARD}/session`,
      `POST ${DASHBOARD}/session/environment`,
      `DELETE ${DASHBOARD}/session`,
      `GET ${DASHBOARD}/.well-known/jwks.json`,
      `GET ${DASHBOARD}/.well-known/authzen-configuration`,
    ]);
    expect(on.service.ingress.routes.filter(({ access }) => access === 'none').map(nameOf)).to.have.members([
      'GET /health',
      'GET /ready',
      'GET /metrics',
      'GET /v1/reference/tiers',
      'GET /v1/reference/rate-limits',
      'GET /v1/reference/errors',
      'GET /v1/reference/scopes',
      'GET /openapi.json',
      'GET /schemas/{file}',
      'GET /.well-known/jwks.json',
      'GET /.well-known/authzen-configuration',
    ]);
  });

  describe('without a valid key every request is refused:', () => {
    const bad: Readonly<Record<string, readonly [code: string, make: () => Promise<string | null>]>> = {
      'no key': ['E1001', async () => null],
      'a malformed key': ['E1002', async () => 'cst_live_short'],
      'a key with a wrong checksum': [
        'E1002',
        async () => `${on.owner.slice(0, -1)}${on.owner.endsWith('0') ? '1' : '0'}`,
      ],
      'the id of a key with another secret': [
        'E1002',
        async () => {
          const made = generateKey('live');
          return formatKey({ ...made, keyId: on.owner.split('_')[2] ?? '' });
        },
      ],
      'a key with the prefix of another environment': [
        'E1002',
        async () => {
          const [, , keyId = '', secret = ''] = on.owner.split('_');
          return formatKey({ environment: 'test', keyId, secret });
        },
      ],
      'an unknown key': ['E1002', async () => generateKey('live').key],
      'a key that has expired': [
        'E1003',
        async () => (await on.service.addKey({ scopes: ['admin:*'], expiresAtMs: on.service.nowMs() - 1_000 })).key,
      ],
      'a key that was revoked': [
        'E1002',
        async () => {
          const { key, keyId } = await on.service.addKey({ scopes: ['admin:*'] });
          expect((await on.service.admin.delete(`/v1/auth/keys/${keyId}`)).status).to.equal(200);
          return key;
        },
      ],
    };
    for (const [what, [code, make]] of Object.entries(bad)) {
      it(`${what} is ${code} everywhere`, async () => {
        expect(await unexpected(on.routes.v1, on.withKey(await make()), says(401, code))).to.deep.equal([]);
      });

      it(`${what} opens no session`, async () => {
        const key = await make();
        const answer = await trySignIn(on.service.admin, key ?? '');
        expect([400, 401]).to.include(answer.status);
      });
    }

    it('a key instead of a session, and a session that is unknown, has ended, or whose key was revoked', async () => {
      const ended = await signIn(on.service.admin, on.owner);
      expect((await ended.send('DELETE', '/session')).status).to.be.below(300);
      const { key, keyId } = await on.service.addKey({ scopes: ['admin:*'] });
      const revoked = await signIn(on.service.admin, key);
      await on.service.admin.delete(`/v1/auth/keys/${keyId}`);
      const [name] = ended.cookie.split('=');
      for (const [code, cookie] of [
        ['E1001', `${name}=${'A'.repeat(43)}`],
        ['E1001', `${name}=short`],
        ['E1001', ended.cookie],
        ['E1002', revoked.cookie],
      ] as const) {
        const first = await harmless(on.routes.dashboard[0] as Route, on.withCookie(cookie));
        expect([first.status, first.json.code]).to.deep.equal([401, code]);
        // A session whose key was revoked is deleted by the first request that uses it.
        expect(await unexpected(on.routes.dashboard, on.withCookie(cookie), says(401, 'E1001')), cookie).to.deep.equal(
          [],
        );
      }
      const byKey: Send = (method, path, request = {}) =>
        on.service.admin.request(method, path, {
          key: on.owner,
          check: false,
          ...request,
          headers: { ...OWN_HEADERS },
        });
      expect(await unexpected(on.routes.dashboard, byKey, says(401, 'E1001'))).to.deep.equal([]);
    });
  });

  describe('with a valid key, access follows the scopes:', () => {
    const permits = ({ access }: Route, scope: Scope): boolean =>
      access === 'any' || scope === 'admin:*' || (access !== 'none' && access.includes(scope));

    for (const scope of SCOPES)
      it(`${scope} alone permits the operations that declare it, and no others`, async () => {
        const { key } = await on.service.addKey({ scopes: [scope] });
        const wrong = await unexpected(on.routes.v1, on.withKey(key), (route, answer) =>
          permits(route, scope) ? isAuthorised(answer) : says(403, 'E1004')(route, answer),
        );
        expect(wrong).to.deep.equal([]);
        const signedIn = await trySignIn(on.service.admin, key);
        expect(signedIn.status, 'a session').to.equal(scope === 'admin:*' ? 200 : 403);
      });

    it('a session may do what its key may', async () => {
      const { cookie } = await signIn(on.service.admin, on.service.adminKey);
      expect(
        await unexpected(on.routes.dashboard, on.withCookie(cookie), (_, answer) => isAuthorised(answer)),
      ).to.deep.equal([]);
    });

    for (const [who, spec] of [
      ['another organisation', () => ({ organisationId: on.ownerId })],
      ['another environment', () => ({ environment: 'test' as const })],
    ] as const)
      it(`an admin of ${who} is authorised everywhere except for operations of the operator`, async () => {
        const { key } = await on.service.addKey({ scopes: ['admin:*'], ...spec() });
        const isRight = ({ path }: Route, answer: ClientResponse): boolean =>
          OPERATOR_ONLY.test(path) || (who === 'another environment' && OF_POLICY_SETS.test(path))
            ? answer.status === 403 || answer.status === 400
            : isAuthorised(answer);
        expect(await unexpected(on.routes.v1, on.withKey(key), isRight)).to.deep.equal([]);
      });
  });
});
