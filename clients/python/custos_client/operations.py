# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The operations of the API, as data."""

from __future__ import annotations

from typing import Union

from . import models as m
from .operation import Operation

INTENT_PARSE: Operation[m.Intent] = Operation(
    method="POST",
    path="/v1/intent",
    path_arguments=(),
    query_arguments=(),
    body=m.IntentRequest,
    answer=m.Intent,
    statuses=(200,),
    is_text=False,
)
INTENT_GET: Operation[m.Intent] = Operation(
    method="GET",
    path="/v1/intent/{id}",
    path_arguments=(("intent_id", "id"),),
    query_arguments=(),
    body=None,
    answer=m.Intent,
    statuses=(200,),
    is_text=False,
)
ENFORCE_EVALUATE: Operation[m.EnforceResponse] = Operation(
    method="POST",
    path="/v1/enforce",
    path_arguments=(),
    query_arguments=(),
    body=m.EnforceRequest,
    answer=m.EnforceResponse,
    statuses=(200,),
    is_text=False,
)
ENFORCE_EVALUATE_BATCH: Operation[m.EnforceBatchResponse] = Operation(
    method="POST",
    path="/v1/enforce/batch",
    path_arguments=(),
    query_arguments=(),
    body=m.EnforceBatchRequest,
    answer=m.EnforceBatchResponse,
    statuses=(200,),
    is_text=False,
)
DECISIONS_GET: Operation[m.DecisionOnRecord] = Operation(
    method="GET",
    path="/v1/decisions/{id}",
    path_arguments=(("decision_id", "id"),),
    query_arguments=(),
    body=None,
    answer=m.DecisionOnRecord,
    statuses=(200,),
    is_text=False,
)
DECISIONS_LIST: Operation[m.DecisionList] = Operation(
    method="GET",
    path="/v1/decisions",
    path_arguments=(),
    query_arguments=(
        ("agent_id", "agentId"),
        ("verdict", "verdict"),
        ("reason", "reason"),
        ("request_id", "requestId"),
        ("tool_server", "toolServer"),
        ("tool_name", "toolName"),
        ("from_", "from"),
        ("to", "to"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.DecisionList,
    statuses=(200,),
    is_text=False,
)
DECISIONS_REPORT_OUTCOME: Operation[m.OutcomeAnswer] = Operation(
    method="POST",
    path="/v1/decisions/{id}/outcome",
    path_arguments=(("decision_id", "id"),),
    query_arguments=(),
    body=m.OutcomeRequest,
    answer=m.OutcomeAnswer,
    statuses=(200,),
    is_text=False,
)
INTENTS_SUBMIT: Operation[m.IntentAccepted] = Operation(
    method="POST",
    path="/v1/intents",
    path_arguments=(),
    query_arguments=(),
    body=m.IntentSubmission,
    answer=m.IntentAccepted,
    statuses=(202,),
    is_text=False,
)
INTENTS_GET: Operation[m.SubmittedIntent] = Operation(
    method="GET",
    path="/v1/intents/{id}",
    path_arguments=(("intent_id", "id"),),
    query_arguments=(),
    body=None,
    answer=m.SubmittedIntent,
    statuses=(200,),
    is_text=False,
)
INTENTS_LIST: Operation[m.SubmittedIntentList] = Operation(
    method="GET",
    path="/v1/intents",
    path_arguments=(),
    query_arguments=(
        ("agent_id", "agentId"),
        ("status", "status"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.SubmittedIntentList,
    statuses=(200,),
    is_text=False,
)
APPROVALS_GET: Operation[m.ApprovalDetail] = Operation(
    method="GET",
    path="/v1/approvals/{id}",
    path_arguments=(("approval_id", "id"),),
    query_arguments=(),
    body=None,
    answer=m.ApprovalDetail,
    statuses=(200,),
    is_text=False,
)
APPROVALS_LIST: Operation[m.ApprovalList] = Operation(
    method="GET",
    path="/v1/approvals",
    path_arguments=(),
    query_arguments=(
        ("status", "status"),
        ("agent_id", "agentId"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.ApprovalList,
    statuses=(200,),
    is_text=False,
)
APPROVALS_APPROVE: Operation[m.ApprovalDetail] = Operation(
    method="POST",
    path="/v1/approvals/{id}/approve",
    path_arguments=(("approval_id", "id"),),
    query_arguments=(),
    body=m.ApprovalVerdict,
    answer=m.ApprovalDetail,
    statuses=(200,),
    is_text=False,
)
APPROVALS_REJECT: Operation[m.ApprovalDetail] = Operation(
    method="POST",
    path="/v1/approvals/{id}/reject",
    path_arguments=(("approval_id", "id"),),
    query_arguments=(),
    body=m.ApprovalVerdict,
    answer=m.ApprovalDetail,
    statuses=(200,),
    is_text=False,
)
PROOFS_CREATE: Operation[m.ProofAccepted] = Operation(
    method="POST",
    path="/v1/proofs",
    path_arguments=(),
    query_arguments=(),
    body=m.ProofCreate,
    answer=m.ProofAccepted,
    statuses=(202,),
    is_text=False,
)
PROOFS_CREATE_BATCH: Operation[m.ProofBatchAccepted] = Operation(
    method="POST",
    path="/v1/proofs/batch",
    path_arguments=(),
    query_arguments=(),
    body=m.ProofBatchCreate,
    answer=m.ProofBatchAccepted,
    statuses=(202,),
    is_text=False,
)
PROOFS_GET: Operation[Union[m.Receipt, m.ProofAccepted]] = Operation(
    method="GET",
    path="/v1/proofs/{id}",
    path_arguments=(("proof_id", "id"),),
    query_arguments=(),
    body=None,
    answer=Union[m.Receipt, m.ProofAccepted],
    statuses=(200, 202,),
    is_text=False,
)
PROOFS_LIST: Operation[m.ProofList] = Operation(
    method="GET",
    path="/v1/proofs",
    path_arguments=(),
    query_arguments=(
        ("entity_id", "entityId"),
        ("event", "event"),
        ("from_", "from"),
        ("to", "to"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.ProofList,
    statuses=(200,),
    is_text=False,
)
PROOFS_CHAIN: Operation[m.ProofChain] = Operation(
    method="GET",
    path="/v1/proofs/chain/{entityId}",
    path_arguments=(("entity_id", "entityId"),),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.ProofChain,
    statuses=(200,),
    is_text=False,
)
PROOFS_VERIFY: Operation[m.Verification] = Operation(
    method="POST",
    path="/v1/proofs/verify",
    path_arguments=(),
    query_arguments=(),
    body="receipt",
    answer=m.Verification,
    statuses=(200,),
    is_text=False,
)
AGENTS_CREATE: Operation[m.Agent] = Operation(
    method="POST",
    path="/v1/agents",
    path_arguments=(),
    query_arguments=(),
    body=m.AgentCreate,
    answer=m.Agent,
    statuses=(201,),
    is_text=False,
)
AGENTS_GET: Operation[m.Agent] = Operation(
    method="GET",
    path="/v1/agents/{agentId}",
    path_arguments=(("agent_id", "agentId"),),
    query_arguments=(),
    body=None,
    answer=m.Agent,
    statuses=(200,),
    is_text=False,
)
AGENTS_LIST: Operation[m.AgentList] = Operation(
    method="GET",
    path="/v1/agents",
    path_arguments=(),
    query_arguments=(
        ("status", "status"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.AgentList,
    statuses=(200,),
    is_text=False,
)
AGENTS_UPDATE: Operation[m.Agent] = Operation(
    method="PATCH",
    path="/v1/agents/{agentId}",
    path_arguments=(("agent_id", "agentId"),),
    query_arguments=(),
    body=m.AgentUpdate,
    answer=m.Agent,
    statuses=(200,),
    is_text=False,
)
AGENTS_TERMINATE: Operation[m.Agent] = Operation(
    method="DELETE",
    path="/v1/agents/{agentId}",
    path_arguments=(("agent_id", "agentId"),),
    query_arguments=(),
    body=None,
    answer=m.Agent,
    statuses=(200,),
    is_text=False,
)
RESOURCES_PUT: Operation[m.Resource] = Operation(
    method="PUT",
    path="/v1/resources/{name}",
    path_arguments=(("name", "name"),),
    query_arguments=(),
    body=m.ResourcePut,
    answer=m.Resource,
    statuses=(200, 201,),
    is_text=False,
)
RESOURCES_GET: Operation[m.Resource] = Operation(
    method="GET",
    path="/v1/resources/{name}",
    path_arguments=(("name", "name"),),
    query_arguments=(),
    body=None,
    answer=m.Resource,
    statuses=(200,),
    is_text=False,
)
RESOURCES_LIST: Operation[m.ResourceList] = Operation(
    method="GET",
    path="/v1/resources",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.ResourceList,
    statuses=(200,),
    is_text=False,
)
RESOURCES_REMOVE: Operation[m.Resource] = Operation(
    method="DELETE",
    path="/v1/resources/{name}",
    path_arguments=(("name", "name"),),
    query_arguments=(),
    body=None,
    answer=m.Resource,
    statuses=(200,),
    is_text=False,
)
TRUST_SIGNAL: Operation[m.TrustSignalsAccepted] = Operation(
    method="POST",
    path="/v1/trust/signals",
    path_arguments=(),
    query_arguments=(),
    body=m.TrustSignal,
    answer=m.TrustSignalsAccepted,
    statuses=(202,),
    is_text=False,
)
TRUST_SIGNALS: Operation[m.TrustSignalsAccepted] = Operation(
    method="POST",
    path="/v1/trust/signals",
    path_arguments=(),
    query_arguments=(),
    body=m.TrustSignalBatch,
    answer=m.TrustSignalsAccepted,
    statuses=(202,),
    is_text=False,
)
TRUST_GET: Operation[m.Trust] = Operation(
    method="GET",
    path="/v1/trust/{agentId}",
    path_arguments=(("agent_id", "agentId"),),
    query_arguments=(
        ("at", "at"),
    ),
    body=None,
    answer=m.Trust,
    statuses=(200,),
    is_text=False,
)
TRUST_HISTORY: Operation[m.TrustHistory] = Operation(
    method="GET",
    path="/v1/trust/{agentId}/history",
    path_arguments=(("agent_id", "agentId"),),
    query_arguments=(
        ("from_", "from"),
        ("to", "to"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.TrustHistory,
    statuses=(200,),
    is_text=False,
)
LOG_CHECKPOINT: Operation[str] = Operation(
    method="GET",
    path="/v1/log/checkpoint",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=str,
    statuses=(200,),
    is_text=True,
)
LOG_CHECKPOINTS: Operation[m.CheckpointList] = Operation(
    method="GET",
    path="/v1/log/checkpoints",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.CheckpointList,
    statuses=(200,),
    is_text=False,
)
LOG_KEYS: Operation[m.LogKeys] = Operation(
    method="GET",
    path="/v1/log/keys",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.LogKeys,
    statuses=(200,),
    is_text=False,
)
LOG_CONSISTENCY: Operation[m.Consistency] = Operation(
    method="GET",
    path="/v1/log/consistency",
    path_arguments=(),
    query_arguments=(
        ("from_", "from"),
        ("to", "to"),
    ),
    body=None,
    answer=m.Consistency,
    statuses=(200,),
    is_text=False,
)
LOG_LEAVES: Operation[m.LeafHashes] = Operation(
    method="GET",
    path="/v1/log/leaves",
    path_arguments=(),
    query_arguments=(
        ("from_", "from"),
        ("to", "to"),
    ),
    body=None,
    answer=m.LeafHashes,
    statuses=(200,),
    is_text=False,
)
KEYS_CREATE: Operation[m.KeyCreated] = Operation(
    method="POST",
    path="/v1/auth/keys",
    path_arguments=(),
    query_arguments=(),
    body=m.KeyCreate,
    answer=m.KeyCreated,
    statuses=(201,),
    is_text=False,
)
KEYS_LIST: Operation[m.KeyList] = Operation(
    method="GET",
    path="/v1/auth/keys",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.KeyList,
    statuses=(200,),
    is_text=False,
)
KEYS_REVOKE: Operation[m.Key] = Operation(
    method="DELETE",
    path="/v1/auth/keys/{keyId}",
    path_arguments=(("key_id", "keyId"),),
    query_arguments=(),
    body=None,
    answer=m.Key,
    statuses=(200,),
    is_text=False,
)
KEYS_ROTATE: Operation[m.KeyRotated] = Operation(
    method="POST",
    path="/v1/auth/keys/{keyId}/rotate",
    path_arguments=(("key_id", "keyId"),),
    query_arguments=(),
    body=m.KeyRotate,
    answer=m.KeyRotated,
    statuses=(201,),
    is_text=False,
)
POLICIES_ACTIVE: Operation[m.PolicySetStatus] = Operation(
    method="GET",
    path="/v1/policies",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.PolicySetStatus,
    statuses=(200,),
    is_text=False,
)
POLICIES_GET: Operation[m.StoredPolicySet] = Operation(
    method="GET",
    path="/v1/policies/{digest}",
    path_arguments=(("digest", "digest"),),
    query_arguments=(),
    body=None,
    answer=m.StoredPolicySet,
    statuses=(200,),
    is_text=False,
)
POLICIES_VALIDATE: Operation[m.ValidatePoliciesResponse] = Operation(
    method="POST",
    path="/v1/policies/validate",
    path_arguments=(),
    query_arguments=(),
    body=m.ValidatePoliciesRequest,
    answer=m.ValidatePoliciesResponse,
    statuses=(200,),
    is_text=False,
)
POLICIES_REPLAY: Operation[Union[m.ReplayReport, m.Replay]] = Operation(
    method="POST",
    path="/v1/policies/replay",
    path_arguments=(),
    query_arguments=(),
    body=m.ReplayRequest,
    answer=Union[m.ReplayReport, m.Replay],
    statuses=(200, 202,),
    is_text=False,
)
POLICIES_GET_REPLAY: Operation[m.Replay] = Operation(
    method="GET",
    path="/v1/policies/replays/{id}",
    path_arguments=(("replay_id", "id"),),
    query_arguments=(),
    body=None,
    answer=m.Replay,
    statuses=(200,),
    is_text=False,
)
POLICIES_SHADOW: Operation[m.ShadowStatus] = Operation(
    method="GET",
    path="/v1/policies/shadow",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.ShadowStatus,
    statuses=(200,),
    is_text=False,
)
POLICIES_PUSH: Operation[m.PolicyChangeResult] = Operation(
    method="POST",
    path="/v1/policies",
    path_arguments=(),
    query_arguments=(),
    body=m.PushPoliciesRequest,
    answer=m.PolicyChangeResult,
    statuses=(200, 201, 202,),
    is_text=False,
)
POLICIES_ROLLBACK: Operation[m.PolicyChangeResult] = Operation(
    method="POST",
    path="/v1/policies/rollback",
    path_arguments=(),
    query_arguments=(),
    body=m.RollBackPoliciesRequest,
    answer=m.PolicyChangeResult,
    statuses=(200, 201, 202,),
    is_text=False,
)
POLICIES_FOLLOW_FOLDER: Operation[m.PolicyChangeResult] = Operation(
    method="POST",
    path="/v1/policies/follow-folder",
    path_arguments=(),
    query_arguments=(),
    body=m.FollowFolderRequest,
    answer=m.PolicyChangeResult,
    statuses=(200, 201, 202,),
    is_text=False,
)
POLICIES_PROMOTE: Operation[m.PolicyChangeResult] = Operation(
    method="POST",
    path="/v1/policies/promote",
    path_arguments=(),
    query_arguments=(),
    body=m.PromotePoliciesRequest,
    answer=m.PolicyChangeResult,
    statuses=(200, 201, 202,),
    is_text=False,
)
POLICIES_STAGES: Operation[m.PolicyStageList] = Operation(
    method="GET",
    path="/v1/policies/stages",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.PolicyStageList,
    statuses=(200,),
    is_text=False,
)
POLICIES_ACTIVATIONS: Operation[m.PolicyActivationList] = Operation(
    method="GET",
    path="/v1/policies/activations",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.PolicyActivationList,
    statuses=(200,),
    is_text=False,
)
POLICIES_DROP_STAGE: Operation[m.PolicyChangeResult] = Operation(
    method="DELETE",
    path="/v1/policies/stages/{digest}",
    path_arguments=(("digest", "digest"),),
    query_arguments=(),
    body=m.DropStageRequest,
    answer=m.PolicyChangeResult,
    statuses=(200, 202,),
    is_text=False,
)
POLICIES_WITHDRAW: Operation[m.PolicyChangeResult] = Operation(
    method="DELETE",
    path="/v1/policies",
    path_arguments=(),
    query_arguments=(),
    body=m.WithdrawPoliciesRequest,
    answer=m.PolicyChangeResult,
    statuses=(200,),
    is_text=False,
)
POLICIES_DIFFERENCE: Operation[m.PolicyComparison] = Operation(
    method="GET",
    path="/v1/policies/difference",
    path_arguments=(),
    query_arguments=(
        ("before", "before"),
        ("after", "after"),
    ),
    body=None,
    answer=m.PolicyComparison,
    statuses=(200,),
    is_text=False,
)
POLICIES_APPROVALS: Operation[m.PolicyApprovalList] = Operation(
    method="GET",
    path="/v1/policies/approvals",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.PolicyApprovalList,
    statuses=(200,),
    is_text=False,
)
POLICIES_GET_APPROVAL: Operation[m.PolicyApprovalDetail] = Operation(
    method="GET",
    path="/v1/policies/approvals/{approvalId}",
    path_arguments=(("approval_id", "approvalId"),),
    query_arguments=(),
    body=None,
    answer=m.PolicyApprovalDetail,
    statuses=(200,),
    is_text=False,
)
POLICIES_APPROVE: Operation[m.PolicyApproval] = Operation(
    method="POST",
    path="/v1/policies/approvals/{approvalId}/approve",
    path_arguments=(("approval_id", "approvalId"),),
    query_arguments=(),
    body=m.ApprovalVerdict,
    answer=m.PolicyApproval,
    statuses=(200,),
    is_text=False,
)
POLICIES_REJECT: Operation[m.PolicyApproval] = Operation(
    method="POST",
    path="/v1/policies/approvals/{approvalId}/reject",
    path_arguments=(("approval_id", "approvalId"),),
    query_arguments=(),
    body=m.ApprovalVerdict,
    answer=m.PolicyApproval,
    statuses=(200,),
    is_text=False,
)
TOOLS_LIST: Operation[m.ToolCatalogueList] = Operation(
    method="GET",
    path="/v1/tools",
    path_arguments=(),
    query_arguments=(
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.ToolCatalogueList,
    statuses=(200,),
    is_text=False,
)
TOOLS_GET: Operation[m.ToolCatalogue] = Operation(
    method="GET",
    path="/v1/tools/{server}",
    path_arguments=(("server", "server"),),
    query_arguments=(),
    body=None,
    answer=m.ToolCatalogue,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_CREATE: Operation[m.WebhookWithSecret] = Operation(
    method="POST",
    path="/v1/webhooks",
    path_arguments=(),
    query_arguments=(),
    body=m.WebhookCreate,
    answer=m.WebhookWithSecret,
    statuses=(201,),
    is_text=False,
)
WEBHOOKS_LIST: Operation[m.WebhookList] = Operation(
    method="GET",
    path="/v1/webhooks",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.WebhookList,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_UPDATE: Operation[m.Webhook] = Operation(
    method="PATCH",
    path="/v1/webhooks/{webhookId}",
    path_arguments=(("webhook_id", "webhookId"),),
    query_arguments=(),
    body=m.WebhookUpdate,
    answer=m.Webhook,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_REMOVE: Operation[m.Webhook] = Operation(
    method="DELETE",
    path="/v1/webhooks/{webhookId}",
    path_arguments=(("webhook_id", "webhookId"),),
    query_arguments=(),
    body=None,
    answer=m.Webhook,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_ROTATE: Operation[m.WebhookWithSecret] = Operation(
    method="POST",
    path="/v1/webhooks/{webhookId}/rotate",
    path_arguments=(("webhook_id", "webhookId"),),
    query_arguments=(),
    body=m.WebhookRotate,
    answer=m.WebhookWithSecret,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_DELIVERIES: Operation[m.WebhookDeliveryList] = Operation(
    method="GET",
    path="/v1/webhooks/{webhookId}/deliveries",
    path_arguments=(("webhook_id", "webhookId"),),
    query_arguments=(
        ("state", "state"),
        ("cursor", "cursor"),
        ("limit", "limit"),
    ),
    body=None,
    answer=m.WebhookDeliveryList,
    statuses=(200,),
    is_text=False,
)
WEBHOOKS_REPLAY_DELIVERY: Operation[m.WebhookDelivery] = Operation(
    method="POST",
    path="/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
    path_arguments=(("webhook_id", "webhookId"), ("delivery_id", "deliveryId"),),
    query_arguments=(),
    body=None,
    answer=m.WebhookDelivery,
    statuses=(202,),
    is_text=False,
)
HALT_SET: Operation[m.HaltState] = Operation(
    method="POST",
    path="/v1/halt",
    path_arguments=(),
    query_arguments=(),
    body=m.HaltRequest,
    answer=m.HaltState,
    statuses=(200,),
    is_text=False,
)
HALT_GET: Operation[m.HaltState] = Operation(
    method="GET",
    path="/v1/halt",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.HaltState,
    statuses=(200,),
    is_text=False,
)
HALT_LIFT: Operation[m.HaltState] = Operation(
    method="DELETE",
    path="/v1/halt",
    path_arguments=(),
    query_arguments=(),
    body=m.HaltLift,
    answer=m.HaltState,
    statuses=(200,),
    is_text=False,
)
REFERENCE_ERRORS: Operation[m.ReferenceErrors] = Operation(
    method="GET",
    path="/v1/reference/errors",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.ReferenceErrors,
    statuses=(200,),
    is_text=False,
)
REFERENCE_SCOPES: Operation[m.ReferenceScopes] = Operation(
    method="GET",
    path="/v1/reference/scopes",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.ReferenceScopes,
    statuses=(200,),
    is_text=False,
)
REFERENCE_TIERS: Operation[m.ReferenceTiers] = Operation(
    method="GET",
    path="/v1/reference/tiers",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.ReferenceTiers,
    statuses=(200,),
    is_text=False,
)
REFERENCE_RATE_LIMITS: Operation[m.ReferenceRateLimits] = Operation(
    method="GET",
    path="/v1/reference/rate-limits",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.ReferenceRateLimits,
    statuses=(200,),
    is_text=False,
)
SERVICE_HEALTH: Operation[m.Health] = Operation(
    method="GET",
    path="/health",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.Health,
    statuses=(200,),
    is_text=False,
)
SERVICE_READY: Operation[m.Readiness] = Operation(
    method="GET",
    path="/ready",
    path_arguments=(),
    query_arguments=(),
    body=None,
    answer=m.Readiness,
    statuses=(200, 503,),
    is_text=False,
)
