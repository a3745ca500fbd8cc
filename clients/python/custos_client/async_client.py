"""The client for asyncio."""

from __future__ import annotations

import inspect
import ssl
from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Sequence, Type

from . import async_resources as resources
from . import models as m
from . import operations as ops
from .async_transport import AsyncTransport
from .client import is_approval_final, is_intent_final, is_receipt
from .engine import Engine
from .guard import F, guard_coroutine
from .guard_core import GuardCore, GuardOptions
from .question import GuardTarget
from .reports import AsyncOutbox, OnReportError, Reporter, log_report_error
from .settings import read_settings


class AsyncIntents(resources.AsyncIntents):
    async def wait_decided(self, intent_id: str, *, timeout: float = 300.0) -> m.SubmittedIntent:
        """The intent once it is decided or has failed.

        Raises TimeoutError, with the last state, after so many seconds.
        """
        return await self._engine.wait(ops.INTENTS_GET, {"intent_id": intent_id}, is_intent_final, timeout)


class AsyncApprovals(resources.AsyncApprovals):
    async def wait_decided(self, approval_id: str, *, timeout: float = 300.0) -> m.ApprovalDetail:
        """The approval once it is not pending any more. Raises TimeoutError, with the last state."""
        return await self._engine.wait(
            ops.APPROVALS_GET, {"approval_id": approval_id}, is_approval_final, timeout
        )


class AsyncProofs(resources.AsyncProofs):
    async def wait_anchored(self, proof_id: str, *, timeout: float = 60.0) -> m.Receipt:
        """The receipt, once the log has the record. Raises TimeoutError, with the last state."""
        receipt: Any = await self._engine.wait(ops.PROOFS_GET, {"proof_id": proof_id}, is_receipt, timeout)
        return receipt  # type: ignore[no-any-return]


class AsyncCustos:
    """A client of Custos for asyncio. Cancel a task to cancel its call.

    The arguments are those of `Custos`. Use it with `async with`, or await `close()`.
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
        self._transport = AsyncTransport(address, ssl_context)
        engine = self._engine = Engine(settings, self._transport)
        self._outbox = AsyncOutbox(engine)
        self._service = resources.AsyncService(engine)
        self.intent = resources.AsyncIntent(engine)
        self.enforce = resources.AsyncEnforce(engine)
        self.decisions = resources.AsyncDecisions(engine)
        self.intents = AsyncIntents(engine)
        self.approvals = AsyncApprovals(engine)
        self.proofs = self.proof = AsyncProofs(engine)
        self.agents = resources.AsyncAgents(engine)
        self.trust = resources.AsyncTrust(engine)
        self.log = resources.AsyncLog(engine)
        self.keys = resources.AsyncKeys(engine)
        self.policies = resources.AsyncPolicies(engine)
        self.tools = resources.AsyncTools(engine)
        self.resources = resources.AsyncResources(engine)
        self.webhooks = resources.AsyncWebhooks(engine)
        self.halt = resources.AsyncHalt(engine)
        self.reference = resources.AsyncReference(engine)

    def __repr__(self) -> str:
        return f"AsyncCustos({self._url!r})"

    async def health(self) -> m.Health:
        """Whether the process is alive. Needs no key."""
        return await self._service.health()

    async def ready(self) -> m.Readiness:
        """Whether the service can decide, with its checks; also when it is not ready. Needs no key."""
        return await self._service.ready()

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
        hidden: Sequence[str] = (),
        decision_parameter: str = "",
    ) -> Callable[[F], F]:
        """Decorates an `async def` as `Custos.guard` does a function. Reports are sent in the background.

        Handlers of obligations may be coroutine functions.
        """
        reporter = Reporter(self._outbox, on_report_error, in_background=True)

        def make(tool: str) -> GuardCore:
            target = GuardTarget(agent_id, server, tool, definition_digest, annotations, context)
            options = GuardOptions(target, wait_seconds, report_signals, dict(obligations or {}))
            return GuardCore(self._engine, reporter, _invoke, options)

        return guard_coroutine(make, name or "", hidden, decision_parameter)

    async def flush(self) -> None:
        """Waits until the reports in the background are sent, or have failed."""
        await self._outbox.flush()

    async def close(self) -> None:
        """Sends waiting reports, then ends the calls of other tasks and closes the connections."""
        await self.flush()
        await self._transport.close()

    async def __aenter__(self) -> "AsyncCustos":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


async def _invoke(function: Callable[..., Any], *arguments: Any) -> Any:
    result = function(*arguments)
    return await result if inspect.isawaitable(result) else result
