"""The tools of a `Toolset` by name: how they are collected, made strict and defined."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, overload

from pydantic import BaseModel
from typing_extensions import Self, Unpack

from schema2model.calls.tool_names import ToolNames
from schema2model.compiled import engine_of
from schema2model.tools.base import from_parts, replace_parts
from schema2model.tools.construction import parts_from_function
from schema2model.tools.providers.definitions import declarations
from schema2model.tools.providers.sdk_types import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    ResponsesTool,
)
from schema2model.tools.signatures import Inject, require_injected
from schema2model.tools.tool import Tool, ToolOptions

if TYPE_CHECKING:
    from schema2model.strict.budget import RequestBudget

__all__ = ["ToolCollection", "public_methods", "tools_by_name"]

_D = TypeVar("_D")

MAX_SHOWN = 5
"""Names of tools that `repr` shows; further ones are counted."""


class _Strict(NamedTuple):
    """The options of a strict toolset."""

    provider: str
    asked: Mapping[str, bool]
    max_items: int | None
    max_length: int | None


class ToolCollection:
    """Tools by name, in order."""

    __slots__ = ("_budget", "_names", "_strict", "_tools")

    def __init__(  # noqa: PLR0913 - one option, one argument
        self,
        tools: Iterable[Any] = (),
        *,
        inject: Inject = (),
        strict: str | Mapping[str, bool] | None = None,
        strict_provider: str = "openai",
        max_items: int | None = None,
        max_length: int | None = None,
        **options: Unpack[ToolOptions],
    ) -> None:
        inject = inject if isinstance(inject, (str, type)) else tuple(inject)
        if callable(tools) or isinstance(tools, (Tool, Mapping)):
            message = f"Toolset takes a list of tools: Toolset([{type(tools).__name__}, ...])"
            raise TypeError(message)
        found = tools_by_name(tools, inject, options)
        require_injected(inject, [tool.injected for tool in found.values()])
        self._strict: _Strict | None = None
        if isinstance(strict, str):
            self._strict = _Strict(strict, {}, max_items, max_length)
        elif strict is not None:
            self._strict = _Strict(strict_provider, strict, max_items, max_length)
        self._set(found)

    def _set(self, tools: dict[str, Tool]) -> None:
        budget = None
        if self._strict is not None:
            from schema2model.strict.toolset import strict_schemas  # noqa: PLC0415 - few are strict

            provider, asked, max_items, max_length = self._strict
            schemas, budget = strict_schemas(
                {name: engine_of(tool.compiled) for name, tool in tools.items()},
                provider,
                asked,
                max_items=max_items,
                max_length=max_length,
            )
            tools = {n: replace_parts(tool, strict=schemas.get(n)) for n, tool in tools.items()}
        self._tools = tools
        self._budget: RequestBudget | None = budget
        self._names = ToolNames({name: tool.compiled for name, tool in tools.items()})

    def add(self, tool: Any, *, inject: Inject = (), **options: Unpack[ToolOptions]) -> None:
        """Add a tool, a definition or a function.

        Args:
            tool: as in the list that `Toolset` takes.
            inject: see `Toolset`.
            options: for a definition or a function; see `ToolOptions`.

        Raises:
            ValueError: if there is a tool of that name.
            TypeError: see `Toolset`.
            SchemaError: see `Toolset`.

        >>> from schema2model import Toolset
        >>> def now() -> str: ...
        >>> tools = Toolset()
        >>> tools.add(now)
        >>> tools
        <Toolset now>

        """
        inject = inject if isinstance(inject, (str, type)) else tuple(inject)
        found = tools_by_name([tool], inject, options, self)
        added = [found[name].injected for name in found.keys() - self._tools.keys()]
        require_injected(inject, added)
        self._set(found)

    def __add__(self, other: Iterable[Any]) -> Self:
        """Return a toolset with further tools, strict as this one.

        >>> from schema2model import Toolset
        >>> def now() -> str: ...
        >>> def here() -> str: ...
        >>> Toolset([now]) + [here]
        <Toolset now, here>
        """
        if not isinstance(other, Iterable) or isinstance(other, (str, bytes, Mapping)):
            return NotImplemented
        both = copy.copy(self)
        both._set(tools_by_name(other, (), {}, self))
        return both

    @property
    def budget(self) -> RequestBudget | None:
        """Which tools are strict, what they take of a request's limits, and why others are not.

        None if the toolset is not strict.

        >>> from schema2model import Toolset
        >>> def now(zone: str) -> str: ...
        >>> print(Toolset([now], strict="anthropic").budget)
        strict: now
        of the limits of one request: 1 tools with 0 optional parameters and 0 of several types
        the limits: 20 tools with 24 optional parameters and 16 of several types
        """
        return self._budget

    @classmethod
    def from_object(
        cls, instance: object, inject: Inject = (), **options: Unpack[ToolOptions]
    ) -> Self:
        """The public methods of an object, in the order of their definition.

        Raises:
            ValueError: where it has none.

        >>> from schema2model import Toolset
        >>> class Counter:
        ...     def count(self, to: int) -> list[int]:
        ...         return list(range(1, to + 1))
        >>> Toolset.from_object(Counter())["count"].call({"to": 3})
        [1, 2, 3]

        """
        names = public_methods(type(instance))
        if not names:
            message = f"this {type(instance).__name__} has no public methods to make tools of"
            raise ValueError(message)
        return cls([getattr(instance, name) for name in names], inject=inject, **options)

    def get(self, name: str, default: _D | None = None) -> Tool | _D | None:
        """Return the tool of that name, or `default`."""
        return self._tools.get(name, default)

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


def tools_by_name(
    given: Iterable[Any], inject: Inject, options: ToolOptions, known: Iterable[Tool] = ()
) -> dict[str, Tool]:
    """Return the known tools, and those of further tools, definitions and functions, by name.

    Raises:
        ValueError: if two tools have one name.

    """
    found = {tool.name: tool for tool in known}
    for each in given:
        for tool in _tools(each, inject, options):
            if tool.name in found:
                message = f"two tools are called `{tool.name}`; a model could not tell them apart"
                raise ValueError(message)
            found[tool.name] = tool
    return found


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
        # not Tool(given): it may have none of the injected parameters
        yield from_parts(Tool, parts_from_function(given, inject, options))
    else:
        for definition in declarations(given):
            yield Tool.from_definition(definition, **options)


def _is_method(kind: type, name: str) -> bool:
    found = inspect.getattr_static(kind, name)
    methods = (staticmethod, classmethod, functools.partialmethod)
    return inspect.isfunction(found) or isinstance(found, methods)
