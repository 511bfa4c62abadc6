"""Agno: what the contract does not say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("agno", reason=needs("agno"))
from agno.agent import Agent
from agno.run import RunContext
from agno.team import Team
from agno.tools import Toolkit, tool
from agno.tools.function import FunctionCall
from contract import CONTEXT, Call, Job
from drivers.agno import ScriptedModel, converse, raw, who
from forking import python
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool, Toolset
from schema2model.adapters.agno import coercion, from_tool, wrap_tool

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore")]

ECHO = str(Path(__file__).parent / "mcp_server.py")


def told(arguments: Any, name: str = "search", **setup: Any) -> str:
    """What the model is told of one call, whichever way the agent runs."""
    script = (Call(arguments, name),)
    (answer,) = asyncio.run(converse(setup, script))
    agent = Agent(model=ScriptedModel(script), telemetry=False, **setup)
    output = agent.run("Go on.", dependencies={"who": CONTEXT})
    (same,) = [m.content for m in output.messages or () if m.role == "tool"]
    assert same == answer
    return answer


def search(  # noqa: PLR0913, PLR0917 - all types that a probe needs
    run_context: RunContext,
    limit: int,
    tags: list[str] | None = None,
    active: bool = False,  # noqa: FBT001, FBT002 - a model names its arguments
    page: int | None = 1,
    opts: dict[str, int] | None = None,
) -> str:
    """Find articles."""
    return f"{(tags, limit, active, page, opts)} for {who(run_context)}"


HOOK = [coercion()]
FUNCTION: dict[str, Any] = {
    "wrap_tool": lambda: {"tools": [wrap_tool(search)]},
    "wrap_tool of a Function": lambda: {"tools": [wrap_tool(tool(search))]},
    "coercion": lambda: {"tools": [search], "tool_hooks": HOOK},
    "coercion of a Function": lambda: {"tools": [tool(search)], "tool_hooks": [coercion()]},
    "coercion of a Toolkit": lambda: {
        "tools": [Toolkit("shop", tools=[search])],
        "tool_hooks": [coercion()],
    },
    "both": lambda: {"tools": [wrap_tool(search)], "tool_hooks": [coercion()]},
}
in_every_way = pytest.mark.parametrize("way", FUNCTION.values(), ids=FUNCTION)


@in_every_way
def test_a_function_gets_exact_arguments(way: Any) -> None:
    """And its context, and its defaults for what was not sent."""
    sent = {name: value for name, value in STRINGS.items() if name != "page"}
    answer = told(sent, **way())
    assert answer == f"(['a'], 10, True, 1, {{'depth': 3}}) for {CONTEXT}"
    assert told({"limit": "1"}, **way()) == f"(None, 1, False, 1, None) for {CONTEXT}"
    assert told(HOPELESS, **way()) == MESSAGE


def test_a_team_has_the_hook_too() -> None:
    """For the tools of its own."""
    job = Job()
    team = Team(
        members=[],
        model=ScriptedModel((Call(STRINGS),)),
        tools=[raw(job)],
        tool_hooks=[coercion()],
        telemetry=False,
    )
    team.run("Go on.", dependencies={"who": CONTEXT})
    assert job.got == [EXACT]


def test_an_asynchronous_tool_of_a_synchronous_team_is_an_error() -> None:
    """Agno itself refuses it for agents alone, and writes a coroutine as the result for teams."""

    async def search(limit: int) -> str:
        """Find articles."""
        return f"{limit} found"

    def run(*, asynchronous: bool) -> Any:
        script = (Call({"limit": "1"}),)
        tools = [from_tool(Tool(search))]
        team = Team(members=[], model=ScriptedModel(script), tools=tools, telemetry=False)
        output = asyncio.run(team.arun("Go on.")) if asynchronous else team.run("Go on.")
        return next(m for m in output.messages if m.role == "tool")

    refused, answered = run(asynchronous=False), run(asynchronous=True)
    assert "`search` is asynchronous; run the agent with `arun`" in refused.content
    assert refused.tool_call_error
    assert answered.content == "1 found"


def test_a_tool_that_is_made_for_a_run_is_read_too() -> None:
    """Where an agent has a function that makes them."""
    job = Job()
    assert CONTEXT in told(STRINGS, tools=lambda: [raw(job)], tool_hooks=[coercion()])
    assert job.got == [EXACT, EXACT]


def test_the_methods_of_an_object_are_tools() -> None:
    """With Agno's context where they ask for it, whatever their arguments are called."""

    class Shop:
        def search(self, agent: list[str], *, context: RunContext) -> str:
            """Find articles."""
            return f"{agent} for {who(context)}"

    tools = [from_tool(made) for made in Toolset.from_object(Shop(), inject=RunContext)]
    assert told({"agent": '["a"]'}, tools=tools) == f"['a'] for {CONTEXT}"


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of Agno's."""
    made = from_tool(Tool.from_schema(DEFINITION), requires_confirmation=True)
    assert (made.name, made.description, made.parameters) == ("search", "Find articles.", SCHEMA)
    assert made.requires_confirmation


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_hook_that_a_function_has_comes_after_ours(asynchronous: bool) -> None:  # noqa: FBT001
    """And sees exact arguments; it is asked for no more than it wants."""
    seen: list[Any] = []

    def look(fc: FunctionCall) -> None:
        seen.append(fc.arguments)

    async def look_later(fc: FunctionCall, agent: Any) -> None:
        seen.append((fc.arguments, agent))

    job = Job(asynchronous=asynchronous)
    if asynchronous:
        job.does = _later
    theirs = raw(job, pre_hook=look_later if asynchronous else look)
    wrapped = wrap_tool(theirs)
    call = FunctionCall(function=wrapped, arguments=dict(STRINGS))
    wrapped._run_context = RunContext("1", "1", dependencies={"who": CONTEXT})
    done = asyncio.run(call.aexecute()) if asynchronous else call.execute()
    assert (done.status, done.result) == ("success", f"for {CONTEXT}")
    assert seen == [(EXACT, None) if asynchronous else EXACT]
    assert theirs.pre_hook is not wrapped.pre_hook


