// A key that is revoked while its request is under way: no route writes with it, and no late answer permits or shows anything.
import { expect } from 'chai';
import type { RequestContext, Route } from '../../ingress/route.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { ClientResponse } from '../support/client.ts';
import { cookieOf, trySignIn } from '../support/dashboard.ts';
import { ESCALATING, PERMITTING } from '../support/escalations.ts';
import { heldWrites, revokeIn } from '../support/held-writes.ts';
import { sampleKey } from '../support/sample-app.ts';
import type { PolicyFiles } from '../support/service.ts';
import { type Authority, DASHBOARD, nameOf, OPERATOR_ONLY, startAuthority } from './authority-setup.ts';

const filesOf = (set: PolicyFiles): object[] => [{ path: 'asked.json', text: JSON.stringify(set['asked.json']) }];
const question = { agent_id: 'agent-of-owner', intent: 'delete:db/asked/x' };
const signal = { agentId: 'agent-of-owner', type: 'success' };
const proof = { event: 'made', entityId: 'entity-of-owner', payload: {} };
const reason = 'a reason';
/** Stands for that of the set in force at first. */
const DIGEST = 'the first set';

type Send = (method: string, path: string, body?: object) => Promise<ClientResponse>;

/** What must be there first. @returns the path, where it names that */
const PREPARE: Readonly<Record<string, (send: Send) => Promise<string | undefined>>> = {
  'POST /v1/decisions/{id}/outcome': async (send) =>
    `/v1/decisions/${(await send('POST', '/v1/enforce', question)).json.decision_id}/outcome`,
  'DELETE /v1/halt': async (send) => void (await send('POST', '/v1/halt', { reason })),
};

/** Operations that this test cannot bring to their commit. They have no other way to write. */
const UNTRIED: Readonly<Record<string, string>> = {
  'POST /access/v1/evaluation': 'recorded together with others; its answer is looked at again',
  'POST /access/v1/evaluations': 'the same',
  'POST /v1/policies/replay': 'writes only where the result is too large for one answer',
  'DELETE /v1/policies/stages/{digest}': 'needs a staged set',
  'POST /v1/policies/approvals/{approvalId}/approve': 'needs a proposal',
  'POST /v1/policies/approvals/{approvalId}/reject': 'needs a proposal',
};

/** A valid body of each other operation that writes. */
const BODIES: Readonly<Record<string, object | undefined>> = {
  'POST /v1/intent': { agent_id: 'agent-of-owner', raw_intent: 'Read x' },
  'POST /v1/enforce': question,
  'POST /v1/enforce/batch': { requests: [question] },
  'POST /v1/decisions/{id}/outcome': { outcome: 'done' },
  'POST /v1/intents': { agentId: 'agent-of-owner', action: 'read', resource: 'db/x' },
  'POST /v1/approvals/{id}/approve': { reason },
  'POST /v1/approvals/{id}/reject': { reason },
  'POST /v1/proofs': proof,
  'POST /v1/proofs/batch': { proofs: [proof] },
  'POST /v1/agents': { name: 'New' },
  'PATCH /v1/agents/{agentId}': { name: 'Changed' },
  'DELETE /v1/agents/{agentId}': undefined,
  'PUT /v1/resources/{name}': { owner: 'y' },
  'DELETE /v1/resources/{name}': undefined,
  'POST /v1/trust/signals': signal,
  'POST /v1/auth/keys': { name: 'new', scopes: ['admin:*'] },
  'DELETE /v1/auth/keys/{keyId}': undefined,
  'POST /v1/auth/keys/{keyId}/rotate': {},
  'POST /v1/policies': { files: filesOf(ESCALATING), reason },
  'POST /v1/policies/rollback': { digest: DIGEST, reason },
  'POST /v1/policies/follow-folder': { reason },
  'POST /v1/policies/promote': { digest: DIGEST, reason },
  'DELETE /v1/policies': { reason },
  'POST /v1/halt': { reason },
  'DELETE /v1/halt': undefined,
  'POST /v1/webhooks': { url: 'https://receiver.example.com/', events: ['decision.made'] },
  'PATCH /v1/webhooks/{webhookId}': { description: 'changed' },
  'DELETE /v1/webhooks/{webhookId}': undefined,
  'POST /v1/webhooks/{webhookId}/rotate': {},
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': undefined,
  'POST /dashboard/api/dead-jobs/{id}/retry': {},
  'POST /dashboard/api/dead-jobs/{id}/discard': { reason },
};
/** Longer than a write trusts the key that was authenticated, and shorter than an answer does. */
const OLD_MS = 600;

