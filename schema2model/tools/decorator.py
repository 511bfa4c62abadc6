"""`@tool`: a function becomes its tool."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, overload

from typing_extensions import TypeVar, Unpack

from schema2model.tools.signatures import Inject
from schema2model.tools.tool import Tool, ToolOptions

__all__ = ["tool"]

T = TypeVar("T")


class _Decorator(Protocol):
    """`@tool(...)` with options."""

    @overload
    def __call__(self, function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
    @overload
    def __call__(self, function: Callable[..., T], /) -> Tool[T]: ...


@overload
def tool(function: Callable[..., Coroutine[Any, Any, T]], /) -> Tool[T]: ...
@overload
def tool(function: Callable[..., T], /) -> Tool[T]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    inject: Inject = (),
    **options: Unpack[ToolOptions],
) -> _Decorator: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    inject: Inject = (),
    **options: Unpack[ToolOptions],
) -> Any:
    """Make a tool of the decorated function; with the options of `Tool`, if it is called.

    Raises:
        SchemaError: see `Tool`.
        TypeError: see `Tool`.

    >>> @tool
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> double.call({"number": "4"})
    8
    >>> @tool(name="half", coercion="off")
    ... def divide(number: float) -> float:
    ...     return number / 2
    >>> divide
    <Tool 'half'>

    """
    if function is not None:
        return Tool(function, name=name, description=description, inject=inject, **options)

    def decorate(function: Callable[..., Any]) -> Tool[Any]:
        return Tool(function, name=name, description=description, inject=inject, **options)

    return decorate
