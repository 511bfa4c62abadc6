"""Google's Agent Development Kit: exact arguments for all tools of agents, also of MCP servers.

App(name="shop", root_agent=agent, plugins=[CoercionPlugin()])  # all tools of all agents
Agent(name="shop", model=..., tools=[from_tool(tool), wrap_tool(theirs)])

The answer to a refused call is `{"error": ...}`, as the kit answers if an argument is missing.
The kit's models deliver arguments as objects: they read malformed text themselves, and the session
keeps what they made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import ours_behind
from schema2model.adapters.frameworks import Checkers, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.answering import prepare_sent
from schema2model.tools.assistant_message import ended_too_soon
from schema2model.tools.tool_cache import CheckerOptions

with extra("google-adk"):
    from google.adk.plugins import BasePlugin
    from google.adk.tools import BaseTool, ToolContext
    from google.genai.types import FunctionDeclaration

__all__ = ["CoercionPlugin", "from_tool", "wrap_tool"]


def _seen(theirs: BaseTool) -> Seen | None:
    """Return how models see a tool, if it shows itself to them.

    The declaration's method has an underscore, but the kit documents it for tools to override.
    """
    declaration = theirs._get_declaration()
    if declaration is None:
        return None
    schema = declaration.parameters_json_schema or declaration.parameters
    return None if schema is None else Seen(theirs.name, schema, ours_behind(theirs))


def _is_cut_off(context: ToolContext) -> bool:
    """Return whether a call is the last of a reply that ended too soon."""
    for event in reversed(context.session.events):
        calls = event.get_function_calls()
        if any(call.id == context.function_call_id for call in calls):
            return calls[-1].id == context.function_call_id and ended_too_soon(event.finish_reason)
    return False


_ADK = Framework(
    BaseTool,
    _seen,
    refuse=lambda error: {"error": str(error)},
    context=ToolContext,
    application=lambda context: context.state.to_dict(),
    cut_off=_is_cut_off,
)


def from_tool(tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any) -> BaseTool:
    """Return a tool of the kit that runs a schema2model tool, in a thread if it is synchronous.

    Args:
        tool: one with a function; what is injected is a value in the session's state, or the
            `ToolContext`. Its own `ToolError` is answered as a refused call is; other exceptions
            end the run. One of `Toolset(tools, strict="gemini")` shows its projection.
        inject: values for injected parameters, by name.
        options: what else the kit's `BaseTool` has: `is_long_running`, `custom_metadata`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    return _FromTool(Ours(_ADK, tool, inject), **options)


class _FromTool(BaseTool):
    """A tool of ours."""

    def __init__(self, runs: Ours, **options: Any) -> None:
        ours = runs.tool
        super().__init__(name=ours.name, description=ours.description, **options)
        self._runs = runs
        self._schema = ours.shown_schema

    def _get_declaration(self) -> FunctionDeclaration:
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return await self._runs.acall(args, tool_context)


def wrap_tool(theirs: BaseTool, **options: Unpack[CheckerOptions]) -> BaseTool:
    """Return a copy of a tool of the kit that coerces its arguments first.

    It is `theirs` itself if it has no schema, or one that cannot be compiled.
    """
    return wrapped(_ADK, theirs, _Coercing, **options)


class _Coercing(BaseTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        try:
            cut_off = _is_cut_off(tool_context)
            args = prepare_sent(self._checker, args, cut_off=cut_off).arguments
        except ToolError as error:
            return _ADK.refuse(error)
        return await super().run_async(args=args, tool_context=tool_context)


class CoercionPlugin(BasePlugin):
    """Coerces the arguments of all tools of the agents of an app.

    It comes before an agent's own callbacks, which are shown what the tool will get.
    """

    def __init__(self, name: str = "schema2model", **options: Unpack[CheckerOptions]) -> None:
        super().__init__(name)
        self._checkers = Checkers(_ADK, **options)

    async def before_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
    ) -> dict[str, Any] | None:
        """Change the arguments, or answer in place of the tool."""
        try:
            cut_off = _is_cut_off(tool_context)
            arguments = dict(self._checkers.arguments(tool, tool_args, cut_off=cut_off))
        except ToolError as error:
            return _ADK.refuse(error)
        tool_args.clear()
        tool_args.update(arguments)
        return None
