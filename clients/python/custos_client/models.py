# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The requests and answers of the API, in snake_case; with `is_camel_case` JSON has camelCase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Dict, List, Literal, Optional, TypedDict, Union

from .unset import UNSET, Unset


@dataclass(frozen=True)
class Agent:
    is_camel_case: ClassVar[bool] = True

    agent_id: str
    name: str
    description: Optional[str]
    capabilities: List[str]
    tags: List[str]
    metadata: Optional[Dict[str, Any]]
    # ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which
    # is final.
    status: Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]
    trust: TrustSummary
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    updated_at: str


@dataclass(frozen=True)
class AgentCreate:
    is_camel_case: ClassVar[bool] = True

    name: str
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: Optional[str] = None
    description: Optional[str] = None
    capabilities: Optional[List[str]] = None
    tags: Optional[List[str]] = None
    # An object of your own, at most 16 kB of JSON; returned unchanged.
    metadata: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class AgentList:
    is_camel_case: ClassVar[bool] = True

    items: List[Agent]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class AgentUpdate:
    name: Optional[str] = None
    description: Union[Unset, Optional[str]] = UNSET
    capabilities: Optional[List[str]] = None
    tags: Optional[List[str]] = None
    metadata: Union[Unset, Optional[Dict[str, Any]]] = UNSET
    # ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which
    # is final.
    status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None


@dataclass(frozen=True)
class Approval:
    is_camel_case: ClassVar[bool] = True

    requested: Optional[Requested]
    approval_id: str
    # pending; approved: may be used once; rejected; used; expired: not decided or not used in time.
    status: Literal["pending", "approved", "rejected", "expired", "used"]
    agent_id: str
    # The key that asked.
    key_id: str
    # What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET
    # /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked.
    digest: str
    intent_id: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    decided_at: Optional[str]
    decided_by: Optional[str]
    reason: Optional[str]
    used_at: Optional[str]
    used_by: Optional[str]
    used_decision_id: Optional[str]
    decision: DecisionOnRecord


@dataclass(frozen=True)
class ApprovalDetailMasked:
    # The masked value in the arguments: a JSON Pointer (RFC 6901).
    pointer: str
    # name: its member is named like a secret, and the whole value is masked. private_key: it holds a private
    # key, and the whole value is masked. credential: parts of it have the form of a credential, and only
    # these are masked.
    reason: Literal["name", "private_key", "credential"]


@dataclass(frozen=True)
class ApprovalDetail:
    is_camel_case: ClassVar[bool] = True

    requested: Optional[Requested]
    approval_id: str
    # pending; approved: may be used once; rejected; used; expired: not decided or not used in time.
    status: Literal["pending", "approved", "rejected", "expired", "used"]
    agent_id: str
    # The key that asked.
    key_id: str
    # What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET
    # /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked.
    digest: str
    intent_id: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    decided_at: Optional[str]
    decided_by: Optional[str]
    reason: Optional[str]
    used_at: Optional[str]
    used_by: Optional[str]
    used_decision_id: Optional[str]
    decision: DecisionOnRecord
    # Whether the calling key may approve or reject while it is pending.
    may_decide: bool
    bound: Optional[Dict[str, Any]]
    # Which arguments of the tool call in `bound` are masked, and why.
    masked: List[ApprovalDetailMasked]
    context: Optional[Dict[str, Any]]


@dataclass(frozen=True)
class ApprovalList:
    is_camel_case: ClassVar[bool] = True

    items: List[Approval]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ApprovalVerdict:
    # Stored in the log permanently.
    reason: str


@dataclass(frozen=True)
class CataloguedTool:
    is_camel_case: ClassVar[bool] = True

    name: str
    # the action class of every call
    action: Literal["read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke"]
    # Of the entry, or that of its action.
    effect: Literal["read", "write", "destructive"]
    # why it is read so
    description: Optional[str] = None
    # how many objects a call touches; absent: one
    extent: Optional[Literal["one", "many", "all"]] = None
    # what a call acts on: {path} takes an argument, a JSON Pointer without its first slash for a deeper one;
    # {paths[]} each item of a list, {number:integer} a whole number; absent: tools/<server>/<tool>
    resource: Optional[str] = None
    # other resources that a call touches, as templates: no rule permits because of them, other rules match
    # them
    places: Optional[List[str]] = None
    # what else is true of every call
    traits: Optional[List[Literal[
        "external", "privileged", "financial", "bulk", "irreversible", "illicit"
    ]]] = None
    # classes of sensitive data that every call involves
    data_classes: Optional[List[Literal["credentials", "pii", "financial", "health"]]] = None
    # arguments that hold code or text, by JSON Pointer without its first slash, and how to read them: what is
    # found counts too, the stricter wins
    reads: Optional[Dict[str, Literal["shell", "sql", "http", "text"]]] = None
    # the digest of the definition that was approved: a call under another one counts as changed
    definition: Optional[str] = None


