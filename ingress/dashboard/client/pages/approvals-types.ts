// Approvals as the API answers them, and what the pages say of their states.
import type { DecisionAnswer } from '../answers.ts';
import { relative } from '../format.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'used' | 'expired';

/** An item of GET /v1/approvals. */
export interface Approval {
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly agentId: string;
  readonly keyId: string;
  readonly intentId: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  readonly usedAt: string | null;
  readonly usedBy: string | null;
  readonly usedDecisionId: string | null;
  /** The ESCALATE that opened it. */
  readonly decision: DecisionAnswer;
}

/** GET /v1/approvals/{id} */
export interface ApprovalDetail extends Approval {
  /** Whether the key that reads is in other hands than the one that asked. */
  readonly mayDecide: boolean;
  /** All that it is bound to; null: erased by retention, or opened by an earlier version. */
  readonly bound: {
    readonly intent: {
      readonly data_classes: readonly string[];
      readonly flags: readonly string[];
      readonly places: readonly string[];
    };
  } | null;
  /** Null: retention has erased it. */
  readonly context: Readonly<Record<string, unknown>> | null;
}

/** As of now: what nobody decided or used in time has expired, before somebody says so. */
export function statusAt({ status, expiresAt }: Approval, now: Date): ApprovalStatus {
  const isOpen = status === 'pending' || status === 'approved';
  return isOpen && Date.parse(expiresAt) <= now.getTime() ? 'expired' : status;
}

/** "14 min left", "expired 2 min ago" */
export function timeLeft(expiresAt: string, now: Date): string {
  const at = new Date(expiresAt);
  return at > now ? `${relative(at, now).replace(/^in /, '')} left` : `expired ${relative(at, now)}`;
}

/** Below this what is left should hurry whoever decides. */
const SHORT_MS = 10 * 60_000;

export function isUrgent(expiresAt: string, now: Date): boolean {
  const leftMs = Date.parse(expiresAt) - now.getTime();
  return leftMs > 0 && leftMs < SHORT_MS;
}

/** Why nobody can decide it any more, in a sentence: somebody else did, or time ran out. */
export function wasDecided({ status, decidedBy, reason }: Approval): string {
  if (decidedBy === null) return 'It is closed: nobody decided in time.';
  const how = status === 'rejected' ? 'rejected' : 'approved';
  return `It was already ${how} by ${decidedBy}: ${reason ?? ''}`;
}
