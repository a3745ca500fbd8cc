// The answers of the dashboard's routes of waiting approvals. Types only, which the server imports as well.
import type { Approval, DecisionAnswer, PolicyProposal } from '../answers.ts';
import type { ToolFacts } from '#shared/core/tools/call.js';
import type { Masked } from '#shared/core/tools/mask.js';
import type { AgentStatus, SecondReading, Verdict } from '#shared/kernel/vocabulary.js';
import type { UnreadSpan } from '../unread.ts';
import type { ListPage } from '../wire.ts';

/** `raised` has the members that became stricter, such as `effect destructive`. */
export interface SecondReaderShown {
  readonly outcome: SecondReading;
  readonly raised: readonly string[];
  readonly why: string | null;
}

/** The event `approvals`: the pending approvals. */
export interface WaitingApprovals {
  /** RFC 3339. */
  readonly at: string;
  /** Up to 10,000. */
  readonly total: number;
  /** The newest 200 of them, newest first. */
  readonly newest: readonly { readonly approvalId: string; readonly agentId: string }[];
}

/** The words of which the intent of a request was read, and what became of them. */
export interface WordsRead {
  /** Null: there was no text, or retention has erased it. */
  readonly text: string | null;
  /** How much of the text its reading accounts for, 0 to 1, and what it leaves out; null: the text is not there. */
  readonly reading: { readonly coverage: number; readonly unread: readonly UnreadSpan[] } | null;
  /** What the second reader made of the text; null: it was not asked, or the text is not there. */
  readonly secondReader: SecondReaderShown | null;
}

/** A pending approval, with what a person reads to decide it. */
export interface WaitingApproval extends WordsRead {
  readonly approvalId: string;
  readonly agentId: string;
  /** The key that asked. */
  readonly keyId: string;
  readonly keyName: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Whether the key of the session may decide it. */
  readonly mayDecide: boolean;
  /** Whether it may also approve: the rules name it, or nobody, and it has not approved yet. */
  readonly mayApprove: boolean;
  /** Whether it has approved already, and others must as well. */
  readonly hasApproved: boolean;
  /** What the rules demand; null: any admin key may approve. */
  readonly approvers: Approval['approvers'];
  /** The ESCALATE that opened it. */
  readonly decision: Pick<DecisionAnswer, 'decision_id' | 'intent' | 'tool' | 'reasons' | 'trust'>;
  /** Null: not a tool call, erased by retention, or too large for a list. */
  readonly call: ToolFacts | null;
  /** The masked arguments of `call`. */
  readonly masked: readonly Masked[];
  /** The caller's own object; null: none, erased, or too large for a list. */
  readonly context: Readonly<Record<string, unknown>> | null;
  /** Whether arguments and context are too large for a list; the approval's own page has them. */
  readonly isLarge: boolean;
}

/** An earlier decision by a person about a request of a group. */
export interface EarlierDecision {
  readonly state: 'approved' | 'rejected';
  readonly by: string;
  readonly byName: string | null;
  readonly reason: string;
  readonly at: string;
}

/** What an agent is now, and the verdicts of its last decisions. */
export interface AgentGlance {
  readonly agentId: string;
  /** Null: not registered. */
  readonly name: string | null;
  readonly status: AgentStatus | null;
  readonly trust: { readonly score: number; readonly level: number };
  /** Newest first, at most 12. */
  readonly verdicts: readonly Verdict[];
}

/** Waiting approvals of one agent for the same tool, or for the same action on the same resource. */
export interface ApprovalGroup {
  readonly id: string;
  readonly agent: AgentGlance;
  /** All that wait. */
  readonly count: number;
  /** The first of them, soonest expiry first. */
  readonly items: readonly WaitingApproval[];
  /** Of the last 20 that do not wait any more. */
  readonly earlier: {
    readonly approved: number;
    readonly rejected: number;
    /** Nobody decided in time. */
    readonly expired: number;
    readonly last: EarlierDecision | null;
  };
}

/** GET /dashboard/api/approvals/waiting: groups, soonest expiry first. */
export interface WaitingGroups extends ListPage<ApprovalGroup> {
  /** The newest waiting approval of the list, on any page; ids sort by time. Null: none waits. */
  readonly newest: string | null;
}

/** GET /dashboard/api/approvals/waiting/alike: the members of one group, soonest expiry first. */
export type WaitingMembers = ListPage<WaitingApproval>;

/** A change of the policy set that waits. */
export interface WaitingChange extends PolicyProposal {
  /** How many must approve it. */
  readonly quorum: number;
}

/** GET /dashboard/api/policies/waiting: soonest expiry first. */
export interface WaitingChanges {
  readonly items: readonly WaitingChange[];
}
