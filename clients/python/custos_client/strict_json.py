"""Strict JSON:

RFC 8259 with the limits of I-JSON (RFC 7493). Refuses texts that other parsers read differently.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, List, Tuple

MAX_SAFE_INTEGER = 2**53 - 1
# What a request may have.
MAX_DEPTH = 64

# Strings, and brackets outside them. A string without an end is one, too: otherwise each of its quotes is
# tried, which takes hours for a long one.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{\]}]', re.DOTALL)


class StrictJsonError(ValueError):
    """The text is not strict JSON."""


def depth_of(text: str) -> int:
    """The nesting depth of a JSON text. Needed before parsing, because Python's parser recurses."""
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match.group()
        if token in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in "]}":
            depth -= 1
    return deepest


def parse(text: str, max_depth: int = MAX_DEPTH) -> Any:
    """Refuses duplicate members, lone surrogates, integers beyond 2^53-1, numbers beyond a double, more
    levels than `max_depth`.
    """
    if depth_of(text) > max_depth:
        raise StrictJsonError(f"nested deeper than {max_depth}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise StrictJsonError(str(error)) from None
    check_surrogates(text, value)
    return value


def check_surrogates(text: str, value: Any) -> None:
    """Raises for half of a surrogate pair, which has no UTF-8 form; escapes can hide one."""
    if not _is_well_formed(text):
        raise StrictJsonError("lone surrogate")
    if "\\u" not in text:
        return
    pending: List[Any] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str) and not _is_well_formed(one):
            raise StrictJsonError("lone surrogate")
        if isinstance(one, list):
            pending.extend(one)
        elif isinstance(one, dict):
            pending.extend(one)
            pending.extend(one.values())


def _is_well_formed(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise StrictJsonError("duplicate member")
    return members


def _integer(text: str) -> Any:
    # int() of a very long literal would be slow, and newer versions of Python refuse it.
    if len(text) > 17 or abs(int(text)) > MAX_SAFE_INTEGER:
        raise StrictJsonError("integer beyond 2^53-1")
    return -0.0 if text == "-0" else int(text)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise StrictJsonError("number out of range")
    return value


def _constant(text: str) -> Any:
    raise StrictJsonError(f"{text} is not JSON")
