"""Values for one call, which are given around it: its own parameters belong to the function or the API."""

from __future__ import annotations

import contextvars
import re
from contextlib import contextmanager
from typing import Iterator, List, Optional


class Given:
    """A value for the first call in a `with` block that takes it: others in the block are other actions."""

    def __init__(self, name: str) -> None:
        # A list, which the tasks of asyncio share although each has a copy of the context: empty once it is
        # used.
        self._values: "contextvars.ContextVar[List[str]]" = contextvars.ContextVar(name)

    @contextmanager
    def use(self, value: Optional[str]) -> Iterator[None]:
        token = self._values.set([] if value is None else [value])
        try:
            yield
        finally:
            self._values.reset(token)

    def take(self) -> Optional[str]:
        values = self._values.get(None)
        return values.pop() if values else None


APPROVAL = Given("custos_approval")
IDEMPOTENCY_KEY = Given("custos_idempotency_key")


@contextmanager
def use_approval(approval_id: Optional[str]) -> Iterator[None]:
    """The first guarded call in the `with` block is asked about with this approval.

    A call that was refused with an `approval_id` is repeated so, with the same arguments and by the same key,
    once a human has approved it. None: without one.
    """
    with APPROVAL.use(approval_id):
        yield


@contextmanager
def use_idempotency_key(key: Optional[str]) -> Iterator[None]:
    """The first call of a method in the `with` block that sends a POST has this Idempotency-Key.

    A call that is repeated with the key of an earlier one, also by another process, has its effect once.
    Without a key (None) each call has a random one, which its own repetitions keep. A guarded call has its
    own. Raises ValueError unless it has 1 to 255 printable ASCII characters.
    """
    # Of a header: a line break in it would begin another one, or another request.
    if key is not None and re.fullmatch("[ -~]{1,255}", key) is None:
        raise ValueError("an Idempotency-Key has 1 to 255 printable ASCII characters")
    with IDEMPOTENCY_KEY.use(key):
        yield
