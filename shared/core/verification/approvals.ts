// Approvals in the log, and whether a decision with the reason APPROVED had one for exactly this action and was the only one to use it.
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, Nullable, type Shape, StringEnum } from '../../kernel/schema.ts';
import type { Facts } from '../policy/types.ts';
import { quoted } from '../proof/encoding.ts';
import { readRecord } from '../proof/record-read.ts';
import { approvalIdOfDecision } from '../../kernel/ids.ts';
import type { Escalation } from '../policy/approvers.ts';
import { type ApprovalMention, approvalMentionOf, type ApprovalState } from '../decision/approval.ts';
import { approvalDigest, earlierApprovalDigest, isBeforeBinding } from '../decision/approval-bound.ts';
import { type ChangeOwner, readChanges } from './changes.ts';
import { memberOf, same, shown } from './facts.ts';
import { type DecisionFailure, type LoggedRecord, type Report, fail } from './failures.ts';
import { isAfter, type Moment } from './moment.ts';
import { type DecisionBody, type DecisionRecord, isAsLogged, momentOf, readDecisionRecord, Text } from './record.ts';

interface Approved extends Moment {
  readonly by: string;
}

/** An approval as its log records describe it. */
export interface LoggedApproval {
  /** The bound digest, repeated by every record of it. */
  readonly digest: string;
  readonly intentId: string | null;
  /** The ESCALATE that opened it. */
  readonly decisionId: string;
  state: ApprovalState;
  /** Those who approved, in order; the last one completed it. */
  readonly votes: Approved[];
  approved?: Approved;
  rejected?: Approved & { readonly reason: string };
  expired?: Moment;
  /** The decisions that used it, and the requesting keys; one at most in a correct log. */
  readonly uses: (Approved & { readonly decisionId: string })[];
  /** Why its records contradict each other: the end of a sentence. */
  contradiction?: string;
}

export interface ApprovalHistory {
  readonly approvals: ReadonlyMap<string, LoggedApproval>;
  readonly problems: readonly DecisionFailure[];
}

const COMMON = { approvalId: Text, decisionId: Text, digest: Text, intentId: Nullable(Text) };
/** The body of a `custos.approval` record; each recorded state has its own shape. */
const ChangeSchema = Type.Union([
  // Pending: an approval by one of several approvers, which did not complete it.
  closed({ ...COMMON, state: StringEnum(['pending', 'approved', 'rejected']), by: Text, reason: Text }),
  closed({ ...COMMON, state: StringEnum(['used']), by: Text, usedDecisionId: Text }),
  closed({ ...COMMON, state: StringEnum(['expired']) }),
]);
type Change = Shape<typeof ChangeSchema>;
const isChange = guardOf(ChangeSchema);
const changeOf = (body: unknown): Change | undefined => (isChange(body) ? body : undefined);

/** The states that may precede each change. */
const BEFORE: Readonly<Record<Change['state'], readonly ApprovalState[]>> = {
  pending: ['pending'],
  approved: ['pending'],
  // Withdrawn, where it was approved.
  rejected: ['pending', 'approved'],
  expired: ['pending', 'approved'],
  used: ['approved'],
};

/** Applies one more record to an approval. */
function apply(known: LoggedApproval, change: Change, at: Moment): void {
  const { decisionId, digest, intentId, state } = change;
  if (known.decisionId !== decisionId || known.digest !== digest || known.intentId !== intentId)
    known.contradiction ??= 'by the log it is one of several actions';
  // A second use has its own failure and is reported elsewhere.
  else if (!BEFORE[state].includes(known.state) && !(state === 'used' && known.state === 'used'))
    known.contradiction ??= `by the log it became ${state} when it was ${known.state}`;
  known.state = state;
  if (change.state === 'pending' || change.state === 'approved') known.votes.push({ by: change.by, ...at });
  if (change.state === 'pending') return;
  if (change.state === 'approved') known.approved ??= { by: change.by, ...at };
  else if (change.state === 'rejected') known.rejected ??= { by: change.by, reason: change.reason, ...at };
  else if (change.state === 'used') known.uses.push({ decisionId: change.usedDecisionId, by: change.by, ...at });
  else known.expired ??= at;
}

