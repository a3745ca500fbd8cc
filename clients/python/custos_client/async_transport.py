"""The transport of `AsyncCustos`: asyncio streams.

Not the blocking transport in a pool of threads: a thread that waits for a name, a connection or an answer
can't be interrupted by a cancelled task, and calls that wait 30 seconds for an approval would take the pool's
threads from decisions. Here a cancelled task closes its connection at once, and a waiting call costs no
thread.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import Any, Coroutine, List, Optional, Set, Tuple, TypeVar

from .errors import CancelledError, ConnectionError, TimeoutError
from .http1 import AnswerReader, Connection, head_of
from .http_types import (
    IDLE_SECONDS,
    MAX_HEAD_BYTES,
    Address,
    Answer,
    HttpRequest,
    broken,
    tls_context,
    unreachable,
    with_connection_headers,
)

T = TypeVar("T")

MAX_IDLE_CONNECTIONS = 64


class AsyncTransport:
    def __init__(self, address: Address, context: Optional[ssl.SSLContext] = None) -> None:
        self._address = address
        self._context = tls_context(address, context)
        # With the time since when they are idle, and the loop to which they belong.
        self._idle: List[Tuple[float, asyncio.AbstractEventLoop, Connection]] = []
        self._running: Set["asyncio.Task[Any]"] = set()
        self._is_closed = False

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.check_cancelled()

    def check_cancelled(self) -> None:
        # A cancelled task needs no check: its next `await` raises.
        if self._is_closed:
            raise CancelledError("The client is closed.")

    async def close(self) -> None:
        """Ends the calls of all tasks and closes the connections."""
        self._is_closed = True
        for task in list(self._running):
            task.cancel()
        idle, self._idle = self._idle, []
        for _, loop, (_, writer) in idle:
            if not loop.is_closed():
                writer.transport.abort()
        # Lets the transports close before the loop may end.
        await asyncio.sleep(0)

    async def exchange(self, request: HttpRequest, deadline: float) -> Answer:
        self.check_cancelled()
        return await self._within(self._send(request), deadline)

    async def _within(self, coroutine: Coroutine[Any, Any, T], deadline: float) -> T:
        """Not asyncio.wait_for, which before Python 3.12 can swallow a cancellation: a guarded function would
        then run.
        """
        task = asyncio.ensure_future(coroutine)
        self._running.add(task)
        # Its error is of no interest when the caller was cancelled meanwhile; asyncio would log it.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait({task}, timeout=max(0.0, deadline - self.now()))
        finally:
            self._running.discard(task)
            if not task.done():
                task.cancel()
        if not task.done():
            raise TimeoutError("Custos did not answer in time.")
        if task.cancelled():
            raise CancelledError("The client was closed.")
        return task.result()

    async def _send(self, request: HttpRequest) -> Answer:
        kept = self._take() if request.may_use_kept else None
        try:
            reader, writer = kept if kept is not None else await self._connect()
        except OSError as error:
            raise unreachable(error) from error
        answers = AnswerReader(reader)
        is_reusable = False
        try:
            headers = with_connection_headers(request, self._address)
            writer.write(head_of(request, headers, self._address.base_path) + (request.body or b""))
            await writer.drain()
            answer = await answers.read()
            is_reusable = answers.is_reusable
        except (ConnectionError, TimeoutError):
            raise
        except (OSError, EOFError) as error:
            raise broken(error, answers.status) from error
        finally:
            if not is_reusable:
                writer.transport.abort()
        self._give_back((reader, writer))
        return answer

    async def _connect(self) -> Connection:
        return await asyncio.open_connection(
            self._address.host,
            self._address.port,
            ssl=self._context,
            server_hostname=self._address.host if self._context is not None else None,
            limit=MAX_HEAD_BYTES,
        )

    def _take(self) -> Optional[Connection]:
        loop = asyncio.get_running_loop()
        while self._idle:
            since, owner, (reader, writer) = self._idle.pop()
            if owner is not loop:
                # Of a loop that has ended: its transport can't be used or closed here.
                continue
            if self.now() - since <= IDLE_SECONDS and _is_quiet(reader) and not writer.is_closing():
                return reader, writer
            writer.transport.abort()
        return None

    def _give_back(self, connection: Connection) -> None:
        if self._is_closed or len(self._idle) >= MAX_IDLE_CONNECTIONS:
            connection[1].transport.abort()
            return
        self._idle.append((self.now(), asyncio.get_running_loop(), connection))


def _is_quiet(reader: asyncio.StreamReader) -> bool:
    """Whether an idle connection has nothing to read: neither its end nor an answer that nobody asked for."""
    reading = reader.read(1)
    try:
        reading.send(None)
    except StopIteration:
        return False
    reading.close()
    return True
