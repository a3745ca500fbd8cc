"""The errors of the client: one base class, and a class for each way in which a call can fail."""

from __future__ import annotations

import builtins
from typing import Any, List, Mapping, Optional, Sequence, Type


class CustosError(Exception):
    """Base class of all errors of this package."""


class ApiError(CustosError):
    """The service refused the request with a problem document (RFC 9457).

    `code` is one of those that `custos.reference.errors()` lists. `errors` names the wrong members of a
    request: `pointer` (RFC 6901 into the body, `?name` for a query parameter) and `message`.
    """

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        category: str = "",
        retryable: bool = False,
        request_id: Optional[str] = None,
        errors: Sequence[Mapping[str, Any]] = (),
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.category = category
        self.retryable = retryable
        self.request_id = request_id
        self.errors: List[Mapping[str, Any]] = list(errors)
        self.retry_after_seconds = retry_after_seconds


class AuthenticationError(ApiError):
    """401: the key is missing, unknown, revoked or expired."""


class PermissionDeniedError(ApiError):
    """403: the key lacks the scope, or may not name this agent."""


class InvalidRequestError(ApiError):
    """400, 413, 415, 422: the request is not what the description says. `errors` names its members."""


class NotFoundError(ApiError):
    """404"""


class ConflictError(ApiError):
    """409"""


class RateLimitedError(ApiError):
    """429, after the last repetition."""


class UnavailableError(ApiError):
    """500 and above, after the last repetition."""


_BY_STATUS: Mapping[int, Type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitedError,
}


def api_error_class(status: int) -> Type[ApiError]:
    return _BY_STATUS.get(status, UnavailableError if status >= 500 else ApiError)


class ConnectionError(CustosError, builtins.ConnectionError):
    """The service could not be reached, or the connection broke before an answer: refused, reset, unknown
    host, TLS.

    `was_sent`: whether the service may have received the request. `is_final`: a repetition would fail alike.
    """

    def __init__(self, message: str, *, was_sent: bool = False, is_final: bool = False) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        self.is_final = is_final


class TimeoutError(CustosError, builtins.TimeoutError):
    """There was no answer in time. `state`: the last state that a `wait_...` method has seen."""

    def __init__(self, message: str, *, state: Any = None) -> None:
        super().__init__(message)
        self.state = state


class CancelledError(CustosError):
    """A `CancelToken` was cancelled, or the client was closed.

    With asyncio, `asyncio.CancelledError` is raised instead.
    """


class UnexpectedAnswerError(CustosError):
    """An answer that the service does not give: no JSON, incomplete, a redirect, another shape, or too large.

    A proxy between client and service is the usual cause.
    """

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
        is_truncated: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        self.is_truncated = is_truncated


class RefusedError(CustosError):
    """A guarded function was not run. Or, with `has_run`, it was, and its result or exception is withheld.

    `verdict` is None when there was no decision; `__cause__` is then the error behind it.
    """

    def __init__(
        self,
        message: str,
        *,
        verdict: Optional[str] = None,
        reasons: Sequence[Any] = (),
        decision_id: Optional[str] = None,
        approval_id: Optional[str] = None,
        has_run: bool = False,
    ) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.reasons = list(reasons)
        self.decision_id = decision_id
        self.approval_id = approval_id
        self.has_run = has_run


class ReceiptError(CustosError):
    """A receipt, promise or chain that is not valid. `failure` is its name, such as `WRONG_PATH`."""

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(f"{failure}: {message}")
        self.failure = failure
