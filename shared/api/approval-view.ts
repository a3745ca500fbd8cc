// The one view of a stored approval: what the HTTP interface, the dashboard and the command line show of its row.
import type { Static } from 'typebox';
import { stateAt } from '../core/decision/approval.ts';
import { approvalFactsOf, type StoredApproval } from '../domain/approvals/store.ts';
import { type ApprovalProgress, votesOf } from '../domain/approvals/votes.ts';
import type { Approval } from './approval.ts';

/** The demands of an approval as they are shown; null: any admin key may approve. */
export function demandsView(progress: ApprovalProgress): ApprovalView['approvers'] {
  if (progress === undefined) return null;
  return progress.map(({ demand, counted, missing }) => {
    const { policy, rule, keys, tags, at_least: atLeast } = demand;
    return { policy, rule, keys: [...keys], tags: [...tags], atLeast, approvedBy: [...counted], missing };
  });
}

/** The members that come from the row; `requested` and `decision` come from the record of the ESCALATE. */
export type ApprovalView = Omit<Static<typeof Approval>, 'requested' | 'decision'>;

/**
 * @param progress of readProgress
 * @param atMs the time at which the status holds: an open approval past `expiresAt` has expired
 */
export function approvalView(row: StoredApproval, progress: ApprovalProgress, atMs: number): ApprovalView {
  return {
    approvalId: row.approval_id,
    status: stateAt(approvalFactsOf(row), atMs),
    agentId: row.agent_id,
    keyId: row.key_id,
    digest: row.digest,
    intentId: row.intent_id,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    decidedBy: row.decided_by,
    reason: row.reason,
    usedAt: row.used_at?.toISOString() ?? null,
    usedBy: row.used_by,
    usedDecisionId: row.used_decision_id,
    approvers: demandsView(progress),
    votes: votesOf(row),
  };
}
