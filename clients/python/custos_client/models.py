# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The requests and answers of the API, in snake_case; with `is_camel_case` JSON has camelCase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, List, Literal, Optional, TypedDict, Union

from .unset import UNSET, Unset


@dataclass(frozen=True)
class AgentAttributesIgnored:
    # The attribute.
    name: str
    # How it contradicts its declaration.
    message: str


@dataclass(frozen=True)
class Agent:
    is_camel_case: ClassVar[bool] = True

    # Names it, for ever.
    agent_id: str
    # For people.
    name: str
    description: Optional[str]
    # What it is made for; a fact for policies.
    capabilities: List[str]
    # Words of your own; a fact for policies.
    tags: List[str]
    # Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
    attributes: Dict[str, Any]
    metadata: Optional[Dict[str, Any]]
    # ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which
    # is final.
    status: Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]
    trust: TrustSummary
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    updated_at: str
    # Attributes that contradict the declarations of the policy set in force: rules count them as missing.
    attributes_ignored: Optional[List[AgentAttributesIgnored]] = None


@dataclass(frozen=True)
class AgentCreate:
    is_camel_case: ClassVar[bool] = True

    # For people.
    name: str
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
    agent_id: Optional[str] = None
    # What it does, for people.
    description: Optional[str] = None
    # What it is made for; a fact for policies.
    capabilities: Optional[List[str]] = None
    # Words of your own; a fact for policies.
    tags: Optional[List[str]] = None
    # Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
    attributes: Optional[Dict[str, Any]] = None
    # An object of your own, at most 16 kB of JSON; returned unchanged.
    metadata: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class AgentList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[Agent]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class AgentUpdate:
    # For people.
    name: Optional[str] = None
    description: Union[Unset, Optional[str]] = UNSET
    # What it is made for; a fact for policies.
    capabilities: Optional[List[str]] = None
    # Words of your own; a fact for policies.
    tags: Optional[List[str]] = None
    # Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
    attributes: Optional[Dict[str, Any]] = None
    metadata: Union[Unset, Optional[Dict[str, Any]]] = UNSET
    # ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which
    # is final.
    status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None
    # Why the status changes; only together with `status`.
    reason: Optional[str] = None


@dataclass(frozen=True)
class Approval:
    is_camel_case: ClassVar[bool] = True

    requested: Optional[Requested]
    # Names it.
    approval_id: str
    # pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in
    # time.
    status: Literal["pending", "approved", "rejected", "expired", "used"]
    # The agent.
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
    approvers: Optional[List[ApprovalDemand]]
    # Those who approved, when the rules name approvers; oldest first.
    votes: List[ApprovalVote]
    decision: DecisionOnRecord


@dataclass(frozen=True)
class ApprovalDemand:
    is_camel_case: ClassVar[bool] = True

    # The policy whose rule demands it.
    policy: str
    # The name of the rule.
    rule: str
    # Keys that may approve.
    keys: List[str]
    # Keys with one of these tags may approve, too.
    tags: List[str]
    # How many different hands must approve.
    at_least: int
    # Keys whose votes count, one of each hand.
    approved_by: List[str]
    # How many votes are missing.
    missing: int


@dataclass(frozen=True)
class ApprovalDetailMasked:
    # The masked value in the arguments: a JSON Pointer (RFC 6901).
    pointer: str
    # name: its member is named like a secret. private_key: it holds a private key. credential: parts of it
    # have the form of a credential, and only these are masked.
    reason: Literal["name", "private_key", "credential"]


@dataclass(frozen=True)
class ApprovalDetail:
    is_camel_case: ClassVar[bool] = True

    requested: Optional[Requested]
    # Names it.
    approval_id: str
    # pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in
    # time.
    status: Literal["pending", "approved", "rejected", "expired", "used"]
    # The agent.
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
    approvers: Optional[List[ApprovalDemand]]
    # Those who approved, when the rules name approvers; oldest first.
    votes: List[ApprovalVote]
    decision: DecisionOnRecord
    # Whether the calling key may decide it while it is pending, and reject it until it is used: not the key
    # that asked, nor its rotations, ancestors or descendants.
    may_decide: bool
    # Whether `mayDecide`, the calling key is bound to no agents, and the rules name it, if they name
    # approvers.
    may_approve: bool
    # False: there are not enough valid admin keys that the rules name, so nobody can complete this approval.
    can_be_met: bool
    bound: Optional[Dict[str, Any]]
    # Which arguments of the tool call in `bound` are masked, and why.
    masked: List[ApprovalDetailMasked]
    context: Optional[Dict[str, Any]]


@dataclass(frozen=True)
class ApprovalList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[Approval]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ApprovalVerdict:
    # Stored in the log permanently.
    reason: str


@dataclass(frozen=True)
class ApprovalVote:
    # The key that approved.
    by: str
    # RFC 3339, UTC, milliseconds.
    at: str
    # The reason it gave.
    reason: str


@dataclass(frozen=True)
class ApproverDemand:
    # The policy whose rule demands it.
    policy: str
    # The name of the rule.
    rule: str
    # Keys that may approve.
    keys: List[str]
    # Keys with one of these tags may approve, too.
    tags: List[str]
    # How many different hands must approve.
    at_least: int


@dataclass(frozen=True)
class BudgetsLeftItem:
    # As in the policies.
    name: str
    # Of one window.
    limit: float
    # After this decision.
    left: float
    # How long a permission counts.
    window: str


@dataclass(frozen=True)
class CataloguedTool:
    is_camel_case: ClassVar[bool] = True

    # The name of the tool.
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
    reads: Optional[Dict[str, Literal[
        "shell", "sql", "http", "python", "javascript", "text", "content"
    ]]] = None
    # the digest of the definition that was approved: a call under another one counts as changed
    definition: Optional[str] = None


@dataclass(frozen=True)
class Checkpoint:
    is_camel_case: ClassVar[bool] = True

    # A number of leaves.
    size: int
    # SHA-256, lower-case hex.
    root: str
    # The signed note (C2SP tlog-checkpoint).
    note: str
    # RFC 3339, UTC, milliseconds.
    signed_at: str


@dataclass(frozen=True)
class CheckpointList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[Checkpoint]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class Consistency:
    # The smaller number of leaves.
    from_: int
    # The larger one.
    to: int
    # The consistency path.
    path: List[str]


@dataclass(frozen=True)
class DecisionPolicySet:
    """The policy set that was in force."""

    # Its SHA-256, lower-case hex.
    digest: str


@dataclass(frozen=True)
class DecisionProof:
    """The record of the decision in the log."""

    # For GET /v1/proofs/{id}.
    proof_id: str
    promise: Optional[Promise] = None


@dataclass(frozen=True)
class DecisionApproval:
    """With ESCALATE: the approval that a human must give, and until when; another than the named one where
    more is demanded now.
    """

    # Sent with the question once it is approved.
    approval_id: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    # Who must approve: what each rule demands, all of which must be met.
    approvers: Optional[List[ApproverDemand]] = None


@dataclass(frozen=True)
class Decision:
    # Names the decision, and its record.
    decision_id: str
    # Whether the verdict is ALLOW or DEGRADE.
    allowed: bool
    # DEGRADE permits with obligations; ESCALATE waits for a human.
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The agent that was asked about.
    agent_id: str
    # The key that asked.
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    # By severity, DENY first.
    reasons: List[Reason]
    obligations: List[Obligation]
    # The policy set that was in force.
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    # The record of the decision in the log.
    proof: DecisionProof
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    # X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the
    # first request.
    request_id: Optional[str] = None
    tool: Optional[ToolAnswer] = None
    budgets: Optional[BudgetsLeft] = None
    # With ESCALATE: the approval that a human must give, and until when; another than the named one where
    # more is demanded now.
    approval: Optional[DecisionApproval] = None
    # Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
    explanation: Optional[List[ExplainedRule]] = None


