// Approvals as values: what one is bound to, whether it can be used, and what it says in a decision. Pure.
import { BUILT_IN_POLICY } from '../policy/schema.ts';
import type { Evaluation, Reason } from '../policy/types.ts';
import { assertNever } from '../../kernel/errors.ts';

/**
 * Open approvals of one agent, give or take those that are opened at the same moment. An agent that asks for something
 * else each time fills its own list, and nobody else's; its further escalations name no approval.
 */
export const MAX_OPEN_APPROVALS = 1_000;

/** `pending` becomes `approved`, `rejected` or `expired`; `approved` becomes `used` or `expired`; the others are final. */
export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'used'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What is stored of an approval, as far as its use depends on it. */
export interface ApprovalFacts {
  readonly approvalId: string;
  readonly state: ApprovalState;
  readonly agentId: string;
  readonly digest: string;
  readonly expiresAtMs: number;
  /** Who approved or rejected: a key id, or `cli:<user>`. */
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** The line of the key that used it. */
  readonly usedByLineage: string | null;
  readonly usedAtMs: number | null;
  readonly usedDecisionId: string | null;
}

/** As anyone must see it: what has expired is expired, also before upkeep has said so. */
export function stateAt(approval: Pick<ApprovalFacts, 'state' | 'expiresAtMs'>, atMs: number): ApprovalState {
  const { state, expiresAtMs } = approval;
  return (state === 'pending' || state === 'approved') && expiresAtMs <= atMs ? 'expired' : state;
}

/** Who wants to use an approval, for what, and when. */
export interface Use {
  readonly agentId: string;
  readonly digest: string;
  /** The line of the key that asks. */
  readonly lineage: string;
  readonly atMs: number;
}

/**
 * A repeat within this time gets the decision that used the approval again: a caller whose answer was lost on the way
 * asks at once. Whoever comes later has had it.
 */
export const REPEAT_WITHIN_MS = 60_000;

/** Whether it is the use itself that is repeated, as far as one can tell: the same keys, soon. */
function isRepeat({ usedByLineage, usedAtMs }: ApprovalFacts, use: Use): boolean {
  // Two clocks may differ: a use that lies far ahead of the one asked now is no better than one long ago.
  return usedAtMs !== null && usedByLineage === use.lineage && Math.abs(use.atMs - usedAtMs) < REPEAT_WITHIN_MS;
}

export type RefusalCode = 'APPROVAL_MISMATCH' | 'APPROVAL_REJECTED' | 'APPROVAL_EXPIRED' | 'APPROVAL_USED';

/** What an approval is worth to a use of it. */
export type Standing =
  | { readonly kind: 'usable'; readonly by: string }
  | { readonly kind: 'pending' }
  /** The same key asks the same again, soon: it gets the decision that used the approval, while that one stands. */
  | { readonly kind: 'repeat'; readonly decisionId: string }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/** @param approval undefined: the organisation and environment have none with that id */
export function standingOf(approval: ApprovalFacts | undefined, use: Use): Standing {
  if (approval === undefined || approval.agentId !== use.agentId || approval.digest !== use.digest)
    return refused('APPROVAL_MISMATCH', 'there is no approval with this id for this agent and action');
  const { approvalId } = approval;
  const state = stateAt(approval, use.atMs);
  switch (state) {
    case 'pending':
      return { kind: 'pending' };
    case 'approved':
      // A row in this state without it is damaged, and then nobody has approved.
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
        : refused('APPROVAL_USED', `${approvalId} has been used`);
    default:
      return assertNever(state);
  }
}

function refused(code: RefusalCode, message: string): Standing {
  return { kind: 'refused', code, message };
}

const RULE = 'approval';

/** The DENY of an approval that can not be used. */
export function refusalOf({ code, message }: { readonly code: RefusalCode; readonly message: string }): Evaluation {
  const reason: Reason = { policy: BUILT_IN_POLICY, rule: RULE, effect: 'DENY', code, message };
  return { verdict: 'DENY', reasons: [reason], obligations: [] };
}

/**
 * The last reason of every decision that has used an approval. It is all that such a decision says of it: which one, and
 * who gave it; the words of the approver are in the `custos.approval` record.
 */
export function approvedReason(approvalId: string, by: string): Reason {
  const message = `${approvalId} approved by ${by}`;
  return { policy: BUILT_IN_POLICY, rule: RULE, effect: 'ALLOW', code: 'APPROVED', message };
}

/** A DENY that comes before any approval, and before the repeat of a decision that has used one. */
export function standsFirst({ verdict, reasons }: Evaluation): boolean {
  return (
    verdict === 'DENY' &&
    reasons.some(({ policy, code }) => policy === BUILT_IN_POLICY && (code === 'HALTED' || code === 'AGENT_NOT_ACTIVE'))
  );
}

/** What a recorded decision says of an approval. */
export type ApprovalMention =
  /**
   * It used one. Evaluated again by `evaluator.evaluateApproved(facts, reason)`, not by `evaluate`: that is what every
   * reader of recorded decisions (verification, replay) must do to reach the recorded verdict.
   */
  | { readonly kind: 'used'; readonly approvalId: string; readonly by: string; readonly reason: Reason }
  /** It named one that could not be used: a DENY that no policy gives, and that does not follow from the facts. */
  | RefusedMention;

export type RefusedMention =
  | {
      readonly kind: 'refused';
      readonly code: Exclude<RefusalCode, 'APPROVAL_MISMATCH'>;
      readonly approvalId: string;
      /** The words of who rejected it, or when it expired; empty of one that was used. */
      readonly detail: string;
    }
  /** Which one was named is not on record. */
  | { readonly kind: 'refused'; readonly code: 'APPROVAL_MISMATCH' };

/** The messages of `standingOf`, read back: which approval, and what is said of it. */
const REFUSALS: Readonly<Record<Exclude<RefusalCode, 'APPROVAL_MISMATCH'>, RegExp>> = {
  APPROVAL_REJECTED: /^(apr_[0-9a-z]{26}) was rejected: (.*)$/su,
  APPROVAL_EXPIRED: /^(apr_[0-9a-z]{26}) has expired at (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/u,
  APPROVAL_USED: /^(apr_[0-9a-z]{26}) has been used()$/u,
};
const APPROVED_MESSAGE = /^(apr_[0-9a-z]{26}) approved by (.+)$/su;

/** Recognises decisions about approvals by their reasons; undefined: the policies alone, or a halt, led to it. */
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
