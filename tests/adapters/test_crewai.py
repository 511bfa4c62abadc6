"""CrewAI: tools alone, with an agent whose model says what it is told to, and over MCP."""

from __future__ import annotations

import asyncio
import datetime as dt
import importlib.util
import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

if importlib.util.find_spec("crewai") is None:
    pytest.skip(needs("crewai"), allow_module_level=True)
# Nothing of a test is to be sent anywhere; CrewAI reads this as it is imported.
os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true"
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # CrewAI's modules cannot be imported without warnings
    from crewai import Agent
    from crewai.llms.base_llm import BaseLLM
    from crewai.mcp import MCPClient
    from crewai.mcp.transports import StdioTransport
    from crewai.tools import BaseTool, tool
    from crewai.tools.mcp_native_tool import MCPNativeTool
    from crewai.utilities.pydantic_schema_utils import create_model_from_schema
from forking import python
from probe import CASES, EXACT, HOPELESS, MESSAGE, OPEN_SCHEMA, PROBLEM, SCHEMA, STRINGS
from pydantic import BaseModel, PrivateAttr
from search_tools import noting_tool

from schema2model import Tool, ToolError
from schema2model.adapters.crewai import from_tool, wrap_server, wrap_tool

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of CrewAI's imports and telemetry
]


def our_tool(taken: list[Any], *, asynchronous: bool = False, **options: Any) -> BaseTool:
    """A tool of ours that takes note of its arguments."""
    return from_tool(noting_tool(taken, asynchronous=asynchronous), **options)


class Opts(BaseModel):
    """A model of the application's."""

    depth: int = 1


class Search(BaseModel):
    """What is to be found."""

    tags: list[str]
    opts: Opts = Opts()
    since: dt.date | None = None


class Searching(BaseTool):
    """A tool of CrewAI's with a model and something to keep."""

    name: str = "search"
    description: str = "Find."
    args_schema: type[BaseModel] = Search
    _taken: list[Any] = PrivateAttr(default_factory=list)

    def _run(self, **arguments: Any) -> Any:
        self._taken.append(arguments)
        return self._taken


DATED = {"tags": '["a"]', "opts": '{"depth": "3"}', "since": "2026-11-21"}
READ = {"tags": ["a"], "opts": {"depth": 3}, "since": dt.date(2026, 11, 21)}

both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


