"""LangChain's agents, with a model that says what it is told to, and with our middleware."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

import pytest

from schema2model.extras import needs

pytest.importorskip("langchain_core", reason=needs("langchain"))
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    ToolMessage,
    message_chunk_to_message,
)
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.messages.tool import invalid_tool_call, tool_call_chunk
from langchain_core.tools import StructuredTool, Tool as TextTool
from langchain_tools import PROBLEM, REFUSED, both, call, our_tool, raw_tool
from probe import CASES, EXACT, HOPELESS, STRINGS
from pydantic import BaseModel

from schema2model import Tool, ToolError, Toolset
from schema2model.adapters.langchain import from_tool, middleware, wrap_tool
from schema2model.coercions import Preset

pytestmark = pytest.mark.adapters


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


def cut_off(*sent: Any, reason: str = "finish_reason") -> AIMessage:
    """A message with calls, in the last of which the reply ended."""
    said = [calling(each) for each in sent]
    calls = [{**each, "id": f"{n}"} for n, m in enumerate(said) for each in m.tool_calls]
    invalid = [{**each, "id": f"{n}"} for n, m in enumerate(said) for each in m.invalid_tool_calls]
    word = {"finish_reason": "length", "stop_reason": "max_tokens"}[reason]
    blocks: list[Any] = [{"type": "function_call", "call_id": f"{n}"} for n in range(len(sent))]
    given: Any = {"tool_calls": calls, "invalid_tool_calls": invalid}
    return AIMessage(blocks, **given, response_metadata={reason: word})


@both
@pytest.mark.parametrize("reason", ["finish_reason", "stop_reason"])
@pytest.mark.parametrize(
    ("sent", "runs"),
    [
        (("{'limit': 10",), []),
        (('{"limit": 10',), []),
        ((EXACT,), []),
        ((STRINGS, {"limit": 10}), [EXACT]),
        (("{'limit': 10}", {"limit": 10}), []),
    ],
)
def test_a_call_that_was_cut_off_is_refused_as_by_a_toolset(
    sent: Any,
    runs: Any,
    reason: str,
    asynchronous: bool,  # noqa: FBT001
) -> None:
    """By the same function: a repaired text, and the last arguments that LangChain has parsed."""
    taken: list[Any] = []
    said = cut_off(*sent, reason=reason)
    tools, options = [raw_tool(taken)], {"middleware": [middleware()]}
    messages = converse(said.model_copy(deep=True), tools, asynchronous=asynchronous, **options)
    told = [m.content for m in messages if isinstance(m, ToolMessage) and m.status == "error"]
    assert taken == runs
    assert len(told) == len(sent) - len(runs)
    assert all("send the whole call again" in each for each in told)
    ours = Toolset([our_tool([])]).answer(said)
    assert [each["content"] for each in ours if each["status"] == "error"] == told


def test_a_streamed_call_that_was_cut_off_is_refused() -> None:
    """LangChain completes it; what is left of it is valid."""
    first = tool_call_chunk(name="search", args='{"limit": 10, "ta', id="1", index=0)
    chunks = [
        AIMessageChunk("", tool_call_chunks=[first]),
        AIMessageChunk("", tool_call_chunks=[tool_call_chunk(args='gs": ["a", "b', index=0)]),
        AIMessageChunk("", response_metadata={"finish_reason": "length"}),
    ]
    said = message_chunk_to_message(add_ai_message_chunks(*chunks))
    assert isinstance(said, AIMessage)
    assert [each["args"] for each in said.tool_calls] == [{"limit": 10, "tags": ["a", "b"]}]
    taken: list[Any] = []
    options = {"middleware": [middleware()]}
    messages = converse(said, [raw_tool(taken)], asynchronous=False, **options)
    assert taken == []
    assert "send the whole call again" in messages[2].content


def test_the_conversation_keeps_the_order_of_the_calls() -> None:
    """A call that was mended stands where the model wrote it."""
    said = cut_off("{'limit': 1,}", {"limit": 2}, "{'limit': 3,}")
    said.response_metadata = {}
    messages = converse(said, [raw_tool([])], middleware=[middleware()], asynchronous=False)
    assert [each["args"]["limit"] for each in messages[1].tool_calls] == [1, 2, 3]


def test_structured_output_that_was_cut_off_is_refused() -> None:
    """As a call, or as text that had to be repaired."""
    module = pytest.importorskip("langchain.agents.structured_output", reason=needs("langchain"))
    short = calling({"nights": 2}, "Stay")
    short.response_metadata["finish_reason"] = "length"
    state = structured([short, calling({"nights": 3}, "Stay")], Stay)
    assert state["structured_response"] == Stay(nights=3)
    text = AIMessage('{"nights": 2, "tags": ["a"', response_metadata={"finish_reason": "length"})
    with pytest.raises(module.StructuredOutputValidationError, match="reply ended"):
        structured([text], module.ProviderStrategy(Stay))


def test_a_tool_of_the_same_name_is_read_by_its_own_schema() -> None:
    """One middleware may serve agents with tools that differ."""
    shared = middleware()
    taken: list[Any] = []
    converse(calling({"limit": "3"}), [raw_tool(taken)], middleware=[shared], asynchronous=False)
    other = raw_tool(taken)
    other.args_schema = {"type": "object", "properties": {"limit": {"type": "string"}}}
    converse(calling({"limit": "3"}), [other], middleware=[shared], asynchronous=False)
    assert taken == [{"limit": 3}, {"limit": "3"}]


def test_a_tool_of_text_is_left_alone() -> None:
    """LangChain's oldest kind, which shows a parameter that it does not have."""
    theirs = TextTool("search", str.upper, "Find.")
    assert wrap_tool(theirs) is theirs
    messages = converse(
        calling({"__arg1": "[1]"}), [theirs], middleware=[middleware()], asynchronous=False
    )
    assert messages[2].content == "[1]"


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
        ("2030-01", 'when: must be a string in the format "date" (YYYY-MM-DD), not "2030-01"'),
        ("2030-01-31", "booked"),
    ):
        messages = converse(
            calling({"when": when}, "book"), tools, asynchronous=asynchronous, **options
        )
        assert words in messages[2].content
        assert "Input should be" not in messages[2].content
    assert got == [dt.date(2030, 1, 31)]


