"""A stream over a blocking socket whose every operation ends at one deadline, and connecting under the same
deadline.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading
from typing import Any, Callable, List, Optional, Tuple

from .http_types import MAX_HEAD_BYTES

CANCEL_CHECK_SECONDS = 0.05
RECEIVED_AT_ONCE = 65_536

Remaining = Callable[[], float]
# As getaddrinfo gives them: family, type, protocol, canonical name, address.
Found = List[Tuple[Any, Any, int, str, Any]]


class DeadlineStream:
    """The part of an asyncio stream that reads answers, over a blocking socket: its coroutines never suspend.

    A timeout of the socket itself would start anew with each byte.
    """

    def __init__(self, sock: socket.socket, remaining: Remaining) -> None:
        self._sock = sock
        self._remaining = remaining
        self._received = bytearray()

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._sock.settimeout(self._remaining())
            view = view[self._sock.send(view) :]

    async def readuntil(self, separator: bytes) -> bytes:
        """Raises what asyncio.StreamReader raises: at the end, and for a line that is too long."""
        searched = 0
        while True:
            at = self._received.find(separator, searched)
            if at != -1:
                return self._take(at + len(separator))
            searched = max(0, len(self._received) - len(separator) + 1)
            if searched > MAX_HEAD_BYTES:
                raise asyncio.LimitOverrunError("there is no separator", searched)
            if not self._receive():
                raise asyncio.IncompleteReadError(self._take(len(self._received)), None)

    async def readexactly(self, size: int) -> bytes:
        while len(self._received) < size:
            if not self._receive():
                raise asyncio.IncompleteReadError(self._take(len(self._received)), size)
        return self._take(size)

    async def read(self, size: int) -> bytes:
        """Some bytes; none at the end."""
        if not self._received:
            self._receive()
        return self._take(min(size, len(self._received)))

    def is_quiet(self) -> bool:
        """Whether there is nothing to read: neither the end nor an answer that nobody asked for."""
        if self._received:
            return False
        try:
            self._sock.setblocking(False)
            # TLS may hold records of the session; a closed connection gives b"" as well.
            self._sock.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False
        return False

    def _receive(self) -> bool:
        """Waits for more; false at the end."""
        self._sock.settimeout(self._remaining())
        more = self._sock.recv(RECEIVED_AT_ONCE)
        self._received += more
        return bool(more)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        return taken


def resolve(host: str, port: int, remaining: Remaining, cancelled: threading.Event) -> Found:
    """The addresses of a host.

    A name is resolved in a thread, because getaddrinfo knows neither deadline nor cancellation.
    """
    try:
        ipaddress.ip_address(host)
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except ValueError:
        pass
    results: List[Found] = []
    errors: List[OSError] = []
    done = threading.Event()

    def look_up() -> None:
        try:
            results.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            errors.append(error)
        done.set()

    threading.Thread(target=look_up, name="custos-resolve", daemon=True).start()
    while not done.wait(min(remaining(), CANCEL_CHECK_SECONDS)):
        if cancelled.is_set():
            raise socket.timeout("cancelled")
    if errors:
        raise errors[0]
    return results[0]


def connect(found: Found, remaining: Remaining, use: Callable[[socket.socket], None]) -> socket.socket:
    """A connected socket; `use` gets it before it connects, so that another thread can end that."""
    error: Optional[OSError] = None
    for family, kind, protocol, _, address in found:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(remaining())
            use(sock)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as failure:
            sock.close()
            error = failure
            if isinstance(failure, socket.timeout):
                break
    raise error if error is not None else OSError("the host has no address")
