"""Servers of the MCP SDK, 1.x or 2.x, in memory, and calls of their tools."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import mcp
from forking import python
from mcp.types import TextContent

__all__ = [
    "DEEP",
    "FEW",
    "SCHEMA",
    "SEARCH",
    "V2",
    "Context",
    "MCPServer",
    "TheirTool",
    "answer",
    "answering",
    "called",
    "connected",
    "text_over_stdio",
    "theirs",
]

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.tools.base import Tool as TheirTool

    V2 = True
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as MCPServer
    from mcp.server.fastmcp.tools.base import Tool as TheirTool
    from mcp.shared.memory import create_connected_server_and_client_session

    V2 = False

FEW = {"tags": ["a", "b"], "limit": 3}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer"},
        "active": {"type": "boolean"},
        "page": {"type": ["integer", "null"]},
        "opts": {"type": "object", "properties": {"depth": {"type": "integer"}}},
    },
    "required": ["tags", "limit"],
}
SEARCH = {"name": "search", "description": "Look up.", "inputSchema": SCHEMA}


@contextlib.asynccontextmanager
async def connected(server: Any, **options: Any) -> AsyncIterator[Any]:
    """A plain client of a server in memory."""
    connect = mcp.Client if V2 else create_connected_server_and_client_session
    async with connect(server, **options) as client:
        yield client


def called(server: Any, arguments: Any, name: str = "search", **options: Any) -> tuple[str, bool]:
    """The text of one call's result, and whether it is an error."""

    async def call() -> Any:
        async with connected(server, **options) as client:
            return answer(await client.call_tool(name, arguments))

    return asyncio.run(call())


def answer(result: Any) -> tuple[str, bool]:
    """What a model gets to read of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text, result.model_dump(by_alias=True)["isError"]


def answering(value: Any) -> Any:
    """What returns a value once it is awaited."""

    async def answered() -> Any:
        return value

    return answered


def theirs() -> TheirTool:
    """A function as the SDK takes it."""

    def search(
        tags: list[str],
        limit: int,
        note: str | None = None,
        options: dict[str, dict[str, int]] | None = None,
    ) -> str:
        return repr((tags, limit, note, options))

    return TheirTool.from_function(search, title="Search")


DEEP = {"tags": '["a"]', "limit": "10", "options": {"a": '{"depth": "3"}'}}


def text_over_stdio(server: str, call: dict[str, Any]) -> str:
    """The text that a program of a server answers to a call, which the SDK's client may refuse."""
    params: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
    params["clientInfo"] = {"name": "raw", "version": "1"}
    messages = [
        {"id": 0, "method": "initialize", "params": params},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": call},
    ]
    with subprocess.Popen(  # noqa: S603 - our own
        [python(), "-c", server], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        for each in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
            process.stdin.flush()
            if "id" in each:
                last = json.loads(process.stdout.readline())
        process.kill()
    return str(last["result"]["content"][0]["text"])
