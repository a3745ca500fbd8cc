// Every operation of the service and of the dashboard, with what its path can name, for the tests of who may call what.
import { expect } from 'chai';
import type { Route } from '../../ingress/route.ts';
import type { ClientRequest, ClientResponse } from '../support/client.ts';
import { OWN_HEADERS } from '../support/dashboard.ts';
import { ESCALATING } from '../support/escalations.ts';
import type { Service, ServiceOptions } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

export const DASHBOARD = '/dashboard/api';
export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Their data belongs to the whole installation: the key must belong to the operator, in addition to having the scope. */
export const OPERATOR_ONLY =
  /\/v1\/policies\/(?!\{digest\}$|activations$|rollback$|difference$)|^\/metrics$|\/dashboard\/api\/polic/;
/** Open to live admins of all organisations, because the set of the installation is in force for all. */
export const OF_POLICY_SETS = /\/v1\/policies(?:\/\{digest\}|\/(?:activations|rollback|difference))?$/;

/** A path parameter: an id of the owner, and an unknown id of the same form. */
export interface Named {
  readonly real: string;
  readonly none: string;
}

/** Sends a request with the authentication of one caller. */
export type Send = (method: string, path: string, request?: ClientRequest) => Promise<ClientResponse>;

/** The request passed authentication and authorisation. */
export const isAuthorised = ({ status }: Pick<ClientResponse, 'status'>): boolean => status !== 401 && status !== 403;

export interface Authority {
  readonly service: Service;
  /** All operations that need a key, by their authentication: key or session. */
  readonly routes: { readonly v1: readonly Route[]; readonly dashboard: readonly Route[] };
  readonly ownerId: string;
  /** An admin key of the organisation that owns every resource that a path can name. */
  readonly owner: string;
  /** @throws for a route that names a kind of resource that makeThings does not create */
  namedBy(route: Pick<Route, 'path'>): Named;
  pathOf(route: Route, which: keyof Named): string;
  withKey(key: string | null): Send;
  withCookie(cookie: string): Send;
  close(): Promise<void>;
}

export async function startAuthority(options: Pick<ServiceOptions, 'monotonicMs'> = {}): Promise<Authority> {
  const both = await startServiceAndWorker({ policies: ESCALATING, words: 'few', ...options });
  const { service } = both;
  const ownerId = await service.addOrganisation('owner');
  const { key: owner } = await service.addKey({ organisationId: ownerId, scopes: ['admin:*'] });
  const ids = await makeThings(both, ownerId, owner);
  const namedBy = ({ path }: Pick<Route, 'path'>): Named => {
    const found = ids[path] ?? ids[path.slice(DASHBOARD.length)];
    if (found === undefined)
      throw new Error(`${path} names a kind of resource that this test does not create: add one to makeThings`);
    return found;
  };
  return {
    service,
    routes: {
      v1: service.ingress.routes.filter(({ access }) => access !== 'none'),
      dashboard: service.ingress.dashboardRoutes.filter(({ access }) => access !== 'none'),
    },
    ownerId,
    owner,
    namedBy,
    pathOf: (route, which) =>
      route.path.includes('{') ? route.path.replaceAll(/\{\w+\}/g, namedBy(route)[which]) : route.path,
    withKey: (key) => (method, path, request) => service.admin.request(method, path, { key, ...request }),
    withCookie:
      (cookie) =>
      (method, path, request = {}) =>
        service.admin.request(method, path, {
          key: null,
          check: false,
          ...request,
          headers: { cookie, ...OWN_HEADERS, ...request.headers },
        }),
    close: both.close,
  };
}

