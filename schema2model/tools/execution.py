"""Run the function of a prepared call, and notify observers."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from schema2model.errors import ToolError
from schema2model.json.quoting import printable
from schema2model.logs import logger_named
from schema2model.tools.parameters import InstanceArguments
from schema2model.tools.result_writing import collected, result_json, result_text

__all__ = [
    "LOGGER",
    "Execution",
    "ExecutionObserver",
    "HookObserver",
    "arun",
    "require_runnable",
    "run",
    "text_for_model",
]

LOGGER = logger_named("schema2model")

_PLAIN = frozenset((str, int, float, bool, type(None), dict, list))
"""Types of results that are not awaitable, without asking abstract classes."""


class Execution(Protocol):
    """One execution of a tool's function, as an observer sees it."""

    def __enter__(self) -> object:
        """Enter the context in which the function runs, or its result is awaited."""

    def __exit__(self, *error: object) -> None:
        """Leave it; it may be entered again, to await the result of the function."""

    def finished(self, error: BaseException | None) -> object:
        """Note the end of the execution, and the exception if one was raised; called once."""


@dataclass(frozen=True, slots=True)
class HookObserver:
    """The observer that the hooks of `ToolOptions` make, around the one that is given with them."""

    observer: Any = None
    on_prepared: Callable[[Any], object] | None = None
    on_started: Callable[[Any], object] | None = None
    on_finished: Callable[[Any, Any, BaseException | None], object] | None = None

    def prepared(self, prepared: Any) -> None:
        """Call the observer, then the hook."""
        if self.observer is not None:
            self.observer.prepared(prepared)
        if self.on_prepared is not None:
            _call_hook(self.on_prepared, prepared)

    def refused(self, tool: Any, arguments: Any, call: Any, error: ToolError) -> None:
        """Call the observer; no hook is for refused calls."""
        if self.observer is not None:
            self.observer.refused(tool, arguments, call, error)

    def started(self, prepared: Any) -> Execution | None:
        """Call the hook, then the observer; None if nothing observes the execution."""
        if self.on_started is not None:
            _call_hook(self.on_started, prepared)
        execution = None if self.observer is None else self.observer.started(prepared)
        if self.on_finished is None:
            return execution
        return _HookedExecution(prepared, execution, self.on_finished)


def _call_hook(hook: Callable[[Any], object], prepared: Any) -> None:
    """Call a hook before the function runs; arguments that it changes are validated again."""
    hook(prepared)
    prepared._settle()


class _HookedExecution:
    """An execution that calls `on_finished` after its observer's own execution has finished."""

    __slots__ = ("_on_finished", "_prepared", "inner", "result")

    def __init__(
        self,
        prepared: Any,
        execution: Execution | None,
        on_finished: Callable[[Any, Any, BaseException | None], object],
    ) -> None:
        self._prepared = prepared
        self.inner = execution
        self._on_finished = on_finished
        self.result: Any = None
        """Set before `finished`, whose parameters observers rely on."""

    def __enter__(self) -> None:
        if self.inner is not None:
            self.inner.__enter__()

    def __exit__(self, *error: object) -> Any:
        execution: Any = self.inner
        return None if execution is None else execution.__exit__(*error)

    def finished(self, error: BaseException | None) -> None:
        if self.inner is not None:
            self.inner.finished(error)
        self._on_finished(self._prepared, self.result, error)


class ExecutionObserver:
    """An observer of executions only, for arguments that another observer has seen already."""

    def __init__(self, observer: Any) -> None:
        self.started = observer.started

    def prepared(self, prepared: Any) -> None:
        """Do nothing."""

    def refused(self, tool: Any, arguments: Any, call: Any, error: ToolError) -> None:
        """Do nothing."""


class _Prepared(Protocol):
    """The part of a `Prepared` that running needs."""

    _tool: Any
    _bound: Any
    _seen: Any

    def _settle(self) -> None:
        """Validate the arguments again if they have changed."""


def run(
    prepared: _Prepared,
    injected: Mapping[str, Any],
    *,
    as_is: bool = False,
    collects: bool = False,
    awaits: bool = False,
) -> Any:
    """Call the function of a prepared call.

    Args:
        prepared: the call.
        injected: values for injected parameters, by name.
        as_is: for frameworks, which may take results that have no JSON form.
        collects: makes lists of iterators, so that their errors are those of the call.
        awaits: returns an awaitable of an awaitable result, for a caller that awaits it.

    Raises:
        TypeError: if the tool has no function or an asynchronous one, or an injected value is
            missing.

    """
    parameters = prepared._tool._parts.parameters
    if parameters is not None and not awaits:
        yields = collects and parameters.yields_asynchronously
        if parameters.asynchronous or yields:
            raise _not_awaited(prepared)
    function, args, kwargs, execution = _started(prepared, injected)
    try:
        result = function(*args, **kwargs)
        if type(result) in _PLAIN or not _is_asynchronous(result, collects=collects):
            result = _measured(prepared, result, as_is=as_is, collects=collects)
        elif awaits:
            return _awaited(prepared, result, execution, as_is=as_is, collects=collects)
        else:
            raise _not_awaited(prepared, result)  # noqa: TRY301 - it finishes the call, too
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    if execution is not None:
        _finished(prepared, execution, result, None)
    return result


