"""The hooks for CrewAI, with a stand-in of its tool calls."""

from __future__ import annotations

import sys
import types
import unittest
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

from custos_client import Custos, Kept, definition_digest
from custos_client.adapters import crewai
from custos_client.adapters.crewai import CrewHooks
from tests.scripted import ACCEPTED, KEY, Recorded, Reply, ScriptedServer, decision, problem


class Schema:
    """As a model of pydantic."""

    @staticmethod
    def model_json_schema() -> Dict[str, Any]:
        return {"type": "object", "properties": {"path": {"type": "string"}}}


class StructuredTool:
    """The attributes of CrewStructuredTool that hooks read."""

    name = "write_file"
    description = "Writes a file"
    args_schema: Any = Schema
    result_as_answer = False


class ToolCallHookContext:
    """The attributes of the class of this name in crewai.hooks."""

    def __init__(
        self, tool: Any, tool_name: str, tool_input: Dict[str, Any], tool_result: Optional[str] = None
    ) -> None:
        self.tool = tool
        self.tool_name = tool_name
        self.tool_input = tool_input
        self.agent = self.task = self.crew = None
        self.tool_result = tool_result


def call_tool(
    hooks: CrewHooks, tool: Callable[..., str], tool_input: Dict[str, Any], about: Any = StructuredTool
) -> str:
    """As CrewAI does: it ignores an exception of a hook, and calls the second hook for blocked calls too."""
    is_blocked = False
    try:
        is_blocked = hooks.before_tool_call(ToolCallHookContext(about, "write_file", tool_input)) is False
    except Exception:
        pass
    try:
        result = "Tool execution blocked by hook." if is_blocked else tool(**tool_input)
    except Exception as error:
        result = f"Error executing tool: {error}"
    shown = hooks.after_tool_call(ToolCallHookContext(about, "write_file", tool_input, result))
    return result if shown is None else shown


