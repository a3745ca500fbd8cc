"""Cancellation of blocking calls. With asyncio, cancel the task instead."""

from __future__ import annotations

import contextvars
import threading
from types import TracebackType
from typing import Callable, List, Optional, Tuple, Type

from .errors import CancelledError


class CancelToken:
    """Ends blocking calls from another thread, at once: also one that waits for an answer or before a
    repetition.

    Calls in a `with` block of the token belong to it::

        token = CancelToken()
        with token:
            custos.intents.wait_decided(intent_id)  # another thread calls token.cancel()
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._callbacks: List[Callable[[], None]] = []
        self._resets: List[contextvars.Token[Tuple["CancelToken", ...]]] = []

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Calls back once, at once if the token is cancelled already."""
        with self._lock:
            if not self._is_cancelled:
                self._callbacks.append(callback)
                return
        callback()

    def forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    def __enter__(self) -> "CancelToken":
        self._resets.append(_active.set(_active.get() + (self,)))
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        _active.reset(self._resets.pop())


_active: contextvars.ContextVar[Tuple[CancelToken, ...]] = contextvars.ContextVar(
    "custos_cancel_tokens", default=()
)


def active_tokens() -> Tuple[CancelToken, ...]:
    """The tokens of the `with` blocks around the caller."""
    return _active.get()


class Watch:
    """Calls back when one of several tokens is cancelled, until the end of its `with` block."""

    def __init__(self, tokens: Tuple[CancelToken, ...], callback: Callable[[], None]) -> None:
        self._tokens = tokens
        self._callback = callback

    def __enter__(self) -> "Watch":
        for token in self._tokens:
            token.on_cancel(self._callback)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        for token in self._tokens:
            token.forget(self._callback)

    def check(self) -> None:
        if any(token.is_cancelled for token in self._tokens):
            raise CancelledError("The call was cancelled.")
