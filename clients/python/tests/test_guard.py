"""What the conformance cases can't say about the guard: Python functions, their arguments, and threads."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import traceback
import unittest
from unittest import mock
from typing import Any, Callable, Dict, List

from custos_client import (
    AsyncCustos,
    CancelToken,
    Custos,
    Kept,
    RefusedError,
    errors,
    use_approval,
    use_idempotency_key,
)
from tests.scripted import ACCEPTED, KEY, Recorded, Reply, ScriptedServer, decision, problem

TOOL: Dict[str, Any] = {"agent_id": "agent-1", "server": "files"}


def allow(request: Recorded, _: int) -> Reply:
    return decision(request, "ALLOW") if request.path == "/v1/enforce" else ACCEPTED


def degrade(request: Recorded, _: int) -> Reply:
    obligations = [{"type": "max_rows", "limit": 2}]
    return (
        decision(request, "DEGRADE", obligations=obligations) if request.path == "/v1/enforce" else ACCEPTED
    )


class GuardTest(unittest.TestCase):
    def serve(self, script: Any) -> Custos:
        self.server = ScriptedServer(script)
        self.addCleanup(self.server.close)
        custos = Custos(self.server.url, KEY, timeout=2, retries=0)
        self.addCleanup(custos.close)
        return custos

    def asked(self) -> List[Dict[str, Any]]:
        return [one.body["tool"]["arguments"] for one in self.server.requests if one.path == "/v1/enforce"]

    def events(self) -> List[str]:
        return [one.body["event"] for one in self.server.requests if one.path == "/v1/proofs"]

    def test_arguments_are_judged_by_name_with_their_defaults(self) -> None:
        custos = self.serve(allow)

        @custos.guard(**TOOL)
        def tool(a: int, *rest: int, b: str = "x", **more: Any) -> Any:
            """Its own text."""
            return a, rest, b, more

        self.assertEqual(tool(1, 2, c=None), (1, (2,), "x", {"c": None}))
        self.assertEqual(self.asked(), [{"a": 1, "rest": [2], "b": "x", "c": None}])
        self.assertEqual((tool.__name__, tool.__doc__), ("tool", "Its own text."))
        with self.assertRaises(TypeError):
            tool()

    def test_hidden_parameters_are_passed_on_and_not_judged(self) -> None:
        custos = self.serve(allow)

        class Store:
            @custos.guard(**TOOL, hidden=["self"], decision_parameter="decision")
            def put(self, key: str, decision: Any = None) -> Any:
                return self, key, decision.decision_id

        store = Store()
        self.assertEqual(store.put("k"), (store, "k", "dec_1"))
        self.assertEqual(self.asked(), [{"key": "k"}])

    def test_arguments_that_json_can_not_say_are_refused_before_asking(self) -> None:
        custos = self.serve(allow)
        ran: List[Any] = []
        tool = custos.guard(**TOOL, name="tool")(lambda value: ran.append(value))
        deep: Any = None
        for _ in range(40):
            deep = [deep]
        cycle: List[Any] = []
        cycle.append(cycle)
        values = [object(), {1: 2}, float("nan"), 2**53, "\ud800", b"x", {"x"}, "x" * 262_144, deep, cycle]
        for value in values:
            with self.subTest(str(value)[:20]), self.assertRaises(RefusedError) as caught:
                tool(value)
            self.assertIsNone(caught.exception.verdict)
        self.assertEqual((ran, self.server.requests), ([], []))

    def test_a_refusal_names_the_argument_that_json_can_not_say(self) -> None:
        custos = self.serve(allow)

        class Agent:
            @custos.guard(**TOOL)
            def send(self, to: str, when: Any) -> None:
                ...

        with self.assertRaises(RefusedError) as caught:
            Agent().send("a", None)
        self.assertIn('self: a value of type Agent is not JSON; hidden=["self"]', str(caught.exception))
        with self.assertRaises(RefusedError) as caught:
            custos.guard(**TOOL, name="send")(lambda to, when: None)("a", {"x"})
        self.assertIn("when: a value of type set is not JSON", str(caught.exception))

    def test_a_decision_without_its_request_or_with_that_of_another_runs_nothing(self) -> None:
        for request_id in (None, "", "of-another", 1):

            def script(request: Recorded, _: int, request_id: Any = request_id) -> Reply:
                reply = decision(request, "ALLOW", request_id=request_id)
                if request_id is None:
                    del reply.body["request_id"]
                return reply

            custos = self.serve(script)
            with self.subTest(request_id), self.assertRaises(RefusedError) as caught:
                custos.guard(**TOOL, name="t")(self.fail)("it ran")
            self.assertIsNone(caught.exception.verdict)

    def test_a_wait_goes_on_while_a_proxy_answers_for_the_service(self) -> None:
        approval = {"approval_id": "apr_1", "expires_at": "2040-01-01T00:00:00.000Z"}

        def script(request: Recorded, count: int) -> Reply:
            if request.path == "/v1/enforce":
                return decision(request, "ESCALATE", approval=approval)
            return Reply(502, "<html>") if count == 0 else problem(404, "E4001")

        custos = self.serve(script)
        with self.assertRaises(RefusedError):
            custos.guard(**TOOL, name="t", wait_seconds=5)(self.fail)("it ran")
        self.assertEqual(sum(one.method == "GET" for one in self.server.requests), 2)

    def test_only_fitting_functions_are_guarded(self) -> None:
        custos = self.serve(allow)
        client = AsyncCustos(self.server.url, KEY)

        async def coroutine() -> None:
            ...

        def generator() -> Any:
            yield 1

        for guard, function in (
            (custos.guard(**TOOL), coroutine),
            (custos.guard(**TOOL), generator),
            (client.guard(**TOOL), generator),
            (custos.guard(**TOOL, hidden=["absent"]), lambda: None),
            (custos.guard(**TOOL), functools.partial(print, "no name")),
            (custos.guard(**TOOL, wait_seconds="5"), lambda: None),  # type: ignore[arg-type]
            (custos.guard(**TOOL, wait_seconds=None), lambda: None),  # type: ignore[arg-type]
        ):
            with self.assertRaises(TypeError):
                guard(function)

    def test_a_handler_changes_arguments_and_result(self) -> None:
        custos = self.serve(degrade)

        def keep(obligation: Dict[str, Any], arguments: Dict[str, Any]) -> Kept:
            limit = obligation["limit"]
            return Kept(arguments={**arguments, "limit": limit}, result=lambda rows: rows[:limit])

        @custos.guard(**TOOL, obligations={"max_rows": keep})
        def search(text: str, limit: int = 100) -> Any:
            return [text] * (limit + 5)

        self.assertEqual(search("a"), ["a", "a"])
        self.assertEqual(self.events(), ["tool.called"])

    def test_arguments_of_a_handler_that_the_function_does_not_take_refuse_the_call(self) -> None:
        custos = self.serve(degrade)
        ran: List[str] = []
        for changed in ({}, {"text": "a", "other": 1}):
            handlers = {"max_rows": lambda _obligation, _arguments, changed=changed: Kept(arguments=changed)}
            tool = custos.guard(**TOOL, name="t", obligations=handlers)(lambda text: ran.append(text))
            with self.assertRaises(RefusedError) as caught:
                tool("a")
            self.assertEqual(caught.exception.verdict, "DEGRADE")
        self.assertEqual((ran, self.events()), ([], ["tool.not_called", "tool.not_called"]))

    def test_a_result_is_withheld_when_an_obligation_can_not_be_kept_on_it(self) -> None:
        custos = self.serve(degrade)
        handlers = {"max_rows": lambda _obligation, _arguments: Kept(result=lambda rows: rows["absent"])}
        tool = custos.guard(**TOOL, name="t", obligations=handlers)(lambda: ["secret"])
        try:
            tool()
            self.fail("it gave a result")
        except RefusedError as error:
            self.assertTrue(error.has_run)
            self.assertNotIn("secret", str(error))
            # Error reporters show the variables of the frames, as this does.
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            self.assertNotIn("['secret']", "".join(str(frame.locals) for frame in shown.stack))

    def test_what_a_function_raises_is_withheld_when_its_result_has_to_be_redacted(self) -> None:
        def fail() -> Any:
            raise ValueError("no row of ada@example.com")

        custos = self.serve(degrade)
        kept = {"max_rows": lambda _obligation, _arguments: Kept(result=lambda rows: rows)}
        with self.assertRaises(RefusedError) as caught:
            custos.guard(**TOOL, name="t", obligations=kept)(fail)()
        refused = caught.exception
        self.assertNotIn("ada", str(refused))
        self.assertTrue(refused.has_run)
        self.assertEqual((refused.__cause__, refused.__context__), (None, None))
        unchanged = {"max_rows": lambda _obligation, arguments: Kept(arguments=arguments)}
        with self.assertRaises(ValueError):
            custos.guard(**TOOL, name="t", obligations=unchanged)(fail)()

    def test_what_ends_a_program_a_task_or_a_generator_keeps_its_meaning_and_none_of_its_texts(self) -> None:
        class Own(BaseException):
            pass

        class Group(BaseException):
            exceptions = (ValueError("ada"), KeyboardInterrupt("ada"))

        def raising(error: BaseException) -> Any:
            try:
                raise ValueError("no row of ada")
            except ValueError:
                raise error

        custos = self.serve(degrade)
        on_result = {"max_rows": lambda _obligation, _arguments: Kept(result=lambda error: raising(error))}
        unchanged = {"max_rows": lambda _obligation, _arguments: None}
        for raised, kind, texts in [
            (KeyboardInterrupt("ada"), KeyboardInterrupt, ()),
            (SystemExit("no row of ada"), SystemExit, (1,)),
            (SystemExit(3), SystemExit, (3,)),
            (SystemExit(), SystemExit, (None,)),
            (GeneratorExit("ada"), GeneratorExit, ()),
            (asyncio.CancelledError("ada"), asyncio.CancelledError, ()),
            (Group("ada"), KeyboardInterrupt, ()),
            (Own("ada"), RefusedError, None),
        ]:
            by: Dict[str, Any] = {
                "function": functools.partial(raising, raised),
                "handler": functools.partial(lambda result: result, raised),
            }
            for who, function in by.items():
                with self.subTest(raised=raised, by=who):
                    tool = custos.guard(**TOOL, name="t", obligations=on_result)(function)
                    with self.assertRaises(kind) as caught:
                        tool()
                    got = caught.exception
                    self.assertEqual((got.__cause__, got.__context__), (None, None))
                    self.assertNotIn("ada", str(got))
                    self.assertIn(texts, (None, got.args, (getattr(got, "code", ...),)))
            with self.assertRaises(type(raised)) as same:
                custos.guard(**TOOL, name="t", obligations=unchanged)(functools.partial(raising, raised))()
            self.assertIs(same.exception, raised)

    def test_of_the_text_of_a_cancellation_only_what_anyio_knows_it_by_is_passed_on(self) -> None:
        self.serve(degrade)

        async def main() -> List[Any]:
            async with AsyncCustos(self.server.url, KEY) as custos:
                begun = asyncio.Event()
                handlers = {"max_rows": lambda _obligation, _arguments: Kept(result=lambda rows: rows)}

                @custos.guard(**TOOL, obligations=handlers)
                async def tool() -> None:
                    begun.set()
                    await asyncio.sleep(30)

                texts: List[Any] = []
                for scope in ("Cancelled via cancel scope 7f3a", "Cancelled by cancel scope 0c", ""):
                    begun.clear()
                    task = asyncio.ensure_future(tool())
                    await begun.wait()
                    task.cancel(f"{scope}; reason: no row of ada")
                    try:
                        await task
                    except asyncio.CancelledError as error:
                        # Before Python 3.11 a task puts an exception without a text before it.
                        texts.append(error.args or getattr(error.__context__, "args", ()))
                return texts

        scopes = [("Cancelled via cancel scope 7f3a",), ("Cancelled by cancel scope 0c",), ()]
        self.assertEqual(asyncio.run(main()), scopes)

    def test_a_call_that_ends_without_its_loop_ends_as_it_would_without_a_report(self) -> None:
        self.serve(allow)
        lost: List[Exception] = []
        events: List[asyncio.Event] = []

        async def endless() -> None:
            events[0].set()
            await asyncio.sleep(30)

        client = AsyncCustos(self.server.url, KEY)
        call = client.guard(**TOOL, on_report_error=lost.append)(endless)()

        async def begin() -> Any:
            events.append(asyncio.Event())
            task = asyncio.ensure_future(call)
            await events[0].wait()
            return task

        loop = asyncio.new_event_loop()
        task = loop.run_until_complete(begin())
        loop.call_exception_handler = lambda context: None  # type: ignore[method-assign]
        loop.close()
        call.close()
        self.assertEqual((len(lost), task.done()), (1, False))

    def test_a_result_that_would_run_without_the_decision_is_refused(self) -> None:
        ran: List[str] = []

        def generator() -> Any:
            ran.append("generator")
            yield 1

        async def coroutine() -> None:
            ran.append("coroutine")

        async def stream() -> Any:
            ran.append("stream")
            yield 1

        class Awaitable:
            def __await__(self) -> Any:
                ran.append("awaitable")
                yield

        def act(text: str) -> bool:
            ran.append(text)
            return True

        lazy: Dict[str, Callable[[], Any]] = {
            "generator": generator,
            "coroutine": coroutine,
            "awaitable": Awaitable,
            "map": lambda: map(act, ["map"]),
            "filter": lambda: filter(act, ["filter"]),
            "zip": lambda: zip(map(act, ["zip"])),
            "itertools": lambda: itertools.chain(map(act, ["itertools"])),
            "function": lambda: act,
            "method": lambda: ran.clear,
            "partial": lambda: functools.partial(act, "partial"),
        }
        custos = self.serve(allow)
        for name, later in lazy.items():
            with self.subTest(name), self.assertRaises(RefusedError) as caught:
                custos.guard(**TOOL, name="t")(lambda: later())()
            self.assertTrue(caught.exception.has_run)

        async def returns_stream() -> Any:
            return stream()

        async def main() -> None:
            async with AsyncCustos(self.server.url, KEY) as client:
                with self.assertRaises(RefusedError):
                    await client.guard(**TOOL)(returns_stream)()

        asyncio.run(main())
        proofs = [one.body["payload"] for one in self.server.requests if one.path == "/v1/proofs"]
        self.assertEqual((ran, [one["outcome"] for one in proofs]), ([], ["failure"] * (len(lazy) + 1)))

    def test_what_a_generator_raises_when_it_is_closed_is_an_outcome_of_the_function(self) -> None:
        def begun() -> Any:
            def rows() -> Any:
                try:
                    yield 1
                finally:
                    raise ValueError("no row of ada")

            generator = rows()
            next(generator)
            return generator

        custos = self.serve(degrade)
        for result, kind in ((None, ValueError), (lambda rows: rows, RefusedError)):
            handlers = {"max_rows": lambda _obligation, _arguments, result=result: Kept(result=result)}
            with self.subTest(kind), self.assertRaises(kind):
                custos.guard(**TOOL, name="t", obligations=handlers)(begun)()
        self.assertEqual(self.events(), ["tool.called"] * 2)

    def test_an_approval_is_used_by_the_first_guarded_call_of_its_block_alone(self) -> None:
        custos = self.serve(allow)
        inner = custos.guard(**TOOL, name="inner")(lambda: None)
        outer = custos.guard(**TOOL, name="outer")(inner)

        async def main() -> None:
            async with AsyncCustos(self.server.url, KEY) as client:

                @client.guard(**TOOL)
                async def tool() -> None: ...

                with use_approval("apr_2"):
                    await asyncio.gather(tool(), tool())

        with use_approval("apr_1"):
            outer()
            outer()
        outer()
        asyncio.run(main())
        given = [one.body.get("approval_id") for one in self.server.requests if one.path == "/v1/enforce"]
        self.assertEqual(given[:6], ["apr_1", None, None, None, None, None])
        self.assertEqual(sorted(given[6:], key=str), [None, "apr_2"])

    def test_an_idempotency_key_that_no_header_may_have_is_refused_and_nothing_is_sent(self) -> None:
        custos = self.serve(allow)

        async def main(key: str) -> None:
            async with AsyncCustos(self.server.url, KEY) as client:
                with use_idempotency_key(key):
                    await client.halt.set(reason="r")

        for key in ("", "ключ", "é", "x" * 256, "k\r\nX-Other: 1", "k\r\n\r\nPOST /v1/halt HTTP/1.1"):
            with self.subTest(key[:10]), self.assertRaises(ValueError), use_idempotency_key(key):
                custos.halt.set(reason="r")
            with self.subTest(key[:10]), self.assertRaises(ValueError):
                asyncio.run(main(key))
        self.assertEqual(self.server.requests, [])

    def test_an_idempotency_key_is_used_by_the_first_post_of_its_block_and_by_no_guard(self) -> None:
        custos = self.serve(allow)
        custos_tool = custos.guard(**TOOL, name="t")(lambda: None)

        async def main() -> None:
            async with AsyncCustos(self.server.url, KEY) as client:

                @client.guard(**TOOL)
                async def tool() -> None: ...

                with use_idempotency_key("key-2"):
                    await tool()
                    await client.flush()
                    await client.proofs.create(event="e", entity_id="x", payload={})

        with use_idempotency_key("key-1"):
            custos_tool()
            for _ in range(2):
                custos.proofs.create(event="e", entity_id="x", payload={})
        asyncio.run(main())
        keyed = [one for one in self.server.requests if one.headers["idempotency-key"].startswith("key-")]
        self.assertEqual([one.headers["idempotency-key"] for one in keyed], ["key-1", "key-2"])
        self.assertEqual([one.body["event"] for one in keyed], ["e", "e"])

    def test_a_guarded_function_does_not_show_the_parameter_of_the_decision(self) -> None:
        custos = self.serve(allow)

        @custos.guard(**TOOL, decision_parameter="decision")
        def tool(a: int, decision: Any, b: int = 1) -> Any:
            return a, decision.decision_id, b

        self.assertEqual(str(inspect.signature(tool)), "(a: 'int', b: 'int' = 1) -> 'Any'")
        self.assertEqual(tool(1, b=2), (1, "dec_1", 2))

    def test_limits_that_are_no_numbers_are_refused_or_wait_for_nothing(self) -> None:
        nan, endless = float("nan"), float("inf")
        limits: List[Dict[str, Any]] = [{"timeout": one} for one in (0, nan, endless)]
        for limit in [*limits, {"retries": -1}, {"retries": 4}]:
            with self.subTest(limit), self.assertRaises(ValueError):
                Custos("http://127.0.0.1:1", KEY, **limit)
        approval = {"approval_id": "apr_1", "expires_at": "2040-01-01T00:00:00.000Z"}

        def script(request: Recorded, _: int) -> Reply:
            if request.path == "/v1/enforce":
                return decision(request, "ESCALATE", approval=approval)
            return problem(404, "E4001")

        custos = self.serve(script)
        for wait_seconds, reads in ((nan, 0), (endless, 1)):
            with self.subTest(wait_seconds), self.assertRaises(RefusedError):
                custos.guard(**TOOL, name="t", wait_seconds=wait_seconds)(self.fail)("it ran")
            self.assertEqual(sum(one.method == "GET" for one in self.server.requests), reads)

    def test_a_call_that_is_cancelled_when_its_decision_has_come_is_reported_as_not_made(self) -> None:
        token = CancelToken()

        def cancel(_obligation: Any, _arguments: Any) -> None:
            token.cancel()

        custos = self.serve(degrade)
        ran: List[int] = []
        tool = custos.guard(**TOOL, name="t", obligations={"max_rows": cancel})(lambda: ran.append(1))
        with token, self.assertRaises(errors.CancelledError):
            tool()
        self.assertEqual((ran, self.events()), ([], ["tool.not_called"]))

    def test_a_function_runs_after_a_slow_handler_only_when_the_decision_still_stands(self) -> None:
        yes = Reply(200, {"decision_id": "dec_1", "stands": True})
        cases: Dict[str, Any] = {
            "fresh": (4, problem(404, "E4001"), 0, True),
            "stands": (6, yes, 1, True),
            "halted": (6, Reply(200, {**yes.body, "stands": False, "stands_reason": "halted"}), 1, False),
            "no word": (6, Reply(200, {"decision_id": "dec_1"}), 1, False),
            "a text": (6, Reply(200, {**yes.body, "stands": "true"}), 1, False),
            "another": (6, Reply(200, {**yes.body, "decision_id": "dec_2"}), 1, False),
            "a list": (6, Reply(200, []), 1, False),
            "no JSON": (6, Reply(200, "<html>"), 1, False),
            "no decision": (6, problem(404, "E4001"), 1, False),
            "almost over": (15 * 60 - 5, yes, 0, False),
            "has expired": (3600, yes, 0, False),
        }
        for name, (takes, record, asks, runs) in cases.items():

            def script(request: Recorded, count: int, record: Reply = record) -> Reply:
                return record if request.method == "GET" else degrade(request, count)

            custos = self.serve(script)
            transport = custos._transport
            ahead = [0.0]
            now = transport.now
            ran: List[int] = []

            def slow(_obligation: Any, _arguments: Any, ahead: Any = ahead, takes: float = takes) -> None:
                ahead[0] += takes

            tool = custos.guard(**TOOL, name="t", obligations={"max_rows": slow})(
                # Not a lambda with a default value, which would be judged as an argument.
                functools.partial(ran.append, 1)
            )
            clock = mock.patch.object(transport, "now", lambda now=now, ahead=ahead: now() + ahead[0])
            with self.subTest(name), clock:
                error: Any = None
                try:
                    tool()
                except RefusedError as caught:
                    error = caught
                self.assertEqual((len(ran), error is None), (1, True) if runs else (0, False))
                self.assertEqual(sum(one.method == "GET" for one in self.server.requests), asks)
                if not runs:
                    self.assertEqual((error.verdict, self.events()), ("DEGRADE", ["tool.not_called"]))

    def test_an_answer_whose_times_can_not_be_read_is_no_decision(self) -> None:
        same, before, local = "2026-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z", "2026-01-01T01:00:00"
        for expires_at in ("", "soon", same, before, local):

            def script(request: Recorded, _: int, expires_at: str = expires_at) -> Reply:
                return decision(request, "ALLOW", expires_at=expires_at)

            custos = self.serve(script)
            with self.subTest(expires_at), self.assertRaises(RefusedError) as caught:
                custos.guard(**TOOL, name="t")(self.fail)("it ran")
            self.assertIsNone(caught.exception.verdict)

    def test_a_lost_report_changes_neither_the_result_nor_the_error_of_the_function(self) -> None:
        def script(request: Recorded, _: int) -> Reply:
            return decision(request, "ALLOW") if request.path == "/v1/enforce" else problem(403, "E1004")

        custos = self.serve(script)
        lost: List[Exception] = []

        def fail(error: Exception) -> None:
            lost.append(error)
            raise RuntimeError("a handler that fails")

        @custos.guard(**TOOL, report_signals=True, on_report_error=fail)
        def tool(number: int) -> float:
            return 1 / number

        with self.assertLogs("custos_client", "ERROR"):
            self.assertEqual(tool(2), 0.5)
            with self.assertRaises(ZeroDivisionError):
                tool(0)
        self.assertEqual([type(error) for error in lost], [errors.PermissionDeniedError] * 4)

    def test_reports_in_the_background_are_sent_by_flush(self) -> None:
        custos = self.serve(allow)
        tool = custos.guard(**TOOL, name="t", background=True)(lambda: 1)
        for _ in range(5):
            tool()
        custos.flush()
        self.assertEqual(self.events(), ["tool.called"] * 5)

    def test_a_cancelled_task_does_not_run_the_function_and_one_that_runs_is_reported(self) -> None:
        self.serve(allow)

        async def run() -> List[str]:
            ran: List[str] = []
            async with AsyncCustos(self.server.url, KEY) as custos:
                begun = asyncio.Event()

                @custos.guard(**TOOL)
                async def tool(name: str) -> None:
                    ran.append(name)
                    begun.set()
                    await asyncio.sleep(30)

                early = asyncio.ensure_future(tool("early"))
                await asyncio.sleep(0)
                early.cancel()
                late = asyncio.ensure_future(tool("late"))
                await begun.wait()
                late.cancel()
                for task in (early, late):
                    with self.assertRaises(asyncio.CancelledError):
                        await task
            return ran

        self.assertEqual(asyncio.run(run()), ["late"])
        (report,) = [one.body for one in self.server.requests if one.path == "/v1/proofs"]
        self.assertEqual(report["payload"]["outcome"], "failure")
