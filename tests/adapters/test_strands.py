"""Strands Agents: what the contract does not say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("strands", reason=needs("strands"))
from contract import CONTEXT, Call, Job
from drivers.strands import Raw, ScriptedModel, answers, converse, who
from forking import python
from mcp import StdioServerParameters, stdio_client
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS
from strands import Agent, tool
from strands.tools.mcp import MCPClient

from schema2model import Tool
from schema2model.adapters.strands import CoercionHook, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    return answer


@pytest.mark.parametrize(
    ("result", "content"),
    [
        ("text", "text"),
        ({"a": [1]}, '{"a":[1]}'),
        ({"status": "error", "content": [{"json": {"a": 1}}]}, str({"json": {"a": 1}})),
    ],
    ids=["text", "JSON", "Strands' own"],
)
def test_what_a_tool_of_ours_returns_is_content(result: Any, content: str) -> None:
    """Text, JSON, or in the shape of Strands'."""
    job = Job(does=lambda _, __: result)
    assert told(EXACT, tools=[from_tool(job.ours(who))]) == content


def test_our_tool_shows_its_schema() -> None:
    """Name, description and schema."""
    shown = from_tool(Tool.from_schema(DEFINITION)).tool_spec
    schema = {"json": SCHEMA}
    assert shown == {"name": "search", "description": "Find articles.", "inputSchema": schema}


def test_a_wrapped_function_can_still_be_called() -> None:
    """By the application, with Python's values."""

    @tool
    def double(number: int) -> int:
        """Double it."""
        return 2 * number

    made: Any = wrap_tool(double)
    assert made(2) == double(2) == 4
    assert "8" in told({"number": "4"}, "double", tools=[made])


def test_the_conversation_keeps_what_was_sent() -> None:
    """What a model has written is not for us to change."""
    agent = Agent(
        ScriptedModel((Call(STRINGS),)),
        tools=[Raw(Job())],
        hooks=[CoercionHook()],
        callback_handler=None,
    )
    agent("Go on.", invocation_state={"who": CONTEXT})
    assert agent.messages[1]["content"][0]["toolUse"]["input"] == STRINGS
    assert [answer["status"] for answer in answers(agent.messages)] == ["success"]


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""
    parameters = StdioServerParameters(command=python(), args=ECHO)
    sent = {"tags": "['a']", "limit": "10", "active": "yes"}
    with MCPClient(lambda: stdio_client(parameters)) as client:
        tools = client.list_tools_sync()
        right = told(sent, tools=tools, hooks=[CoercionHook()])
        assert "(['a'], 10, True)" in right
        (theirs,) = [made for made in tools if made.tool_name == "search"]
        assert told(sent, tools=[wrap_tool(theirs)]) == right
        refused = told({"tags": [], "limit": "many"}, tools=tools, hooks=[CoercionHook()])
    assert refused == MESSAGE


def test_an_observer_is_told_of_every_call() -> None:
    """Once, refused or not."""
    seen: list[str] = []

    class Observer:
        def prepared(self, prepared: Any) -> None:
            seen.append(json.dumps(prepared.arguments))

        def refused(self, *_: Any) -> None:
            seen.append("refused")

        def started(self, prepared: Any) -> Any:
            raise NotImplementedError

    hook = CoercionHook(observer=Observer())
    for arguments in (STRINGS, HOPELESS):
        told(arguments, tools=[Raw(Job())], hooks=[hook])
    assert seen == [json.dumps(EXACT), "refused"]
