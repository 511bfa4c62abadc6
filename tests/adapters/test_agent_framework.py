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
    MCPStdioTool,
    tool,
)
from contract import CONTEXT, Call, Job
from drivers.agent_framework import Client, converse, raw
from forking import python
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS
from pydantic import Field

from schema2model import Tool, ToolError
from schema2model.adapters.agent_framework import CoercionMiddleware, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call."""
    (answer,) = asyncio.run(converse(setup, (Call(arguments, name),)))
    return answer


FUNCTION = {
    "wrap_tool": lambda theirs: {"tools": [wrap_tool(theirs)]},
    "CoercionMiddleware": lambda theirs: {"tools": [theirs], "middleware": [CoercionMiddleware()]},
    "both": lambda theirs: {"tools": [wrap_tool(theirs)], "middleware": [CoercionMiddleware()]},
}
in_every_way = pytest.mark.parametrize("way", FUNCTION.values(), ids=FUNCTION)


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
    text, any_object = Job(schema=schema), Job(schema={"type": "object"})
    told({"raw": "{'a': 1}"}, **way(raw(text)))
    told("{'raw': 1}", **way(raw(any_object)))
    assert text.got + any_object.got == [{"raw": "{'a': 1}"}, {"raw": 1}]


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of the framework's."""
    made = from_tool(Tool.from_schema(DEFINITION, lambda raw_arguments: ""), max_invocations=3)
    assert (made.name, made.description, made.parameters()) == ("search", "Find articles.", SCHEMA)
    assert made.max_invocations == 3


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """But for what runs before it."""
    theirs = raw(Job(), kind="shell")
    wrapped = wrap_tool(theirs)
    assert (wrapped.kind, wrapped.func) == ("shell", theirs.func)


def test_a_program_is_told_by_an_exception() -> None:
    """Where it calls a tool for the result itself."""
    for theirs in (wrap_tool(raw(Job())), from_tool(Job().ours())):
        with pytest.raises(ToolError, match="must be an integer"):
            asyncio.run(theirs.invoke(arguments=HOPELESS, skip_parsing=True))
    context = FunctionInvocationContext(function=theirs, arguments=STRINGS, kwargs={"who": CONTEXT})
    (content,) = asyncio.run(theirs.invoke(context=context))
    assert isinstance(content, Content)
    assert content.text == f"for {CONTEXT}"


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
