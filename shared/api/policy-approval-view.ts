// The one view of a proposed policy set: what the HTTP interface, the dashboard and the command line show of its row.
import type { Static } from 'typebox';
import { changeVotesOf, proposalStatus, stageOf, type StoredProposal } from '../domain/policy-sets/proposals.ts';
import type { PolicyApproval } from './policy-change.ts';

/** @param atMs the time at which the status holds */
export function policyApprovalView(row: StoredProposal, atMs: number): Static<typeof PolicyApproval> {
  const stage = stageOf(row);
  return {
    approvalId: row.approval_id,
    status: proposalStatus(row, atMs),
    digest: row.digest,
    previousDigest: row.previous_digest,
    author: row.author,
    reason: row.reason,
    source: row.source,
    signer: row.signer,
    signature: row.signature,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
    decidedBy: row.decided_by,
    decisionReason: row.decision_reason,
    ...(stage === undefined ? {} : { stage: stage === 'drop' ? { drop: true } : { ...stage } }),
    votes: changeVotesOf(row),
  };
}
