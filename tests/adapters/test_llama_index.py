"""LlamaIndex: tools alone, in an agent with a model that says what it is told to, and over MCP."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip(
    "llama_index.core",
    reason=needs("llama-index"),
)
from forking import python
from llama_index.core.tools import AsyncBaseTool, FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.calling import acall_tool, call_tool
from probe import CASES, HOPELESS, MESSAGE, OPEN_SCHEMA as SCHEMA
from search_tools import noting_tool

from schema2model import Tool, ToolError, compile_schema
from schema2model.adapters.llama_index import from_tool, wrap_server, wrap_tool

pytestmark = [
    pytest.mark.adapters,
    # Workflows look at all attributes of an agent, pydantic's old ones too.
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
]


def their_tool(taken: list[Any], **options: Any) -> FunctionTool:
    """A tool of LlamaIndex's with a model, which it does not ask."""

    def search(**arguments: Any) -> str:
        taken.append(arguments)
        return "found"

    model = compile_schema(SCHEMA, name="search").model
    return FunctionTool.from_defaults(search, description="Find.", fn_schema=model, **options)


def our_tool(taken: list[Any], *, asynchronous: bool = False) -> FunctionTool:
    """The same of a tool of ours."""
    return from_tool(noting_tool(taken, asynchronous=asynchronous))


def wrapped_tool(taken: list[Any], *, asynchronous: bool = False) -> AsyncBaseTool:
    """The same of LlamaIndex's, wrapped."""
    return wrap_tool(their_tool(taken))


def called(theirs: AsyncBaseTool, arguments: Any, *, asynchronous: bool) -> ToolOutput:
    """What LlamaIndex makes of a call."""
    if asynchronous:
        return asyncio.run(acall_tool(theirs, arguments))
    return call_tool(theirs, arguments)


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
made = pytest.mark.parametrize("made", [our_tool, wrapped_tool])