@dataclass(frozen=True)
class DecisionIntent:
    """How the question was read."""

    # `<domain>.<action>.<object>`.
    normalized: str
    # The first word of it.
    domain: str
    # The class of the verb.
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    # The caller's own verb.
    verb: str
    # Canonical, as policies match it.
    resource: str
    # What it does to the resource.
    effect: Literal["read", "write", "destructive"]
    # Properties that make it graver.
    traits: List[Literal["external", "privileged", "financial", "bulk", "irreversible", "illicit"]]
    risk: Risk
    # Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not.
    parsed: bool
    requested: Optional[Requested] = None


@dataclass(frozen=True)
class DecisionList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[DecisionOnRecord]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class DecisionOnRecord:
    """A stored decision: the original answer, and whether it stands now."""

    # Names the decision, and its record.
    decision_id: str
    # Whether the verdict is ALLOW or DEGRADE.
    allowed: bool
    # DEGRADE permits with obligations; ESCALATE waits for a human.
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The agent that was asked about.
    agent_id: str
    # The key that asked.
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    # By severity, DENY first.
    reasons: List[Reason]
    obligations: List[Obligation]
    # The policy set that was in force.
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    # The record of the decision in the log.
    proof: DecisionProof
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    # Whether it may be acted upon now.
    stands: bool
    # X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the
    # first request.
    request_id: Optional[str] = None
    tool: Optional[ToolAnswer] = None
    budgets: Optional[BudgetsLeft] = None
    # With ESCALATE: the approval that a human must give, and until when; another than the named one where
    # more is demanded now.
    approval: Optional[DecisionApproval] = None
    # The first reason why it does not stand: it permits nothing, it has expired, the environment is halted,
    # the agent is not active, or the key that asked (with its rotations) is no longer valid.
    stands_reason: Optional[Literal[
        "verdict", "expired", "halted", "agent_not_active", "key_invalid", "not_carried_out"
    ]] = None


@dataclass(frozen=True)
class DecisionTrustAsOf:
    """What the score was computed from."""

    # How many signals were counted.
    signals: int
    # UTC day, YYYY-MM-DD.
    day: str


@dataclass(frozen=True)
class DecisionTrust:
    """The trust in the agent."""

    claimed_level: Optional[int]
    # What the signals about the agent say.
    recorded_level: int
    # The lower of the two.
    effective_level: int
    # The recorded score.
    score: int
    # 1 without any evidence.
    uncertainty: float
    # What the score was computed from.
    as_of: DecisionTrustAsOf


@dataclass(frozen=True)
class DropStageRequest:
    # Why; stored in every log permanently.
    reason: str


@dataclass(frozen=True)
class DryRun:
    """The verdict that a decision would have."""

    # Tells it from a decision.
    dry_run: Literal[True]
    # A dry run permits nothing.
    allowed: Literal[False]
    # DEGRADE permits with obligations; ESCALATE waits for a human.
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The agent that was asked about.
    agent_id: str
    # The key that asked.
    key_id: str
    intent: DecisionIntent
    trust: DecisionTrust
    # By severity, DENY first.
    reasons: List[Reason]
    obligations: List[Obligation]
    # The policy set that was in force.
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    tool: Optional[ToolAnswer] = None
    budgets: Optional[BudgetsLeft] = None
    # Every candidate rule with its conditions, the values that they compared, and why a rule was skipped.
    explanation: Optional[List[ExplainedRule]] = None


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
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
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
    # written or tool call with all its arguments, intent_id and context.
    approval_id: Optional[str] = None
    # Needs admin:*.
    explain: Optional[bool] = None
    # Needs admin:*.
    dry_run: Optional[bool] = None


@dataclass(frozen=True)
class ExplainedRuleConditionExpectedFact:
    """The fact that the rule compares with."""

    # The fact.
    fact: str
    # Its member.
    path: Optional[str] = None


@dataclass(frozen=True)
class ExplainedRuleConditionItem:
    """The item that decided."""

    # From 0.
    index: int
    # The item.
    actual: Any


@dataclass(frozen=True)
class ExplainedRuleCondition:
    is_camel_case: ClassVar[bool] = True

    # The fact that is compared.
    fact: str
    # How it is compared.
    operator: str
    # The value in the rule; of a comparison of two facts, that of expectedFact.
    expected: Any
    # Whether the fact is missing.
    missing: bool
    # Whether the condition holds.
    result: bool
    # The member of the fact.
    path: Optional[str] = None
    # The named condition that it is part of.
    condition: Optional[str] = None
    # The constant that is the expected value.
    constant: Optional[str] = None
    # The fact that the rule compares with.
    expected_fact: Optional[ExplainedRuleConditionExpectedFact] = None
    # The value of the fact.
    actual: Optional[Any] = None
    # The item that decided.
    item: Optional[ExplainedRuleConditionItem] = None


@dataclass(frozen=True)
class ExplainedRuleBudget:
    """The budget of the rule."""

    # Its name.
    name: str
    # How long a permission counts.
    window: str
    # What permissions of one window may add up to.
    limit: float
    # What was used before; 0 where the use was not read.
    used: float
    # What this request needs.
    amount: Optional[float] = None


@dataclass(frozen=True)
class ExplainedRuleAlternative:
    # The alternative in words.
    text: str
    # Its comparisons: positions in `conditions`, from 0.
    conditions: List[int]
    # The comparisons of all alternatives of the same `any`.
    of: List[int]


@dataclass(frozen=True)
class ExplainedRule:
    # The id of the policy.
    policy: str
    # The name of its rule.
    rule: str
    # What the rule demands.
    effect: str
    # Whether its conditions hold.
    matched: bool
    # Its conditions, in their order.
    conditions: List[ExplainedRuleCondition]
    # Why it was skipped, or did not count although its conditions hold.
    skipped: Optional[str] = None
    # The budget of the rule.
    budget: Optional[ExplainedRuleBudget] = None
    # Alternatives of `any`, each of which alone decides whether the rule holds; absent when there are none.
    alternatives: Optional[List[ExplainedRuleAlternative]] = None


@dataclass(frozen=True)
class FieldError:
    # RFC 6901 pointer into the body, or ?name for a query parameter, {name} for a path parameter
    pointer: str
    # what is wrong there
    message: str


@dataclass(frozen=True)
class Finding:
    # The file, below the policy folder.
    file: str
    # From 1.
    line: int
    # From 1, in characters.
    column: int
    # RFC 6901, into the file.
    pointer: str
    # The kind of problem, for programs.
    code: str
    # The problem, for people.
    message: str
    # Absent: error.
    severity: Optional[Literal["error", "warning"]] = None
    # How to fix it.
    hint: Optional[str] = None
    # A request that demonstrates it.
    example: Optional[str] = None


@dataclass(frozen=True)
class FollowFolderRequest:
    # Why; stored in every log permanently.
    reason: str
    # The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
    signature: Optional[str] = None


@dataclass(frozen=True)
class HaltLift:
    # Why the environment may act again.
    reason: Optional[str] = None


@dataclass(frozen=True)
class HaltRequest:
    # Stored in the log permanently.
    reason: str


@dataclass(frozen=True)
class HaltState:
    is_camel_case: ClassVar[bool] = True

    # That of the key.
    environment: Literal["live", "test", "dev"]
    # Whether every verdict is DENY now.
    halted: bool
    reason: Optional[str]
    key_id: Optional[str]
    since: Optional[str]


