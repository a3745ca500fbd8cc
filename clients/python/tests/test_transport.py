"""Time limits, cancellation and kept connections of both transports."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
import unittest
from typing import Any, Callable, List

from custos_client import AsyncCustos, CancelToken, Custos, errors
from tests.scripted import KEY, Recorded, Reply, ScriptedServer, problem

ALIVE = {"status": "alive"}


def run_async(url: str, step: Callable[[AsyncCustos], Any], **options: Any) -> Any:
    async def run() -> Any:
        async with AsyncCustos(url, KEY, **options) as custos:
            return await step(custos)

    return asyncio.run(run())


def http_answer(status: str) -> bytes:
    body = f'{{"status":"{status}"}}'
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


class RawServer:
    """Sends these bytes for the first, second... request of each connection. Gives its address."""

    def __init__(self, *replies: bytes, is_closing: bool = False) -> None:
        """`is_closing`: whether it ends the connection after the last of them."""
        self._replies = replies
        self._is_closing = is_closing
        self._listener = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> str:
        threading.Thread(target=self._accept, daemon=True).start()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __exit__(self, *_: Any) -> None:
        # Wakes the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # The client may reset the connection.
        with connection, contextlib.suppress(OSError):
            for reply in self._replies:
                if not connection.recv(65_536):
                    return
                connection.sendall(reply)
            if self._is_closing:
                connection.shutdown(socket.SHUT_WR)
            connection.recv(1)


class TransportTest(unittest.TestCase):
    def assert_raises_in_both(self, kind: Any, url: str, **options: Any) -> List[Exception]:
        """The same error from both clients, for a request that is repeated where it may be."""
        raised: List[Exception] = []
        with Custos(url, KEY, **options) as custos, self.assertRaises(kind) as caught:
            custos.health()
        raised.append(caught.exception)
        with self.assertRaises(kind) as caught:
            run_async(url, lambda custos: custos.health(), **options)
        raised.append(caught.exception)
        return raised

    def test_an_answer_that_drips_is_ended_at_the_deadline(self) -> None:
        # Each byte comes in time; the answer does not.
        with ScriptedServer(Reply(200, ALIVE, drip_seconds=0.1)) as server:
            started = time.monotonic()
            self.assert_raises_in_both(errors.TimeoutError, server.url, timeout=0.4)
            self.assertLess(time.monotonic() - started, 3)

    def test_a_server_that_does_not_accept_is_given_up_at_the_deadline(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            address = listener.getsockname()
            # They fill the queue of the listener, so that further connections are not answered.
            waiting = [socket.socket() for _ in range(4)]
            try:
                for one in waiting:
                    one.setblocking(False)
                    one.connect_ex(address)
                url = f"http://127.0.0.1:{address[1]}"
                self.assert_raises_in_both(errors.TimeoutError, url, timeout=0.3)
                self.assert_cancelled_at_once(url)
            finally:
                for one in waiting:
                    one.close()

    def assert_cancelled_at_once(self, url: str) -> None:
        token = CancelToken()
        timer = threading.Timer(0.1, token.cancel)
        timer.start()
        started = time.monotonic()
        with Custos(url, KEY, timeout=30) as custos, token, self.assertRaises(errors.CancelledError):
            custos.health()
        self.assertLess(time.monotonic() - started, 5)
        timer.join()

    def test_a_token_ends_a_request_a_connection_and_a_back_off(self) -> None:
        for reply in (Reply(200, ALIVE, delay_seconds=1), problem(503, "E6002", Retry_After="20")):
            with ScriptedServer(reply) as server:
                self.assert_cancelled_at_once(server.url)

    def test_a_call_with_a_cancelled_token_sends_nothing(self) -> None:
        token = CancelToken()
        token.cancel()
        with ScriptedServer(Reply(200, ALIVE)) as server, Custos(server.url, KEY) as custos:
            with token, self.assertRaises(errors.CancelledError):
                custos.health()
            self.assertEqual(server.requests, [])
            # The token belongs to its block only.
            self.assertEqual(custos.health().status, "alive")

    def test_close_ends_the_calls_of_other_threads(self) -> None:
        with ScriptedServer(Reply(200, ALIVE, delay_seconds=1)) as server:
            custos = Custos(server.url, KEY, timeout=30)
            caught: List[Exception] = []

            def call() -> None:
                try:
                    custos.health()
                except Exception as error:
                    caught.append(error)

            thread = threading.Thread(target=call)
            thread.start()
            while not server.requests:
                time.sleep(0.005)
            custos.close()
            thread.join(5)
            self.assertEqual([type(error) for error in caught], [errors.CancelledError])

    def test_a_cancelled_task_is_cancelled_and_frees_its_connection(self) -> None:
        async def step(custos: AsyncCustos) -> None:
            task = asyncio.ensure_future(custos.health())
            await asyncio.sleep(0.1)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        with ScriptedServer(Reply(200, ALIVE, delay_seconds=1)) as server:
            run_async(server.url, step)

    def test_connections_are_kept_and_one_that_was_closed_is_replaced(self) -> None:
        closing = Reply(200, ALIVE, {"Connection": "close"})
        for reply, is_kept in ((Reply(200, ALIVE), True), (closing, False)):
            with ScriptedServer(reply) as server:
                with Custos(server.url, KEY) as custos:
                    for _ in range(3):
                        custos.health()
                self.assertEqual(len(set(server.ports)), 1 if is_kept else 3)
                server.ports.clear()

                async def thrice(custos: AsyncCustos) -> None:
                    for _ in range(3):
                        await custos.health()

                run_async(server.url, thrice)
                self.assertEqual(len(set(server.ports)), 1 if is_kept else 3)

    def test_an_answer_that_is_not_for_a_request_is_never_taken_for_that_of_the_next_one(self) -> None:
        stale, own = http_answer("stale"), http_answer("alive")
        # What comes for the first and for the second request of a connection.
        with RawServer(own + stale, own) as url:

            async def twice(custos: AsyncCustos) -> List[str]:
                return [(await custos.health()).status for _ in range(2)]

            with Custos(url, KEY) as custos:
                self.assertEqual([custos.health().status for _ in range(2)], ["alive"] * 2)
            self.assertEqual(run_async(url, twice), ["alive"] * 2)
        # The answer to the first request, which is given up, comes for the second one.
        with RawServer(b"HTTP/1.1 103 Early Hints\r\n\r\n", stale) as url:
            with Custos(url, KEY, timeout=0.3) as custos:
                for _ in range(2):
                    with self.assertRaises(errors.TimeoutError):
                        custos.health()

    def test_answers_that_readers_may_understand_differently_are_refused_by_both(self) -> None:
        body = b'{"status":"alive"}'
        ok = b"HTTP/1.1 200 OK\r\n"
        length = b"Content-Length: %d\r\n" % len(body)
        chunked = b"Transfer-Encoding: chunked\r\n"
        chunk = b"%x\r\n%s\r\n" % (len(body), body)
        end = b"0\r\n\r\n"
        answers = {
            "two lengths": ok + length + b"Content-Length: 2\r\n\r\n" + body,
            "a list of lengths": ok + b"Content-Length: 18, 18\r\n\r\n" + body,
            "a length with a sign": ok + b"Content-Length: +18\r\n\r\n" + body,
            "a negative length": ok + b"Content-Length: -1\r\n\r\n" + body,
            "a length in hexadecimal": ok + b"Content-Length: 0x12\r\n\r\n" + body,
            "a space behind the name": ok + b"Content-Length : 18\r\n\r\n" + body,
            "a length beside chunks": ok + length + chunked + b"\r\n" + chunk + end,
            "an unknown coding": ok + b"Transfer-Encoding: xchunked\r\n\r\n" + body,
            "the coding identity": ok + length + b"Transfer-Encoding: identity\r\n\r\n" + body,
            "a chunk with 0x": ok + chunked + b"\r\n0x" + chunk + end,
            "chunks with line feeds": ok + chunked + b"\r\n12\n" + body + b"\n0\n\n",
            "chunks without their last line": ok + chunked + b"\r\n" + chunk + b"0\r\n",
            "headers with line feeds": (ok + length).replace(b"\r", b"") + b"\n" + body,
            "a carriage return in a header": ok + b"X-A: b\rX-B: c\r\n" + length + b"\r\n" + body,
            "a zero byte in a header": ok + b"X-A: b\0c\r\n" + length + b"\r\n" + body,
            "a header on two lines": ok + b"X-A: b\r\n c\r\n" + length + b"\r\n" + body,
            "a line that is no header": ok + b"x\r\n" + length + b"\r\n" + body,
            "another protocol": b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + ok + length + b"\r\n" + body,
            "a version that is not asked for": b"HTTP/2.0 200 OK\r\n" + length + b"\r\n" + body,
            "an answer without headers": body,
            "a byte order mark": ok + b"Content-Length: 21\r\n\r\n\xef\xbb\xbf" + body,
        }
        for name, answer in answers.items():
            with self.subTest(name), RawServer(answer, is_closing=True) as url:
                self.assert_raises_in_both(errors.UnexpectedAnswerError, url, timeout=5, retries=0)

    def test_hints_before_an_answer_are_no_answer(self) -> None:
        with RawServer(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + http_answer("alive")) as url:
            with Custos(url, KEY) as custos:
                self.assertEqual(custos.health().status, "alive")
            self.assertEqual(run_async(url, lambda custos: custos.health()).status, "alive")

    def test_threads_share_a_client(self) -> None:
        with ScriptedServer(Reply(200, ALIVE)) as server, Custos(server.url, KEY) as custos:
            results: List[str] = []
            call = lambda: results.extend(custos.health().status for _ in range(20))  # noqa: E731
            threads = [threading.Thread(target=call) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(results, ["alive"] * 160)

    def test_chunked_answers_are_read_and_broken_ones_refused(self) -> None:
        def chunked(data: bytes) -> Reply:
            return Reply(200, data, {"Transfer-Encoding": "chunked", "Content-Type": "application/json"})

        whole = b'8\r\n{"status\r\n9;x=y\r\n":"alive"\r\n1\r\n}\r\n0\r\n\r\n'
        with ScriptedServer(chunked(whole)) as server:
            with Custos(server.url, KEY) as custos:
                self.assertEqual(custos.health().status, "alive")
            self.assertEqual(run_async(server.url, lambda custos: custos.health()).status, "alive")
        with ScriptedServer(chunked(b"zz\r\n{}")) as server:
            self.assert_raises_in_both(errors.UnexpectedAnswerError, server.url, retries=0)

    def test_what_is_not_repeated_after_a_break_never_uses_a_kept_connection(self) -> None:
        def script(request: Recorded, _: int) -> Reply:
            return Reply(200, ALIVE) if request.method == "GET" else Reply(reset=True)

        with ScriptedServer(script) as server, Custos(server.url, KEY) as custos:
            custos.health()
            with self.assertRaises(errors.ConnectionError):
                custos.agents.update("agent-1", name="n")
            custos.health()
            with self.assertRaises(errors.ConnectionError):
                custos.halt.lift()
            self.assertEqual([one.method for one in server.requests], ["GET", "PATCH", "GET", "DELETE"])
            self.assertEqual(len(set(server.ports)), 3)

    def test_retry_after_as_a_date_counts_from_the_date_of_the_answer(self) -> None:
        headers = {"Date": "Thu, 01 Jan 2015 00:00:00 GMT", "Retry-After": "Thu, 01 Jan 2015 00:00:07 GMT"}
        reply = problem(429, "E3001", retryable=True, **headers)
        with ScriptedServer(reply) as server:
            for error in self.assert_raises_in_both(errors.RateLimitedError, server.url, timeout=1):
                self.assertEqual(getattr(error, "retry_after_seconds"), 7)
            # It is longer than the time that is left.
            self.assertEqual(len(server.requests), 2)