/** One resource of each kind that a path can name, owned by the owner; and unknown ids of the same form. */
async function makeThings(
  { service, worker }: ServiceAndWorker,
  ownerId: string,
  owner: string,
): Promise<Record<string, Named>> {
  const by = service.admin.withKey(owner);
  await by.post('/v1/agents', { agentId: 'agent-of-owner', name: 'Mine' });
  await by.request('PUT', '/v1/resources/resource-of-owner', { body: { owner: 'x' } });
  const { intent_id: parse } = (await by.post('/v1/intent', { agent_id: 'agent-of-owner', raw_intent: 'Read x' })).json;
  const decided = (await by.post('/v1/enforce', { agent_id: 'agent-of-owner', intent: 'delete:db/asked/x' })).json;
  // A server without a catalogue is known to those who have called its tools.
  const tool = { server: 'server-of-owner', name: 'look', arguments: {} };
  expect((await by.post('/v1/enforce', { agent_id: 'agent-of-owner', tool })).status).to.equal(200);
  const { intentId } = (await by.post('/v1/intents', { agentId: 'agent-of-owner', action: 'read', resource: 'db/x' }))
    .json;
  const { proofId } = (await by.post('/v1/proofs', { event: 'made', entityId: 'entity-of-owner', payload: {} })).json;
  const signal = { agentId: 'agent-of-owner', type: 'success' };
  expect((await by.post('/v1/trust/signals', signal)).status).to.equal(202);
  const { keyId } = (await by.post('/v1/auth/keys', { name: 'to be named', scopes: ['agents:read'] })).json;
  const webhook = { url: 'https://receiver.example.com/', events: ['decision.made'] };
  const { webhookId } = (await by.post('/v1/webhooks', webhook)).json;
  // Both parameters of its path are replaced by the same id.
  await service.rows(
    `INSERT INTO webhook_delivery (endpoint_id, message_id, type, subject, payload, created_at)
     VALUES ($1, $1, 'decision.made', 's', '{}', now())`,
    [webhookId],
  );
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
    '/v1/decisions/{id}/outcome': decided.decision_id,
    '/decisions/{id}/explanation': decided.decision_id,
    '/v1/approvals/{id}': decided.approval?.approval_id,
    '/v1/approvals/{id}/approve': decided.approval?.approval_id,
    '/v1/approvals/{id}/reject': decided.approval?.approval_id,
    '/approvals/{id}/words': decided.approval?.approval_id,
    '/v1/resources/{name}': 'resource-of-owner',
    '/v1/tools/{server}': 'server-of-owner',
    '/v1/proofs/{id}': proofId,
    '/v1/proofs/chain/{entityId}': 'entity-of-owner',
    '/v1/auth/keys/{keyId}': keyId,
    '/v1/auth/keys/{keyId}/rotate': keyId,
    '/v1/policies/{digest}': set?.digest ?? '',
    '/v1/policies/stages/{digest}': set?.digest ?? '',
    '/v1/policies/approvals/{approvalId}': decided.approval?.approval_id,
    '/v1/policies/approvals/{approvalId}/approve': decided.approval?.approval_id,
    '/v1/policies/approvals/{approvalId}/reject': decided.approval?.approval_id,
    '/policy-sets/{digest}': set?.digest ?? '',
    '/policy-sets/{digest}/policies': set?.digest ?? '',
    '/policy-sets/{digest}/policies/{id}': set?.digest ?? '',
    '/v1/policies/replays/{id}': replay?.id ?? '',
    '/v1/webhooks/{webhookId}': webhookId,
    '/v1/webhooks/{webhookId}/rotate': webhookId,
    '/v1/webhooks/{webhookId}/deliveries': webhookId,
    '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': webhookId,
  };
  for (const [path, real] of Object.entries(named)) expect(real, path).to.be.a('string');
  const things: Record<string, Named> = Object.fromEntries(
    Object.entries(named).map(([path, real]) => [path, other(real)]),
  );
  for (const path of [
    '/v1/agents/{agentId}',
    '/v1/trust/{agentId}',
    '/v1/trust/{agentId}/history',
    '/agents/{agentId}/activity',
    '/agents/{agentId}/trust',
  ])
    things[path] = agent;
  const jobs: Named = { real: job?.id ?? '', none: '9' };
  for (const path of ['/dead-jobs/{id}', '/dead-jobs/{id}/discard', '/dead-jobs/{id}/retry']) things[path] = jobs;
  for (const { real, none } of Object.values(things)) expect([real, real.length]).to.not.deep.equal([none, 0]);
  return things;
}
