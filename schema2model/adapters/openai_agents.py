"""The OpenAI Agents SDK: exact arguments for schema2model tools, the SDK's, and MCP servers.

Agent(name="...", tools=[from_tool(tool), wrap_tool(theirs)], mcp_servers=[wrap_server(server)])
Runner.run(agent, "...", run_config=RunConfig(call_model_input_filter=mended))

The output of a refused call is the message, instead of "An error occurred while running the tool".
Tools of `from_tool` and `wrap_tool` replace malformed text in the conversation by its JSON. The SDK
itself refuses such text for other tools and MCP servers; `mended` replaces it before the next
request.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, cast

from typing_extensions import Unpack

from schema2model import Tool, ToolError
from schema2model.adapters.frameworks import CheckedServer, Framework, Ours, Seen, wrapped
from schema2model.extras import extra
from schema2model.tools.answering import prepare_sent
from schema2model.tools.assistant_message import ended_too_soon, reason_word
from schema2model.tools.conversation import refused_result
from schema2model.tools.preparing import replace_text
from schema2model.tools.tool_cache import CheckerOptions

with extra("openai-agents"):
    from agents import FunctionTool
    from agents.mcp import MCPServer
    from agents.run import CallModelData, ModelInputData
    from agents.tool_context import ToolContext
    from mcp.types import CallToolResult

__all__ = ["from_tool", "mended", "wrap_server", "wrap_tool"]


_AGENTS = Framework(
    FunctionTool,
    lambda theirs: Seen(theirs.name, theirs.params_json_schema),
    refuse=str,
    context=ToolContext,
    application=lambda context: context.context,
    cut_off=lambda context: ended_too_soon(reason_word(context.tool_call)),
)


def from_tool(
    tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any
) -> FunctionTool:
    """Return a function tool that runs a schema2model tool, in a thread if it is synchronous.

    Args:
        tool: one with a function; what is injected is the run's `context`, a value in it, or the
            `ToolContext`. What it raises other than `ToolError` ends the run, as for all function
            tools. One of `Toolset(tools, strict="openai")` is strict.
        inject: values for injected parameters, by name.
        options: what else the SDK's `FunctionTool` has: `needs_approval`, `timeout_seconds`, ...

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(_AGENTS, tool, inject)

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        return await ours.acall(text, context, context.tool_call)

    is_strict = tool.strict is not None
    schema = tool.shown_schema if is_strict else tool.definition("openai")["function"]["parameters"]
    options = {"strict_json_schema": is_strict, **options}
    return FunctionTool(tool.name, tool.description, schema, invoke, **options)


def wrap_tool(theirs: FunctionTool, **options: Unpack[CheckerOptions]) -> FunctionTool:
    """Return a copy of a function tool that coerces its arguments first.

    The schema that models are shown is what counts: if it is strict, it requires all properties.
    Formats are asserted unless `formats="annotate"`: what Python types the function has is not
    known, and pydantic makes the date 1970-01-01 of `"0"`. The tool is returned itself if its
    schema cannot be compiled.
    """
    asserting: CheckerOptions = {"formats": "assert", **options}
    return wrapped(_AGENTS, theirs, _checked, **asserting)


def _checked(theirs: FunctionTool, ours: Tool) -> FunctionTool:
    made = copy.copy(theirs)
    theirs_invoke = made.on_invoke_tool

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        try:
            cut_off = _AGENTS.cut_off(context)
            prepared = prepare_sent(ours, text, context.tool_call, cut_off=cut_off)
        except ToolError as error:
            return str(error)
        return await theirs_invoke(context, prepared.canonical)

    made.on_invoke_tool = invoke
    return made


def wrap_server(server: MCPServer, **options: Unpack[CheckerOptions]) -> MCPServer:
    """Return an MCP server that coerces the arguments of calls, and is otherwise `server`.

    It is connected when `server` is.
    """
    return cast("MCPServer", CheckedServer(server, _refused, **options))


def _refused(error: ToolError) -> CallToolResult:
    return CallToolResult.model_validate(refused_result(error))


def mended(data: CallModelData[Any]) -> ModelInputData:
    """Return a `call_model_input_filter` that replaces malformed arguments by their JSON."""
    items = [_mend_item(item) for item in data.model_data.input]
    return ModelInputData(items, data.model_data.instructions)


def _mend_item(item: Any) -> Any:
    if item.get("type") != "function_call":
        return item
    call = dict(item)
    replace_text(call["arguments"], call)
    return item if call == item else call
