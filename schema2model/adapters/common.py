"""What the adapters share: the extra that is missing, and tools of which only a schema is known."""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
from collections.abc import Iterator
from typing import Any, TypeVar

from schema2model.coercions import Coercion
from schema2model.errors import SchemaError, ToolError
from schema2model.tools import Tool

__all__ = ["Checkers", "checker", "extra", "recast", "reported_as"]

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


def checker(name: str, schema: Any, coercion: str | Coercion = "default") -> Tool | None:
    """The tool that prepares arguments for one that another registry runs.

    None where its schema cannot be compiled: a server's broken schema must not take away a tool
    that worked without us. The log says why.
    """
    try:
        return Tool.from_schema({"name": name, "inputSchema": schema}, coercion=coercion)
    except SchemaError as error:
        LOGGER.warning("the arguments of `%s` stay as they are: %s", name, error)
        return None


class Checkers:
    """Checkers for the tools that a server lists, made when one is first called or has changed."""

    def __init__(self, coercion: str | Coercion) -> None:
        self._coercion = coercion
        self._known: dict[str, tuple[Any, Tool | None]] = {}

    def of(self, name: str, schema: Any) -> Tool | None:
        """What prepares the arguments of a tool; see `checker`."""
        known, tool = self._known.get(name, (None, None))
        if known is not schema:
            tool = checker(name, schema, self._coercion)
            self._known[name] = schema, tool
        return tool


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
