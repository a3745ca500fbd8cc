"""The default of members for which null is a value: a member that is not given is not sent."""

from __future__ import annotations

import enum


class Unset(enum.Enum):
    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset.UNSET
