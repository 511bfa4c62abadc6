"""Microsoft's Agent Framework: what the contract does not say."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Annotated, Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "agent_framework",
    reason=needs("agent-framework"),
)
from agent_framework import (
    Agent,
    Content,
    FunctionInvocationContext,
    FunctionTool,
    MCPStdioTool,
    tool,
)
from contract import CONTEXT, Call, Job
from drivers.agent_framework import Client, converse, raw, who
from forking import python
from probe import DEFINITION, EXACT, FORGIVING, HOPELESS, MESSAGE, SCHEMA, STRINGS
from pydantic import Field

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters.agent_framework import CoercionMiddleware, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    return answer


@tool(name="search")
def search(  # noqa: PLR0913, PLR0917 - all types that a probe needs
    ctx: FunctionInvocationContext,
    limit: int,
    tags: list[str] | None = None,
    active: bool = False,  # noqa: FBT001, FBT002 - a model names its arguments
    page: int | None = 1,
    opts: dict[str, int] | None = None,
) -> str:
    """Find articles."""
    return f"{(tags, limit, active, page, opts)} for {who(ctx)}"


FUNCTION = {
    "wrap_tool": lambda theirs: {"tools": [wrap_tool(theirs)]},
    "CoercionMiddleware": lambda theirs: {"tools": [theirs], "middleware": [CoercionMiddleware()]},
    "both": lambda theirs: {"tools": [wrap_tool(theirs)], "middleware": [CoercionMiddleware()]},
}
in_every_way = pytest.mark.parametrize("way", FUNCTION.values(), ids=FUNCTION)


@in_every_way
def test_a_function_gets_exact_arguments(way: Any) -> None:
    """And its context, and its defaults for what was not sent."""
    answer = told(STRINGS, **way(search))
    assert answer == f"(['a'], 10, True, None, {{'depth': 3}}) for {CONTEXT}"
    assert told({"limit": "1"}, **way(search)) == f"(None, 1, False, 1, None) for {CONTEXT}"
    assert told(HOPELESS, **way(search)) == MESSAGE


@in_every_way
@pytest.mark.parametrize("days", [["2026-11-22"], "['2026-11-22']"], ids=["right", "stringified"])
def test_what_the_frameworks_model_has_read_is_read_again(way: Any, days: Any) -> None:
    """Middleware gets dates and sets where the model of the function has made them."""

    @tool(name="search")
    def on(days: set[dt.date], limit: Annotated[int, Field(le=10)] = 1) -> str:
        """Find articles."""
        return repr((days, limit))

    assert told({"days": days}, **way(on)) == "({datetime.date(2026, 11, 22)}, 1)"


@in_every_way
def test_text_that_is_no_object_is_no_argument_of_that_name(way: Any) -> None:
    """The framework calls it `raw`, which a parameter may be called too."""
    schema = {"type": "object", "properties": {"raw": {"type": "string"}}}
    job = Job()
    told({"raw": "{'a': 1}"}, **way(raw(job, schema)))
    told("{'raw': 1}", **way(raw(job, {"type": "object"})))
    assert job.got == [{"raw": "{'a': 1}"}, {"raw": 1}]


OURS = from_tool(FORGIVING)
WAYS_TO_OURS = {
    "wrap_tool": {"tools": [wrap_tool(OURS)]},
    "CoercionMiddleware": {"tools": [OURS], "middleware": [CoercionMiddleware()]},
}


@pytest.mark.parametrize("way", WAYS_TO_OURS.values(), ids=WAYS_TO_OURS)
def test_a_tool_of_ours_is_read_by_its_own_rules(way: Any) -> None:
    """Whatever the rules of what reads its arguments before it."""
    assert told({"tags": "a, b"}, **way) == "['a', 'b']"


def test_the_methods_of_an_object_are_tools() -> None:
    """With the framework's context where they ask for it; errors are told in their own words."""

    class Shop:
        def search(self, tags: list[str], *, context: FunctionInvocationContext) -> str:
            """Find articles."""
            return f"{tags} for {who(context)}"

        def fail(self) -> str:
            """Fail."""
            message = "closed on Sundays"
            raise ToolError(message)

    made = Toolset.from_object(Shop(), inject=FunctionInvocationContext)
    tools = [from_tool(each) for each in made]
    assert told({"tags": '["a"]'}, tools=tools) == f"['a'] for {CONTEXT}"
    assert told({}, "fail", tools=tools) == "closed on Sundays"


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of the framework's."""
    made = from_tool(Tool.from_schema(DEFINITION, lambda raw_arguments: ""), max_invocations=3)
    assert (made.name, made.description, made.parameters()) == ("search", "Find articles.", SCHEMA)
    assert made.max_invocations == 3


