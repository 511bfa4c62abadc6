"""The MCP SDK: middleware of servers in 2.x, and what stands for it in 1.x."""

# ruff: noqa: E402 - what needs the SDK comes after the question whether it is there

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete definition"),  # in 1.26
]
pytest.importorskip("mcp", reason=needs("mcp"))

from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool as Definition
from mcp_servers import (
    DEEP,
    FEW,
    SCHEMA,
    SEARCH,
    V2,
    MCPServer,
    answering,
    called,
    connected,
    text_over_stdio,
    theirs,
)
from probe import EXACT as TYPED, MESSAGE as REFUSED, STRINGS as PROBE

from schema2model import Toolset
from schema2model.adapters.mcp import CoercionMiddleware
from schema2model.tools import tool_cache

v2 = pytest.mark.skipif(not V2, reason="mcp 1.x has neither middleware nor Client")


def raw_server(received: list[Any], *, middleware: Any = None) -> Any:
    """A low-level server of 2.x whose tool is a schema; it notes what it is sent."""
    definition = Definition.model_validate(SEARCH)

    async def list_tools(ctx: Any, params: Any) -> Any:
        return ListToolsResult(tools=[definition])

    async def call_tool(ctx: Any, params: Any) -> Any:
        received.append(params.arguments)
        return CallToolResult(content=[TextContent(type="text", text="found")])

    server: Any = Server("raw", on_list_tools=list_tools, on_call_tool=call_tool)
    if middleware is not None:
        server.middleware.append(middleware)
    return server


@v2
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_middleware_coerces_for_servers_of_raw_schemas(mode: str) -> None:
    """Alone they hand on what they are sent, in the protocol's old form and its new one."""
    received: list[Any] = []
    assert called(raw_server(received), PROBE, mode=mode) == ("found", False)
    assert received == [PROBE]

    received.clear()
    server = raw_server(received, middleware=CoercionMiddleware())
    for arguments in (PROBE, TYPED, FEW):
        assert called(server, arguments, mode=mode) == ("found", False)
    assert received == [TYPED, TYPED, FEW]

    assert called(server, {"tags": [], "limit": "many"}, mode=mode) == (REFUSED, True)
    assert len(received) == 3


@v2
def test_a_changed_list_counts_at_once() -> None:
    """A valid text stays one where the schema has become that of a text."""
    received: list[Any] = []
    definitions = [Definition.model_validate(SEARCH)]

    async def list_tools(ctx: Any, params: Any) -> Any:
        return ListToolsResult(tools=[*definitions])

    async def call_tool(ctx: Any, params: Any) -> Any:
        received.append(params.arguments)
        text = {"type": "object", "properties": {"limit": {"type": "string"}}}
        definitions[:] = [Definition.model_validate({**SEARCH, "inputSchema": text})]
        await ctx.session.send_tool_list_changed()
        return CallToolResult(content=[TextContent(type="text", text="found")])

    server: Any = Server("raw", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(CoercionMiddleware())

    async def calls() -> None:
        async with connected(server, mode="legacy") as client:
            for _ in range(2):
                await client.call_tool("search", {"tags": [], "limit": "1"})

    asyncio.run(calls())
    assert received == [{"tags": [], "limit": 1}, {"tags": [], "limit": "1"}]


TEXTS = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool
from schema2model.adapters.mcp import CoercionMiddleware
schema = {"type": "object", "properties": {"limit": {"type": "integer"}}}
async def list_tools(ctx, params):
    return ListToolsResult(tools=[Tool.model_validate({"name": "f", "inputSchema": schema})])
async def call_tool(ctx, params):
    return CallToolResult(content=[TextContent(type="text", text=repr(params.arguments))])
server = Server("raw", on_list_tools=list_tools, on_call_tool=call_tool)
server.middleware.append(CoercionMiddleware())
async def main():
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())
anyio.run(main)
"""


@v2
def test_arguments_in_a_text_are_read() -> None:
    """The SDK's model refuses them after the middleware."""
    call = {"name": "f", "arguments": "{'limit': '3'}"}
    assert text_over_stdio(TEXTS, call) == "{'limit': 3}"


