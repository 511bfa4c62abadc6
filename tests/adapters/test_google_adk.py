"""Google's Agent Development Kit: what the contract does not say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from waiting import PATIENCE

from schema2model.extras import needs

pytest.importorskip("google.adk", reason=needs("google-adk"))
from contract import CONTEXT, Call, Job
from drivers.google_adk import Raw, converse, who
from forking import python
from google.adk.tools import FunctionTool, ToolContext
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters
from probe import DEFINITION, EXACT, FORGIVING, HOPELESS, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool, Toolset
from schema2model.adapters.google_adk import CoercionPlugin, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    return response(answer)


def response(answer: str) -> str:
    """The response in the JSON of an answer."""
    return str(json.loads(answer)["response"])


def search(  # noqa: PLR0913, PLR0917 - all types that a probe needs
    tool_context: ToolContext,
    limit: int,
    tags: list[str] | None = None,
    active: bool = False,  # noqa: FBT001, FBT002 - a model names its arguments
    page: int | None = 1,
    opts: dict[str, int] | None = None,
) -> str:
    """Find articles."""
    return f"{(tags, limit, active, page, opts)} for {who(tool_context)}"


FUNCTION = {
    "wrap_tool": lambda: {"tools": [wrap_tool(FunctionTool(search))]},
    "CoercionPlugin": lambda: {"tools": [search], "plugins": [CoercionPlugin()]},
}


@pytest.mark.parametrize("way", FUNCTION)
def test_a_function_gets_exact_arguments(way: str) -> None:
    """And its context, and its defaults for what was not sent."""
    answer = told(STRINGS, **FUNCTION[way]())
    assert f"(['a'], 10, True, None, {{'depth': 3}}) for {CONTEXT}" in answer
    assert "(None, 1, False, 1, None)" in told({"limit": "1"}, **FUNCTION[way]())
    assert told(HOPELESS, **FUNCTION[way]()) == str({"error": MESSAGE})


OURS = from_tool(FORGIVING)
WAYS_TO_OURS = {
    "wrap_tool": {"tools": [wrap_tool(OURS)]},
    "CoercionPlugin": {"tools": [OURS], "plugins": [CoercionPlugin()]},
}


@pytest.mark.parametrize("way", WAYS_TO_OURS.values(), ids=WAYS_TO_OURS)
def test_a_tool_of_ours_is_read_by_its_own_rules(way: Any) -> None:
    """Whatever the rules of what reads its arguments before it."""
    assert told({"tags": "a, b"}, **way) == str({"result": "['a', 'b']"})


def test_the_methods_of_an_object_are_tools() -> None:
    """With the kit's context where they ask for it."""

    class Shop:
        def search(self, tags: list[str], *, context: ToolContext) -> str:
            """Find articles."""
            return f"{tags} for {who(context)}"

    tools = [from_tool(tool) for tool in Toolset.from_object(Shop(), inject=ToolContext)]
    assert told({"tags": '["a"]'}, tools=tools) == str({"result": f"['a'] for {CONTEXT}"})


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of the kit's."""
    made = from_tool(Tool.from_schema(DEFINITION), is_long_running=True)
    declaration = made._get_declaration()
    assert declaration is not None
    assert (declaration.name, declaration.description) == ("search", "Find articles.")
    assert declaration.parameters_json_schema == SCHEMA
    assert made.is_long_running


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """And the one that was wrapped stays as it was; wrapping twice is wrapping once."""
    theirs = Raw(Job())
    wrapped = wrap_tool(wrap_tool(theirs))
    assert isinstance(wrapped, Raw)
    assert wrapped.job is theirs.job
    told(STRINGS, tools=[wrapped])
    told(STRINGS, tools=[theirs])
    assert theirs.job.got == [EXACT, STRINGS]


def test_a_schema_of_geminis_is_read() -> None:
    """Where a tool declares itself in the dialect that the kit had before."""
    job = Job()

    class Declared(Raw):
        def _get_declaration(self) -> types.FunctionDeclaration:
            limit = types.Schema(type=types.Type.INTEGER)
            nullable = types.Schema(type=types.Type.INTEGER, nullable=True)
            parameters = types.Schema(
                type=types.Type.OBJECT,
                properties={"limit": limit, "page": nullable},
                required=["limit"],
            )
            return types.FunctionDeclaration(name=self.name, parameters=parameters)

    for setup in (
        {"tools": [wrap_tool(Declared(job))]},
        {"tools": [Declared(job)], "plugins": [CoercionPlugin()]},
    ):
        told({"limit": "3", "page": "null"}, **setup)
        assert job.got[-1] == {"limit": 3, "page": None}


@pytest.mark.parametrize("schema", [None, {"type": "nothing"}], ids=["none", "broken"])
def test_a_tool_without_a_schema_works_as_before(schema: Any) -> None:
    """It is called with what was sent."""

    class Undeclared(Raw):
        def _get_declaration(self) -> Any:
            return super()._get_declaration() if self.schema else None

    job = Job()
    theirs = Undeclared(job, schema)
    assert wrap_tool(theirs) is theirs
    context: Any = SimpleNamespace(state={"who": CONTEXT}, session=SimpleNamespace(events=[]))
    plugin = CoercionPlugin()
    answered = plugin.before_tool_callback(tool=theirs, tool_args=STRINGS, tool_context=context)
    assert asyncio.run(answered) is None
    assert asyncio.run(theirs.run_async(args=STRINGS, tool_context=context)) == f"for {CONTEXT}"
    assert job.got == [STRINGS]


def test_rules_can_be_chosen() -> None:
    """By the name of a preset, or as a `Coercion`."""
    off = {"tools": [Raw(Job())], "plugins": [CoercionPlugin(coercion="off")]}
    assert "must be a JSON array" in told(STRINGS, **off)
    assert "must be a JSON array" in told(STRINGS, tools=[wrap_tool(Raw(Job()), coercion="off")])


def test_a_plugin_serves_agents_with_tools_of_one_name() -> None:
    """Each is read by its own schema."""
    plugin = CoercionPlugin()
    for kind, read in (("integer", 1), ("string", "1"), ("integer", 1)):
        job = Job()
        schema = {"type": "object", "properties": {"limit": {"type": kind}}}
        told({"limit": "1"}, tools=[Raw(job, schema)], plugins=[plugin])
        assert job.got == [{"limit": read}]


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""

    async def run() -> list[str]:
        parameters = StdioServerParameters(command=python(), args=ECHO)
        connection = StdioConnectionParams(server_params=parameters, timeout=PATIENCE)
        toolset = McpToolset(connection_params=connection)
        sent = {"tags": "['a']", "limit": "10", "active": "yes"}
        script = Call(sent), Call({"tags": [], "limit": "many"})
        try:
            return await converse({"tools": [toolset], "plugins": [CoercionPlugin()]}, script)
        finally:
            await toolset.close()

    right, refused = asyncio.run(run())
    assert "(['a'], 10, True)" in right
    assert response(refused) == str({"error": MESSAGE})
