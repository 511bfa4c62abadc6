"""LiveKit Agents, in a session of its own with a model that says what it is told to."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from staging import staged
from waiting import PATIENCE

from schema2model.extras import needs

pytest.importorskip("livekit.agents", reason=needs("livekit"))
from contract import Call, Job
from drivers.livekit import TOOLS, Model
from forking import python
from livekit.agents import Agent, AgentSession, RunContext, function_tool, llm
from livekit.agents.llm.utils import execute_function_call
from probe import DEFINITION, EXACT, HOPELESS, MESSAGE, STRINGS

from schema2model import Tool
from schema2model.adapters.livekit import from_tool, wrap_server, wrap_tool

pytestmark = pytest.mark.adapters


def converse(
    arguments: Any, *tools: Any, name: str = "search", **options: Any
) -> tuple[str, llm.FunctionCallOutput]:
    """The call as it stands in the conversation, and what the model is told of it."""

    async def run() -> tuple[str, llm.FunctionCallOutput]:
        async with AgentSession(llm=Model((Call(arguments, name),)), userdata="Ada") as session:
            await session.start(Agent(instructions="", tools=list(tools), **options))
            await session.run(user_input="Go on.")
            items = {item.type: item for item in session.history.items}
        return items["function_call"].arguments, items["function_call_output"]

    return asyncio.run(run())


WAYS = {
    "ours": TOOLS.ways["from_tool"],
    "raw tool wrapped": TOOLS.ways["wrap_tool"],
    "typed tool wrapped": lambda job: wrap_tool(TOOLS.function(job)),
}
in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


# ---------------------------------------------------------------------------------- with us
@in_every_way
@pytest.mark.parametrize(
    ("text", "refused"),
    [(str(STRINGS), False), (json.dumps(json.dumps(STRINGS)), False), (str(HOPELESS), True)],
    ids=["malformed", "encoded twice", "hopeless"],
)
def test_the_conversation_holds_json(way: Any, text: str, refused: bool) -> None:  # noqa: FBT001
    """Of an object, whatever comes of the call."""
    call, output = converse(text, way(Job()))
    assert (output.output, output.is_error) == (MESSAGE if refused else "for Ada", refused)
    assert json.loads(call) == (HOPELESS if refused else STRINGS)


async def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@pytest.mark.parametrize(
    "tool",
    [from_tool(Tool.from_function(double)), wrap_tool(function_tool(double))],
    ids=["ours", "wrapped"],
)
def test_a_tool_runs_outside_of_a_session(tool: Any) -> None:
    """LiveKit makes some calls without a context."""
    call = llm.FunctionToolCall(name="double", arguments='{"number": "7"}', call_id="call")
    result = asyncio.run(execute_function_call(call, llm.ToolContext([tool])))
    assert result.fnc_call_out.output == "14"


# --------------------------------------------------------------------------- service objects
def test_the_tools_of_an_agents_own_methods_can_be_wrapped() -> None:
    """As they are bound to it."""

    class Librarian(Agent):
        @function_tool
        async def search(self, context: RunContext[str], limit: int) -> str:
            return f"{self.instructions}: {limit} for {context.userdata}"

    wrapped = [wrap_tool(tool) for tool in Librarian(instructions="books").tools]
    _, output = converse({"limit": '"3"'}, *wrapped)
    assert output.output == "books: 3 for Ada"


# -------------------------------------------------------------------------------- what is kept
OPTIONS = {
    "flags": llm.ToolFlag.CANCELLABLE,
    "on_duplicate": "confirm",
    "duplicate_scope": "name_and_args",
}


def test_options_are_those_of_livekit() -> None:
    """Beside the schema, which is the tool's."""
    tool = Tool.from_schema(DEFINITION)
    info = from_tool(tool, **OPTIONS).info
    assert (info.flags, info.on_duplicate, info.duplicate_scope) == tuple(OPTIONS.values())
    assert from_tool(tool).info.raw_schema == DEFINITION


@pytest.mark.parametrize("theirs", [TOOLS.raw, TOOLS.function])
def test_a_wrapped_tool_keeps_its_properties(theirs: Any) -> None:
    """Name, schema, flags and what is done about duplicates."""
    tool = theirs(Job(), **OPTIONS)
    wrapped = wrap_tool(tool)
    names = ("name", *OPTIONS)
    assert [getattr(wrapped.info, name) for name in names] == [
        getattr(tool.info, name) for name in names
    ]
    assert wrapped.id == "search"
    assert wrapped.__doc__ == tool.__doc__
    shown = llm.ToolContext([tool]).parse_function_tools("openai", strict=False)
    assert llm.ToolContext([wrapped]).parse_function_tools("openai", strict=False) == shown


@pytest.mark.parametrize("theirs", [TOOLS.raw, TOOLS.function])
def test_a_question_about_duplicates_is_livekits(theirs: Any) -> None:
    """It asks in the tool's schema, and the tool does not get the answer."""
    job = Job(has_defaults=True)
    tool = wrap_tool(theirs(job, on_duplicate="confirm"))
    converse({**STRINGS, "lk_agents_confirm_duplicate": True}, tool)
    assert job.got == [EXACT]


# --------------------------------------------------------------------------------- MCP servers
def mcp() -> Any:
    """LiveKit's part for MCP."""
    return pytest.importorskip(
        "livekit.agents.llm.mcp", reason="needs livekit-agents[mcp]", exc_type=ImportError
    )


def git_server() -> Any:
    """A real server, over stdio."""
    command = ["-m", "mcp_server_git"]
    return mcp().MCPServerStdio(python(), command, client_session_timeout_seconds=PATIENCE)


FILES = "['a.txt']"


def add(repository: Path, files: Any, server: Any) -> llm.FunctionCallOutput:
    """What a model is told that stages files by a server's tool."""
    toolset = mcp().MCPToolset(id="git", mcp_server=server)
    arguments = {"repo_path": str(repository), "files": files}
    return converse(arguments, toolset, name="git_add")[1]


def test_an_mcp_server_alone_gets_strings(repository: Path) -> None:
    """What this one cannot read as JSON it refuses."""
    assert add(repository, FILES, git_server()).is_error
    assert staged(repository) == []


def test_a_wrapped_mcp_server_gets_exact_arguments(repository: Path) -> None:
    """Its tools are wrapped when LiveKit lists them."""
    assert not add(repository, FILES, wrap_server(git_server())).is_error
    assert staged(repository) == ["a.txt"]


def test_a_wrapped_mcp_server_can_be_an_agents_own(repository: Path) -> None:
    """As `mcp_servers`, which LiveKit makes toolsets of."""
    arguments = {"repo_path": str(repository), "files": FILES}
    converse(arguments, name="git_add", mcp_servers=[wrap_server(git_server())])
    assert staged(repository) == ["a.txt"]


def test_a_hopeless_call_does_not_reach_an_mcp_server(repository: Path) -> None:
    """The model is told in our words."""
    output = add(repository, 5, wrap_server(git_server()))
    assert output.is_error
    assert output.output == (
        "Error parsing arguments for `git_add`:\n"
        "- /files: must be a JSON array of at least 1 item, "
        'each string, not 5; write it like ["…"], with the values from the request\n\n'
        "Fix the errors and try again."
    )


def test_a_wrapped_server_is_the_server() -> None:
    """But for its list of tools."""
    server = git_server()
    wrapped = wrap_server(server)
    assert wrapped.initialized is False
    assert wrapped.command == server.command
