// Approvals as values: their state, whether a request can use one, and the reasons that mention one in a decision. Pure.
import { BUILT_IN_POLICY } from '../policy/schema.ts';
import type { Evaluation, Reason } from '../policy/types.ts';
import { assertNever } from '../../kernel/errors.ts';

/**
 * The largest number of open approvals of one agent, approximately (concurrent requests may exceed it). An agent that keeps asking for
 * something new fills only its own list; further escalations open no approval.
 */
export const MAX_OPEN_APPROVALS = 1_000;

/** `pending` becomes `approved`, `rejected` or `expired`; `approved` becomes `used`, `rejected` (withdrawn) or `expired`; the others are final. */
export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** The stored members of an approval that determine its use. */
export interface ApprovalFacts {
  readonly approvalId: string;
  readonly state: ApprovalState;
  readonly agentId: string;
  readonly digest: string;
  readonly expiresAtMs: number;
  /** Who approved or rejected: a key id, or `cli:<user>`. */
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The lineage of the key that used it. */
  readonly usedByLineage: string | null;
  readonly usedAtMs: number | null;
  readonly usedDecisionId: string | null;
}

/** The state as of a moment: an approval past its expiry is expired even before maintenance has updated its row. */
export function stateAt(approval: Pick<ApprovalFacts, 'state' | 'expiresAtMs'>, atMs: number): ApprovalState {
  const { state, expiresAtMs } = approval;
  return (state === 'pending' || state === 'approved') && expiresAtMs <= atMs ? 'expired' : state;
}

/** A request that uses an approval: who, for which action, and when. */
export interface Use {
  readonly agentId: string;
  readonly digest: string;
  /** The lineage of the requesting key. */
  readonly lineage: string;
  readonly atMs: number;
}

/**
 * A repeated request within this time gets the decision that used the approval again: a caller that lost the answer retries at once. A
 * later request is refused, because the approval is used up.
 */
export const REPEAT_WITHIN_MS = 60_000;

/** Whether the request repeats the use itself, as far as that can be determined: the same key lineage, within a short time. */
function isRepeat({ usedByLineage, usedAtMs }: ApprovalFacts, use: Use): boolean {
  // Clocks may differ, so a use far in the future counts like one long ago.
  return usedAtMs !== null && usedByLineage === use.lineage && Math.abs(use.atMs - usedAtMs) < REPEAT_WITHIN_MS;
}

export type RefusalCode = 'APPROVAL_MISMATCH' | 'APPROVAL_REJECTED' | 'APPROVAL_EXPIRED' | 'APPROVAL_USED';

/** The result of checking an approval against its use. */
export type Standing =
  | { readonly kind: 'usable'; readonly by: string }
  | { readonly kind: 'pending' }
  /** A repeat by the same key lineage, within a short time: it gets the decision that used the approval, while that decision stands. */
  | { readonly kind: 'repeat'; readonly decisionId: string }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/** @param approval undefined: the organisation and environment have no approval with that id */
export function standingOf(approval: ApprovalFacts | undefined, use: Use): Standing {
  if (approval === undefined || approval.agentId !== use.agentId || approval.digest !== use.digest)
    return refused('APPROVAL_MISMATCH', 'there is no approval with this id for this agent and action');
  const { approvalId } = approval;
  const state = stateAt(approval, use.atMs);
  switch (state) {
    case 'pending':
      return { kind: 'pending' };
    case 'approved':
      // A row in this state without it is damaged, so the approval does not count.
      if (approval.decidedBy === null) return refused('APPROVAL_MISMATCH', `nobody has decided ${approvalId}`);
      return { kind: 'usable', by: approval.decidedBy };
    case 'rejected':
      return refused('APPROVAL_REJECTED', `${approvalId} was rejected: ${approval.reason ?? ''}`);
    case 'expired':
      return refused(
        'APPROVAL_EXPIRED',
        `${approvalId} has expired at ${new Date(approval.expiresAtMs).toISOString()}`,
      );
    case 'used':
      return approval.usedDecisionId !== null && isRepeat(approval, use)
        ? { kind: 'repeat', decisionId: approval.usedDecisionId }
        : usedUp(approvalId);
    default:
      return assertNever(state);
  }
}

/** The refusal of an approval that was used before. */
export function usedUp(approvalId: string): Extract<Standing, { kind: 'refused' }> {
  return refused('APPROVAL_USED', `${approvalId} has been used`);
}

