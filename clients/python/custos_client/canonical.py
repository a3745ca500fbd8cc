"""Canonical JSON (RFC 8785, JSON Canonicalization Scheme): the one text of a JSON value, so that digests
agree.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, List, Mapping

from .strict_json import MAX_SAFE_INTEGER


class NotJsonError(ValueError):
    """The value can not be expressed in JSON without loss."""


def canonicalize(value: Any) -> str:
    """The canonical JSON text of a value made of dict, list, tuple, str, int, float, bool and None.

    Raises NotJsonError for other types (also subclasses), NaN and infinities, integers beyond 2^53-1, member
    names that are not texts, lone surrogates and cycles.
    """
    parts: List[str] = []
    _write(value, parts, [])
    return "".join(parts)


def digest_of(value: Any) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical JSON."""
    return "sha256:" + hashlib.sha256(canonicalize(value).encode("utf-8")).hexdigest()


# All that a model reads of a tool before a call.
_DEFINITION = ("name", "description", "inputSchema", "annotations")


def definition_digest(definition: Mapping[str, Any]) -> str:
    """The digest of a tool as an MCP server lists it, which a catalogue pins in `definition`.

    It covers `name`, `description`, `inputSchema` and `annotations`. Members that are absent are left out;
    None is null. Raises NotJsonError for what JSON can't express, and for what has no name: all objects that
    have only other members would have one digest.
    """
    if not isinstance(definition, Mapping) or not isinstance(definition.get("name"), str):
        raise NotJsonError("the definition of a tool is an object with a name")
    return digest_of({name: definition[name] for name in _DEFINITION if name in definition})


def _write(value: Any, parts: List[str], ancestors: List[int]) -> None:
    kind = type(value)
    if value is None or kind is bool:
        parts.append({None: "null", True: "true", False: "false"}[value])
    elif kind is str:
        parts.append(_string(value))
    elif kind is int:
        if abs(value) > MAX_SAFE_INTEGER:
            raise NotJsonError(f"the integer {value:.3e} is beyond 2^53-1")
        parts.append(str(value))
    elif kind is float:
        parts.append(_number(value))
    elif kind in (dict, list, tuple):
        if id(value) in ancestors:
            raise NotJsonError("a cycle is not JSON")
        # Python's own limit on recursion would end in another error; the service allows 64 levels.
        if len(ancestors) > 200:
            raise NotJsonError("nested too deeply")
        ancestors.append(id(value))
        if kind is dict:
            _write_object(value, parts, ancestors)
        else:
            _write_array(value, parts, ancestors)
        ancestors.pop()
    else:
        raise NotJsonError(f"a value of type {kind.__name__} is not JSON")


def _write_array(value: Any, parts: List[str], ancestors: List[int]) -> None:
    parts.append("[")
    for position, element in enumerate(value):
        if position > 0:
            parts.append(",")
        _write(element, parts, ancestors)
    parts.append("]")


def _write_object(value: Any, parts: List[str], ancestors: List[int]) -> None:
    for name in value:
        if type(name) is not str:
            raise NotJsonError(f"a member name of type {type(name).__name__} is not JSON")
    parts.append("{")
    # RFC 8785 section 3.2.3: by UTF-16 code units, which is another order than that of code points.
    for position, name in enumerate(sorted(value, key=_utf16)):
        if position > 0:
            parts.append(",")
        parts.append(_string(name))
        parts.append(":")
        _write(value[name], parts, ancestors)
    parts.append("}")


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _string(value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise NotJsonError("a lone surrogate is not JSON") from None
    # The escapes of section 3.2.2.2 are those of Python: two characters where there is such a form, else
    # \u00xx.
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """ECMAScript's Number::toString (ECMA-262 section 6.1.6.1.20), as RFC 8785 section 3.2.2.3 prescribes."""
    if math.isnan(value) or math.isinf(value):
        raise NotJsonError(f"{value} is not JSON")
    if value == 0:
        return "0"
    # repr() gives the shortest digits that read back as the same double, as ECMAScript does.
    mantissa, _, exponent_text = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    # The value is 0.<digits> times ten to the power of `point`.
    point = len(whole) + int(exponent_text or "0")
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    digits, point = digits[leading:].rstrip("0"), point - leading
    return ("-" if value < 0 else "") + _place(digits, point)


def _place(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    tail = f"e{'+' if exponent > 0 else '-'}{abs(exponent)}"
    return digits[0] + (f".{digits[1:]}" if count > 1 else "") + tail
