"""Pydantic AI: exact arguments for all tools of an agent, a toolset or an MCP server.

Agent(model, tools=[from_tool(tool), wrap_tool(theirs)])
Agent(model, toolsets=[wrap_server(MCPToolset("https://..."))])
Agent(model, capabilities=[CoercionCapability()])  # all tools, and the conversation is mended

A refused call asks the model to try again: `ModelRetry` with the message. A `ToolError` with
`retryable=False` is a `ToolFailed`, which does not. Only a capability sees the call in the
conversation; otherwise, malformed text is read but stays there.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator
from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import core_schema_of, raising, require_theirs, reraised_as
from schema2model.adapters.frameworks import Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.answering import prepare_sent
from schema2model.tools.assistant_message import Turn, ended_too_soon, tool_messages
from schema2model.tools.preparing import text_with_digits
from schema2model.tools.tool_cache import CheckerOptions, ToolCache

with extra("pydantic-ai"):
    from pydantic_ai import ModelRetry, RunContext, Tool as TheirTool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.output import OutputContext
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

__all__ = ["CoercionCapability", "from_tool", "process_tool_call", "wrap_server", "wrap_tool"]


def _seen(theirs: TheirTool[Any]) -> Seen:
    function = theirs.function_schema
    return Seen(theirs.name, function.json_schema, _origin(function.validator))


_PYDANTIC_AI = Framework(
    TheirTool,
    _seen,
    refuse=raising(ModelRetry, ToolFailed),
    context=RunContext,
    application=lambda context: context.deps,
)


def from_tool(
    tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any
) -> TheirTool[Any]:
    """Return a Pydantic AI tool that runs a schema2model tool, in a thread if it is synchronous.

    Args:
        tool: one with a function; what is injected is the `deps`, a value in them, or the
            `RunContext`. One of `Toolset(tools, strict="openai")` is strict.
        inject: values for injected parameters, by name.
        options: what else Pydantic AI's `Tool` has: `max_retries`, `requires_approval`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_PYDANTIC_AI, tool, inject, is_checked=True)

    def call(context: RunContext[Any], /, **arguments: Any) -> Any:
        return ours.call(arguments, context)

    async def acall(context: RunContext[Any], /, **arguments: Any) -> Any:
        return await ours.acall(arguments, context)

    function = acall if ours.is_asynchronous else call
    made: TheirTool[Any] = TheirTool.from_schema(
        function, tool.name, tool.description, tool.shown_schema, takes_ctx=True
    )
    if tool.strict is not None:
        options = {"strict": True, **options}
    return replace(_validating(made, tool), **options)


