"""Runs the function of a prepared call, notifies observers, and checks the result's size."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Protocol

from pydantic_core import to_json

from schema2model.errors import ToolError
from schema2model.json.quoting import printable, quoted
from schema2model.logs import logger_named
from schema2model.tools.result_text import result_text
from schema2model.tools.tool_parts import bound_of, parts_of

__all__ = ["LOGGER", "Execution", "arun", "run", "text_for_model"]

LOGGER = logger_named("schema2model")


class Execution(Protocol):
    """One execution of a tool's function, as an observer sees it."""

    def __enter__(self) -> object:
        """From now on the function runs, or what it returned is awaited, in this context."""

    def __exit__(self, *error: object) -> None:
        """It has stopped. It may go on later: a function returns, and its result is awaited."""

    def finished(self, error: BaseException | None) -> object:
        """It is over, with a result or with what was raised. This is called exactly once."""


class _Prepared(Protocol):
    """As much of a prepared call as running needs."""

    @property
    def tool(self) -> Any: ...


def run(prepared: _Prepared, injected: Mapping[str, Any], *, as_is: bool = False) -> Any:
    """Call the function of a prepared call.

    `as_is` is for frameworks: results may be objects of theirs, and awaitables.

    Raises:
        TypeError: if the tool has no function or an asynchronous one, or an injected value is
            missing.

    """
    if prepared.tool.asynchronous and not as_is:
        raise _not_awaited(prepared)
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
        if not inspect.isawaitable(result):
            result = _measured(prepared, result, as_is=as_is)
        elif as_is:
            return _awaited(prepared, result, execution, as_is=True)
        else:
            raise _not_awaited(prepared, result)  # noqa: TRY301 - it finishes the call, too
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    _finished(prepared, execution, result, None)
    return result


async def arun(prepared: _Prepared, injected: Mapping[str, Any], *, as_is: bool = False) -> Any:
    """Call the function of a prepared call and await its result, if that is awaitable.

    Raises:
        TypeError: if the tool has no function, or an injected value is missing.

    """
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    return await _awaited(prepared, result, execution, as_is=as_is)


async def _awaited(
    prepared: _Prepared, result: Any, execution: Execution | None, *, as_is: bool
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


def _not_awaited(prepared: _Prepared, result: object = None) -> TypeError:
    if inspect.iscoroutine(result):
        result.close()
    return TypeError(
        f"`{printable(prepared.tool.name)}` is asynchronous; use `await tool.acall(...)`"
    )


def _started(
    prepared: _Prepared, injected: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Execution | None]:
    """Return the function, its arguments, and the execution that observers get."""
    tool = parts_of(prepared.tool)
    if tool.parameters is None:
        message = (
            f"`{printable(tool.name)}` has no function to call; pass one to "
            "Tool.from_definition, or hand `prepared.arguments` to whoever runs the tool"
        )
        raise TypeError(message)
    tool.parameters.check(tool.name, injected)
    args, kwargs = tool.arrange(bound_of(prepared), injected)
    if tool.conduct.on_started is not None:
        tool.conduct.on_started(prepared)
    function = tool.parameters.function
    if tool.conduct.observer is None:
        return function, args, kwargs, None
    execution: Execution = tool.conduct.observer.started(prepared)
    return _within(execution, function), args, kwargs, execution


def _within(execution: Execution, function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        with execution:
            return function(*args, **kwargs)

    return called


def _finished(
    prepared: _Prepared, execution: Execution | None, result: Any, error: BaseException | None
) -> None:
    tool = parts_of(prepared.tool)
    if isinstance(error, ToolError):
        LOGGER.debug("`%s` answered with an error: %s", tool.name, error)
    if execution is not None:
        execution.finished(error)
    if tool.conduct.on_finished is not None:
        tool.conduct.on_finished(prepared, result, error)


def _measured(prepared: _Prepared, result: Any, *, as_is: bool) -> Any:
    """The result, or as much of it as is allowed; its size goes to the log."""
    name, conduct = prepared.tool.name, parts_of(prepared.tool).conduct
    try:
        if isinstance(result, Iterator):  # which writing would use up
            message = "an iterator"
            raise TypeError(message)  # noqa: TRY301 - the same advice follows
        text = to_json(result).decode()
    except (ValueError, TypeError) as error:
        # the function has run: its result is not lost, whatever it is
        kind, reason = type(result).__name__, quoted(str(error))
        LOGGER.log(
            logging.DEBUG if as_is else logging.WARNING,
            "`%s` returned a %s, which has no JSON form: %s",
            name,
            kind,
            reason,
        )
        return result
    size = len(text)
    LOGGER.debug("`%s` returned %d characters", name, size)
    if conduct.warn_above is not None and size > conduct.warn_above:
        LOGGER.warning(
            "`%s` returned %d characters, more than %d; a model has to read all of them",
            name,
            size,
            conduct.warn_above,
        )
    shown = _truncated(prepared, result if isinstance(result, str) else text)
    return shown if isinstance(result, str) or (as_is and shown != text) else result


def text_for_model(prepared: _Prepared, result: Any) -> str:
    """Return the result of a call as text, no longer than `truncate_above` and a note."""
    text = result_text(result)  # `run` has truncated a result that is text
    return text if isinstance(result, str) else _truncated(prepared, text)


def _truncated(prepared: _Prepared, text: str) -> str:
    limit = parts_of(prepared.tool).conduct.truncate_above
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}… [truncated: {len(text) - limit} of {len(text)} characters left out]"
