// The answers of the API, as far as the pages read them. The schemas in shared/api are the source.
import type { ToolSaid } from './components/tool-call.ts';
import type { ListPage, Verdict } from './wire.ts';

export interface Risk {
  readonly level: 'low' | 'medium' | 'high';
  readonly score: number;
  readonly factors: readonly { readonly factor: string; readonly score: number; readonly message: string }[];
}

/** The request in the caller's words. */
export type Requested =
  | { readonly intent: string }
  | { readonly action: string; readonly resource: string }
  | { readonly tool: { readonly server: string; readonly name: string } };

/** GET /v1/decisions/{id} */
export interface DecisionAnswer {
  readonly decision_id: string;
  /** Decisions of earlier versions have none. */
  readonly request_id?: string;
  readonly verdict: Verdict;
  readonly allowed: boolean;
  readonly agent_id: string;
  readonly key_id: string;
  readonly intent: {
    /** Decisions of earlier versions have none. */
    readonly requested?: Requested;
    readonly normalized: string;
    readonly action: string;
    readonly verb: string;
    readonly resource: string;
    readonly effect: string;
    readonly traits: readonly string[];
    readonly risk: Risk;
    readonly parsed: boolean;
  };
  /** Of a tool call. */
  readonly tool?: ToolSaid;
  readonly trust: {
    readonly claimed_level: number | null;
    readonly recorded_level: number;
    readonly effective_level: number;
    readonly score: number;
    readonly uncertainty: number;
    readonly as_of: { readonly signals: number; readonly day: string };
  };
  readonly reasons: readonly {
    readonly policy: string;
    readonly rule: string;
    readonly effect: Verdict;
    readonly code: string;
    readonly message: string;
  }[];
  readonly obligations: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly approval?: { readonly approval_id: string; readonly expires_at: string };
  readonly policy_set: { readonly digest: string };
  readonly proof: { readonly proof_id: string };
  readonly evaluated_at: string;
  readonly expires_at: string;
  /** Whether it may be acted upon now; not part of the answer to the agent. */
  readonly stands: boolean;
  readonly stands_reason?: string;
}

/** GET /v1/agents/{agentId} */
export interface AgentAnswer {
  readonly agentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly capabilities: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly status: 'ACTIVE' | 'PAUSED' | 'SUSPENDED' | 'TERMINATED';
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** GET /v1/trust/{agentId} */
export interface TrustAnswer {
  readonly agentId: string;
  readonly registered: boolean;
  readonly score: number;
  readonly level: number;
  readonly tier: string;
  readonly uncertainty: number;
  readonly evidence: { readonly positive: number; readonly negative: number; readonly lastSignalAt: string | null };
  readonly asOf: { readonly signals: number; readonly day: string };
}

/** An item of GET /v1/trust/{agentId}/history */
export interface TrustChange {
  readonly at: string;
  readonly score: number;
  readonly level: number;
  readonly tier: string;
  readonly cause: {
    readonly lastSignal: number;
    readonly success: number;
    readonly failure: number;
    readonly violation: number;
    readonly proofId: string;
  };
}

/** An item of GET /v1/proofs */
export interface ProofItem {
  readonly proofId: string;
  readonly event: string;
  readonly entityId: string;
  readonly index: number | null;
  readonly occurredAt: string;
}

/** GET /v1/proofs/{id} before the record is covered by a signed checkpoint. */
export interface PendingProof {
  readonly proofId: string;
  readonly status: 'pending';
  readonly promise?: { readonly issuedAt: string; readonly deadline: string };
}

/** An item of GET /v1/proofs/chain/{entityId}, oldest first. */
export interface ChainItem {
  readonly proofId: string;
  readonly event: string;
  /** Base64 of the canonical bytes. */
  readonly record: string;
  readonly index: number;
  readonly chainIndex: number;
  readonly eventHash: string;
  readonly previousHash: string;
  readonly occurredAt: string;
}

export interface ChainAnswer extends ListPage<ChainItem> {
  readonly head: { readonly chainIndex: number; readonly eventHash: string } | null;
}

/** An item of GET /v1/log/checkpoints */
export interface CheckpointItem {
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly signedAt: string;
}
