"""What the adapters share: the extra that is missing, and tools of which only a schema is known."""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypedDict, TypeVar

from typing_extensions import Unpack

from schema2model.coercions import Coercion
from schema2model.errors import SchemaError, ToolError
from schema2model.tools.tool import Observer, Tool

__all__ = ["Checkers", "Options", "checker", "extra", "read_before", "recast", "reported_as"]

LOGGER = logging.getLogger("schema2model.adapters")

_T = TypeVar("_T")


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of a framework happen in this context.

    Raises:
        ImportError: where the framework is not installed; it names the extra that installs it.

    """
    try:
        yield
    except ImportError as error:
        message = f"{error}; install it with: pip install 'schema2model[{name}]'"
        raise ImportError(message, name=error.name, path=error.path) from error


@contextlib.contextmanager
def reported_as(theirs: type[Exception]) -> Iterator[None]:
    """What is raised for the model is raised as the framework's own error, with the same text."""
    try:
        yield
    except ToolError as error:
        raise theirs(str(error)) from error


class Options(TypedDict, total=False):
    """Options of every way to wrap what another registry runs: see `ToolOptions`."""

    coercion: str | Coercion
    observer: Observer | None


def checker(name: str, schema: Any, **options: Unpack[Options]) -> Tool | None:
    """The tool that prepares arguments for one that another registry runs.

    None where its schema cannot be compiled: a server's broken schema must not take away a tool
    that worked without us. The log says why.
    """
    try:
        return Tool.from_schema({"name": name, "inputSchema": schema}, **options)
    except SchemaError as error:
        LOGGER.warning("the arguments of `%s` stay as they are: %s", name, error)
        return None


class Checkers:
    """Checkers for the tools that a server lists, made when one is first called or has changed."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._options = options
        self._known: dict[str, tuple[Any, Tool | None]] = {}

    def of(self, name: str, schema: Any) -> Tool | None:
        """What prepares the arguments of a tool; see `checker`."""
        known, tool = self._known.get(name, (None, None))
        if known is not schema:
            tool = checker(name, schema, **self._options)
            self._known[name] = schema, tool
        return tool


def read_before(tool: Tool) -> Tool:
    """The same tool, for arguments that it has read before: who was told then is not told again."""
    observer = tool.conduct.observer
    executions = None if observer is None else _Executions(observer)
    return replace(tool, conduct=replace(tool.conduct, on_prepared=None, observer=executions))


class _Executions:
    """An observer of executions alone."""

    def __init__(self, observer: Observer) -> None:
        self.started = observer.started

    def prepared(self, prepared: Any) -> None:
        """Nobody is told."""

    def refused(self, tool: Tool, arguments: Any, call: Any, error: ToolError) -> None:
        """Nobody is told."""


def recast(theirs: _T, methods: type) -> _T:
    """A copy of a framework's tool that has the methods of a class before those of its own class.

    A copy, as a wrapper around it would not be all that a tool of that class may be: what
    frameworks look for with `isinstance`, and what it holds that they know nothing of.
    """
    recast = copy.copy(theirs)
    object.__setattr__(recast, "__class__", _preceded(methods, type(theirs)))  # type: ignore[arg-type]
    return recast


@functools.cache
def _preceded(methods: type, kind: type) -> type:
    if issubclass(kind, methods):
        return kind
    return type(kind.__name__, (methods, kind), {"__module__": kind.__module__})
