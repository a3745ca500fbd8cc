"""The approval with which a refused call is repeated."""

from __future__ import annotations

import contextvars
from contextlib import contextmanager
from typing import Iterator, List, Optional

# A list, which the tasks of asyncio share although each has a copy of the context: empty once it is used.
_approval: "contextvars.ContextVar[List[str]]" = contextvars.ContextVar("custos_approval")


@contextmanager
def use_approval(approval_id: Optional[str]) -> Iterator[None]:
    """The first guarded call in the `with` block is asked about with this approval.

    A call that was refused with an `approval_id` is repeated so, with the same arguments and by the same key,
    once a human has approved it. None: without one.
    """
    token = _approval.set([] if approval_id is None else [approval_id])
    try:
        yield
    finally:
        _approval.reset(token)


def take() -> Optional[str]:
    """For one call: others that it makes are other actions."""
    given = _approval.get(None)
    return given.pop() if given else None