@v2
def test_middleware_compiles_when_tools_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once more with every call."""
    compiled: list[str] = []
    compile_checker = tool_cache.compile_checker

    def counting(name: str, *args: Any, **options: Any) -> Any:
        compiled.append(name)
        return compile_checker(name, *args, **options)

    monkeypatch.setattr(tool_cache, "compile_checker", counting)

    async def run() -> None:
        async with connected(raw_server([], middleware=CoercionMiddleware())) as client:
            await client.list_tools()
            assert compiled == ["search"]
            for _ in range(3):
                await client.call_tool("search", PROBE)

    asyncio.run(run())
    assert compiled == ["search"]


@v2
@pytest.mark.parametrize("arguments", [None, {}, {"x": "1"}], ids=["none", "empty", "some"])
def test_middleware_leaves_unknown_tools_to_the_server(arguments: Any) -> None:
    """Whether or not it knows them."""
    received: list[Any] = []
    server = raw_server(received, middleware=CoercionMiddleware())
    assert called(server, arguments, name="other") == ("found", False)
    assert received == [arguments]


@v2
def test_unknown_names_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client may invent any number of them, of any length; few are remembered."""
    monkeypatch.setattr("schema2model.adapters.mcp.MAX_CACHED_NAMES", 3)
    middleware = CoercionMiddleware()
    server = raw_server([], middleware=middleware)

    async def run() -> None:
        async with connected(server) as client:
            for name in ("x" * 10_000, *map(str, range(10))):
                await client.call_tool(name, {})

    asyncio.run(run())
    assert middleware._checkers._unlisted == {"0", "1", "2"}


@v2
@pytest.mark.parametrize("results", ["correct", "refuse"])
def test_middleware_reads_results(results: Any) -> None:
    """By `outputSchema`; what cannot be corrected is an error of the protocol."""
    answers = iter([{"n": 3}, {"n": "3"}, {"n": "many"}])
    output = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    async def listed(ctx: Any, params: Any) -> Any:
        return ListToolsResult.model_validate(
            {"tools": [{"name": "count", "inputSchema": SCHEMA, "outputSchema": output}]}
        )

    async def call(ctx: Any, params: Any) -> Any:
        return CallToolResult.model_validate({"content": [], "structuredContent": next(answers)})

    server: Any = Server("raw", on_list_tools=listed, on_call_tool=call)
    server.middleware.append(CoercionMiddleware(results=results))

    async def run() -> None:
        async with connected(server) as client:
            for _ in range(2):
                result = await client.call_tool("count", FEW)
                assert result.structured_content == {"n": 3}
            words = "does not match its schema" if results == "refuse" else "Invalid structured"
            with pytest.raises(Exception, match=words):
                await client.call_tool("count", FEW)

    asyncio.run(run())


@v2
def test_middleware_takes_a_high_level_server_too() -> None:
    """Where the tools are functions that the SDK made into tools itself."""
    server = MCPServer("shop", tools=[theirs()], middleware=[CoercionMiddleware()])
    assert called(server, DEEP) == ("(['a'], 10, None, {'a': {'depth': 3}})", False)
    assert called(server, {"tags": [], "limit": "many"}) == (REFUSED, True)


@pytest.mark.skipif(V2, reason="2.x has middleware instead")
def test_a_low_level_server_of_1_x_prepares_in_its_handler() -> None:
    """The SDK answers stringified arguments with an error; a toolset there reads them."""
    tools = Toolset([SEARCH])
    received: list[Any] = []

    async def handle(name: str, arguments: dict[str, Any]) -> Any:
        received.append(tools.prepare(name, arguments).arguments)
        return [TextContent(type="text", text="found")]

    def server(*, validate_input: bool) -> Any:
        made: Any = Server("raw")
        made.list_tools()(answering([Definition.model_validate(SEARCH)]))
        made.call_tool(validate_input=validate_input)(handle)
        return made

    text, is_error = called(server(validate_input=True), PROBE)
    assert is_error
    assert text.startswith("Input validation error")
    ours = server(validate_input=False)
    assert called(ours, PROBE) == ("found", False)
    assert received == [TYPED]
    assert called(ours, {"tags": [], "limit": "many"}) == (REFUSED, True)