@dataclass(frozen=True)
class HaltedEnvironment:
    # Its slug.
    organisation: str
    # The environment whose verdicts are all DENY.
    environment: Literal["live", "test", "dev"]
    # The reason that was given.
    reason: str


@dataclass(frozen=True)
class Health:
    # The process answers.
    status: Literal["alive"]


@dataclass(frozen=True)
class IntentUnread:
    # Offset.
    at: int
    # Without secrets.
    text: str


@dataclass(frozen=True)
class IntentAlternative:
    # Likewise.
    normalized: str
    # The class of the verb.
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    # The caller's own verb, in its base form; `unknown` when none was found.
    verb: str
    # What the verb acts on.
    object: str
    # What it does to the object.
    effect: Literal["read", "write", "destructive"]
    # How sure the reading is, with three decimals.
    confidence: float


@dataclass(frozen=True)
class IntentEntitiesMoney:
    # In the currency's major unit.
    amount: float
    # ISO 4217.
    currency: str


@dataclass(frozen=True)
class IntentEntities:
    """What the text names."""

    # Mail addresses.
    emails: List[str]
    # Addresses of pages and services.
    urls: List[str]
    # Names and addresses of hosts.
    hosts: List[str]
    # Sums of money.
    money: List[IntentEntitiesMoney]
    # Paths of files.
    paths: List[str]
    # Of tickets, invoices and the like.
    identifiers: List[str]


@dataclass(frozen=True)
class IntentTrustClaimed:
    """What the request claims."""

    # 0 to 1000.
    score: int
    # The level of the score.
    level: int


@dataclass(frozen=True)
class IntentTrustRecorded:
    """What the signals about the agent say."""

    # 0 to 1000.
    score: int
    # The level of the score.
    level: int


@dataclass(frozen=True)
class IntentTrustEffective:
    """The lower of the two."""

    # 0 to 1000.
    score: int
    # The level of the score.
    level: int


@dataclass(frozen=True)
class IntentTrust:
    """The trust in the agent."""

    claimed: Optional[IntentTrustClaimed]
    # What the signals about the agent say.
    recorded: IntentTrustRecorded
    # The lower of the two.
    effective: IntentTrustEffective


@dataclass(frozen=True)
class Intent:
    # The intent_id of a parse.
    intent_id: str
    # The agent.
    agent_id: str
    # `<domain>.<action>.<object>`, as strict as the text; parsing it again returns it.
    normalized: str
    # The kind of thing: `data`, `db`, `email`, ...
    domain: str
    # The class of the verb.
    action: Literal[
        "read", "create", "update", "delete", "execute", "send", "transfer", "grant", "revoke", "unknown"
    ]
    # The caller's own verb, in its base form; `unknown` when none was found.
    verb: str
    # What the verb acts on.
    object: str
    # Canonical resources that are named.
    places: List[str]
    # What it does to the object.
    effect: Literal["read", "write", "destructive"]
    # Properties that make it graver.
    traits: List[Literal["external", "privileged", "financial", "bulk", "irreversible", "illicit"]]
    # How many objects are affected.
    extent: Literal["one", "many", "all"]
    # How sure the reading is, with three decimals.
    confidence: float
    # The share of the text that was read, with three decimals.
    coverage: float
    # What it does not account for.
    unread: List[IntentUnread]
    # Other actions that it may request.
    alternatives: List[IntentAlternative]
    # What the text names.
    entities: IntentEntities
    # Sensitive kinds of data.
    data_classes: List[Literal["credentials", "pii", "financial", "health"]]
    # Warnings about the text itself.
    flags: List[Literal[
        "prompt_injection", "obfuscated", "negated", "multi_action", "not_understood", "secret_in_text",
        "destructive_words"
    ]]
    risk: Risk
    # The trust in the agent.
    trust: IntentTrust
    # The verdict of this text enforced now.
    verdict_preview: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The policy set that was in force.
    policy_set: DecisionPolicySet
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # Surely; absent otherwise.
    harmless: Optional[bool] = None
    # Of the second reader; absent when it was not asked.
    second_reading: Optional[Literal["agreed", "raised", "away"]] = None
    # Its reason.
    second_reading_why: Optional[str] = None
    # What it made stricter: `effect destructive`.
    second_reading_raised: Optional[List[str]] = None


@dataclass(frozen=True)
class IntentAccepted:
    is_camel_case: ClassVar[bool] = True

    # For GET /v1/intents/{id}.
    intent_id: str
    # It waits for a worker.
    status: Literal["queued"]


@dataclass(frozen=True)
class IntentRequest:
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
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

    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
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
    # For people.
    name: str
    # What it may do: see GET /v1/reference/scopes.
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    # Words of your own; a fact for policies.
    tags: List[str]
    # Where it works.
    environment: Literal["live", "test", "dev"]
    # Its rate limit: see GET /v1/reference/rate-limits.
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

    # For people.
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
    # Words of your own; the fact `key.tags` of policies, which also name approvers by them.
    tags: Optional[List[str]] = None
    # Default: the calling key's.
    environment: Optional[Literal["live", "test", "dev"]] = None
    # Rate limit tier, at most the organisation's.
    tier: Optional[int] = None


@dataclass(frozen=True)
class KeyCreated:
    is_camel_case: ClassVar[bool] = True

    # Names the key; not secret.
    key_id: str
    # For people.
    name: str
    # What it may do: see GET /v1/reference/scopes.
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    # Words of your own; a fact for policies.
    tags: List[str]
    # Where it works.
    environment: Literal["live", "test", "dev"]
    # Its rate limit: see GET /v1/reference/rate-limits.
    tier: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    expires_at: Optional[str]
    # The key itself.
    key: Optional[str] = field(default=None, repr=False)


@dataclass(frozen=True)
class KeyList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
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
    # For people.
    name: str
    # What it may do: see GET /v1/reference/scopes.
    scopes: List[Literal[
        "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"
    ]]
    agent_ids: Optional[List[str]]
    # Types of obligations that its holder keeps.
    keeps_obligations: List[str]
    # Words of your own; a fact for policies.
    tags: List[str]
    # Where it works.
    environment: Literal["live", "test", "dev"]
    # Its rate limit: see GET /v1/reference/rate-limits.
    tier: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    expires_at: Optional[str]
    # The old key, and when it ends.
    replaces: KeyRotatedReplaces
    # The key itself.
    key: Optional[str] = field(default=None, repr=False)


@dataclass(frozen=True)
class LeafHashes:
    """At most 1,000 hashes; `to` is the end of the returned range."""

    # The smaller number of leaves.
    from_: int
    # The larger one.
    to: int
    # Of the leaves from `from` up to `to`.
    hashes: List[str]


@dataclass(frozen=True)
class LogKeysItem:
    is_camel_case: ClassVar[bool] = True

    # Its thumbprint (RFC 7638).
    key_id: str
    # A C2SP note verifier key, named by the origin of the log, or `<origin>/promise`.
    vkey: str
    # What it signs: checkpoints, or promises.
    use: Literal["log", "promise"]
    # The smallest tree that it may sign; 0 of a promise key.
    first_size: int
    last_size: Optional[int]


@dataclass(frozen=True)
class LogKeys:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[LogKeysItem]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class OutcomeAnswer:
    is_camel_case: ClassVar[bool] = True

    # The decision.
    decision_id: str
    # done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried,
    # and will not be.
    outcome: Literal["done", "failed", "not_carried_out"]
    detail: Optional[str]
    # RFC 3339, UTC, milliseconds.
    reported_at: str


