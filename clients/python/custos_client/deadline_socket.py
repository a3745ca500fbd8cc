"""Sockets for http.client whose every operation ends at one deadline, and connecting under the same deadline.
"""

from __future__ import annotations

import io
import ipaddress
import socket
import threading
from typing import Any, Callable, List, Optional, Tuple

CANCEL_CHECK_SECONDS = 0.05

Remaining = Callable[[], float]
# As getaddrinfo gives them: family, type, protocol, canonical name, address.
Found = List[Tuple[Any, Any, int, str, Any]]


class DeadlineSocket:
    """The part of a socket that http.client uses.

    A timeout of the socket itself would start anew with each byte.
    """

    def __init__(self, sock: socket.socket, remaining: Remaining) -> None:
        self._sock = sock
        self._remaining = remaining
        self._readers = 0
        self._is_closed = False

    def sendall(self, data: Any) -> None:
        view = memoryview(data)
        while view:
            self._sock.settimeout(self._remaining())
            view = view[self._sock.send(view) :]

    def receive(self, buffer: Any) -> int:
        self._sock.settimeout(self._remaining())
        return self._sock.recv_into(buffer)

    def makefile(self, mode: str = "rb", *_: Any) -> io.BufferedReader:
        self._readers += 1
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Closes the socket when the last reader is closed: http.client closes it before it reads a last
        answer.
        """
        self._is_closed = True
        if self._readers <= 0:
            self._sock.close()

    def reader_closed(self) -> None:
        self._readers -= 1
        if self._is_closed:
            self.close()


class _Reader(io.RawIOBase):
    def __init__(self, owner: DeadlineSocket) -> None:
        super().__init__()
        self._owner = owner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._owner.receive(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._owner.reader_closed()


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
