// Approvals as the log has them: whether a decision that says APPROVED had one, for this very action, and it alone has used it.
import type { Facts } from '../policy/types.ts';
import { quoted } from '../proof/encoding.ts';
import { readRecord } from '../proof/record-read.ts';
import { approvalDigest, type ApprovalMention } from './approval.ts';
import { type DecisionFailure, GRACE_MS, type LoggedRecord, type Report } from './verify-failures.ts';
import { type DecisionRecord, hasExactly, isAsLogged } from './verify-record.ts';

interface Approved {
  readonly by: string;
  readonly atMs: number;
  readonly digest: string;
  readonly intentId: string | null;
}

interface Logged {
  approved?: Approved;
  /** The decisions that have used it: one, if all is well. */
  readonly usedIn: string[];
}

export interface ApprovalHistory {
  readonly approvals: ReadonlyMap<string, Logged>;
  readonly problems: readonly DecisionFailure[];
}

const COMMON = ['approvalId', 'decisionId', 'digest', 'intentId', 'state'] as const;

interface Change {
  readonly approvalId: string;
  readonly digest: string;
  readonly intentId: string | null;
  readonly state: unknown;
  /** Of an approval that was given. */
  readonly by?: string;
  /** Of an approval that was used. */
  readonly usedDecisionId?: string;
}

/** The body of a `custos.approval` record, one shape for each state that is recorded. */
function changeOf(body: unknown): Change | undefined {
  const isDecided =
    hasExactly(body, [...COMMON, 'by', 'reason']) && (body.state === 'approved' || body.state === 'rejected');
  const isUsed = hasExactly(body, [...COMMON, 'by', 'usedDecisionId']) && body.state === 'used';
  const isExpired = hasExactly(body, COMMON) && body.state === 'expired';
  if (!isDecided && !isUsed && !isExpired) return undefined;
  const { approvalId, digest, intentId, state } = body;
  if (typeof approvalId !== 'string' || typeof digest !== 'string') return undefined;
  if (intentId !== null && typeof intentId !== 'string') return undefined;
  const change = { approvalId, digest, intentId, state };
  if (isDecided) return typeof body.by === 'string' ? { ...change, by: body.by } : undefined;
  if (!isUsed) return change;
  return typeof body.usedDecisionId === 'string' ? { ...change, usedDecisionId: body.usedDecisionId } : undefined;
}

/** @param records the `custos.approval` records of one agent, in the order of the log */
export function readApprovals(
  records: readonly LoggedRecord[],
  owner: { readonly agentId: string; readonly organisation: string; readonly environment: string },
): ApprovalHistory {
  const approvals = new Map<string, Logged>();
  const problems: DecisionFailure[] = [];
  for (const logged of records) {
    const read = readRecord(logged.bytes);
    const record = 'record' in read ? read.record : undefined;
    const change = changeOf(record?.payload.body);
    if (
      record?.eventType !== 'custos.approval' ||
      record.agentId !== owner.agentId ||
      record.payload.organisation !== owner.organisation ||
      record.payload.environment !== owner.environment ||
      change === undefined
    ) {
      problems.push({ code: 'APPROVAL_RECORD_ALTERED', sentence: 'An approval record is not one of this agent.' });
      continue;
    }
    if (!isAsLogged(logged))
      problems.push({
        code: 'APPROVAL_RECORD_ALTERED',
        sentence: `The approval record ${quoted(record.payload.proofId)} is not the one that the log has hashed.`,
      });
    const { approvalId, digest, intentId, state, by, usedDecisionId } = change;
    const known = approvals.get(approvalId) ?? { usedIn: [] };
    approvals.set(approvalId, known);
    if (state === 'approved' && by !== undefined)
      known.approved ??= { by, atMs: Date.parse(record.occurredAt), digest, intentId };
    if (usedDecisionId !== undefined) known.usedIn.push(usedDecisionId);
  }
  return { approvals, problems };
}

/** @param facts undefined: erased, so that what the approval is bound to can not be computed again */
export function checkApproval(
  { record, body }: DecisionRecord,
  { approvals, problems }: ApprovalHistory,
  { approvalId, by }: Extract<ApprovalMention, { kind: 'used' }>,
  facts: Facts | undefined,
  report: Report,
): void {
  report.failures.push(...problems);
  const missing = (why: string): void =>
    void report.failures.push({
      code: 'APPROVAL_NOT_RECORDED',
      sentence: `The decision says that ${quoted(approvalId)} was approved by ${quoted(by)}; ${why}.`,
    });
  const logged = approvals.get(approvalId);
  const approved = logged?.approved;
  if (logged === undefined || approved?.by !== by) return missing('the log has no such approval of this agent');
  if (approved.atMs > Date.parse(body.evaluated_at) + GRACE_MS)
    missing(`by the log it was approved at ${new Date(approved.atMs).toISOString()}, after the decision`);
  if (!logged.usedIn.includes(body.decision_id)) missing('by the log this decision has not used it');
  const others = logged.usedIn.filter((decisionId) => decisionId !== body.decision_id);
  if (others.length > 0 || logged.usedIn.length > 1)
    report.failures.push({
      code: 'APPROVAL_USED_TWICE',
      sentence: `The approval ${quoted(approvalId)} is good once; by the log ${quoted(others[0] ?? body.decision_id)} has used it, too.`,
    });
  if (facts === undefined) return;
  const digest = approvalDigest({
    agentId: body.agent_id,
    context: facts.context,
    environment: record.payload.environment,
    intentId: approved.intentId,
    normalized: facts.intent.normalized,
    organisation: record.payload.organisation,
  });
  if (digest !== approved.digest)
    missing(`it was given for the action ${approved.digest.slice(0, 12)}, and this one is ${digest.slice(0, 12)}`);
}
