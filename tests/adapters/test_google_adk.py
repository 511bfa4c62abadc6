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
from drivers.google_adk import Raw, converse
from forking import python
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters
from probe import DEFINITION, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool
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


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of the kit's."""
    made = from_tool(Tool.from_schema(DEFINITION), is_long_running=True)
    declaration = made._get_declaration()
    assert declaration is not None
    assert (declaration.name, declaration.description) == ("search", "Find articles.")
    assert declaration.parameters_json_schema == SCHEMA
    assert made.is_long_running


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

    job = Job(schema=schema)
    theirs = Undeclared(job)
    assert wrap_tool(theirs) is theirs
    context: Any = SimpleNamespace(state={"who": CONTEXT}, session=SimpleNamespace(events=[]))
    plugin = CoercionPlugin()
    answered = plugin.before_tool_callback(tool=theirs, tool_args=STRINGS, tool_context=context)
    assert asyncio.run(answered) is None
    assert asyncio.run(theirs.run_async(args=STRINGS, tool_context=context)) == f"for {CONTEXT}"
    assert job.got == [STRINGS]


def test_a_plugin_serves_agents_with_tools_of_one_name() -> None:
    """Each is read by its own schema."""
    plugin = CoercionPlugin()
    for kind, read in (("integer", 1), ("string", "1"), ("integer", 1)):
        job = Job(schema={"type": "object", "properties": {"limit": {"type": kind}}})
        told({"limit": "1"}, tools=[Raw(job)], plugins=[plugin])
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
