"""What the child process of a fork gets anew: connections, threads and locks.

Without this, parent and child would read each other's answers from the connections that both have
(pre-forking servers, multiprocessing), and a lock that another thread held at the fork would stay locked.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    def renew(self) -> None:
        """Called in the child, in its only thread, before the fork returns. It must not touch what the
        parent uses.
        """
        ...


_renewed: "weakref.WeakSet[Forked]" = weakref.WeakSet()


def renew_in_children(one: Forked) -> None:
    """Calls `renew` in each child process for as long as the object lives."""
    _renewed.add(one)


def _renew_all() -> None:
    for one in list(_renewed):
        one.renew()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