@dataclass(frozen=True)
class Checkpoint:
    is_camel_case: ClassVar[bool] = True

    size: int
    # SHA-256, lower-case hex.
    root: str
    note: str
    # RFC 3339, UTC, milliseconds.
    signed_at: str


@dataclass(frozen=True)
class CheckpointList:
    is_camel_case: ClassVar[bool] = True

    items: List[Checkpoint]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class Consistency:
    from_: int
    to: int
    path: List[str]


@dataclass(frozen=True)
class DecisionIntent:
    normalized: str
    domain: str
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    verb: str
    resource: str
    effect: Literal["read", "write", "destructive"]
    traits: List[Literal["external", "privileged", "financial", "bulk", "irreversible", "illicit"]]
    risk: Risk
    # Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not.
    parsed: bool
    requested: Optional[Requested] = None


@dataclass(frozen=True)
class DecisionTrustAsOf:
    signals: int
    # UTC day, YYYY-MM-DD.
    day: str


@dataclass(frozen=True)
class DecisionTrust:
    claimed_level: Optional[int]
    recorded_level: int
    effective_level: int
    # The recorded score.
    score: int
    uncertainty: float
    as_of: DecisionTrustAsOf


@dataclass(frozen=True)
class DecisionPolicySet:
    digest: str


@dataclass(frozen=True)
class DecisionProof:
    proof_id: str
    promise: Optional[Promise] = None


@dataclass(frozen=True)
class DecisionApproval:
    """With ESCALATE: the approval that a human must give, and until when it can be decided and used."""

    approval_id: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str


@dataclass(frozen=True)
class DecisionExplanationCondition:
    fact: str
    operator: str
    expected: Any
    missing: bool
    result: bool
    path: Optional[str] = None
    actual: Optional[Any] = None


@dataclass(frozen=True)
class DecisionExplanation:
    policy: str
    rule: str
    effect: str
    matched: bool
    conditions: List[DecisionExplanationCondition]
    skipped: Optional[str] = None


@dataclass(frozen=True)
class Decision:
    decision_id: str
    # Whether the verdict is ALLOW or DEGRADE.
    allowed: bool
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    agent_id: str
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    reasons: List[Reason]
    obligations: List[Obligation]
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    proof: DecisionProof
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    # X-Request-Id of the request that asked, or that submitted the intent.
    request_id: Optional[str] = None
    tool: Optional[ToolAnswer] = None
    # With ESCALATE: the approval that a human must give, and until when it can be decided and used.
    approval: Optional[DecisionApproval] = None
    # Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
    explanation: Optional[List[DecisionExplanation]] = None


@dataclass(frozen=True)
class DecisionList:
    is_camel_case: ClassVar[bool] = True

    items: List[DecisionOnRecord]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class DecisionOnRecord:
    """A stored decision: the original answer, and whether it stands now."""

    decision_id: str
    # Whether the verdict is ALLOW or DEGRADE.
    allowed: bool
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    agent_id: str
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    reasons: List[Reason]
    obligations: List[Obligation]
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    proof: DecisionProof
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    # Whether it may be acted upon now.
    stands: bool
    # X-Request-Id of the request that asked, or that submitted the intent.
    request_id: Optional[str] = None
    tool: Optional[ToolAnswer] = None
    # With ESCALATE: the approval that a human must give, and until when it can be decided and used.
    approval: Optional[DecisionApproval] = None
    # The first reason why it does not stand: it permits nothing, it has expired, the environment is halted,
    # the agent is not active, or the key that asked (with its rotations) is no longer valid.
    stands_reason: Optional[Literal["verdict", "expired", "halted", "agent_not_active", "key_invalid"]] = None


@dataclass(frozen=True)
class DryRun:
    """The verdict that a decision would have."""

    dry_run: Literal[True]
    allowed: Literal[False]
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    agent_id: str
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    reasons: List[Reason]
    obligations: List[Obligation]
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    tool: Optional[ToolAnswer] = None
    # Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
    explanation: Optional[List[DecisionExplanation]] = None


@dataclass(frozen=True)
class EnforceBatchFailure:
    error: Problem


@dataclass(frozen=True)
class EnforceBatchRequest:
    # Answered in this order.
    requests: List[EnforceRequest]


