# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The operations of the API as methods, by resource."""

from __future__ import annotations

from typing import Any, Iterator, List, Literal, Mapping, Optional, Sequence, Union

from . import models as m
from . import operations as ops
from .resource import Resource
from .unset import UNSET, Unset


class Intent(Resource):
    def parse(
        self,
        *,
        agent_id: str,
        raw_intent: str,
        trust_score: Optional[float] = None,
        context: Optional[Mapping[str, Any]] = None,
    ) -> m.Intent:
        """Parse free text into a normalized intent: POST /v1/intent."""
        return self._call(
            ops.INTENT_PARSE,
            agent_id=agent_id,
            raw_intent=raw_intent,
            trust_score=trust_score,
            context=context,
        )

    def get(self, intent_id: str) -> m.Intent:
        """Read a parse again: GET /v1/intent/{id}."""
        return self._call(ops.INTENT_GET, intent_id=intent_id)


class Enforce(Resource):
    def evaluate(
        self,
        *,
        agent_id: str,
        intent: Optional[str] = None,
        tool: Optional[Union[m.ToolCall, Mapping[str, Any]]] = None,
        trust_level: Optional[int] = None,
        intent_id: Optional[str] = None,
        context: Optional[Mapping[str, Any]] = None,
        approval_id: Optional[str] = None,
        explain: Optional[bool] = None,
        dry_run: Optional[bool] = None,
    ) -> m.EnforceResponse:
        """Ask whether an agent may do something: POST /v1/enforce."""
        return self._call(
            ops.ENFORCE_EVALUATE,
            agent_id=agent_id,
            intent=intent,
            tool=tool,
            trust_level=trust_level,
            intent_id=intent_id,
            context=context,
            approval_id=approval_id,
            explain=explain,
            dry_run=dry_run,
        )

    def evaluate_batch(
        self,
        *,
        requests: Sequence[Union[m.EnforceRequest, Mapping[str, Any]]],
    ) -> m.EnforceBatchResponse:
        """Ask up to a hundred questions at once: POST /v1/enforce/batch."""
        return self._call(ops.ENFORCE_EVALUATE_BATCH, requests=requests)


class Decisions(Resource):
    def get(self, decision_id: str) -> m.DecisionOnRecord:
        """Read one decision: GET /v1/decisions/{id}."""
        return self._call(ops.DECISIONS_GET, decision_id=decision_id)

    def list(
        self,
        *,
        agent_id: Optional[str] = None,
        verdict: Optional[Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]] = None,
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
        tool_server: Optional[str] = None,
        tool_name: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.DecisionOnRecord]:
        """List decisions, newest first: GET /v1/decisions."""
        return self._iterate(
            ops.DECISIONS_LIST,
            agent_id=agent_id,
            verdict=verdict,
            reason=reason,
            request_id=request_id,
            tool_server=tool_server,
            tool_name=tool_name,
            from_=from_,
            to=to,
            limit=limit,
        )

    def list_page(
        self,
        *,
        agent_id: Optional[str] = None,
        verdict: Optional[Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]] = None,
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
        tool_server: Optional[str] = None,
        tool_name: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.DecisionList:
        """List decisions, newest first: GET /v1/decisions."""
        return self._call(
            ops.DECISIONS_LIST,
            agent_id=agent_id,
            verdict=verdict,
            reason=reason,
            request_id=request_id,
            tool_server=tool_server,
            tool_name=tool_name,
            from_=from_,
            to=to,
            limit=limit,
            cursor=cursor,
        )

    def report_outcome(
        self,
        decision_id: str,
        *,
        outcome: Literal["done", "failed", "not_carried_out"],
        detail: Optional[str] = None,
    ) -> m.OutcomeAnswer:
        """Report what became of a permitted action: POST /v1/decisions/{id}/outcome."""
        return self._call(
            ops.DECISIONS_REPORT_OUTCOME,
            decision_id=decision_id,
            outcome=outcome,
            detail=detail,
        )