@dataclass(frozen=True)
class OutcomeRequest:
    # done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried,
    # and will not be.
    outcome: Literal["done", "failed", "not_carried_out"]
    # Stored in the log permanently.
    detail: Optional[str] = None


@dataclass(frozen=True)
class PolicyActivation:
    is_camel_case: ClassVar[bool] = True

    # RFC 3339, UTC, milliseconds.
    activated_at: str
    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    previous_digest: Optional[str]
    organisation: Optional[str]
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # Where the set comes from.
    source: Literal["folder", "push", "rollback", "stage"]
    approver: Optional[str]
    signer: Optional[str]


@dataclass(frozen=True)
class PolicyActivationList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[PolicyActivation]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class PolicyApproval:
    """A change that waits for the approval of a second person, or waited."""

    is_camel_case: ClassVar[bool] = True

    # Names it.
    approval_id: str
    # used: approved, and put into force; superseded: another set was put into force before it was decided.
    status: Literal["pending", "used", "rejected", "superseded", "expired"]
    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    previous_digest: Optional[str]
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # Where the set comes from.
    source: Literal["folder", "push", "rollback", "stage"]
    signer: Optional[str]
    signature: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    decided_at: Optional[str]
    decided_by: Optional[str]
    decision_reason: Optional[str]
    # Approvals while CUSTOS_POLICY_QUORUM demands more.
    votes: List[ApprovalVote]
    # Absent: for all.
    stage: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class PolicyApprovalDetail:
    is_camel_case: ClassVar[bool] = True

    # Names it.
    approval_id: str
    # used: approved, and put into force; superseded: another set was put into force before it was decided.
    status: Literal["pending", "used", "rejected", "superseded", "expired"]
    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    previous_digest: Optional[str]
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # Where the set comes from.
    source: Literal["folder", "push", "rollback", "stage"]
    signer: Optional[str]
    signature: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    expires_at: str
    decided_at: Optional[str]
    decided_by: Optional[str]
    decision_reason: Optional[str]
    # Approvals while CUSTOS_POLICY_QUORUM demands more.
    votes: List[ApprovalVote]
    author_key: Optional[Dict[str, Any]]
    # Whether the calling key may decide while it is pending.
    may_decide: bool
    # Absent: for all.
    stage: Optional[Dict[str, Any]] = None
    comparison: Optional[PolicyComparison] = None


@dataclass(frozen=True)
class PolicyApprovalList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[PolicyApproval]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class PolicyChangeResult:
    is_camel_case: ClassVar[bool] = True

    # unchanged: in force already; waiting: for `approval`; staged: see GET /v1/policies/stages; dropped: no
    # longer staged; checked: dryRun.
    status: Literal["activated", "unchanged", "waiting", "staged", "dropped", "checked"]
    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    previous_digest: Optional[str]
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # Where the set comes from.
    source: Literal["folder", "push", "rollback", "stage"]
    signer: Optional[str]
    # Warnings.
    findings: List[Finding]
    # With staged and dropped: the slugs of the organisations concerned.
    organisations: Optional[List[str]] = None
    approval: Optional[PolicyApproval] = None
    comparison: Optional[PolicyComparison] = None


@dataclass(frozen=True)
class PolicyComparisonPart:
    # The id of a policy, `tools/` and a server, `lexicon`, ...
    name: str
    # What happens to it.
    change: Literal["added", "removed", "changed"]


@dataclass(frozen=True)
class PolicyComparisonExample:
    # The changed rule, as `policy/rule`.
    rule: str
    # The set that has the rule.
    in_: Literal["before", "after"]
    # The action and the resource of the request.
    intent: str
    # live, test or dev.
    environment: str
    # The facts that the rule reads; null: missing.
    facts: Dict[str, Any]
    # The verdict.
    before: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The verdict.
    after: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # In what they differ.
    differs: List[Literal["verdict", "obligations", "approvers", "ttl", "budgets"]]


@dataclass(frozen=True)
class PolicyComparison:
    """The difference of two sets; absent when this version can not load one of them."""

    is_camel_case: ClassVar[bool] = True

    # SHA-256, in hex, of the canonical JSON of the set.
    before: str
    # SHA-256, in hex, of the canonical JSON of the set.
    after: str
    # The parts that differ.
    parts: List[PolicyComparisonPart]
    # Requests that the sets answer differently, at most one for each changed rule.
    examples: List[PolicyComparisonExample]
    # Changed rules for which the limited search found no such request.
    without_example: List[str]


@dataclass(frozen=True)
class PolicySetStatusFolder:
    """The policy folder."""

    is_camel_case: ClassVar[bool] = True

    digest: Optional[str]
    # Whether edits come into force.
    is_followed: bool


@dataclass(frozen=True)
class PolicySetStatusLastRead:
    """The last reading of the policy folder."""

    at: Optional[str]
    # Whether the folder was accepted.
    ok: bool
    # Problems and warnings.
    findings: List[Finding]


@dataclass(frozen=True)
class PolicySetStatusOwnMisfit:
    # The id of the own policy.
    policy: str
    # RFC 6901, into the policy.
    pointer: str
    # Why it does not fit.
    message: str


@dataclass(frozen=True)
class PolicySetStatusOwn:
    """The organisation's own policies; absent without any, and for the operator."""

    # Their ids among `policies`.
    policies: List[str]
    author: Optional[str]
    reason: Optional[str]
    # Own policies that are no longer valid beside the installation's set.
    misfits: List[PolicySetStatusOwnMisfit]


@dataclass(frozen=True)
class PolicySetStatusOrganisation:
    """An organisation whose set is not the installation's."""

    is_camel_case: ClassVar[bool] = True

    # The slug.
    organisation: str
    digest: Optional[str]
    # Whether the organisation has policies of its own.
    has_own: bool
    staged: Optional[str]
    author: Optional[str]
    reason: Optional[str]
    # Own policies that are no longer valid beside the installation's set.
    misfits: List[PolicySetStatusOwnMisfit]


@dataclass(frozen=True)
class PolicySetStatus:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    # RFC 3339, UTC, milliseconds.
    activated_at: str
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # Where the set comes from.
    source: Literal["folder", "push", "rollback", "stage"]
    policies: List[Dict[str, Any]]
    # The policy folder.
    folder: PolicySetStatusFolder
    # The last reading of the policy folder.
    last_read: PolicySetStatusLastRead
    # The organisation's own policies; absent without any, and for the operator.
    own: Optional[PolicySetStatusOwn] = None
    # For the operator: organisations whose set is not the installation's.
    organisations: Optional[List[PolicySetStatusOrganisation]] = None
    # The attributes of agents and resources: see /schemas/attributes.json.
    attributes: Optional[Dict[str, Any]] = None
    resources: Optional[List[Dict[str, Any]]] = None
    # Named conditions and constants: see /schemas/terms.json.
    terms: Optional[Dict[str, Any]] = None
    tools: Optional[List[Dict[str, Any]]] = None


@dataclass(frozen=True)
class PolicyStage:
    """In force for `organisations`; with `share` in shadow for `shareOf` (null: all)."""

    is_camel_case: ClassVar[bool] = True

    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    # `folder`, the id of a key, or `cli:` and the name of a user of the shell.
    author: str
    reason: Optional[str]
    # RFC 3339, UTC, milliseconds.
    staged_at: str
    # Slugs.
    organisations: List[str]
    share: Optional[float]
    share_of: Optional[List[str]]
    shadow: Optional[ShadowedDraft]


