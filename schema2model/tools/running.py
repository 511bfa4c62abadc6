"""Runs prepared calls: what is injected, who is told, and how large the result is."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic_core import to_json
from typing_extensions import TypedDict

from schema2model.coercions import Coercion
from schema2model.errors import ToolError
from schema2model.values import quoted

if TYPE_CHECKING:
    from schema2model.tools.preparing import Prepared
    from schema2model.tools.tool import Tool

__all__ = [
    "LARGE_RESULT",
    "LOGGER",
    "Conduct",
    "Execution",
    "Observer",
    "ToolOptions",
    "arun",
    "conduct",
    "run",
]

LOGGER = logging.getLogger("schema2model")

LARGE_RESULT = 50_000
"""Characters of a result's JSON that are worth a warning: some ten thousand tokens."""


class Execution(Protocol):
    """One execution of a tool's function, as an observer sees it."""

    def __enter__(self) -> object:
        """The function runs from now on, or what it returned is awaited, in this context."""

    def __exit__(self, *error: object) -> None:
        """It does not, for now or for good."""

    def finished(self, error: BaseException | None) -> object:
        """It is over, once and for all: with a result, or with what was raised."""


class Observer(Protocol):
    """Who is told of all calls of a tool, and of each from its beginning to its end."""

    def prepared(self, prepared: Prepared) -> object:
        """The arguments of a call are valid."""

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> object:
        """The arguments of a call are not valid; they and `call` are what `prepare` was given."""

    def started(self, prepared: Prepared) -> Execution:
        """The function is about to be called."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What happens around a call. Who is told is told in the caller's thread, and not awaited.

    `on_prepared(prepared)` is called when the arguments are valid, `on_started(prepared)` just
    before the function is, `on_finished(prepared, result, error)` after it, with the exception as
    `error` where it raised one. An `observer` is told of refused calls too, and can tell which end
    belongs to which beginning. Results above `warn_above` characters of JSON are warned of, those
    above `truncate_above` cut to as many.
    """

    on_prepared: Callable[[Prepared], object] | None = None
    on_started: Callable[[Prepared], object] | None = None
    on_finished: Callable[[Prepared, Any, BaseException | None], object] | None = None
    observer: Observer | None = None
    warn_above: int | None = LARGE_RESULT
    truncate_above: int | None = None


class ToolOptions(TypedDict, total=False):
    """Options of every way to make a tool: those of `compile_schema`, and of `Conduct`."""

    coercion: str | Coercion
    dialect: str | None
    formats: Literal["annotate", "assert"] | None
    on_prepared: Callable[[Prepared], object] | None
    on_started: Callable[[Prepared], object] | None
    on_finished: Callable[[Prepared, Any, BaseException | None], object] | None
    observer: Observer | None
    warn_above: int | None
    truncate_above: int | None


_COMPILING = frozenset({"coercion", "dialect", "formats"})


def conduct(options: ToolOptions) -> Conduct:
    """The part of a tool's options that is about its calls.

    Raises:
        TypeError: for an option that is none.

    """
    chosen: Any = {name: value for name, value in options.items() if name not in _COMPILING}
    return Conduct(**chosen)


def run(prepared: Prepared, injected: Mapping[str, Any], *, as_is: bool = False) -> Any:
    """Call the function of a prepared call.

    `as_is` is for frameworks: results may be objects of theirs, and awaitables.

    Raises:
        TypeError: where the tool has no function or an asynchronous one, an injected value is
            missing, or the result has no JSON.

    """
    parameters = prepared.tool.parameters
    if parameters is not None and parameters.asynchronous and not as_is:
        raise _asynchronous(prepared)
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
        if not inspect.isawaitable(result):
            result = _measured(prepared, result, as_is=as_is)
        elif as_is:
            return _awaited(prepared, result, execution, as_is=True)
        else:
            raise _asynchronous(prepared, result)  # noqa: TRY301 - it finishes the call, too
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    _finished(prepared, execution, result, None)
    return result


async def arun(prepared: Prepared, injected: Mapping[str, Any], *, as_is: bool = False) -> Any:
    """Call the function of a prepared call and await its result, if that is awaitable.

    Raises:
        TypeError: where the tool has no function, an injected value is missing, or the result
            has no JSON.

    """
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    return await _awaited(prepared, result, execution, as_is=as_is)


async def _awaited(
    prepared: Prepared, result: Any, execution: Execution | None, *, as_is: bool
) -> Any:
    try:
        if isinstance(result, Awaitable):
            if execution is None:
                result = await result
            else:
                with execution:
                    result = await result
        result = _measured(prepared, result, as_is=as_is)
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    _finished(prepared, execution, result, None)
    return result


def _asynchronous(prepared: Prepared, result: object = None) -> TypeError:
    if inspect.iscoroutine(result):
        result.close()
    return TypeError(f"`{prepared.tool.name}` is asynchronous; use `await tool.acall(...)`")


def _started(
    prepared: Prepared, injected: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Execution | None]:
    """What to call, with what, and who watches over it."""
    tool = prepared.tool
    if tool.parameters is None:
        message = (
            f"`{tool.name}` has no function to call; pass one to Tool.from_schema, or hand "
            "`prepared.arguments` to whoever runs the tool"
        )
        raise TypeError(message)
    tool.parameters.check(tool.name, injected)
    args, kwargs = prepared.complete(injected)
    if tool.conduct.on_started is not None:
        tool.conduct.on_started(prepared)
    function = tool.parameters.function
    if tool.conduct.observer is None:
        return function, args, kwargs, None
    execution = tool.conduct.observer.started(prepared)
    return _within(execution, function), args, kwargs, execution


def _within(execution: Execution, function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        with execution:
            return function(*args, **kwargs)

    return called


def _finished(
    prepared: Prepared, execution: Execution | None, result: Any, error: BaseException | None
) -> None:
    tool = prepared.tool
    if isinstance(error, ToolError):
        LOGGER.debug("`%s` answered with an error: %s", tool.name, error)
    if execution is not None:
        execution.finished(error)
    if tool.conduct.on_finished is not None:
        tool.conduct.on_finished(prepared, result, error)


def _measured(prepared: Prepared, result: Any, *, as_is: bool) -> Any:
    """The result, or as much of it as is allowed; its size goes to the log."""
    name, conduct = prepared.tool.name, prepared.tool.conduct
    try:
        if isinstance(result, Iterator):  # which writing would use up
            message = "an iterator"
            raise TypeError(message)  # noqa: TRY301 - the same advice follows
        text = to_json(result).decode()
    except (ValueError, TypeError) as error:
        if as_is:
            LOGGER.debug("`%s` returned a %s, which has no JSON", name, type(result).__name__)
            return result
        message = (
            f"the result of `{name}` has no JSON ({quoted(str(error))}); return JSON values, "
            "dataclasses or pydantic models"
        )
        raise TypeError(message) from error
    size = len(text)
    LOGGER.debug("`%s` returned %d characters", name, size)
    if conduct.warn_above is not None and size > conduct.warn_above:
        LOGGER.warning(
            "`%s` returned %d characters, more than %d; a model has to read all of them",
            name,
            size,
            conduct.warn_above,
        )
    text = result if isinstance(result, str) else text
    limit = conduct.truncate_above
    if limit is None or len(text) <= limit:
        return result
    return f"{text[:limit]}… [truncated: {len(text) - limit} of {len(text)} characters left out]"
