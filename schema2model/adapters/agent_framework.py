"""Microsoft's Agent Framework: exact arguments for all tools of an agent, also of MCP servers.

Agent(client=client, tools=[...], middleware=[CoercionMiddleware()])  # all of an agent's functions
Agent(client=client, tools=[from_tool(tool), wrap_tool(theirs)])

The function's result is the message of a refused call, not "Argument parsing failed". Text
that is not JSON is repaired too; the conversation keeps it. The middleware runs before the one that
validates arguments, as the framework asks of all middleware that changes them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import ours_behind, with_checker
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.tool_cache import CheckerOptions

with extra("agent-framework"):
    from agent_framework import (
        Content,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
    )

__all__ = ["CoercionMiddleware", "from_tool", "wrap_tool"]


def _seen(theirs: FunctionTool) -> Seen:
    return Seen(theirs.name, theirs.parameters(), ours_behind(theirs))


_AGENT_FRAMEWORK = Framework(
    FunctionTool,
    _seen,
    context=FunctionInvocationContext,
    application=lambda context: context.kwargs,
)


def from_tool(
    tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any
) -> FunctionTool:
    """Return a function tool that runs a schema2model tool, in a thread if it is synchronous.

    Args:
        tool: one with a function; what is injected is one of the `function_invocation_kwargs`, or
            the `FunctionInvocationContext`. Its own `ToolError` is its result.
        inject: values for injected parameters, by name.
        options: what else the framework's `FunctionTool` has: `approval_mode`, `result_parser`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_AGENT_FRAMEWORK, tool, inject, is_checked=True)

    # Any name may be a property's, but hardly this one.
    async def call(
        agent_framework_context: FunctionInvocationContext | None = None, **arguments: Any
    ) -> Any:
        return await ours.acall(arguments, agent_framework_context)

    schema = tool.shown_schema
    described = {"name": tool.name, "description": tool.description, "input_model": schema}
    return with_checker(_FromTool(func=call, **described, **options), tool)


def wrap_tool(theirs: FunctionTool, **options: Unpack[CheckerOptions]) -> FunctionTool:
    """Return a copy of a function tool with its arguments coerced before the framework checks them.

    It is `theirs` itself if its schema cannot be compiled.
    """
    return wrapped(_AGENT_FRAMEWORK, theirs, _Coercing, **options)


class _Coercing(FunctionTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    async def invoke(
        self,
        *,
        arguments: BaseModel | Mapping[str, Any] | None = None,
        context: FunctionInvocationContext | None = None,
        skip_parsing: bool = False,
        **options: Any,
    ) -> Any:
        given = context.arguments if arguments is None and context is not None else arguments
        if given is not None:  # else they are among the options, which Python has written
            try:
                arguments = self._checker.prepare(_sent(given, self._checker)).arguments
            except ToolError as error:
                if skip_parsing:  # a program called it
                    raise
                return [Content.from_text(str(error))]
        return await super().invoke(
            arguments=arguments,
            context=context,
            skip_parsing=skip_parsing,  # type: ignore[call-overload]
            **options,
        )


class _FromTool(_Coercing):
    async def invoke(self, **options: Any) -> Any:
        try:
            return await super().invoke(**options)
        except ToolError as error:
            if options.get("skip_parsing"):
                raise
            return [Content.from_text(str(error))]


class CoercionMiddleware(FunctionMiddleware):
    """Coerces the arguments of all functions of an agent, also of MCP servers."""

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._checkers = Checkers(_AGENT_FRAMEWORK, **options)

    async def process(
        self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        """Pass a call on with its arguments as the function takes them, or answer it."""
        ours = self._checkers.of(context.function)
        if ours is not None:
            try:
                context.arguments = ours.prepare(_sent(context.arguments, ours)).arguments
            except ToolError as error:
                context.result = str(error)
                return
        await call_next()


def _sent(given: BaseModel | Mapping[str, Any], ours: Tool) -> Any:
    """The arguments that the model sent, as JSON: a pydantic model of the function may hold dates.

    Text that is not an object is under a name that the framework gives it.
    """
    if isinstance(given, BaseModel):
        given = given.model_dump(by_alias=True, exclude_unset=True)
    if given.keys() == {"raw"} and isinstance(given["raw"], (str, list)):
        schema = ours.schema
        if not isinstance(schema, dict) or "raw" not in schema.get("properties", {}):
            return given["raw"]
    try:
        return to_jsonable_python(given)
    except ValueError:
        return given  # which the schema refuses with a reason
