"""Converts between JSON values and the dataclasses of `custos_client.models`."""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from typing import Any, Dict, List, Mapping, Tuple, Union

from .unset import UNSET


class DecodeError(ValueError):
    """A JSON value is not of the type that is expected."""


def wire_name(model: type, field: str) -> str:
    """The name of a field in JSON."""
    # `from_` is called so because `from` is a keyword.
    plain = field[:-1] if field.endswith("_") else field
    if not getattr(model, "is_camel_case", False):
        return plain
    return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), plain)


@dataclasses.dataclass(frozen=True)
class FieldInfo:
    name: str
    wire: str
    type: Any
    is_required: bool


@functools.lru_cache(maxsize=None)
def fields_of(model: type) -> Tuple[FieldInfo, ...]:
    hints = typing.get_type_hints(model)
    return tuple(
        FieldInfo(
            name=field.name,
            wire=wire_name(model, field.name),
            type=hints[field.name],
            is_required=field.default is dataclasses.MISSING,
        )
        for field in dataclasses.fields(model)
    )


def decode(hint: Any, value: Any, where: str = "the answer") -> Any:
    """Raises DecodeError unless the JSON value is of the type, or may be of a later version of the service.

    Members that the type does not have are ignored, and a member may be null whatever its type is.
    """
    origin = typing.get_origin(hint)
    if hint is Any:
        return value
    if origin is Union:
        return _decode_union(typing.get_args(hint), value, where)
    if origin is list:
        (item,) = typing.get_args(hint)
        _expect(isinstance(value, list), where, "a list")
        return [decode(item, element, f"{where}[{position}]") for position, element in enumerate(value)]
    if origin is dict:
        _, member = typing.get_args(hint)
        _expect(isinstance(value, dict), where, "an object")
        return {name: decode(member, one, f"{where}.{name}") for name, one in value.items()}
    if origin is typing.Literal:
        return _decode_literal(typing.get_args(hint), value, where)
    if dataclasses.is_dataclass(hint):
        return _decode_dataclass(hint, value, where)
    if _is_typed_dict(hint):
        return _check_typed_dict(hint, value, where)
    return _decode_scalar(hint, value, where)


def _decode_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is type(None):
        _expect(value is None, where, "null")
    elif hint is bool:
        _expect(isinstance(value, bool), where, "true or false")
    elif hint is int:
        _expect(isinstance(value, int) and not isinstance(value, bool), where, "an integer")
    elif hint is float:
        _expect(isinstance(value, (int, float)) and not isinstance(value, bool), where, "a number")
    elif hint is str:
        _expect(isinstance(value, str), where, "a text")
    else:
        raise TypeError(f"no decoder for {hint}")
    return value


def _decode_literal(choices: Tuple[Any, ...], value: Any, where: str) -> Any:
    # Another text of an enumeration is from a newer service. A single choice tells the variants of a union
    # apart.
    if len(choices) == 1 and not isinstance(choices[0], str):
        _expect(value is choices[0], where, repr(choices[0]))
    else:
        _expect(type(value) is type(choices[0]), where, f"a {type(choices[0]).__name__}")
    return value


def _decode_union(variants: Tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in variants:
        return None
    error = DecodeError(f"{where} is null")
    # The variant with most required members first: it is the most specific one.
    models = [variant for variant in variants if variant is not type(None)]
    for variant in sorted(models, key=_required_count, reverse=True):
        try:
            return decode(variant, value, where)
        except DecodeError as failure:
            error = failure
    raise error


def _required_count(hint: Any) -> int:
    return sum(one.is_required for one in fields_of(hint)) if dataclasses.is_dataclass(hint) else 0


def _decode_dataclass(model: Any, value: Any, where: str) -> Any:
    _expect(isinstance(value, dict), where, "an object")
    arguments: Dict[str, Any] = {}
    for field in fields_of(model):
        if field.wire in value:
            arguments[field.name] = _decode_member(field.type, value[field.wire], f"{where}.{field.wire}")
        elif field.is_required:
            raise DecodeError(f"{where} has no member {field.wire}")
    return model(**arguments)


def _decode_member(hint: Any, value: Any, where: str) -> Any:
    # In a later version a member may have no value in some cases.
    return None if value is None else decode(hint, value, where)


def _is_typed_dict(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, dict) and hasattr(hint, "__total__")


def _check_typed_dict(hint: Any, value: Any, where: str) -> Any:
    _expect(isinstance(value, dict), where, "an object")
    for name, member in typing.get_type_hints(hint).items():
        if name in value:
            _decode_member(member, value[name], f"{where}.{name}")
        elif name in hint.__required_keys__:
            raise DecodeError(f"{where} has no member {name}")
    return value


def _expect(holds: bool, where: str, what: str) -> None:
    if not holds:
        raise DecodeError(f"{where} is not {what}")


def encode_value(value: Any) -> Any:
    """The JSON value of an instance of a dataclass, or of JSON data, which stays as it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((field, getattr(value, field.name)) for field in fields_of(type(value)))
        return {
            field.wire: _encode_as_hint(field.type, member)
            for field, member in members
            # One that is required is null in an answer of a later version.
            if member is not UNSET and (member is not None or field.is_required or _takes_null(field))
        }
    if isinstance(value, (list, tuple)):
        return [encode_value(element) for element in value]
    return value


def encode_as(model: type, members: Mapping[str, Any]) -> Dict[str, Any]:
    """The JSON object of a dataclass, given by its fields or by their names in JSON.

    None is left out where null is no value.
    """
    known: Dict[str, FieldInfo] = {}
    for field in fields_of(model):
        known[field.name] = known[field.wire] = field
    encoded: Dict[str, Any] = {}
    for name, value in members.items():
        found = known.get(name)
        if found is None:
            raise TypeError(f"{model.__name__} has no member {name}")
        if value is UNSET or (value is None and not _takes_null(found)):
            continue
        encoded[found.wire] = _encode_as_hint(found.type, value)
    missing = [field.name for field in fields_of(model) if field.is_required and field.wire not in encoded]
    if missing:
        raise TypeError(f"{model.__name__} needs {missing[0]}")
    return encoded


def _takes_null(field: FieldInfo) -> bool:
    variants = typing.get_args(field.type)
    return type(None) in variants and (field.is_required or type(UNSET) in variants)


def _encode_as_hint(hint: Any, value: Any) -> Any:
    models = _models_in(hint)
    if len(models) == 1:
        if isinstance(value, Mapping):
            return encode_as(models[0], value)
        if isinstance(value, (list, tuple)):
            return [_encode_as_hint(models[0], element) for element in value]
    return encode_value(value)


def _models_in(hint: Any) -> List[Any]:
    """The dataclass of a type hint such as Optional[List[Model]]; empty for free-form values."""
    if dataclasses.is_dataclass(hint):
        return [hint]
    if typing.get_origin(hint) in (Union, list):
        return [model for argument in typing.get_args(hint) for model in _models_in(argument)]
    return []
