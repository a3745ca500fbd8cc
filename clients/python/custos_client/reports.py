"""Reports of guarded calls: a proof `tool.called` or `tool.not_called` with digests only, and trust signals
when asked for.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Protocol, Set, Tuple

from . import operations as ops
from .blocking_transport import run_blocking
from .engine import Engine
from .errors import CustosError
from .forks import renew_in_children
from .operation import Operation

if TYPE_CHECKING:
    from .guard_core import Permit

OnReportError = Callable[[Exception], None]
Report = Tuple[Operation[Any], Dict[str, Any]]

MAX_WAITING_REPORTS = 10_000

_logger = logging.getLogger("custos_client")


def log_report_error(error: Exception) -> None:
    _logger.warning("A report of a guarded call was not delivered: %s", error)


class Outbox(Protocol):
    """Sends reports, at once or in the background."""

    async def post(self, reports: List[Report], on_error: OnReportError, in_background: bool) -> None:
        ...


class Reporter:
    def __init__(self, outbox: Outbox, on_error: OnReportError, in_background: bool) -> None:
        self._outbox = outbox
        self._on_error = on_error
        self._in_background = in_background

    async def called(
        self,
        permit: Permit,
        outcome: str,
        result_digest: Optional[str],
        *,
        with_signal: bool,
        in_background: bool,
    ) -> None:
        target, decision_id = permit.question.target, permit.decision.decision_id
        # The ids make a repetition after a lost answer count once.
        report_id = f"tool.called:{decision_id}"
        payload = permit.question.record(decision_id)
        if result_digest is not None:
            payload["resultDigest"] = result_digest
        payload["outcome"] = outcome
        proof = {
            "event": "tool.called",
            "entity_id": target.agent_id,
            "payload": payload,
            "proof_id": report_id,
        }
        reports: List[Report] = [(ops.PROOFS_CREATE, proof)]
        if with_signal:
            evidence = {"decisionId": decision_id, "server": target.server, "tool": target.name}
            signal = {
                "signal_id": report_id,
                "agent_id": target.agent_id,
                "type": outcome,
                "source": "client",
                "evidence": evidence,
            }
            reports.append((ops.TRUST_SIGNAL, signal))
        await self._post(reports, in_background)

    async def not_called(self, permit: Permit, in_background: bool) -> None:
        decision_id = permit.decision.decision_id
        proof = {
            "event": "tool.not_called",
            "entity_id": permit.question.target.agent_id,
            "payload": permit.question.record(decision_id),
            "proof_id": f"tool.not_called:{decision_id}",
        }
        reports: List[Report] = [(ops.PROOFS_CREATE, proof)]
        if permit.decision.budgets is not None:
            # Gives back what the decision counted against budgets.
            outcome = {"decision_id": decision_id, "outcome": "not_carried_out"}
            reports.append((ops.DECISIONS_REPORT_OUTCOME, outcome))
        await self._post(reports, in_background)

    async def _post(self, reports: List[Report], in_background: bool) -> None:
        """Does not change what becomes of the call, even without a loop or a thread to send the report."""
        try:
            await self._outbox.post(reports, self._on_error, self._in_background or in_background)
        except Exception as error:
            _tell(self._on_error, error)


async def _deliver(engine: Engine, reports: List[Report], on_error: OnReportError) -> None:
    for operation, values in reports:
        try:
            await engine.call(operation, values)
        except Exception as error:
            _tell(on_error, error)


def _tell(on_error: OnReportError, error: Exception) -> None:
    """An error of the handler itself must not change what the guarded call returns."""
    try:
        on_error(error)
    except Exception:
        _logger.exception("The handler of report errors failed.")


class BlockingOutbox:
    """Sends before it returns, or in one thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread: Optional[ThreadPoolExecutor] = None
        self._waiting: Set["Future[None]"] = set()
        renew_in_children(self)

    def renew(self) -> None:
        # The thread is the parent's, which sends what waits.
        self._thread = None
        self._waiting = set()

    async def post(self, reports: List[Report], on_error: OnReportError, in_background: bool) -> None:
        if not in_background:
            # Not in the caller's context: a cancelled call is reported nonetheless.
            contextvars.Context().run(self._send, reports, on_error)
        elif len(self._waiting) >= MAX_WAITING_REPORTS:
            _tell(on_error, CustosError("Too many reports are waiting."))
        else:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="custos-reports")
            future = self._thread.submit(self._send, reports, on_error)
            self._waiting.add(future)
            future.add_done_callback(self._waiting.discard)

    def _send(self, reports: List[Report], on_error: OnReportError) -> None:
        run_blocking(_deliver(self._engine, reports, on_error))

    def flush(self) -> None:
        for future in list(self._waiting):
            future.result()


class AsyncOutbox:
    """Sends in tasks of the running loop, always in the background."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: Set["asyncio.Task[None]"] = set()

    async def post(self, reports: List[Report], on_error: OnReportError, in_background: bool) -> None:
        if len(self._waiting) >= MAX_WAITING_REPORTS:
            _tell(on_error, CustosError("Too many reports are waiting."))
            return
        loop = asyncio.get_running_loop()
        # Not in the caller's context, whose values are for its own calls.
        task = contextvars.Context().run(loop.create_task, _deliver(self._engine, reports, on_error))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def flush(self) -> None:
        while self._waiting:
            await asyncio.wait(set(self._waiting))