# ------------------------------------------------------------------------------------- tools
@both
@made
@pytest.mark.parametrize(("sent", "expected"), CASES)
def test_a_tool_takes_exact_arguments(
    made: Any,
    sent: Any,
    expected: Any,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """Types are the schema's, nested values plain dicts, and nothing is added."""
    taken: list[Any] = []
    theirs = made(taken, asynchronous=asynchronous)
    assert called(theirs, sent, asynchronous=asynchronous).content == "found"
    assert taken == [expected]
    assert type(taken[0].get("opts", {})) is dict


@both
@made
def test_our_message_is_the_output_of_a_hopeless_call(made: Any, asynchronous: bool) -> None:  # noqa: FBT001
    """The tool raises it."""
    theirs = made([], asynchronous=asynchronous)
    output = called(theirs, HOPELESS, asynchronous=asynchronous)
    assert output.is_error
    assert output.content == f"Encountered error: {MESSAGE}"
    with pytest.raises(ToolError, match="must be an integer"):
        theirs.call(**HOPELESS)


def test_our_tool_shows_its_schema() -> None:
    """And takes the options of LlamaIndex's."""

    def search(tags: list[str]) -> str:
        """Find articles."""
        return repr(tags)

    theirs = from_tool(Tool.from_function(search), return_direct=True)
    assert theirs.metadata.to_openai_tool()["function"] == {
        "name": "search",
        "description": "Find articles.",
        "parameters": {
            "type": "object",
            "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
            "required": ["tags"],
        },
    }
    assert theirs.metadata.return_direct
    assert theirs.call(tags='["a"]').content == "['a']"


def test_a_tool_without_parameters_is_called() -> None:
    """LlamaIndex counts the properties, and a schema need not have any."""
    bare = Tool.from_schema({"name": "now", "parameters": {"type": "object"}}, lambda: "noon")
    assert call_tool(from_tool(bare), {}).content == "noon"


def test_a_wrapped_tool_is_the_same_otherwise() -> None:
    """And the one that was wrapped stays as it was; wrapping twice is wrapping once."""
    taken: list[Any] = []
    theirs = their_tool(taken, callback=str.upper, partial_params={"shop": {1, 2}})
    wrapped = wrap_tool(wrap_tool(theirs))
    assert isinstance(wrapped, FunctionTool)
    assert wrapped.metadata is theirs.metadata
    assert wrapped(limit="3").content == "FOUND"
    theirs(limit="3")
    assert taken == [{"limit": 3, "shop": {1, 2}}, {"limit": "3", "shop": {1, 2}}]


def test_a_tool_of_another_class_is_wrapped() -> None:
    """Whatever it holds."""

    class Counter(AsyncBaseTool):
        def __init__(self, start: int) -> None:
            self.count = start

        @property
        def metadata(self) -> ToolMetadata:
            model = compile_schema({**SCHEMA, "required": ["limit", "tags"]}).model
            return ToolMetadata("Count.", "count", model)

        def call(self, limit: int, tags: list[str]) -> ToolOutput:
            count = self.count + limit + len(tags)
            return ToolOutput("count", content=str(count), raw_input={})

        async def acall(self, limit: int, tags: list[str]) -> ToolOutput:
            return self.call(limit, tags)

    wrapped = wrap_tool(Counter(1))
    sent = {"limit": "2", "tags": '["a"]'}
    assert call_tool(wrapped, sent).content == "4"
    assert asyncio.run(acall_tool(wrapped, sent)).content == "4"


def test_a_tool_with_a_broken_schema_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""

    class Broken:
        @staticmethod
        def model_json_schema() -> Any:
            return {"type": "object", "properties": {"limit": {"type": "nothing"}}}

    theirs = FunctionTool.from_defaults(print, name="search", description="", fn_schema=Broken)
    assert wrap_tool(theirs) is theirs
    assert "search" in caplog.text


# --------------------------------------------------------------------------------------- MCP
def answers(arguments: list[str], name: str, *sent: Any, wrapped: bool = True) -> list[ToolOutput]:
    """What a tool of a server over stdio answers, one after the other."""
    mcp = pytest.importorskip(
        "llama_index.tools.mcp",
        reason="needs llama-index-tools-mcp: pip install llama-index-tools-mcp",
    )

    async def run() -> list[ToolOutput]:
        client = mcp.BasicMCPClient(python(), args=arguments)
        spec = mcp.McpToolSpec(wrap_server(client) if wrapped else client)
        theirs = {tool.metadata.name: tool for tool in await spec.to_tool_list_async()}[name]
        return [await acall_tool(theirs, arguments) for arguments in sent]

    return asyncio.run(run())


ECHO = [str(Path(__file__).parent / "mcp_server.py")]


def test_a_server_of_functions_is_sent_exact_arguments() -> None:
    """Correct ones are the same as without us, and our message is an error."""
    sent = {"tags": '["a"]', "limit": "10", "active": "yes"}
    exact = {"tags": ["a"], "limit": 10, "active": True}
    first, second, third = answers(ECHO, "search", sent, exact, {"tags": [], "limit": "many"})
    assert first.content == second.content
    assert "(['a'], 10, True)" in first.content
    assert (third.content, third.is_error) == (f"Encountered error: {MESSAGE}", True)


@pytest.mark.parametrize("wrapped", [False, True], ids=["alone", "with us"])
def test_a_server_in_the_wild_is_sent_exact_arguments(tmp_path: Path, wrapped: bool) -> None:  # noqa: FBT001
    """LlamaIndex alone hands on the string, which is refused, and calls that no error."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git: pip install mcp-server-git")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)  # noqa: S607
    (tmp_path / "one").touch()
    sent = {"repo_path": str(tmp_path), "files": "['one']"}
    (output,) = answers(["-m", "mcp_server_git"], "git_add", sent, wrapped=wrapped)
    assert not output.is_error
    assert ("Files staged successfully" in output.content) == wrapped
