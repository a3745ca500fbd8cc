// Approvals: list and read them, approve or reject.
import { ownerOf } from '../../shared/kernel/owner.ts';
import { listApprovals } from '../../shared/domain/approvals/list.ts';
import {
  absentApproval,
  boundOf,
  decideApproval,
  type DecidedApproval,
  factsOf,
  noSuchApproval,
  readApproval,
  type ShownApproval,
} from '../../shared/domain/approvals/store.ts';
import { areSameHands } from '../../shared/domain/approvals/hands.ts';
import {
  type ApprovalProgress,
  canBeMet,
  isApprover,
  readProgress,
  votesOf,
} from '../../shared/domain/approvals/votes.ts';
import type { EntitySql, Sql } from '../../shared/platform/db/database.ts';
import { memberOf } from '../../shared/kernel/json.ts';
import { changedFields, type RecordedChange } from '../../shared/kernel/recorded-change.ts';
import { mayName } from '../../shared/domain/keys/bound.ts';
import { hasAsked } from '../../shared/domain/keys/line.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { ApprovalDetail, ApprovalList, ApprovalListQuery, ApprovalVerdict } from '../../shared/api/approval.ts';
import { approvalView } from '../../shared/api/approval-view.ts';
import { IdParams } from '../../shared/api/common.ts';
import type { DecisionBody } from '../../shared/api/decision.ts';
import { defineRoute, type Route } from '../route.ts';
import type { DecisionDeps } from './decisions.ts';
import { agentsOf, readPage } from './paging.ts';

export interface ApprovalDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly shown: DecisionDeps['shown'];
}

/** A vote that does not complete an approval leaves it pending. */
function decided({ before, after }: DecidedApproval, reason: string): RecordedChange {
  const membersOf = (row: DecidedApproval['after']) => ({
    state: row.state,
    votes: votesOf(row).map((vote) => vote.by),
  });
  const fields = changedFields(membersOf(before), membersOf(after));
  return { subject: 'approval', id: after.approval_id, fields, reason };
}

const CURSOR = /^apr_[0-9a-z]{26}$/;

export function approvalRoutes({ db, nowMs, shown }: ApprovalDeps): Route[] {
  const bodyOf = (row: ShownApproval, progress: ApprovalProgress, text: string | undefined, atMs: number): object => {
    // Text that this service wrote.
    const decision = JSON.parse(text ?? 'null') as Pick<DecisionBody, 'intent'> | null;
    return { requested: decision?.intent.requested ?? null, ...approvalView(row, progress, atMs), decision };
  };
  const bodiesOf = async (
    sql: Sql,
    key: AuthenticatedKey,
    rows: readonly ShownApproval[],
    atMs: number,
  ): Promise<object[]> => {
    const progressOf = await readProgress(sql, rows, atMs);
    const decisions = await shown(
      key,
      rows.map(({ record }) => record),
    );
    return rows.map((row, i) => bodyOf(row, progressOf(row), decisions[i], atMs));
  };
  const detailed = async (sql: Sql, key: AuthenticatedKey, row: ShownApproval, atMs: number): Promise<object> => {
    const mayDecide = !(await areSameHands(sql, row.key_id, key.keyId));
    return {
      ...(await bodiesOf(sql, key, [row], atMs))[0],
      mayDecide,
      mayApprove: mayDecide && isApprover(row, key),
      canBeMet: await canBeMet(sql, row, atMs),
      ...boundOf(row),
      context: factsOf(row)?.context ?? null,
    };
  };

  const deciding = (word: 'approve' | 'reject', state: 'approved' | 'rejected', effect: string): Route =>
    defineRoute({
      method: 'POST',
      path: `/v1/approvals/{id}/${word}`,
      operationId: word,
      access: ['admin:*'],
      tag: 'Approvals',
      summary:
        word === 'approve'
          ? 'Approve what an agent asked for'
          : 'Reject what an agent asked for, or withdraw an approval',
      description: `${effect} The key that asked may not decide, nor one that it made or that made it. ${word === 'approve' ? 'A key that is bound to agents approves nothing. Where the rules name approvers, only they may, and the approval is `pending` until as many as the rules demand have approved.' : 'One rejection rejects, also what is approved and not used yet.'}`,
      request: { params: IdParams, body: ApprovalVerdict },
      responses: { 200: { description: `The approval, ${state}.`, schema: ApprovalDetail } },
      errors: ['E4001', 'E4006', 'E5001', 'E5002'],
      idempotent: true,
      handler: ({ key, params, body, commit }) =>
        commit(async (sql) => {
          const at = nowMs();
          const change = await decideApproval(sql, key, params.id, {
            state,
            by: key.keyId,
            reason: body.reason,
            nowMs: at,
            key,
          });
          const row = await readApproval(sql, key, params.id);
          if (row === undefined) throw await absentApproval(sql, key, params.id);
          return { status: 200, body: await detailed(sql, key, row, at), change: decided(change, body.reason) };
        }),
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/approvals',
      operationId: 'listApprovals',
      access: ['admin:*'],
      tag: 'Approvals',
      summary: 'List approvals, newest first',
      description: 'Each with the ESCALATE that opened it. `status=pending` lists those that wait for a human.',
      request: { query: ApprovalListQuery },
      responses: { 200: { description: 'One page of approvals.', schema: ApprovalList } },
      handler: async ({ key, query }) => {
        const at = nowMs();
        const filter = {
          ...ownerOf(key),
          agentIds: agentsOf(key, query.agentId),
          status: query.status,
          nowMs: at,
        };
        const page = await readPage(query, {
          cursor: CURSOR,
          read: (before, count) => listApprovals(db, { ...filter, before }, count),
          sortKey: (row) => row.approval_id,
        });
        return { status: 200, body: { ...page, items: await bodiesOf(db, key, page.items, at) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/approvals/{id}',
      operationId: 'getApproval',
      access: ['admin:*', 'intents:write'],
      tag: 'Approvals',
      summary: 'Read one approval',
      description:
        "With the caller's own words, all that it is bound to, and the ESCALATE that opened it. A key with intents:write but not admin:* sees the approvals that it asked for.",
      request: { params: IdParams },
      responses: { 200: { description: 'The approval.', schema: ApprovalDetail } },
      errors: ['E4001', 'E4006'],
      wait: { kind: 'approval', isSettled: ({ body }) => memberOf(body, 'status') !== 'pending' },
      handler: async ({ key, params }) => {
        const row = await readApproval(db, key, params.id);
        if (row === undefined) throw await absentApproval(db, key, params.id);
        if (!mayName(key, row.agent_id)) throw noSuchApproval();
        if (!key.scopes.has('admin:*') && !(await hasAsked(db, key, row.key_id))) throw noSuchApproval();
        return { status: 200, body: await detailed(db, key, row, nowMs()) };
      },
    }),
    deciding(
      'approve',
      'approved',
      'The agent may then do this one thing once: by asking again with approval_id, or, if it was a submitted intent, by itself.',
    ),
    deciding(
      'reject',
      'rejected',
      'Whoever asks with its approval_id is denied from then on; a submitted intent is decided DENY.',
    ),
  ];
}