@dataclass(frozen=True)
class EnforceBatchResponse:
    # One answer for each request, in their order.
    decisions: List[Union[Decision, DryRun, EnforceBatchFailure]]


@dataclass(frozen=True)
class EnforceRequest:
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: str
    # A normalized intent (`data.read.user_profile`), or `action:resource` (`delete:db/production/users`).
    intent: Optional[str] = None
    tool: Optional[ToolCall] = None
    # A claim: it can only lower the recorded level.
    trust_level: Optional[int] = None
    # The intent_id of a parse.
    intent_id: Optional[str] = None
    # Your own facts for policies (`context.*`).
    context: Optional[Dict[str, Any]] = None
    # The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was
    # written or tool call with all its arguments, intent_id and context, read as they were then.
    approval_id: Optional[str] = None
    # Needs admin:*.
    explain: Optional[bool] = None
    # Needs admin:*.
    dry_run: Optional[bool] = None


@dataclass(frozen=True)
class FieldError:
    # RFC 6901 pointer into the body, or ?name for a query parameter, {name} for a path parameter
    pointer: str
    message: str


@dataclass(frozen=True)
class Finding:
    file: str
    line: int
    column: int
    # RFC 6901, into the file.
    pointer: str
    code: str
    message: str
    # Absent: error.
    severity: Optional[Literal["error", "warning"]] = None
    # How to fix it.
    hint: Optional[str] = None
    # A request that demonstrates it.
    example: Optional[str] = None


@dataclass(frozen=True)
class HaltRequest:
    reason: str


@dataclass(frozen=True)
class HaltState:
    is_camel_case: ClassVar[bool] = True

    environment: Literal["live", "test", "dev"]
    halted: bool
    reason: Optional[str]
    key_id: Optional[str]
    since: Optional[str]


@dataclass(frozen=True)
class Health:
    status: Literal["alive"]


@dataclass(frozen=True)
class IntentAlternative:
    normalized: str
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    verb: str
    object: str
    effect: Literal["read", "write", "destructive"]
    confidence: float


@dataclass(frozen=True)
class IntentEntitiesMoney:
    amount: float
    currency: str


@dataclass(frozen=True)
class IntentEntities:
    emails: List[str]
    urls: List[str]
    hosts: List[str]
    money: List[IntentEntitiesMoney]
    paths: List[str]
    identifiers: List[str]


@dataclass(frozen=True)
class IntentTrustClaimed:
    score: int
    level: int


@dataclass(frozen=True)
class IntentTrustRecorded:
    score: int
    level: int


@dataclass(frozen=True)
class IntentTrustEffective:
    score: int
    level: int


@dataclass(frozen=True)
class IntentTrust:
    claimed: Optional[IntentTrustClaimed]
    recorded: IntentTrustRecorded
    effective: IntentTrustEffective


@dataclass(frozen=True)
class Intent:
    # The intent_id of a parse.
    intent_id: str
    agent_id: str
    normalized: str
    domain: str
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    # The caller's own verb.
    verb: str
    object: str
    places: List[str]
    effect: Literal["read", "write", "destructive"]
    traits: List[Literal["external", "privileged", "financial", "bulk", "irreversible", "illicit"]]
    # How many objects are affected.
    extent: Literal["one", "many", "all"]
    confidence: float
    alternatives: List[IntentAlternative]
    entities: IntentEntities
    data_classes: List[Literal["credentials", "pii", "financial", "health"]]
    flags: List[Literal[
        "prompt_injection", "obfuscated", "negated", "multi_action", "not_understood", "secret_in_text"
    ]]
    risk: Risk
    trust: IntentTrust
    # The verdict that enforcing this now would have.
    verdict_preview: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    created_at: str


@dataclass(frozen=True)
class IntentAccepted:
    is_camel_case: ClassVar[bool] = True

    intent_id: str
    status: Literal["queued"]


@dataclass(frozen=True)
class IntentRequest:
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: str
    # The action that the agent wants to take, as free text.
    raw_intent: str
    # A claim; fractions round down.
    trust_score: Optional[float] = None
    # Your own facts for policies (`context.*`).
    context: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class IntentSubmission:
    is_camel_case: ClassVar[bool] = True

    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: str
    # An action, or a finer verb of the lexicon.
    action: Optional[str] = None
    # What it acts on; a trailing `*` segment stands for one or more segments.
    resource: Optional[str] = None
    tool: Optional[ToolCall] = None
    # Your own facts for policies (`context.*`).
    context: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class Key:
    is_camel_case: ClassVar[bool] = True

    # Names the key; not secret.
    key_id: str
    name: str
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    environment: Literal["live", "test", "dev"]
    tier: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    expires_at: Optional[str]
    created_by: Optional[str]
    revoked_at: Optional[str]
    replaced_by: Optional[str]
    last_used_at: Optional[str]


