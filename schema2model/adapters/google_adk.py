"""Google's Agent Development Kit: exact arguments for tools of ours, of an agent, of MCP servers.

App(name="shop", root_agent=agent, plugins=[CoercionPlugin()])  # all tools of all agents
Agent(name="shop", model=..., tools=[from_tool(tool), wrap_tool(theirs)])

What is refused is answered with `{"error": ...}`, as the kit answers where an argument is missing.
Models hand over arguments as objects: malformed text is theirs to read, and the session keeps what
they made of it.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.common import (
    aexecute,
    coercing_copy,
    ours_behind,
    require_theirs,
    require_tool,
)
from schema2model.extras import extra
from schema2model.tools.tool_cache import CheckerOptions, ToolCache

with extra("google-adk"):
    from google.adk.plugins import BasePlugin
    from google.adk.tools import BaseTool, ToolContext
    from google.genai.types import FunctionDeclaration

__all__ = ["CoercionPlugin", "from_tool", "wrap_tool"]


def from_tool(tool: Tool, **options: Any) -> BaseTool:
    """Return a tool of the kit's that runs ours: in a thread, if its function is not asynchronous.

    Args:
        tool: one with a function; all parameters that it has injected get the `ToolContext`. Its
            own `ToolError` is answered as a refused call is; other exceptions end the run. One of
            `Toolset(tools, strict="gemini")` shows its projection.
        options: what else the kit's `BaseTool` has: `is_long_running`, `custom_metadata`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    require_tool(tool)
    return _FromTool(tool, **options)


class _FromTool(BaseTool):
    """A tool of ours."""

    def __init__(self, ours: Tool, **options: Any) -> None:
        super().__init__(name=ours.name, description=ours.description, **options)
        self._ours = ours
        self._schema = ours.shown_schema

    def _get_declaration(self) -> FunctionDeclaration:
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        try:
            return await aexecute(self._ours.prepare(args), tool_context)
        except ToolError as error:
            return _refused(error)


def wrap_tool(theirs: BaseTool, **options: Unpack[CheckerOptions]) -> BaseTool:
    """Return a copy of a tool of the kit's with its arguments coerced before it sees them.

    It is `theirs` itself if it has no schema, or one that cannot be compiled.
    """
    require_theirs(theirs, BaseTool, "wrap_tool")
    schema = _schema(theirs)
    if schema is None:
        return theirs
    return coercing_copy(theirs, _Coercing, theirs.name, schema, ours_behind(theirs), **options)


class _Coercing(BaseTool):
    """The methods that `with_methods` puts before those of a tool's own class."""

    _checker: Tool

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        try:
            args = self._checker.prepare(args).arguments
        except ToolError as error:
            return _refused(error)
        return await super().run_async(args=args, tool_context=tool_context)


class CoercionPlugin(BasePlugin):
    """Coerces the arguments of all tools that the agents of an app have.

    It comes before an agent's own callbacks, which are shown what the tool will get.
    """

    def __init__(self, name: str = "schema2model", **options: Unpack[CheckerOptions]) -> None:
        super().__init__(name)
        self._checkers = ToolCache(**options)

    async def before_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,  # noqa: ARG002 - the hook's signature
    ) -> dict[str, Any] | None:
        """Change the arguments, or answer in place of the tool."""
        schema = _schema(tool)
        origin = ours_behind(tool)
        ours = None if schema is None else self._checkers.get(tool.name, schema, origin=origin)
        if ours is not None:
            try:
                arguments = ours.prepare(tool_args).arguments
            except ToolError as error:
                return _refused(error)
            tool_args.clear()
            tool_args.update(arguments)
        return None


def _schema(theirs: BaseTool) -> Any:
    """Return the schema that a tool shows to models, if it shows itself to them.

    The declaration's method has an underscore, but the kit documents it for tools to override.
    """
    declaration = theirs._get_declaration()
    if declaration is None:
        return None
    return declaration.parameters_json_schema or declaration.parameters


def _refused(error: ToolError) -> dict[str, Any]:
    return {"error": str(error)}
