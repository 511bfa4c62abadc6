"""FastMCP: servers in memory, proxies and a server over stdio, without a model."""

# ruff: noqa: E402 - what needs FastMCP comes after the question whether it is there

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = pytest.mark.adapters
pytest.importorskip("fastmcp", reason=needs("fastmcp"))

import mcp
from fastmcp import Client, Context, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError as TheirToolError
from fastmcp.server import create_proxy
from fastmcp.tools import Tool as TheirTool, ToolResult
from fastmcp.utilities.versions import VersionSpec
from forking import python
from mcp.types import TextContent, ToolListChangedNotification
from mcp_servers import FEW, SCHEMA, SEARCH, text_over_stdio
from probe import EXACT as TYPED, MESSAGE as REFUSED, STRINGS as PROBE
from typed_results import DECLARED, FUNCTIONS, declared, opaque, unresolved

from schema2model import Tool, ToolError
from schema2model.adapters.fastmcp import CoercionMiddleware, from_tool, wrap_tool

HOPELESS = {"tags": [], "limit": "many"}

CASES = [
    pytest.param(PROBE, TYPED, id="stringified"),
    pytest.param(TYPED, TYPED, id="correct"),
    pytest.param(FEW, FEW, id="unset-stay-unset"),
]


class Raw(TheirTool):
    """A tool of FastMCP's that is known by its schema only; it notes what it is sent."""

    received: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Note them."""
        self.received.append(arguments)
        return ToolResult(content="found")


def raw(received: list[Any], schema: Any = SCHEMA, **options: Any) -> Raw:
    """One of the kind."""
    return Raw(name="search", parameters=schema, received=received, **options)


def search(tags: list[str], limit: int, opts: dict[str, int] | None = None) -> str:
    """Answer with the arguments."""
    return repr((tags, limit, opts))


def serving(*tools: Any, coercing: bool = False) -> FastMCP:
    """A server with tools."""
    server: FastMCP = FastMCP("shop", middleware=[CoercionMiddleware()] if coercing else None)
    for tool in tools:
        server.add_tool(tool)
    return server


def called(server: Any, arguments: Any) -> tuple[str, bool]:
    """The text of one call's result, and whether it is an error."""

    async def call() -> tuple[str, bool]:
        async with Client(server) as client:
            result = await client.call_tool("search", arguments, raise_on_error=False)
            return result.content[0].text, result.is_error

    return asyncio.run(call())


# ------------------------------------------------------------------------------ tools of ours
def test_a_tool_of_ours_is_listed_as_it_was_defined() -> None:
    """Name, description and schema, and what else FastMCP knows of tools."""
    tool = from_tool(Tool.from_schema(SEARCH, lambda raw_arguments: ""), title="Search")
    described = tool.to_mcp_tool().model_dump(by_alias=True, exclude_none=True)
    assert described.items() >= {**SEARCH, "title": "Search"}.items()


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_what_is_injected_is_the_context(asynchronous: bool) -> None:  # noqa: FBT001
    """Functions of ours may ask for it, of either kind; what they raise for the model is told."""

    def search(limit: int, ctx: Context) -> str:
        if limit == 0:
            message = "there is nothing"
            raise ToolError(message)
        return f"{limit} {ctx.fastmcp.name}"

    async def asearch(limit: int, ctx: Context) -> str:
        return search(limit, ctx)

    function = asearch if asynchronous else search
    server = serving(from_tool(Tool.from_function(function, name="search", inject=Context)))
    assert called(server, {"limit": "10"}) == ("10 shop", False)
    assert called(server, {"limit": "many"}) == (REFUSED, True)
    assert called(server, {"limit": "0"}) == ("there is nothing", True)


# --------------------------------------------------------------------------- results of ours
def exchanged(tool: Any) -> tuple[Any, Any, Any]:
    """The output schema of a tool, and the text and structured content of its result."""

    async def exchange() -> tuple[Any, Any, Any]:
        async with Client(serving(tool)) as client:
            (listed,) = await client.list_tools()
            result = await client.call_tool(listed.name, {"floor": 2})
            return listed.output_schema, result.content, result.structured_content

    return asyncio.run(exchange())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_fastmcps_own_tool(function: Any) -> None:
    """The same output schema, structured content and text, whatever the function returns."""
    ours, native = (
        exchanged(from_tool(Tool(function))),
        exchanged(TheirTool.from_function(function)),
    )
    assert ours == native