def test_events_told_to_the_application_are_told_once() -> None:
    """Although the framework asks for the arguments more than once."""
    seen: list[Any] = []
    ours = Tool.from_function(lambda limit: limit, name="search", on_prepared=seen.append)
    told({"limit": "1"}, tools=[from_tool(ours)])
    assert [prepared.arguments for prepared in seen] == [{"limit": "1"}]


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """And the one that was wrapped stays as it was; wrapping twice is wrapping once."""
    job = Job()
    theirs = raw(job, kind="shell")
    wrapped = wrap_tool(wrap_tool(theirs))
    assert isinstance(wrapped, FunctionTool)
    assert (wrapped.kind, wrapped.func) == ("shell", theirs.func)
    told(STRINGS, tools=[wrapped])
    assert told(STRINGS, tools=[theirs]).startswith("Error")
    assert job.got == [EXACT]


def test_a_program_is_told_by_an_exception() -> None:
    """Where it calls a tool for the result itself."""
    for theirs in (wrap_tool(raw(Job())), from_tool(Job().ours())):
        with pytest.raises(ToolError, match="must be an integer"):
            asyncio.run(theirs.invoke(arguments=HOPELESS, skip_parsing=True))
    context = FunctionInvocationContext(function=theirs, arguments=STRINGS, kwargs={"who": CONTEXT})
    (content,) = asyncio.run(theirs.invoke(context=context))
    assert isinstance(content, Content)
    assert content.text == f"for {CONTEXT}"


def test_a_tool_with_a_broken_schema_works_as_before() -> None:
    """It is called with what was sent."""
    job = Job()
    theirs = raw(job, {"type": "object", "properties": {"limit": {"anyOf": 3}}})
    assert wrap_tool(theirs) is theirs
    told({"limit": "1"}, tools=[theirs], middleware=[CoercionMiddleware()])
    assert job.got == [{"limit": "1"}]


def test_rules_can_be_chosen() -> None:
    """By the name of a preset, or as a `Coercion`."""
    off = {"tools": [raw(Job())], "middleware": [CoercionMiddleware(coercion="off")]}
    assert "must be a JSON array" in told(STRINGS, **off)
    assert "must be a JSON array" in told(STRINGS, tools=[wrap_tool(raw(Job()), coercion="off")])


def test_a_call_that_was_approved_is_made() -> None:
    """With the arguments that were sent, read once more."""
    job = Job()
    theirs = raw(job, approval_mode="always_require")

    async def run() -> str:
        agent = Agent(client=Client((Call(EXACT),)), tools=[theirs])
        session = agent.create_session()
        kwargs: Any = {"function_invocation_kwargs": {"who": CONTEXT}, "session": session}
        asked = await agent.run("Go on.", **kwargs)
        (request,) = asked.user_input_requests
        answer = request.to_function_approval_response(approved=True)
        from agent_framework import Message  # noqa: PLC0415 - for this alone

        done = await agent.run(Message("user", [answer]), **kwargs)
        return str(done.text)

    theirs = wrap_tool(theirs)
    asyncio.run(run())
    assert job.got == [EXACT]


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""

    async def run() -> list[str]:
        sent = {"tags": "['a']", "limit": "10", "active": "yes"}
        script = Call(sent), Call({"tags": [], "limit": "many"})
        async with MCPStdioTool("shop", python(), args=ECHO, load_prompts=False) as server:
            setup = {"tools": [server], "middleware": [CoercionMiddleware()]}
            return await converse(setup, script)

    right, refused = asyncio.run(run())
    assert "(['a'], 10, True)" in right
    assert refused == MESSAGE
