"""The base of the generated resources."""

from __future__ import annotations

from typing import Any, AsyncIterator, Iterator, List, Mapping, Optional, TypeVar

from .blocking_transport import run_blocking
from .engine import Engine
from .operation import Operation

T = TypeVar("T")


class Resource:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _call(self, operation: Operation[T], **values: Any) -> T:
        return run_blocking(self._engine.call(operation, values))

    def _items(self, operation: Operation[Any], **values: Any) -> List[Any]:
        return list(run_blocking(self._engine.call(operation, values)).items)

    def _iterate(self, operation: Operation[Any], **values: Any) -> Iterator[Any]:
        page = Page(values)
        while not page.is_last:
            yield from page.take(run_blocking(self._engine.call(operation, page.values())))


class AsyncResource:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def _call(self, operation: Operation[T], **values: Any) -> T:
        return await self._engine.call(operation, values)

    async def _items(self, operation: Operation[Any], **values: Any) -> List[Any]:
        return list((await self._engine.call(operation, values)).items)

    async def _iterate(self, operation: Operation[Any], **values: Any) -> AsyncIterator[Any]:
        page = Page(values)
        while not page.is_last:
            for item in page.take(await self._engine.call(operation, page.values())):
                yield item


class Page:
    """The place in a list: which page comes next."""

    def __init__(self, filters: Mapping[str, Any]) -> None:
        self._filters = filters
        self._cursor: Optional[str] = None
        self.is_last = False

    def values(self) -> Mapping[str, Any]:
        return {**self._filters, "cursor": self._cursor}

    def take(self, answer: Any) -> Any:
        # A cursor that comes twice would never end.
        self.is_last = answer.next_cursor is None or answer.next_cursor == self._cursor
        self._cursor = answer.next_cursor
        return answer.items
