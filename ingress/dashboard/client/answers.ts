// The answers of the API: the types of its schemas. Imports from #shared are types only, because browsers do not get these files.
import type { Agent } from '#shared/api/agent.js';
import type { Approval as ApprovalSchema, ApprovalDetail as DetailSchema } from '#shared/api/approval.js';
import type { DecisionOnRecord } from '#shared/api/decision.js';
import type { HaltState } from '#shared/api/halt.js';
import type { Key as KeySchema, KeyCreated, KeyRotated } from '#shared/api/key.js';
import type { Checkpoint } from '#shared/api/log.js';
import type {
  PolicyApproval,
  PolicyApprovalDetail,
  PolicyComparison,
  PolicyStageList,
} from '#shared/api/policy-change.js';
import type { Proof, ProofAccepted, ProofChain, ProofListItem } from '#shared/api/proof.js';
import type { Trust, TrustChange as TrustChangeSchema } from '#shared/api/trust.js';
import type { Delivery as DeliverySchema, Webhook as WebhookSchema, WebhookWithSecret } from '#shared/api/webhook.js';
import type { IntentFacts } from '#shared/core/policy/types.js';
import type { ToolFacts } from '#shared/core/tools/call.js';
import type { Shape } from '#shared/kernel/schema.js';

export type DecisionAnswer = Shape<typeof DecisionOnRecord>;
export type Risk = DecisionAnswer['intent']['risk'];
export type Approval = Shape<typeof ApprovalSchema>;
/** `bound` has the facts to which the approval is bound (shared/core/decision/approval-bound.ts). */
export type ApprovalDetail = Omit<Shape<typeof DetailSchema>, 'bound'> & {
  readonly bound: { readonly tool?: ToolFacts; readonly intent: IntentFacts } | null;
};
export type AgentAnswer = Shape<typeof Agent>;
export type HaltAnswer = Shape<typeof HaltState>;
export type TrustAnswer = Shape<typeof Trust>;
export type TrustChange = Shape<typeof TrustChangeSchema>;
export type ProofItem = Shape<typeof ProofListItem>;
/** GET /v1/proofs/{id} before the record is covered by a signed checkpoint. */
export type PendingProof = Shape<typeof ProofAccepted>;
export type ChainItem = Shape<typeof Proof>;
export type ChainAnswer = Shape<typeof ProofChain>;
export type CheckpointItem = Shape<typeof Checkpoint>;
export type Key = Shape<typeof KeySchema>;
/** The answer to creating or rotating a key: the only one that contains the key. */
export type MadeKey = Shape<typeof KeyCreated> & Partial<Pick<Shape<typeof KeyRotated>, 'replaces'>>;
/** A change of the policy set that needs, or needed, approval. */
export type PolicyStage = Shape<typeof PolicyStageList>['items'][number];
export type PolicyProposal = Shape<typeof PolicyApproval>;
export type PolicyApprovalAnswer = Shape<typeof PolicyApprovalDetail>;
export type PolicyComparisonAnswer = Shape<typeof PolicyComparison>;
export type Webhook = Shape<typeof WebhookSchema>;
/** The answer to creating a webhook or rotating its key: the only one that contains the secret. */
export type MadeWebhook = Shape<typeof WebhookWithSecret>;
export type Delivery = Shape<typeof DeliverySchema>;
