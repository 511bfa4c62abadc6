"""The Claude Agent SDK: exact arguments for tools of in-process servers and MCP servers.

shop = wrap_server(create_sdk_mcp_server("shop", tools=[from_tool(tool), theirs]))
ClaudeAgentOptions(mcp_servers={"shop": shop, "git": {...}}, hooks=coercion({"git": definitions}))

The SDK validates the arguments of in-process tools before they run, so you cannot wrap a tool
alone, but its server. A refused call is an error result, or the reason of a denied call.
Claude Code reads the text of calls itself, and undoes some mistakes on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import Unpack

from schema2model import SchemaError, Tool, ToolError
from schema2model.adapters.frameworks import Framework, Ours
from schema2model.extras import extra
from schema2model.logs import logger_named
from schema2model.tools.result_writing import result_text
from schema2model.tools.tool_cache import CheckerOptions, checker_options, compile_checker

with extra("claude-agent-sdk"):
    from claude_agent_sdk import HookMatcher, SdkMcpTool
    from claude_agent_sdk.types import HookContext, HookEvent, HookInput, McpSdkServerConfig

LOGGER = logger_named("schema2model.adapters")

__all__ = ["coercion", "from_tool", "wrap_server"]


def from_tool(
    tool: Tool, *, inject: Mapping[str, Any] | None = None, **options: Any
) -> SdkMcpTool[Any]:
    """Return a tool for `create_sdk_mcp_server` that runs a schema2model tool.

    It needs `wrap_server` or `coercion`, as the SDK would else refuse what is not exact. A result
    is text, or JSON where it has any; one that has `content` is the SDK's own.

    Args:
        tool: one with a function.
        inject: values for injected parameters, by name; the SDK itself has none for tools.
        options: what else the SDK's `SdkMcpTool` has: `annotations`.

    Raises:
        ValueError: for a schema that is not of objects.

    """
    ours = Ours(Framework(), tool, inject)

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        result = await ours.acall(arguments)
        if isinstance(result, dict) and "content" in result:
            return result
        return {"content": [{"type": "text", "text": result_text(result)}]}

    # A schema without properties is taken for a mapping of names to types.
    schema = {"properties": {}, **tool.shown_schema}
    return SdkMcpTool(tool.name, tool.description, schema, call, **options)


def wrap_server(
    server: McpSdkServerConfig, **options: Unpack[CheckerOptions]
) -> McpSdkServerConfig:
    """Make an in-process server coerce the arguments of calls, and return it.

    Raises:
        TypeError: for another object, and with version 1 of the MCP SDK, whose servers have no
            middleware; there are hooks.

    """
    from schema2model.adapters.mcp import CoercionMiddleware  # noqa: PLC0415 - it needs mcp 2.x

    instance: Any = server.get("instance") if isinstance(server, Mapping) else None
    if instance is None:
        message = "wrap_server takes what create_sdk_mcp_server returns; for others, use coercion()"
        raise TypeError(message)
    if not hasattr(instance, "middleware"):
        message = "servers have middleware since version 2 of the package mcp; use coercion()"
        raise TypeError(message)
    instance.middleware.append(CoercionMiddleware(**options))
    return server


def coercion(
    servers: Mapping[str, Iterable[Any]], **options: Unpack[CheckerOptions]
) -> dict[HookEvent, list[HookMatcher]]:
    """Return hooks for `ClaudeAgentOptions` that coerce the arguments of calls to MCP servers.

    A hook gets no schema, so it needs the tools. It grants no permission.

    Args:
        servers: definitions of tools by the names of their servers, as a server lists them, or as
            `Tool.from_definition` takes them, or schema2model tools.
        options: see `CheckerOptions`.

    """
    options = checker_options(**options)
    checkers = {
        _name(server, tool.name): ours
        for server, tools in servers.items()
        for tool in map(_readable_tool, tools)
        if tool and (ours := compile_checker(_name(server, tool.name), tool.schema, **options))
    }

    async def coerce(given: HookInput, tool_use_id: str | None, context: HookContext) -> Any:  # noqa: ARG001
        asked: Any = given
        ours = checkers.get(asked["tool_name"])
        if ours is None:
            return {}
        output = {"hookEventName": "PreToolUse"}
        try:
            output["updatedInput"] = ours.prepare(asked["tool_input"]).arguments
        except ToolError as error:
            output.update(permissionDecision="deny", permissionDecisionReason=str(error))
        return {"hookSpecificOutput": output}

    return {"PreToolUse": [HookMatcher(matcher="mcp__.*", hooks=[coerce])]}


def _readable_tool(definition: Any) -> Tool | None:
    """Return the tool of a definition; the log says why there is none."""
    try:
        return definition if isinstance(definition, Tool) else Tool.from_definition(definition)
    except SchemaError as error:
        LOGGER.warning("the arguments of a tool stay as they are: %s", error)
        return None


def _name(server: str, tool: str) -> str:
    """Return the name that Claude Code gives to the tool of a server."""
    return "__".join(["mcp", *(re.sub(r"[^a-zA-Z0-9_-]", "_", part) for part in (server, tool))])
