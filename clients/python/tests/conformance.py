"""The runner of the conformance cases (clients/conformance/README.md): runs them and prints what happened.

`python3 tests/conformance.py` runs them with `Custos`, and with `--async` it runs them with `AsyncCustos`.
"""

from __future__ import annotations

import contextvars
import copy
import inspect
import json
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncio

from custos_client import (
    AsyncCustos,
    CancelToken,
    Custos,
    Kept,
    canonicalize,
    definition_digest,
    errors,
    strict_json,
    use_approval,
)
from custos_client import operations as ops
from custos_client.canonical import NotJsonError
from custos_client.codec import encode_value, fields_of
from custos_client.operation import Operation
from custos_client.verification import verify_chain, verify_promise, verify_receipt

Json = Dict[str, Any]

TYPES = [
    (errors.RefusedError, "refused"),
    (errors.ApiError, "api"),
    (errors.ConnectionError, "connection"),
    (errors.TimeoutError, "timeout"),
    (errors.CancelledError, "cancelled"),
    (asyncio.CancelledError, "cancelled"),
    (errors.UnexpectedAnswerError, "unexpected"),
    (errors.ReceiptError, "receipt"),
]
MEMBERS = {
    "code": "code",
    "status": "status",
    "category": "category",
    "retryable": "retryable",
    "request_id": "requestId",
    "retry_after_seconds": "retryAfterSeconds",
    "decision_id": "decisionId",
    "approval_id": "approvalId",
    "failure": "failure",
    "has_run": "hasRun",
}

clock_offset_seconds: contextvars.ContextVar[float] = contextvars.ContextVar("offset", default=0.0)
real_time = time.time
time.time = lambda: real_time() + clock_offset_seconds.get()


class FunctionFailed(Exception):
    """The exception of the guarded function itself."""


def snake_case(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", lambda match: f"{match[1]}_{match[2].lower()}", name)


def respell(hint: Any, value: Any) -> Any:
    """Members in camelCase as the fields of the dataclass that is expected there; free-form values stay."""
    models = list(models_in(hint))
    if len(models) != 1:
        return value
    if isinstance(value, list):
        return [respell(models[0], element) for element in value]
    if not isinstance(value, dict):
        return value
    hints = {field.name: field.type for field in fields_of(models[0])}
    members = {field_name(name, hints): one for name, one in value.items()}
    return {name: respell(hints.get(name), one) for name, one in members.items()}


def models_in(hint: Any) -> Iterator[Any]:
    if hasattr(hint, "__dataclass_fields__"):
        yield hint
    for argument in getattr(hint, "__args__", ()):
        yield from models_in(argument)


def field_name(name: str, fields: Mapping[str, Any]) -> str:
    snake = snake_case(name)
    return snake if snake in fields else f"{snake}_" if f"{snake}_" in fields else name


def operation_of(call: str) -> Optional[Operation[Any]]:
    resource, _, method = call.partition(".")
    found: Optional[Operation[Any]] = getattr(ops, f"{resource}_{snake_case(method)}".upper(), None)
    return found


def keywords_of(method: Any, call: str, arguments: Json) -> Tuple[List[Any], Json]:
    """The arguments of a step as those of a method of the client."""
    operation = operation_of(call)
    parameters = inspect.signature(method).parameters
    body = operation.body if operation is not None else None
    hints = {field.name: field.type for field in fields_of(body)} if isinstance(body, type) else {}
    positional: List[Any] = []
    keywords: Json = {}
    for name, value in arguments.items():
        if name == "timeoutSeconds":
            keywords["timeout"] = value
        elif name == "id" and "id" not in parameters:
            positional.append(value)
        else:
            own = field_name(name, parameters)
            keywords[own] = respell(hints.get(own), value)
    return positional, keywords


def method_of(client: Any, call: str) -> Any:
    """The method of a call; that of a list gives one page, unless all items are wanted."""
    wants_all, name = call.startswith("all:"), call.split(":")[-1]
    target = client
    for part in name.split("."):
        owner, target = target, getattr(target, snake_case(part))
    page = getattr(owner, f"{target.__name__}_page", None)
    return target if wants_all or page is None else page


def describe(error: BaseException) -> Json:
    if isinstance(error, FunctionFailed):
        return {"type": "function", "message": str(error)}
    kind = next((name for one, name in TYPES if isinstance(error, one)), None)
    if kind is None:
        raise error
    described: Json = {"type": kind, "message": str(error)}
    for attribute, name in MEMBERS.items():
        value = getattr(error, attribute, None)
        if value is not None:
            described[name] = value
    if isinstance(error, errors.RefusedError):
        described["verdict"] = error.verdict
        cause = next((name for one, name in TYPES if isinstance(error.__cause__, one)), "other")
        if (error.verdict is None or error.has_run) and error.__cause__ is not None:
            described["cause"] = cause
    if isinstance(error, errors.TimeoutError) and error.state is not None:
        described["state"] = encode_value(error.state)
    return described


def filled(value: Any, scope: Json) -> Any:
    """With `${env.NAME}` and `${steps.0.result.member}` filled in."""
    if isinstance(value, list):
        return [filled(element, scope) for element in value]
    if isinstance(value, dict):
        return {name: filled(member, scope) for name, member in value.items()}
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\$\{([^}]+)\}", value)
    if whole is not None:
        return look_up(whole[1], scope)
    return re.sub(r"\$\{([^}]+)\}", lambda match: str(look_up(match[1], scope)), value)


