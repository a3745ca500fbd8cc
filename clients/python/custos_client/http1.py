"""Reads HTTP/1.1 answers (RFC 9112) from a stream, for both transports.

Strict: what two readers may understand differently is refused.
"""

from __future__ import annotations

import asyncio
import re
from typing import Dict, List, Protocol, Tuple

from .errors import UnexpectedAnswerError
from .http_types import MAX_ANSWER_BYTES, MAX_HEAD_BYTES, Answer, HttpRequest, too_large, truncated

_STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: [^\r\n]*)?")
# No control characters but tabs: some readers end a line at a carriage return.
_HEADER = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")
# Informational answers come before the real one.
_MAX_INFORMATIONAL = 8
# No request asks for another protocol.
_SWITCHING_PROTOCOLS = 101


def head_of(request: HttpRequest, headers: Dict[str, str], base_path: str) -> bytes:
    """Raises ValueError for a value that would begin another header or another request."""
    if any(character < " " for value in headers.values() for character in value):
        raise ValueError("a header has a control character")
    lines = [f"{request.method} {base_path}{request.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


class Stream(Protocol):
    """The part of asyncio.StreamReader that is used, with its errors."""

    async def readuntil(self, separator: bytes) -> bytes:
        ...

    async def readexactly(self, size: int) -> bytes:
        ...

    async def read(self, size: int) -> bytes:
        ...


class AnswerReader:
    """Reads one answer. `status` is known as soon as its first line has come."""

    def __init__(self, reader: Stream) -> None:
        self._reader = reader
        self._head_bytes = 0
        self.status = 0
        # Whether the connection can serve another request.
        self.is_reusable = True

    async def read(self) -> Answer:
        """Raises EOFError when the connection ends before an answer begins, UnexpectedAnswerError for what is
        none.
        """
        headers = await self._head()
        try:
            body = await self._body(headers)
        except asyncio.IncompleteReadError:
            raise truncated(self.status) from None
        return Answer(status=self.status, headers=headers, body=body)

    async def _line(self) -> bytes:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            raise _malformed("a line is too long") from None
        self._head_bytes += len(line)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise _malformed("its headers are too large")
        if not line.endswith(b"\r\n"):
            raise _malformed("a line ends without a carriage return")
        return line[:-2]

    async def _head(self) -> Dict[str, str]:
        for _ in range(_MAX_INFORMATIONAL):
            try:
                line = await self._line()
            except asyncio.IncompleteReadError as error:
                if error.partial:
                    raise _malformed("its first line is incomplete") from None
                raise EOFError from None
            match = _STATUS_LINE.fullmatch(line)
            if match is None:
                raise _malformed("its first line is no status line")
            status = int(match.group(2))
            if status == _SWITCHING_PROTOCOLS:
                raise _malformed("it switches protocols")
            if status >= 200:
                self.status = status
            self.is_reusable = match.group(1) == b"1"
            try:
                headers = await self._headers()
            except asyncio.IncompleteReadError:
                raise truncated(status) from None
            if status >= 200:
                return headers
        raise _malformed("it has too many informational answers")

    async def _headers(self) -> Dict[str, str]:
        headers: Dict[str, str] = {}
        while True:
            line = await self._line()
            if not line:
                return headers
            match = _HEADER.fullmatch(line)
            if match is None:
                raise _malformed("a header line is none")
            name = match.group(1).decode("ascii").lower()
            value = match.group(2).decode("latin-1")
            if name in ("content-length", "transfer-encoding") and headers.get(name, value) != value:
                raise _malformed(f"it has two different {name} headers")
            headers[name] = value

    async def _body(self, headers: Dict[str, str]) -> bytes:
        if headers.get("connection", "").lower() == "close":
            self.is_reusable = False
        if self.status in (204, 304):
            return b""
        coding, length = headers.get("transfer-encoding"), headers.get("content-length")
        if coding is not None:
            if coding.lower() != "chunked" or length is not None:
                raise _malformed("its length is ambiguous")
            return await self._chunks()
        if length is None:
            self.is_reusable = False
            return await self._until_end()
        if re.fullmatch("[0-9]{1,18}", length) is None:
            raise _malformed("its Content-Length is no number")
        if int(length) > MAX_ANSWER_BYTES:
            raise too_large()
        return await self._reader.readexactly(int(length))

    async def _chunks(self) -> bytes:
        chunks: List[bytes] = []
        size = 0
        while True:
            self._head_bytes = 0
            match = _SIZE.fullmatch(await self._line())
            if match is None:
                raise _malformed("a chunk has no size")
            length = int(match.group(1), 16)
            if length == 0:
                await self._headers()
                return b"".join(chunks)
            size += length
            if size > MAX_ANSWER_BYTES:
                raise too_large()
            chunks.append(await self._reader.readexactly(length))
            if await self._line():
                raise _malformed("a chunk is longer than its size")

    async def _until_end(self) -> bytes:
        body = b""
        while True:
            chunk = await self._reader.read(65_536)
            if not chunk:
                return body
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise too_large()


def _malformed(why: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(f"The answer is not HTTP: {why}.")


Connection = Tuple[asyncio.StreamReader, asyncio.StreamWriter]