@dataclass(frozen=True)
class PolicyStageList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[PolicyStage]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class Problem:
    """Why a request was refused or failed (RFC 9457)."""

    is_camel_case: ClassVar[bool] = True

    # a reference that names the kind of problem
    type: str
    # the name of the code
    title: str
    # the HTTP status
    status: int
    # what was wrong with this request, and what to do
    detail: str
    # the same as `detail`, under the name that clients of other services read
    message: str
    # the path of the request
    instance: str
    # what happened: see GET /v1/reference/errors
    code: Literal[
        "E1001", "E1002", "E1003", "E1004", "E2001", "E2005", "E2006", "E2009", "E2010", "E3001", "E4001",
        "E4002", "E4003", "E4004", "E4005", "E4006", "E5001", "E5002", "E5003", "E5004", "E6001", "E6002"
    ]
    # the kind of the code
    category: Literal["authentication", "validation", "limit", "not_found", "conflict", "internal"]
    # whether the same request may succeed later
    retryable: bool
    # X-Request-Id of the answer
    request_id: str
    # the members that are wrong, at most 20
    errors: Optional[List[FieldError]] = None


class _PromiseAlways(TypedDict):
    log: str
    proofId: str
    recordDigest: str
    issuedAt: str
    deadline: str
    keyId: str


class Promise(_PromiseAlways, total=False):
    """A signed promise that the record will be in the log by the deadline, with `signature` or `batch`. A
    dictionary with the members of the wire: store it as it is.
    """

    signature: str
    batch: PromiseBatch


class PromiseBatch(TypedDict):
    """One signature for several promises of a log. A dictionary with the members of the wire: store it as it
    is.
    """

    size: int
    index: int
    path: List[str]
    signature: str


@dataclass(frozen=True)
class PromotePoliciesRequest:
    is_camel_case: ClassVar[bool] = True

    # Of the set: SHA-256, lower-case hex.
    digest: str
    # Why; stored in every log permanently.
    reason: str
    # The set that must be in force; else 409.
    expected_digest: Optional[str] = None
    # The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
    signature: Optional[str] = None


@dataclass(frozen=True)
class Proof:
    is_camel_case: ClassVar[bool] = True

    # Names the record.
    proof_id: str
    # It is in the log.
    status: Literal["anchored"]
    # What is proven.
    event: str
    # What the record is about.
    entity_id: str
    record: Optional[str]
    # Position in the log.
    index: int
    # Position in the entity's chain.
    chain_index: int
    # SHA-256 of the record.
    event_hash: str
    # The eventHash of the record before it in the entity's chain.
    previous_hash: str
    # RFC 3339, UTC, milliseconds.
    occurred_at: str
    # RFC 3339, UTC, milliseconds.
    anchored_at: str


@dataclass(frozen=True)
class ProofAccepted:
    is_camel_case: ClassVar[bool] = True

    # Names the record.
    proof_id: str
    # pending: accepted and durable; anchored: in the log.
    status: Literal["pending", "anchored"]
    # SHA-256 of JCS of the record without its previousHash, lower-case hex.
    record_digest: str
    promise: Promise


@dataclass(frozen=True)
class ProofBatchAccepted:
    # In the order of the request.
    proofs: List[ProofAccepted]


@dataclass(frozen=True)
class ProofBatchCreate:
    # Anchored in this order.
    proofs: List[ProofCreate]


@dataclass(frozen=True)
class ProofChainHead:
    """The newest record of the chain; null: there is none."""

    is_camel_case: ClassVar[bool] = True

    # Its position in the chain.
    chain_index: int
    # SHA-256 of the record.
    event_hash: str


@dataclass(frozen=True)
class ProofChain:
    is_camel_case: ClassVar[bool] = True

    # What the record is about.
    entity_id: str
    head: Optional[ProofChainHead]
    # One page of them.
    items: List[Proof]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ProofCreate:
    is_camel_case: ClassVar[bool] = True

    # What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".
    event: str
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
    entity_id: str
    # Any JSON object.
    payload: Dict[str, Any]
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
    proof_id: Optional[str] = None


@dataclass(frozen=True)
class ProofList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[ProofListItem]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ProofListItem:
    is_camel_case: ClassVar[bool] = True

    # Names the record.
    proof_id: str
    # pending: accepted and durable; anchored: in the log.
    status: Literal["pending", "anchored"]
    # What is proven.
    event: str
    # What the record is about.
    entity_id: str
    index: Optional[int]
    # RFC 3339, UTC, milliseconds.
    occurred_at: str


@dataclass(frozen=True)
class PushPoliciesRequestFile:
    # Relative to the policy folder, with `/`, such as `payments/refunds.json`.
    path: str
    # The text of the file.
    text: str


@dataclass(frozen=True)
class PushPoliciesRequestStage:
    """For some organisations, or with `share` only in shadow; see POST /v1/policies/promote."""

    # The organisations concerned; the others keep their set.
    organisations: Optional[List[str]] = None
    # Share of live decisions that are evaluated under the set in shadow.
    share: Optional[float] = None


@dataclass(frozen=True)
class PushPoliciesRequest:
    is_camel_case: ClassVar[bool] = True

    # The whole set: what is not among them is no longer in force.
    files: List[PushPoliciesRequestFile]
    # Why; stored in every log permanently.
    reason: str
    # The set that must be in force; else 409.
    expected_digest: Optional[str] = None
    # The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
    signature: Optional[str] = None
    # Only check and compare.
    dry_run: Optional[bool] = None
    # For some organisations, or with `share` only in shadow; see POST /v1/policies/promote.
    stage: Optional[PushPoliciesRequestStage] = None


@dataclass(frozen=True)
class Readiness:
    # Whether requests may be sent here.
    status: Literal["ready", "not_ready", "stopping"]
    # One for each part whose state is known.
    checks: List[ReadinessCheck]
    # parts that are down and that the service can do without for a while
    degraded: List[str]
    # parts whose state could not be read now, for example because the database is away
    unknown: List[str]
    # halted environments, when they could be read; for the operator only
    halted: Optional[List[HaltedEnvironment]] = None


@dataclass(frozen=True)
class ReadinessCheck:
    # The part.
    name: str
    # Whether it works.
    ok: bool
    # Why it does not; for the operator only.
    detail: Optional[str] = None


@dataclass(frozen=True)
class Reason:
    # The id of the policy, or of the rules that the service itself has.
    policy: str
    # The name of its rule.
    rule: str
    # What the rule demands.
    effect: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # For programs: stable while the rule keeps its meaning.
    code: str
    # For people.
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
    # The code.
    code: str
    # The HTTP statuses that it can have.
    statuses: List[int]
    # Its name.
    title: str
    # Its kind.
    category: str
    # Whether the same request may succeed later.
    retryable: bool
    # When it is given.
    when: str


@dataclass(frozen=True)
class ReferenceRateLimit:
    is_camel_case: ClassVar[bool] = True

    # Of a key: 0 to 7.
    tier: int
    # Requests in each second.
    per_second: int
    # Requests in each minute.
    per_minute: int


@dataclass(frozen=True)
class ReferenceScope:
    # The scope.
    scope: str
    # What it permits.
    permits: str


@dataclass(frozen=True)
class ReferenceTier:
    # 0 to 7.
    level: int
    # Its name.
    name: str
    # The lowest score.
    from_: int
    # The highest score.
    to: int


@dataclass(frozen=True)
class ReplayDraft:
    """What is evaluated."""

    # Of a policy set, SHA-256, lower-case hex.
    digest: str


@dataclass(frozen=True)
class ReplayProgress:
    """Counted in decisions."""

    # Decisions that are done.
    replayed: int
    # All of the range.
    total: int


