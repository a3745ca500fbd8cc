// Resources of another organisation or environment are answered exactly as unknown ones, by every operation that names one.
import { expect } from 'chai';
import { EXAMPLES } from '../../ingress/openapi/examples.ts';
import type { Route } from '../../ingress/route.ts';
import type { ClientRequest, ClientResponse } from '../support/client.ts';
import { signIn } from '../support/dashboard.ts';
import {
  type Authority,
  DASHBOARD,
  isAuthorised,
  type Named,
  nameOf,
  OF_POLICY_SETS,
  OPERATOR_ONLY,
  type Send,
  startAuthority,
} from './authority-setup.ts';

/** Paths that answer 200 for unknown ids by contract: an agent without evidence or decisions, a chain without records. */
const KNOWS_NOTHING =
  /\/v1\/trust\/\{agentId\}|\/v1\/proofs\/chain\/\{entityId\}|\/agents\/\{agentId\}\/(activity|trust)$/;

describe('resources of others are reported as not found:', () => {
  let on: Authority;
  let thirdId: string;
  before(async () => {
    on = await startAuthority();
    thirdId = await on.service.addOrganisation('third');
  });
  // Wrong keys are counted by address, and all requests here come from the same one.
  afterEach(() => on?.service.rows('DELETE FROM dashboard_attempt'));
  after(() => on?.close());

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
  // A PUT makes what it names, for whoever asks.
  const namesThings = (all: readonly Route[]): Route[] =>
    all.filter(({ path, method }) => path.includes('{') && method !== 'PUT');

  async function differing(of: readonly Route[], send: Send): Promise<string[]> {
    const wrong: string[] = [];
    for (const route of namesThings(of)) {
      const [foreign, unknown] = [
        await send(route.method, on.pathOf(route, 'real'), bodyOf(route)),
        await send(route.method, on.pathOf(route, 'none'), bodyOf(route)),
      ];
      const named = on.namedBy(route);
      const [a, b] = [seen(foreign, named), seen(unknown, named)].map((part) => JSON.stringify(part));
      if (a !== b) wrong.push(`${nameOf(route)}\n  foreign: ${a}\n  unknown: ${b}`);
      if (foreign.status < 400 && !KNOWS_NOTHING.test(route.path)) wrong.push(`${nameOf(route)} was authorised: ${a}`);
    }
    return wrong;
  }

  const strangers = {
    'the operator': () => ({}),
    'an admin of another organisation': () => ({ organisationId: thirdId }),
    "an admin of the operator's environment test": () => ({ environment: 'test' as const }),
    'an admin of the same organisation in another environment': () => ({
      organisationId: on.ownerId,
      environment: 'test' as const,
    }),
    'an admin of the same organisation, bound to another agent': () => ({
      organisationId: on.ownerId,
      agentIds: ['another-agent'],
    }),
  };
  for (const [who, spec] of Object.entries(strangers)) {
    /** Exceptions by contract: what the operator may see of others, and what is the same for whole organisations. */
    const isShared = ({ path }: Route): boolean =>
      OF_POLICY_SETS.test(path) ||
      (who === 'the operator'
        ? OPERATOR_ONLY.test(path) || path.includes('/dead-jobs/')
        : who.endsWith('bound to another agent') && /\/auth\/keys\//.test(path));

    it(`to ${who}`, async () => {
      const { key } = await on.service.addKey({ scopes: ['admin:*'], ...spec() });
      expect(
        await differing(
          on.routes.v1.filter((route) => !isShared(route)),
          on.withKey(key),
        ),
      ).to.deep.equal([]);
      const { cookie } = await signIn(on.service.admin, key);
      expect(
        await differing(
          on.routes.dashboard.filter((route) => !isShared(route)),
          on.withCookie(cookie),
        ),
      ).to.deep.equal([]);
    });

    it(`to ${who}, named in a body or in a query`, async () => {
      const { key } = await on.service.addKey({ scopes: ['admin:*'], ...spec() });
      const send = on.withKey(key);
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
        const named = on.namedBy({ path: of });
        const [foreign, unknown] = [
          await send(method, path, request(named.real)),
          await send(method, path, request(named.none)),
        ];
        expect(foreign.status, of).to.be.above(399);
        expect(seen(foreign, named), of).to.deep.equal(seen(unknown, named));
      }
      // An unusable approval is reported as not found, and the verdict reveals no more than that.
      const named = on.namedBy({ path: '/v1/approvals/{id}' });
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
        const named = on.namedBy({ path: of });
        const [foreign, unknown] = [await send('GET', list + named.real), await send('GET', list + named.none)];
        expect(foreign.json).to.deep.equal({ items: [], nextCursor: null });
        expect(seen(foreign, named), list).to.deep.equal(seen(unknown, named));
      }
    });
  }

  // Last, because it changes the resources that it names.
  it('and the owner can reach all of them, so the refusals above concern existing resources', async () => {
    const gone: string[] = [];
    // The key that asked may not decide.
    const { key: another } = await on.service.addKey({ organisationId: on.ownerId, scopes: ['admin:*'] });
    const ofOwner = namesThings(on.routes.v1).filter(
      ({ path }) => !OPERATOR_ONLY.test(path) && !OF_POLICY_SETS.test(path),
    );
    // Only the key that asked may say what came of a decision.
    const isOfAsker = ({ path }: Route): boolean => path.endsWith('/outcome');
    // Operations that end a resource come after those that read it, and an approval is decided once.
    const order = (route: Route): number => ['GET', 'PATCH', 'POST', 'DELETE'].indexOf(route.method);
    for (const route of ofOwner.filter((one) => !isOfAsker(one)).sort((a, b) => order(a) - order(b))) {
      const { status, text } = await on.withKey(another)(route.method, on.pathOf(route, 'real'), bodyOf(route));
      if (status === 404 || !isAuthorised({ status })) gone.push(`${nameOf(route)}: ${text}`);
    }
    expect(gone).to.deep.equal([]);
  });
});
