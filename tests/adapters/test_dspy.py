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
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS
from pydantic import BaseModel

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters.dspy import from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


class Opts(BaseModel):
    """Options."""

    depth: int = 1


def search(limit: int, tags: list[str] | None = None, opts: Opts | None = None) -> str:
    """Find articles."""
    return repr((tags, limit, opts))


def test_a_function_gets_exact_arguments() -> None:
    """As its own types, and its defaults for what was not sent."""
    wrapped = wrap_tool(dspy.Tool(search))
    sent = {"limit": "10", "tags": "['a']", "opts": '{"depth": "3"}'}
    assert wrapped(**sent) == "(['a'], 10, Opts(depth=3))"
    assert asyncio.run(wrapped.acall(limit="1")) == "(None, 1, None)"
    with pytest.raises(ToolError) as caught:
        wrapped(**HOPELESS)
    assert str(caught.value) == MESSAGE


def test_a_function_with_any_keywords_gets_them() -> None:
    """What is required is what it names."""

    def note(limit: int, **more: Any) -> str:
        """Note it."""
        return repr((limit, more))

    assert wrap_tool(dspy.Tool(note))(limit="1", why="so") == "(1, {'why': 'so'})"


def test_the_methods_of_an_object_are_tools() -> None:
    """Asynchronous or not."""

    class Shop:
        def search(self, tags: list[str]) -> str:
            """Find articles."""
            return repr(tags)

        async def later(self, limit: int) -> str:
            """Find articles, in a while."""
            await asyncio.sleep(0)
            return repr(limit)

    now, later = (from_tool(tool) for tool in Toolset.from_object(Shop()))
    assert now(tags='["a"]') == "['a']"
    assert asyncio.run(later.acall(limit="3")) == "3"


def test_our_tool_shows_its_schema() -> None:
    """All of it where models are shown tools as such, and else its parameters."""
    made = from_tool(Tool.from_schema(DEFINITION))
    assert (made.name, made.desc, made.args) == ("search", "Find articles.", SCHEMA["properties"])
    shown = made.format_as_litellm_function_call()["function"]
    assert shown == {"name": "search", "description": "Find articles.", "parameters": SCHEMA}


def test_events_told_to_the_application_are_told_once() -> None:
    """Although DSPy asks for the arguments first."""
    seen: list[Any] = []
    ours = Tool.from_function(lambda limit: limit, name="search", on_prepared=seen.append)
    from_tool(ours)(limit=1)
    assert [prepared.arguments for prepared in seen] == [{"limit": 1}]


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


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """And the one that was wrapped stays as it was; wrapping twice is wrapping once."""
    job = Job()
    theirs = raw(job)
    wrapped = wrap_tool(wrap_tool(theirs))
    assert (wrapped.name, wrapped.args, wrapped.func) == (theirs.name, theirs.args, theirs.func)
    wrapped(**STRINGS)
    with pytest.raises(ValueError, match="Arg tags is invalid"):
        theirs(**STRINGS)
    assert job.got == [EXACT]


def test_a_tool_with_a_broken_schema_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""
    theirs = raw(Job(), {"properties": {"limit": {"type": "nothing"}}})
    assert wrap_tool(theirs) is theirs
    assert "search" in caplog.text


def test_rules_can_be_chosen() -> None:
    """By the name of a preset, or as a `Coercion`."""
    with pytest.raises(ToolError, match="must be a JSON array"):
        wrap_tool(raw(Job()), coercion="off")(**STRINGS)


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
