"""The decorators `guard`: a function of the caller becomes a guarded tool."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Mapping, Sequence, TypeVar

from .blocking_transport import run_blocking
from .guard_core import GuardCore
from .models import Decision

F = TypeVar("F", bound=Callable[..., Any])

MakeCore = Callable[[str], GuardCore]


class Signature:
    """Turns a call into named arguments, and changed arguments back into a call."""

    def __init__(self, function: Callable[..., Any], hidden: Sequence[str], decision_parameter: str) -> None:
        """`hidden` parameters are passed on without being judged; `decision_parameter` gets the decision."""
        self._signature = inspect.signature(function)
        self._hidden = set(hidden)
        self._decision = decision_parameter
        for name in [*hidden, *([decision_parameter] if decision_parameter else [])]:
            if name not in self._signature.parameters:
                raise TypeError(f"{function.__name__} has no parameter {name}")

    def shown(self) -> inspect.Signature:
        """Without the parameter of the decision: frameworks read here what a model has to give."""
        names = self._signature.parameters
        return self._signature.replace(parameters=[names[name] for name in names if name != self._decision])

    def bind(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> inspect.BoundArguments:
        """Raises TypeError as a call of the function would."""
        given = {self._decision: None, **keywords} if self._decision else keywords
        bound = self._signature.bind(*arguments, **given)
        bound.apply_defaults()
        return bound

    def judged(self, bound: inspect.BoundArguments) -> Dict[str, Any]:
        """The arguments by name; those of `**keywords` beside the others."""
        judged: Dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if name in self._hidden or name == self._decision:
                continue
            members = value if self._is_keywords(name) else {name: value}
            for member, one in members.items():
                if member in judged:
                    raise TypeError(f"two arguments are called {member}")
                judged[member] = one
        return judged

    def fill(
        self, bound: inspect.BoundArguments, judged: Mapping[str, Any], decision: Decision
    ) -> inspect.BoundArguments:
        """The call with these arguments in place of the judged ones."""
        rest = dict(judged)
        for name in list(bound.arguments):
            if name == self._decision:
                bound.arguments[name] = decision
            elif name not in self._hidden and not self._is_keywords(name):
                if name not in rest:
                    raise TypeError(f"the argument {name} is missing")
                bound.arguments[name] = rest.pop(name)
        for name in bound.arguments:
            if self._is_keywords(name):
                bound.arguments[name], rest = rest, {}
        if rest:
            raise TypeError(f"the function has no argument {next(iter(rest))}")
        return bound

    def _is_keywords(self, name: str) -> bool:
        return self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD


def guard_function(
    make: MakeCore, name: str, hidden: Sequence[str], decision_parameter: str
) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        if inspect.iscoroutinefunction(function) or _is_generator(function):
            raise TypeError(
                "a function of Custos.guard is an ordinary one; for `async def` there is AsyncCustos.guard"
            )
        core = make(_name_of(function, name))
        signature = Signature(function, hidden, decision_parameter)

        @functools.wraps(function)
        def guarded(*arguments: Any, **keywords: Any) -> Any:
            bound = signature.bind(arguments, keywords)

            def prepare(judged: Dict[str, Any], decision: Decision) -> Callable[[], Any]:
                filled = signature.fill(bound, judged, decision)
                return lambda: function(*filled.args, **filled.kwargs)

            return run_blocking(core.run(signature.judged(bound), prepare))

        result: Any = guarded
        result.__signature__ = signature.shown()
        return result  # type: ignore[no-any-return]

    return decorate


def guard_coroutine(
    make: MakeCore, name: str, hidden: Sequence[str], decision_parameter: str
) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(
                "a function of AsyncCustos.guard is an `async def`; for others there is Custos.guard"
            )
        core = make(_name_of(function, name))
        signature = Signature(function, hidden, decision_parameter)

        @functools.wraps(function)
        async def guarded(*arguments: Any, **keywords: Any) -> Any:
            bound = signature.bind(arguments, keywords)

            def prepare(judged: Dict[str, Any], decision: Decision) -> Callable[[], Any]:
                filled = signature.fill(bound, judged, decision)
                return lambda: function(*filled.args, **filled.kwargs)

            return await core.run(signature.judged(bound), prepare)

        result: Any = guarded
        result.__signature__ = signature.shown()
        return result  # type: ignore[no-any-return]

    return decorate


def _name_of(function: Callable[..., Any], given: str) -> str:
    name = given or getattr(function, "__name__", "")
    if not name:
        raise TypeError("a function without a name, such as a partial, needs name=")
    return str(name)


def _is_generator(function: Callable[..., Any]) -> bool:
    # It runs when its result is read, which is after the guard has reported it.
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