def look_up(path: str, scope: Any) -> Any:
    for name in path.split("."):
        if isinstance(scope, list):
            scope = scope[int(name)]
        else:
            scope = scope[name] if name in scope else scope[snake_case(name)]
    return scope


class GuardedCall:
    """The function of a step `guard`, its options, and how often it ran."""

    def __init__(self, arguments: Json) -> None:
        self.ran = 0
        self.kind: str = arguments.get("function", "ok")
        self.calls: int = arguments.get("calls", 1)
        self.arguments: Json = arguments["arguments"]
        names = ["agentId", "server", "name", "definitionDigest", "annotations", "context", "waitSeconds"]
        self.options: Json = {
            snake_case(name): arguments[name] for name in [*names, "reportSignals"] if name in arguments
        }
        handlers: Json = arguments.get("obligations", {})
        self.options["obligations"] = {kind: self._handler(kind, what) for kind, what in handlers.items()}

    @staticmethod
    def _handler(kind: str, what: str) -> Any:
        def handle(_obligation: Json, arguments: Json) -> Optional[Kept]:
            if what == "throw":
                raise RuntimeError("a handler that fails")
            if what == "change":
                return Kept(arguments={**arguments, "changedBy": kind})
            if what == "fail":
                return Kept(result=fail)
            return Kept(result=lambda result: {**result, "keptBy": kind}) if what == "result" else None

        def fail(result: Json) -> Any:
            raise RuntimeError(result)

        return handle

    def function(self, arguments: Json) -> Json:
        self.ran += 1
        if self.kind == "throw":
            raise FunctionFailed("function failed")
        return {"ran": True, "arguments": arguments}

    def mutate(self) -> None:
        """As a caller that changes its objects right after the call began."""
        if self.kind == "mutate":
            for value in list(self.arguments.values()):
                if isinstance(value, (dict, list)):
                    value.clear()
            self.arguments.clear()


def guard_blocking(client: Custos, call: GuardedCall) -> Any:
    @client.guard(**call.options)
    def tool(**arguments: Any) -> Any:
        call.mutate()
        return call.function(arguments)

    result = None
    for _ in range(call.calls):
        result = tool(**call.arguments)
    return result


async def guard_async(client: AsyncCustos, call: GuardedCall) -> Any:
    @client.guard(**call.options)
    async def tool(**arguments: Any) -> Any:
        return call.function(arguments)

    result = None
    for _ in range(call.calls):
        task = asyncio.ensure_future(tool(**call.arguments))
        # The task runs until it waits for the service.
        await asyncio.sleep(0)
        call.mutate()
        result = await task
    return result


def step_blocking(client: Custos, step: Json, arguments: Json, guarded: Optional[GuardedCall]) -> Any:
    token = CancelToken()
    timer = threading.Timer(step.get("cancelAfterMs", 0) / 1000, token.cancel)
    if "cancelAfterMs" in step:
        timer.start()
    try:
        with token, use_approval(arguments.get("approvalId")):
            if guarded is not None:
                return guard_blocking(client, guarded)
            method = method_of(client, step["call"])
            positional, keywords = keywords_of(method, step["call"], arguments)
            result = method(*positional, **keywords)
            return list(result) if step["call"].startswith("all:") else result
    finally:
        timer.cancel()
        client.flush()


async def step_async(client: AsyncCustos, step: Json, arguments: Json, guarded: Optional[GuardedCall]) -> Any:
    async def run() -> Any:
        if guarded is not None:
            with use_approval(arguments.get("approvalId")):
                return await guard_async(client, guarded)
        method = method_of(client, step["call"])
        positional, keywords = keywords_of(method, step["call"], arguments)
        result = method(*positional, **keywords)
        return [item async for item in result] if step["call"].startswith("all:") else await result

    task = asyncio.ensure_future(run())
    if "cancelAfterMs" in step:
        asyncio.get_running_loop().call_later(step["cancelAfterMs"] / 1000, task.cancel)
    try:
        return await task
    finally:
        await client.flush()


