"""The description of a tool: its schema, its function, and its definitions for providers."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast, overload

from schema2model.compiled import CompiledSchema
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
    Provider,
    ResponsesTool,
)
from schema2model.tools.results import read_tool_result
from schema2model.tools.tool_parts import ToolParts

if TYPE_CHECKING:
    from schema2model.coerce.partial import PartialArguments
    from schema2model.strict.strict_schema import StrictSchema

__all__ = ["BaseTool"]


class BaseTool:
    """The description of a `Tool`. Immutable."""

    __slots__ = ("__weakref__", "_parts")

    _parts: ToolParts

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        message = f"a Tool is immutable; {attribute!r} cannot be set"
        raise AttributeError(message)

    def __delattr__(self, attribute: str) -> NoReturn:
        message = f"a Tool is immutable; {attribute!r} cannot be deleted"
        raise AttributeError(message)

    def __repr__(self) -> str:
        return f"<Tool {self.name!r}>"

    @property
    def name(self) -> str:
        """The name by which models call it."""
        return self._parts.name

    @property
    def description(self) -> str:
        """The description that models are shown."""
        return self._parts.description

    @property
    def compiled(self) -> CompiledSchema:
        """The compiled schema of its arguments."""
        return self._parts.compiled

    @property
    def strict(self) -> StrictSchema | None:
        """The projection that the model's arguments follow, in a toolset that is strict."""
        return self._parts.strict

    @property
    def schema(self) -> dict[str, Any]:
        """A copy of the schema as it was given; a boolean as the object that means the same.

        >>> from schema2model import Tool
        >>> Tool.from_definition({"name": "now", "parameters": {}}).schema
        {}
        """
        given = self._parts.definition
        schema = self.compiled.schema if given is None else copy.deepcopy(given.schema)
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        return schema

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that runs it, if it has one."""
        parameters = self._parts.parameters
        return None if parameters is None else parameters.function

    @property
    def asynchronous(self) -> bool:
        """Whether calling the function makes a coroutine, to be awaited."""
        parameters = self._parts.parameters
        return parameters is not None and parameters.asynchronous

    @property
    def injected(self) -> Mapping[str, Any]:
        """The injected parameters, each with the type or name by which it is injected."""
        parameters = self._parts.parameters
        return {} if parameters is None else dict(parameters.injected)

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
    def definition(self, provider: Provider) -> Any: ...
    def definition(self, provider: Provider) -> Any:
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
        given = self._parts.definition or Definition(self.name, self.description, self.schema)
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
        >>> Tool(now).shown_schema["properties"]
        {'zone': {'default': 'UTC', 'type': 'string'}}

        """
        if self.strict is not None:
            return self.strict.schema
        return self.definition("mcp")["inputSchema"]  # type: ignore[no-any-return]

    @property
    def output_schema(self) -> dict[str, Any] | bool | None:
        """The `outputSchema` of the definition, which results have to match; None without one."""
        definition = self._parts.definition
        given = None if definition is None else definition.extras.get("outputSchema")
        return cast("dict[str, Any] | bool | None", copy.deepcopy(given))

    def read_result(self, result: Any) -> Any:
        """The structured content of a result of MCP's, as `outputSchema` asks for it.

        JSON in the only text block stands in for structured content that the server left out. The
        result of a call that has failed is not checked.

        Raises:
            ResultError: if no reading of it is valid, which is the server's mistake.

        >>> out = {"type": "object", "properties": {"n": {"type": "integer"}}}
        >>> from schema2model import Tool
        >>> tool = Tool.from_definition({"name": "n", "inputSchema": {}, "outputSchema": out})
        >>> tool.read_result({"content": [], "structuredContent": {"n": "3"}})
        {'n': 3}

        """
        coercion = self.compiled.coercion
        return read_tool_result(self.name, self.output_schema, result, coercion=coercion).structured

    def partial(self, *, strings: bool = False) -> PartialArguments:
        """The arguments of one call while their text arrives; see `CompiledSchema.partial`.

        `finish` returns the arguments that `prepare` finds in the whole text, or raises its error.
        Of a strict tool nothing is shown before `finish`: the arguments have to be decoded.

        Args:
            strings: also show strings while they grow, where the schema accepts every string.

        >>> from schema2model import Tool
        >>> def note(text: str, day: int) -> None: ...
        >>> arguments = Tool.from_function(note).partial(strings=True)
        >>> for chunk in ('{"day": "3', '1", "text": "Ju', 'ly"}'):
        ...     print(arguments.feed(chunk))
        {}
        {'day': 31, 'text': 'Ju'}
        {'day': 31, 'text': 'July'}
        >>> arguments.finish()
        {'text': 'July', 'day': 31}

        """
        from schema2model.tools.partial_arguments import ToolArguments  # noqa: PLC0415 - few calls stream

        return ToolArguments(self, strings=strings)