async def _later(_: Any, context: str) -> str:
    await asyncio.sleep(0)
    return f"for {context}"


def test_a_hook_that_raises_is_agnos_affair() -> None:
    """What it raises goes on as it did."""
    from agno.exceptions import StopAgentRun  # noqa: PLC0415 - for this alone

    def stop() -> None:
        message = "enough"
        raise StopAgentRun(message)

    call = FunctionCall(function=wrap_tool(raw(Job(), pre_hook=stop)), arguments=dict(STRINGS))
    with pytest.raises(StopAgentRun, match="enough"):
        call.execute()


def test_results_are_cached_by_exact_arguments(tmp_path: Path) -> None:
    """As Agno asks its cache after the hook."""
    job = Job()
    theirs = wrap_tool(raw(job, cache_results=True, cache_dir=str(tmp_path)))
    theirs._run_context = RunContext("1", "1", dependencies={"who": CONTEXT})
    for arguments in (STRINGS, EXACT, STRINGS):
        FunctionCall(function=theirs, arguments=dict(arguments)).execute()
    assert job.got == [EXACT]


def test_what_agno_does_to_words_is_known() -> None:
    """It cannot be undone: whatever is wanted, they are null and booleans before any hook."""
    properties = {"sku": {"type": "string"}, "note": {"type": ["string", "null"]}}
    schema = {"type": "object", "properties": properties, "required": ["sku"]}
    job = Job(schema=schema)
    setup = {"tools": [raw(job)], "tool_hooks": [coercion()]}
    told({"sku": "True", "note": "None"}, **setup)
    assert job.got[0] == {"sku": "true", "note": None}
    assert "must be a string, not null" in told({"sku": "null"}, **setup)


def test_an_mcp_server_gets_exact_arguments() -> None:
    """Over stdio; what is hopeless does not reach it."""
    mcp = pytest.importorskip(
        "agno.tools.mcp", reason="needs fastmcp: pip install fastmcp", exc_type=ImportError
    )

    async def run() -> list[str]:
        sent = {"tags": "['a']", "limit": "10", "active": "yes"}
        script = Call(sent), Call({"tags": [], "limit": "many"})
        async with mcp.MCPTools(f"{python()} {ECHO}", timeout_seconds=60) as server:
            return await converse({"tools": [server], "tool_hooks": [coercion()]}, script)

    right, refused = asyncio.run(run())
    assert "(['a'], 10, True)" in right
    assert refused == MESSAGE