@both
def test_a_tool_of_ours_reads_by_its_own_rules_and_types(asynchronous: bool) -> None:  # noqa: FBT001
    """Whatever those of the middleware are, also in the conversation."""

    def search(codes: set[int]) -> str:
        return repr(codes)

    def told(coercion: Preset, codes: Any) -> Any:
        tools = [from_tool(Tool(search, coercion=coercion))]
        said = calling({"codes": codes})
        return converse(said, tools, middleware=[middleware()], asynchronous=asynchronous)

    messages = told("forgiving", "1, 2")
    assert messages[1].tool_calls[0]["args"] == {"codes": [1, 2]}
    assert (messages[2].content, messages[2].status) == ("{1, 2}", "success")
    assert told("off", "[1]")[2].status == "error"


@dataclass
class Deps:
    """What an application passes as the context of a run."""

    user: str
    stay: Stay


@pytest.mark.parametrize("wanted", ["deps", "stay", "user"])
def test_a_tool_is_given_the_context_of_the_run(wanted: str) -> None:
    """The whole of it, or what is in it, by its type or its name."""
    agents = pytest.importorskip("langchain.agents", reason=needs("langchain"))
    deps = Deps("Ada", Stay(nights=1))

    def by_deps(limit: int, run: Deps) -> str:
        return f"{limit} {run.user}"

    def by_stay(limit: int, run: Stay) -> str:
        return f"{limit} {run.nights}"

    def by_user(limit: int, user: str) -> str:
        return f"{limit} {user}"

    function = {"deps": by_deps, "stay": by_stay, "user": by_user}[wanted]
    inject = "user" if wanted == "user" else "run"
    tool = from_tool(Tool(function, name="search", inject=inject))
    model = Model(responses=[calling({"limit": "3"}), AIMessage("Done.")])
    agent = agents.create_agent(model, [tool], context_schema=Deps)
    state = agent.invoke({"messages": [HumanMessage("Go!")]}, context=deps)
    (told,) = [m.content for m in state["messages"] if isinstance(m, ToolMessage)]
    assert told == ("3 1" if wanted == "stay" else "3 Ada")


class Stay(BaseModel):
    """A result with types."""

    nights: int
    tags: list[str] = []
    when: dt.date | None = None


@dataclass
class Booking:
    """The same, as a dataclass."""

    nights: int
    tags: list[str]
    when: dt.date | None = None


