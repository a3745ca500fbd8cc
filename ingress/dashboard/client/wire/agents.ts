// The answers of the pages of agents. Types only, which the server imports as well.
import type { Agent } from '#shared/api/agent.js';
import type { Shape } from '#shared/kernel/schema.js';
import type { AgentStatus, Verdict } from '#shared/kernel/vocabulary.js';
import type { ListPage, VerdictCounts } from '../wire.ts';

/** Decisions of the last 24 hours. */
export interface DayOfDecisions {
  readonly counts: VerdictCounts;
  /** Whether only the newest ones were counted, up to a limit. */
  readonly more: boolean;
}

export interface LastDecision {
  readonly decisionId: string;
  readonly verdict: Verdict;
  readonly at: string;
}

/** One row of the list of agents. */
export type AgentRow = Pick<Shape<typeof Agent>, 'agentId' | 'name' | 'status' | 'createdAt'> & {
  readonly trust: { readonly score: number; readonly level: number };
  readonly day: DayOfDecisions;
  /** Null before the first decision. */
  readonly last: LastDecision | null;
};

/** GET /dashboard/api/agents: newest first, or with a prefix in the order of ids. */
export type AgentRows = ListPage<AgentRow>;

/** Calls of one tool among the newest decisions of an agent. */
export interface ToolUse {
  readonly server: string;
  readonly name: string;
  readonly counts: VerdictCounts;
  readonly last: LastDecision;
}

/** A change of an agent's status, with who made it and why. */
export interface StatusChange {
  readonly at: string;
  /** Null: its registration. */
  readonly from: AgentStatus | null;
  readonly to: AgentStatus;
  /** The key that changed it; null: it was registered before such records existed. */
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly reason: string | null;
  readonly proofId: string;
}

/** A valid key that is bound to an agent. */
export interface BoundKey {
  readonly keyId: string;
  readonly name: string;
  /** The number of agents that it is bound to. */
  readonly agents: number;
  readonly expiresAt: string | null;
}

/** GET /dashboard/api/agents/{agentId}/activity */
export interface AgentActivity {
  readonly day: DayOfDecisions;
  /** Tools by the time of their last call, of the newest `decisions` decisions of the agent. */
  readonly tools: { readonly items: readonly ToolUse[]; readonly decisions: number; readonly more: boolean };
  readonly keys: { readonly items: readonly BoundKey[]; readonly more: boolean };
  /** Newest first. */
  readonly statusChanges: { readonly items: readonly StatusChange[]; readonly more: boolean };
}

/** A change of trust, or several that are close to each other. */
export interface TrustPoint {
  readonly at: string;
  readonly score: number;
  readonly level: number;
  readonly signals: { readonly success: number; readonly failure: number; readonly violation: number };
}

/** GET /dashboard/api/agents/{agentId}/trust: oldest first. */
export interface TrustCurve {
  readonly points: readonly TrustPoint[];
  readonly changes: number;
  /** Whether only the newest `changes` changes of the range were read. */
  readonly more: boolean;
  /** The trust levels with their scores, lowest first. */
  readonly tiers: readonly {
    readonly level: number;
    readonly name: string;
    readonly from: number;
    readonly to: number;
  }[];
}
