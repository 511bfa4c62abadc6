"""FastMCP: exact arguments for all tools of a server, its proxies' and mounted servers' included.

server = create_proxy("https://example.org/mcp"); server.add_middleware(CoercionMiddleware())
server.add_tool(from_tool(tool))  # one of ours, with its own schema
server.add_tool(wrap_tool(theirs))  # or a single one of FastMCP's

What is refused is raised as FastMCP's own `ToolError`, which the model gets to read. There is no
conversation to write to.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from schema2model import Tool
from schema2model.adapters.common import (
    CheckerOptions,
    ToolCache,
    aexecute,
    compile_checker,
    execute,
    extra,
    require_theirs,
    require_tool,
    reraised_as,
)

with extra("fastmcp"):
    from fastmcp import Context
    from fastmcp.exceptions import ToolError as TheirToolError
    from fastmcp.server.dependencies import get_context
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools import Tool as TheirTool, ToolResult
    from fastmcp.utilities.async_utils import call_sync_fn_in_threadpool
    from fastmcp.utilities.versions import VersionSpec
    from mcp.types import CallToolRequestParams

__all__ = ["CoercionMiddleware", "from_tool", "wrap_tool"]


def from_tool(tool: Tool, **options: Any) -> TheirTool:
    """A tool for `FastMCP.add_tool` that runs ours.

    Args:
        tool: one with a function; all parameters that it has injected get FastMCP's `Context`.
        options: what else FastMCP's `Tool` has: `title`, `tags`, `annotations`, `output_schema`...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    require_tool(tool)
    parameters = tool.shown_schema
    described = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return _FromTool(ours=tool, **described, **options)


def wrap_tool(theirs: TheirTool, **options: Unpack[CheckerOptions]) -> TheirTool:
    """A tool of FastMCP's with its arguments coerced before it sees them, and otherwise the same.

    It is `theirs` itself if its schema cannot be compiled.
    """
    require_theirs(theirs, TheirTool, "wrap_tool")
    ours = compile_checker(theirs.name, theirs.parameters, **options)
    if ours is None:
        return theirs
    shared = {name: getattr(theirs, name) for name in TheirTool.model_fields}
    return _CoercingTool(ours=ours, theirs=theirs, **shared)


class CoercionMiddleware(Middleware):
    """Coerces the arguments of every call before the tool sees them.

    A tool's schema is compiled when it is first called, and again if it has changed.
    """

    def __init__(self, **options: Unpack[CheckerOptions]) -> None:
        self._checkers = ToolCache(**options)

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Pass a call on with its arguments as the tool takes them."""
        message = context.message
        ours = await self._checker(message, context.fastmcp_context)
        if ours is not None:
            with reraised_as(TheirToolError):
                arguments = ours.prepare(message.arguments or {}).arguments
            context = context.copy(message=message.model_copy(update={"arguments": arguments}))
        return await call_next(context)

    async def _checker(
        self, message: CallToolRequestParams, context: Context | None
    ) -> Tool | None:
        theirs = context and await context.fastmcp.get_tool(message.name, _version(message))
        if not theirs:
            return None
        return self._checkers.get(message.name, theirs.parameters, theirs.key)


class _FromTool(TheirTool):
    """A tool of ours."""

    ours: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        tool: Tool = self.ours
        with reraised_as(TheirToolError):
            prepared = tool.prepare(arguments)
            context = get_context() if tool.injected else None
            if tool.asynchronous:
                result = await aexecute(prepared, context)
            else:
                result = await call_sync_fn_in_threadpool(execute, prepared, context)
        return self.convert_result(result)


class _CoercingTool(TheirTool):
    """A tool of theirs, with its arguments coerced."""

    ours: Any
    theirs: TheirTool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        with reraised_as(TheirToolError):
            arguments = self.ours.prepare(arguments).arguments
        return await self.theirs.run(arguments)


def _version(message: CallToolRequestParams) -> VersionSpec | None:
    """The version of the tool that a call asks for, if it asks for one."""
    meta: Any = message.meta or {}
    asked = (meta.get("fastmcp") or {}).get("version")
    return VersionSpec(**({"eq": asked} if isinstance(asked, str) else asked)) if asked else None