@dataclass(frozen=True)
class KeyCreate:
    is_camel_case: ClassVar[bool] = True

    name: str
    # No scope twice.
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    # A number and a unit letter (m, h, d, w), 1m to 3650d.
    expires_in: Optional[str] = None
    # Binds the key: it may name only these agents.
    agent_ids: Optional[List[str]] = None
    # Types of obligations that the holder of the key keeps.
    keeps_obligations: Optional[List[str]] = None
    # Default: the calling key's.
    environment: Optional[Literal["live", "test", "dev"]] = None
    # Rate limit tier, at most the organisation's.
    tier: Optional[int] = None


@dataclass(frozen=True)
class KeyCreated:
    is_camel_case: ClassVar[bool] = True

    # Names the key; not secret.
    key_id: str
    name: str
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    environment: Literal["live", "test", "dev"]
    tier: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    expires_at: Optional[str]
    # The key itself.
    key: Optional[str] = None


@dataclass(frozen=True)
class KeyList:
    is_camel_case: ClassVar[bool] = True

    items: List[Key]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class KeyRotate:
    # How long the old key stays valid: a number and a unit letter (m, h, d, w), 0m (it ends at once) to 30d.
    overlap: Optional[str] = None


@dataclass(frozen=True)
class KeyRotatedReplaces:
    """The old key, and when it ends."""

    is_camel_case: ClassVar[bool] = True

    # Names the key; not secret.
    key_id: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str


@dataclass(frozen=True)
class KeyRotated:
    is_camel_case: ClassVar[bool] = True

    # Names the key; not secret.
    key_id: str
    name: str
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    environment: Literal["live", "test", "dev"]
    tier: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    expires_at: Optional[str]
    # The old key, and when it ends.
    replaces: KeyRotatedReplaces
    # The key itself.
    key: Optional[str] = None


@dataclass(frozen=True)
class LeafHashes:
    """At most 1,000 hashes; `to` is the end of the returned range."""

    from_: int
    to: int
    hashes: List[str]


@dataclass(frozen=True)
class LogKeysItem:
    is_camel_case: ClassVar[bool] = True

    key_id: str
    # A C2SP note verifier key.
    vkey: str
    use: Literal["log", "promise"]
    first_size: int
    last_size: Optional[int]


@dataclass(frozen=True)
class LogKeys:
    is_camel_case: ClassVar[bool] = True

    items: List[LogKeysItem]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class PolicySetStatusLastRead:
    """The result of the last reading of the policy folder."""

    at: Optional[str]
    ok: bool
    findings: List[Finding]


@dataclass(frozen=True)
class PolicySetStatus:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, lower-case hex, of the canonical JSON of {authzen, engine, lexicon, policies, tools}; without
    # such files there is no `authzen` or `tools`.
    digest: str
    # RFC 3339, UTC, milliseconds.
    activated_at: str
    policies: List[Dict[str, Any]]
    # The result of the last reading of the policy folder.
    last_read: PolicySetStatusLastRead
    tools: Optional[List[Dict[str, Any]]] = None


@dataclass(frozen=True)
class Problem:
    is_camel_case: ClassVar[bool] = True

    # a reference that names the kind of problem
    type: str
    title: str
    status: int
    # what was wrong with this request, and what to do
    detail: str
    # the same as `detail`, under the name that clients of other services read
    message: str
    # the path of the request
    instance: str
    code: Literal[
        "E1001", "E1002", "E1003", "E1004", "E2001", "E2005", "E2006", "E2009", "E2010", "E3001", "E4001",
        "E4002", "E4003", "E4004", "E4005", "E5001", "E5002", "E5003", "E5004", "E6001", "E6002"
    ]
    category: Literal["authentication", "validation", "limit", "not_found", "conflict", "internal"]
    # whether the same request may succeed later
    retryable: bool
    request_id: str
    errors: Optional[List[FieldError]] = None


class Promise(TypedDict):
    """A signed promise that the record will be in the log by the deadline. A dictionary with the members of
    the wire: store it as it is.
    """

    log: str
    proofId: str
    recordDigest: str
    issuedAt: str
    deadline: str
    keyId: str
    signature: str


