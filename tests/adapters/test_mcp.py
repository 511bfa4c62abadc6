"""The MCP SDK, 1.x and 2.x: tools of ours and of theirs, in servers in memory."""

# ruff: noqa: E402 - what needs the SDK comes after the question whether it is there

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

import pytest

from schema2model.extras import needs

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Field 'lifespan' has an incomplete definition"),  # in 1.26
]
pytest.importorskip("mcp", reason=needs("mcp"))

from mcp_servers import (
    DEEP,
    FEW,
    SEARCH,
    Context,
    MCPServer,
    TheirTool,
    called,
    connected,
    theirs,
)
from probe import EXACT as TYPED, MESSAGE as REFUSED, STRINGS as PROBE
from typed_results import DECLARED, FUNCTIONS, declared, opaque, unresolved

from schema2model import Tool, ToolError
from schema2model.adapters.mcp import from_tool, wrap_tool
from schema2model.telemetry import instrument


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
    """Name, description, schema, results, and what else the SDK knows of tools."""
    tool = from_tool(Tool.from_schema(SEARCH, noting([])), title="Search")

    async def listed() -> Any:
        async with connected(MCPServer("shop", tools=[tool])) as client:
            return (await client.list_tools()).tools

    (definition,) = asyncio.run(listed())
    described = definition.model_dump(by_alias=True, exclude_none=True)
    output = described.pop("outputSchema")
    assert described == {**SEARCH, "title": "Search"}
    assert output["properties"] == {"result": {"title": "Result", "type": "string"}}


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


@pytest.mark.parametrize("name", ["ctx", "context", "arguments"])
def test_an_argument_of_the_name_of_what_is_injected_is_refused(name: str) -> None:
    """And none has the name of what the SDK passes on."""

    def search(limit: int, ctx: Context) -> str:  # type: ignore[type-arg]
        return f"{limit} {type(ctx).__name__}"

    tool = Tool.from_function(search, inject=Context)
    server = MCPServer("shop", tools=[from_tool(tool)])
    text, is_error = called(server, {"limit": 10, name: None})
    assert is_error
    assert f'leave "{name}" out: there is no such argument' in text


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_what_a_tool_of_ours_refuses_is_told_to_the_model(asynchronous: bool) -> None:  # noqa: FBT001
    """Arguments, with the tool named once, and what the tool's own code raises for the model."""

    def search(limit: int) -> str:
        message = "there is nothing"
        raise ToolError(message)

    async def asearch(limit: int) -> str:
        return search(limit)

    function = asearch if asynchronous else search
    server = MCPServer("shop", tools=[from_tool(Tool.from_function(function, name="search"))])
    assert called(server, {"limit": "many"}) == (REFUSED, True)
    assert called(server, {"limit": 1}) == ("Error executing tool search: there is nothing", True)


def test_an_instrumented_tool_is_counted() -> None:
    """Each call once, by what was sent; a wrapped one by what it would have got."""
    recorded = pytest.importorskip("recorded", reason="needs opentelemetry-sdk").Recorded()
    ours = from_tool(instrument(Tool.from_schema(SEARCH, noting([])), recorded.telemetry))
    wrapped = wrap_tool(theirs(), observer=recorded.telemetry)
    for number, tool in enumerate((ours, wrapped), start=1):
        for arguments in (FEW, {"tags": "['a']", "limit": 1}, {"tags": [], "limit": "many"}):
            called(MCPServer("shop", tools=[tool]), arguments)
        statuses = ("unchanged", "coerced", "refused")
        assert recorded.calls == {("search", status): number for status in statuses}
    assert recorded.executions == {("search", None): 2}


# --------------------------------------------------------------------------- results of ours
def exchanged(tool: Any) -> tuple[Any, Any]:
    """The `outputSchema` of a tool, and the content of its result."""

    async def exchange() -> tuple[Any, Any]:
        async with connected(MCPServer("shop", tools=[tool])) as client:
            (listed,) = (await client.list_tools()).tools
            result = await client.call_tool(listed.name, {"floor": 2})
            plain = result.model_dump(by_alias=True, include={"content", *STRUCTURED})
            return listed.model_dump(by_alias=True)["outputSchema"], plain

    return asyncio.run(exchange())


