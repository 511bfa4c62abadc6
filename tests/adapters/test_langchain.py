"""LangChain: tools alone, in an agent with a model that says what it is told to, and over MCP."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest

from schema2model.extras import needs

pytest.importorskip("langchain_core", reason=needs("langchain"))
import probe
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import (
    BaseTool,
    InjectedToolCallId,
    StructuredTool,
    Tool as TextTool,
    ToolException,
    tool,
)
from langchain_core.utils.function_calling import convert_to_openai_tool
from probe import CASES, EXACT, HOPELESS, MESSAGE, STRINGS
from pydantic import BaseModel, PrivateAttr, ValidationError

from schema2model import Tool, ToolError, compile_schema
from schema2model.adapters.langchain import from_tool, interceptor, middleware, wrap_tool

pytestmark = pytest.mark.adapters

PROPERTIES = {**probe.SCHEMA["properties"], "limit": {"type": "integer", "maximum": 100}}
SCHEMA = {**probe.SCHEMA, "properties": PROPERTIES}
PROBLEM = probe.PROBLEM.replace("integer", "integer of at most 100")
REFUSED = MESSAGE.replace(probe.PROBLEM, PROBLEM)


def raw_tool(taken: list[Any], **options: Any) -> StructuredTool:
    """A tool of LangChain's with a schema, which it does not check."""

    def search(**arguments: Any) -> str:
        taken.append(arguments)
        return "found"

    return StructuredTool(
        name="search", description="Find.", args_schema=SCHEMA, func=search, **options
    )


def our_tool(taken: list[Any]) -> Tool:
    """The same as a tool of ours."""

    def search(raw_arguments: dict[str, Any]) -> str:
        taken.append(raw_arguments)
        return "found"

    return Tool.from_schema(
        {"name": "search", "description": "Find.", "parameters": SCHEMA}, search
    )


def call(arguments: Any, name: str = "search") -> Any:
    """A call as agents hand it to a tool."""
    return tool_call(name=name, args=arguments, id="1")


def invoke(theirs: BaseTool, arguments: Any, *, asynchronous: bool = False) -> Any:
    """What the tool answers."""
    if asynchronous:
        return asyncio.run(theirs.ainvoke(call(arguments, theirs.name)))
    return theirs.invoke(call(arguments, theirs.name))


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


# ------------------------------------------------------------------------------------- alone
def test_langchain_alone_passes_strings_to_tools_with_a_schema() -> None:
    """Which is what all tools of MCP servers are."""
    taken: list[Any] = []
    raw_tool(taken).invoke(STRINGS)
    assert taken == [STRINGS]


def test_langchain_alone_refuses_strings_for_tools_with_a_model() -> None:
    """Where they are lists or objects."""

    @tool
    def search(tags: list[str]) -> str:
        """Find."""
        return repr(tags)

    with pytest.raises(ValidationError, match="valid list"):
        search.invoke({"tags": '["a"]'})


def test_our_model_is_a_schema_for_langchains_own_tools() -> None:
    """It shows every property, coerces what is sent, and adds nothing; the tool has all of it."""
    model = compile_schema(SCHEMA, name="search").model
    taken: list[dict[str, Any]] = []

    def search(**arguments: Any) -> None:
        taken.append(arguments)

    of_model = StructuredTool(name="search", description="", args_schema=model, func=search)
    shown = convert_to_openai_tool(of_model)["function"]["parameters"]
    assert shown["properties"].keys() == SCHEMA["properties"].keys()
    assert shown["required"] == SCHEMA["required"]
    of_model.invoke({"tags": '["a"]', "limit": "3"})
    assert taken == [{"tags": ["a"], "limit": 3}]
    assert convert_to_openai_tool(from_tool(our_tool([])))["function"] == {
        "name": "search",
        "description": "Find.",
        "parameters": SCHEMA,
    }


# ---------------------------------------------------------------------------------- from_tool
@both
@pytest.mark.parametrize(("sent", "expected"), CASES)
def test_our_tool_takes_exact_arguments(sent: Any, expected: Any, asynchronous: bool) -> None:  # noqa: FBT001
    """Types are the schema's, nested values plain dicts, and nothing is added."""
    taken: list[Any] = []
    answer = invoke(from_tool(our_tool(taken)), sent, asynchronous=asynchronous)
    assert (answer.content, answer.status) == ("found", "success")
    assert taken == [expected]
    assert type(taken[0].get("opts", {})) is dict