/** @param records the `custos.approval` records of one agent, in log order */
export function readApprovals(records: readonly LoggedRecord[], owner: ChangeOwner): ApprovalHistory {
  const approvals = new Map<string, LoggedApproval>();
  const kind = {
    name: 'approval',
    whose: 'agent',
    failure: 'APPROVAL_RECORD_ALTERED',
    changeOf,
  } as const;
  const problems = readChanges(records, owner, kind, (change, at) => {
    const { approvalId, decisionId, digest, intentId } = change;
    const known = approvals.get(approvalId) ?? { decisionId, digest, intentId, state: 'pending', votes: [], uses: [] };
    approvals.set(approvalId, known);
    apply(known, change, at);
  });
  return { approvals, problems };
}

/**
 * The approval that a decision names, whether used or unusable, with the id of the ESCALATE that opened it, from its first record.
 * Undefined when the decision names none, or no record mentions it.
 */
export function namedApprovalOf(
  decision: Pick<LoggedRecord, 'bytes'>,
  records: readonly LoggedRecord[],
): { readonly approvalId: string; readonly openingId: string | undefined } | undefined {
  const read = readDecisionRecord(decision);
  const mention = 'body' in read ? approvalMentionOf(read.body.reasons) : undefined;
  if (mention === undefined || !('approvalId' in mention)) return undefined;
  const { approvalId } = mention;
  for (const { bytes } of records) {
    const logged = readRecord(bytes);
    const change = 'record' in logged ? changeOf(logged.record.payload.body) : undefined;
    if (change?.approvalId === approvalId) return { approvalId, openingId: change.decisionId };
  }
  return { approvalId, openingId: undefined };
}

/** Who approved or rejected an approval, and when, by its records; undefined: nobody did. For a withdrawn one it is who approved it. */
export function decidedOf({ approvals }: ApprovalHistory, approvalId: string): Approved | undefined {
  const known = approvals.get(approvalId);
  const decided = known?.approved ?? known?.rejected;
  return decided && { by: decided.by, atMs: decided.atMs, place: decided.place };
}

type OpeningBody = DecisionBody & Required<Pick<DecisionBody, 'approval'>>;

/** The ESCALATE that opened an approval for the agent of a decision; undefined when the given record is not one. */
export function openingOf(
  { record, body }: DecisionRecord,
  opening: LoggedRecord | undefined,
  approvalId: string,
): OpeningBody | undefined {
  const read = opening === undefined || !isAsLogged(opening) ? undefined : readDecisionRecord(opening);
  if (read === undefined || !('body' in read)) return undefined;
  const { body: asked, record: askedIn } = read;
  const { approval } = asked;
  const isItsOwn =
    approval?.approval_id === approvalId &&
    asked.verdict === 'ESCALATE' &&
    asked.agent_id === body.agent_id &&
    askedIn.agentId === record.agentId &&
    askedIn.payload.organisation === record.payload.organisation &&
    askedIn.payload.environment === record.payload.environment;
  return isItsOwn ? { ...asked, approval } : undefined;
}

/** Why the approval is for a different action: the end of a sentence. @param facts undefined: deleted, so this can not be determined */
export function wrongAction(logged: LoggedApproval, facts: Facts | undefined): string | undefined {
  if (facts === undefined) return undefined;
  const digestOf = isBeforeBinding(facts) ? earlierApprovalDigest : approvalDigest;
  const digest = digestOf(facts, logged.intentId);
  if (digest === logged.digest) return undefined;
  return `it was asked for the action ${logged.digest.slice(0, 12)}, and this one is ${digest.slice(0, 12)}`;
}

type Named = Pick<DecisionBody, 'decision_id' | 'approval'>;

/** Whether a decision opened the approval that it names, by the ids of both. For approvals of earlier versions the ids never say so. */
export const namesItsOwnApproval = ({ decision_id: decisionId, approval }: Named): boolean =>
  approval?.approval_id === approvalIdOfDecision(decisionId);

/**
 * Whether a decision opened the approval that it names.
 * @param history of its agent: every record of an approval tells, also where the id does not; undefined: not given
 */
export function opensApproval(body: Named, history: ApprovalHistory | undefined): boolean {
  const logged = history?.approvals.get(body.approval?.approval_id ?? '');
  return namesItsOwnApproval(body) || logged?.decisionId === body.decision_id;
}

