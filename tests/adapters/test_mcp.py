"""The MCP SDK, 1.x and 2.x: servers in memory and over stdio, without a model."""

# ruff: noqa: E402 - what needs the SDK comes after the question whether it is there

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete definition"),  # in 1.26
]
pytest.importorskip("mcp", reason=needs("mcp"))

import mcp
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.server.lowlevel import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool as Definition
from probe import EXACT as TYPED, MESSAGE as REFUSED, STRINGS as PROBE

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters import mcp as adapter
from schema2model.adapters.mcp import CoercingSession, CoercionMiddleware, from_tool, wrap_tool

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.tools.base import Tool as TheirTool

    V2 = True
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as MCPServer
    from mcp.server.fastmcp.tools.base import Tool as TheirTool
    from mcp.shared.memory import create_connected_server_and_client_session

    V2 = False

v2 = pytest.mark.skipif(not V2, reason="mcp 1.x has neither middleware nor Client")

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


def _answering(value: Any) -> Any:
    async def answering() -> Any:
        return value

    return answering


def noting(received: list[Any]) -> Any:
    """A handler of raw arguments that notes them."""

    def handler(raw_arguments: dict[str, Any]) -> str:
        received.append(raw_arguments)
        return "found"

    return handler


# ------------------------------------------------------------------------------ tools of ours
@pytest.mark.parametrize(
    ("sent", "arrived"),
    [
        pytest.param(PROBE, TYPED, id="stringified"),
        pytest.param(TYPED, TYPED, id="correct"),
        pytest.param(FEW, FEW, id="unset-stay-unset"),
    ],
)
def test_a_tool_of_ours_gets_exact_arguments(sent: Any, arrived: Any) -> None:
    """Typed, plain dicts inside, and nothing that was not sent."""
    received: list[Any] = []
    server = MCPServer("shop", tools=[from_tool(Tool.from_schema(SEARCH, noting(received)))])
    assert called(server, sent) == ("found", False)
    assert received == [arrived]
    assert repr(received[0]) == repr(arrived)


def test_a_tool_of_ours_is_listed_as_it_was_defined() -> None:
    """Name, description, schema, and what else the SDK knows of tools."""
    tool = from_tool(Tool.from_schema(SEARCH, noting([])), title="Search")

    async def listed() -> Any:
        async with connected(MCPServer("shop", tools=[tool])) as client:
            return (await client.list_tools()).tools

    (definition,) = asyncio.run(listed())
    described = definition.model_dump(by_alias=True, exclude_none=True)
    assert described == {**SEARCH, "title": "Search"}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_what_is_injected_is_the_context(asynchronous: bool) -> None:  # noqa: FBT001
    """Functions of ours may ask for it, of either kind."""

    def search(limit: int, ctx: Context) -> str:  # type: ignore[type-arg]
        return f"{limit} {type(ctx).__name__} {ctx.request_id is not None}"

    async def asearch(limit: int, ctx: Context) -> str:  # type: ignore[type-arg]
        return search(limit, ctx)

    function = asearch if asynchronous else search
    tool = Tool.from_function(function, name="search", inject=Context)
    server = MCPServer("shop", tools=[from_tool(tool)])
    assert called(server, {"limit": "10"}) == ("10 Context True", False)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_what_a_tool_of_ours_refuses_is_told_to_the_model(asynchronous: bool) -> None:  # noqa: FBT001
    """Arguments, and what the tool's own code raises for the model."""

    def search(limit: int) -> str:
        message = "there is nothing"
        raise ToolError(message)

    async def asearch(limit: int) -> str:
        return search(limit)

    function = asearch if asynchronous else search
    server = MCPServer("shop", tools=[from_tool(Tool.from_function(function, name="search"))])
    assert called(server, {"limit": "many"}) == (f"Error executing tool search: {REFUSED}", True)
    assert called(server, {"limit": 1}) == ("Error executing tool search: there is nothing", True)


# ---------------------------------------------------------------------------- tools of theirs
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
NOTE = {"tags": [], "limit": 1, "note": "[1,2]"}


