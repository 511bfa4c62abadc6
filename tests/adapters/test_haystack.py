"""Haystack: what the contract does not say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from schema2model.extras import needs

pytest.importorskip(
    "haystack.components.agents",
    reason=needs("haystack"),
)
from contract import CONTEXT, Call, Job
from drivers.haystack import agent, answers, converse, raw, who
from forking import python
from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import ComponentTool, Tool as TheirTool, Toolset as TheirToolset
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS

from schema2model import Coercion, Tool
from schema2model.adapters.haystack import CoercionHook, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]
HOOK = {"before_tool": [CoercionHook()]}


def run(arguments: Any, name: str = "search", **setup: Any) -> list[ChatMessage]:
    """The messages of a run that is not asynchronous."""
    made = agent(setup, (Call(arguments, name),))
    messages: list[ChatMessage] = made.run(messages=[ChatMessage.from_user("Go on.")], who=CONTEXT)[
        "messages"
    ]
    return messages


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call, whichever way the agent runs."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    (same,) = answers(run(arguments, name, **setup))
    assert same.result == answer
    return answer


@component
class Finder:
    """A component."""

    @component.output_types(found=str)
    def run(self, limit: int, tags: list[str] | None = None) -> dict[str, str]:
        """Find articles."""
        return {"found": repr((tags, limit))}


FUNCTION = {
    "wrap_tool": lambda theirs: {"tools": [wrap_tool(theirs)]},
    "CoercionHook": lambda theirs: {"tools": [theirs], "hooks": HOOK},
    "CoercionHook, toolset": lambda theirs: {"tools": TheirToolset([theirs]), "hooks": HOOK},
    "both": lambda theirs: {"tools": [wrap_tool(theirs)], "hooks": HOOK},
}
in_every_way = pytest.mark.parametrize("way", FUNCTION.values(), ids=FUNCTION)


@in_every_way
def test_a_component_gets_exact_arguments(way: Any) -> None:
    """As a tool."""
    theirs = ComponentTool(Finder(), name="search")
    sent = {"limit": "1", "tags": "['a']"}
    assert told(sent, **way(theirs)) == """{"found": "(['a'], 1)"}"""


@in_every_way
@pytest.mark.parametrize("declared", [False, True])
def test_what_comes_from_the_state_is_kept(way: Any, declared: bool) -> None:  # noqa: FBT001
    """And is not asked of the model, although the schema may require it."""

    def lookup(limit: int, user: str) -> str:
        return f"{limit!r} for {user}"

    properties = {
        "limit": {"type": "integer"},
        **({"user": {"type": "string"}} if declared else {}),
    }
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    theirs = TheirTool("search", "", schema, lookup, inputs_from_state={"who": "user"})
    assert told({"limit": "3"}, **way(theirs)) == f"3 for {CONTEXT}"


def test_the_hook_mends_the_conversation() -> None:
    """As what stands there is what an agent runs."""
    messages = run(STRINGS, tools=[raw(Job())], hooks=HOOK)
    assert messages[1].tool_calls[0].arguments == EXACT


def test_a_refused_call_beside_others_is_answered() -> None:
    """They run, and each has its answer; those of unknown tools are the agent's."""

    @component
    class Several:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
            if len(messages) > 1:
                return {"replies": [ChatMessage.from_assistant("Done.")]}
            sent = {"a": STRINGS, "b": HOPELESS, "c": EXACT}
            calls = [ToolCall("search", arguments, id=id_) for id_, arguments in sent.items()]
            calls.append(ToolCall("serch", {}, id="d"))
            said = ChatMessage.from_assistant("So.", tool_calls=calls, reasoning="Because.")
            return {"replies": [said]}

    job = Job()
    made = Agent(
        chat_generator=Several(), tools=[raw(job)], hooks=HOOK, state_schema={"who": {"type": str}}
    )
    messages = made.run(messages=[ChatMessage.from_user("Go on.")], who=CONTEXT)["messages"]
    told_of = {answer.origin.id: answer for answer in answers(messages)}
    assert told_of.keys() == {"a", "b", "c", "d"}
    assert told_of["b"].result == MESSAGE
    assert told_of["b"].error
    assert "serch" in told_of["d"].result
    assert job.got == [EXACT, EXACT]
    said = [message for message in messages if message.tool_calls]
    assert [message.text for message in said] == ["So.", None]
    assert [message.reasoning is None for message in said] == [False, True]


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of Haystack's."""
    options = {"outputs_to_state": {"found": {"source": "found"}}}
    made = from_tool(Tool.from_schema(DEFINITION, lambda raw_arguments: ""), **options)
    described = {"name": "search", "description": "Find articles.", "parameters": SCHEMA}
    assert made.tool_spec == described
    assert made.outputs_to_state == options["outputs_to_state"]


def test_what_haystack_cannot_print_is_refused() -> None:
    """It would repeat all arguments, and these have no end that it can reach."""
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    for theirs in (from_tool(Job().ours(who)), wrap_tool(raw(Job()))):
        (answer,) = answers(run({"limit": nested}, tools=[theirs]))
        assert answer.error
        assert "Error parsing arguments for `search`" in answer.result


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """And the one that was wrapped stays as it was; wrapping twice is wrapping once."""
    job = Job()
    theirs = raw(job, outputs_to_string={"handler": str.upper})
    wrapped = wrap_tool(wrap_tool(theirs))
    assert isinstance(wrapped, TheirTool)
    assert told(STRINGS, tools=[wrapped]) == "FOR ADA"
    run(STRINGS, tools=[theirs])
    assert job.got == [EXACT, EXACT, STRINGS]


def test_a_tool_with_a_broken_schema_works_as_before() -> None:
    """It is called with what was sent."""
    job = Job()
    theirs = raw(job)
    theirs.parameters = {"type": "object", "properties": {"limit": {"type": "nothing"}}}
    assert wrap_tool(theirs) is theirs
    run(STRINGS, tools=[theirs], hooks=HOOK)
    assert job.got == [STRINGS]


@pytest.mark.parametrize("coercion", ["off", Coercion.default.replace(json_text=False)])
def test_a_hook_can_stand_in_a_pipelines_dictionary(coercion: Any) -> None:
    """With its rules."""
    given = CoercionHook(coercion=coercion).to_dict()
    assert given["type"] == "schema2model.adapters.haystack.CoercionHook"
    read = CoercionHook.from_dict(given)
    assert read.coercion == coercion
    off = {"tools": [raw(Job())], "hooks": {"before_tool": [read]}}
    assert "must be a JSON array" in told(STRINGS, **off)


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""
    mcp = pytest.importorskip(
        "haystack_integrations.tools.mcp", reason="needs mcp-haystack: pip install mcp-haystack"
    )
    toolset = mcp.MCPToolset(
        mcp.StdioServerInfo(python(), ECHO), connection_timeout=PATIENCE, eager_connect=True
    )
    try:
        for setup in ({"tools": toolset, "hooks": HOOK}, {"tools": [*map(wrap_tool, toolset)]}):
            sent = {"tags": "['a']", "limit": "10", "active": "yes"}
            (right,) = answers(run(sent, **setup))
            assert "(['a'], 10, True)" in right.result
            (refused,) = answers(run({"tags": [], "limit": "many"}, **setup))
            assert (refused.result, refused.error) == (MESSAGE, True)
    finally:
        toolset.close()
