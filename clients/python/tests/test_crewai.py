"""The hooks for CrewAI, with a stand-in of its tool calls."""

from __future__ import annotations

import unittest
from typing import Any, Callable, Dict, List, Optional

from custos_client import Custos
from custos_client.adapters.crewai import CrewHooks
from tests.scripted import ACCEPTED, KEY, Recorded, Reply, ScriptedServer, decision, problem


class ToolCallHookContext:
    """The attributes of the class of this name in crewai.hooks."""

    def __init__(self, tool_name: str, tool_input: Dict[str, Any], tool_result: Optional[str] = None) -> None:
        self.tool_name = tool_name
        self.tool_input = tool_input
        self.tool = self.agent = self.task = self.crew = None
        self.tool_result = tool_result


def call_tool(hooks: CrewHooks, tool: Callable[..., str], tool_input: Dict[str, Any]) -> str:
    """As CrewAI does: it ignores an exception of a hook, and calls the second hook for blocked calls too."""
    is_blocked = False
    try:
        is_blocked = hooks.before_tool_call(ToolCallHookContext("write_file", tool_input)) is False
    except Exception:
        pass
    result = "Tool execution blocked by hook." if is_blocked else tool(**tool_input)
    hooks.after_tool_call(ToolCallHookContext("write_file", tool_input, result))
    return result


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