@dataclass(frozen=True)
class Replay:
    is_camel_case: ClassVar[bool] = True

    # For GET /v1/policies/replays/{id}.
    replay_id: str
    # How far the job is.
    status: Literal["queued", "running", "done", "failed"]
    # What is evaluated.
    draft: ReplayDraft
    # Counted in decisions.
    progress: ReplayProgress
    # RFC 3339, UTC, milliseconds.
    created_at: str
    finished_at: Optional[str]
    error: Optional[str]
    report: Optional[ReplayReport]


@dataclass(frozen=True)
class ReplayReportDraft:
    """What was evaluated."""

    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    # Its number of policies.
    policies: int


@dataclass(frozen=True)
class ReplayReportRange:
    """Which decisions."""

    is_camel_case: ClassVar[bool] = True

    from_: Optional[str]
    # RFC 3339, UTC, milliseconds.
    to: str
    organisation: Optional[str]
    environment: Optional[str]
    agent_id: Optional[str]
    limit: Optional[int]


@dataclass(frozen=True)
class ReplayReportTransition:
    # The recorded verdict.
    from_: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The verdict under the draft.
    to: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # How many.
    decisions: int


@dataclass(frozen=True)
class ReplayReportSet:
    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    # How many it made.
    decisions: int
    # Whether its lexicon is the draft's.
    lexicon: Literal["same", "other", "unknown"]


@dataclass(frozen=True)
class ReplayReport:
    """What the draft would have decided otherwise."""

    is_camel_case: ClassVar[bool] = True

    # What was evaluated.
    draft: ReplayReportDraft
    # Which decisions.
    range: ReplayReportRange
    decisions: ReplayReportDecisions
    changed: ReplayReportChanged
    # The same verdict and obligations for other reasons.
    other_reasons: int
    # The changes of verdicts.
    transitions: List[ReplayReportTransition]
    rules: ReplayReportRules
    agents: ReplayReportAgents
    resources: ReplayReportResources
    environments: ReplayReportEnvironments
    # For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
    examples: List[ReplayReportExamples]
    # The policy sets of the decisions, and whether their lexicon is that of the draft.
    sets: List[ReplayReportSet]
    # Caveats, as sentences.
    notes: List[str]


@dataclass(frozen=True)
class ReplayReportAgentsItem:
    is_camel_case: ClassVar[bool] = True

    # Its slug.
    organisation: str
    # live, test or dev.
    environment: str
    # The agent.
    agent_id: str
    # Changed decisions.
    decisions: int
    # Those whose verdict is stricter under the draft.
    stricter: int
    # Those whose verdict is looser under the draft.
    looser: int


@dataclass(frozen=True)
class ReplayReportAgents:
    """Changed decisions by agent."""

    # The largest first.
    items: List[ReplayReportAgentsItem]
    # Further entries, not shown.
    more: int
    # Changes of entries that were too many to be counted one by one.
    beyond: int


@dataclass(frozen=True)
class ReplayReportChanged:
    """How many would be different."""

    # Changed decisions.
    decisions: int
    # Those whose verdict is stricter under the draft.
    stricter: int
    # Those whose verdict is looser under the draft.
    looser: int
    # DEGRADE, with other obligations.
    obligations: int
    # ESCALATE, with other approvers.
    approvers: int
    # ESCALATE, with another lifetime.
    ttl: int
    # From other budgets.
    budgets: int


@dataclass(frozen=True)
class ReplayReportDecisionsNotEvaluable:
    """Those that could not be evaluated again."""

    is_camel_case: ClassVar[bool] = True

    # All of them.
    total: int
    # Retention has erased their facts.
    facts_erased: int
    # Record or facts were altered; `custos decision verify` gives details.
    damaged: int
    # Their facts do not give the recorded result under the set that made them.
    not_reproduced: int


@dataclass(frozen=True)
class ReplayReportDecisions:
    """How many decisions were looked at."""

    is_camel_case: ClassVar[bool] = True

    # All of the range.
    total: int
    # Those that were evaluated again.
    evaluated: int
    # Answers that do not depend on policies: halts, refused approvals, failed evaluations.
    standing: int
    # Those that could not be evaluated again.
    not_evaluable: ReplayReportDecisionsNotEvaluable


@dataclass(frozen=True)
class ReplayReportEnvironmentsItem:
    # Its slug.
    organisation: str
    # live, test or dev.
    environment: str
    # Changed decisions.
    decisions: int
    # Those whose verdict is stricter under the draft.
    stricter: int
    # Those whose verdict is looser under the draft.
    looser: int


@dataclass(frozen=True)
class ReplayReportEnvironments:
    """Changed decisions by organisation and environment."""

    # The largest first.
    items: List[ReplayReportEnvironmentsItem]
    # Further entries, not shown.
    more: int
    # Changes of entries that were too many to be counted one by one.
    beyond: int


@dataclass(frozen=True)
class ReplayReportExamplesBefore:
    """As it was recorded."""

    # The verdict.
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The first five.
    reasons: List[Reason]
    # Its obligations.
    obligations: List[Dict[str, Any]]


@dataclass(frozen=True)
class ReplayReportExamplesAfter:
    """Under the draft."""

    # The verdict.
    verdict: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # The first five.
    reasons: List[Reason]
    # Its obligations.
    obligations: List[Dict[str, Any]]


@dataclass(frozen=True)
class ReplayReportExamplesTool:
    """The tool that was called; absent for other questions."""

    # The source of the tool.
    server: str
    # Its name.
    name: str


@dataclass(frozen=True)
class ReplayReportExamples:
    is_camel_case: ClassVar[bool] = True

    # The decision.
    decision_id: str
    # RFC 3339, UTC, milliseconds.
    evaluated_at: str
    # Its slug.
    organisation: str
    # live, test or dev.
    environment: str
    # The agent.
    agent_id: str
    # The normalized intent.
    intent: str
    # The canonical resource.
    resource: str
    # As it was recorded.
    before: ReplayReportExamplesBefore
    # Under the draft.
    after: ReplayReportExamplesAfter
    # The tool that was called; absent for other questions.
    tool: Optional[ReplayReportExamplesTool] = None
    # In what they differ.
    differs: Optional[List[Literal["verdict", "obligations", "approvers", "ttl", "budgets"]]] = None


@dataclass(frozen=True)
class ReplayReportResourcesItem:
    # The canonical resource.
    resource: str
    # Changed decisions.
    decisions: int
    # Those whose verdict is stricter under the draft.
    stricter: int
    # Those whose verdict is looser under the draft.
    looser: int


@dataclass(frozen=True)
class ReplayReportResources:
    """Changed decisions by resource."""

    # The largest first.
    items: List[ReplayReportResourcesItem]
    # Further entries, not shown.
    more: int
    # Changes of entries that were too many to be counted one by one.
    beyond: int


@dataclass(frozen=True)
class ReplayReportRulesItem:
    is_camel_case: ClassVar[bool] = True

    # The id of the policy.
    policy: str
    # The name of its rule.
    rule: str
    # What it demands.
    effect: Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]
    # Decisions that have it as a reason under the draft only.
    newly: int
    # Decisions that have it as a reason in the record only.
    no_longer: int


@dataclass(frozen=True)
class ReplayReportRules:
    """Changed decisions by rules that are newly, or no longer, among their reasons."""

    # The largest first.
    items: List[ReplayReportRulesItem]
    # Further entries, not shown.
    more: int
    # Changes of entries that were too many to be counted one by one.
    beyond: int


@dataclass(frozen=True)
class ReplayRequestFile:
    # The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource,
    # attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy.
    path: str
    # The text of the file.
    text: str


@dataclass(frozen=True)
class ReplayRequest:
    """The draft, as files or as the digest of a set that was in force; and which decisions."""

    is_camel_case: ClassVar[bool] = True

    # A lexicon may be among them; else that in force is used.
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
    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
    agent_id: Optional[str] = None


