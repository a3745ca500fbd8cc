"""One operation of the API as data, and the request that it becomes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Generic, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from .codec import encode_as, encode_value

T = TypeVar("T")

_Names = Tuple[Tuple[str, str], ...]


@dataclass(frozen=True)
class Operation(Generic[T]):
    method: str
    path: str
    # Name of the argument in Python, name on the wire.
    path_arguments: _Names
    query_arguments: _Names
    # A dataclass whose fields are arguments, or the name of the argument that is the whole body.
    body: Union[None, str, type]
    # The type hint of the answer.
    answer: Any
    # Those with such an answer.
    statuses: Tuple[int, ...]
    is_text: bool

    @property
    def may_repeat_after_break(self) -> bool:
        """Whether to repeat a request that may have been carried out: a POST has an Idempotency-Key.
        A PATCH could undo what somebody else did in between, and the end of a halt could end another one."""
        return self.method != "PATCH" and self.name != "DELETE /v1/halt"

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def target(self, values: Mapping[str, Any]) -> str:
        """Path and query. Raises ValueError for an id that would address something else."""
        path = self.path
        for argument, wire in self.path_arguments:
            value = values[argument]
            # An empty id would address the list, and "." is removed by URL normalisation.
            if not isinstance(value, str) or value in ("", ".", ".."):
                raise ValueError(f"{argument} must be a text that is not empty")
            path = path.replace("{" + wire + "}", quote(value, safe=""))
        pairs = [(wire, values.get(argument)) for argument, wire in self.query_arguments]
        given = [(wire, _query_text(value)) for wire, value in pairs if value is not None]
        return f"{path}?{urlencode(given)}" if given else path

    def body_text(self, values: Mapping[str, Any]) -> Optional[str]:
        """The JSON text of the body. Raises TypeError or ValueError for what JSON can't express."""
        if self.body is None:
            return None
        if isinstance(self.body, str):
            return dump(encode_value(values[self.body]))
        not_of_body = {argument for argument, _ in self.path_arguments + self.query_arguments}
        members: Dict[str, Any] = {name: value for name, value in values.items() if name not in not_of_body}
        return dump(encode_as(self.body, members))


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
