"""The blocking client."""

from __future__ import annotations

import ssl
from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Sequence, Type

from . import models as m
from . import operations as ops
from . import resources
from .blocking_transport import BlockingTransport, run_blocking
from .engine import Engine
from .guard import F, guard_function
from .guard_core import GuardCore, GuardOptions
from .question import GuardTarget
from .reports import BlockingOutbox, OnReportError, Reporter, log_report_error
from .settings import read_settings


class Intents(resources.Intents):
    def wait_decided(self, intent_id: str, *, timeout: float = 300.0) -> m.SubmittedIntent:
        """The intent once it is decided or has failed.

        Raises TimeoutError, with the last state, after so many seconds.
        """
        values = {"intent_id": intent_id}
        return run_blocking(self._engine.wait(ops.INTENTS_GET, values, is_intent_final, timeout))


class Approvals(resources.Approvals):
    def wait_decided(self, approval_id: str, *, timeout: float = 300.0) -> m.ApprovalDetail:
        """The approval once it is not pending any more. Raises TimeoutError, with the last state."""
        values = {"approval_id": approval_id}
        return run_blocking(self._engine.wait(ops.APPROVALS_GET, values, is_approval_final, timeout))


class Proofs(resources.Proofs):
    def wait_anchored(self, proof_id: str, *, timeout: float = 60.0) -> m.Receipt:
        """The receipt, once the log has the record. Raises TimeoutError, with the last state."""
        values = {"proof_id": proof_id}
        receipt: Any = run_blocking(self._engine.wait(ops.PROOFS_GET, values, is_receipt, timeout))
        return receipt  # type: ignore[no-any-return]


def is_intent_final(intent: m.SubmittedIntent) -> bool:
    return intent.status in ("decided", "failed")


def is_approval_final(approval: m.ApprovalDetail) -> bool:
    return approval.status != "pending"


def is_receipt(proof: Any) -> bool:
    return isinstance(proof, dict)


class Custos:
    """A client of Custos that blocks. It is thread-safe, and keeps connections.

    `url` and `key` come from CUSTOS_URL and CUSTOS_KEY unless they are given. `timeout` (seconds) is for a
    call with all its repetitions, of which there are at most `retries`. Use it as a context manager, or call
    `close()`.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        timeout: float = 10.0,
        retries: int = 3,
        *,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        address, settings = read_settings(url, key, timeout, retries)
        self._url = f"{'https' if address.is_tls else 'http'}://{address.authority}{address.base_path}"
        self._transport = BlockingTransport(address, ssl_context)
        engine = self._engine = Engine(settings, self._transport)
        self._outbox = BlockingOutbox(engine)
        self._service = resources.Service(engine)
        self.intent = resources.Intent(engine)
        self.enforce = resources.Enforce(engine)
        self.decisions = resources.Decisions(engine)
        self.intents = Intents(engine)
        self.approvals = Approvals(engine)
        self.proofs = self.proof = Proofs(engine)
        self.agents = resources.Agents(engine)
        self.trust = resources.Trust(engine)
        self.log = resources.Log(engine)
        self.keys = resources.Keys(engine)
        self.policies = resources.Policies(engine)
        self.tools = resources.Tools(engine)
        self.resources = resources.Resources(engine)
        self.webhooks = resources.Webhooks(engine)
        self.halt = resources.Halt(engine)
        self.reference = resources.Reference(engine)

    def __repr__(self) -> str:
        return f"Custos({self._url!r})"

    def health(self) -> m.Health:
        """Whether the process is alive. Needs no key."""
        return self._service.health()

    def ready(self) -> m.Readiness:
        """Whether the service can decide, with its checks; also when it is not ready. Needs no key."""
        return self._service.ready()

    def guard(
        self,
        *,
        agent_id: str,
        server: str,
        name: Optional[str] = None,
        definition_digest: Optional[str] = None,
        annotations: Optional[Mapping[str, Any]] = None,
        context: Optional[Mapping[str, Any]] = None,
        wait_seconds: float = 300.0,
        report_signals: bool = False,
        obligations: Optional[Mapping[str, Callable[..., Any]]] = None,
        on_report_error: OnReportError = log_report_error,
        background: bool = False,
        hidden: Sequence[str] = (),
        decision_parameter: str = "",
    ) -> Callable[[F], F]:
        """Decorates a function so that each call runs only with a decision that allows it; else RefusedError
        is raised.

        A call that was refused with an `approval_id` is repeated with it by `use_approval`, once it is
        approved.

        `server` and `name` name the tool (default: the function's name), and the arguments of the call are
        those of the tool, by their names. `wait_seconds`: how long a call waits for the approval of a human.
        `obligations`: a handler for each type of obligation that the function can keep, which gets the
        obligation and the arguments and returns None or `Kept`. Each call is reported as a proof, with
        `report_signals` as a signal of trust too: before the call returns, or with `background` in a thread.
        `hidden`: parameters that are not judged, such as `self`. `decision_parameter`: the parameter that
        gets the decision.
        """
        core = self.guard_core(
            agent_id=agent_id,
            server=server,
            definition_digest=definition_digest,
            annotations=annotations,
            context=context,
            wait_seconds=wait_seconds,
            report_signals=report_signals,
            obligations=obligations,
            on_report_error=on_report_error,
            background=background,
        )
        return guard_function(core, name or "", hidden, decision_parameter)

    def guard_core(
        self,
        *,
        agent_id: str,
        server: str,
        definition_digest: Optional[str] = None,
        annotations: Optional[Mapping[str, Any]] = None,
        context: Optional[Mapping[str, Any]] = None,
        wait_seconds: float = 300.0,
        report_signals: bool = False,
        obligations: Optional[Mapping[str, Callable[..., Any]]] = None,
        on_report_error: OnReportError = log_report_error,
        background: bool = False,
    ) -> Callable[[str], GuardCore]:
        """For adapters: makes the guard of a tool by its name."""
        reporter = Reporter(self._outbox, on_report_error, background)

        def make(name: str) -> GuardCore:
            target = GuardTarget(agent_id, server, name, definition_digest, annotations, context)
            options = GuardOptions(target, wait_seconds, report_signals, dict(obligations or {}))
            return GuardCore(self._engine, reporter, _invoke, options)

        return make

    def flush(self) -> None:
        """Waits until the reports in the background are sent, or have failed."""
        self._outbox.flush()

    def close(self) -> None:
        """Sends waiting reports, then cancels the calls of other threads and closes the connections."""
        self.flush()
        self._transport.close()

    def __enter__(self) -> "Custos":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


async def _invoke(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)
