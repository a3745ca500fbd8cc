"""Strict decoders for proofs: a value has one accepted encoding, so that a changed character is a changed
value.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Dict, Optional, Sequence

from ..errors import ReceiptError
from ..strict_json import MAX_SAFE_INTEGER, StrictJsonError
from ..strict_json import parse as parse_strict

MAX_BYTES = 2 * 1_048_576
_TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.[0-9]{3}Z")


def malformed(what: str) -> ReceiptError:
    return ReceiptError("MALFORMED", what)


def base64_bytes(text: Any) -> Optional[bytes]:
    """Standard base64 with padding, unused bits zero (RFC 4648 section 4)."""
    if not isinstance(text, str) or len(text) % 4 != 0 or re.fullmatch("[A-Za-z0-9+/]*={0,2}", text) is None:
        return None
    try:
        decoded = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    # The decoder ignores unused bits; encoding again reveals them.
    return decoded if base64.b64encode(decoded).decode("ascii") == text else None


def hash_bytes(text: Any) -> Optional[bytes]:
    """64 lower-case hex digits."""
    if not isinstance(text, str) or re.fullmatch("[0-9a-f]{64}", text) is None:
        return None
    return bytes.fromhex(text)


def decimal(text: str) -> Optional[int]:
    """A whole number below 2^53 without leading zeros."""
    if re.fullmatch("0|[1-9][0-9]{0,15}", text) is None:
        return None
    value = int(text)
    return value if value <= MAX_SAFE_INTEGER else None


def count(value: Any) -> Optional[int]:
    """A JSON number that is a whole number from 0 to 2^53-1. `6.0` is the number 6, and `-0` is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and (not value.is_integer() or str(value).startswith("-")):
        return None
    return int(value) if 0 <= value <= MAX_SAFE_INTEGER else None


def is_time(text: Any) -> bool:
    """`YYYY-MM-DDTHH:mm:ss.sssZ`, and there is such a time (year 0 is a leap year)."""
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in match.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1] and hour <= 23 and minute <= 59 and second <= 59


def utf16_length(text: str) -> int:
    """The service counts texts in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_well_formed(text: str) -> bool:
    """No half of a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def text_of(value: Any, what: str) -> str:
    """A text from str or UTF-8 bytes, of at most 2 MB."""
    if isinstance(value, (bytes, bytearray)):
        try:
            value = bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise malformed(f"{what} is not UTF-8.") from None
    if not isinstance(value, str) or not is_well_formed(value):
        raise malformed(f"{what} is not a text.")
    if len(value) > MAX_BYTES or len(value.encode("utf-8")) > MAX_BYTES:
        raise malformed(f"{what} is larger than {MAX_BYTES} bytes.")
    return value


def parse_json(text: str, what: str) -> Any:
    try:
        return parse_strict(text)
    except StrictJsonError as error:
        raise malformed(f"{what} is not valid JSON: {error}.") from None


def exact_members(value: Any, what: str, names: Sequence[str]) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise malformed(f"{what} is not a JSON object.")
    for name in value:
        if name not in names:
            raise malformed(f"{what} has a member {name!r} that it may not have.")
    for name in names:
        if name not in value:
            raise malformed(f"{what} has no member {name!r}.")
    return value