function refused(code: RefusalCode, message: string): Extract<Standing, { kind: 'refused' }> {
  return { kind: 'refused', code, message };
}

const RULE = 'approval';

/** The DENY for an approval that can not be used. */
export function refusalOf({ code, message }: { readonly code: RefusalCode; readonly message: string }): Evaluation {
  const reason: Reason = { policy: BUILT_IN_POLICY, rule: RULE, effect: 'DENY', code, message };
  return { verdict: 'DENY', reasons: [reason], obligations: [] };
}

/**
 * The last reason of every decision that used an approval. The decision records only the approval's id and the approver; the approver's
 * comment is in the `custos.approval` record.
 */
export function approvedReason(approvalId: string, by: string): Reason {
  const message = `${approvalId} approved by ${by}`;
  return { policy: BUILT_IN_POLICY, rule: RULE, effect: 'ALLOW', code: 'APPROVED', message };
}

const FIRST: ReadonlySet<string> = new Set(['HALTED', 'AGENT_NOT_ACTIVE', 'KEY_INVALID']);

/** Whether a DENY takes precedence over any approval, and over repeating a decision that used one. */
export function standsFirst({ verdict, reasons }: Evaluation): boolean {
  return verdict === 'DENY' && reasons.some(({ policy, code }) => policy === BUILT_IN_POLICY && FIRST.has(code));
}

/** The approval that a recorded decision mentions. */
export type ApprovalMention =
  /**
   * It used one. It must be evaluated again with `evaluator.evaluateApproved(facts, reason)`, not `evaluate`: every reader of recorded
   * decisions (verification, replay) needs this to reproduce the recorded verdict.
   */
  | { readonly kind: 'used'; readonly approvalId: string; readonly by: string; readonly reason: Reason }
  /** It named one that could not be used: a DENY that comes from no policy and does not follow from the facts. */
  | RefusedMention;

export type RefusedMention =
  | {
      readonly kind: 'refused';
      readonly code: Exclude<RefusalCode, 'APPROVAL_MISMATCH'>;
      readonly approvalId: string;
      /** The comment of the person who rejected it, or the expiry time; empty for a used one. */
      readonly detail: string;
    }
  /** The record does not contain which one was named. */
  | { readonly kind: 'refused'; readonly code: 'APPROVAL_MISMATCH' };

/** Patterns that parse the messages of `standingOf`: the approval id, and the particulars. */
const REFUSALS: Readonly<Record<Exclude<RefusalCode, 'APPROVAL_MISMATCH'>, RegExp>> = {
  APPROVAL_REJECTED: /^(apr_[0-9a-z]{26}) was rejected: (.*)$/su,
  APPROVAL_EXPIRED: /^(apr_[0-9a-z]{26}) has expired at (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/u,
  APPROVAL_USED: /^(apr_[0-9a-z]{26}) has been used()$/u,
};
const APPROVED_MESSAGE = /^(apr_[0-9a-z]{26}) approved by (.+)$/su;

/** Recognizes decisions about approvals by their reasons; undefined when only the policies or a halt led to the decision. */
export function approvalMentionOf(
  reasons: readonly Readonly<Record<keyof Reason, string>>[],
): ApprovalMention | undefined {
  const last = reasons.at(-1);
  if (last === undefined || last.policy !== BUILT_IN_POLICY || last.rule !== RULE) return undefined;
  if (last.effect === 'DENY' && reasons.length === 1) return refusalIn(last);
  if (last.effect !== 'ALLOW' || last.code !== 'APPROVED') return undefined;
  const [, approvalId, by] = APPROVED_MESSAGE.exec(last.message) ?? [];
  if (approvalId === undefined || by === undefined) return undefined;
  return { kind: 'used', approvalId, by, reason: approvedReason(approvalId, by) };
}

function refusalIn({ code, message }: { readonly code: string; readonly message: string }): RefusedMention | undefined {
  switch (code) {
    case 'APPROVAL_MISMATCH':
      return { kind: 'refused', code };
    case 'APPROVAL_REJECTED':
    case 'APPROVAL_EXPIRED':
    case 'APPROVAL_USED': {
      const [, approvalId, detail] = REFUSALS[code].exec(message) ?? [];
      return approvalId === undefined || detail === undefined
        ? undefined
        : { kind: 'refused', code, approvalId, detail };
    }
    default:
      return undefined;
  }
}