/** Whether an ESCALATE names the approvers and the expiry that its policies demand. Only for the one that opened its approval. */
export function checkEscalation(
  { approvers, ttlMs, orDefault }: Escalation = {},
  { approval, evaluated_at: evaluatedAt }: DecisionBody,
  report: Report,
): void {
  if (approval === undefined) return;
  if (!same(approvers, approval.approvers))
    fail(
      report,
      'APPROVERS_DIFFER',
      `The recorded approvers are ${shown(approval.approvers)}; the policy set demands ${shown(approvers)}.`,
    );
  const livesMs = Date.parse(approval.expires_at) - Date.parse(evaluatedAt);
  // The default is a setting, which is not recorded.
  const isRight = ttlMs === undefined || livesMs === ttlMs || (orDefault === true && livesMs < ttlMs);
  if (!isRight)
    fail(
      report,
      'APPROVERS_DIFFER',
      `The approval expires at ${approval.expires_at}; the policy set gives it ${ttlMs / 1_000} s.`,
    );
}

/**
 * Whether two decisions are about the same request, as far as their answers repeat it: the remaining check when facts were deleted. Earlier
 * versions bound approvals to the normalized intent alone.
 */
export function asksTheSame(a: DecisionBody, b: DecisionBody): boolean {
  const isEarlier = [a, b].every(({ intent }) => memberOf(intent, 'requested') === undefined);
  const names = isEarlier
    ? ['normalized']
    : ['requested', 'normalized', 'action', 'verb', 'resource', 'effect', 'traits'];
  return names.every((name) => same(memberOf(a.intent, name), memberOf(b.intent, name)));
}

/** Why an ESCALATE is not the one that opened the approval which this decision used: the end of a sentence. */
function wrongOpening(
  decision: DecisionRecord,
  opening: LoggedRecord | undefined,
  logged: LoggedApproval,
  { approvalId, approved }: { readonly approvalId: string; readonly approved: Approved },
): string | undefined {
  const asked = openingOf(decision, opening, approvalId);
  if (asked === undefined) {
    const isThere = opening !== undefined && isAsLogged(opening);
    return isThere
      ? `${quoted(logged.decisionId)} is no ESCALATE that opened it for this agent`
      : 'the log has no decision that opened it';
  }
  if (asked.decision_id !== logged.decisionId) return `${quoted(asked.decision_id)} has not opened it`;
  if (!asksTheSame(asked, decision.body)) return `${quoted(asked.decision_id)} asked for another action`;
  if (isAfter(momentOf({ body: asked, place: opening?.place }), approved))
    return 'it was approved before it was asked for';
  const { expires_at: expiresAt } = asked.approval;
  if (Date.parse(expiresAt) <= Date.parse(decision.body.evaluated_at))
    return `it expired at ${expiresAt}, before the decision`;
  return undefined;
}

/** What a decision that names an approval is checked with. */
export interface ApprovalEvidence {
  /** The ESCALATE of `namedApprovalOf`; undefined: there is none. */
  readonly opening: LoggedRecord | undefined;
  /** Whether there is none because retention dropped it. */
  readonly isOpeningDropped: boolean;
  /** Undefined: deleted, so the approval's digest can not be computed again. */
  readonly facts: Facts | undefined;
}

export function checkApproval(
  decision: DecisionRecord,
  { approvals, problems }: ApprovalHistory,
  { approvalId, by }: Extract<ApprovalMention, { kind: 'used' }>,
  { opening, facts, isOpeningDropped }: ApprovalEvidence,
  report: Report,
): void {
  const { body } = decision;
  report.failures.push(...problems);
  const missing = (why: string): void =>
    fail(
      report,
      'APPROVAL_NOT_RECORDED',
      `The decision says that ${quoted(approvalId)} was approved by ${quoted(by)}; ${why}.`,
    );
  const logged = approvals.get(approvalId);
  const approved = logged?.approved;
  if (logged === undefined || approved?.by !== by) return missing('the log has no such approval of this agent');
  if (logged.contradiction !== undefined) missing(logged.contradiction);
  const wrong = isOpeningDropped ? undefined : wrongOpening(decision, opening, logged, { approvalId, approved });
  if (wrong !== undefined) missing(wrong);
  if (isAfter(approved, momentOf(decision)))
    missing(`by the log it was approved at ${new Date(approved.atMs).toISOString()}, after the decision`);
  const own = logged.uses.find(({ decisionId }) => decisionId === body.decision_id);
  if (own?.by !== body.key_id) missing('by the log this decision has not used it');
  const others = logged.uses.filter((use) => use !== own);
  if (others.length > 0)
    fail(
      report,
      'APPROVAL_USED_TWICE',
      `The approval ${quoted(approvalId)} is good once; by the log ${quoted(others[0]?.decisionId ?? body.decision_id)} has used it, too.`,
    );
  const other = wrongAction(logged, facts);
  if (other !== undefined) missing(other);
}