def wrap_tool(theirs: TheirTool[Any], **options: Unpack[CheckerOptions]) -> TheirTool[Any]:
    """Return a copy of a tool that coerces its arguments before Pydantic AI validates them.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_PYDANTIC_AI, theirs, _validating, **options)


def wrap_server(
    toolset: AbstractToolset[Any], **options: Unpack[CheckerOptions]
) -> AbstractToolset[Any]:
    """Return a toolset, of an MCP server or any other, with all its tools wrapped."""
    require_theirs(toolset, AbstractToolset, "wrap_server")
    return _WrappedToolset(toolset, ToolCache(**options))


def process_tool_call(
    list_tools: Callable[[], Awaitable[Iterable[Any]]], **options: Unpack[CheckerOptions]
) -> Callable[..., Awaitable[Any]]:
    """A hook for `MCPToolset(process_tool_call=…)`, for code that does not use `wrap_server`.

    Args:
        list_tools: the toolset's method, since the hook gets no schema. It is called for every
            call, and caches the server's tools until they change.
        options: see `CheckerOptions`.

    """
    checkers = ToolCache(**options)

    async def coerced(_: Any, call_tool: Any, name: str, args: dict[str, Any]) -> Any:
        for listed in await list_tools():
            if listed.name == name and (ours := checkers.get(name, listed.input_schema)):
                with reraised_as(ModelRetry, ToolFailed):
                    args = ours.prepare(args).arguments
        return await call_tool(name, args)

    return coerced


class CoercionCapability(AbstractCapability[Any]):
    """Coerces the arguments of all tools of an agent, and its structured output.

    Malformed text is replaced in the conversation by its JSON, also if the call is refused.
    """

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        super().__init__()
        self._checkers = ToolCache(**options)

    async def before_tool_validate(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
    ) -> str | dict[str, Any]:
        """Return the arguments as JSON text.

        Raises:
            ModelRetry: where no reading of them is valid.

        """
        tools = ctx.tool_manager.tools if ctx.tool_manager is not None else None
        tool = (tools or {}).get(tool_def.name)
        ours = self._checkers.get(
            tool_def.name,
            tool_def.parameters_json_schema,
            origin=None if tool is None else _origin(tool.args_validator),
        )
        if ours is None:
            return args

        def mend(text: str) -> None:
            call.args = text
            call.id = None  # or else OpenAI would use the text that it has stored under this id

        with reraised_as(ModelRetry, ToolFailed):
            return text_with_digits(prepare_sent(ours, args, mend, cut_off=_cuts_off(ctx, call)))

    async def on_tool_validate_error(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - the hook's signature
        *,
        call: ToolCallPart,  # noqa: ARG002
        tool_def: ToolDefinition,
        args: Any,  # noqa: ARG002
        error: Exception,
    ) -> Any:
        """Answer with our message where a type refuses what its schema accepts, such as a date.

        Raises:
            ModelRetry: for a `pydantic.ValidationError`.
            Exception: any other error.

        """
        with _our_words(tool_def.name):
            raise error

    async def on_tool_execute_error(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - the hook's signature
        *,
        call: ToolCallPart,  # noqa: ARG002
        tool_def: ToolDefinition,  # noqa: ARG002
        args: Any,  # noqa: ARG002
        error: Exception,
    ) -> Any:
        """Answer with the message of a `ToolError` that a tool's own code raises.

        Raises:
            ModelRetry: for a `ToolError`; `ToolFailed` if it is not retryable.
            Exception: any other error.

        """
        with reraised_as(ModelRetry, ToolFailed):
            raise error

    async def before_output_validate(
        self,
        ctx: RunContext[Any],
        *,
        output_context: OutputContext,
        output: Any,
    ) -> Any:
        """Return the structured output of the agent as JSON text.

        Raises:
            ModelRetry: where no reading of it is valid.

        """
        tool, declared = output_context.tool_def, output_context.object_def
        kind = output_context.output_type
        origin = None if kind is None else core_schema_of(kind)
        if tool is not None:
            ours = self._checkers.get(tool.name, tool.parameters_json_schema, origin=origin)
        elif declared is not None:
            name = declared.name or "output"
            ours = self._checkers.get(name, declared.json_schema, origin=origin)
        else:
            ours = None
        if ours is None or not isinstance(output, (str, dict)):
            return output
        with reraised_as(ModelRetry):
            cut_off = _cuts_off(ctx, output_context.tool_call)
            return prepare_sent(ours, output, cut_off=cut_off).canonical

    async def on_output_validate_error(
        self,
        ctx: RunContext[Any],  # noqa: ARG002 - the hook's signature
        *,
        output_context: OutputContext,
        output: Any,  # noqa: ARG002
        error: Exception,
    ) -> Any:
        """Answer with our message where a type refuses what its schema accepts.

        Raises:
            ModelRetry: for a `pydantic.ValidationError`.
            Exception: any other error.

        """
        tool, declared = output_context.tool_def, output_context.object_def
        with _our_words((tool and tool.name) or (declared and declared.name) or "output"):
            raise error


def _cuts_off(context: RunContext[Any], call: ToolCallPart | None) -> bool:
    """Return whether a call, or a text that is the output, may have been cut off."""
    reply = next((m for m in reversed(context.messages) if isinstance(m, ModelResponse)), None)
    if reply is None or call is None:
        return reply is not None and ended_too_soon(reply.finish_reason)
    turn = Turn(reply.tool_calls, tool_messages, reply.finish_reason)
    return turn.cuts_off(call, call.args)


@contextmanager
def _our_words(name: str) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        raise ModelRetry(str(ToolError.from_validation_error(error, name))) from error


def _origin(validator: Any) -> Any:
    """Return our tool or pydantic's core schema, by which a validator reads; None for any other."""
    if isinstance(validator, _Validator):
        return validator.ours
    return validator.__reduce__()[1][0] if type(validator) is SchemaValidator else None


@dataclass
class _WrappedToolset(WrapperToolset[Any]):
    """Another toolset, with validators that coerce the arguments of its tools."""

    checkers: ToolCache

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        tools = dict(await super().get_tools(ctx))
        for name, tool in tools.items():
            origin = _origin(tool.args_validator)
            shown = tool.tool_def.parameters_json_schema
            ours = self.checkers.get(tool.tool_def.name, shown, origin=origin)
            if ours is not None:
                validator = _Validator(ours, tool.args_validator)
                tools[name] = replace(tool, args_validator=validator)
        return tools


@dataclass(frozen=True)
class _Validator:
    """Coerces arguments by the schema, and passes their JSON on to Pydantic AI's validator."""

    ours: Tool
    theirs: Any

    def validate_json(self, input: Any, **options: Any) -> Any:  # noqa: A002
        with reraised_as(ModelRetry, ToolFailed):
            text = text_with_digits(self.ours.prepare(input))
        with _our_words(self.ours.name):
            return self.theirs.validate_json(text, **options)

    def validate_python(self, input: Any, **options: Any) -> Any:  # noqa: A002
        if isinstance(input, dict):
            return self.validate_json(input, **options)
        return self.theirs.validate_python(input, **options)  # a durable run has validated it


def _validating(theirs: TheirTool[Any], ours: Tool) -> TheirTool[Any]:
    made = copy.copy(theirs)
    validator: Any = _Validator(ours, theirs.function_schema.validator)
    made.function_schema = replace(theirs.function_schema, validator=validator)
    return made