@pytest.mark.parametrize(
    ("sent", "refusal", "result"),
    [
        pytest.param(DEEP, "valid dictionary", "(['a'], 10, None, {'a': {'depth': 3}})", id="deep"),
        pytest.param(NOTE, "valid string", "([], 1, '[1,2]', None)", id="text-that-is-json"),
        pytest.param(FEW, None, "(['a', 'b'], 3, None, None)", id="correct"),
    ],
)
def test_a_wrapped_tool_takes_what_it_alone_refuses(sent: Any, refusal: Any, result: str) -> None:
    """The SDK parses strings at the top only, and those that should stay strings as well."""
    text, is_error = called(MCPServer("shop", tools=[theirs()]), sent)
    assert is_error == bool(refusal)
    assert (refusal or result) in text
    assert called(MCPServer("shop", tools=[wrap_tool(theirs())]), sent) == (result, False)


def test_a_wrapped_tool_tells_the_model_what_is_wrong() -> None:
    """In our words."""
    server = MCPServer("shop", tools=[wrap_tool(theirs())])
    assert called(server, {"tags": [], "limit": "many"}) == (REFUSED, True)


def test_a_wrapped_tool_is_otherwise_the_same() -> None:
    """Its schemas too, of arguments and of results."""
    tool, wrapped = theirs(), wrap_tool(theirs())
    assert wrapped.output_schema == tool.output_schema
    unlike = {"fn", "fn_metadata"}
    assert wrapped.model_dump(exclude=unlike) == tool.model_dump(exclude=unlike)


def test_a_tool_with_a_broken_schema_is_left_alone() -> None:
    """It works as it did."""
    tool = theirs()
    tool.parameters = {"type": "nothing"}
    assert wrap_tool(tool) is tool


# --------------------------------------------------------------------------------- middleware
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
def test_middleware_compiles_when_tools_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once more with every call."""
    compiled: list[str] = []
    compile_checker = adapter.compile_checker

    def counting(name: str, *args: Any) -> Any:
        compiled.append(name)
        return compile_checker(name, *args)

    monkeypatch.setattr(adapter, "compile_checker", counting)

    async def run() -> None:
        async with connected(raw_server([], middleware=CoercionMiddleware())) as client:
            await client.list_tools()
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
        made.list_tools()(_answering([Definition.model_validate(SEARCH)]))
        made.call_tool(validate_input=validate_input)(handle)
        return made

    text, is_error = called(server(validate_input=True), PROBE)
    assert is_error
    assert text.startswith("Input validation error")
    ours = server(validate_input=False)
    assert called(ours, PROBE) == ("found", False)
    assert received == [TYPED]
    assert called(ours, {"tags": [], "limit": "many"}) == (REFUSED, True)


# ------------------------------------------------------------------------------------ clients
@contextlib.asynccontextmanager
async def session(
    kind: Any, *args: str, command: str = sys.executable, **options: Any
) -> AsyncIterator[Any]:
    """A session with a server over stdio."""
    parameters = StdioServerParameters(command=command, args=list(args))
    if not issubclass(kind, ClientSession):
        async with kind(stdio_client(parameters), **options) as client:
            yield client
        return
    async with (
        stdio_client(parameters) as (read, write),
        kind(read, write, **options) as client,
    ):
        await client.initialize()
        yield client


KINDS = [pytest.param(ClientSession, CoercingSession, id="session")]
if V2:
    KINDS.append(pytest.param(mcp.Client, adapter.CoercingClient, id="client"))
OURS = [pytest.param(kind.values[1], id=kind.id) for kind in KINDS]
ECHO = str(Path(__file__).with_name("mcp_server.py"))


@pytest.mark.parametrize(("plain", "ours"), KINDS)
def test_a_client_coerces_for_the_git_server(plain: Any, ours: Any, tmp_path: Path) -> None:
    """It refuses an array that was sent as text, written in Python's way at the latest."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # noqa: S603, S607
    (tmp_path / "a.txt").write_text("a")
    sent = {"repo_path": str(tmp_path), "files": "['a.txt']"}

    async def run() -> None:
        async with session(plain, "-m", "mcp_server_git") as client:
            _, is_error = answer(await client.call_tool("git_add", sent))
            assert is_error
        async with session(ours, "-m", "mcp_server_git") as client:
            assert answer(await client.call_tool("git_add", sent)) == (
                "Files staged successfully",
                False,
            )
            text, is_error = answer(await client.call_tool("git_add", {"files": []}))
            assert is_error
            assert text.startswith("Error parsing arguments for `git_add`:")

    asyncio.run(run())