async def arun(
    prepared: _Prepared,
    injected: Mapping[str, Any],
    *,
    as_is: bool = False,
    collects: bool = False,
) -> Any:
    """Call the function of a prepared call and await its result, if that is awaitable; see `run`.

    Raises:
        TypeError: if the tool has no function, or an injected value is missing.

    """
    result = run(prepared, injected, as_is=as_is, collects=collects, awaits=True)
    return await result if inspect.isawaitable(result) else result


async def _awaited(
    prepared: _Prepared, result: Any, execution: Execution | None, *, as_is: bool, collects: bool
) -> Any:
    try:
        if _is_asynchronous(result, collects=collects):
            with nullcontext() if execution is None else execution:
                if inspect.isawaitable(result):
                    result = await result
                if collects and isinstance(result, AsyncIterator):
                    result = [each async for each in result]
        result = _measured(prepared, result, as_is=as_is, collects=collects)
    except BaseException as error:
        _finished(prepared, execution, None, error)
        raise
    _finished(prepared, execution, result, None)
    return result


def _is_asynchronous(result: Any, *, collects: bool) -> bool:
    return inspect.isawaitable(result) or (collects and isinstance(result, AsyncIterator))


def _not_awaited(prepared: _Prepared, result: object = None) -> TypeError:
    if inspect.iscoroutine(result):
        result.close()
    return TypeError(
        f"`{printable(prepared._tool.name)}` is asynchronous; use `await tool.acall(...)`, or run "
        "the agent with await"
    )


def require_runnable(prepared: _Prepared, injected: Mapping[str, Any]) -> None:
    """Check that the function of a prepared call can be called with these injected values.

    Raises:
        TypeError: if the tool has no function, or an injected value is missing.

    """
    tool = prepared._tool._parts
    if tool.parameters is None:
        message = (
            f"`{printable(tool.name)}` has no function to call; pass one to "
            "Tool.from_definition, or hand `prepared.arguments` to whoever runs the tool"
        )
        raise TypeError(message)
    if injected or tool.parameters.injected:
        tool.parameters.check(tool.name, injected)


def _started(
    prepared: _Prepared, injected: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Execution | None]:
    """Return the function, its arguments, and the execution, if it is observed."""
    require_runnable(prepared, injected)
    if prepared._seen is not None:
        prepared._settle()
    tool = prepared._tool._parts
    function, observer = tool.parameters.function, tool.options.observer
    if isinstance(prepared._bound, InstanceArguments):
        function = prepared._bound.call
    execution = None if observer is None else observer.started(prepared)
    args, kwargs = tool.parameters.arrange(prepared._bound, injected)  # as hooks leave them
    if execution is None:
        return function, args, kwargs, None

    def observed(*args: Any, **kwargs: Any) -> Any:
        with execution:
            return function(*args, **kwargs)

    return observed, args, kwargs, execution


def _finished(
    prepared: _Prepared, execution: Execution | None, result: Any, error: BaseException | None
) -> None:
    if isinstance(error, ToolError):
        LOGGER.debug("`%s` answered with an error: %s", prepared._tool.name, error)
    if execution is not None:
        if type(execution) is _HookedExecution:
            execution.result = result
        execution.finished(error)


def _measured(prepared: _Prepared, result: Any, *, as_is: bool, collects: bool) -> Any:
    """Return the result, or as much of it as is allowed; its size goes to the log."""
    parts = prepared._tool._parts
    name, options = parts.name, parts.options
    if collects:
        result = collected(result)
    try:
        text = result_json(result)
    except (ValueError, TypeError):  # whose text may hold what a serializer was to mask
        # the function has run: its result is not lost, whatever it is
        level = logging.DEBUG if as_is else logging.WARNING
        message = "`%s` returned a %s, which has no JSON form"
        LOGGER.log(level, message, name, type(result).__name__)
        return result
    size = len(text)
    LOGGER.debug("`%s` returned %d characters", name, size)
    if options.warn_above is not None and size > options.warn_above:
        LOGGER.warning(
            "`%s` returned %d characters, more than %d; a model has to read all of them",
            name,
            size,
            options.warn_above,
        )
    if options.truncate_above is None:
        return result
    shown = _truncated(prepared, result if isinstance(result, str) else text)
    return shown if isinstance(result, str) or (as_is and shown != text) else result


def text_for_model(prepared: _Prepared, result: Any) -> str:
    """Return the result of a call as text, no longer than `truncate_above` and a note."""
    text = result_text(result)  # `run` has truncated a result that is text
    return text if isinstance(result, str) else _truncated(prepared, text)


def _truncated(prepared: _Prepared, text: str) -> str:
    limit = prepared._tool._parts.options.truncate_above
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}… [truncated: {len(text) - limit} of {len(text)} characters left out]"