@dataclass(frozen=True)
class Proof:
    is_camel_case: ClassVar[bool] = True

    proof_id: str
    status: Literal["anchored"]
    event: str
    entity_id: str
    # Base64 of the canonical bytes.
    record: str
    # Position in the log.
    index: int
    # Position in the entity's chain.
    chain_index: int
    event_hash: str
    previous_hash: str
    # RFC 3339, UTC, milliseconds.
    occurred_at: str
    # RFC 3339, UTC, milliseconds.
    anchored_at: str


@dataclass(frozen=True)
class ProofAccepted:
    is_camel_case: ClassVar[bool] = True

    proof_id: str
    status: Literal["pending", "anchored"]
    # SHA-256 of JCS of the record without its previousHash, lower-case hex.
    record_digest: str
    promise: Promise


@dataclass(frozen=True)
class ProofBatchAccepted:
    proofs: List[ProofAccepted]


@dataclass(frozen=True)
class ProofBatchCreate:
    proofs: List[ProofCreate]


@dataclass(frozen=True)
class ProofChainHead:
    is_camel_case: ClassVar[bool] = True

    chain_index: int
    event_hash: str


@dataclass(frozen=True)
class ProofChain:
    is_camel_case: ClassVar[bool] = True

    entity_id: str
    head: Optional[ProofChainHead]
    items: List[Proof]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ProofCreate:
    is_camel_case: ClassVar[bool] = True

    # What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".
    event: str
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    entity_id: str
    # Any JSON object.
    payload: Dict[str, Any]
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    proof_id: Optional[str] = None


@dataclass(frozen=True)
class ProofList:
    is_camel_case: ClassVar[bool] = True

    items: List[ProofListItem]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ProofListItem:
    is_camel_case: ClassVar[bool] = True

    proof_id: str
    status: Literal["pending", "anchored"]
    event: str
    entity_id: str
    index: Optional[int]
    # RFC 3339, UTC, milliseconds.
    occurred_at: str


@dataclass(frozen=True)
class Readiness:
    status: Literal["ready", "not_ready", "stopping"]
    checks: List[ReadinessCheck]
    # parts that are down and that the service can do without for a while
    degraded: List[str]


@dataclass(frozen=True)
class ReadinessCheck:
    name: str
    ok: bool
    detail: Optional[str] = None


@dataclass(frozen=True)
class Reason:
    policy: str
    rule: str
    effect: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    code: str
    message: str


class Receipt(TypedDict):
    """A dictionary with the members of the wire: store it as it is."""

    format: Literal["custos-receipt/1"]
    status: Literal["anchored"]
    proofId: str
    record: str
    index: int
    path: List[str]
    checkpoint: str


@dataclass(frozen=True)
class ReferenceError:
    code: str
    statuses: List[int]
    title: str
    category: str
    retryable: bool
    when: str


@dataclass(frozen=True)
class ReferenceRateLimit:
    is_camel_case: ClassVar[bool] = True

    tier: int
    per_second: int
    per_minute: int


@dataclass(frozen=True)
class ReferenceScope:
    scope: str
    permits: str


@dataclass(frozen=True)
class ReferenceTier:
    level: int
    name: str
    from_: int
    to: int


@dataclass(frozen=True)
class ReplayDraft:
    # Of a policy set, SHA-256, lower-case hex.
    digest: str


@dataclass(frozen=True)
class ReplayProgress:
    replayed: int
    total: int


@dataclass(frozen=True)
class Replay:
    is_camel_case: ClassVar[bool] = True

    replay_id: str
    status: Literal["queued", "running", "done", "failed"]
    draft: ReplayDraft
    progress: ReplayProgress
    # RFC 3339, UTC, milliseconds.
    created_at: str
    finished_at: Optional[str]
    error: Optional[str]
    report: Optional[ReplayReport]


@dataclass(frozen=True)
class ReplayReportDraft:
    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    policies: int


@dataclass(frozen=True)
class ReplayReportRange:
    is_camel_case: ClassVar[bool] = True

    from_: Optional[str]
    # RFC 3339, UTC, milliseconds.
    to: str
    organisation: Optional[str]
    environment: Optional[str]
    agent_id: Optional[str]
    limit: Optional[int]


@dataclass(frozen=True)
class ReplayReportDecisionsNotEvaluable:
    is_camel_case: ClassVar[bool] = True

    total: int
    facts_erased: int
    damaged: int
    not_reproduced: int


@dataclass(frozen=True)
class ReplayReportDecisions:
    is_camel_case: ClassVar[bool] = True

    total: int
    evaluated: int
    # Answers that do not depend on policies: halts, refused approvals, failed evaluations.
    standing: int
    not_evaluable: ReplayReportDecisionsNotEvaluable


@dataclass(frozen=True)
class ReplayReportChanged:
    decisions: int
    stricter: int
    looser: int
    obligations: int