@pytest.mark.parametrize("ours", OURS)
def test_a_client_leaves_correct_calls_of_the_time_server(ours: Any) -> None:
    """And answers hopeless ones without asking it."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time")
    hopeless = {"source_timezone": "UTC", "time": {"hour": 12}}

    async def run() -> None:
        async with session(ours, "-m", "mcp_server_time") as client:
            text, is_error = answer(await client.call_tool("get_current_time", {"timezone": "UTC"}))
            assert not is_error
            assert '"timezone": "UTC"' in text
            text, is_error = answer(await client.call_tool("convert_time", hopeless))
            assert is_error
            assert "/target_timezone: expected string (required), found nothing" in text

    asyncio.run(run())


@pytest.mark.parametrize(("plain", "ours"), KINDS)
def test_a_client_coerces_for_a_server_in_javascript(
    plain: Any, ours: Any, everything: str
) -> None:
    """It refuses numbers that were sent as text."""

    async def run() -> None:
        sent = {"a": "2", "b": "3.0"}
        async with session(plain, "stdio", command=everything) as client:
            text, is_error = answer(await client.call_tool("get-sum", sent))
            assert is_error
            assert "expected number, received string" in text
        async with session(ours, "stdio", command=everything) as client:
            text, is_error = answer(await client.call_tool("get-sum", sent))
            assert (text, is_error) == ("The sum of 2 and 3 is 5.", False)
            text, is_error = answer(await client.call_tool("get-sum", {"a": "two", "b": 3}))
            assert is_error
            refused = 'Error parsing arguments for `get-sum`:\n- /a: expected number, found "two"'
            assert text == f"{refused}; for example 1 would be accepted"

    asyncio.run(run())


@pytest.mark.parametrize("ours", OURS)
def test_a_client_reads_schemas_anew_when_told_to(ours: Any) -> None:
    """The server says that its list of tools has changed; other messages go to their handler."""
    messages: list[str] = []

    async def handler(message: Any) -> None:
        messages.append(type(getattr(message, "root", message)).__name__)

    options = {"mode": "legacy"} if V2 and not issubclass(ours, ClientSession) else {}

    async def run() -> None:
        async with session(ours, ECHO, message_handler=handler, **options) as client:
            sent = {"tags": "['a',]", "limit": " 7 "}
            text, _ = answer(await client.call_tool("search", sent))
            assert text == "(['a'], 7, False)"
            await client.call_tool("rename", {"to": "found"})
            text, _ = answer(await client.call_tool("search", {"query": "7.0"}))
            assert text == "found: 7"
            text, is_error = answer(await client.call_tool("search", {"query": "x"}))
            assert is_error
            assert text.startswith("Error parsing arguments for `search`:")

    asyncio.run(run())
    assert messages == ["ToolListChangedNotification"]


@pytest.mark.parametrize("ours", OURS)
def test_a_client_looks_at_every_page_but_not_forever(ours: Any) -> None:
    """A list of tools may have pages, and a hostile server may never end it."""

    class Paged(ours):  # type: ignore[misc]
        pages = 0

        async def _page(self, cursor: str | None) -> Any:
            self.pages += 1
            listing = {"tools": [{**SEARCH, "name": f"t{self.pages}"}], "nextCursor": "more"}
            return await self._checkers.listed(_answering(listing)())

    async def run() -> None:
        async with session(Paged, ECHO) as client:
            _, is_error = answer(await client.call_tool("t7", {"tags": 1, "limit": "many"}))
            assert is_error
            assert client.pages == 7
            await client.call_tool("nowhere", {})
            assert client.pages == 107

    asyncio.run(run())
