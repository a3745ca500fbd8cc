"""A guarded call as a question for POST /v1/enforce, and whether an answer is a decision about it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional

from . import canonical
from .codec import DecodeError, decode
from .engine import is_consistent
from .models import Decision
from .validity import life_seconds

# The limits of the service for the arguments of a tool call.
MAX_ARGUMENTS_BYTES = 262_144
MAX_ARGUMENTS_DEPTH = 32


class UnaskableError(ValueError):
    """The arguments can't be put as a question."""


@dataclass(frozen=True)
class GuardTarget:
    """The tool that a guard stands before."""

    agent_id: str
    server: str
    name: str
    definition_digest: Optional[str] = None
    annotations: Optional[Mapping[str, Any]] = None
    context: Optional[Mapping[str, Any]] = None


class Question:
    """The arguments are copied and serialised once: what is judged is what runs, whatever the caller changes
    meanwhile.
    """

    def __init__(self, target: GuardTarget, arguments: Mapping[str, Any]) -> None:
        """Raises UnaskableError for arguments that JSON can't express, that are too large or too deep."""
        self.target = target
        try:
            self.arguments: Dict[str, Any] = copy.deepcopy(dict(arguments))
            text = canonical.canonicalize(self.arguments)
        except canonical.NotJsonError as error:
            raise UnaskableError(_place_of(self.arguments, error)) from error
        except Exception as error:
            raise UnaskableError(f"they can't be copied ({type(error).__name__})") from error
        if len(text.encode("utf-8")) > MAX_ARGUMENTS_BYTES:
            raise UnaskableError(f"they have more than {MAX_ARGUMENTS_BYTES} bytes as JSON")
        if _depth(self.arguments) > MAX_ARGUMENTS_DEPTH:
            raise UnaskableError(f"they have more than {MAX_ARGUMENTS_DEPTH} levels")
        self.arguments_digest = canonical.digest_of(self.arguments)

    def body(self, approval_id: Optional[str]) -> Dict[str, Any]:
        """The members of an EnforceRequest."""
        target = self.target
        tool: Dict[str, Any] = {"server": target.server, "name": target.name, "arguments": self.arguments}
        if target.definition_digest is not None:
            tool["definition_digest"] = target.definition_digest
        if target.annotations is not None:
            tool["annotations"] = dict(target.annotations)
        return {
            "agent_id": target.agent_id,
            "tool": tool,
            "context": None if target.context is None else dict(target.context),
            "approval_id": approval_id,
        }

    def record(self, decision_id: str) -> Dict[str, Any]:
        """The payload of the proofs about the call: digests only."""
        payload: Dict[str, Any] = {
            "decisionId": decision_id,
            "server": self.target.server,
            "tool": self.target.name,
            "argumentsDigest": self.arguments_digest,
        }
        if self.target.definition_digest is not None:
            payload["definitionDigest"] = self.target.definition_digest
        return payload

    def read(self, answer: Any) -> Optional[Decision]:
        """The decision in an answer, or None: a proxy or a cache may have confused answers.

        It must be about this agent, server, tool and these arguments, be no dry run, and not contradict
        itself.
        """
        if not isinstance(answer, dict) or "dry_run" in answer or not is_consistent(answer):
            return None
        tool = answer.get("tool")
        if not isinstance(tool, dict) or answer.get("agent_id") != self.target.agent_id:
            return None
        # Without one, nothing shows for which request it was made.
        named = answer.get("request_id")
        if not isinstance(named, str) or named == "":
            return None
        names = (tool.get("server"), tool.get("name"), tool.get("arguments_digest"))
        if names != (self.target.server, self.target.name, self.arguments_digest):
            return None
        try:
            decision: Decision = decode(Decision, answer)
            is_timed = life_seconds(decision) > 0
        except (DecodeError, ValueError, TypeError):
            return None
        if not is_timed:
            return None
        return decision if _is_complete(decision) else None


def _is_complete(decision: Decision) -> bool:
    """Whether it has what a call depends on.

    To `decode`, any member of an answer may be null.
    """
    reasons, obligations = decision.reasons, decision.obligations
    if not isinstance(reasons, list) or not isinstance(obligations, list):
        return False
    # The service never sends DEGRADE without obligations: the answer is incomplete.
    if decision.verdict == "DEGRADE" and not obligations:
        return False
    texts: List[Any] = [decision.decision_id, *(text for one in reasons for text in (one.code, one.message))]
    texts.extend(one.get("type") for one in obligations)
    if decision.verdict == "ESCALATE" and decision.approval is not None:
        texts.append(decision.approval.approval_id)
    return decision.decision_id != "" and all(isinstance(text, str) for text in texts)


def _place_of(arguments: Mapping[str, Any], error: canonical.NotJsonError) -> str:
    """The error with the argument that has it: a function may have many."""
    for name, value in arguments.items():
        try:
            canonical.canonicalize({name: value})
        except canonical.NotJsonError as reason:
            advice = f'; hidden=["{name}"] passes it on without judging it' if name in ("self", "cls") else ""
            return f"{name}: {reason}{advice}"
    return str(error)


def _depth(value: Any) -> int:
    """Levels of objects and lists, iteratively; cycles were refused before."""
    depth = 0
    level: List[Any] = [value]
    while level:
        containers = [one for one in level if isinstance(one, (dict, list, tuple))]
        if not containers:
            return depth
        depth += 1
        level = [part for one in containers for part in (one.values() if isinstance(one, dict) else one)]
    return depth
