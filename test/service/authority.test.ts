// Who may call what: every operation of the service and of the dashboard, with every kind of key, as its route declares it.
import { expect } from 'chai';
import { EXAMPLES } from '../../ingress/openapi/examples.ts';
import type { Route } from '../../ingress/route.ts';
import { formatKey, generateKey } from '../../shared/domain/keys/format.ts';
import { SCOPES, type Scope } from '../../shared/kernel/vocabulary.ts';
import type { ClientRequest, ClientResponse } from '../support/client.ts';
import { OWN_HEADERS, signIn, trySignIn } from '../support/dashboard.ts';
import { ESCALATING } from '../support/escalations.ts';
import { startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import type { Service } from '../support/service.ts';

const DASHBOARD = '/dashboard/api';
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Their data belongs to the whole installation: the key must belong to the operator, in addition to having the scope. */
const OPERATOR_ONLY = /\/v1\/policies\b|^\/metrics$|\/dashboard\/api\/polic/;

/** A path parameter: an id of the owner, and an unknown id of the same form. */
interface Named {
  readonly real: string;
  readonly none: string;
}

/** Headers that authenticate a request. */
type Send = (method: string, path: string, request?: ClientRequest) => Promise<ClientResponse>;

/** Paths that answer 200 for unknown ids by contract: an agent without evidence, a chain without records. */
const KNOWS_NOTHING = /\/v1\/trust\/\{agentId\}|\/v1\/proofs\/chain\/\{entityId\}/;

/** The request got past authentication: its status is none of those for a wrong key. */
const isIn = ({ status }: Pick<ClientResponse, 'status'>): boolean => status !== 401 && status !== 403;

describe('authority', function suite() {
  this.timeout(120_000);
  let service: Service;
  let worker: TestWorker;
  let close: () => Promise<void>;
  /** All operations that need a key, by their authentication: key or session. */
  let routes: { readonly v1: readonly Route[]; readonly dashboard: readonly Route[] };
  let ownerId: string;
  let thirdId: string;
  let owner: string;
  let ids: Readonly<Record<string, Named>>;

  before(async () => {
    ({ service, worker, close } = await startServiceAndWorker({ policies: ESCALATING }));
    routes = {
      v1: service.ingress.routes.filter(({ access }) => access !== 'none'),
      dashboard: service.ingress.dashboardRoutes.filter(({ access }) => access !== 'none'),
    };
    ownerId = await service.addOrganisation('owner');
    thirdId = await service.addOrganisation('third');
    ({ key: owner } = await service.addKey({ organisationId: ownerId, scopes: ['admin:*'] }));
    ids = await makeThings();
  });
  // Wrong keys are counted by address, and all requests here come from the same one.
  afterEach(() => service?.rows('DELETE FROM dashboard_attempt'));
  after(() => close?.());

  /** One resource of each kind that a path can name, owned by the owner; and unknown ids of the same form. */
  async function makeThings(): Promise<Record<string, Named>> {
    const by = service.admin.withKey(owner);
    await by.post('/v1/agents', { agentId: 'agent-of-owner', name: 'Mine' });
    const { intent_id: parse } = (await by.post('/v1/intent', { agent_id: 'agent-of-owner', raw_intent: 'Read x' }))
      .json;
    const decided = (await by.post('/v1/enforce', { agent_id: 'agent-of-owner', intent: 'delete:db/asked/x' })).json;
    const { intentId } = (await by.post('/v1/intents', { agentId: 'agent-of-owner', action: 'read', resource: 'db/x' }))
      .json;
    const { proofId } = (await by.post('/v1/proofs', { event: 'made', entityId: 'entity-of-owner', payload: {} })).json;
    const signal = { agentId: 'agent-of-owner', type: 'success' };
    expect((await by.post('/v1/trust/signals', signal)).status).to.equal(202);
    const { keyId } = (await by.post('/v1/auth/keys', { name: 'to be named', scopes: ['agents:read'] })).json;
    const [job] = await service.rows<{ id: string }>(
      `INSERT INTO dead_job (organisation_id, environment, queue, name, payload, error, failed_at)
       VALUES ($1, 'live', 'intents', 'evaluate', '{}', 'it failed', now()) RETURNING dead_job_id::text AS id`,
      [ownerId],
    );
    const [set] = await service.rows<{ digest: string }>('SELECT active_digest AS digest FROM policy_state');
    // Over the routes, only a result too large for one answer becomes a replay with an id.
    const [replay] = await service.rows<{ id: string }>(
      `INSERT INTO replay (replay_id, organisation_id, environment, to_at, key_id, draft, draft_digest, status, total, created_at)
       VALUES ('rpl_01jq3k5v7w9x1y3z5b7d9f1h3p', $1, 'live', now(), 'k', '{}', $2, 'queued', 0, now()) RETURNING replay_id AS id`,
      [ownerId, '0'.repeat(64)],
    );
    await worker.append();
    /** The same id with other characters at its end, which no random id has. */
    const other = (real: string): Named => ({
      real,
      none: `${real.slice(0, -4)}${real.endsWith('0000') ? '1111' : '0000'}`,
    });
    const agent = other('agent-of-owner');
    const named: Record<string, string> = {
      '/v1/intent/{id}': parse,
      '/v1/intents/{id}': intentId,
      '/v1/decisions/{id}': decided.decision_id,
      '/decisions/{id}/explanation': decided.decision_id,
      '/v1/approvals/{id}': decided.approval?.approval_id,
      '/v1/approvals/{id}/approve': decided.approval?.approval_id,
      '/v1/approvals/{id}/reject': decided.approval?.approval_id,
      '/v1/proofs/{id}': proofId,
      '/v1/proofs/chain/{entityId}': 'entity-of-owner',
      '/v1/auth/keys/{keyId}': keyId,
      '/v1/auth/keys/{keyId}/rotate': keyId,
      '/v1/policies/{digest}': set?.digest ?? '',
      '/policy-sets/{digest}': set?.digest ?? '',
      '/policy-sets/{digest}/policies': set?.digest ?? '',
      '/policy-sets/{digest}/policies/{id}': set?.digest ?? '',
      '/v1/policies/replays/{id}': replay?.id ?? '',
    };
    for (const [path, real] of Object.entries(named)) expect(real, path).to.be.a('string');
    const things: Record<string, Named> = Object.fromEntries(
      Object.entries(named).map(([path, real]) => [path, other(real)]),
    );
    for (const path of ['/v1/agents/{agentId}', '/v1/trust/{agentId}', '/v1/trust/{agentId}/history'])
      things[path] = agent;
    const jobs: Named = { real: job?.id ?? '', none: '9' };
    for (const path of ['/dead-jobs/{id}', '/dead-jobs/{id}/discard', '/dead-jobs/{id}/retry']) things[path] = jobs;
    for (const { real, none } of Object.values(things)) expect([real, real.length]).to.not.deep.equal([none, 0]);
    return things;
  }

  /** @throws for a route that names a kind of resource that this test does not create */
  function namedBy({ path }: Route): Named {
    const found = ids[path] ?? ids[path.slice(DASHBOARD.length)];
    if (found === undefined)
      throw new Error(`${path} names something that this test does not make: add one to makeThings`);
    return found;
  }

  const pathOf = (route: Route, which: keyof Named): string =>
    route.path.includes('{') ? route.path.replaceAll(/\{\w+\}/g, namedBy(route)[which]) : route.path;

  const withKey =
    (key: string | null): Send =>
    (method, path, request) =>
      service.admin.request(method, path, { key, ...request });
  const withCookie =
    (cookie: string): Send =>
    (method, path, request = {}) =>
      service.admin.request(method, path, {
        key: null,
        check: false,
        ...request,
        headers: { cookie, ...OWN_HEADERS, ...request.headers },
      });

  /** A request that changes nothing when it is authorised: its ids are unknown and its body cannot be parsed. */
  function harmless(route: Route, send: Send): Promise<ClientResponse> {
    const path = pathOf(route, 'none');
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
    expect(routes.v1.length).to.be.greaterThan(40);
    expect(routes.dashboard.length).to.be.greaterThan(routes.v1.length);
    for (const route of [...routes.v1, ...routes.dashboard]) if (route.path.includes('{')) namedBy(route);
    expect(service.ingress.dashboardRoutes.filter(({ access }) => access === 'none').map(nameOf)).to.have.members([
      `POST ${DASHBOARD}/session`,
      `GET ${DASHBOARD}/session`,
      `DELETE ${DASHBOARD}/session`,
      `GET ${DASHBOARD}/.well-known/jwks.json`,
    ]);
    expect(service.ingress.routes.filter(({ access }) => access === 'none').map(nameOf)).to.have.members([
      'GET /health',
      'GET /ready',
      'GET /metrics',
      'GET /v1/reference/tiers',
      'GET /v1/reference/rate-limits',
      'GET /v1/reference/errors',
      'GET /v1/reference/scopes',
      'GET /openapi.json',
      'GET /schemas/policy.json',
      'GET /schemas/policy-test.json',
      'GET /schemas/lexicon.json',
      'GET /schemas/tools.json',
      'GET /.well-known/jwks.json',
    ]);
  });

  describe('without a valid key every request is refused:', () => {
    const bad: Readonly<Record<string, readonly [code: string, make: () => Promise<string | null>]>> = {
      'no key': ['E1001', async () => null],
      'a malformed key': ['E1002', async () => 'cst_live_short'],
      'a key with a wrong checksum': ['E1002', async () => `${owner.slice(0, -1)}${owner.endsWith('0') ? '1' : '0'}`],
      'the id of a key with another secret': [
        'E1002',
        async () => {
          const made = generateKey('live');
          return formatKey({ ...made, keyId: owner.split('_')[2] ?? '' });
        },
      ],
      'a key with the prefix of another environment': [
        'E1002',
        async () => {
          const [, , keyId = '', secret = ''] = owner.split('_');
          return formatKey({ environment: 'test', keyId, secret });
        },
      ],
      'an unknown key': ['E1002', async () => generateKey('live').key],
      'a key that has expired': [
        'E1003',
        async () => (await service.addKey({ scopes: ['admin:*'], expiresAtMs: service.nowMs() - 1_000 })).key,
      ],
      'a key that was revoked': [
        'E1002',
        async () => {
          const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
          expect((await service.admin.delete(`/v1/auth/keys/${keyId}`)).status).to.equal(200);
          return key;
        },
      ],
    };
    for (const [what, [code, make]] of Object.entries(bad)) {
      it(`${what} is ${code} everywhere`, async () => {
        expect(await unexpected(routes.v1, withKey(await make()), says(401, code))).to.deep.equal([]);
      });

      it(`${what} opens no session`, async () => {
        const key = await make();
        const answer = await trySignIn(service.admin, key ?? '');
        expect([400, 401]).to.include(answer.status);
      });
    }

    it('a key instead of a session, and a session that is unknown, has ended, or whose key was revoked', async () => {
      const ended = await signIn(service.admin, owner);
      expect((await ended.send('DELETE', '/session')).status).to.be.below(300);
      const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
      const revoked = await signIn(service.admin, key);
      await service.admin.delete(`/v1/auth/keys/${keyId}`);
      const [name] = ended.cookie.split('=');
      for (const [code, cookie] of [
        ['E1001', `${name}=${'A'.repeat(43)}`],
        ['E1001', `${name}=short`],
        ['E1001', ended.cookie],
        ['E1002', revoked.cookie],
      ] as const) {
        const first = await harmless(routes.dashboard[0] as Route, withCookie(cookie));
        expect([first.status, first.json.code]).to.deep.equal([401, code]);
        // A session whose key was revoked is deleted by the first request that uses it.
        expect(await unexpected(routes.dashboard, withCookie(cookie), says(401, 'E1001')), cookie).to.deep.equal([]);
      }
      const byKey: Send = (method, path, request = {}) =>
        service.admin.request(method, path, { key: owner, check: false, ...request, headers: { ...OWN_HEADERS } });
      expect(await unexpected(routes.dashboard, byKey, says(401, 'E1001'))).to.deep.equal([]);
    });
  });

  describe('with a valid key, access follows the scopes:', () => {
    const permits = ({ access }: Route, scope: Scope): boolean =>
      access === 'any' || scope === 'admin:*' || (access !== 'none' && access.includes(scope));

    for (const scope of SCOPES)
      it(`${scope} alone permits the operations that declare it, and no others`, async () => {
        const { key } = await service.addKey({ scopes: [scope] });
        const wrong = await unexpected(routes.v1, withKey(key), (route, answer) =>
          permits(route, scope) ? isIn(answer) : says(403, 'E1004')(route, answer),
        );
        expect(wrong).to.deep.equal([]);
        const signedIn = await trySignIn(service.admin, key);
        expect(signedIn.status, 'a session').to.equal(scope === 'admin:*' ? 200 : 403);
      });

    it('a session may do what its key may', async () => {
      const { cookie } = await signIn(service.admin, service.adminKey);
      expect(await unexpected(routes.dashboard, withCookie(cookie), (_, answer) => isIn(answer))).to.deep.equal([]);
    });

    for (const [who, spec] of [
      ['another organisation', () => ({ organisationId: ownerId })],
      ['another environment', () => ({ environment: 'test' as const })],
    ] as const)
      it(`an admin of ${who} is authorised everywhere except for operations of the operator`, async () => {
        const { key } = await service.addKey({ scopes: ['admin:*'], ...spec() });
        const isRight = ({ path }: Route, answer: ClientResponse): boolean =>
          OPERATOR_ONLY.test(path) ? answer.status === 403 || answer.status === 400 : isIn(answer);
        expect(await unexpected(routes.v1, withKey(key), isRight)).to.deep.equal([]);
      });
  });

  describe('resources of others are reported as not found:', () => {
    const REQUEST_ID = /"requestId":"[^"]*"/;
    const OWN_HEADERS_OF_ANSWERS = ['x-request-id', 'date', 'ratelimit'];

    /** An answer without the members that differ for each request, and with one placeholder for both ids. */
    function seen(answer: ClientResponse, { real, none }: Named): object {
      const headers = Object.entries(answer.headers).filter(([name]) => !OWN_HEADERS_OF_ANSWERS.includes(name));
      const text = answer.text.replace(REQUEST_ID, '"requestId":""').replaceAll(real, 'ID').replaceAll(none, 'ID');
      return { status: answer.status, headers: Object.fromEntries(headers), text };
    }

    const bodyOf = (route: Route): ClientRequest => {
      if (route.request?.body === undefined) return {};
      const example = EXAMPLES[`${route.method} ${route.path.replace(DASHBOARD, '')}`];
      return { body: example?.request ?? { reason: 'because a test asks' } };
    };
    const namesThings = (all: readonly Route[]): Route[] => all.filter(({ path }) => path.includes('{'));

    async function differing(of: readonly Route[], send: Send): Promise<string[]> {
      const wrong: string[] = [];
      for (const route of namesThings(of)) {
        const [theirs, nobodys] = [
          await send(route.method, pathOf(route, 'real'), bodyOf(route)),
          await send(route.method, pathOf(route, 'none'), bodyOf(route)),
        ];
        const named = namedBy(route);
        const [a, b] = [seen(theirs, named), seen(nobodys, named)].map((part) => JSON.stringify(part));
        if (a !== b) wrong.push(`${nameOf(route)}\n  theirs:  ${a}\n  nobody's: ${b}`);
        if (theirs.status < 400 && !KNOWS_NOTHING.test(route.path)) wrong.push(`${nameOf(route)} was let in: ${a}`);
      }
      return wrong;
    }

    const strangers = {
      'the operator': () => ({}),
      'an admin of another organisation': () => ({ organisationId: thirdId }),
      "an admin of the operator's environment test": () => ({ environment: 'test' as const }),
      'an admin of the same organisation in another environment': () => ({
        organisationId: ownerId,
        environment: 'test' as const,
      }),
      'an admin of the same organisation, bound to another agent': () => ({
        organisationId: ownerId,
        agentIds: ['another-agent'],
      }),
    };
    for (const [who, spec] of Object.entries(strangers)) {
      /** Exceptions by contract: what the operator may see of others, and what is the same for whole organisations. */
      const isShared = ({ path }: Route): boolean =>
        who === 'the operator'
          ? OPERATOR_ONLY.test(path) || path.includes('/dead-jobs/')
          : who.endsWith('bound to another agent') && /\/auth\/keys\//.test(path);

      it(`to ${who}`, async () => {
        const { key } = await service.addKey({ scopes: ['admin:*'], ...spec() });
        expect(
          await differing(
            routes.v1.filter((route) => !isShared(route)),
            withKey(key),
          ),
        ).to.deep.equal([]);
        const { cookie } = await signIn(service.admin, key);
        expect(
          await differing(
            routes.dashboard.filter((route) => !isShared(route)),
            withCookie(cookie),
          ),
        ).to.deep.equal([]);
      });

      it(`to ${who}, named in a body or in a query`, async () => {
        const { key } = await service.addKey({ scopes: ['admin:*'], ...spec() });
        const send = withKey(key);
        const agent_id = 'another-agent';
        const inside: [string, string, string, (id: string) => ClientRequest][] = [
          [
            '/v1/intent/{id}',
            'POST',
            '/v1/enforce',
            (id) => ({ body: { agent_id, intent: 'data.read.x', intent_id: id } }),
          ],
        ];
        for (const [of, method, path, request] of inside) {
          const named = ids[of] as Named;
          const [theirs, nobodys] = [
            await send(method, path, request(named.real)),
            await send(method, path, request(named.none)),
          ];
          expect(theirs.status, of).to.be.above(399);
          expect(seen(theirs, named), of).to.deep.equal(seen(nobodys, named));
        }
        // An unusable approval is reported as not found, and the verdict reveals no more than that.
        const named = ids['/v1/approvals/{id}'] as Named;
        const verdicts: object[] = [];
        for (const approval_id of [named.real, named.none]) {
          const { status, json } = await send('POST', '/v1/enforce', {
            body: { agent_id, intent: 'delete:db/asked/x', approval_id },
          });
          verdicts.push({ status, verdict: json.verdict, reasons: json.reasons });
        }
        expect(verdicts[0]).to.deep.equal(verdicts[1]);
        if (who.endsWith('bound to another agent')) return;
        for (const [of, list] of [
          ['/v1/agents/{agentId}', '/v1/decisions?agentId='],
          ['/v1/agents/{agentId}', '/v1/intents?agentId='],
          ['/v1/proofs/chain/{entityId}', '/v1/proofs?entityId='],
        ] as const) {
          const named = ids[of] as Named;
          const [theirs, nobodys] = [await send('GET', list + named.real), await send('GET', list + named.none)];
          expect(theirs.json).to.deep.equal({ items: [], nextCursor: null });
          expect(seen(theirs, named), list).to.deep.equal(seen(nobodys, named));
        }
      });
    }

    // Last, because it changes the resources that it names.
    it('and the owner can reach all of them, so the refusals above concern existing resources', async () => {
      const gone: string[] = [];
      // The key that asked may not decide.
      const { key: another } = await service.addKey({ organisationId: ownerId, scopes: ['admin:*'] });
      const ofOwner = namesThings(routes.v1).filter(({ path }) => !OPERATOR_ONLY.test(path));
      // Operations that end a resource come after those that read it, and an approval is decided once.
      const order = (route: Route): number => ['GET', 'PATCH', 'POST', 'DELETE'].indexOf(route.method);
      for (const route of ofOwner.sort((a, b) => order(a) - order(b))) {
        const { status, text } = await withKey(another)(route.method, pathOf(route, 'real'), bodyOf(route));
        if (status === 404 || !isIn({ status })) gone.push(`${nameOf(route)}: ${text}`);
      }
      expect(gone).to.deep.equal([]);
    });
  });
});
