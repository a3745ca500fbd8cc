// Approvals as the API answers them, and what the pages say of their states.
import { relative } from '../format.ts';
import type { Verdict } from '../wire.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'used' | 'expired';

/** The ESCALATE that opened an approval. */
export interface AskedDecision {
  readonly decision_id: string;
  readonly intent: {
    readonly normalized: string;
    readonly action: string;
    readonly verb: string;
    readonly resource: string;
    readonly effect: string;
    readonly traits: readonly string[];
    readonly risk: {
      readonly level: string;
      readonly score: number;
      readonly factors: readonly { readonly factor: string; readonly score: number; readonly message: string }[];
    };
    readonly parsed: boolean;
  };
  readonly trust: {
    readonly claimed_level: number | null;
    readonly recorded_level: number;
    readonly effective_level: number;
    readonly score: number;
    readonly uncertainty: number;
  };
  readonly reasons: readonly {
    readonly policy: string;
    readonly rule: string;
    readonly effect: Verdict;
    readonly code: string;
    readonly message: string;
  }[];
}

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
  readonly decision: AskedDecision;
}

/** GET /v1/approvals/{id} */
export interface ApprovalDetail extends Approval {
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

export function riskTone(level: string): 'bad' | 'warn' | 'neutral' {
  return level === 'high' ? 'bad' : level === 'medium' ? 'warn' : 'neutral';
}
