"""Outcomes of a guarded function that are withheld, and what may pass of them: that something ends."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, Iterator, Optional, Tuple


def ending_of(error: BaseException) -> Optional[BaseException]:
    """A new exception with the same meaning, without texts, cause, context and frames.

    None for one that ends nothing, and for one whose meaning is not known here: it is withheld as a whole. Of
    a group, the gravest ending counts.
    """
    members = list(_members(error))
    for member in members:
        if isinstance(member, KeyboardInterrupt):
            return KeyboardInterrupt()
    for member in members:
        if isinstance(member, SystemExit):
            # Python prints any other code, and exits with 1.
            return SystemExit(member.code if member.code is None or isinstance(member.code, int) else 1)
    for member in members:
        if isinstance(member, asyncio.CancelledError):
            return asyncio.CancelledError(*_request_of(member))
    return GeneratorExit() if any(isinstance(member, GeneratorExit) for member in members) else None


def _members(error: BaseException) -> Iterator[BaseException]:
    """Those of an exception group (Python 3.11), at every depth; of any other exception, itself."""
    members = getattr(error, "exceptions", None)
    if not isinstance(members, tuple):
        yield error
        return
    for member in members:
        yield from _members(member)


def _request_of(error: asyncio.CancelledError) -> Tuple[Any, ...]:
    """The message of `Task.cancel`, by which anyio tells whose cancellation it is; no other text."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return ()
    message = getattr(task, "_cancel_message", None)
    return (message,) if message is not None and error.args == (message,) else ()


def unfinished(result: Any) -> str:
    """What is wrong with a result that would go on running later, without the decision; empty: nothing."""
    if not (inspect.isgenerator(result) or inspect.isasyncgen(result) or inspect.iscoroutine(result)):
        return ""
    if not inspect.isasyncgen(result):
        result.close()
    return f"returned a {type(result).__name__}, which would run without the decision. Return what it gives."