@dataclass(frozen=True)
class RequestedIntent:
    # Of an enforcement.
    intent: str


@dataclass(frozen=True)
class RequestedActionResource:
    # Of a submitted intent.
    action: str
    # Of a submitted intent.
    resource: str


@dataclass(frozen=True)
class RequestedToolTool:
    """The tool that is called."""

    # The source of the tool.
    server: str
    # Its name.
    name: str


@dataclass(frozen=True)
class RequestedTool:
    # The tool that is called.
    tool: RequestedToolTool


@dataclass(frozen=True)
class Resource:
    is_camel_case: ClassVar[bool] = True

    # The canonical name.
    name: str
    class_: Optional[str]
    owner: Optional[str]
    # The other attributes, facts `resource.attributes.<name>`.
    attributes: Dict[str, Any]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # RFC 3339, UTC, milliseconds.
    updated_at: str
    # Attributes that contradict the declarations of the policy set in force: rules count them as missing.
    attributes_ignored: Optional[List[AgentAttributesIgnored]] = None


@dataclass(frozen=True)
class ResourceList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[Resource]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ResourcePut:
    """All that the entry says: what is left out is not kept."""

    # what kind of resource it is; the fact resource.attributes.class
    class_: Optional[str] = None
    # who owns it; the fact resource.attributes.owner
    owner: Optional[str] = None
    # further attributes by name, each declared in attributes.json; facts resource.attributes.<name>
    attributes: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class RiskFactor:
    # Its name.
    factor: str
    # Its part of the score.
    score: int
    # What it found, as a sentence.
    message: str


@dataclass(frozen=True)
class RiskCertain:
    """The risk without factors that count only because facts are missing; present when there are such
    factors.
    """

    # low below 400, medium below 700, else high.
    level: Literal["low", "medium", "high"]
    # 0 to 1000.
    score: int


@dataclass(frozen=True)
class RiskInstallationCertain:
    """As the member certain of the whole risk."""

    # low below 400, medium below 700, else high.
    level: Literal["low", "medium", "high"]
    # 0 to 1000.
    score: int


@dataclass(frozen=True)
class RiskInstallation:
    """The risk by the installation's policies alone; present when the organisation's own policies changed it.
    """

    # low below 400, medium below 700, else high.
    level: Literal["low", "medium", "high"]
    # 0 to 1000.
    score: int
    # As the member certain of the whole risk.
    certain: Optional[RiskInstallationCertain] = None


@dataclass(frozen=True)
class Risk:
    """Computed by the policies of stage intake."""

    # low below 400, medium below 700, else high.
    level: Literal["low", "medium", "high"]
    # 0 to 1000.
    score: int
    # What the score consists of.
    factors: List[RiskFactor]
    # The risk without factors that count only because facts are missing; present when there are such factors.
    certain: Optional[RiskCertain] = None
    # The risk by the installation's policies alone; present when the organisation's own policies changed it.
    installation: Optional[RiskInstallation] = None


@dataclass(frozen=True)
class RollBackPoliciesRequest:
    is_camel_case: ClassVar[bool] = True

    # Of the set: SHA-256, lower-case hex.
    digest: str
    # Why; stored in every log permanently.
    reason: str
    # The set that must be in force; else 409.
    expected_digest: Optional[str] = None
    # The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.
    signature: Optional[str] = None
    # Only check and compare.
    dry_run: Optional[bool] = None


@dataclass(frozen=True)
class SeenTool:
    is_camel_case: ClassVar[bool] = True

    # The name of the tool.
    name: str
    # Not understood by a catalogue, or not as pinned.
    state: Literal["unknown", "changed"]
    # Such calls.
    calls: int
    # That of the last one.
    decision_id: str


@dataclass(frozen=True)
class ShadowStatus:
    # Whether a worker is evaluating a draft for comparison with the active set.
    running: bool
    draft: Optional[ReplayDraft]
    share: Optional[float]
    # Why the folder cannot be evaluated; empty when it can.
    findings: List[Finding]
    # The changes by each draft, latest evaluation first.
    drafts: List[ShadowedDraft]


@dataclass(frozen=True)
class ShadowedDraft:
    """What shadow mode has shown."""

    is_camel_case: ClassVar[bool] = True

    # Of a policy set, SHA-256, lower-case hex.
    digest: str
    # Its number of policies.
    policies: int
    # Share of live decisions that was evaluated.
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
    # The changes of verdicts.
    transitions: List[ReplayReportTransition]
    rules: ReplayReportRules
    agents: ReplayReportAgents
    resources: ReplayReportResources
    environments: ReplayReportEnvironments
    # For each transition up to 20, each agent, resource and reasons once, and five with the same reasons.
    examples: List[ReplayReportExamples]


@dataclass(frozen=True)
class StoredPolicySet:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # The version of the rules of evaluation.
    engine: int
    # See /schemas/lexicon.json.
    lexicon: Dict[str, Any]
    policies: List[Dict[str, Any]]
    # The attributes of agents and resources: see /schemas/attributes.json.
    attributes: Optional[Dict[str, Any]] = None
    # The action names of AuthZEN requests: see /schemas/authzen.json.
    authzen: Optional[Dict[str, Any]] = None
    # SHA-256, in hex, of the canonical JSON of the set.
    installation_digest: Optional[str] = None
    # Own policies of an organisation: {placeholders, policies, slug}.
    organisation: Optional[Dict[str, Any]] = None
    # Messages have placeholders.
    placeholders: Optional[bool] = None
    resources: Optional[List[Dict[str, Any]]] = None
    # Named conditions and constants: see /schemas/terms.json.
    terms: Optional[Dict[str, Any]] = None
    tools: Optional[List[Dict[str, Any]]] = None
    # Number of parts that are for other organisations alone, which only the operator sees.
    withheld: Optional[int] = None


@dataclass(frozen=True)
class SubmittedIntent:
    is_camel_case: ClassVar[bool] = True

    # Names it.
    intent_id: str
    # The agent.
    agent_id: str
    # Of a tool call: what its catalogue said when it was accepted.
    action: str
    # As it was submitted; of a tool call as `action`.
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

    # One page of them.
    items: List[SubmittedIntent]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ToolAnswer:
    """The tool call that was asked about."""

    # The source of the tool.
    server: str
    # The name of the tool.
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
    description: Optional[str]
    # Whether the annotations of the server decide about its tools that are not listed here.
    trust_annotations: bool
    # By name.
    tools: List[CataloguedTool]
    # Tools that agents of the organisation and environment called in the last day, the last one first.
    seen: List[SeenTool]


@dataclass(frozen=True)
class ToolCatalogueList:
    is_camel_case: ClassVar[bool] = True

    # SHA-256, in hex, of the canonical JSON of the set.
    digest: str
    # One page of them.
    items: List[ToolCatalogue]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class TrustEvidence:
    """What the score is computed from."""

    is_camel_case: ClassVar[bool] = True

    # The amount that counts on that day: capped and decayed, in full signals.
    positive: float
    # The amount that counts on that day: decayed, in full failures.
    negative: float
    last_signal_at: Optional[str]


@dataclass(frozen=True)
class TrustAsOf:
    """The moment of the score."""

    # How many signals were folded: the first n of this agent.
    signals: int
    # UTC day, YYYY-MM-DD.
    day: str


@dataclass(frozen=True)
class Trust:
    is_camel_case: ClassVar[bool] = True

    # The agent.
    agent_id: str
    # In decisions an unregistered agent has at most the score without evidence (250).
    registered: bool
    # 0 to 1000.
    score: int
    # The level of the score.
    level: int
    # The name of the level.
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    # 1 without any evidence.
    uncertainty: float
    # What the score is computed from.
    evidence: TrustEvidence
    # The moment of the score.
    as_of: TrustAsOf


