"""The records of the log, from their canonical bytes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

from ..canonical import NotJsonError, canonicalize
from ..strict_json import MAX_SAFE_INTEGER, depth_of
from .encoding import hash_bytes, is_time

NO_PREVIOUS = "0" * 64
# A request may nest 64 levels, and the record wraps its payload in two more.
MAX_DEPTH = 80
_MEMBERS = {"agentId", "eventType", "occurredAt", "payload", "previousHash"}
_PAYLOAD_MEMBERS = {"body", "environment", "organisation", "proofId"}


@dataclass(frozen=True)
class Record:
    """What a leaf of the log says."""

    # The entity that the record concerns.
    agent_id: str
    event_type: str
    # RFC 3339, UTC, milliseconds.
    occurred_at: str
    body: Any
    environment: str
    organisation: str
    proof_id: str
    # Event hash of the entity's previous record, lower-case hex; 64 zeros for the first.
    previous_hash: str

    def is_of_log(self, origin: str) -> bool:
        """An origin is `<host>/<organisation>/<environment>`, then a number from 2 on for each time the log
        began anew.
        """
        rest = re.sub(r"/(?:[2-9]|[1-9][0-9]+)\Z", "", origin)
        end = f"/{self.organisation}/{self.environment}"
        return rest.endswith(end) and len(rest) > len(end)


def read_record(data: bytes) -> Union[Record, str]:
    """The record, or why there is none: the end of a sentence that begins "The record"."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8"
    if depth_of(text) > MAX_DEPTH:
        return "is nested too deeply"
    try:
        value = json.loads(text, parse_int=_number, parse_constant=_constant)
    except (ValueError, RecursionError):
        return "is not JSON"
    try:
        # Reveals duplicate members and other spellings, which the parser accepts.
        if canonicalize(value) != text:
            return "is JSON, but not canonical (RFC 8785)"
    except NotJsonError:
        return "is not canonical JSON (RFC 8785)"
    return _record_of(value)


def _record_of(value: Any) -> Union[Record, str]:
    if not isinstance(value, dict) or set(value) != _MEMBERS:
        return "has not exactly its five members"
    payload = value["payload"]
    texts: Dict[str, Optional[str]] = {name: _text(value[name]) for name in _MEMBERS - {"payload"}}
    if texts["agentId"] is None or texts["eventType"] is None:
        return "names no entity or event"
    if not is_time(texts["occurredAt"]):
        return "has no valid time"
    if hash_bytes(texts["previousHash"]) is None:
        return "has no previous hash"
    if not isinstance(payload, dict) or set(payload) != _PAYLOAD_MEMBERS:
        return "has a payload without exactly its four members"
    if not all(isinstance(payload[name], str) for name in _PAYLOAD_MEMBERS - {"body"}):
        return "names no environment, organisation or proof"
    return Record(
        agent_id=value["agentId"],
        event_type=value["eventType"],
        occurred_at=value["occurredAt"],
        body=payload["body"],
        environment=payload["environment"],
        organisation=payload["organisation"],
        proof_id=payload["proofId"],
        previous_hash=value["previousHash"],
    )


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _number(text: str) -> Union[int, float]:
    """As JavaScript reads it: a double. Integers that a double has exactly stay integers."""
    return int(text) if len(text) <= 17 and abs(int(text)) <= MAX_SAFE_INTEGER else float(text)


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")
