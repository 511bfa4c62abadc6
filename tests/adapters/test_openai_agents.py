"""The OpenAI Agents SDK, in runs with its own scripted model."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from staging import staged
from waiting import PATIENCE

from schema2model.extras import needs

pytest.importorskip("agents", reason=needs("openai-agents"))
from agents import Agent, RunConfig, Runner, function_tool
from agents.exceptions import UserError
from agents.mcp import MCPServerStdio
from agents.testing import ScriptedModel, assistant_message, function_call
from contract import Job
from drivers.openai_agents import TOOLS
from forking import python
from probe import DEFINITION, HOPELESS, MESSAGE, SCHEMA, STRINGS

from schema2model import Tool
from schema2model.adapters.openai_agents import from_tool, mended, wrap_server, wrap_tool

pytestmark = pytest.mark.adapters

OPAQUE = "An error occurred while running the tool. Please try again."


def converse(
    arguments: Any, *tools: Any, name: str = "search", server: Any = None, **config: Any
) -> tuple[str, Any]:
    """The call's arguments as the model is sent them back, and what it is told of the call."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    model = ScriptedModel(
        [[function_call(name, text, call_id="call")], [assistant_message("Done.")]]
    )

    async def run() -> None:
        servers = [] if server is None else [server]
        agent = Agent("agent", model=model, tools=list(tools), mcp_servers=servers)
        run_config = RunConfig(tracing_disabled=True, **config)
        try:
            if server is not None:
                await server.connect()
            await Runner.run(agent, "Go on.", context="Ada", run_config=run_config)
        finally:
            if server is not None:
                await server.cleanup()

    asyncio.run(run())
    _, call, answer = model.calls[-1].input
    return call["arguments"], answer["output"]


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
    assert output == (MESSAGE if refused else "for Ada")
    assert json.loads(call) == (HOPELESS if refused else STRINGS)


@in_every_way
def test_json_stays_in_the_conversation(way: Any) -> None:
    """What a model has written is not for us to change."""
    assert converse('{"limit":  "1"}', way(Job()))[0] == '{"limit":  "1"}'


# -------------------------------------------------------------------------------- what is kept
def test_options_are_those_of_the_sdk() -> None:
    """Beside name, description and schema, which are the tool's."""
    made = from_tool(Tool.from_schema(DEFINITION), needs_approval=True, timeout_seconds=3)
    assert (made.name, made.description) == ("search", "Find articles.")
    assert made.params_json_schema == SCHEMA
    assert (made.needs_approval, made.timeout_seconds) == (True, 3)


@pytest.mark.parametrize("theirs", [TOOLS.raw, TOOLS.function])
def test_a_wrapped_tool_keeps_its_properties(theirs: Any) -> None:
    """All but what runs it; the tool itself is not changed."""
    tool = theirs(Job(), needs_approval=True)
    before = dict(vars(tool))
    wrapped = wrap_tool(tool)
    assert vars(tool) == before
    assert {**vars(wrapped), "on_invoke_tool": None} == {**vars(tool), "on_invoke_tool": None}


def test_a_wrapped_tool_fails_as_it_did() -> None:
    """By its own function for errors."""

    @function_tool(failure_error_function=lambda _, error: f"sorry: {error}")
    def search(limit: int) -> str:
        message = f"{limit} are too many"
        raise ValueError(message)

    assert converse({"limit": "9"}, wrap_tool(search))[1] == "sorry: 9 are too many"


def test_a_strict_tool_requires_all_that_its_schema_does() -> None:
    """Models are shown that schema and no other."""

    @function_tool
    def search(limit: int, page: int = 1) -> str:
        return f"{limit} {page}"

    assert converse({"limit": "9", "page": "2"}, wrap_tool(search))[1] == "9 2"
    assert (
        "- /page is missing: add it as an integer" in converse({"limit": "9"}, wrap_tool(search))[1]
    )


@pytest.mark.parametrize("sent", ["0", "2030-01", "tomorrow"])
def test_a_wrapped_tool_asserts_formats(sent: str) -> None:
    """The SDK keeps the schema of a function alone, and would make a date of 1970 of `"0"`."""
    got: list[Any] = []

    @function_tool(strict_mode=False)
    def book(when: dt.date) -> str:
        got.append(when)
        return "booked"

    assert (
        "/when: must be a string in the format"
        in converse({"when": sent}, wrap_tool(book), name="book")[1]
    )
    assert converse({"when": "2030-01-31"}, wrap_tool(book), name="book")[1] == "booked"
    converse({"when": "0"}, wrap_tool(book, formats="annotate"), name="book")
    assert got == [dt.date(2030, 1, 31), dt.date(1970, 1, 1)]


# --------------------------------------------------------------------------------- MCP servers
FILES = "['a.txt']"


def git_server() -> MCPServerStdio:
    """A real server, over stdio."""
    params = {"command": python(), "args": ["-m", "mcp_server_git"]}
    return MCPServerStdio(params, name="git", client_session_timeout_seconds=PATIENCE)


def add(repository: Path, files: Any, server: Any) -> str:
    """What a model is told that stages files by a server's tool."""
    arguments = {"repo_path": str(repository), "files": files}
    return converse(arguments, name="git_add", server=server)[1][0]["text"]


def test_an_mcp_server_alone_gets_strings(repository: Path) -> None:
    """What this one cannot read as JSON it refuses."""
    assert "validation error" in add(repository, FILES, git_server())
    assert staged(repository) == []


def test_a_wrapped_mcp_server_gets_exact_arguments(repository: Path) -> None:
    """Of the tools that it listed."""
    add(repository, FILES, wrap_server(git_server()))
    assert staged(repository) == ["a.txt"]


def test_a_hopeless_call_does_not_reach_an_mcp_server(repository: Path) -> None:
    """The model is told in our words."""
    assert add(repository, 5, wrap_server(git_server())) == (
        "Error parsing arguments for `git_add`:\n"
        "- /files: must be a JSON array of at least 1 item, "
        'each string, not 5; write it like ["…"], with the values from the request\n\n'
        "Fix the errors and try again."
    )


def test_a_call_of_a_tool_that_was_not_listed_is_the_servers(repository: Path) -> None:
    """And so is all that is no call."""
    server = wrap_server(git_server())
    assert server.name == "git"
    with pytest.raises(UserError, match="not initialized"):
        asyncio.run(server.call_tool("git_add", {"files": "x"}))


# --------------------------------------------------------------------------- the conversation
def test_malformed_text_for_an_mcp_server_can_be_mended(repository: Path) -> None:
    """The SDK refuses it; the model is sent JSON the next time."""
    text = str({"repo_path": str(repository), "files": ["a.txt"]})
    server = wrap_server(git_server())
    call, output = converse(text, name="git_add", server=server, call_model_input_filter=mended)
    assert output == OPAQUE
    assert json.loads(call)["files"] == ["a.txt"]


def test_what_is_json_is_sent_as_it_was() -> None:
    """The same items, without a change."""
    text = '{"limit":  1}'
    assert converse(text, TOOLS.raw(Job()), call_model_input_filter=mended)[0] == text