@dataclass(frozen=True)
class ReplayReportTransition:
    from_: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    to: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    decisions: int


@dataclass(frozen=True)
class ReplayReportRulesItem:
    is_camel_case: ClassVar[bool] = True

    policy: str
    rule: str
    effect: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    newly: int
    no_longer: int


@dataclass(frozen=True)
class ReplayReportRules:
    """Changed decisions by rules that are newly, or no longer, among their reasons."""

    items: List[ReplayReportRulesItem]
    more: int
    beyond: int


@dataclass(frozen=True)
class ReplayReportAgentsItem:
    is_camel_case: ClassVar[bool] = True

    organisation: str
    environment: str
    agent_id: str
    decisions: int
    stricter: int
    looser: int


@dataclass(frozen=True)
class ReplayReportAgents:
    """Changed decisions by agent."""

    items: List[ReplayReportAgentsItem]
    more: int
    beyond: int


@dataclass(frozen=True)
class ReplayReportResourcesItem:
    resource: str
    decisions: int
    stricter: int
    looser: int


@dataclass(frozen=True)
class ReplayReportResources:
    """Changed decisions by resource."""

    items: List[ReplayReportResourcesItem]
    more: int
    beyond: int


@dataclass(frozen=True)
class ReplayReportEnvironmentsItem:
    organisation: str
    environment: str
    decisions: int
    stricter: int
    looser: int


@dataclass(frozen=True)
class ReplayReportEnvironments:
    """Changed decisions by organisation and environment."""

    items: List[ReplayReportEnvironmentsItem]
    more: int
    beyond: int


@dataclass(frozen=True)
class ReplayReportExampleBeforeReason:
    policy: str
    rule: str
    effect: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    code: str
    message: str


@dataclass(frozen=True)
class ReplayReportExampleBefore:
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The first five.
    reasons: List[ReplayReportExampleBeforeReason]
    obligations: List[Dict[str, Any]]


@dataclass(frozen=True)
class ReplayReportExampleAfter:
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The first five.
    reasons: List[ReplayReportExampleBeforeReason]
    obligations: List[Dict[str, Any]]


@dataclass(frozen=True)
class ReplayReportExampleTool:
    server: str
    name: str


@dataclass(frozen=True)
class ReplayReportExample:
    is_camel_case: ClassVar[bool] = True

    decision_id: str
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    organisation: str
    environment: str
    agent_id: str
    intent: str
    resource: str
    before: ReplayReportExampleBefore
    after: ReplayReportExampleAfter
    tool: Optional[ReplayReportExampleTool] = None


@dataclass(frozen=True)
class ReplayReportSet:
    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    decisions: int
    lexicon: Literal["same", "other", "unknown"]


@dataclass(frozen=True)
class ReplayReport:
    is_camel_case: ClassVar[bool] = True

    draft: ReplayReportDraft
    range: ReplayReportRange
    decisions: ReplayReportDecisions
    changed: ReplayReportChanged
    # The same verdict and obligations for other reasons.
    other_reasons: int
    transitions: List[ReplayReportTransition]
    # Changed decisions by rules that are newly, or no longer, among their reasons.
    rules: ReplayReportRules
    # Changed decisions by agent.
    agents: ReplayReportAgents
    # Changed decisions by resource.
    resources: ReplayReportResources
    # Changed decisions by organisation and environment.
    environments: ReplayReportEnvironments
    # For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
    examples: List[ReplayReportExample]
    # The policy sets of the decisions, and whether their lexicon is that of the draft.
    sets: List[ReplayReportSet]
    notes: List[str]


@dataclass(frozen=True)
class ReplayRequestFile:
    # Shows in findings; one that begins with `tools/` is a tool catalogue, and authzen.json has the action
    # names of AuthZEN requests.
    path: str
    # The text of the file.
    text: str


@dataclass(frozen=True)
class ReplayRequest:
    """The draft, as files or as the digest of a set that was in force; and which decisions."""

    is_camel_case: ClassVar[bool] = True

    # lexicon.json may be among them; the active lexicon is used otherwise.
    files: Optional[List[ReplayRequestFile]] = None
    # Of a policy set, SHA-256, lower-case hex.
    digest: Optional[str] = None
    # Length of the range that ends now; default without `from`: 7d.
    since: Optional[str] = None
    # RFC 3339 date and time.
    from_: Optional[str] = None
    # RFC 3339 date and time.
    to: Optional[str] = None
    # Absent: live.
    environment: Optional[Literal["live", "test", "dev"]] = None
    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: Optional[str] = None


