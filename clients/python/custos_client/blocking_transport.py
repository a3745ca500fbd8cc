"""The transport of `Custos`: http.client with kept connections.

Deadlines and cancellation hold for every step.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from typing import Any, Coroutine, List, Optional, Tuple, TypeVar

from .cancel import CancelToken, Watch, active_tokens
from .deadline_socket import DeadlineSocket, connect, resolve
from .errors import ConnectionError, TimeoutError, UnexpectedAnswerError
from .forks import renew_in_children
from .http_types import (
    IDLE_SECONDS,
    MAX_ANSWER_BYTES,
    Address,
    Answer,
    HttpRequest,
    tls_context,
    too_large,
    truncated,
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


class _Connection(http.client.HTTPConnection):
    """A connection whose socket obeys the deadline of the current exchange."""

    def __init__(self, address: Address, context: Optional[ssl.SSLContext]) -> None:
        super().__init__(address.host, address.port)
        self.address = address
        self.context = context
        self.exchange: Optional[_Exchange] = None
        self.plain: Optional[socket.socket] = None
        self.idle_since = 0.0

    def connect(self) -> None:
        exchange = self._current()
        found = resolve(self.address.host, self.address.port, exchange.remaining, exchange.cancelled)
        plain = connect(found, exchange.remaining, exchange.use)
        if self.context is not None:
            plain.settimeout(exchange.remaining())
            plain = self.context.wrap_socket(plain, server_hostname=self.address.host)
            exchange.use(plain)
        self.plain = plain
        self.sock = DeadlineSocket(plain, lambda: self._current().remaining())

    def _current(self) -> _Exchange:
        if self.exchange is None:
            raise RuntimeError("a connection without an exchange")
        return self.exchange

    def is_usable(self, now: float) -> bool:
        """Whether a kept connection can serve another request. One with something to read was closed."""
        if self.plain is None or now - self.idle_since > IDLE_SECONDS:
            return False
        try:
            self.plain.setblocking(False)
            # TLS may hold records of the session; a closed connection gives b"" as well.
            self.plain.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False
        return False


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
                return self._send(request, exchange)
            except (ConnectionError, TimeoutError, UnexpectedAnswerError):
                watch.check()
                raise
            finally:
                exchange.end()

    def _tokens(self) -> Tuple[CancelToken, ...]:
        return (self._closing, *active_tokens())

    def _send(self, request: HttpRequest, exchange: _Exchange) -> Answer:
        connection = self._take(may_be_kept=request.may_use_kept)
        connection.exchange = exchange
        if connection.plain is not None:
            exchange.use(connection.plain)
        progress = _Progress()
        try:
            answer = _exchange_on(connection, request, self._address, progress)
        except BaseException as error:
            connection.close()
            if isinstance(error, (OSError, http.client.HTTPException)) and not isinstance(
                error, ConnectionError
            ):
                raise _typed(error, progress) from error
            raise
        exchange.end()
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
            if (
                connection.sock is not None
                and not self._closing.is_cancelled
                and len(self._idle) < MAX_IDLE_CONNECTIONS
            ):
                self._idle.append(connection)
                return
        connection.close()


class _Progress:
    """How far an exchange has come, which decides what an error means."""

    def __init__(self) -> None:
        self.was_sent = False
        self.status: Optional[int] = None


def _exchange_on(
    connection: _Connection, request: HttpRequest, address: Address, progress: _Progress
) -> Answer:
    if connection.sock is None:
        connection.connect()
    connection.putrequest(
        request.method, address.base_path + request.target, skip_host=True, skip_accept_encoding=True
    )
    for name, value in with_connection_headers(request, address).items():
        connection.putheader(name, value)
    progress.was_sent = True
    connection.endheaders(request.body)
    response = connection.getresponse()
    progress.status = response.status
    # http.client skips 100 alone: the answer is yet to come, so that nothing else may use the connection.
    if response.status < 200:
        raise UnexpectedAnswerError(f"The answer has the status {response.status}, which is none.")
    body = _read_body(response)
    # http.client closes the connection itself when the server wants it closed.
    response.close()
    return Answer(
        status=response.status,
        headers={name.lower(): value for name, value in response.getheaders()},
        body=body,
    )


def _read_body(response: http.client.HTTPResponse) -> bytes:
    chunks: List[bytes] = []
    size = 0
    while True:
        chunk = response.read(65_536)
        if not chunk:
            break
        size += len(chunk)
        if size > MAX_ANSWER_BYTES:
            raise too_large()
        chunks.append(chunk)
    # With a size given, read() does not report that the connection ended before Content-Length was reached.
    if response.length:
        raise truncated(response.status)
    return b"".join(chunks)


def _typed(error: Exception, progress: _Progress) -> Exception:
    # socket.timeout is a class of its own before Python 3.10.
    if isinstance(error, socket.timeout):
        return TimeoutError("Custos did not answer in time.")
    if progress.status is not None:
        return truncated(progress.status)
    if isinstance(error, http.client.HTTPException) and not isinstance(error, http.client.RemoteDisconnected):
        return UnexpectedAnswerError(f"The answer is not HTTP ({type(error).__name__}).")
    is_final = isinstance(error, ssl.SSLCertVerificationError)
    return ConnectionError(
        f"Custos could not be reached ({type(error).__name__}).",
        was_sent=progress.was_sent,
        is_final=is_final,
    )