class Case:
    """The state of one case: its client, and the results of its steps so far."""

    def __init__(self, line: Json, is_async: bool) -> None:
        self.line = line
        self.case: Json = line["case"]
        self.env: Json = line.get("env", {})
        self.steps: List[Json] = []
        self.is_async = is_async

    def client(self, key: Any) -> Any:
        given: Json = self.case.get("client", {})
        options: Json = {"retries": given["retries"]} if "retries" in given else {}
        if "timeoutMs" in given:
            options["timeout"] = given["timeoutMs"] / 1000
        key = filled(key, {"env": self.env, "steps": self.steps})
        return (AsyncCustos if self.is_async else Custos)(self.line["url"], key, **options)

    async def run(self) -> List[Json]:
        clock_offset_seconds.set(self.case.get("client", {}).get("wallClockOffsetHours", 0) * 3600.0)
        shared = self.client(self.case.get("key", self.line["key"]))
        for step in self.case["steps"]:
            client = self.client(step["key"]) if "key" in step else shared
            self.steps.append(await self._step(client, step))
            if client is not shared:
                await self._close(client)
        await self._close(shared)
        return self.steps

    async def _close(self, client: Any) -> None:
        closing = client.close()
        if self.is_async:
            await closing

    async def _step(self, client: Any, step: Json) -> Json:
        arguments = filled(copy.deepcopy(step.get("arguments", {})), {"env": self.env, "steps": self.steps})
        guarded = GuardedCall(arguments) if step["call"] == "guard" else None
        started = time.monotonic()
        entry: Json = {}
        try:
            if step["call"] == "verifyReceipt":
                result: Any = vars(verify_receipt(arguments["receipt"], arguments["keys"]))
                result = {name: value for name, value in result.items() if name != "record"}
            elif self.is_async:
                result = await step_async(client, step, arguments, guarded)
            else:
                result = step_blocking(client, step, arguments, guarded)
            entry["result"] = encode_value(result)
        except (Exception, asyncio.CancelledError) as error:
            entry["error"] = describe(error)
        if guarded is not None:
            entry["ran"] = guarded.ran
        entry["elapsedMs"] = round((time.monotonic() - started) * 1000)
        return entry


def verify_case(case: Json, keys: Any) -> Json:
    try:
        if case["kind"] == "chain":
            chain = verify_chain(case["input"], keys)
            ids = [one.proof_id for one in chain.receipts]
            return {"ok": True, "proofIds": ids, "fromStart": chain.is_from_the_start}
        if case["kind"] == "promise":
            promise = verify_promise(case["input"], keys)
            return {"ok": True, "proofId": promise.proof_id, "origin": promise.log, "keyId": promise.key_id}
        verified = verify_receipt(case["input"], keys)
    except errors.ReceiptError as error:
        return {"ok": False, "failure": error.failure}
    return {
        "ok": True,
        "proofId": verified.proof_id,
        "index": verified.index,
        "origin": verified.origin,
        "size": verified.size,
        "root": verified.root,
        "timeMs": verified.time_ms,
        "keyId": verified.key_id,
        "eventHash": verified.event_hash,
    }


def canonical_case(case: Json) -> Json:
    try:
        return {"canonical": canonicalize(strict_json.parse(case["input"]))}
    except (NotJsonError, strict_json.StrictJsonError):
        return {"canonical": None}


def definition_case(case: Json) -> Json:
    try:
        return {"digest": definition_digest(strict_json.parse(case["input"]))}
    except (NotJsonError, strict_json.StrictJsonError):
        return {"digest": None}


def run_line(text: str, is_async: bool) -> Json:
    line: Json = json.loads(text)
    answer: Json = {"id": line["id"], "name": line["case"]["name"]}
    try:
        if line["kind"] == "verify":
            return {**answer, **verify_case(line["case"], line["keys"])}
        if line["kind"] == "canonical":
            return {**answer, **canonical_case(line["case"])}
        if line["kind"] == "definition":
            return {**answer, **definition_case(line["case"])}
        # Blocking steps never suspend, so that a loop of their own runs them as well.
        return {**answer, "steps": asyncio.run(Case(line, is_async).run())}
    except Exception as error:
        return {**answer, "crashed": f"{type(error).__name__}: {error}"}


def run_in(context: contextvars.Context, run: Callable[[str], None], text: str) -> None:
    context.run(run, text)


def main() -> None:
    is_async = "--async" in sys.argv
    lock = threading.Lock()

    def run(text: str) -> None:
        answer = json.dumps(run_line(text, is_async))
        with lock:
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()

    with ThreadPoolExecutor(max_workers=8) as pool:
        for text in sys.stdin:
            # A context of its own: the offset of the wall clock is that of one case.
            context = contextvars.Context()
            pool.submit(run_in, context, run, text)


if __name__ == "__main__":
    main()