def test_a_definition_declares_its_own_results() -> None:
    """Its `outputSchema` is published as it is, and results are structured content."""
    schema, content, structured = exchanged(from_tool(Tool.from_definition(DECLARED, declared)))
    assert schema == DECLARED["outputSchema"]
    assert structured == {"number": 2, "guests": []}
    assert content[0].text == '{"number":2,"guests":[]}'


def test_the_output_schema_can_be_given() -> None:
    """FastMCP's own option decides; with None, results are text."""
    room = FUNCTIONS[1].values[0]
    schema, _, structured = exchanged(from_tool(Tool(room), output_schema=None))
    assert (schema, structured) == (None, None)


@pytest.mark.parametrize("function", [unresolved, opaque])
def test_an_annotation_without_a_schema_declares_nothing(function: Any) -> None:
    """The type is for checkers alone, or unknown to pydantic. The tool works all the same."""
    schema, content, _ = exchanged(from_tool(Tool(function)))
    assert (schema, content[0].text) == (None, "2")


def test_an_async_generator_is_a_list() -> None:
    """As it is with FastMCP's decorator, whoever returns the generator."""

    async def search(n: int) -> AsyncIterator[int]:
        for number in range(n):
            yield number

    async def later(n: int) -> Any:
        return search(n)

    def plain(n: int) -> Any:
        return search(n)

    native: FastMCP = FastMCP("native")
    native.tool(search)
    assert called(native, {"n": 3}) == ("[0,1,2]", False)
    for function in (search, later, plain):
        tool = from_tool(Tool.from_function(function, name="search"))
        assert called(serving(tool), {"n": "3"}) == ("[0,1,2]", False)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # as of FastMCP's own tool
def test_a_generator_is_run_once() -> None:
    """Its items are the text and the structured content, as for FastMCP's own tool."""

    def floors(floor: int) -> Generator[int, None, None]:
        yield from range(floor)

    _, content, structured = exchanged(from_tool(Tool(floors)))
    assert (content[0].text, structured) == ("[0,1]", {"result": [0, 1]})


def test_a_schema_that_is_true_declares_nothing() -> None:
    """MCP has schemas of objects only."""
    tool = Tool.from_definition({**DECLARED, "outputSchema": True}, declared)
    assert from_tool(tool).output_schema is None


def test_a_result_that_may_be_cut_has_no_schema() -> None:
    """What is left of it would not match."""
    schema, content, structured = exchanged(
        from_tool(Tool(FUNCTIONS[0].values[0], truncate_above=5))
    )
    assert (schema, structured, content[0].text[:5]) == (None, None, '{"num')


# ---------------------------------------------------------------------------- tools of theirs
STRINGIFIED = {"tags": '["a"]', "limit": "10", "opts": '{"depth": "3"}'}


@pytest.mark.parametrize("way", ["wrap_tool", "middleware"])
def test_a_function_gets_what_fastmcp_alone_refuses(way: str) -> None:
    """It takes `"10"` for 10, but no array and no object in a string."""
    tool = TheirTool.from_function(search)
    text, is_error = called(serving(tool), STRINGIFIED)
    assert is_error
    assert "Input should be a valid list" in text

    ours = serving(wrap_tool(tool)) if way == "wrap_tool" else serving(tool, coercing=True)
    assert called(ours, STRINGIFIED) == ("(['a'], 10, {'depth': 3})", False)
    assert called(ours, FEW) == ("(['a', 'b'], 3, None)", False)
    assert called(ours, HOPELESS) == (REFUSED, True)


