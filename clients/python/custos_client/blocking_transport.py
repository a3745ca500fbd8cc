"""The transport of `Custos`: blocking sockets, with kept connections.

Deadlines and cancellation hold for every step.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any, Coroutine, List, Optional, Tuple, TypeVar

from .cancel import CancelToken, Watch, active_tokens
from .deadline_socket import DeadlineStream, connect, resolve
from .errors import ConnectionError, TimeoutError, UnexpectedAnswerError
from .forks import renew_in_children
from .http1 import AnswerReader, head_of
from .http_types import (
    IDLE_SECONDS,
    Address,
    Answer,
    HttpRequest,
    broken,
    tls_context,
    unreachable,
    with_connection_headers,
)

T = TypeVar("T")

# Connections beyond these are closed after use.
MAX_IDLE_CONNECTIONS = 16


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never suspends, as those on a BlockingTransport do."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking call has suspended")


class _Exchange:
    """One request: its socket, its deadline, and how another thread ends it."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.cancelled = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self._is_over = False

    def remaining(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        return left

    def use(self, sock: socket.socket) -> None:
        with self._lock:
            self._socket = sock
            if self.cancelled.is_set():
                _shut(sock)

    def abort(self) -> None:
        with self._lock:
            self.cancelled.set()
            # A connection that was handed back may serve another call by now.
            if self._socket is not None and not self._is_over:
                _shut(self._socket)

    def end(self) -> None:
        with self._lock:
            self._is_over = True


def _shut(sock: socket.socket) -> None:
    """Wakes a thread that waits for the socket."""
    try:
        # Not SSLSocket.shutdown, which takes the TLS state from a thread that uses it.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        pass


class _Connection:
    """A connection whose socket obeys the deadline of the current exchange."""

    def __init__(self, address: Address, context: Optional[ssl.SSLContext]) -> None:
        self.address = address
        self.context = context
        self.exchange: Optional[_Exchange] = None
        self.sock: Optional[socket.socket] = None
        self.stream: Optional[DeadlineStream] = None
        self.idle_since = 0.0

    def open(self) -> DeadlineStream:
        """The stream of the connection, which is connected first if it is new."""
        exchange = self._current()
        if self.sock is not None and self.stream is not None:
            exchange.use(self.sock)
            return self.stream
        found = resolve(self.address.host, self.address.port, exchange.remaining, exchange.cancelled)
        self.sock = connect(found, exchange.remaining, exchange.use)
        if self.context is not None:
            self.sock.settimeout(exchange.remaining())
            self.sock = self.context.wrap_socket(self.sock, server_hostname=self.address.host)
            exchange.use(self.sock)
        self.stream = DeadlineStream(self.sock, lambda: self._current().remaining())
        return self.stream

    def _current(self) -> _Exchange:
        if self.exchange is None:
            raise RuntimeError("a connection without an exchange")
        return self.exchange

    def is_usable(self, now: float) -> bool:
        """Whether a kept connection can serve another request. One with something to read was closed."""
        return self.stream is not None and now - self.idle_since <= IDLE_SECONDS and self.stream.is_quiet()

    def close(self) -> None:
        if self.sock is not None:
            self.sock.close()


class BlockingTransport:
    def __init__(self, address: Address, context: Optional[ssl.SSLContext] = None) -> None:
        self._address = address
        self._context = tls_context(address, context)
        self._lock = threading.Lock()
        self._idle: List[_Connection] = []
        self._closing = CancelToken()
        renew_in_children(self)

    def renew(self) -> None:
        self._lock = threading.Lock()
        inherited, self._idle = self._idle, []
        for connection in inherited:
            # Closes the child's copy of the socket; the parent's connection stays open.
            connection.close()
        is_closed = self._closing.is_cancelled
        # Not the inherited one, which would end the parent's calls: their sockets are shared.
        self._closing = CancelToken()
        if is_closed:
            self._closing.cancel()

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        woken = threading.Event()
        with Watch(self._tokens(), woken.set) as watch:
            woken.wait(seconds)
            watch.check()

    def check_cancelled(self) -> None:
        Watch(self._tokens(), lambda: None).check()

    def close(self) -> None:
        """Cancels the calls of all threads and closes the connections."""
        self._closing.cancel()
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    async def exchange(self, request: HttpRequest, deadline: float) -> Answer:
        exchange = _Exchange(deadline)
        with Watch(self._tokens(), exchange.abort) as watch:
            watch.check()
            try:
                return await self._send(request, exchange)
            except (ConnectionError, TimeoutError, UnexpectedAnswerError):
                watch.check()
                raise
            finally:
                exchange.end()

    def _tokens(self) -> Tuple[CancelToken, ...]:
        return (self._closing, *active_tokens())

    async def _send(self, request: HttpRequest, exchange: _Exchange) -> Answer:
        connection = self._take(may_be_kept=request.may_use_kept)
        connection.exchange = exchange
        is_reusable = False
        try:
            answer, is_reusable = await _exchange_on(connection, request, self._address)
        finally:
            exchange.end()
            if not is_reusable:
                connection.close()
        if is_reusable:
            self._give_back(connection)
        return answer

    def _take(self, may_be_kept: bool) -> _Connection:
        # A request that may not be repeated gets a new connection: a kept one may be closed just then.
        while may_be_kept:
            with self._lock:
                if not self._idle:
                    break
                connection = self._idle.pop()
            if connection.is_usable(self.now()):
                return connection
            connection.close()
        return _Connection(self._address, self._context)

    def _give_back(self, connection: _Connection) -> None:
        connection.exchange = None
        connection.idle_since = self.now()
        with self._lock:
            if not self._closing.is_cancelled and len(self._idle) < MAX_IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()


async def _exchange_on(
    connection: _Connection, request: HttpRequest, address: Address
) -> Tuple[Answer, bool]:
    """The answer, and whether the connection can serve another request."""
    try:
        stream = connection.open()
    except socket.timeout:
        # A class of its own before Python 3.10.
        raise _too_late() from None
    except OSError as error:
        raise unreachable(error) from error
    answers = AnswerReader(stream)
    try:
        head = head_of(request, with_connection_headers(request, address), address.base_path)
        stream.send(head + (request.body or b""))
        return await answers.read(), answers.is_reusable
    except (ConnectionError, TimeoutError):
        raise
    except socket.timeout:
        raise _too_late() from None
    except (OSError, EOFError) as error:
        raise broken(error, answers.status) from error


def _too_late() -> TimeoutError:
    return TimeoutError("Custos did not answer in time.")
