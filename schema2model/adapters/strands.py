"""Strands Agents: exact arguments for all tools of an agent, also of MCP servers.

Agent(model, tools=[...], hooks=[CoercionHook()])  # all tools, wherever they come from
Agent(model, tools=[from_tool(tool), wrap_tool(theirs)])

A refused call gets a tool result with the status "error". Strands parses the text of calls itself,
before any of this, and turns text that is not JSON into an empty object; the conversation does not
change.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import ours_behind
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.result_writing import result_text
from schema2model.tools.tool_cache import CheckerOptions

with extra("strands"):
    from strands import ToolContext
    from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
    from strands.types.events import ToolResultEvent
    from strands.types.tools import AgentTool, ToolSpec, ToolUse

__all__ = ["CoercionHook", "from_tool", "wrap_tool"]


def _seen(theirs: AgentTool) -> Seen:
    schema: Any = theirs.tool_spec["inputSchema"]
    return Seen(theirs.tool_name, schema.get("json", schema), ours_behind(theirs))


_STRANDS = Framework(
    AgentTool,
    _seen,
    refuse=lambda error: {"status": "error", "content": [{"text": str(error)}]},
    context=ToolContext,
    application=lambda context: context.invocation_state,
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None) -> AgentTool:
    """Return a Strands tool that runs a schema2model tool, in a thread if it is synchronous.

    A result is text, or JSON where it has any; one in the shape of Strands' `ToolResult` is that.

    Args:
        tool: one with a function; what is injected is a value in the `invocation_state`, or the
            `ToolContext`.
        inject: values for injected parameters, by name.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    return _FromTool(Ours(_STRANDS, tool, inject))


class _FromTool(AgentTool):
    """A tool of ours."""

    def __init__(self, runs: Ours) -> None:
        super().__init__()
        self._runs = runs
        self._schema = runs.tool.shown_schema

    @property
    def tool_name(self) -> str:
        return self._runs.tool.name

    @property
    def tool_spec(self) -> ToolSpec:
        return {
            "name": self._runs.tool.name,
            "description": self._runs.tool.description,
            "inputSchema": {"json": self._schema},
        }

    @property
    def tool_type(self) -> str:
        return "schema2model"

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **_: Any
    ) -> AsyncGenerator[Any, None]:
        agent = invocation_state["agent"]
        context = ToolContext(
            tool_use=tool_use,
            agent=agent,
            invocation_state=invocation_state,
            cancel_signal=agent.cancel_signal,
        )
        yield _result_event(tool_use, await self._runs.acall(tool_use["input"], context))


def wrap_tool(theirs: AgentTool, **options: Unpack[CheckerOptions]) -> AgentTool:
    """Return a copy of a Strands tool that coerces its arguments first.

    It is `theirs` itself if its schema cannot be compiled. Tools that are decorated functions stay
    methods of their objects, and can still be called as functions.
    """
    return wrapped(_STRANDS, theirs, _Coercing, **options)


class _Coercing(AgentTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        try:
            arguments = self._checker.prepare(tool_use["input"]).arguments
        except ToolError as error:
            yield _result_event(tool_use, _STRANDS.refuse(error))
            return
        read: ToolUse = {**tool_use, "input": arguments}
        async for event in super().stream(read, invocation_state, **kwargs):  # type: ignore[safe-super]
            yield event


class CoercionHook(HookProvider):
    """Coerces the arguments of all tools of an agent, also of MCP servers."""

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._checkers = Checkers(_STRANDS, **options)

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Ask to be called before tools are."""
        registry.add_callback(BeforeToolCallEvent, self._prepare_input)

    def _prepare_input(self, event: BeforeToolCallEvent) -> None:
        try:
            arguments = self._checkers.arguments(event.selected_tool, event.tool_use["input"])
        except ToolError as error:
            event.cancel_tool = str(error)
        else:
            event.tool_use = {**event.tool_use, "input": arguments}


def _result_event(tool_use: ToolUse, result: Any) -> ToolResultEvent:
    if isinstance(result, dict) and {"status", "content"} <= result.keys():
        content, status = result["content"], result["status"]
    else:
        content, status = [{"text": result_text(result)}], "success"
    return ToolResultEvent(
        {"toolUseId": tool_use["toolUseId"], "status": status, "content": content}
    )
