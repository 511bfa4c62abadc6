"""LiveKit Agents: exact arguments for schema2model tools, LiveKit's own, and MCP servers.

tools = [from_tool(tool) for tool in Toolset.from_object(shop, inject=RunContext)]
tools += [wrap_tool(lookup)]  # a function or raw tool of LiveKit
tools += [MCPToolset(id="git", mcp_server=wrap_server(MCPServerStdio(...)))]

LiveKit itself parses the text of a call, puts its JSON in the conversation, and passes it to the
tool. A refused call reaches the model as LiveKit's own `ToolError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import Unpack

from schema2model import Tool
from schema2model.adapters.common import require_server, reraised_as
from schema2model.adapters.frameworks import Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.tool_cache import CheckerOptions, checker_options

with extra("livekit"):
    from livekit.agents import RunContext, llm
    from livekit.agents.llm.tool_context import CONFIRM_DUPLICATE_PARAM, RawFunctionToolInfo
    from livekit.agents.llm.utils import build_legacy_openai_schema, prepare_function_arguments

if TYPE_CHECKING:  # LiveKit runs without the package of MCP
    from livekit.agents.llm.mcp import MCPServer

__all__ = ["from_tool", "raw_info", "wrap_server", "wrap_tool"]


def _seen(theirs: llm.FunctionTool[..., Any] | llm.RawFunctionTool[..., Any]) -> Seen:
    info = raw_info(theirs)
    return Seen(info.name, _tool_parameters(info))


_LIVEKIT = Framework(
    (llm.FunctionTool, llm.RawFunctionTool),
    _seen,
    context=RunContext,
    application=lambda context: context.userdata,
)


def from_tool(
    tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any
) -> llm.RawFunctionTool[..., Any]:
    """Return a raw function tool that runs a schema2model tool in the session's event loop.

    Args:
        tool: one with a function; what is injected is the session's `userdata`, a value in it, or
            LiveKit's `RunContext`.
        inject: values for injected parameters, by name.
        options: other options of LiveKit's `function_tool`: `flags`, `on_duplicate`,
            `duplicate_scope`.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_LIVEKIT, tool, inject)

    # LiveKit fills in what is annotated as its context, and outside of a session there is none.
    async def call(raw_arguments: dict[str, Any], **context: RunContext[Any]) -> Any:
        with reraised_as(llm.ToolError):
            return await ours.aexecute(
                ours.prepare(raw_arguments), *context.values(), threaded=False
            )

    raw_schema = tool.definition("openai")["function"]
    return llm.function_tool(call, raw_schema=raw_schema, **options)


def wrap_tool(
    theirs: llm.FunctionTool[..., Any] | llm.RawFunctionTool[..., Any],
    **options: Unpack[CheckerOptions],
) -> llm.FunctionTool[..., Any] | llm.RawFunctionTool[..., Any]:
    """Return a LiveKit tool that coerces its arguments first.

    It is a raw tool, since LiveKit validates the arguments of others before they run. Its name,
    schema, flags and handling of duplicates are those of `theirs`. A tool is returned itself if its
    schema cannot be compiled. An agent's own methods are wrapped by
    `agent.update_tools([wrap_tool(t) for t in agent.tools])`.
    """
    return wrapped(_LIVEKIT, theirs, _checked, **options)


def _checked(theirs: Any, checker: Tool) -> llm.RawFunctionTool[..., Any]:
    async def call(raw_arguments: dict[str, Any], **context: RunContext[Any]) -> Any:
        with reraised_as(llm.ToolError):
            arguments = checker.prepare(raw_arguments).arguments
            args, kwargs = prepare_function_arguments(
                fnc=theirs, json_arguments=arguments, call_ctx=context.get("context")
            )
            return await theirs(*args, **kwargs)

    call.__doc__ = theirs.__doc__
    return llm.RawFunctionTool(call, raw_info(theirs))


def wrap_server(server: MCPServer, **options: Unpack[CheckerOptions]) -> MCPServer:
    """Return an MCP server, for `mcp_servers=` or `MCPToolset`, with all its tools wrapped.

    They are wrapped whenever LiveKit lists them. All else is read from `server`, and set there.
    """
    require_server(server)
    return cast("MCPServer", _WrappedServer(server, **options))


class _WrappedServer:
    """Wraps the tools in a server's list, and leaves all else to that server."""

    def __init__(self, theirs: MCPServer, **options: Unpack[CheckerOptions]) -> None:
        self._theirs = theirs
        self._options = checker_options(**options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._theirs, name)

    async def list_tools(self, **options: Any) -> list[Any]:
        tools = await self._theirs.list_tools(**options)
        return [wrap_tool(tool, **self._options) for tool in tools]


def raw_info(
    theirs: llm.FunctionTool[..., Any] | llm.RawFunctionTool[..., Any],
) -> RawFunctionToolInfo:
    """Return the `RawFunctionToolInfo` of a tool, with the schema that LiveKit shows to models."""
    if isinstance(theirs, llm.RawFunctionTool):
        return theirs.info
    return RawFunctionToolInfo(
        name=theirs.info.name,
        raw_schema=build_legacy_openai_schema(theirs)["function"],
        flags=theirs.info.flags,
        on_duplicate=theirs.info.on_duplicate,
        duplicate_scope=theirs.info.duplicate_scope,
    )


def _tool_parameters(info: RawFunctionToolInfo) -> Any:
    """Return the schema of the arguments that reach the tool, without the one that LiveKit adds."""
    parameters = info.raw_schema["parameters"]
    if info.on_duplicate != "confirm":
        return parameters
    required = [name for name in parameters.get("required", ()) if name != CONFIRM_DUPLICATE_PARAM]
    return {**parameters, "required": required}
