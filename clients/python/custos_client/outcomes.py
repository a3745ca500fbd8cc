"""Outcomes of a guarded function that are withheld, and what may pass of them: that something ends."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from typing import Any, Iterator, Optional, Tuple

# The start of the message with which anyio cancels a task. Without it a scope takes a cancellation for that
# of somebody else, and passes it on.
_ANYIO_SCOPE = re.compile(r"Cancelled (?:by|via) cancel scope [0-9a-f]+")


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
            return asyncio.CancelledError(*_scope_of(member))
    return GeneratorExit() if any(isinstance(member, GeneratorExit) for member in members) else None


def _members(error: BaseException) -> Iterator[BaseException]:
    """Those of an exception group (Python 3.11), at every depth; of any other exception, itself."""
    members = getattr(error, "exceptions", None)
    if not isinstance(members, tuple):
        yield error
        return
    for member in members:
        yield from _members(member)


def _scope_of(error: asyncio.CancelledError) -> Tuple[str, ...]:
    """The part of the message by which anyio knows a cancellation of its own; no other text."""
    cause: Optional[BaseException] = error
    # Before Python 3.11 the message may be only in an exception behind this one.
    while isinstance(cause, asyncio.CancelledError):
        found = _ANYIO_SCOPE.match(cause.args[0]) if cause.args and isinstance(cause.args[0], str) else None
        if found is not None:
            return (found.group(),)
        cause = cause.__context__
    return ()


# Those whose iterators call functions, or read other iterators, when they are read.
_LAZY_MODULES = ("builtins", "itertools")


def _is_lazy(result: Any) -> bool:
    if inspect.isasyncgen(result) or inspect.isawaitable(result):
        return True
    if inspect.isroutine(result) or isinstance(result, functools.partial):
        return True
    # A generator, map(), zip(); not an open file, or the rows of a query that has run.
    return isinstance(result, Iterator) and type(result).__module__ in _LAZY_MODULES


def unfinished(result: Any) -> str:
    """What is wrong with a result that would go on running later, without the decision; empty: nothing.

    Closes what can be closed, and raises what that raises.
    """
    if not _is_lazy(result):
        return ""
    if inspect.isgenerator(result) or inspect.iscoroutine(result):
        result.close()
    return f"returned a {type(result).__name__}, which would run without the decision. Return what it gives."
