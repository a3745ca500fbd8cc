"""CrewAI: every tool call of a crew asks Custos first.

CrewAI calls a hook before and one after each tool call, with a context that has `tool_name`, `tool_input` (a
dictionary, which the tool gets), `agent` and, afterwards, `tool_result`. A hook that returns False blocks the
call::

    from crewai.hooks import register_after_tool_call_hook, register_before_tool_call_hook

    hooks = CrewHooks(custos, agent_id="researcher", server="crew")
    register_before_tool_call_hook(hooks.before_tool_call)
    register_after_tool_call_hook(hooks.after_tool_call)

CrewAI ignores an exception of a hook and runs the tool, so that these hooks never raise one. Register them
last: a hook after them could change `tool_input` once it is judged.
"""

from __future__ import annotations

import logging
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

from .. import canonical
from ..blocking_transport import run_blocking
from ..client import Custos
from ..errors import RefusedError
from ..guard_core import GuardCore, Permit
from ..reports import OnReportError, log_report_error

# A context of CrewAI, or the agent of one: only their attributes matter.
AgentId = Union[str, Callable[[Any], str]]
OnRefused = Callable[[Any, Exception], None]

# Permits whose call has not ended: calls that CrewAI drops would stay here.
MAX_PERMITS = 10_000

_logger = logging.getLogger("custos_client")


def log_refusal(context: Any, error: Exception) -> None:
    _logger.warning("The tool call was blocked: %s", error)


class CrewHooks:
    """The hooks of one client. `agent_id` is an id, or a function that gives it for a context."""

    def __init__(
        self,
        custos: Custos,
        *,
        agent_id: AgentId,
        server: str,
        context: Optional[Mapping[str, Any]] = None,
        wait_seconds: float = 300.0,
        report_signals: bool = False,
        on_refused: OnRefused = log_refusal,
        on_report_error: OnReportError = log_report_error,
    ) -> None:
        self._custos = custos
        self._agent_id = agent_id
        self._server = server
        self._options: Dict[str, Any] = {
            "context": context,
            "wait_seconds": wait_seconds,
            "report_signals": report_signals,
            "on_report_error": on_report_error,
        }
        self._on_refused = on_refused
        self._lock = threading.Lock()
        # By the identity of the input, which both hooks get. The input is kept, so that its identity stays
        # its own.
        self._permits: Dict[int, Tuple[Any, GuardCore, Permit]] = {}

    def before_tool_call(self, context: Any) -> Optional[bool]:
        """None when the call is allowed, else False, whatever goes wrong."""
        try:
            self._permit(context)
            return None
        except Exception as error:
            try:
                self._on_refused(context, error)
            except Exception:
                _logger.exception("The handler of refusals failed.")
            return False

    def after_tool_call(self, context: Any) -> None:
        """Reports the call.

        CrewAI turns an exception of a tool into a result, so that each counts as a success.
        """
        try:
            with self._lock:
                kept = self._permits.pop(id(context.tool_input), None)
            # Without a permit the call was blocked: CrewAI calls this hook nonetheless.
            if kept is not None:
                _, core, permit = kept
                run_blocking(core.report(permit, "success", context.tool_result))
        except Exception:
            _logger.exception("A tool call was not reported.")

    def _permit(self, context: Any) -> None:
        agent_id = self._agent_id if isinstance(self._agent_id, str) else self._agent_id(context)
        core = self._custos.guard_core(agent_id=agent_id, server=self._server, **self._options)(
            context.tool_name
        )
        permit = run_blocking(core.permit(context.tool_input))
        # The tool gets `tool_input` itself: what changed while the decision was made is not judged.
        if not _is_judged(context.tool_input, permit):
            run_blocking(core.withdraw(permit))
            raise RefusedError("The arguments of the tool changed while the decision was made.")
        with self._lock:
            if len(self._permits) >= MAX_PERMITS:
                self._permits.pop(next(iter(self._permits)))
            self._permits[id(context.tool_input)] = (context.tool_input, core, permit)


def _is_judged(tool_input: Any, permit: Permit) -> bool:
    # Not by ==, to which 1 and True are equal.
    try:
        return canonical.digest_of(tool_input) == permit.question.arguments_digest
    except ValueError:
        return False
