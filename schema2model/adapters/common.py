"""Helpers shared by adapters; some are re-exported from `tools`."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from schema2model.errors import ToolError
from schema2model.extras import extra
from schema2model.tools.argument_text import replace_text
from schema2model.tools.conversation import refused_result
from schema2model.tools.execution import arun, run
from schema2model.tools.providers.simplifying import inline_refs
from schema2model.tools.tool import Observer, Prepared, Tool
from schema2model.tools.tool_cache import CheckerOptions, ToolCache, compile_checker

__all__ = [
    "CheckerOptions",
    "ToolCache",
    "aexecute",
    "as_text",
    "compile_checker",
    "execute",
    "extra",
    "inline_refs",
    "refused_result",
    "replace_text",
    "reraised_as",
    "with_methods",
    "without_prepare_hooks",
]


@contextlib.contextmanager
def reraised_as(theirs: type[Exception]) -> Iterator[None]:
    """A `ToolError` raised in this context becomes an error of the framework's, with its text.

    >>> with reraised_as(LookupError):
    ...     raise ToolError("no city of that name")
    Traceback (most recent call last):
        ...
    LookupError: no city of that name
    """
    try:
        yield
    except ToolError as error:
        raise theirs(str(error)) from error


_NO_CONTEXT: Any = object()


def execute(prepared: Prepared, context: Any = _NO_CONTEXT) -> Any:
    """Run the function of a prepared call; an asynchronous one returns an awaitable.

    All parameters that are injected get the framework's context. Results are as they come: a
    framework may take more than JSON.

    Raises:
        TypeError: where a parameter has to be injected, and there is no context.

    """
    return run(prepared, _injected(prepared, context), as_is=True)


async def aexecute(prepared: Prepared, context: Any = _NO_CONTEXT) -> Any:
    """Run the function of a prepared call and await it; a plain function runs in a thread."""
    if prepared.tool.asynchronous:
        return await arun(prepared, _injected(prepared, context), as_is=True)
    result = await asyncio.to_thread(execute, prepared, context)
    return await result if inspect.isawaitable(result) else result


def _injected(prepared: Prepared, context: Any) -> dict[str, Any]:
    return {} if context is _NO_CONTEXT else dict.fromkeys(prepared.tool.injected, context)


def as_text(result: Any) -> str:
    """A result as text for a model: JSON, unless it is a string."""
    return result if isinstance(result, str) else to_json(result, fallback=str).decode()


def without_prepare_hooks(tool: Tool) -> Tool:
    """Return the tool without its hooks for preparing, for arguments that it has prepared before.

    Its hooks and its observer have seen the arguments then, and see only the execution now. Those
    of a strict tool are decoded then.
    """
    observer = tool.conduct.observer
    executions = None if observer is None else _Executions(observer)
    return replace(
        tool, strict=None, conduct=replace(tool.conduct, on_prepared=None, observer=executions)
    )


class _Executions:
    """Passes on executions to an observer, and nothing else."""

    def __init__(self, observer: Observer) -> None:
        self.started = observer.started

    def prepared(self, prepared: Any) -> None:
        """Ignored."""

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> None:
        """Ignored."""


def with_methods(theirs: Any, methods: type) -> Any:
    """A copy of a framework's tool that has the methods of a class before those of its own class.

    It is a copy and no wrapper, since frameworks tell tools apart with `isinstance`, and since a
    tool may hold more than its framework knows of.

    >>> class Tool:
    ...     def call(self):
    ...         return "called"
    >>> class Loud:
    ...     def call(self):
    ...         return super().call().upper()
    >>> made = with_methods(Tool(), Loud)
    >>> made.call(), isinstance(made, Tool)
    ('CALLED', True)
    """
    made = copy.copy(theirs)
    object.__setattr__(made, "__class__", _preceded(methods, type(theirs)))  # type: ignore[arg-type]
    return made


@functools.cache
def _preceded(methods: type, kind: type) -> type:
    if issubclass(kind, methods):
        return kind
    return type(kind.__name__, (methods, kind), {"__module__": kind.__module__})
