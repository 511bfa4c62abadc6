"""The record of a tool: its schema, its function, and its definitions for providers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from schema2model.compiled import CompiledSchema
from schema2model.tools.execution import CallOptions
from schema2model.tools.parameters import Parameters
from schema2model.tools.providers.definitions import (
    Definition,
    provider_definition,
    strict_definition,
)
from schema2model.tools.providers.sdk_types import (
    AnthropicTool,
    ChatShape,
    ChatTool,
    GeminiTool,
    ResponsesTool,
)

if TYPE_CHECKING:
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["BaseTool", "from_parts", "replace_parts"]

_T = TypeVar("_T", bound="BaseTool")


@dataclass(frozen=True, slots=True, eq=False)
class BaseTool:
    """A name, a description, a compiled schema, and optionally a function."""

    name: str
    description: str
    compiled: CompiledSchema
    parameters: Parameters | None = None
    _options: CallOptions = field(default_factory=CallOptions, repr=False)
    _definition: Definition | None = field(default=None, repr=False)
    strict: StrictSchema | None = field(default=None, repr=False)
    """The projection that the model's arguments follow, in a toolset that is strict."""

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"

    @property
    def schema(self) -> dict[str, Any] | bool:
        """A copy of the schema as it was given.

        >>> from schema2model import Tool
        >>> Tool.from_definition({"name": "now", "parameters": {}}).schema
        {}
        """
        return (
            self.compiled.schema
            if self._definition is None
            else copy.deepcopy(self._definition.schema)
        )

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that runs it, if it has one."""
        return None if self.parameters is None else self.parameters.function

    @property
    def asynchronous(self) -> bool:
        """Whether calling the function makes a coroutine, to be awaited."""
        return self.parameters is not None and self.parameters.asynchronous

    @property
    def injected(self) -> Mapping[str, Any]:
        """The injected parameters, each with the type or name by which it is injected."""
        return {} if self.parameters is None else dict(self.parameters.injected)

    @overload
    def definition(self, provider: ChatShape) -> ChatTool: ...
    @overload
    def definition(self, provider: Literal["openai-responses"]) -> ResponsesTool: ...
    @overload
    def definition(self, provider: Literal["anthropic"]) -> AnthropicTool: ...
    @overload
    def definition(self, provider: Literal["gemini"]) -> GeminiTool: ...
    @overload
    def definition(self, provider: Literal["mcp"]) -> dict[str, Any]: ...
    @overload
    def definition(self, provider: str) -> Any: ...
    def definition(self, provider: str) -> Any:
        """The definition of the tool for a provider.

        Args:
            provider: `"openai"` (chat completions), `"openai-responses"`, `"gpt-oss"`,
                `"anthropic"`, `"gemini"` or `"mcp"`.

        Raises:
            ValueError: for another provider, or a schema that it can take in no form.

        >>> from schema2model import Tool
        >>> tool = Tool.from_definition({"name": "now", "parameters": {"type": "object"}})
        >>> tool.definition("mcp")
        {'name': 'now', 'inputSchema': {'type': 'object'}}

        """
        given = self._definition or Definition(self.name, self.description, self.schema)
        if self.strict is not None and provider in self.strict.profile.apis:
            return strict_definition(given, provider, self.strict)
        return copy.deepcopy(provider_definition(given, provider))

    @property
    def shown_schema(self) -> dict[str, Any]:
        """The schema that models are shown: a strict tool's projection, or that for MCP.

        Raises:
            ValueError: for a schema that is not of objects.

        >>> from schema2model import Tool
        >>> def now(zone: str = "UTC") -> str: ...
        >>> Tool.from_function(now).shown_schema["properties"]
        {'zone': {'default': 'UTC', 'type': 'string'}}

        """
        if self.strict is not None:
            return self.strict.schema
        return self.definition("mcp")["inputSchema"]  # type: ignore[no-any-return]


def from_parts(kind: type[_T], parts: Iterable[Any]) -> _T:
    """Return a tool of a class from the fields of `BaseTool`, in their order."""
    made = object.__new__(kind)
    BaseTool.__init__(made, *parts)
    return made


def replace_parts(tool: _T, **parts: Any) -> _T:
    """Return a copy of a tool with other parts: fields of `BaseTool`, or its `options`.

    >>> from schema2model import Tool
    >>> def now() -> str: ...
    >>> replace_parts(Tool(now), name="time")
    <Tool 'time'>
    """
    if "options" in parts:
        parts["_options"] = parts.pop("options")
    kept = {each.name: getattr(tool, each.name) for each in fields(BaseTool)}
    made = object.__new__(type(tool))
    BaseTool.__init__(made, **{**kept, **parts})
    return made
