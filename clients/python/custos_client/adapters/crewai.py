"""CrewAI: every tool call of a crew asks Custos first.

CrewAI calls a hook before and one after each tool call, with a context that has `tool_name`, `tool_input` (a
dictionary, which the tool gets), `tool`, `agent` and, afterwards, `tool_result`. A hook that returns False
blocks the call::

    from crewai.hooks import register_after_tool_call_hook, register_before_tool_call_hook

    hooks = CrewHooks(custos, agent_id="researcher", server="crew")
    register_before_tool_call_hook(hooks.before_tool_call)  # behind all others
    register_after_tool_call_hook(hooks.after_tool_call)  # before all others

CrewAI ignores an exception of a hook, leaves out the hooks behind it and runs the tool, so that these hooks
never raise one, and no hook before them may. A hook behind the first one could change `tool_input` once it is
judged; one before the second one would see a result to which obligations are not applied yet.

CrewAI itself may run a tool that fails several times, under one decision. A tool of your own is governed more
closely by `Custos.guard`, which decides about each run and lets no result pass by::

    @tool("send")
    @custos.guard(agent_id="researcher", server="crew")
    def send(to: str, text: str) -> str: ...
"""

from __future__ import annotations

import importlib
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
        obligations: Optional[Mapping[str, Callable[..., Any]]] = None,
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
            "obligations": obligations,
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

    def after_tool_call(self, context: Any) -> Optional[str]:
        """Reports the call, and gives its result as the obligations demand; None when they demand nothing.

        CrewAI turns an exception of a tool into a result, so that each counts as a success.
        """
        with self._lock:
            kept = self._permits.pop(id(context.tool_input), None)
        # Without a permit the call was blocked: CrewAI calls this hook nonetheless.
        if kept is None:
            return None
        _, core, permit = kept
        try:
            run_blocking(core.report(permit, "success", context.tool_result))
        except Exception:
            _logger.exception("A tool call was not reported.")
        if not permit.result_steps:
            return None
        try:
            return str(run_blocking(core.applied(permit, context.tool_result)))
        except Exception as error:
            return str(error) if isinstance(error, RefusedError) else "The result is withheld."

    def _permit(self, context: Any) -> None:
        agent_id = self._agent_id if isinstance(self._agent_id, str) else self._agent_id(context)
        make = self._custos.guard_core(
            agent_id=agent_id,
            server=self._server,
            definition_digest=_definition_digest(getattr(context, "tool", None)),
            **self._options,
        )
        core = make(context.tool_name)
        permit = run_blocking(core.permit(context.tool_input))
        why = self._unkept(context, core, permit)
        if why:
            run_blocking(core.withdraw(permit))
            raise RefusedError(f"The tool {context.tool_name} of {self._server} was not run: {why}.")

    def _unkept(self, context: Any, core: GuardCore, permit: Permit) -> str:
        """Has CrewAI make the call as it is permitted; the reason, if that can't be."""
        # The tool gets `tool_input` itself: what changed while the decision was made is not judged.
        if not _is_judged(context.tool_input, permit):
            return "its arguments changed while the decision was made"
        # Not by ==, to which 1 and True are equal.
        is_changed = permit.arguments is not permit.question.arguments
        # In place of no arguments, CrewAI shows hooks a dictionary that the tool does not get.
        if permit.arguments and not context.tool_input:
            return "an obligation adds arguments to a call that has none, which hooks can't do"
        if permit.result_steps and not self._sees_result_first():
            return "an obligation changes its result, and after_tool_call is not the first hook behind a call"
        # CrewAI may take the result of such a tool from where no hook changes it.
        if permit.result_steps and getattr(context.tool, "result_as_answer", None) is not False:
            return "an obligation changes its result, which is the answer of the agent"
        with self._lock:
            if not self._has_room():
                return "too many calls have no end yet"
            self._permits[id(context.tool_input)] = (context.tool_input, core, permit)
        if is_changed:
            context.tool_input.clear()
            context.tool_input.update(permit.arguments)
        return ""

    def _has_room(self) -> bool:
        """A call whose result has to be changed is not forgotten."""
        if len(self._permits) < MAX_PERMITS:
            return True
        oldest = next((key for key, kept in self._permits.items() if not kept[2].result_steps), None)
        return oldest is not None and self._permits.pop(oldest) is not None

    def _sees_result_first(self) -> bool:
        try:
            hooks = importlib.import_module("crewai.hooks").get_after_tool_call_hooks()
            return bool(hooks[0] == self.after_tool_call)
        except (ImportError, AttributeError, IndexError):
            return False


def _definition_digest(tool: Any) -> Optional[str]:
    """Of the tool as the model is shown it.

    None where that is not known: a tool that is pinned then counts as changed.
    """
    try:
        schema = tool.args_schema
        shown = {"name": tool.name, "description": tool.description}
        if schema is not None:
            shown["inputSchema"] = schema if isinstance(schema, dict) else schema.model_json_schema()
        return canonical.definition_digest(shown)
    except Exception:
        return None


def _is_judged(tool_input: Any, permit: Permit) -> bool:
    # Not by ==, as above.
    try:
        return canonical.digest_of(tool_input) == permit.question.arguments_digest
    except ValueError:
        return False