@dataclass(frozen=True)
class RequestedIntent:
    intent: str


@dataclass(frozen=True)
class RequestedActionResource:
    action: str
    resource: str


@dataclass(frozen=True)
class RequestedTool:
    tool: ReplayReportExampleTool


@dataclass(frozen=True)
class RiskFactor:
    factor: str
    score: int
    message: str


@dataclass(frozen=True)
class RiskCertain:
    """The risk without factors that count only because facts are missing; present when there are such
    factors.
    """

    level: Literal["low", "medium", "high"]
    score: int


@dataclass(frozen=True)
class Risk:
    """Computed by the policies of stage intake; level low below 400, medium below 700, else high."""

    level: Literal["low", "medium", "high"]
    score: int
    factors: List[RiskFactor]
    # The risk without factors that count only because facts are missing; present when there are such factors.
    certain: Optional[RiskCertain] = None


@dataclass(frozen=True)
class ShadowStatusDraft:
    is_camel_case: ClassVar[bool] = True

    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    policies: int
    share: float
    # RFC 3339, UTC, milliseconds.
    since: str
    # RFC 3339, UTC, milliseconds.
    until: str
    # Records passed over because the worker was too far behind.
    skipped: int
    decisions: ReplayReportDecisions
    changed: ReplayReportChanged
    # The same verdict and obligations for other reasons.
    other_reasons: int
    transitions: List[ReplayReportTransition]
    # Changed decisions by rules that are newly, or no longer, among their reasons.
    rules: ReplayReportRules
    # Changed decisions by agent.
    agents: ReplayReportAgents
    # Changed decisions by resource.
    resources: ReplayReportResources
    # Changed decisions by organisation and environment.
    environments: ReplayReportEnvironments
    # For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
    examples: List[ReplayReportExample]


@dataclass(frozen=True)
class ShadowStatus:
    # Whether a worker is evaluating a draft for comparison with the active set.
    running: bool
    draft: Optional[ReplayDraft]
    share: Optional[float]
    # Why the folder cannot be evaluated; empty when it can.
    findings: List[Finding]
    # The changes by each draft, latest evaluation first.
    drafts: List[ShadowStatusDraft]


@dataclass(frozen=True)
class StoredPolicySet:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, lower-case hex, of the canonical JSON of {authzen, engine, lexicon, policies, tools}; without
    # such files there is no `authzen` or `tools`.
    digest: str
    # RFC 3339, UTC, milliseconds.
    created_at: str
    engine: int
    lexicon: Dict[str, Any]
    policies: List[Dict[str, Any]]
    # The action names of AuthZEN requests: see /schemas/authzen.json.
    authzen: Optional[Dict[str, Any]] = None
    tools: Optional[List[Dict[str, Any]]] = None


@dataclass(frozen=True)
class SubmittedIntent:
    is_camel_case: ClassVar[bool] = True

    intent_id: str
    agent_id: str
    # Of a tool call: what its catalogue said when it was accepted.
    action: str
    resource: str
    # queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a
    # recorded DENY with reason EVALUATION_FAILED.
    status: Literal["queued", "evaluating", "waiting_approval", "decided", "failed"]
    approval_id: Optional[str]
    # RFC 3339, UTC, milliseconds.
    submitted_at: str
    # RFC 3339, UTC, milliseconds.
    updated_at: str
    decision: Optional[DecisionOnRecord]


@dataclass(frozen=True)
class SubmittedIntentList:
    is_camel_case: ClassVar[bool] = True

    items: List[SubmittedIntent]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ToolAnswer:
    server: str
    name: str
    # `sha256:` and SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of the arguments.
    arguments_digest: str
    # Whether a catalogue says what the call does.
    known: bool
    # Whether the catalogue pins another definition of the tool.
    changed: bool


@dataclass(frozen=True)
class ToolCall:
    """A tool call, in place of an intent."""

    # The name that the operator gave the source of the tool: that of its catalogue.
    server: str
    # The name of the tool.
    name: str
    # As the tool gets them: at most 262144 bytes as JSON without white space, and 32 levels.
    arguments: Dict[str, Any]
    # SHA-256 of the canonical JSON (RFC 8785) of {name, description, inputSchema, annotations} of the tool as
    # the guard saw it, absent members left out.
    definition_digest: Optional[str] = None
    # The hints of the server itself.
    annotations: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class ToolCatalogue:
    is_camel_case: ClassVar[bool] = True

    # The name of the source of the tools, as calls name it.
    server: str
    description: str
    # Whether the annotations of the server decide about its tools that are not listed here.
    trust_annotations: bool
    # By name.
    tools: List[CataloguedTool]