@pytest.mark.parametrize("way", ["wrap_tool", "middleware"])
def test_the_types_of_a_function_are_known(way: str) -> None:
    """Repeated items are a set's, as for FastMCP alone, and a word for null is not a date."""

    def search(codes: set[int], ctx: Context, day: dt.date | None = None) -> str:
        return repr((codes, day)) + ctx.fastmcp.name[:0]

    tool = TheirTool.from_function(search)
    server = serving(wrap_tool(tool)) if way == "wrap_tool" else serving(tool, coercing=True)
    assert called(server, {"codes": [1, 1]}) == ("({1}, None)", False)
    assert called(server, {"codes": "[1, 1]", "day": "null"}) == ("({1}, None)", False)
    text, is_error = called(server, {"codes": [], "day": "2030-01"})
    assert is_error
    assert text.startswith("Error parsing arguments for `search`:\n- /day: must be a string in the")


@pytest.mark.parametrize("way", ["wrap_tool", "middleware", "proxy", "mount"])
@pytest.mark.parametrize(("sent", "arrived"), CASES)
def test_a_raw_tool_gets_exact_arguments(way: str, sent: Any, arrived: Any) -> None:
    """FastMCP alone hands on what was sent, through proxies and mounted servers too."""
    received: list[Any] = []
    tool = raw(received)
    assert called(serving(tool), sent) == ("found", False)
    assert received.pop() == sent

    if way == "wrap_tool":
        server = serving(wrap_tool(tool))
    elif way == "middleware":
        server = serving(tool, coercing=True)
    else:
        server = create_proxy(serving(tool)) if way == "proxy" else FastMCP("outer")
        if way == "mount":
            server.mount(serving(tool))
        server.add_middleware(CoercionMiddleware())
    assert called(server, sent) == ("found", False)
    assert repr(received) == repr([arrived])
    assert called(server, HOPELESS) == (REFUSED, True)
    assert len(received) == 1


def test_the_message_reaches_the_model_where_errors_are_masked() -> None:
    """It holds nothing that the model did not send."""
    server: FastMCP = FastMCP("shop", mask_error_details=True, middleware=[CoercionMiddleware()])
    server.add_tool(raw([]))
    assert called(server, HOPELESS) == (REFUSED, True)


def test_a_wrapped_tool_is_otherwise_the_same() -> None:
    """All that a client gets to know of it."""
    tool = TheirTool.from_function(search, title="Search", tags={"a"}, meta={"b": 1}, version=2)
    wrapped = wrap_tool(tool)
    assert wrapped.to_mcp_tool() == tool.to_mcp_tool()
    assert (wrapped.key, wrapped.tags) == (tool.key, tool.tags)


def test_an_unknown_tool_is_left_to_fastmcp() -> None:
    """It says so in its own words."""
    server = serving(coercing=True)
    assert called(server, {}) == ("Unknown tool: 'search'", True)


def test_a_schema_that_has_changed_is_compiled_anew() -> None:
    """And those of several versions of a tool are told apart."""
    received: list[Any] = []
    server = serving(raw(received, version=1), coercing=True)
    text = {"type": "object", "properties": {"limit": {"type": "string"}}}
    server.add_tool(raw(received, text, version=2))
    old = VersionSpec(eq="1")

    async def call() -> None:
        await server.call_tool("search", {"limit": "10"})
        await server.call_tool("search", PROBE, version=old)
        with pytest.raises(TheirToolError, match="many"):
            await server.call_tool("search", HOPELESS, version=VersionSpec(lt="2"))
        server.local_provider.remove_tool("search", version="1")
        server.add_tool(raw(received, text, version=1))
        await server.call_tool("search", {"limit": "10"}, version=old)

    asyncio.run(call())
    assert received == [{"limit": "10"}, TYPED, {"limit": "10"}]


def test_a_changed_list_of_a_proxied_server_counts_at_once() -> None:
    """A valid text stays one where the schema has become that of a text."""
    received: list[Any] = []
    upstream = FastMCP("upstream")

    @upstream.tool
    def search(limit: int) -> None:
        received.append(limit)

    @upstream.tool
    async def change(context: Context) -> None:
        def changed(limit: str) -> None:
            received.append(limit)

        upstream.local_provider.remove_tool("search")
        upstream.add_tool(TheirTool.from_function(changed, name="search"))
        await context.send_notification(ToolListChangedNotification())

    proxy = create_proxy(upstream)
    proxy.add_middleware(CoercionMiddleware())

    async def calls() -> None:
        async with Client(proxy) as client:
            for name in ("search", "change", "search"):
                await client.call_tool(name, {"limit": "1"} if name == "search" else {})

    asyncio.run(calls())
    assert received == [1, "1"]