class CrewHooksTest(unittest.TestCase):
    def run_tool(self, script: Any, tool_input: Dict[str, Any], on_refused: Any = None) -> List[str]:
        """What the tool wrote."""
        written: List[str] = []

        def write_file(path: str) -> str:
            written.append(path)
            return "done"

        with ScriptedServer(script) as server, Custos(server.url, KEY, timeout=1.0, retries=0) as custos:
            refused = on_refused or (lambda _context, _error: None)
            hooks = CrewHooks(custos, agent_id="crew-1", server="files", wait_seconds=0, on_refused=refused)
            call_tool(hooks, write_file, tool_input)
            self.reports = [one.body for one in server.requests if one.path == "/v1/proofs"]
        return written

    def answer(self, verdict: str) -> Callable[[Recorded, int], Reply]:
        return lambda request, _: decision(request, verdict) if request.path == "/v1/enforce" else ACCEPTED

    def test_an_allowed_call_runs_and_is_reported(self) -> None:
        self.assertEqual(self.run_tool(self.answer("ALLOW"), {"path": "/a"}), ["/a"])
        (report,) = self.reports
        self.assertEqual((report["event"], report["entityId"]), ("tool.called", "crew-1"))
        self.assertEqual(report["payload"]["outcome"], "success")

    def test_a_call_without_an_allowed_decision_is_blocked_and_not_reported(self) -> None:
        scripts = [
            self.answer("DENY"),
            self.answer("ESCALATE"),
            Reply(200, "<html>"),
            Reply(200, {"allowed": True}),
            problem(401, "E1002"),
            problem(503, "E6002"),
            Reply(reset=True),
            Reply(200, {}, delay_seconds=1.5),
        ]
        for script in scripts:
            self.assertEqual(self.run_tool(script, {"path": "/a"}), [])
            self.assertEqual(self.reports, [])

    def test_a_hook_never_raises(self) -> None:
        def fail(_context: Any, _error: Exception) -> None:
            raise RuntimeError("a handler that fails")

        with self.assertLogs("custos_client", "ERROR"):
            self.assertEqual(self.run_tool(self.answer("DENY"), {"path": "/a"}, fail), [])
        self.assertEqual(self.run_tool(self.answer("ALLOW"), {"path": object()}), [])

    def test_arguments_that_change_while_the_decision_is_made_block_the_call(self) -> None:
        for judged, later in [("/a", "/etc/passwd"), (1, True), ("/a", object())]:
            tool_input: Dict[str, Any] = {"path": judged}

            def script(request: Recorded, _: int, change: Dict[str, Any] = {"path": later}) -> Reply:
                if request.path != "/v1/enforce":
                    return ACCEPTED
                tool_input.update(change)
                return decision(request, "ALLOW")

            with self.subTest(later=later):
                self.assertEqual(self.run_tool(script, tool_input), [])
                self.assertEqual([one["event"] for one in self.reports], ["tool.not_called"])

    def test_asks_with_the_digest_of_what_the_model_is_shown_of_the_tool(self) -> None:
        class Unlike(StructuredTool):
            args_schema = object

        schema = Schema.model_json_schema()
        shown = {"name": "write_file", "description": "Writes a file", "inputSchema": schema}
        for about, digest in [(StructuredTool, definition_digest(shown)), (Unlike, None), (None, None)]:
            with ScriptedServer(self.answer("ALLOW")) as server, Custos(server.url, KEY) as custos:
                hooks = CrewHooks(custos, agent_id="crew-1", server="files")
                call_tool(hooks, lambda path: path, {"path": "/a"}, about)
                asked = server.requests[0].body["tool"]
            self.assertEqual(asked.get("definition_digest"), digest)

    def degraded(
        self,
        kept: Kept,
        tool_input: Dict[str, Any],
        tool: Callable[..., str] = lambda path: f"row of ada in {path}",
        about: Any = StructuredTool,
        first: bool = True,
    ) -> str:
        """What the model gets of a call under one obligation."""

        def script(request: Recorded, _: int) -> Reply:
            obligations = [{"type": "redact_fields", "fields": ["name"]}]
            is_question = request.path == "/v1/enforce"
            return decision(request, "DEGRADE", obligations=obligations) if is_question else ACCEPTED

        with ScriptedServer(script) as server, Custos(server.url, KEY) as custos:
            hooks = CrewHooks(
                custos,
                agent_id="crew-1",
                server="files",
                obligations={"redact_fields": lambda _obligation, _arguments: kept},
                on_refused=lambda _context, _error: None,
            )
            module = types.ModuleType("crewai.hooks")
            others: List[Any] = [lambda _context: None]
            registered = [hooks.after_tool_call, *others] if first else [*others, hooks.after_tool_call]
            setattr(module, "get_after_tool_call_hooks", lambda: registered)
            with mock.patch.dict(sys.modules, {"crewai": types.ModuleType("crewai"), "crewai.hooks": module}):
                shown = call_tool(hooks, tool, tool_input, about)
            self.events = [one.body["event"] for one in server.requests if one.path == "/v1/proofs"]
        return shown

    def test_an_obligation_changes_arguments_and_the_result(self) -> None:
        redact = Kept(result=lambda text: text.replace("ada", "[redacted]"))
        self.assertEqual(self.degraded(redact, {"path": "/a"}), "row of [redacted] in /a")
        self.assertEqual(self.degraded(Kept(arguments={"path": "/b"}), {"path": "/a"}), "row of ada in /b")
        self.assertEqual(self.events, ["tool.called"])
        # Equal in Python, and different in JSON.
        self.assertEqual(self.degraded(Kept(arguments={"path": True}), {"path": 1}), "row of ada in True")
        self.assertEqual(self.degraded(Kept(arguments={}), {}, lambda: "done"), "done")

        def fail(path: str) -> str:
            raise ValueError("no row of ada")

        self.assertNotIn("ada", self.degraded(redact, {"path": "/a"}, fail))

    def test_a_result_is_withheld_when_an_obligation_can_not_be_kept_on_it(self) -> None:
        def fail(text: str) -> str:
            raise ValueError(text)

        shown = self.degraded(Kept(result=fail), {"path": "/a"})
        self.assertIn("withheld", shown)
        self.assertNotIn("ada", shown)
        self.assertEqual(self.events, ["tool.called"])

    def test_what_hooks_can_not_do_blocks_the_call(self) -> None:
        class Answering(StructuredTool):
            result_as_answer = True

        redact = Kept(result=lambda text: "")
        cases: Dict[str, Any] = {
            "another hook sees the result first": (redact, {"path": "/a"}, {"first": False}),
            "the result is the answer of the agent": (redact, {"path": "/a"}, {"about": Answering}),
            "it is not known whether it is": (redact, {"path": "/a"}, {"about": None}),
            "there are no arguments to change": (Kept(arguments={"path": "/b"}), {}, {}),
        }
        for name, (kept, tool_input, more) in cases.items():
            with self.subTest(name):
                self.assertIn("blocked", self.degraded(kept, tool_input, self.fail, **more))
                self.assertEqual(self.events, ["tool.not_called"])

    def test_a_call_whose_result_has_to_be_changed_is_not_forgotten(self) -> None:
        with mock.patch.object(crewai, "MAX_PERMITS", 0):
            redact = Kept(result=lambda text: "")
            self.assertIn("blocked", self.degraded(redact, {"path": "/a"}, self.fail))