@dataclass(frozen=True)
class TrustChangeCause:
    """The signals that led to the score, counted by type."""

    is_camel_case: ClassVar[bool] = True

    # Signals of the agent are numbered without gaps.
    first_signal: int
    # The number of the last one.
    last_signal: int
    # Successes.
    success: int
    # Failures.
    failure: int
    # Violations.
    violation: int
    # The `custos.trust` record that holds these signals.
    proof_id: str


@dataclass(frozen=True)
class TrustChange:
    # RFC 3339, UTC, milliseconds.
    at: str
    # 0 to 1000.
    score: int
    # The level of the score.
    level: int
    # The name of the level.
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    # The signals that led to the score, counted by type.
    cause: TrustChangeCause


@dataclass(frozen=True)
class TrustHistory:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[TrustChange]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class TrustSignal:
    is_camel_case: ClassVar[bool] = True

    # 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
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
    # All are accepted or none.
    signals: List[TrustSignal]


@dataclass(frozen=True)
class TrustSignalsAccepted:
    is_camel_case: ClassVar[bool] = True

    # In the order of the request.
    signal_ids: List[str]


@dataclass(frozen=True)
class TrustSummary:
    """The trust in the agent now."""

    # 0 to 1000.
    score: int
    # The level of the score.
    level: int
    # The name of the level.
    tier: Literal[
        "Sandbox", "Observed", "Provisional", "Monitored", "Standard", "Trusted", "Certified", "Autonomous"
    ]
    # 1 without any evidence.
    uncertainty: float


@dataclass(frozen=True)
class ValidatePoliciesRequest:
    # A lexicon may be among them; else that in force is used.
    files: List[ReplayRequestFile]


@dataclass(frozen=True)
class ValidatePoliciesResponse:
    # Whether the files may come into force.
    valid: bool
    digest: Optional[str]
    # Problems and warnings, by file and position.
    findings: List[Finding]


@dataclass(frozen=True)
class Verification:
    is_camel_case: ClassVar[bool] = True

    # Whether every check passed.
    valid: bool
    failure: Optional[str]
    sentence: Optional[str]
    origin: Optional[str]
    size: Optional[int]
    root: Optional[str]
    index: Optional[int]
    proof_id: Optional[str]


@dataclass(frozen=True)
class Webhook:
    is_camel_case: ClassVar[bool] = True

    # Names the webhook.
    webhook_id: str
    # Where messages are sent with POST.
    url: str
    description: Optional[str]
    # The types of events that are sent.
    events: List[Literal[
        "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
        "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked", "log.halted",
        "audit.failed"
    ]]
    filter: Optional[WebhookFilter]
    # Whether messages are sent.
    enabled: bool
    disabled_reason: Optional[Literal["operator", "gone", "failing"]]
    disabled_at: Optional[str]
    failing_since: Optional[str]
    # hmac: `v1` signatures; ed25519: `v1a`.
    signature: Literal["hmac", "ed25519"]
    public_key: Optional[str]
    previous_keys_until: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # The key that created it.
    created_by: str


@dataclass(frozen=True)
class WebhookCreate:
    # Where messages are sent with POST.
    url: str
    # The types of events that are sent.
    events: List[Literal[
        "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
        "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked", "log.halted",
        "audit.failed"
    ]]
    filter: Optional[WebhookFilter] = None
    # For people.
    description: Optional[str] = None
    # A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64.
    secret: Optional[str] = field(default=None, repr=False)
    # Kind of the generated key; a given `secret` has its own.
    signature: Optional[Literal["hmac", "ed25519"]] = None


@dataclass(frozen=True)
class WebhookDelivery:
    is_camel_case: ClassVar[bool] = True

    # The header `webhook-id` of the message.
    delivery_id: str
    # The type of the event.
    type: Literal[
        "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
        "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked", "log.halted",
        "audit.failed"
    ]
    # What the event is about; messages about one subject are sent in order.
    subject: str
    # pending: not delivered yet; delivered: answered with a status of 200 to 299; failed: no more attempts
    # are made.
    state: Literal["pending", "delivered", "failed"]
    # How often it was tried.
    attempts: int
    # RFC 3339, UTC, milliseconds.
    created_at: str
    next_attempt_at: Optional[str]
    last_attempt_at: Optional[str]
    duration_ms: Optional[int]
    response_status: Optional[int]
    error: Optional[str]
    # The body of the message: type, timestamp and data.
    payload: Dict[str, Any]


@dataclass(frozen=True)
class WebhookDeliveryList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[WebhookDelivery]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class WebhookFilter:
    """Which decisions are sent as `decision.made`; other events are not filtered."""

    is_camel_case: ClassVar[bool] = True

    # Only decisions with one of these verdicts.
    verdicts: Optional[List[Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]]] = None
    # Only decisions about these agents.
    agent_ids: Optional[List[str]] = None


@dataclass(frozen=True)
class WebhookList:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[Webhook]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class WebhookRotate:
    # How long messages are signed with the old key too.
    overlap: Optional[str] = None
    # A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64.
    secret: Optional[str] = field(default=None, repr=False)
    # Kind of the generated key; a given `secret` has its own.
    signature: Optional[Literal["hmac", "ed25519"]] = None


@dataclass(frozen=True)
class WebhookUpdate:
    # Where messages are sent with POST.
    url: Optional[str] = None
    # The types of events that are sent.
    events: Optional[List[Literal[
        "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
        "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked", "log.halted",
        "audit.failed"
    ]]] = None
    filter: Union[Unset, Optional[WebhookFilter]] = UNSET
    description: Union[Unset, Optional[str]] = UNSET
    # false: nothing is sent. true: messages that wait are sent, then the events of the time while it was
    # disabled, at most those of the last three days.
    enabled: Optional[bool] = None


@dataclass(frozen=True)
class WebhookWithSecret:
    is_camel_case: ClassVar[bool] = True

    # Names the webhook.
    webhook_id: str
    # Where messages are sent with POST.
    url: str
    description: Optional[str]
    # The types of events that are sent.
    events: List[Literal[
        "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
        "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked", "log.halted",
        "audit.failed"
    ]]
    filter: Optional[WebhookFilter]
    # Whether messages are sent.
    enabled: bool
    disabled_reason: Optional[Literal["operator", "gone", "failing"]]
    disabled_at: Optional[str]
    failing_since: Optional[str]
    # hmac: `v1` signatures; ed25519: `v1a`.
    signature: Literal["hmac", "ed25519"]
    public_key: Optional[str]
    previous_keys_until: Optional[str]
    # RFC 3339, UTC, milliseconds.
    created_at: str
    # The key that created it.
    created_by: str
    # The secret of an hmac webhook; it is never shown again.
    secret: Optional[str] = field(default=None, repr=False)


@dataclass(frozen=True)
class WithdrawPoliciesRequest:
    is_camel_case: ClassVar[bool] = True

    # Why; stored in every log permanently.
    reason: str
    # The set that must be in force; else 409.
    expected_digest: Optional[str] = None


@dataclass(frozen=True)
class ReferenceErrors:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[ReferenceError]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceScopes:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[ReferenceScope]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceTiers:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[ReferenceTier]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReferenceRateLimits:
    is_camel_case: ClassVar[bool] = True

    # One page of them.
    items: List[ReferenceRateLimit]
    next_cursor: Optional[str]


# Budgets that were read, by name.
BudgetsLeft = List[BudgetsLeftItem]
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