@both
def test_our_message_answers_a_hopeless_call(asynchronous: bool) -> None:  # noqa: FBT001
    """As LangChain answers when a tool raises."""
    answer = invoke(from_tool(our_tool([])), HOPELESS, asynchronous=asynchronous)
    assert (answer.content, answer.status) == (REFUSED, "error")


@both
def test_an_error_of_the_function_answers_too(asynchronous: bool) -> None:  # noqa: FBT001
    """Whether it is asynchronous or not; `handle_tool_error` is LangChain's to respect."""

    def lookup() -> str:
        raise ToolError("no such article")  # noqa: EM101, TRY003

    async def alookup() -> str:
        lookup()
        return ""

    function = alookup if asynchronous else lookup
    ours = Tool.from_function(function, name="lookup")
    answer = invoke(from_tool(ours), {}, asynchronous=asynchronous)
    assert (answer.content, answer.status) == ("no such article", "error")
    with pytest.raises(ToolException, match="no such article"):
        invoke(from_tool(ours, handle_tool_error=False), {}, asynchronous=asynchronous)


@both
def test_what_is_injected_is_the_config(asynchronous: bool) -> None:  # noqa: FBT001
    """LangChain's own, whatever the properties are called."""

    def run(self: str, config: str, context: Any) -> str:
        return f"{self} {config} {context['configurable']['user']}"

    async def arun(self: str, config: str, context: Any) -> str:
        return run(self, config, context)

    schema = {"properties": {"self": {"type": "string"}, "config": {"type": "string"}}}
    ours = Tool.from_schema({"name": "run", "inputSchema": schema}, arun if asynchronous else run)
    theirs = from_tool(ours, tags=["t"])
    config: RunnableConfig = {"configurable": {"user": "Ada"}}
    sent = {"self": 1, "config": "c"}
    if asynchronous:
        assert asyncio.run(theirs.ainvoke(sent, config)) == "1 c Ada"
    else:
        assert theirs.invoke(sent, config) == "1 c Ada"
    assert theirs.tags == ["t"]


def test_text_is_read_as_the_arguments() -> None:
    """As LangChain's tools may be called with a string."""
    taken: list[Any] = []
    from_tool(our_tool(taken)).invoke('{"limit": "3"}')
    assert taken == [{"limit": 3}]


