"""Tools by name: the collection that a `Toolset` is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

from pydantic import BaseModel

from schema2model.tools.providers.definitions import declarations
from schema2model.tools.providers.sdk_types import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    ResponsesTool,
)
from schema2model.tools.signatures import Inject
from schema2model.tools.tool import Tool, ToolOptions, function_tool

__all__ = ["ToolCollection", "public_methods"]

MAX_SHOWN = 5
"""Names of tools that `repr` shows; further ones are counted."""


class ToolCollection:
    """Tools by name, from tools, definitions and functions alike.

    Raises:
        ValueError: if two tools have one name.

    """

    __slots__ = ("_tools",)

    def __init__(self, tools: Iterable[Any], inject: Inject, options: ToolOptions) -> None:
        self._tools: dict[str, Tool] = {}
        for given in tools:
            for tool in _tools(given, inject, options):
                if tool.name in self._tools:
                    message = (
                        f"two tools are called `{tool.name}`; a model could not tell them apart"
                    )
                    raise ValueError(message)
                self._tools[tool.name] = tool

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools or (
            isinstance(name, Tool) and self._tools.get(name.name) is name
        )

    def __repr__(self) -> str:
        names = [*self._tools]
        more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
        return f"<Toolset {', '.join(names[:MAX_SHOWN]) or 'without tools'}{more}>"

    @overload
    def definitions(self, provider: ChatShape) -> list[ChatTool]: ...
    @overload
    def definitions(self, provider: Literal["openai-responses"]) -> list[ResponsesTool]: ...
    @overload
    def definitions(self, provider: Literal["anthropic"]) -> list[AnthropicTool]: ...
    @overload
    def definitions(self, provider: Literal["gemini"]) -> list[GeminiTool]: ...
    @overload
    def definitions(self, provider: Literal["mcp"]) -> list[dict[str, Any]]: ...
    @overload
    def definitions(self, provider: str) -> list[Any]: ...
    def definitions(self, provider: str) -> Any:
        """The definitions of all tools for a provider; see `Tool.definition`.

        >>> from schema2model import Toolset
        >>> def now() -> str: ...
        >>> [each["name"] for each in Toolset([now]).definitions("mcp")]
        ['now']
        """
        return [tool.definition(provider) for tool in self]


def public_methods(kind: type) -> list[str]:
    """Return the names of the public methods of a class, in the order of their definition."""
    names = (
        name
        for each in reversed(kind.__mro__)
        if each not in {object, BaseModel}
        for name in vars(each)
        if not name.startswith("_") and _is_method(kind, name)
    )
    return [*dict.fromkeys(names)]


def _tools(given: Any, inject: Inject, options: ToolOptions) -> Iterator[Tool]:
    if isinstance(given, Tool):
        yield given
    elif callable(given):
        yield function_tool(given, inject, options)
    else:
        for definition in declarations(given):
            yield Tool.from_schema(definition, **options)


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    methods = (staticmethod, classmethod, functools.partialmethod)
    return inspect.isfunction(found) or isinstance(found, methods)