@dataclass(frozen=True)
class ToolCatalogueList:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, lower-case hex, of the canonical JSON of {authzen, engine, lexicon, policies, tools}; without
    # such files there is no `authzen` or `tools`.
    digest: str
    items: List[ToolCatalogue]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class TrustEvidence:
    is_camel_case: ClassVar[bool] = True

    # The amount that counts on that day: capped and decayed, in full signals.
    positive: float
    # The amount that counts on that day: decayed, in full failures.
    negative: float
    last_signal_at: Optional[str]


@dataclass(frozen=True)
class TrustAsOf:
    # How many signals were folded: the first n of this agent.
    signals: int
    # UTC day, YYYY-MM-DD.
    day: str


@dataclass(frozen=True)
class Trust:
    is_camel_case: ClassVar[bool] = True

    agent_id: str
    # In decisions an unregistered agent has at most the score without evidence (250).
    registered: bool
    score: int
    level: int
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    # 1 without any evidence.
    uncertainty: float
    evidence: TrustEvidence
    as_of: TrustAsOf


@dataclass(frozen=True)
class TrustChangeCause:
    """The signals that led to the score, counted by type."""

    is_camel_case: ClassVar[bool] = True

    # Signals of the agent are numbered without gaps.
    first_signal: int
    last_signal: int
    success: int
    failure: int
    violation: int
    # The `custos.trust` record that holds these signals.
    proof_id: str


@dataclass(frozen=True)
class TrustChange:
    # RFC 3339, UTC, milliseconds.
    at: str
    score: int
    level: int
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    # The signals that led to the score, counted by type.
    cause: TrustChangeCause


@dataclass(frozen=True)
class TrustHistory:
    is_camel_case: ClassVar[bool] = True

    items: List[TrustChange]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class TrustSignal:
    is_camel_case: ClassVar[bool] = True

    # Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with
    # "custos:".
    agent_id: str
    # What was observed.
    type: Literal["success", "failure", "violation"]
    # Identifies the signal permanently: a repeat counts once, and a different signal with the same id is
    # refused (E2010).
    signal_id: Optional[str] = None
    # Whole thousandths: 0.001 to 1.
    weight: Optional[float] = None
    # RFC 3339.
    occurred_at: Optional[str] = None
    # The observer; no control characters.
    source: Optional[str] = None
    # An object of your own, at most 16 kB of JSON; kept with the signal.
    evidence: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class TrustSignalBatch:
    signals: List[TrustSignal]


@dataclass(frozen=True)
class TrustSignalsAccepted:
    is_camel_case: ClassVar[bool] = True

    # In the order of the request.
    signal_ids: List[str]


@dataclass(frozen=True)
class TrustSummary:
    score: int
    level: int
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    uncertainty: float


@dataclass(frozen=True)
class ValidatePoliciesRequest:
    # lexicon.json may be among them; the active lexicon is used otherwise.
    files: List[ReplayRequestFile]


@dataclass(frozen=True)
class ValidatePoliciesResponse:
    valid: bool
    digest: Optional[str]
    findings: List[Finding]


@dataclass(frozen=True)
class Verification:
    is_camel_case: ClassVar[bool] = True

    valid: bool
    failure: Optional[str]
    sentence: Optional[str]
    origin: Optional[str]
    size: Optional[int]
    root: Optional[str]
    index: Optional[int]
    proof_id: Optional[str]


@dataclass(frozen=True)
class ReferenceErrors:
    is_camel_case: ClassVar[bool] = True

    items: List[ReferenceError]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceScopes:
    is_camel_case: ClassVar[bool] = True

    items: List[ReferenceScope]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceTiers:
    is_camel_case: ClassVar[bool] = True

    items: List[ReferenceTier]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceRateLimits:
    is_camel_case: ClassVar[bool] = True

    items: List[ReferenceRateLimit]
    next_cursor: Optional[str]


# The decision, or for a request with `dry_run` what it would have been: `dry_run` tells them apart.
EnforceResponse = Union[Decision, DryRun]
# What the caller must do after DEGRADE: redact_fields {fields}, max_rows {limit}, read_only, rate {limit,
# perSeconds}, or another kind with its data in params.
Obligation = Dict[str, Any]
# The caller's own words, unchanged: the intent of an enforcement, action and resource of a submitted intent,
# or the tool that is called.
Requested = Union[RequestedIntent, RequestedActionResource, RequestedTool]
# One signal, or `signals` with up to a thousand.
TrustSignalsRequest = Union[TrustSignal, TrustSignalBatch]
