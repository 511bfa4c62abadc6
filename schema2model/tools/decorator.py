"""`@tool`: a function becomes its tool."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, overload

from typing_extensions import TypeVar, Unpack

from schema2model.tools.developer_mistakes import require_options
from schema2model.tools.tool import FunctionOptions, Tool

__all__ = ["tool"]

T = TypeVar("T")


class _Decorator(Protocol):
    """The decorator with options."""

    @overload
    def __call__(self, function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
    @overload
    def __call__(self, function: Callable[..., T], /) -> Tool[T]: ...


@overload
def tool(function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
@overload
def tool(function: Callable[..., T], /) -> Tool[T]: ...
@overload
def tool(**options: Unpack[FunctionOptions]) -> _Decorator: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a tool of a function, as a decorator with or without options; see `Tool`.

    >>> @tool
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double.call({"number": "4"})
    8
    >>> @tool(name="halve", coercion="forgiving")
    ... def half(number: float) -> float:
    ...     return number / 2
    >>> half.name
    'halve'
    """
    require_options(options, FunctionOptions.__annotations__, "tool")
    if function is None:
        return lambda decorated: Tool(decorated, **options)
    return Tool(function, **options)
