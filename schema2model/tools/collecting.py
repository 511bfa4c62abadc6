"""The tools that a toolset makes of what it is given: tools, functions, definitions, an object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from schema2model.tools.providers.definitions import declarations
from schema2model.tools.signatures import Inject
from schema2model.tools.tool import Tool, ToolOptions, with_parts
from schema2model.tools.tool_parts import function_parts

__all__ = ["collected_tools", "public_methods"]


def collected_tools(given: Any, inject: Inject, options: ToolOptions) -> Iterator[Tool]:
    """Yield the tools of a tool, a function, or a definition, which may hold several."""
    if isinstance(given, Tool):
        yield given
    elif callable(given):
        yield with_parts(function_parts(given, {**options, "inject": inject}))
    else:
        for definition in declarations(given):
            yield Tool.from_definition(definition, **options)


def public_methods(instance: object) -> list[Callable[..., Any]]:
    """Return the public methods of an object, in the order of their definition.

    Raises:
        ValueError: if it has none.

    """
    names = dict.fromkeys(
        name
        for kind in reversed(type(instance).__mro__)
        if kind not in {object, BaseModel}
        for name in vars(kind)
        if not name.startswith("_") and _is_method(type(instance), name)
    )
    if not names:
        message = f"this {type(instance).__name__} has no public methods to make tools of"
        raise ValueError(message)
    return [getattr(instance, name) for name in names]


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    methods = (staticmethod, classmethod, functools.partialmethod)
    return inspect.isfunction(found) or isinstance(found, methods)