# ---------------------------------------------------------------------------------- from_tool
@pytest.mark.parametrize("asynchronous", [False, True], ids=["function", "coroutine"])
@pytest.mark.parametrize("how", ["run", "arun", "invoke"])
@pytest.mark.parametrize(("sent", "expected"), CASES)
def test_our_tool_takes_exact_arguments(
    sent: Any,
    expected: Any,
    how: str,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """Types are the schema's, nested values plain dicts, and nothing is added."""
    taken: list[Any] = []
    ours = our_tool(taken, asynchronous=asynchronous)
    if how == "run":
        assert ours.run(**sent) == "found"
    elif how == "arun":
        assert asyncio.run(ours.arun(**sent)) == "found"
    else:
        assert ours.to_structured_tool().invoke(json.dumps(sent)) == "found"
    assert taken == [expected]
    assert type(taken[0].get("opts", {})) is dict


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of CrewAI's."""
    ours = our_tool([], max_usage_count=1)
    assert ours.args_schema.model_json_schema() == SCHEMA
    assert ours.max_usage_count == 1


def test_our_message_is_in_the_error_of_a_hopeless_call() -> None:
    """Which CrewAI adds the schema to."""
    with pytest.raises(ValueError, match=rf"(?s)validation failed.*limit\s+{PROBLEM}.*Required"):
        our_tool([]).run(**HOPELESS)


# ---------------------------------------------------------------------------------- wrap_tool
def test_a_tool_of_crewai_takes_what_its_model_reads() -> None:
    """Defaults, which are CrewAI's to fill in, as well; the tool that was wrapped stays."""
    theirs = Searching()
    wrapped = wrap_tool(wrap_tool(theirs))
    assert wrapped.run(**DATED) == [READ]
    assert wrapped.run(tags=["b"])[1:] == [{"tags": ["b"], "opts": {"depth": 1}, "since": None}]
    assert wrapped.to_structured_tool().invoke(DATED)[2:] == [READ]
    assert theirs.run(tags=["c"])[3]["tags"] == ["c"]
    assert theirs.args_schema is Search


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """Its class, and what a language model is shown."""
    theirs = Searching(result_as_answer=True)
    wrapped = wrap_tool(theirs)
    assert isinstance(wrapped, Searching)
    assert wrapped.result_as_answer
    assert wrapped.formatted_description == theirs.formatted_description
    assert wrapped.args_schema.model_json_schema() == Search.model_json_schema()


@both
def test_a_function_of_crewai_is_wrapped(asynchronous: bool) -> None:  # noqa: FBT001
    """Sync or async."""

    def search(tags: list[str], limit: int = 10) -> str:
        """Find."""
        return repr((tags, limit))

    async def asearch(tags: list[str], limit: int = 10) -> str:
        """Find."""
        return repr((tags, limit))

    theirs = wrap_tool(tool("search")(asearch if asynchronous else search))
    result = theirs.run(tags='["a"]', limit="3")
    if asynchronous:
        assert asyncio.run(theirs.arun(tags='["a"]', limit="3")) == result
    assert result == "(['a'], 3)"


def test_a_wrapped_tool_refuses_with_our_message() -> None:
    """In full."""
    with pytest.raises(ValueError, match="validation failed: Error parsing arguments") as caught:
        wrap_tool(Searching()).run(tags="a")
    assert isinstance(caught.value.__cause__, ToolError)
    assert '- /tags: must be a JSON array of strings, not "a"' in str(caught.value)


def test_a_tool_with_a_broken_schema_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""

    class Broken(Search):
        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> Any:
            return {"type": "object", "properties": {"tags": {"type": "nothing"}}}

    theirs = Searching(args_schema=Broken)
    assert wrap_tool(theirs) is theirs
    assert "search" in caplog.text


# ------------------------------------------------------------------------------------ agents
class Model(BaseLLM):
    """Says one thing after another, and keeps what it heard."""

    said: list[Any]
    native: bool
    heard: list[Any] = []

    def supports_function_calling(self) -> bool:
        """Or else calls are text."""
        return self.native

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        """Say the next."""
        self.heard.append(json.dumps(messages))
        return self.said.pop(0)


def converse(theirs: BaseTool, arguments: Any, *, native: bool) -> str:
    """What the model has heard before it is done, after a call of the tool."""
    text = json.dumps(arguments)
    said: list[Any] = [
        f"Thought: Find.\nAction: search\nAction Input: {text}",
        "Final Answer: Done.",
    ]
    if native:
        function = {"name": "search", "arguments": text}
        said = [[{"id": "1", "type": "function", "function": function}], "Done."]
    model = Model(model="scripted", said=said, native=native)
    agent = Agent(role="finder", goal="find", backstory="none", tools=[theirs], llm=model)
    assert agent.kickoff("Go!").raw == "Done."
    return str(model.heard[-1])


natively = pytest.mark.parametrize("native", [True, False], ids=["native", "text"])


@natively
def test_an_agent_calls_our_tool_with_exact_arguments(native: bool) -> None:  # noqa: FBT001
    """However it calls."""
    taken: list[Any] = []
    assert "found" in converse(our_tool(taken), STRINGS, native=native)
    assert taken == [EXACT]


@natively
def test_an_agent_calls_a_wrapped_tool_with_exact_arguments(native: bool) -> None:  # noqa: FBT001
    """However it calls; alone, the model hears of an error."""
    theirs = Searching()
    assert "valid list" in converse(theirs, DATED, native=native)
    converse(wrap_tool(theirs), DATED, native=native)
    assert theirs._taken == [READ]


@natively
@pytest.mark.parametrize("ours", [True, False], ids=["from_tool", "wrap_tool"])
def test_an_agent_tells_our_message(native: bool, ours: bool) -> None:  # noqa: FBT001
    """As every error of a tool."""
    heard = converse(
        our_tool([])
        if ours
        else wrap_tool(Searching(args_schema=create_model_from_schema(OPEN_SCHEMA))),
        HOPELESS,
        native=native,
    )
    assert (json.dumps(PROBLEM) if ours else json.dumps(MESSAGE))[1:-1] in heard


# --------------------------------------------------------------------------------------- MCP
def client(*arguments: str) -> Any:
    """What makes clients of a server over stdio."""
    return lambda: MCPClient(StdioTransport(python(), list(arguments)))


ECHO = client(str(Path(__file__).parent / "mcp_server.py"))


@pytest.fixture
def repository(tmp_path: Path) -> str:
    """One with a file to add."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git: pip install mcp-server-git")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607
    (tmp_path / "one").touch()
    return str(tmp_path)


def test_a_server_of_functions_is_sent_exact_arguments() -> None:
    """Correct ones are the same as without us."""
    search = {theirs.name: theirs for theirs in wrap_server(ECHO, "echo")}["echo_search"]
    assert isinstance(search, MCPNativeTool)
    assert search.run(tags='["a"]', limit="10", active="yes") == "(['a'], 10, True)"
    assert search.run(tags=["a"], limit=10, active=True) == "(['a'], 10, True)"
    assert search.run(tags=["a"], limit=10) == "(['a'], 10, False)"
    with pytest.raises(ValueError, match=PROBLEM):
        search.run(tags=[], limit="many")


def test_a_server_in_the_wild_is_sent_exact_arguments(repository: str) -> None:
    """CrewAI alone refuses the string before it is sent."""
    add = {theirs.name: theirs for theirs in wrap_server(client("-m", "mcp_server_git"))}[
        "mcp_git_add"
    ]
    schema = add.args_schema.model_json_schema()
    alone = MCPNativeTool(
        client("-m", "mcp_server_git"),
        "git_add",
        {"args_schema": create_model_from_schema(schema)},
        "mcp",
    )
    with pytest.raises(ValueError, match="valid list"):
        alone.run(repo_path=repository, files='["one"]')
    assert add.run(repo_path=repository, files='["one"]') == "Files staged successfully"


def test_a_tool_of_a_server_with_a_broken_schema_is_crewais(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the model that CrewAI makes of it."""

    async def listed(*_: Any) -> Any:
        schema = {"type": "object", "properties": {"limit": {"type": "integer", "minimum": "1"}}}
        return [{"name": "search", "inputSchema": schema}]

    monkeypatch.setattr(MCPClient, "list_tools", listed)
    (search,) = wrap_server(ECHO)
    assert list(search.args_schema.model_fields) == ["limit"]
    assert "search" in caplog.text


@pytest.mark.parametrize("asynchronous", [False, True])
def test_what_must_not_be_tried_again_is_a_result(asynchronous: bool) -> None:  # noqa: FBT001
    """CrewAI runs a call again that raises; a declined payment is not made twice."""
    paid = []

    def pay(amount: int, retryable: bool) -> str:  # noqa: FBT001 - a model names its arguments
        paid.append(amount)
        message = "The card was declined."
        raise ToolError(message, retryable=retryable)

    async def apay(amount: int, retryable: bool) -> str:  # noqa: FBT001 - as above
        return pay(amount, retryable)

    made = from_tool(Tool.from_function(apay if asynchronous else pay, name="pay"))
    assert made.run(amount=5, retryable=False) == "The card was declined."
    assert paid == [5]
    with pytest.raises(ValueError, match="The card was declined"):
        made.run(amount=5, retryable=True)