STAY = {"nights": "2", "tags": '["a"]', "when": " 2030-01-31"}
SCHEMA_OF_STAY = {
    "title": "Stay",
    "type": "object",
    "properties": {
        "nights": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


def structured(said: list[AIMessage], response_format: Any, **options: Any) -> Any:
    """The state of an agent with structured output, whose model says one thing after another."""
    agents = pytest.importorskip("langchain.agents", reason=needs("langchain"))
    agent = agents.create_agent(
        Model(responses=said),
        [raw_tool([])],
        middleware=[middleware(**options)],
        response_format=response_format,
    )
    return agent.invoke({"messages": [HumanMessage("Go!")]})


@pytest.mark.parametrize("strategy", ["ToolStrategy", "AutoStrategy", "ProviderStrategy", None])
@pytest.mark.parametrize("sent", [STAY, json.dumps(STAY), f"{STAY}"])
@pytest.mark.parametrize("schema", [Stay, Booking, SCHEMA_OF_STAY])
def test_structured_output_is_read_as_arguments_are(strategy: Any, sent: Any, schema: Any) -> None:
    """By all strategies and of all kinds of schemas, malformed text included."""
    module = pytest.importorskip("langchain.agents.structured_output", reason=needs("langchain"))
    response_format = schema if strategy is None else getattr(module, strategy)(schema)
    name = schema["title"] if isinstance(schema, dict) else schema.__name__
    said = calling(sent, name)
    if strategy == "ProviderStrategy":
        said = AIMessage(sent if isinstance(sent, str) else json.dumps(sent))
    state = structured([said], response_format)
    made = {"nights": 2, "tags": ["a"], "when": dt.date(2030, 1, 31)}
    if isinstance(schema, dict):
        assert state["structured_response"] == {**made, "when": " 2030-01-31"}
    else:
        assert state["structured_response"] == schema(**made)
    if strategy != "ProviderStrategy":
        assert [m.status for m in state["messages"] if isinstance(m, ToolMessage)] == ["success"]


def test_output_of_a_schema_without_a_title_is_read_by_tool_strategy() -> None:
    """Where LangChain chooses, it makes up a name that nobody else knows."""
    module = pytest.importorskip("langchain.agents.structured_output", reason=needs("langchain"))
    untitled = {key: value for key, value in SCHEMA_OF_STAY.items() if key != "title"}
    strategy = module.ToolStrategy(untitled)
    said = calling({"nights": "2"}, strategy.schema_specs[0].name)
    assert structured([said], strategy)["structured_response"]["nights"] == 2


@pytest.mark.parametrize(
    ("sent", "options", "told"),
    [
        ({"nights": "many"}, {}, 'must be an integer, without quotes, not "many"'),
        ({"nights": 1, "when": "0"}, {}, "/when: must be"),
        ({"nights": 1, "when": 86400}, {}, "/when: must be"),
        ({"nights": 1, "night": 2}, {"unknown_arguments": "refuse"}, 'leave "night" out'),
    ],
)
def test_structured_output_is_refused_as_arguments_are(sent: Any, options: Any, told: str) -> None:
    """In our words, and by every option, before the agent's own reading; the next one counts."""
    state = structured([calling(sent, "Stay"), calling({"nights": 3}, "Stay")], Stay, **options)
    assert state["structured_response"] == Stay(nights=3)
    first, last = [m for m in state["messages"] if isinstance(m, ToolMessage)]
    assert told in first.content
    assert (first.status, last.status) == ("error", "success")


@pytest.mark.parametrize(
    ("handle", "told"),
    [("Try again.", "Try again."), (lambda error: f"No: {type(error).__name__}", "No: Struct")],
)
def test_refused_output_is_handled_as_the_strategy_says(handle: Any, told: str) -> None:
    """With its own words."""
    module = pytest.importorskip("langchain.agents.structured_output", reason=needs("langchain"))
    strategy = module.ToolStrategy(Stay, handle_errors=handle)
    said = [calling({"nights": "many"}, "Stay"), calling({"nights": 3}, "Stay")]
    (first, _) = [m for m in structured(said, strategy)["messages"] if isinstance(m, ToolMessage)]
    assert told in first.content


def test_refused_output_that_is_not_handled_ends_the_agent() -> None:
    """As it does without us; what has a reading does not."""
    module = pytest.importorskip("langchain.agents.structured_output", reason=needs("langchain"))
    for strategy in (module.ToolStrategy(Stay, handle_errors=False), module.ProviderStrategy(Stay)):
        is_text = isinstance(strategy, module.ProviderStrategy)

        def saying(sent: Any, *, is_text: bool = is_text) -> list[AIMessage]:
            return [AIMessage(json.dumps(sent)) if is_text else calling(sent, "Stay")]

        with pytest.raises(module.StructuredOutputValidationError, match="many"):
            structured(saying({"nights": "many"}), strategy)
        read = structured(saying({"nights": "2", "tags": "['a']"}), strategy)
        assert read["structured_response"] == Stay(nights=2, tags=["a"])


def test_several_structured_outputs_are_the_agents_to_refuse() -> None:
    """It asks for one of them."""
    both_said = AIMessage(
        "", tool_calls=[{**call(STAY, "Stay"), "id": number} for number in ("1", "2")]
    )
    state = structured([both_said, calling(STAY, "Stay")], Stay)
    told = [m.content for m in state["messages"] if isinstance(m, ToolMessage)]
    assert len(told) == 3
    assert "multiple" in told[0]
