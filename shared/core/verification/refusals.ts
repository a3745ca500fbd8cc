// Approvals that could not be used: whether the log confirms a decision that names a rejected, expired or used approval.
import { quoted } from '../proof/encoding.ts';
import type { Facts } from '../policy/types.ts';
import { type RefusedMention, REPEAT_WITHIN_MS } from '../decision/approval.ts';
import { type ApprovalHistory, asksTheSame, type LoggedApproval, openingOf, wrongAction } from './approvals.ts';
import { type LoggedRecord, type Report, fail } from './failures.ts';
import { GRACE_MS, isAfter, isLongBefore, type Moment } from './moment.ts';
import { type DecisionBody, type DecisionRecord, momentOf } from './record.ts';

type Refusal = Exclude<RefusedMention, { code: 'APPROVAL_MISMATCH' }>;

/** The ends of sentences that begin "The decision says that". */
const SAID: Readonly<Record<Refusal['code'], string>> = {
  APPROVAL_REJECTED: 'was rejected',
  APPROVAL_EXPIRED: 'has expired',
  APPROVAL_USED: 'has been used',
};

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The inputs of all three checks. */
interface Case {
  readonly body: DecisionBody;
  readonly logged: LoggedApproval | undefined;
  readonly detail: string;
  readonly at: Moment;
}

function wrongRejection({ logged, detail, at }: Case): string | undefined {
  const rejected = logged?.rejected;
  if (rejected === undefined) return 'by the log nobody has rejected it';
  if (rejected.reason !== detail) return `by the log it was rejected with the words ${quoted(rejected.reason)}`;
  if (isAfter(rejected, at)) return `by the log it was rejected at ${timeOf(rejected.atMs)}, after the decision`;
  return undefined;
}

function wrongUse({ body, logged, at }: Case): string | undefined {
  const [use] = logged?.uses ?? [];
  if (use === undefined) return 'by the log nothing has used it';
  if (use.decisionId === body.decision_id) return 'by the log this decision itself has used it';
  // Both times are the ones that the service compared, so no tolerance is needed.
  if (use.by === body.key_id && Math.abs(at.atMs - use.atMs) < REPEAT_WITHIN_MS)
    return `the same key had just used it, and was to be given ${quoted(use.decisionId)} again`;
  if (isAfter(use, at)) return `by the log it was used at ${timeOf(use.atMs)}, after the decision`;
  return undefined;
}

function wrongExpiry({ logged, detail, at }: Case, expiresAt: string | undefined): string | undefined {
  if (expiresAt === undefined) return undefined;
  if (expiresAt !== detail) return `it was opened until ${expiresAt}`;
  const expiresAtMs = Date.parse(expiresAt);
  // One that maintenance has closed stays closed, also when the clock is set back later.
  const closed = logged?.expired;
  const isClosed = closed !== undefined && !isAfter(closed, at) && expiresAtMs <= closed.atMs + GRACE_MS;
  if (expiresAtMs > at.atMs && !isClosed) return `it was still open at ${timeOf(at.atMs)}`;
  const ended = logged?.rejected ?? logged?.uses[0];
  if (ended !== undefined && isLongBefore(ended, at)) return `by the log it was ${logged?.state ?? 'closed'} before`;
  return undefined;
}

/**
 * @param opening the ESCALATE that opened the approval; undefined: there is none @param facts undefined: deleted, so the approval's digest
 * can not be computed again @returns false when the log lacks the needed records, so that no statement is possible
 */
export function checkRefusal(
  decision: DecisionRecord,
  { approvals, problems }: ApprovalHistory,
  { code, approvalId, detail }: Refusal,
  { opening, facts }: { readonly opening: LoggedRecord | undefined; readonly facts: Facts | undefined },
  report: Report,
): boolean {
  const { body } = decision;
  report.failures.push(...problems);
  const logged = approvals.get(approvalId);
  const asked = openingOf(decision, opening, approvalId);
  // A log that was started again lacks earlier records, and only the ESCALATE contains the expiry.
  if (opening === undefined && (logged === undefined || code === 'APPROVAL_EXPIRED')) return false;
  const one: Case = { body, logged, detail, at: momentOf(decision) };
  const isItsOwn = asked !== undefined && (logged === undefined || asked.decision_id === logged.decisionId);
  const found = [
    logged?.contradiction,
    opening !== undefined && !isItsOwn ? 'the decision that opened it is no ESCALATE of this agent' : undefined,
    code === 'APPROVAL_REJECTED'
      ? wrongRejection(one)
      : code === 'APPROVAL_USED'
        ? wrongUse(one)
        : wrongExpiry(one, asked?.approval.expires_at),
    asked !== undefined && !asksTheSame(asked, body)
      ? 'it was asked for another action'
      : logged && wrongAction(logged, facts),
  ];
  for (const why of found)
    if (why !== undefined)
      fail(
        report,
        'APPROVAL_REFUSAL_WRONG',
        `The decision says that the approval ${quoted(approvalId)} ${SAID[code]}; ${why}.`,
      );
  return true;
}
