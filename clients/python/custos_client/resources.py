# Generated from docs/openapi.json by "npm run generate". Do not edit.
"""The operations of the API as methods, by resource."""

from __future__ import annotations

from typing import Any, Iterator, Literal, Mapping, Optional, Sequence, Union

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
        """The result is stored; its intent_id can be enforced for 15 minutes. (POST /v1/intent)"""
        return self._call(
            ops.INTENT_PARSE,
            agent_id=agent_id,
            raw_intent=raw_intent,
            trust_score=trust_score,
            context=context,
        )

    def get(self, intent_id: str) -> m.Intent:
        """Scope: intents:write. (GET /v1/intent/{id})"""
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
    ) -> Union[m.Decision, m.DryRun]:
        """The decision is on record before it is answered. (POST /v1/enforce)"""
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
        """Decisions come in the order of the requests. (POST /v1/enforce/batch)"""
        return self._call(ops.ENFORCE_EVALUATE_BATCH, requests=requests)


class Decisions(Resource):
    def get(self, decision_id: str) -> m.DecisionOnRecord:
        """As it was answered, byte for byte, and after that whether it stands now: whether it may still be
        acted upon. (GET /v1/decisions/{id})
        """
        return self._call(ops.DECISIONS_GET, decision_id=decision_id)

    def list(
        self,
        *,
        agent_id: Optional[str] = None,
        verdict: Optional[Literal["ALLOW", "DENY", "ESCALATE", "DEGRADE"]] = None,
        request_id: Optional[str] = None,
        tool_server: Optional[str] = None,
        tool_name: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.DecisionOnRecord]:
        """A key with intents:write but not proofs:read sees what it asked itself. (GET /v1/decisions)"""
        return self._iterate(
            ops.DECISIONS_LIST,
            agent_id=agent_id,
            verdict=verdict,
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
        request_id: Optional[str] = None,
        tool_server: Optional[str] = None,
        tool_name: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.DecisionList:
        """A key with intents:write but not proofs:read sees what it asked itself. (GET /v1/decisions)"""
        return self._call(
            ops.DECISIONS_LIST,
            agent_id=agent_id,
            verdict=verdict,
            request_id=request_id,
            tool_server=tool_server,
            tool_name=tool_name,
            from_=from_,
            to=to,
            limit=limit,
            cursor=cursor,
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
        """Accepted means durable: it will be evaluated exactly once, whatever fails meanwhile. (POST
        /v1/intents)
        """
        return self._call(
            ops.INTENTS_SUBMIT,
            agent_id=agent_id,
            action=action,
            resource=resource,
            tool=tool,
            context=context,
        )

    def get(self, intent_id: str) -> m.SubmittedIntent:
        """Scope: proofs:read or intents:write. (GET /v1/intents/{id})"""
        return self._call(ops.INTENTS_GET, intent_id=intent_id)

    def list(
        self,
        *,
        agent_id: Optional[str] = None,
        status: Optional[Literal["queued", "evaluating", "waiting_approval", "decided", "failed"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.SubmittedIntent]:
        """A key with intents:write but not proofs:read sees what it submitted itself. (GET /v1/intents)"""
        return self._iterate(ops.INTENTS_LIST, agent_id=agent_id, status=status, limit=limit)

    def list_page(
        self,
        *,
        agent_id: Optional[str] = None,
        status: Optional[Literal["queued", "evaluating", "waiting_approval", "decided", "failed"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.SubmittedIntentList:
        """A key with intents:write but not proofs:read sees what it submitted itself. (GET /v1/intents)"""
        return self._call(ops.INTENTS_LIST, agent_id=agent_id, status=status, limit=limit, cursor=cursor)


class Approvals(Resource):
    def get(self, approval_id: str) -> m.ApprovalDetail:
        """With the caller's own words, all that it is bound to, and the ESCALATE that opened it: what a human
        needs to decide. (GET /v1/approvals/{id})
        """
        return self._call(ops.APPROVALS_GET, approval_id=approval_id)

    def list(
        self,
        *,
        status: Optional[Literal["pending", "approved", "rejected", "expired", "used"]] = None,
        agent_id: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.Approval]:
        """Each with the ESCALATE that opened it. (GET /v1/approvals)"""
        return self._iterate(ops.APPROVALS_LIST, status=status, agent_id=agent_id, limit=limit)

    def list_page(
        self,
        *,
        status: Optional[Literal["pending", "approved", "rejected", "expired", "used"]] = None,
        agent_id: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.ApprovalList:
        """Each with the ESCALATE that opened it. (GET /v1/approvals)"""
        return self._call(ops.APPROVALS_LIST, status=status, agent_id=agent_id, limit=limit, cursor=cursor)

    def approve(self, approval_id: str, *, reason: str) -> m.ApprovalDetail:
        """The agent may then do this one thing once: by asking again with approval_id, or, if it was a
        submitted intent, by itself. (POST /v1/approvals/{id}/approve)
        """
        return self._call(ops.APPROVALS_APPROVE, approval_id=approval_id, reason=reason)

    def reject(self, approval_id: str, *, reason: str) -> m.ApprovalDetail:
        """Whoever asks with its approval_id is denied; a submitted intent is decided DENY. (POST
        /v1/approvals/{id}/reject)
        """
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
        """Accepted means durable: a worker appends it to the log. (POST /v1/proofs)"""
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
        """All are accepted or none. (POST /v1/proofs/batch)"""
        return self._call(ops.PROOFS_CREATE_BATCH, proofs=proofs)

    def get(self, proof_id: str) -> Union[m.Receipt, m.ProofAccepted]:
        """A receipt proves the record to whoever trusts the log key, offline (`custos verify`). (GET
        /v1/proofs/{id})
        """
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
        """Scope: proofs:read. (GET /v1/proofs)"""
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
        """Scope: proofs:read. (GET /v1/proofs)"""
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
        """Scope: proofs:read. (GET /v1/proofs/chain/{entityId})"""
        return self._iterate(ops.PROOFS_CHAIN, entity_id=entity_id, limit=limit)

    def chain_page(
        self,
        entity_id: str,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.ProofChain:
        """Scope: proofs:read. (GET /v1/proofs/chain/{entityId})"""
        return self._call(ops.PROOFS_CHAIN, entity_id=entity_id, limit=limit, cursor=cursor)

    def verify(self, receipt: Mapping[str, Any]) -> m.Verification:
        """At most 64 kB. (POST /v1/proofs/verify)"""
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
        metadata: Optional[Mapping[str, Any]] = None,
    ) -> m.Agent:
        """Without agentId one is generated. (POST /v1/agents)"""
        return self._call(
            ops.AGENTS_CREATE,
            name=name,
            agent_id=agent_id,
            description=description,
            capabilities=capabilities,
            tags=tags,
            metadata=metadata,
        )

    def get(self, agent_id: str) -> m.Agent:
        """Scope: agents:read. (GET /v1/agents/{agentId})"""
        return self._call(ops.AGENTS_GET, agent_id=agent_id)

    def list(
        self,
        *,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.Agent]:
        """Scope: agents:read. (GET /v1/agents)"""
        return self._iterate(ops.AGENTS_LIST, status=status, limit=limit)

    def list_page(
        self,
        *,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.AgentList:
        """Scope: agents:read. (GET /v1/agents)"""
        return self._call(ops.AGENTS_LIST, status=status, limit=limit, cursor=cursor)

    def update(
        self,
        agent_id: str,
        *,
        name: Optional[str] = None,
        description: Union[Unset, Optional[str]] = UNSET,
        capabilities: Optional[Sequence[str]] = None,
        tags: Optional[Sequence[str]] = None,
        metadata: Union[Unset, Optional[Mapping[str, Any]]] = UNSET,
        status: Optional[Literal["ACTIVE", "PAUSED", "SUSPENDED", "TERMINATED"]] = None,
    ) -> m.Agent:
        """Scope: agents:write. (PATCH /v1/agents/{agentId})"""
        return self._call(
            ops.AGENTS_UPDATE,
            agent_id=agent_id,
            name=name,
            description=description,
            capabilities=capabilities,
            tags=tags,
            metadata=metadata,
            status=status,
        )

    def terminate(self, agent_id: str) -> m.Agent:
        """The record stays, with status TERMINATED; every later request of the agent is denied. (DELETE
        /v1/agents/{agentId})
        """
        return self._call(ops.AGENTS_TERMINATE, agent_id=agent_id)


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
        """One signal, or up to a thousand in `signals`: all are accepted or none. (POST /v1/trust/signals)"""
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
        """One signal, or up to a thousand in `signals`: all are accepted or none. (POST /v1/trust/signals)"""
        return self._call(ops.TRUST_SIGNALS, signals=signals)

    def get(self, agent_id: str, *, at: Optional[str] = None) -> m.Trust:
        """What the agent's signals say. (GET /v1/trust/{agentId})"""
        return self._call(ops.TRUST_GET, agent_id=agent_id, at=at)

    def history(
        self,
        agent_id: str,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[m.TrustChange]:
        """One item for each time that signals were folded; a score also drifts towards 250 day by day without
        any. (GET /v1/trust/{agentId}/history)
        """
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
        """One item for each time that signals were folded; a score also drifts towards 250 day by day without
        any. (GET /v1/trust/{agentId}/history)
        """
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
        """Scope: proofs:read. (GET /v1/log/checkpoint)"""
        return self._call(ops.LOG_CHECKPOINT)

    def checkpoints(self, *, limit: Optional[int] = None) -> Iterator[m.Checkpoint]:
        """Scope: proofs:read. (GET /v1/log/checkpoints)"""
        return self._iterate(ops.LOG_CHECKPOINTS, limit=limit)

    def checkpoints_page(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> m.CheckpointList:
        """Scope: proofs:read. (GET /v1/log/checkpoints)"""
        return self._call(ops.LOG_CHECKPOINTS, limit=limit, cursor=cursor)

    def keys(self) -> m.LogKeys:
        """Scope: proofs:read. (GET /v1/log/keys)"""
        return self._call(ops.LOG_KEYS)

    def consistency(self, *, from_: int, to: int) -> m.Consistency:
        """Scope: proofs:read. (GET /v1/log/consistency)"""
        return self._call(ops.LOG_CONSISTENCY, from_=from_, to=to)

    def leaves(self, *, from_: int, to: int) -> m.LeafHashes:
        """At most 1000 at once; go on from the `to` of the answer. (GET /v1/log/leaves)"""
        return self._call(ops.LOG_LEAVES, from_=from_, to=to)


class Keys(Resource):
    def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["agents:read", "agents:write", "intents:write", "trust:read", "trust:write", "proofs:read", "admin:*"]],
        expires_in: Optional[str] = None,
        agent_ids: Optional[Sequence[str]] = None,
        environment: Optional[Literal["live", "test", "dev"]] = None,
        tier: Optional[int] = None,
    ) -> m.KeyCreated:
        """The answer is the only place where the key is ever shown: a repeat under the same Idempotency-Key
        is answered without `key`. (POST /v1/auth/keys)
        """
        return self._call(
            ops.KEYS_CREATE,
            name=name,
            scopes=scopes,
            expires_in=expires_in,
            agent_ids=agent_ids,
            environment=environment,
            tier=tier,
        )

    def list(self, *, limit: Optional[int] = None) -> Iterator[m.Key]:
        """Revoked and expired keys are listed too. lastUsedAt is written every few seconds. (GET
        /v1/auth/keys)
        """
        return self._iterate(ops.KEYS_LIST, limit=limit)

    def list_page(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> m.KeyList:
        """Revoked and expired keys are listed too. lastUsedAt is written every few seconds. (GET
        /v1/auth/keys)
        """
        return self._call(ops.KEYS_LIST, limit=limit, cursor=cursor)

    def revoke(self, key_id: str) -> m.Key:
        """Effective in every process within a second. (DELETE /v1/auth/keys/{keyId})"""
        return self._call(ops.KEYS_REVOKE, key_id=key_id)

    def rotate(self, key_id: str, *, overlap: Optional[str] = None) -> m.KeyRotated:
        """The new key has the old one's name, scopes, agents, environment, tier and lifetime, counted from
        now. (POST /v1/auth/keys/{keyId}/rotate)
        """
        return self._call(ops.KEYS_ROTATE, key_id=key_id, overlap=overlap)


class Policies(Resource):
    def active(self) -> m.PolicySetStatus:
        """Scope: admin:*. (GET /v1/policies)"""
        return self._call(ops.POLICIES_ACTIVE)

    def get(self, digest: str) -> m.StoredPolicySet:
        """Scope: admin:*. (GET /v1/policies/{digest})"""
        return self._call(ops.POLICIES_GET, digest=digest)

    def validate(
        self,
        *,
        files: Sequence[Union[m.ReplayRequestFiles, Mapping[str, Any]]],
    ) -> m.ValidatePoliciesResponse:
        """Scope: admin:*. (POST /v1/policies/validate)"""
        return self._call(ops.POLICIES_VALIDATE, files=files)

    def replay(
        self,
        *,
        files: Optional[Sequence[Union[m.ReplayRequestFiles, Mapping[str, Any]]]] = None,
        digest: Optional[str] = None,
        since: Optional[str] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        environment: Optional[Literal["live", "test", "dev"]] = None,
        agent_id: Optional[str] = None,
    ) -> Union[m.ReplayReport, m.Replay]:
        """Evaluates stored decisions of the operator's organisation again under a draft, from the facts that
        were recorded with them, and reports what would have changed. (POST /v1/policies/replay)
        """
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
        """Kept for a week. (GET /v1/policies/replays/{id})"""
        return self._call(ops.POLICIES_GET_REPLAY, replay_id=replay_id)

    def shadow(self) -> m.ShadowStatus:
        """With CUSTOS_SHADOW_POLICY_DIR the workers evaluate a second folder beside the set in force for a
        share of live decisions, after they were answered. (GET /v1/policies/shadow)
        """
        return self._call(ops.POLICIES_SHADOW)


class Tools(Resource):
    def list(self, *, limit: Optional[int] = None) -> Iterator[m.ToolCatalogue]:
        """Scope: admin:*. (GET /v1/tools)"""
        return self._iterate(ops.TOOLS_LIST, limit=limit)

    def list_page(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> m.ToolCatalogueList:
        """Scope: admin:*. (GET /v1/tools)"""
        return self._call(ops.TOOLS_LIST, limit=limit, cursor=cursor)


class Halt(Resource):
    def set(self, *, reason: str) -> m.HaltState:
        """From then on every verdict of this organisation and environment is DENY with reason HALTED, in
        every process within a second, until the halt is lifted. (POST /v1/halt)
        """
        return self._call(ops.HALT_SET, reason=reason)

    def get(self) -> m.HaltState:
        """Scope: admin:*. (GET /v1/halt)"""
        return self._call(ops.HALT_GET)

    def lift(self) -> m.HaltState:
        """Scope: admin:*. (DELETE /v1/halt)"""
        return self._call(ops.HALT_LIFT)


class Reference(Resource):
    def errors(self) -> m.ReferenceErrors:
        """No key is needed. (GET /v1/reference/errors)"""
        return self._call(ops.REFERENCE_ERRORS)

    def scopes(self) -> m.ReferenceScopes:
        """No key is needed. (GET /v1/reference/scopes)"""
        return self._call(ops.REFERENCE_SCOPES)

    def tiers(self) -> m.ReferenceTiers:
        """No key is needed. (GET /v1/reference/tiers)"""
        return self._call(ops.REFERENCE_TIERS)

    def rate_limits(self) -> m.ReferenceRateLimits:
        """No key is needed. (GET /v1/reference/rate-limits)"""
        return self._call(ops.REFERENCE_RATE_LIMITS)


class Service(Resource):
    def health(self) -> m.Health:
        """No key is needed. (GET /health)"""
        return self._call(ops.SERVICE_HEALTH)

    def ready(self) -> m.Readiness:
        """No key is needed. (GET /ready)"""
        return self._call(ops.SERVICE_READY)
