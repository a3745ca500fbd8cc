"""Sends operations: builds requests, repeats them where that is safe, and reads answers.

Shared by both clients.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
import time
import uuid
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional, TypeVar

from . import strict_json
from .codec import DecodeError, decode
from .errors import (
    ApiError,
    ConnectionError,
    CustosError,
    TimeoutError,
    UnexpectedAnswerError,
    api_error_class,
)
from .given import IDEMPOTENCY_KEY
from .http_types import Answer, HttpRequest, Transport, seconds_text
from .operation import Operation
from .version import VERSION

T = TypeVar("T")

FIRST_DELAY_SECONDS = 0.1
MAX_DELAY_SECONDS = 2.0
# The service holds a request with `Prefer: wait` for no longer.
MAX_WAIT_SECONDS = 30
FIRST_POLL_SECONDS = 0.25
MAX_POLL_SECONDS = 2.0
# An answer wraps what a request said, of 64 levels, in more of them.
MAX_ANSWER_DEPTH = 128


@dataclasses.dataclass(frozen=True)
class Settings:
    key: Optional[str] = dataclasses.field(repr=False)
    # For a call with all its repetitions.
    timeout_seconds: float
    # Repetitions after the first request.
    retries: int


@dataclasses.dataclass(frozen=True)
class CallOptions:
    timeout_seconds: Optional[float] = None
    # Sent as Idempotency-Key and X-Request-Id; default: a random key, and no id.
    attempt_id: Optional[str] = None
    # Sent as Prefer: wait.
    wait_seconds: Optional[int] = None


DEFAULT_OPTIONS = CallOptions()


class Engine:
    def __init__(self, settings: Settings, transport: Transport) -> None:
        self.settings = settings
        self.transport = transport

    async def call(
        self, operation: Operation[T], values: Mapping[str, Any], timeout: Optional[float] = None
    ) -> T:
        answer = await self.send(operation, values, CallOptions(timeout_seconds=timeout))
        return read_answer(operation, answer)

    async def send(
        self, operation: Operation[Any], values: Mapping[str, Any], options: CallOptions = DEFAULT_OPTIONS
    ) -> Answer:
        """One request with its repetitions.

        The answer has a status of the operation; its body is not read yet.
        """
        request = self._request(operation, values, options)
        transport = self.transport
        timeout = (
            options.timeout_seconds if options.timeout_seconds is not None else self.settings.timeout_seconds
        )
        deadline = transport.now() + timeout
        for attempt in itertools.count():
            try:
                answer = await transport.exchange(request, deadline)
                check_status(operation, answer)
                return answer
            except TimeoutError as error:
                raise TimeoutError(f"Custos did not answer within {seconds_text(timeout)}.") from error
            except CustosError as error:
                if attempt >= self.settings.retries or not may_repeat(error, operation):
                    raise
                delay = delay_seconds(error, attempt)
                if transport.now() + delay >= deadline:
                    raise
            await transport.sleep(delay)
        raise AssertionError("unreachable")

    def _request(
        self, operation: Operation[Any], values: Mapping[str, Any], options: CallOptions
    ) -> HttpRequest:
        body = operation.body_text(values)
        headers = {
            "Accept": "text/plain" if operation.is_text else "application/json",
            "User-Agent": f"custos-client-python/{VERSION}",
        }
        if self.settings.key is not None:
            headers["X-API-Key"] = self.settings.key
        if body is not None:
            headers["Content-Type"] = "application/json"
        if operation.method == "POST":
            # The same for all repetitions: the service carries out the first and repeats its answer.
            headers["Idempotency-Key"] = options.attempt_id or IDEMPOTENCY_KEY.take() or str(uuid.uuid4())
        if options.attempt_id is not None:
            headers["X-Request-Id"] = options.attempt_id
        if options.wait_seconds is not None:
            headers["Prefer"] = f"wait={options.wait_seconds}"
        return HttpRequest(
            method=operation.method,
            target=operation.target(values),
            headers=headers,
            body=None if body is None else body.encode("utf-8"),
            may_use_kept=operation.may_repeat_after_break,
        )

    async def wait(
        self,
        operation: Operation[T],
        values: Mapping[str, Any],
        is_done: Callable[[T], bool],
        timeout: float,
    ) -> T:
        """Reads until the state is final. Raises TimeoutError with the last state.

        The service holds each request for up to 30 seconds (`Prefer: wait`). One that does not is polled.
        """
        transport = self.transport
        deadline = transport.now() + timeout
        state: Optional[T] = None
        problem: Optional[CustosError] = None
        for poll in itertools.count():
            left = deadline - transport.now()
            # Half a second is left for the answer itself, which has the state that a TimeoutError carries.
            wait_seconds = int(min(left - 0.5, MAX_WAIT_SECONDS))
            options = CallOptions(
                timeout_seconds=max(0.0, min(left, MAX_WAIT_SECONDS + self.settings.timeout_seconds)),
                wait_seconds=wait_seconds if wait_seconds >= 1 else None,
            )
            asked = transport.now()
            was_held = False
            try:
                answer = await self.send(operation, values, options)
                state = read_answer(operation, answer)
                problem = None
                if is_done(state):
                    return state
                was_held = "preference-applied" in answer.headers
            except (ConnectionError, TimeoutError, ApiError, UnexpectedAnswerError) as error:
                # A short outage does not end the wait.
                if not is_passing(error):
                    raise
                problem = error
            delay = min(MAX_POLL_SECONDS, FIRST_POLL_SECONDS * 2 ** min(poll, 8))
            # A held request needs no pause, unless the service gives it back at once, as it does when it
            # stops.
            if was_held and transport.now() - asked >= delay:
                delay = 0.0
            left = deadline - transport.now()
            if left <= 0:
                message = f"{operation.name} was not final within {seconds_text(timeout)}."
                raise TimeoutError(message, state=state) from problem
            await transport.sleep(min(delay, left))
        raise AssertionError("unreachable")


def check_status(operation: Operation[Any], answer: Answer) -> None:
    """Raises ApiError for a problem document, UnexpectedAnswerError for another wrong status."""
    if answer.status in operation.statuses:
        return
    request_id = answer.headers.get("x-request-id")
    retry_after = retry_after_seconds(answer.headers)
    problem = _json_of(answer) if answer.status >= 400 else None
    code = problem.get("code") if isinstance(problem, dict) else None
    detail = problem.get("detail") if isinstance(problem, dict) else None
    if not isinstance(problem, dict) or not isinstance(code, str) or not isinstance(detail, str):
        what = "a redirect" if 300 <= answer.status < 400 else "no problem document"
        raise UnexpectedAnswerError(
            f"The answer to {operation.name} has the status {answer.status} and is {what}.",
            status=answer.status,
            request_id=request_id,
            retry_after_seconds=retry_after,
        )
    in_body = problem.get("requestId")
    errors = problem.get("errors")
    raise api_error_class(answer.status)(
        status=answer.status,
        code=code,
        detail=detail,
        category=str(problem.get("category", "")),
        retryable=problem.get("retryable") is True,
        request_id=in_body if isinstance(in_body, str) else request_id,
        errors=[one for one in errors if isinstance(one, dict)] if isinstance(errors, list) else [],
        retry_after_seconds=retry_after,
    )


def read_json(operation: Operation[Any], answer: Answer) -> Any:
    """The parsed body. Raises UnexpectedAnswerError unless it is strict JSON."""
    value = _json_of(answer)
    if value is None:
        raise _unexpected(operation, answer, "it is not JSON")
    return value


def _unexpected(operation: Operation[Any], answer: Answer, why: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(
        f"The answer to {operation.name} is not one of Custos: {why}.",
        status=answer.status,
        request_id=answer.headers.get("x-request-id"),
    )


def read_answer(operation: Operation[T], answer: Answer) -> T:
    """Raises UnexpectedAnswerError unless the body is what the description says."""

    if operation.is_text:
        if not answer.headers.get("content-type", "").startswith("text/plain"):
            raise _unexpected(operation, answer, "it is not plain text")
        try:
            text: Any = answer.body.decode("utf-8")
        except UnicodeDecodeError:
            raise _unexpected(operation, answer, "it is not UTF-8") from None
        result: T = text
        return result
    value = read_json(operation, answer)
    try:
        result = decode(operation.answer, value)
    except DecodeError as error:
        raise _unexpected(operation, answer, str(error)) from None
    if isinstance(value, dict) and "verdict" in value and "allowed" in value and not is_consistent(value):
        raise _unexpected(operation, answer, "its verdict and `allowed` contradict each other")
    return result


def is_consistent(decision: Mapping[str, Any]) -> bool:
    """Whether a decision (or a dry run, which never allows) says the same twice."""
    verdict, allowed = decision.get("verdict"), decision.get("allowed")
    if verdict not in ("ALLOW", "DEGRADE", "DENY", "ESCALATE"):
        return False
    if decision.get("dry_run") is True:
        return allowed is False
    return allowed is (verdict in ("ALLOW", "DEGRADE"))


def _json_of(answer: Answer) -> Any:
    """The parsed body; None when it is not strict JSON in UTF-8."""
    try:
        return strict_json.parse(answer.body.decode("utf-8"), MAX_ANSWER_DEPTH)
    except ValueError:
        return None


def may_repeat(error: CustosError, operation: Operation[Any]) -> bool:
    if isinstance(error, ConnectionError):
        return not error.is_final and (operation.may_repeat_after_break or not error.was_sent)
    if isinstance(error, UnexpectedAnswerError):
        return error.status in (429, 503) or (error.is_truncated and operation.may_repeat_after_break)
    if not isinstance(error, ApiError) or error.status in (400, 401, 403, 404, 413, 415, 422):
        return False
    # 409 with Retry-After: the first request with this Idempotency-Key is still running.
    is_running = error.status == 409 and error.retry_after_seconds is not None
    return is_running or error.status in (429, 503) or error.retryable


def is_passing(error: CustosError) -> bool:
    """Whether a wait goes on after this error. A proxy answers for a service that restarts."""
    if isinstance(error, ApiError):
        return error.retryable or error.status in (429, 503)
    if isinstance(error, UnexpectedAnswerError):
        return error.is_truncated or error.status in (429, 502, 503, 504)
    return not (isinstance(error, ConnectionError) and error.is_final)


def delay_seconds(error: CustosError, attempt: int) -> float:
    """Retry-After, else exponential back-off with full jitter."""
    retry_after = getattr(error, "retry_after_seconds", None)
    if isinstance(retry_after, (int, float)):
        return float(retry_after)
    return random.uniform(0, min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0**attempt))


def retry_after_seconds(headers: Mapping[str, str]) -> Optional[float]:
    """A date counts from the answer's own Date, because the local clock may be wrong."""
    text = headers.get("retry-after", "").strip()
    if re.fullmatch("[0-9]{1,9}", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
        now = parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time()
        return max(0.0, until.timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
