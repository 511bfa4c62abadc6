"""DSPy: what the contract does not say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("dspy", reason=needs("dspy"))
import dspy
from contract import Call, Job
from drivers.dspy import converse, raw
from dspy.adapters.types.tool import ToolCalls
from forking import python
from probe import DEFINITION, EXACT, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool, ToolError
from schema2model.adapters.dspy import from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def test_a_function_with_any_keywords_gets_them() -> None:
    """What is required is what it names; another gets none that it does not name."""

    def note(limit: int, **more: Any) -> str:
        """Note it."""
        return repr((limit, more))

    def plain(limit: int) -> int:
        """Note it."""
        return limit

    assert wrap_tool(dspy.Tool(note))(limit="1", why="so") == "(1, {'why': 'so'})"
    with pytest.raises(ToolError, match='leave "why" out'):
        wrap_tool(dspy.Tool(plain))(limit="1", why="so")


def test_our_tool_shows_its_schema() -> None:
    """All of it where models are shown tools as such, and else its parameters."""
    made = from_tool(Tool.from_schema(DEFINITION))
    assert (made.name, made.desc, made.args) == ("search", "Find articles.", SCHEMA["properties"])
    shown = made.format_as_litellm_function_call()["function"]
    assert shown == {"name": "search", "description": "Find articles.", "parameters": SCHEMA}


def test_calls_are_executed_by_tools() -> None:
    """Of a list, DSPy calls the functions past their tools; ours read their arguments there too."""
    job, theirs = Job(), Job()
    call = ToolCalls.ToolCall(name="search", args=STRINGS)
    wrapped = wrap_tool(raw(theirs))
    call.execute({"search": wrapped})
    call.execute([from_tool(job.ours())])
    call.execute([wrapped])
    assert job.got == [EXACT]
    assert theirs.got == [EXACT, STRINGS]


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""
    mcp = pytest.importorskip("mcp", reason="needs mcp: pip install mcp")

    async def run() -> list[str]:
        parameters = mcp.StdioServerParameters(command=python(), args=ECHO)
        async with (
            mcp.stdio_client(parameters) as streams,
            mcp.ClientSession(*streams) as session,
        ):
            await session.initialize()
            listed = (await session.list_tools()).tools
            theirs = [dspy.Tool.from_mcp_tool(session, tool) for tool in listed]
            (found,) = [wrap_tool(tool) for tool in theirs if tool.name == "search"]
            sent = {"tags": "['a']", "limit": "10", "active": "yes"}
            script = Call(sent), Call({"tags": [], "limit": "many"})
            return await converse(found, script)

    right, refused = asyncio.run(run())
    assert "(['a'], 10, True)" in right
    assert MESSAGE in refused