/** Without an Idempotency-Key these store their rows in the statement of other requests. */
const STORED_TOGETHER = [
  'POST /v1/intent',
  'POST /v1/intents',
  'POST /v1/proofs',
  'POST /v1/proofs/batch',
  'POST /v1/trust/signals',
] as const;

describe('a key that is revoked while its request is under way', () => {
  let on: Authority;
  let aheadMs = 0;
  let first: string;
  before(async () => {
    on = await startAuthority({ monotonicMs: () => performance.now() + aheadMs });
    first = (await on.service.admin.get('/v1/policies')).json.digest;
    expect((await on.service.admin.post('/v1/policies', { files: filesOf(PERMITTING), reason })).status).to.equal(201);
  });
  after(() => on?.close());

  /** The dashboard has the operations of the service, too. */
  const isMirrored = (path: string): boolean => on.routes.v1.some((one) => path === `${DASHBOARD}${one.path}`);
  const writing = (): Route[] =>
    [...on.routes.v1, ...on.routes.dashboard].filter(
      ({ method, path, changesNothing }) => method !== 'GET' && changesNothing !== true && !isMirrored(path),
    );

  it('is tried with every operation that writes', () => {
    expect(writing().map(nameOf).toSorted()).to.deep.equal(
      [...Object.keys(BODIES), ...Object.keys(UNTRIED)].toSorted(),
    );
  });

  for (const name of Object.keys(BODIES))
    it(`changes nothing by ${name}`, async () => {
      const route = writing().find((one) => nameOf(one) === name);
      if (route === undefined) throw new Error(`no route ${name}`);
      const { service } = on;
      const isOperators = OPERATOR_ONLY.test(route.path) || name === 'POST /v1/policies/rollback';
      const organisationId = isOperators ? service.operatorId : on.ownerId;
      const { key, keyId } = await service.addKey({ organisationId, scopes: ['admin:*'] });
      const send = route.path.startsWith(DASHBOARD)
        ? on.withCookie(cookieOf(await trySignIn(service.admin, key)))
        : on.withKey(key);
      await send('GET', route.path.startsWith(DASHBOARD) ? `${DASHBOARD}/session` : '/v1/halt');
      const prepared = await PREPARE[name]?.((method, path, json) => send(method, path, { body: json }));
      const body = BODIES[name] && JSON.parse(JSON.stringify(BODIES[name]).replace(DIGEST, first));
      const write = (): Promise<ClientResponse> =>
        send(route.method, prepared ?? on.pathOf(route, 'real'), {
          ...(body === undefined ? {} : { body }),
          ...(route.idempotent === true ? { headers: { 'idempotency-key': name } } : {}),
        });
      const { status, json } = await heldWrites(service.db, write, async (sql) => {
        await revokeIn(sql, keyId);
        aheadMs += OLD_MS;
      });
      expect([status, json.code], JSON.stringify(json)).to.deep.equal([401, 'E1002']);
    });

  for (const name of STORED_TOGETHER)
    it(`stores nothing together with other requests by ${name}`, async () => {
      const route = writing().find((one) => nameOf(one) === name);
      const counted = async (): Promise<object[]> =>
        on.service.rows(
          'SELECT (SELECT count(*) FROM intent_parse) AS parses, (SELECT count(*) FROM intent) AS intents, (SELECT count(*) FROM log_inbox) AS records, (SELECT count(*) FROM trust_inbox) AS signals',
        );
      const before = await counted();
      const refusal = new ApiError('E1002', 'revoked');
      const request: RequestContext<unknown, unknown, unknown> = {
        requestId: 'req_1',
        traceparent: undefined,
        key: sampleKey(['admin:*'], { organisationId: on.ownerId, organisationSlug: 'owner' }),
        params: {},
        query: {},
        body: BODIES[name],
        headers: {},
        path: route?.path ?? '',
        address: '127.0.0.1',
        idempotencyKey: undefined,
        earlier: undefined,
        commit: () => Promise.reject(new Error('not used without an Idempotency-Key')),
        lookAgain: () => Promise.reject(refusal),
      };
      const outcome = await Promise.resolve(route?.handler(request)).catch((error: unknown) => error);
      expect(outcome).to.equal(refusal);
      expect(await counted()).to.deep.equal(before);
    });

  it('ends its own key also when that took long', async () => {
    const { service } = on;
    const { key, keyId } = await service.addKey({ scopes: ['admin:*'] });
    await on.withKey(key)('GET', '/v1/halt');
    const revoke = (): Promise<ClientResponse> => on.withKey(key)('DELETE', `/v1/auth/keys/${keyId}`);
    const answer = await heldWrites(service.db, revoke, async () => (aheadMs += 2 * OLD_MS));
    expect([answer.status, answer.json.keyId]).to.deep.equal([200, keyId]);
    expect(answer.json.revokedAt).to.be.a('string');
  });
});
