"""What the adapters share: the extra that is missing, and tools of which only a schema is known."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from schema2model.errors import ToolError
from schema2model.extras import extra
from schema2model.tools.checkers import CheckerOptions, Checkers, checker
from schema2model.tools.tool import Observer, Tool

__all__ = ["CheckerOptions", "Checkers", "checker", "extra", "read_before", "recast", "reported_as"]

_T = TypeVar("_T")


@contextlib.contextmanager
def reported_as(theirs: type[Exception]) -> Iterator[None]:
    """What is raised for the model is raised as the framework's own error, with the same text."""
    try:
        yield
    except ToolError as error:
        raise theirs(str(error)) from error


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
