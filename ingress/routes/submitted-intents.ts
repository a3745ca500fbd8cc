// Submitted intents: accept them for a worker to evaluate, and read their state and decision.
import { ownerOf } from '../../shared/kernel/owner.ts';
import type { Static } from 'typebox';
import type { ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { IntentRow, IntentStore, StoredIntent } from '../../shared/domain/decisions/intent-store.ts';
import type { Asking, IntentReadings } from '../../shared/domain/decisions/readings.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { stored } from '../../shared/kernel/recorded-change.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import { assertMayName, mayName } from '../../shared/domain/keys/bound.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { IdParams } from '../../shared/api/common.ts';
import {
  IntentAccepted,
  IntentSubmission,
  SubmittedIntent,
  SubmittedIntentList,
  SubmittedIntentListQuery,
} from '../../shared/api/submitted-intent.ts';
import { defineRoute, type Route } from '../route.ts';
import { askersOf, type DecisionDeps, maySee } from './decisions.ts';
import { agentsOf, readPage } from './paging.ts';
import { storeOnce } from './store-once.ts';

export interface SubmittedIntentDeps {
  readonly db: Sql;
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly readings: IntentReadings;
  readonly intents: IntentStore;
  readonly nowMs: () => number;
  readonly shown: DecisionDeps['shown'];
}

/** Intents as they are read, with their decisions. */
async function bodiesOf(
  shown: DecisionDeps['shown'],
  key: AuthenticatedKey,
  rows: readonly StoredIntent[],
): Promise<object[]> {
  const decided = rows.flatMap(({ record }) => (record === null ? [] : [record]));
  const texts = await shown(key, decided);
  return rows.map((row) => bodyOf(row, row.record === null ? undefined : texts[decided.indexOf(row.record)]));
}

function bodyOf(row: StoredIntent, decision: string | undefined): object {
  return {
    intentId: row.intent_id,
    agentId: row.agent_id,
    action: row.action,
    resource: row.resource,
    status: row.status,
    approvalId: row.approval_id,
    submittedAt: row.submitted_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    // Text that this service wrote.
    decision: decision === undefined ? null : (JSON.parse(decision) as unknown),
  };
}

export function submittedIntentRoutes({ db, policies, readings, intents, nowMs, shown }: SubmittedIntentDeps): Route[] {
  /** Reads the intent, so that one that cannot be evaluated is refused here and not in a worker. @throws {ApiError} E2001 */
  const askedOf = (
    { action, resource, tool }: Static<typeof IntentSubmission>,
    asking: Asking,
  ): Pick<IntentRow, 'action' | 'resource' | 'tool'> => {
    if (tool === undefined) {
      if (action === undefined)
        throw invalidField('/action', 'is missing: an intent has "action" and "resource", or "tool"');
      if (resource === undefined) throw invalidField('/resource', 'is missing beside "action"');
      readings.ofAction(asking, action, resource);
      return { action, resource, tool: undefined };
    }
    if (action !== undefined || resource !== undefined)
      throw invalidField('/tool', 'stands beside "action" or "resource": an intent has one or the other');
    const { unassessed } = readings.ofTool(asking, tool, '/tool');
    return { action: unassessed.action, resource: unassessed.resource, tool: JSON.stringify(tool) };
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/intents',
      operationId: 'submitIntent',
      access: ['intents:write'],
      tag: 'Intents',
      summary: 'Submit an intent for a worker to evaluate',
      description:
        'Accepted means durable: it will be evaluated exactly once, whatever fails meanwhile. The resource may end in a `*` segment: ALLOW needs all of it covered, DENY and ESCALATE count on any overlap.',
      request: { body: IntentSubmission },
      responses: { 202: { description: 'Accepted; Location says where to look.', schema: IntentAccepted } },
      errors: ['E6002'],
      idempotent: true,
      handler: async (request) => {
        const { key, body, requestId, traceparent, address } = request;
        assertMayName(key, body.agentId, '/agentId');
        const { set } = await policies.current(key.organisationId);
        const asked = askedOf(body, { set, organisation: key.organisationSlug });
        const submittedAtMs = nowMs();
        const intentId = newId('int', submittedAtMs);
        const row: IntentRow = {
          organisationId: key.organisationId,
          environment: key.environment,
          intentId,
          agentId: body.agentId,
          keyId: key.keyId,
          ...asked,
          context: body.context === undefined ? undefined : JSON.stringify(body.context),
          traceparent,
          requestId,
          address,
          submittedAtMs,
        };
        return storeOnce(request, intents, row, {
          status: 202,
          body: { intentId, status: 'queued' },
          headers: { location: `/v1/intents/${intentId}` },
          change: stored('intent', [intentId]),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/intents',
      operationId: 'listIntents',
      access: ['proofs:read', 'intents:write'],
      tag: 'Intents',
      summary: 'List submitted intents, newest first',
      description: 'A key with intents:write but not proofs:read sees what it submitted itself.',
      request: { query: SubmittedIntentListQuery },
      responses: { 200: { description: 'One page of intents.', schema: SubmittedIntentList } },
      handler: async ({ key, query }) => {
        const filter = {
          ...ownerOf(key),
          keyIds: await askersOf(db, key),
          agentIds: agentsOf(key, query.agentId),
          status: query.status,
        };
        const page = await readPage(query, {
          cursor: /^int_[0-9a-z]{26}$/,
          read: (before, count) => intents.list({ ...filter, before }, count),
          sortKey: (row) => row.intent_id,
        });
        return { status: 200, body: { ...page, items: await bodiesOf(shown, key, page.items) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/intents/{id}',
      operationId: 'getIntent',
      access: ['proofs:read', 'intents:write'],
      tag: 'Intents',
      summary: 'Read one submitted intent',
      description:
        'Its state, and its decision when there is one. A key without proofs:read sees what it submitted itself.',
      request: { params: IdParams },
      responses: { 200: { description: 'The intent, with its decision once there is one.', schema: SubmittedIntent } },
      errors: ['E4001'],
      wait: {
        kind: 'intent',
        isSettled: ({ body }) => ['decided', 'failed'].includes(String(memberOf(body, 'status'))),
      },
      handler: async ({ key, params }) => {
        const row = await intents.read(key, params.id);
        if (row === undefined || !mayName(key, row.agent_id) || !(await maySee(db, key, row.key_id))) {
          throw new ApiError('E4001', 'There is no such intent in this organisation and environment.');
        }
        const [body] = await bodiesOf(shown, key, [row]);
        return { status: 200, body };
      },
    }),
  ];
}