# ---------------------------------------------------------------------------------- wrap_tool
@both
@pytest.mark.parametrize(("sent", "expected"), CASES)
def test_a_tool_with_a_schema_takes_exact_arguments(
    sent: Any,
    expected: Any,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """The tool that was wrapped stays as it was."""
    taken: list[Any] = []
    theirs = raw_tool(taken)
    invoke(wrap_tool(theirs), sent, asynchronous=asynchronous)
    theirs.invoke(STRINGS)
    assert taken == [expected, STRINGS]


class Opts(BaseModel):
    """A model of the application's."""

    depth: int = 1


def test_a_tool_with_a_model_takes_what_it_is_annotated_with() -> None:
    """LangChain's own validation follows, and what it injects arrives."""

    @tool(return_direct=True)
    def search(
        tags: list[str],
        opts: Opts,
        call_id: Annotated[str, InjectedToolCallId],
        config: RunnableConfig,
        page: int | None = 1,
    ) -> str:
        """Find."""
        return repr((tags, opts, call_id, page))

    wrapped = wrap_tool(search)
    answer = invoke(wrapped, {name: STRINGS[name] for name in ("tags", "opts", "page")})
    assert answer.content == "(['a'], Opts(depth=3), '1', None)"
    assert wrapped.return_direct
    assert isinstance(wrapped, StructuredTool)
    assert convert_to_openai_tool(wrapped) == convert_to_openai_tool(search)


def test_a_tool_of_a_class_keeps_its_state() -> None:
    """Also what pydantic does not call a field."""

    class Counting(BaseTool):
        name: str = "count"
        description: str = "Count."
        args_schema: Any = SCHEMA
        _counts: list[int] = PrivateAttr(default_factory=list)

        def _run(self, limit: int) -> list[int]:
            self._counts.append(limit)
            return self._counts

    theirs = Counting()
    theirs.invoke({"limit": 1})
    assert wrap_tool(theirs).invoke({"limit": "2"}) == [1, 2]
    assert wrap_tool(wrap_tool(theirs)).invoke({"limit": "3"}) == [1, 2, 3]


@both
def test_a_wrapped_tool_refuses_as_langchain_does(asynchronous: bool) -> None:  # noqa: FBT001
    """With a ValidationError, which `handle_validation_error` answers."""
    with pytest.raises(ValidationError, match=PROBLEM):
        invoke(wrap_tool(raw_tool([])), HOPELESS, asynchronous=asynchronous)
    handling = raw_tool([], handle_validation_error=str)
    answer = invoke(wrap_tool(handling), HOPELESS, asynchronous=asynchronous)
    assert answer.status == "error"
    assert PROBLEM in answer.content


def test_text_for_a_single_parameter_stays_langchains() -> None:
    """It is no JSON."""

    @tool
    def search(query: str) -> str:
        """Find."""
        return query

    assert wrap_tool(search).invoke("cats") == "cats"


def test_a_tool_of_text_is_left_alone() -> None:
    """LangChain's oldest kind, which shows a parameter that it does not have."""
    theirs = TextTool("search", str.upper, "Find.")
    assert wrap_tool(theirs) is theirs
    messages = converse(
        calling({"__arg1": "[1]"}), [theirs], middleware=[middleware()], asynchronous=False
    )
    assert messages[2].content == "[1]"


def test_a_tool_without_a_schema_takes_what_its_method_is_annotated_with() -> None:
    """LangChain makes a model of it, for the language model only."""

    class Counting(BaseTool):
        name: str = "count"
        description: str = "Count."

        def _run(self, limit: int) -> str:
            return repr(limit)

    assert Counting().invoke({"limit": "2"}) == "'2'"
    assert wrap_tool(Counting()).invoke({"limit": "2"}) == "2"


def test_a_tool_with_a_broken_schema_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """And the log says so."""
    theirs = raw_tool([])
    theirs.args_schema = {"type": "object", "properties": {"limit": {"type": "nothing"}}}
    assert wrap_tool(theirs) is theirs
    assert "search" in caplog.text


# ------------------------------------------------------------------------------------ agents
class Model(FakeMessagesListChatModel):
    """Says one thing after another, whatever tools it has."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """Take note of none."""
        return self


def converse(first: AIMessage, tools: list[Any], *, asynchronous: bool, **options: Any) -> Any:
    """The messages of an agent whose model says `first`, and after it that it is done."""
    agents = pytest.importorskip(
        "langchain.agents", reason="needs langchain: pip install langchain"
    )
    model = Model(responses=[first, AIMessage("Done.")])
    agent = agents.create_agent(model, tools, **options)
    messages = {"messages": [HumanMessage("Go!")]}
    if asynchronous:
        return asyncio.run(agent.ainvoke(messages))["messages"]
    return agent.invoke(messages)["messages"]


def calling(arguments: Any, name: str = "search") -> AIMessage:
    """A message as LangChain reads it from a provider: text that is no JSON makes no call."""
    if isinstance(arguments, str):
        invalid = invalid_tool_call(name=name, args=arguments, id="1", error="no JSON")
        return AIMessage("", invalid_tool_calls=[invalid])
    return AIMessage("", tool_calls=[call(arguments, name)])


@both
def test_an_agent_alone_passes_strings_on_and_ends_at_malformed_text(
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """The model is not even told."""
    taken: list[Any] = []
    tools = [raw_tool(taken)]
    converse(calling(STRINGS), tools, asynchronous=asynchronous)
    messages = converse(calling("{'limit': '10',}"), tools, asynchronous=asynchronous)
    assert taken == [STRINGS]
    assert len(messages) == 2


@both
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        *CASES,
        pytest.param("{'limit': '10', 'tags': ['a',]}", {"limit": 10, "tags": ["a"]}, id="no JSON"),
        pytest.param('"{\\"limit\\": 10}"', {"limit": 10}, id="encoded twice"),
    ],
)
def test_an_agent_calls_tools_with_exact_arguments(
    sent: Any,
    expected: Any,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """And the conversation holds them."""
    taken: list[Any] = []
    messages = converse(
        calling(sent), [raw_tool(taken)], middleware=[middleware()], asynchronous=asynchronous
    )
    assert taken == [expected]
    assert [kept["args"] for kept in messages[1].tool_calls] == [expected]
    assert messages[1].invalid_tool_calls == []
    assert [message.content for message in messages[2:]] == ["found", "Done."]


@both
@pytest.mark.parametrize(
    ("sent", "kept", "told"),
    [
        pytest.param(HOPELESS, HOPELESS, REFUSED, id="arguments"),
        pytest.param("{'limit': 'many',}", HOPELESS, REFUSED, id="repaired text"),
        pytest.param("what?", {}, "Error parsing arguments for `search`:", id="other text"),
    ],
)
def test_an_agent_tells_our_message(sent: Any, kept: Any, told: str, asynchronous: bool) -> None:  # noqa: FBT001
    """The tool is not called, JSON stands in the conversation, and the model goes on."""
    taken: list[Any] = []
    messages = converse(
        calling(sent), [raw_tool(taken)], middleware=[middleware()], asynchronous=asynchronous
    )
    assert not taken
    assert [call["args"] for call in messages[1].tool_calls] == [kept]
    assert isinstance(messages[2], ToolMessage)
    assert messages[2].status == "error"
    assert messages[2].content.startswith(told)
    assert messages[3].content == "Done."


def test_calls_beside_a_refused_one_are_made() -> None:
    """Each call gets its own answer; those of tools unknown are the agent's."""
    taken: list[Any] = []
    calls = [
        {**call(HOPELESS), "id": "refused"},
        {**call(STRINGS), "id": "made"},
        {**call(STRINGS, "other"), "id": "unknown"},
    ]
    invalid = invalid_tool_call(name="other", args="?", id="malformed", error="no JSON")
    said = AIMessage("", tool_calls=calls, invalid_tool_calls=[invalid])
    messages = converse(said, [raw_tool(taken)], middleware=[middleware()], asynchronous=False)
    answers = {m.tool_call_id: m.content for m in messages if isinstance(m, ToolMessage)}
    assert taken == [EXACT]
    assert answers["refused"] == REFUSED
    assert answers["made"] == "found"
    assert "other is not a valid tool" in answers["unknown"]
    assert messages[1].invalid_tool_calls == [invalid]


def test_a_tool_of_the_same_name_is_read_by_its_own_schema() -> None:
    """One middleware may serve agents with tools that differ."""
    shared = middleware()
    taken: list[Any] = []
    converse(calling({"limit": "3"}), [raw_tool(taken)], middleware=[shared], asynchronous=False)
    other = raw_tool(taken)
    other.args_schema = {"type": "object", "properties": {"limit": {"type": "string"}}}
    converse(calling({"limit": "3"}), [other], middleware=[shared], asynchronous=False)
    assert taken == [{"limit": 3}, {"limit": "3"}]


@both
def test_an_error_that_a_tool_raises_is_its_answer(asynchronous: bool) -> None:  # noqa: FBT001
    """With the middleware; the run goes on."""

    def search(limit: int) -> str:
        """Look something up."""
        message = f"no more than 2, and not {limit}"
        raise ToolError(message, retryable=False)

    theirs = StructuredTool.from_function(search)
    messages = converse(
        calling({"limit": "3"}), [theirs], middleware=[middleware()], asynchronous=asynchronous
    )
    assert (messages[2].content, messages[2].status) == ("no more than 2, and not 3", "error")
    assert messages[3].content == "Done."


@both
def test_an_agent_tells_what_a_tool_refuses(asynchronous: bool) -> None:  # noqa: FBT001
    """Our tools in our words, wrapped ones in LangChain's around them."""
    messages = converse(calling(HOPELESS), [from_tool(our_tool([]))], asynchronous=asynchronous)
    assert (messages[2].content, messages[2].status) == (REFUSED, "error")
    messages = converse(calling(HOPELESS), [wrap_tool(raw_tool([]))], asynchronous=asynchronous)
    assert messages[2].status == "error"
    assert PROBLEM in messages[2].content


@both
@pytest.mark.parametrize("way", ["wrapped", "middleware"])
def test_a_type_refuses_in_our_words(way: str, asynchronous: bool) -> None:  # noqa: FBT001
    """A schema accepts any text for a date; what the type refuses says what to send."""
    got: list[dt.date] = []

    def book(when: dt.date) -> str:
        """Book a table."""
        got.append(when)
        return "booked"

    theirs = StructuredTool.from_function(book)
    tools = [wrap_tool(theirs)] if way == "wrapped" else [theirs]
    options = {} if way == "wrapped" else {"middleware": [middleware()]}
    for when, words in (
        ("2030-01", 'when: expected date, found "2030-01"'),
        ("2030-01-31", "booked"),
    ):
        messages = converse(
            calling({"when": when}, "book"), tools, asynchronous=asynchronous, **options
        )
        assert words in messages[2].content
        assert "Input should be" not in messages[2].content
    assert got == [dt.date(2030, 1, 31)]


def test_structured_output_is_the_agents() -> None:
    """Its tool is none of those that the middleware reads."""
    said = calling({"depth": 3}, "Opts")
    messages = converse(
        said, [raw_tool([])], middleware=[middleware()], response_format=Opts, asynchronous=False
    )
    assert [type(message).__name__ for message in messages[1:]] == ["AIMessage", "ToolMessage"]


# --------------------------------------------------------------------------------------- MCP
def over_stdio(arguments: list[str], run: Callable[[Any, Callable[..., Any]], Any]) -> Any:
    """The outcome of `run`, given a session with a server and what loads its tools."""
    pytest.importorskip(
        "langchain_mcp_adapters", reason="needs langchain-mcp-adapters: pip install it"
    )
    from langchain_mcp_adapters.sessions import create_session  # noqa: PLC0415
    from langchain_mcp_adapters.tools import load_mcp_tools  # noqa: PLC0415

    async def connected() -> Any:
        connection = {"transport": "stdio", "command": sys.executable, "args": arguments}
        async with create_session(connection) as session:
            await session.initialize()
            return await run(session, load_mcp_tools)

    return asyncio.run(connected())


ECHO = [str(Path(__file__).parent / "mcp_server.py")]


async def alone(session: Any, load: Any) -> list[BaseTool]:
    """Tools as LangChain loads them."""
    return await load(session)


async def intercepted(session: Any, load: Any) -> list[BaseTool]:
    """Tools with our interceptor."""
    listed = (await session.list_tools()).tools
    return await load(session, tool_interceptors=[interceptor(listed)])


async def wrapped(session: Any, load: Any) -> list[BaseTool]:
    """Tools that are wrapped each."""
    return [wrap_tool(theirs) for theirs in await load(session)]


def answers(server: list[str], loaded: Any, name: str, *sent: Any) -> list[Any]:
    """What a tool of a server answers, one after the other; its text, or the error."""

    async def run(session: Any, load: Any) -> list[Any]:
        theirs = {tool.name: tool for tool in await loaded(session, load)}[name]
        return [await theirs.ainvoke(call(arguments, name)) for arguments in sent]

    return over_stdio(server, run)


ours = pytest.mark.parametrize("loaded", [intercepted, wrapped])


@ours
def test_a_server_of_functions_is_sent_exact_arguments(loaded: Any) -> None:
    """Correct ones are the same as without us."""
    sent = {"tags": '["a"]', "limit": "10", "active": "yes"}
    exact = {"tags": ["a"], "limit": 10, "active": True}
    texts = [answer.content[0]["text"] for answer in answers(ECHO, loaded, "search", sent, exact)]
    assert texts == ["(['a'], 10, True)"] * 2


def git_log(repository: Path, loaded: Any, count: Any) -> str:
    """What mcp-server-git answers, which checks its arguments exactly."""
    pytest.importorskip("mcp_server_git", reason="needs mcp-server-git: pip install it")
    for command in (
        ["init", "-q"],
        [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "one",
        ],
    ):
        subprocess.run(["git", *command], cwd=repository, check=True)  # noqa: S603, S607
    arguments = {"repo_path": str(repository), "max_count": count}
    (answer,) = answers(["-m", "mcp_server_git"], loaded, "git_log", arguments)
    return f"{answer.status}: {answer.content[0]['text']}"


def test_langchain_alone_sends_strings_to_a_server(tmp_path: Path) -> None:
    """And mcp-server-git refuses them."""
    refused = git_log(tmp_path, alone, "1")
    assert refused.startswith("error: ")
    assert "'1' is not of type 'integer'" in refused


@ours
def test_a_server_in_the_wild_is_sent_exact_arguments(loaded: Any, tmp_path: Path) -> None:
    """Which mcp-server-git takes."""
    assert git_log(tmp_path, loaded, "1").startswith("success: Commit history:")


def test_the_interceptor_refuses_as_the_server_would() -> None:
    """With a result that says so, which the model is shown."""
    (answer,) = answers(ECHO, intercepted, "search", {"tags": [], "limit": "many"})
    assert (answer.content[0]["text"], answer.status) == (MESSAGE, "error")


def test_a_server_that_reads_times_is_left_to_judge_them() -> None:
    """Strings that are right stay as they are."""
    pytest.importorskip("mcp_server_time", reason="needs mcp-server-time: pip install it")
    sent = {"source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo"}
    server = ["-m", "mcp_server_time", "--local-timezone", "UTC"]
    (answer,) = answers(server, intercepted, "convert_time", sent)
    assert json.loads(answer.content[0]["text"])["time_difference"] == "+9.0h"
