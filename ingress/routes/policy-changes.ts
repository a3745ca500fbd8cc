// Changes of the policy set over HTTP: push, roll back, follow the folder again, and compare two sets.
import { closed } from '../../shared/api/common.ts';
import {
  FollowFolderRequest,
  MAX_PUSH_BYTES,
  PolicyComparison,
  PushPoliciesRequest,
  RollBackPoliciesRequest,
} from '../../shared/api/policy-change.ts';
import { isOperatorsKey } from '../../shared/domain/keys/operator.ts';
import { lexiconInForce } from '../../shared/domain/policy-sets/active-set.ts';
import { handLexicon } from '../../shared/domain/policy-sets/handed-lexicon.ts';
import {
  assertLoadable,
  canonicalOf,
  createSetComparer,
  organisationSlugs,
} from '../../shared/domain/policy-sets/stored-sets.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { createPushReader } from '../pushed-set.ts';
import { defineRoute, type Route } from '../route.ts';
import { createOwnPolicyChanges, organisationPolicyRoutes } from './organisation-policies.ts';
import { assertOperator } from './policies.ts';
import { policyApprovalRoutes } from './policy-approvals.ts';
import { checkedReply, createApplyChange, type PolicyChangeDeps, RESPONSES } from './policy-change-reply.ts';
import { policyStageRoutes } from './policy-stages.ts';

export function policyChangeRoutes(deps: PolicyChangeDeps): Route[] {
  const { db, policies } = deps;
  const reader = createPushReader();
  const comparer = createSetComparer(db);
  const own = createOwnPolicyChanges({ ...deps, comparer, reader });

  const apply = createApplyChange(deps);
  return [
    ...organisationPolicyRoutes(deps),
    ...policyStageRoutes(deps),
    defineRoute({
      method: 'POST',
      path: '/v1/policies',
      operationId: 'pushPolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Put a policy set into force',
      description:
        'The files are the whole set, in force everywhere within two seconds; edits of the folder are not, until POST /v1/policies/follow-folder. From another organisation than the operator they are policies for it alone, which only make answers stricter.',
      request: { body: PushPoliciesRequest, unparsedUpTo: MAX_PUSH_BYTES },
      responses: RESPONSES,
      errors: ['E2001', 'E5002', 'E6002'],
      cost: () => 10,
      idempotent: true,
      handler: async (request) => {
        // `unparsedUpTo`: the body is its bytes.
        const body = request.body as unknown as Uint8Array;
        const { key, commit } = request;
        if (!isOperatorsKey(key)) return own.push({ key, body, commit });
        const organisations = await organisationSlugs(db);
        const active = policies.status().activeDigest;
        const inForce = active === undefined ? undefined : await canonicalOf(db, active);
        const compiled = lexiconInForce(policies);
        const lexicon = compiled && handLexicon(compiled);
        const pushed = await reader.read({ body, organisations, inForce, lexicon });
        const { reason, signature, stage, dryRun, warnings, set } = pushed;
        // Another push may have changed the lexicon since it was read, which must not be undone.
        const { expectedDigest = pushed.hasLexiconInForce ? active : undefined } = pushed;
        const { digest, canonical } = set;
        const source = stage === undefined ? ('push' as const) : ('stage' as const);
        const change = { digest, canonical, author: key.keyId, reason, source, stage };
        if (dryRun === true) {
          const comparison = inForce === undefined ? null : await comparer.compareTexts(inForce, canonical);
          return checkedReply(change, { previousDigest: active ?? null, comparison, findings: warnings });
        }
        return apply(request, { ...change, expectedDigest, signature }, warnings);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/policies/rollback',
      operationId: 'rollBackPolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Put a stored policy set into force again',
      description: 'Any set that was ever stored. As after a push, the folder is not followed.',
      request: { body: RollBackPoliciesRequest },
      responses: RESPONSES,
      errors: ['E2001', 'E4001', 'E5002', 'E6002'],
      cost: () => 10,
      idempotent: true,
      handler: async (request) => {
        const { key, body } = request;
        const { digest, reason, expectedDigest, signature, dryRun } = body;
        if (!isOperatorsKey(key)) return own.rollBack({ key, body, commit: request.commit });
        await assertLoadable(db, digest, { compiled: lexiconInForce(policies) });
        const change = { digest, author: key.keyId, reason, source: 'rollback' as const };
        if (dryRun === true) {
          const previousDigest = policies.status().activeDigest ?? null;
          const comparison = await comparer.compare(previousDigest, digest);
          return checkedReply(change, { previousDigest, comparison, findings: [] });
        }
        return apply(request, { ...change, expectedDigest, signature });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/policies/follow-folder',
      operationId: 'followPolicyFolder',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Put the set of the policy folder into force, and its later edits',
      description: 'The opposite of a push: the folder decides again.',
      request: { body: FollowFolderRequest },
      responses: RESPONSES,
      errors: ['E2001', 'E5002', 'E6002'],
      idempotent: true,
      handler: async (request) => {
        const { key, body } = request;
        assertOperator(key);
        const { folderDigest } = policies.status();
        if (folderDigest === undefined)
          throw new ApiError(
            'E5002',
            'The policy folder has errors, or no worker has read it yet; see GET /v1/policies.',
          );
        const change = { digest: folderDigest, author: key.keyId, reason: body.reason, source: 'folder' as const };
        return apply(request, { ...change, signature: body.signature });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/difference',
      operationId: 'comparePolicies',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'The difference of two stored policy sets',
      description: 'An organisation compares its own policies, on the set in force.',
      request: {
        query: closed({
          before: RollBackPoliciesRequest.properties.digest,
          after: RollBackPoliciesRequest.properties.digest,
        }),
      },
      responses: { 200: { description: 'The difference.', schema: PolicyComparison } },
      errors: ['E4001'],
      handler: async ({ key, query }) => {
        const compared = isOperatorsKey(key)
          ? await comparer.compare(query.before, query.after)
          : await own.compare(key, query);
        if (compared === null)
          throw new ApiError('E4001', 'One of these policy sets is not stored, or this version can not load it.');
        return { status: 200, body: compared };
      },
    }),
    ...policyApprovalRoutes(deps, comparer),
  ];
}
