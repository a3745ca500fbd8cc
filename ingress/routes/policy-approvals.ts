// Approvals of changes of the policy set over HTTP: list and read them, approve or reject.
import { Type } from 'typebox';
import { ApprovalVerdict } from '../../shared/api/approval.ts';
import { closed, PageQuery } from '../../shared/api/common.ts';
import { policyApprovalView } from '../../shared/api/policy-approval-view.ts';
import { PolicyApproval, PolicyApprovalDetail, PolicyApprovalList } from '../../shared/api/policy-change.ts';
import { areSameHands } from '../../shared/domain/approvals/hands.ts';
import { noSuchApproval } from '../../shared/domain/approvals/store.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { assertApprovable, decideChange } from '../../shared/domain/policy-sets/change.ts';
import { mayApprove } from '../../shared/domain/policy-sets/change-votes.ts';
import {
  changeVotesOf,
  listProposals,
  proposingKeys,
  readProposal,
  type StoredProposal,
} from '../../shared/domain/policy-sets/proposals.ts';
import type { createSetComparer } from '../../shared/domain/policy-sets/stored-sets.ts';
import { changedFields } from '../../shared/kernel/recorded-change.ts';
import { defineRoute, type Route } from '../route.ts';
import { readPage } from './paging.ts';
import { assertOperator } from './policies.ts';
import type { PolicyChangeDeps } from './policy-change-reply.ts';

const ApprovalParams = closed({ approvalId: Type.String({ minLength: 1, maxLength: 64, description: 'The change.' }) });
const CURSOR = /^apr_[0-9a-z]{26}$/;

export function policyApprovalRoutes(
  { db, nowMs, changeRules, settle }: PolicyChangeDeps,
  comparer: ReturnType<typeof createSetComparer>,
): Route[] {
  const detailOf = async (key: AuthenticatedKey, row: StoredProposal): Promise<object> => {
    const comparison = await comparer.compare(row.previous_digest, row.digest);
    return {
      ...policyApprovalView(row, nowMs()),
      authorKey: (await proposingKeys(db, [row])).get(row.author) ?? null,
      mayDecide:
        mayApprove(changeRules, key.keyId, key.tags) &&
        changeVotesOf(row).every(({ by }) => by !== key.keyId) &&
        !(await areSameHands(db, row.author, key.keyId)),
      ...(comparison === null ? {} : { comparison }),
    };
  };

  const deciding = (word: 'approve' | 'reject', state: 'approved' | 'rejected', effect: string): Route =>
    defineRoute({
      method: 'POST',
      path: `/v1/policies/approvals/{approvalId}/${word}`,
      operationId: `${word}PolicySet`,
      access: ['admin:*'],
      tag: 'Policies',
      summary: word === 'approve' ? 'Approve a change of the policy set' : 'Reject a change of the policy set',
      description: effect,
      request: { params: ApprovalParams, body: ApprovalVerdict },
      responses: { 200: { description: `The change, ${state}.`, schema: PolicyApproval } },
      errors: [...(state === 'approved' ? (['E2001'] as const) : []), 'E4001', 'E5001', 'E5002'],
      idempotent: true,
      handler: async ({ key, params, body: { reason }, commit }) => {
        assertOperator(key);
        if (state === 'approved') await assertApprovable(db, params.approvalId);
        const reply = await commit(async (sql) => {
          const decision = { state, by: key.keyId, reason, nowMs: nowMs() };
          const row = await decideChange(sql, params.approvalId, decision, changeRules);
          const after = row.state === 'pending' ? 'pending' : state;
          const fields = changedFields({ state: 'pending' }, { state: after });
          return {
            status: 200,
            body: policyApprovalView(row, nowMs()),
            change: { subject: 'policy_set', id: row.digest, fields, reason },
          };
        });
        await settle();
        return reply;
      },
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/policies/approvals',
      operationId: 'listPolicyApprovals',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'List the changes of the policy set that needed approval, newest first',
      description: 'With CUSTOS_POLICY_APPROVALS=1 pushes, rollbacks and edits of the policy folder wait here.',
      request: { query: PageQuery },
      responses: { 200: { description: 'One page of changes.', schema: PolicyApprovalList } },
      handler: async ({ key, query }) => {
        assertOperator(key);
        const atMs = nowMs();
        const page = await readPage(query, {
          cursor: CURSOR,
          read: (before, count) => listProposals(db, before, count),
          sortKey: (row) => row.approval_id,
        });
        return { status: 200, body: { ...page, items: page.items.map((row) => policyApprovalView(row, atMs)) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policies/approvals/{approvalId}',
      operationId: 'getPolicyApproval',
      access: ['admin:*'],
      tag: 'Policies',
      summary: 'Read one change of the policy set with its difference',
      description: 'With the difference to the set that was in force when it was proposed.',
      request: { params: ApprovalParams },
      responses: { 200: { description: 'The change.', schema: PolicyApprovalDetail } },
      errors: ['E4001'],
      handler: async ({ key, params }) => {
        assertOperator(key);
        const row = await readProposal(db, params.approvalId);
        if (row === undefined) throw noSuchApproval();
        return { status: 200, body: await detailOf(key, row) };
      },
    }),
    deciding(
      'approve',
      'approved',
      'Carried out in the same transaction, unless another set was put into force since. Not by the author, nor by a key that it created or that created it.',
    ),
    deciding('reject', 'rejected', 'Nothing comes into force.'),
  ];
}
