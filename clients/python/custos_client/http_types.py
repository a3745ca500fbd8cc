"""What the blocking and the asyncio transport have in common: address, request, answer, limits and time."""

from __future__ import annotations

import math
import re
import ssl
from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Protocol
from urllib.parse import urlsplit

from .errors import ConnectionError, CustosError, UnexpectedAnswerError

MAX_ANSWER_BYTES = 8 * 1_048_576
MAX_HEAD_BYTES = 65_536
# The service closes a connection that was idle for 65 s; other servers and proxies do so after 5 s.
IDLE_SECONDS = 4.0


@dataclass(frozen=True)
class Address:
    host: str
    port: int
    is_tls: bool
    # Before the path of an operation; without a slash at its end.
    base_path: str
    # For the Host header.
    authority: str

    @staticmethod
    def parse(url: str) -> "Address":
        """Raises ValueError unless it is an absolute URL with http or https, without user or query."""
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            raise ValueError("the port of the address of Custos is not a number") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of Custos is no URL such as http://127.0.0.1:3000 or https://...")
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError("the address of Custos has a user, a query or a fragment")
        if any(character <= " " or character > "~" for character in url):
            raise ValueError("the address of Custos has spaces or characters beyond ASCII")
        is_tls = parts.scheme == "https"
        return Address(
            host=parts.hostname,
            port=port if port is not None else (443 if is_tls else 80),
            is_tls=is_tls,
            # Every path begins with /v1.
            base_path=re.sub("/v1$", "", parts.path.rstrip("/")),
            authority=parts.netloc,
        )


@dataclass(frozen=True)
class HttpRequest:
    method: str
    # Path and query.
    target: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    # On a connection that the service may just close, it could fail without being repeated.
    may_use_kept: bool


@dataclass(frozen=True)
class Answer:
    status: int
    # Names in lower case.
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Sends requests.

    The blocking one never suspends, so that `run_blocking` can drive the same coroutines.
    """

    def now(self) -> float:
        """Seconds on a monotonic clock."""
        ...

    async def sleep(self, seconds: float) -> None:
        ...

    async def exchange(self, request: HttpRequest, deadline: float) -> Answer:
        """One request without repetitions.

        Raises ConnectionError, TimeoutError, CancelledError, UnexpectedAnswerError.
        """
        ...

    def check_cancelled(self) -> None:
        """Raises CancelledError when the call was cancelled."""
        ...


def tls_context(address: Address, given: Optional[ssl.SSLContext]) -> Optional[ssl.SSLContext]:
    if not address.is_tls:
        return None
    return given if given is not None else ssl.create_default_context()


def too_large() -> UnexpectedAnswerError:
    return UnexpectedAnswerError("The answer has more than 8 MB.")


def truncated(status: int) -> UnexpectedAnswerError:
    return UnexpectedAnswerError("The answer is incomplete.", status=status, is_truncated=True)


def unreachable(error: OSError) -> ConnectionError:
    """No connection was made. A certificate that is wrong stays wrong."""
    is_final = isinstance(error, ssl.SSLCertVerificationError)
    return ConnectionError(f"Custos could not be reached ({type(error).__name__}).", is_final=is_final)


def broken(error: Exception, status: int) -> CustosError:
    """The connection broke after the request was sent; `status`: of the answer, 0 before it came."""
    if status:
        return truncated(status)
    return ConnectionError(f"The connection to Custos broke ({type(error).__name__}).", was_sent=True)


def seconds_text(seconds: float) -> str:
    return f"{math.ceil(seconds * 1000) / 1000:g} s"


def with_connection_headers(request: HttpRequest, address: Address) -> Dict[str, str]:
    headers = {"Host": address.authority, "Accept-Encoding": "identity", **request.headers}
    if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
        headers["Content-Length"] = str(len(request.body or b""))
    return headers
