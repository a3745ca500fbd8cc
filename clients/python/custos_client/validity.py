"""How long a decision may be acted upon.

It is for one immediate action: a halt or a pause that follows it has no effect on its answer.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Callable, Optional

from . import operations as ops
from .engine import Engine, read_json
from .http_types import Transport
from .models import Decision

# One that is no older is acted upon without asking again.
FRESH_SECONDS = 5.0
# Nothing begins so shortly before the decision expires.
MARGIN_SECONDS = 5.0


def start_timer(transport: Transport) -> Callable[[], float]:
    """Gives the seconds since this call, by the clock that has gone further.

    The monotonic one stands still while the machine sleeps, and the wall clock may be set back.
    """
    now, wall = transport.now(), time.time()
    return lambda: max(transport.now() - now, time.time() - wall)


# RFC 3339; fromisoformat reads more from Python 3.11 on.
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)


def _time(text: str) -> datetime:
    parts = _TIME.fullmatch(text)
    if parts is None:
        raise ValueError("no time of RFC 3339")
    whole, fraction, zone = parts.groups()
    # Before 3.11, fromisoformat reads no Z, and fractions of three or six digits only.
    micros = (fraction or ".")[1:].ljust(6, "0")[:6]
    return datetime.fromisoformat(f"{whole}.{micros}{'+00:00' if zone == 'Z' else zone}")


def life_seconds(decision: Decision) -> float:
    """By the two times of the service: the clock of this machine may be wrong.

    Raises ValueError or TypeError for what is no time.
    """
    evaluated, expires = (_time(text) for text in (decision.evaluated_at, decision.expires_at))
    return (expires - evaluated).total_seconds()


@dataclass(frozen=True)
class Judgement:
    """A decision, and the time since its question was sent: the decision is younger."""

    decision: Decision
    age_seconds: Callable[[], float]

    async def lapsed(self, engine: Engine) -> Optional[str]:
        """Why the decision may not be acted upon any more; None: it may, now.

        One that is not fresh, after a slow handler of an obligation, is asked about. Raises what the request
        raises.
        """
        age = self.age_seconds()
        if age >= life_seconds(self.decision) - MARGIN_SECONDS:
            return "has expired"
        if age < FRESH_SECONDS:
            return None
        decision_id = self.decision.decision_id
        answer = await engine.send(ops.DECISIONS_GET, {"decision_id": decision_id})
        record = read_json(ops.DECISIONS_GET, answer)
        # Everything but a clear yes is a no.
        if not isinstance(record, dict):
            return "can't be read"
        if record.get("stands") is True and record.get("decision_id") == decision_id:
            return None
        reason = record.get("stands_reason")
        return "does not stand any more" + (f" ({reason})" if isinstance(reason, str) else "")
