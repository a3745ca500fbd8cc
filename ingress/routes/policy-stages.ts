// Stages of policy sets over HTTP: who has which staged set, what a share in shadow shows, promotion and drop; and the history of all sets.
import { PageQuery } from '../../shared/api/common.ts';
import {
  DropStageRequest,
  PolicyActivationList,
  PolicyChangeResult,
  PolicyStageList,
  PromotePoliciesRequest,
} from '../../shared/api/policy-change.ts';
import { PolicyDigestParams } from '../../shared/api/policy-set.ts';
import { lexiconInForce } from '../../shared/domain/policy-sets/active-set.ts';
import { activationView, listActivations } from '../../shared/domain/policy-sets/activations.ts';
import { stageViews } from '../../shared/domain/drafts/stage-views.ts';
import { assertLoadable } from '../../shared/domain/policy-sets/stored-sets.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';
import { assertLiveAdmin, assertOperator } from './policies.ts';
import { createApplyChange, type PolicyChangeDeps, RESPONSES } from './policy-change-reply.ts';

const SEQ = /^[1-9]\d{0,17}$/;

export function policyStageRoutes(deps: PolicyChangeDeps): Route[] {
  const { db, policies } = deps;
  const apply = createApplyChange(deps);
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/policies/stages',
      operationId: 'listPolicyStages',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'The staged policy sets',
      description: 'With what shares have shown so far.',
      responses: { 200: { description: 'At most three.', schema: PolicyStageList } },
      handler: async ({ key }) => {
        assertOperator(key);
        return { status: 200, body: { items: await stageViews(db), nextCursor: null } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/activations',
      operationId: 'listPolicyActivations',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'The history of policy sets, newest first',
      description: "An organisation reads its own and the installation's.",
      request: { query: PageQuery },
      responses: { 200: { description: 'One page.', schema: PolicyActivationList } },
      handler: async ({ key, query }) => {
        assertLiveAdmin(key);
        const only = isOperatorsKey(key) ? {} : { organisationId: key.organisationId };
        const page = await readPage(query, {
          cursor: SEQ,
          read: (before, limit) => listActivations(db, { ...(before === undefined ? {} : { before }), ...only, limit }),
          sortKey: ({ seq }) => seq,
        });
        return { status: 200, body: { ...page, items: page.items.map(activationView) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/policies/promote',
      operationId: 'promotePolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Put a staged set into force for all organisations',
      description: 'As a push of the same set.',
      request: { body: PromotePoliciesRequest },
      responses: RESPONSES,
      errors: ['E2001', 'E4001', 'E5002', 'E6002'],
      cost: () => 10,
      idempotent: true,
      handler: async (request) => {
        const { key, body } = request;
        const { digest, reason, expectedDigest, signature } = body;
        assertOperator(key);
        await assertLoadable(db, digest, { compiled: lexiconInForce(policies) });
        const change = { digest, author: key.keyId, reason, source: 'push' as const };
        return apply(request, { ...change, expectedDigest, signature });
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/policies/stages/{digest}',
      operationId: 'dropPolicyStage',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Drop a stage: its organisations get the set that is in force for all',
      description: 'The set stays stored.',
      request: { params: PolicyDigestParams, body: DropStageRequest },
      responses: {
        200: { description: 'The organisations that had it.', schema: PolicyChangeResult },
        202: RESPONSES[202],
      },
      errors: ['E4001', 'E5002', 'E6002'],
      handler: async (request) => {
        const { key, params, body } = request;
        assertOperator(key);
        const change = { digest: params.digest, author: key.keyId, reason: body.reason };
        return apply(request, { ...change, source: 'stage' as const, stage: 'drop' });
      },
    }),
  ];
}