TEXTS = """
from fastmcp import FastMCP
from schema2model.adapters.fastmcp import CoercionMiddleware
server = FastMCP("shop", middleware=[CoercionMiddleware()])
@server.tool
def search(limit: int) -> str:
    return repr(limit)
server.run(show_banner=False)
"""


@pytest.mark.skipif(not hasattr(mcp, "Client"), reason="the SDK 1.x has no middleware")
@pytest.mark.parametrize(
    ("text", "answer"), [("{'limit': '3'}", "3"), ('{"limit": "many"}', "must be an integer")]
)
def test_arguments_in_a_text_are_read(text: str, answer: str) -> None:
    """Which FastMCP refuses before any tool's middleware."""
    assert answer in text_over_stdio(TEXTS, {"name": "search", "arguments": text})


def test_a_proxy_coerces_for_a_server_over_stdio() -> None:
    """That server, alone, refuses it."""
    script = str(Path(__file__).with_name("mcp_server.py"))
    sent = {"tags": "['a',]", "limit": " 7 "}

    async def call(*, coercing: bool) -> tuple[str, bool]:
        proxy = create_proxy(StdioTransport(python(), [script]))
        if coercing:
            proxy.add_middleware(CoercionMiddleware())
        async with Client(proxy) as client:
            result = await client.call_tool("search", sent, raise_on_error=False)
            return result.content[0].text, result.is_error

    assert "Input should be a valid list" in asyncio.run(call(coercing=False))[0]
    assert asyncio.run(call(coercing=True)) == ("(['a'], 7, False)", False)


OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Counting(TheirTool):
    """A tool that answers with structured content of the test's."""

    structured: Any
    content: Any = "three"

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Answer."""
        del arguments
        return ToolResult(content=self.content, structured_content=self.structured)


@pytest.mark.parametrize("mode", ["check", "correct", "refuse"])
@pytest.mark.parametrize("structured", [{"n": 3}, {"n": "3"}, {"n": "many"}])
def test_middleware_reads_results(mode: Any, structured: Any) -> None:
    """By the output schema; what cannot be corrected is no mistake of the model's."""
    described = {"name": "count", "parameters": {"type": "object"}, "output_schema": OUTPUT}
    server: FastMCP = FastMCP("count", middleware=[CoercionMiddleware(results=mode)])
    server.add_tool(Counting(**described, structured=structured))

    async def run() -> Any:
        async with Client(server) as client:
            return (await client.call_tool_mcp("count", {})).model_dump(by_alias=True)

    if structured == {"n": 3} or (mode != "check" and structured == {"n": "3"}):
        result = asyncio.run(run())
        assert result["structuredContent"] == {"n": 3}
        assert result["content"][0]["text"] == "three"
    else:  # the client of the SDK refuses it, too
        words = "does not match its schema" if mode == "refuse" else "is not of type 'integer'"
        with pytest.raises(Exception, match=words):
            asyncio.run(run())


def test_a_corrected_text_keeps_its_annotations() -> None:
    """Only the text of the block that repeats the structured content is written anew."""
    described = {"name": "count", "parameters": {"type": "object"}, "output_schema": OUTPUT}
    block = {"type": "text", "text": '{"n": "3"}', "annotations": {"priority": 1.0}}
    content = [TextContent.model_validate(block)]
    server: FastMCP = FastMCP("count", middleware=[CoercionMiddleware(results="correct")])
    server.add_tool(Counting(**described, structured={"n": "3"}, content=content))

    async def run() -> Any:
        async with Client(server) as client:
            result = await client.call_tool_mcp("count", {})
            return result.content[0].model_dump(by_alias=True, exclude_none=True)

    assert asyncio.run(run()) == {**block, "text": '{"n":3}'}