STRUCTURED = {"structured_content", "structuredContent"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_the_sdks_own_tool(function: Any) -> None:
    """The same `outputSchema`, structured content and text, whatever the function returns."""
    ours, native = (
        exchanged(from_tool(Tool(function))),
        exchanged(TheirTool.from_function(function)),
    )
    assert ours == native


def test_a_definition_declares_its_own_results() -> None:
    """Its `outputSchema` is published as it is, and results are structured content."""
    tool = Tool.from_definition(DECLARED, declared)
    schema, result = exchanged(from_tool(tool))
    assert schema == DECLARED["outputSchema"]
    assert result["structuredContent"] == {"number": 2, "guests": []}
    assert result["content"][0]["text"] == '{"number":2,"guests":[]}'


def test_structured_output_can_be_switched_off() -> None:
    """With the SDK's own option, for both kinds of tools; and required of what has none."""
    for tool in (Tool(FUNCTIONS[0].values[0]), Tool.from_definition(DECLARED, declared)):
        schema, result = exchanged(from_tool(tool, structured_output=False))
        assert schema is None
        assert result["structuredContent"] is None
    for function in (unresolved, opaque):
        with pytest.raises(Exception, match="return annotation required"):
            from_tool(Tool(function), structured_output=True)


@pytest.mark.parametrize("function", [unresolved, opaque])
def test_an_annotation_without_a_schema_declares_nothing(function: Any) -> None:
    """The type is for checkers alone, or unknown to pydantic. The tool works all the same."""
    schema, result = exchanged(from_tool(Tool(function)))
    assert (schema, result["content"][0]["text"]) == (None, "2")


@pytest.mark.parametrize(("data", "text"), [(b"ab", "ab"), (b"\xff", "/w==")])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_bytes_are_text_or_base64(data: bytes, text: str, *, asynchronous: bool) -> None:
    """The same text as `Toolset.answer` gives, not quoted, and as structured content."""

    def read(floor: int) -> bytes:
        return data

    async def aread(floor: int) -> bytes:
        return data

    _, result = exchanged(from_tool(Tool(aread if asynchronous else read)))
    assert result["content"][0]["text"] == text
    assert result["structuredContent"] == {"result": text}


def test_a_schema_that_is_true_declares_nothing() -> None:
    """MCP has schemas of objects only."""
    tool = Tool.from_definition({**DECLARED, "outputSchema": True}, declared)
    assert from_tool(tool).output_schema is None


def test_a_result_that_may_be_cut_has_no_schema() -> None:
    """What is left of it would not match; text stays text."""
    room, text = FUNCTIONS[0].values[0], next(f.values[0] for f in FUNCTIONS if f.id == "a_text")
    schema, result = exchanged(from_tool(Tool(room, truncate_above=5)))
    assert (schema, result["content"][0]["text"][:5]) == (None, '{"num')
    schema, result = exchanged(from_tool(Tool(text, truncate_above=5)))
    assert schema is not None
    assert result["structuredContent"]["result"].startswith("floor… [")


# ---------------------------------------------------------------------------- tools of theirs
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


def test_a_tool_of_ours_that_is_wrapped_is_the_same() -> None:
    """Once or twice: its results, and its words for the model, which name it once."""
    tool = from_tool(Tool.from_definition(DECLARED, declared))
    for wrapped in (wrap_tool(tool), wrap_tool(wrap_tool(tool))):
        assert exchanged(wrapped) == exchanged(tool)
        refused = [called(MCPServer("shop", tools=[each]), {}) for each in (tool, wrapped)]
        assert refused[0] == refused[1]


def test_a_tool_with_a_broken_schema_is_left_alone() -> None:
    """It works as it did."""
    tool = theirs()
    tool.parameters = {"type": "nothing"}
    assert wrap_tool(tool) is tool


def test_a_word_for_null_is_no_date_of_a_wrapped_tool() -> None:
    """The types are those of the function's annotations, which the SDK's model has."""

    def book(day: dt.date | None = None) -> str:
        return repr(day)

    server = MCPServer("hotel", tools=[wrap_tool(type(theirs()).from_function(book))])
    assert called(server, {"day": "null"}, "book") == ("None", False)
    assert called(server, {"day": "2030-01-31"}, "book") == ("datetime.date(2030, 1, 31)", False)


def test_an_async_generator_is_a_list() -> None:
    """As with FastMCP; that of a plain function, which cannot wait for it, is an error.

    The SDK itself sends the name of its type and an address.
    """

    async def count(n: int) -> AsyncIterator[int]:
        for number in range(n):
            yield number

    async def later(n: int) -> Any:
        return count(n)

    def plain(n: int) -> Any:
        return count(n)

    async def fail(n: int) -> AsyncIterator[int]:
        yield n
        raise ValueError(n)

    class Counter:
        async def __call__(self, n: int) -> AsyncIterator[int]:
            for number in range(n):
                yield number

    tools = [from_tool(Tool.from_function(each)) for each in (count, later, plain, fail)]
    tools.append(from_tool(Tool.from_function(Counter(), name="counter")))

    async def call() -> list[tuple[list[str], bool]]:
        async with connected(MCPServer("shop", tools=tools)) as client:
            results = [await client.call_tool(each.name, {"n": "3"}) for each in tools]
            sent = [each.model_dump(by_alias=True) for each in results]
            return [([part["text"] for part in each["content"]], each["isError"]) for each in sent]

    first, second, third, fourth, fifth = asyncio.run(call())
    assert first == second == fifth == (["0", "1", "2"], False)
    assert third[1]
    assert fourth[1]