class Intents(Resource):
    def submit(
        self,
        *,
        agent_id: str,
        action: Optional[str] = None,
        resource: Optional[str] = None,
        tool: Optional[Union[m.ToolCall, Mapping[str, Any]]] = None,
        context: Optional[Mapping[str, Any]] = None,
    ) -> m.IntentAccepted:
        """Submit an intent for a worker to evaluate: POST /v1/intents."""
        return self._call(
            ops.INTENTS_SUBMIT,
            agent_id=agent_id,
            action=action,
            resource=resource,
            tool=tool,
            context=context,
        )

    def get(self, intent_id: str) -> m.SubmittedIntent:
        """Read one submitted intent: GET /v1/intents/{id}."""
        return self._call(ops.INTENTS_GET, intent_id=intent_id)

    def list(
        self,
        *,
        agent_id: Optional[str] = None,
        status: Optional[Literal["queued", "evaluating", "waiting_approval", "decided", "failed"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.SubmittedIntent]:
        """List submitted intents, newest first: GET /v1/intents."""
        return self._iterate(ops.INTENTS_LIST, agent_id=agent_id, status=status, limit=limit)

    def list_page(
        self,
        *,
        agent_id: Optional[str] = None,
        status: Optional[Literal["queued", "evaluating", "waiting_approval", "decided", "failed"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.SubmittedIntentList:
        """List submitted intents, newest first: GET /v1/intents."""
        return self._call(ops.INTENTS_LIST, agent_id=agent_id, status=status, limit=limit, cursor=cursor)


class Approvals(Resource):
    def get(self, approval_id: str) -> m.ApprovalDetail:
        """Read one approval: GET /v1/approvals/{id}."""
        return self._call(ops.APPROVALS_GET, approval_id=approval_id)

    def list(
        self,
        *,
        status: Optional[Literal["pending", "approved", "rejected", "expired", "used"]] = None,
        agent_id: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.Approval]:
        """List approvals, newest first: GET /v1/approvals."""
        return self._iterate(ops.APPROVALS_LIST, status=status, agent_id=agent_id, limit=limit)

    def list_page(
        self,
        *,
        status: Optional[Literal["pending", "approved", "rejected", "expired", "used"]] = None,
        agent_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.ApprovalList:
        """List approvals, newest first: GET /v1/approvals."""
        return self._call(ops.APPROVALS_LIST, status=status, agent_id=agent_id, limit=limit, cursor=cursor)

    def approve(self, approval_id: str, *, reason: str) -> m.ApprovalDetail:
        """Approve what an agent asked for: POST /v1/approvals/{id}/approve."""
        return self._call(ops.APPROVALS_APPROVE, approval_id=approval_id, reason=reason)

    def reject(self, approval_id: str, *, reason: str) -> m.ApprovalDetail:
        """Reject what an agent asked for, or withdraw an approval: POST /v1/approvals/{id}/reject."""
        return self._call(ops.APPROVALS_REJECT, approval_id=approval_id, reason=reason)


class Proofs(Resource):
    def create(
        self,
        *,
        event: str,
        entity_id: str,
        payload: Mapping[str, Any],
        proof_id: Optional[str] = None,
    ) -> m.ProofAccepted:
        """Have a statement anchored: POST /v1/proofs."""
        return self._call(
            ops.PROOFS_CREATE,
            event=event,
            entity_id=entity_id,
            payload=payload,
            proof_id=proof_id,
        )

    def create_batch(
        self,
        *,
        proofs: Sequence[Union[m.ProofCreate, Mapping[str, Any]]],
    ) -> m.ProofBatchAccepted:
        """Have up to a thousand statements anchored: POST /v1/proofs/batch."""
        return self._call(ops.PROOFS_CREATE_BATCH, proofs=proofs)

    def get(self, proof_id: str) -> Union[m.Receipt, m.ProofAccepted]:
        """The receipt of one proof: GET /v1/proofs/{id}."""
        return self._call(ops.PROOFS_GET, proof_id=proof_id)

    def list(
        self,
        *,
        entity_id: Optional[str] = None,
        event: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.ProofListItem]:
        """List anchored proofs, newest first: GET /v1/proofs."""
        return self._iterate(
            ops.PROOFS_LIST,
            entity_id=entity_id,
            event=event,
            from_=from_,
            to=to,
            limit=limit,
        )

    def list_page(
        self,
        *,
        entity_id: Optional[str] = None,
        event: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.ProofList:
        """List anchored proofs, newest first: GET /v1/proofs."""
        return self._call(
            ops.PROOFS_LIST,
            entity_id=entity_id,
            event=event,
            from_=from_,
            to=to,
            limit=limit,
            cursor=cursor,
        )

    def chain(self, entity_id: str, *, limit: Optional[int] = None) -> Iterator[m.Proof]:
        """Read one entity's chain, oldest first: GET /v1/proofs/chain/{entityId}."""
        return self._iterate(ops.PROOFS_CHAIN, entity_id=entity_id, limit=limit)

    def chain_page(
        self,
        entity_id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.ProofChain:
        """Read one entity's chain, oldest first: GET /v1/proofs/chain/{entityId}."""
        return self._call(ops.PROOFS_CHAIN, entity_id=entity_id, limit=limit, cursor=cursor)

    def verify(self, receipt: Mapping[str, Any]) -> m.Verification:
        """Verify a receipt: POST /v1/proofs/verify."""
        return self._call(ops.PROOFS_VERIFY, receipt=receipt)


class Agents(Resource):
    def create(
        self,
        *,
        name: str,
        agent_id: Optional[str] = None,
        description: Optional[str] = None,
        capabilities: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        attributes: Optional[Mapping[str, Any]] = None,
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> m.Agent:
        """Register an agent: POST /v1/agents."""
        return self._call(
            ops.AGENTS_CREATE,
            name=name,
            agent_id=agent_id,
            description=description,
            capabilities=capabilities,
            tags=tags,
            attributes=attributes,
            metadata=metadata,
        )

    def get(self, agent_id: str) -> m.Agent:
        """Read one agent: GET /v1/agents/{agentId}."""
        return self._call(ops.AGENTS_GET, agent_id=agent_id)

    def list(
        self,
        *,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.Agent]:
        """List agents, newest first: GET /v1/agents."""
        return self._iterate(ops.AGENTS_LIST, status=status, limit=limit)

    def list_page(
        self,
        *,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.AgentList:
        """List agents, newest first: GET /v1/agents."""
        return self._call(ops.AGENTS_LIST, status=status, limit=limit, cursor=cursor)

    def update(
        self,
        agent_id: str,
        *,
        name: Optional[str] = None,
        description: Union[Unset, Optional[str]] = UNSET,
        capabilities: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        attributes: Optional[Mapping[str, Any]] = None,
        metadata: Union[Unset, Optional[Mapping[str, Any]]] = UNSET,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
        reason: Optional[str] = None,
    ) -> m.Agent:
        """Update an agent, or pause, resume, suspend or terminate it: PATCH /v1/agents/{agentId}."""
        return self._call(
            ops.AGENTS_UPDATE,
            agent_id=agent_id,
            name=name,
            description=description,
            capabilities=capabilities,
            tags=tags,
            attributes=attributes,
            metadata=metadata,
            status=status,
            reason=reason,
        )

    def terminate(self, agent_id: str) -> m.Agent:
        """Terminate an agent: DELETE /v1/agents/{agentId}."""
        return self._call(ops.AGENTS_TERMINATE, agent_id=agent_id)


class Resources(Resource):
    def put(
        self,
        name: str,
        *,
        class_: Optional[str] = None,
        owner: Optional[str] = None,
        attributes: Optional[Mapping[str, Any]] = None,
    ) -> m.Resource:
        """Register a resource, or replace what is registered: PUT /v1/resources/{name}."""
        return self._call(ops.RESOURCES_PUT, name=name, class_=class_, owner=owner, attributes=attributes)

    def get(self, name: str) -> m.Resource:
        """Read a registered resource: GET /v1/resources/{name}."""
        return self._call(ops.RESOURCES_GET, name=name)

    def list(self, *, limit: Optional[int] = None) -> Iterator[m.Resource]:
        """List registered resources by name: GET /v1/resources."""
        return self._iterate(ops.RESOURCES_LIST, limit=limit)

    def list_page(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> m.ResourceList:
        """List registered resources by name: GET /v1/resources."""
        return self._call(ops.RESOURCES_LIST, limit=limit, cursor=cursor)

    def remove(self, name: str) -> m.Resource:
        """Remove a registered resource: DELETE /v1/resources/{name}."""
        return self._call(ops.RESOURCES_REMOVE, name=name)


class Trust(Resource):
    def signal(
        self,
        *,
        agent_id: str,
        type: Literal["success", "failure", "violation"],
        signal_id: Optional[str] = None,
        weight: Optional[float] = None,
        occurred_at: Optional[str] = None,
        source: Optional[str] = None,
        evidence: Optional[Mapping[str, Any]] = None,
    ) -> m.TrustSignalsAccepted:
        """Report how agents behaved: POST /v1/trust/signals."""
        return self._call(
            ops.TRUST_SIGNAL,
            agent_id=agent_id,
            type=type,
            signal_id=signal_id,
            weight=weight,
            occurred_at=occurred_at,
            source=source,
            evidence=evidence,
        )

    def signals(
        self,
        *,
        signals: Sequence[Union[m.TrustSignal, Mapping[str, Any]]],
    ) -> m.TrustSignalsAccepted:
        """Report how agents behaved: POST /v1/trust/signals."""
        return self._call(ops.TRUST_SIGNALS, signals=signals)

    def get(self, agent_id: str, *, at: Optional[str] = None) -> m.Trust:
        """The trust in an agent, now or at any time: GET /v1/trust/{agentId}."""
        return self._call(ops.TRUST_GET, agent_id=agent_id, at=at)

    def history(
        self,
        agent_id: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.TrustChange]:
        """How the trust in an agent changed, newest first: GET /v1/trust/{agentId}/history."""
        return self._iterate(ops.TRUST_HISTORY, agent_id=agent_id, from_=from_, to=to, limit=limit)

    def history_page(
        self,
        agent_id: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.TrustHistory:
        """How the trust in an agent changed, newest first: GET /v1/trust/{agentId}/history."""
        return self._call(
            ops.TRUST_HISTORY,
            agent_id=agent_id,
            from_=from_,
            to=to,
            limit=limit,
            cursor=cursor,
        )


class Log(Resource):
    def checkpoint(self) -> str:
        """The log's newest signed checkpoint: GET /v1/log/checkpoint."""
        return self._call(ops.LOG_CHECKPOINT)

    def checkpoints(self, *, limit: Optional[int] = None) -> Iterator[m.Checkpoint]:
        """List checkpoints, newest first: GET /v1/log/checkpoints."""
        return self._iterate(ops.LOG_CHECKPOINTS, limit=limit)

    def checkpoints_page(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.CheckpointList:
        """List checkpoints, newest first: GET /v1/log/checkpoints."""
        return self._call(ops.LOG_CHECKPOINTS, limit=limit, cursor=cursor)

    def keys(self) -> List[m.LogKeysItem]:
        """The keys of the log, each with the tree sizes it may sign: GET /v1/log/keys."""
        return self._items(ops.LOG_KEYS)

    def consistency(self, *, from_: int, to: int) -> m.Consistency:
        """That the tree of `to` leaves begins with the tree of `from` leaves: GET /v1/log/consistency."""
        return self._call(ops.LOG_CONSISTENCY, from_=from_, to=to)

    def leaves(self, *, from_: int, to: int) -> m.LeafHashes:
        """Leaf hashes, oldest first: GET /v1/log/leaves."""
        return self._call(ops.LOG_LEAVES, from_=from_, to=to)


class Keys(Resource):
    def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal[
            "agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read",
            "admin:*"
        ]],
        expires_in: Optional[str] = None,
        agent_ids: Optional[Sequence[str]] = None,
        keeps_obligations: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        environment: Optional[Literal["live", "test", "dev"]] = None,
        tier: Optional[int] = None,
    ) -> m.KeyCreated:
        """Create an API key: POST /v1/auth/keys."""
        return self._call(
            ops.KEYS_CREATE,
            name=name,
            scopes=scopes,
            expires_in=expires_in,
            agent_ids=agent_ids,
            keeps_obligations=keeps_obligations,
            tags=tags,
            environment=environment,
            tier=tier,
        )

    def list(self, *, limit: Optional[int] = None) -> Iterator[m.Key]:
        """List the keys of the environment, newest first: GET /v1/auth/keys."""
        return self._iterate(ops.KEYS_LIST, limit=limit)

    def list_page(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> m.KeyList:
        """List the keys of the environment, newest first: GET /v1/auth/keys."""
        return self._call(ops.KEYS_LIST, limit=limit, cursor=cursor)

    def revoke(self, key_id: str) -> m.Key:
        """Revoke a key: DELETE /v1/auth/keys/{keyId}."""
        return self._call(ops.KEYS_REVOKE, key_id=key_id)

    def rotate(self, key_id: str, *, overlap: Optional[str] = None) -> m.KeyRotated:
        """Replace a key by a new one: POST /v1/auth/keys/{keyId}/rotate."""
        return self._call(ops.KEYS_ROTATE, key_id=key_id, overlap=overlap)


class Policies(Resource):
    def active(self) -> m.PolicySetStatus:
        """The policy set in force: GET /v1/policies."""
        return self._call(ops.POLICIES_ACTIVE)

    def get(self, digest: str) -> m.StoredPolicySet:
        """A policy set that is or was in force: GET /v1/policies/{digest}."""
        return self._call(ops.POLICIES_GET, digest=digest)

    def validate(
        self,
        *,
        files: Sequence[Union[m.ReplayRequestFile, Mapping[str, Any]]],
    ) -> m.ValidatePoliciesResponse:
        """Check policy files without putting them into force: POST /v1/policies/validate."""
        return self._call(ops.POLICIES_VALIDATE, files=files)

    def replay(
        self,
        *,
        files: Optional[Sequence[Union[m.ReplayRequestFile, Mapping[str, Any]]]] = None,
        digest: Optional[str] = None,
        since: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        environment: Optional[Literal["live", "test", "dev"]] = None,
        agent_id: Optional[str] = None,
    ) -> Union[m.ReplayReport, m.Replay]:
        """What a draft would have decided: POST /v1/policies/replay."""
        return self._call(
            ops.POLICIES_REPLAY,
            files=files,
            digest=digest,
            since=since,
            from_=from_,
            to=to,
            environment=environment,
            agent_id=agent_id,
        )

    def get_replay(self, replay_id: str) -> m.Replay:
        """A replay that runs as a job: GET /v1/policies/replays/{id}."""
        return self._call(ops.POLICIES_GET_REPLAY, replay_id=replay_id)

    def shadow(self) -> m.ShadowStatus:
        """What the draft in shadow mode would change: GET /v1/policies/shadow."""
        return self._call(ops.POLICIES_SHADOW)

    def push(
        self,
        *,
        files: Sequence[Union[m.PushPoliciesRequestFile, Mapping[str, Any]]],
        reason: str,
        expected_digest: Optional[str] = None,
        signature: Optional[str] = None,
        dry_run: Optional[bool] = None,
        stage: Optional[Union[m.PushPoliciesRequestStage, Mapping[str, Any]]] = None,
    ) -> m.PolicyChangeResult:
        """Put a policy set into force: POST /v1/policies."""
        return self._call(
            ops.POLICIES_PUSH,
            files=files,
            reason=reason,
            expected_digest=expected_digest,
            signature=signature,
            dry_run=dry_run,
            stage=stage,
        )

    def rollback(
        self,
        *,
        digest: str,
        reason: str,
        expected_digest: Optional[str] = None,
        signature: Optional[str] = None,
        dry_run: Optional[bool] = None,
    ) -> m.PolicyChangeResult:
        """Put a stored policy set into force again: POST /v1/policies/rollback."""
        return self._call(
            ops.POLICIES_ROLLBACK,
            digest=digest,
            reason=reason,
            expected_digest=expected_digest,
            signature=signature,
            dry_run=dry_run,
        )

    def follow_folder(self, *, reason: str, signature: Optional[str] = None) -> m.PolicyChangeResult:
        """Put the set of the policy folder into force, and its later edits: POST /v1/policies/follow-folder.
        """
        return self._call(ops.POLICIES_FOLLOW_FOLDER, reason=reason, signature=signature)

    def promote(
        self,
        *,
        digest: str,
        reason: str,
        expected_digest: Optional[str] = None,
        signature: Optional[str] = None,
    ) -> m.PolicyChangeResult:
        """Put a staged set into force for all organisations: POST /v1/policies/promote."""
        return self._call(
            ops.POLICIES_PROMOTE,
            digest=digest,
            reason=reason,
            expected_digest=expected_digest,
            signature=signature,
        )

    def stages(self) -> List[m.PolicyStage]:
        """The staged policy sets: GET /v1/policies/stages."""
        return self._items(ops.POLICIES_STAGES)

    def activations(self, *, limit: Optional[int] = None) -> Iterator[m.PolicyActivation]:
        """The history of policy sets, newest first: GET /v1/policies/activations."""
        return self._iterate(ops.POLICIES_ACTIVATIONS, limit=limit)

    def activations_page(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.PolicyActivationList:
        """The history of policy sets, newest first: GET /v1/policies/activations."""
        return self._call(ops.POLICIES_ACTIVATIONS, limit=limit, cursor=cursor)

    def drop_stage(self, digest: str, *, reason: str) -> m.PolicyChangeResult:
        """Drop a stage: its organisations get the set that is in force for all: DELETE
        /v1/policies/stages/{digest}.
        """
        return self._call(ops.POLICIES_DROP_STAGE, digest=digest, reason=reason)

    def withdraw(self, *, reason: str, expected_digest: Optional[str] = None) -> m.PolicyChangeResult:
        """Withdraw the organisation's own policies: DELETE /v1/policies."""
        return self._call(ops.POLICIES_WITHDRAW, reason=reason, expected_digest=expected_digest)

    def difference(self, *, before: str, after: str) -> m.PolicyComparison:
        """The difference of two stored policy sets: GET /v1/policies/difference."""
        return self._call(ops.POLICIES_DIFFERENCE, before=before, after=after)

    def approvals(self, *, limit: Optional[int] = None) -> Iterator[m.PolicyApproval]:
        """List the changes of the policy set that needed approval, newest first: GET /v1/policies/approvals.
        """
        return self._iterate(ops.POLICIES_APPROVALS, limit=limit)

    def approvals_page(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.PolicyApprovalList:
        """List the changes of the policy set that needed approval, newest first: GET /v1/policies/approvals.
        """
        return self._call(ops.POLICIES_APPROVALS, limit=limit, cursor=cursor)

    def get_approval(self, approval_id: str) -> m.PolicyApprovalDetail:
        """Read one change of the policy set with its difference: GET /v1/policies/approvals/{approvalId}."""
        return self._call(ops.POLICIES_GET_APPROVAL, approval_id=approval_id)

    def approve(self, approval_id: str, *, reason: str) -> m.PolicyApproval:
        """Approve a change of the policy set: POST /v1/policies/approvals/{approvalId}/approve."""
        return self._call(ops.POLICIES_APPROVE, approval_id=approval_id, reason=reason)

    def reject(self, approval_id: str, *, reason: str) -> m.PolicyApproval:
        """Reject a change of the policy set: POST /v1/policies/approvals/{approvalId}/reject."""
        return self._call(ops.POLICIES_REJECT, approval_id=approval_id, reason=reason)


class Tools(Resource):
    def list(self, *, limit: Optional[int] = None) -> Iterator[m.ToolCatalogue]:
        """The tool catalogues in force: GET /v1/tools."""
        return self._iterate(ops.TOOLS_LIST, limit=limit)

    def list_page(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> m.ToolCatalogueList:
        """The tool catalogues in force: GET /v1/tools."""
        return self._call(ops.TOOLS_LIST, limit=limit, cursor=cursor)

    def get(self, server: str) -> m.ToolCatalogue:
        """The tool catalogue of one server: GET /v1/tools/{server}."""
        return self._call(ops.TOOLS_GET, server=server)


class Webhooks(Resource):
    def create(
        self,
        *,
        url: str,
        events: Sequence[Literal[
            "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
            "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked",
            "log.halted", "audit.failed"
        ]],
        filter: Optional[Union[m.WebhookFilter, Mapping[str, Any]]] = None,
        description: Optional[str] = None,
        secret: Optional[str] = None,
        signature: Optional[Literal["hmac", "ed25519"]] = None,
    ) -> m.WebhookWithSecret:
        """Create a webhook: POST /v1/webhooks."""
        return self._call(
            ops.WEBHOOKS_CREATE,
            url=url,
            events=events,
            filter=filter,
            description=description,
            secret=secret,
            signature=signature,
        )

    def list(self) -> List[m.Webhook]:
        """List the webhooks of the environment, newest first: GET /v1/webhooks."""
        return self._items(ops.WEBHOOKS_LIST)

    def update(
        self,
        webhook_id: str,
        *,
        url: Optional[str] = None,
        events: Optional[Sequence[Literal[
            "decision.made", "approval.opened", "approval.decided", "intent.decided", "trust.level_changed",
            "proof.anchored", "policy.activated", "policy.refused", "key.created", "key.revoked",
            "log.halted", "audit.failed"
        ]]] = None,
        filter: Union[Unset, Optional[Union[m.WebhookFilter, Mapping[str, Any]]]] = UNSET,
        description: Union[Unset, Optional[str]] = UNSET,
        enabled: Optional[bool] = None,
    ) -> m.Webhook:
        """Change, disable or enable a webhook: PATCH /v1/webhooks/{webhookId}."""
        return self._call(
            ops.WEBHOOKS_UPDATE,
            webhook_id=webhook_id,
            url=url,
            events=events,
            filter=filter,
            description=description,
            enabled=enabled,
        )

    def remove(self, webhook_id: str) -> m.Webhook:
        """Delete a webhook: DELETE /v1/webhooks/{webhookId}."""
        return self._call(ops.WEBHOOKS_REMOVE, webhook_id=webhook_id)

    def rotate(
        self,
        webhook_id: str,
        *,
        overlap: Optional[str] = None,
        secret: Optional[str] = None,
        signature: Optional[Literal["hmac", "ed25519"]] = None,
    ) -> m.WebhookWithSecret:
        """Replace a webhook's signing key: POST /v1/webhooks/{webhookId}/rotate."""
        return self._call(
            ops.WEBHOOKS_ROTATE,
            webhook_id=webhook_id,
            overlap=overlap,
            secret=secret,
            signature=signature,
        )

    def deliveries(
        self,
        webhook_id: str,
        *,
        state: Optional[Literal["pending", "delivered", "failed"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.WebhookDelivery]:
        """List a webhook's deliveries, newest first: GET /v1/webhooks/{webhookId}/deliveries."""
        return self._iterate(ops.WEBHOOKS_DELIVERIES, webhook_id=webhook_id, state=state, limit=limit)

    def deliveries_page(
        self,
        webhook_id: str,
        *,
        state: Optional[Literal["pending", "delivered", "failed"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.WebhookDeliveryList:
        """List a webhook's deliveries, newest first: GET /v1/webhooks/{webhookId}/deliveries."""
        return self._call(
            ops.WEBHOOKS_DELIVERIES,
            webhook_id=webhook_id,
            state=state,
            limit=limit,
            cursor=cursor,
        )

    def replay_delivery(self, webhook_id: str, delivery_id: str) -> m.WebhookDelivery:
        """Send a message again: POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay."""
        return self._call(ops.WEBHOOKS_REPLAY_DELIVERY, webhook_id=webhook_id, delivery_id=delivery_id)


class Halt(Resource):
    def set(self, *, reason: str) -> m.HaltState:
        """Halt the environment of the key: POST /v1/halt."""
        return self._call(ops.HALT_SET, reason=reason)

    def get(self) -> m.HaltState:
        """Whether the environment is halted: GET /v1/halt."""
        return self._call(ops.HALT_GET)

    def lift(self, *, reason: Optional[str] = None) -> m.HaltState:
        """Lift the halt: DELETE /v1/halt."""
        return self._call(ops.HALT_LIFT, reason=reason)


class Reference(Resource):
    def errors(self) -> List[m.ReferenceError]:
        """Every error code, its statuses and when it is given: GET /v1/reference/errors."""
        return self._items(ops.REFERENCE_ERRORS)

    def scopes(self) -> List[m.ReferenceScope]:
        """The scopes of keys and what they permit: GET /v1/reference/scopes."""
        return self._items(ops.REFERENCE_SCOPES)

    def tiers(self) -> List[m.ReferenceTier]:
        """Trust levels: name and range of scores: GET /v1/reference/tiers."""
        return self._items(ops.REFERENCE_TIERS)

    def rate_limits(self) -> List[m.ReferenceRateLimit]:
        """Requests per second and per minute by the tier of a key: GET /v1/reference/rate-limits."""
        return self._items(ops.REFERENCE_RATE_LIMITS)


class Service(Resource):
    def health(self) -> m.Health:
        """Whether the process is alive: GET /health."""
        return self._call(ops.SERVICE_HEALTH)

    def ready(self) -> m.Readiness:
        """Whether the service can take requests, and which of its parts cannot work now: GET /ready."""
        return self._call(ops.SERVICE_READY)
