"""Tools by name, from whatever describes them, and calls as providers send them."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from schema2model import telemetry
from schema2model.errors import SchemaError, ToolError
from schema2model.tools.tool import Tool
from schema2model.tools.toolset import Toolset

SEARCH = {
    "name": "search",
    "description": "Search the web.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
}


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def fetch(url: str) -> str:
    """Fetch a page."""
    return f"<{url}>"


def test_tools_definitions_and_functions_mix() -> None:
    """A toolset is a collection of tools, in the order given."""
    tool = Tool.from_function(fetch)
    tools = Toolset([tool, SEARCH, add])
    assert [each.name for each in tools] == ["fetch", "search", "add"]
    assert len(tools) == 3
    assert tools["fetch"] is tool
    assert tool in tools
    assert "add" in tools
    assert "subtract" not in tools
    assert Tool.from_function(fetch) not in tools
    assert [d["name"] for d in tools.definitions("mcp")] == ["fetch", "search", "add"]
    assert repr(tools) == "<Toolset fetch, search, add>"
    assert repr(Toolset()) == "<Toolset without tools>"
    with pytest.raises(KeyError):
        tools["subtract"]


def test_one_gemini_definition_may_hold_several_tools() -> None:
    """Gemini groups its function declarations."""
    declaration = {"parameters": {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}}
    group = {"functionDeclarations": [{"name": name, **declaration} for name in ("a", "b")]}
    assert [tool.name for tool in Toolset([group])] == ["a", "b"]
    with pytest.raises(SchemaError, match="holds 2"):
        Tool.from_schema(group)


BAD: list[Any] = [
    {"name": "typo", "parameters": {"type": "nothing"}},
    {"name": "open", "parameters": {"$ref": "#/$defs/none"}},
    {"parameters": {}},
    {"name": "none"},
    None,
    {"name": "add", "parameters": {}},
    lambda x: x,
]


def test_one_bad_tool_does_not_take_the_others_with_it() -> None:
    """Where errors are kept: those that cannot be made are listed, in the order of the tools."""

    def add(a: int, b: int) -> int:
        return a + b

    several = {"functionDeclarations": [{"name": "good", "parameters": {}}, BAD[0], {"name": "x"}]}
    tools = Toolset([add, *BAD, several], errors="keep")
    assert [tool.name for tool in tools] == ["add", "good"]
    assert tools.call("add", {"a": "1", "b": 2}) == 3
    assert [each.given for each in tools.broken] == [*BAD, BAD[0], {"name": "x"}]
    assert "the schema of `typo`" in str(tools.broken[0].error)
    assert "two tools are called `add`" in str(tools.broken[5].error)
    assert Toolset([add]).broken == ()
    for bad in (*BAD, several):
        with pytest.raises(ValueError, match=r"schema|name|add|JSON"):
            Toolset([add, bad])
        added = Toolset([add])
        added.add(bad, errors="keep")
        assert len(added.broken) == (2 if bad is several else 1)
        if bad is not BAD[5]:
            joined = Toolset([add]) + Toolset([bad], errors="keep")
            assert len(joined.broken) == len(added.broken)


@pytest.mark.parametrize(
    "options",
    [{"coercion": "lenint"}, {"dialect": "draft17"}, {"formats": "aserted"}, {"errors": "drop"}],
)
def test_a_wrong_option_is_no_tools_fault(options: Any) -> None:
    """It is raised, whatever becomes of errors."""
    with pytest.raises(ValueError, match=r"lenint|draft17|aserted|drop"):
        Toolset([lambda: None], **{"errors": "keep", **options})


def test_options_and_injections_reach_every_tool_that_is_made() -> None:
    """They are given once for all."""

    def whoami(session: str) -> str:
        return session

    tools = Toolset([whoami, add], inject="session", coercion="off")
    assert tools.prepare("whoami", "{}").call(session="s") == "s"
    assert tools.prepare("add", {"a": 1}).call(session="s") == 2
    with pytest.raises(ToolError):
        tools.prepare("add", {"a": "1"})


@pytest.mark.parametrize(
    "call",
    [
        {"type": "function", "function": {"name": "add", "arguments": "{'a': 1, 'b': 2}"}},
        SimpleNamespace(function=SimpleNamespace(name="add", arguments="{'a': 1, 'b': 2}")),
        {"type": "function_call", "name": "add", "arguments": "{'a': 1, 'b': 2}"},
        {"type": "tool_use", "name": "add", "input": "{'a': 1, 'b': 2}"},
        {"type": "tool_use", "name": "add", "input": {"a": "1", "b": 2}},
        {"functionCall": {"name": "add", "args": {"a": 1.0, "b": 2.0}}},
        {"name": "add", "arguments": {"a": 1, "b": "2"}},
        SimpleNamespace(name="add", arguments="{'a': 1, 'b': 2}", call_id="1"),
    ],
)
def test_calls_are_prepared_where_they_stand(call: Any) -> None:
    """The arguments are found, repaired in the call, and validated."""
    prepared = Toolset([add]).prepare_call(call)
    assert prepared.call() == 3
    spelled = json.dumps(call, default=vars)
    assert "'a'" not in spelled


def test_a_call_without_arguments_is_an_empty_one() -> None:
    """MCP and Gemini leave them out."""
    prepared = Toolset([SEARCH]).prepare_call(
        {"method": "tools/call", "params": {"name": "search"}}
    )
    assert prepared.arguments == {}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("serch", "call `search`"),
        ("functions.serch", "call `search`"),
        ("zzz", "the tools are `search`, `add`"),
        (None, "the tools are `search`, `add`"),
        ("x" * 500, "the tools are `search`, `add`"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest(name: Any, hint: str) -> None:
    """The model made it up, and can mend it."""
    with pytest.raises(ToolError, match=hint) as caught:
        Toolset([SEARCH, add]).prepare(name, {})
    assert str(caught.value).startswith("There is no tool `")
    assert len(str(caught.value)) < 300
    assert caught.value.retryable
    assert caught.value.issues[0].keyword == "name"


def test_text_of_an_unknown_tool_is_repaired_too() -> None:
    """It stands in the conversation like any other."""
    call = {"function": {"name": "serch", "arguments": "{'q': 1}"}}
    with pytest.raises(ToolError):
        Toolset([SEARCH]).prepare_call(call)
    assert call["function"]["arguments"] == '{"q":1}'
    whole = {"name": "serch", "arguments": '{"q": 1}'}
    with pytest.raises(ToolError):
        Toolset().prepare_call(whole)
    assert whole["arguments"] == '{"q": 1}'


class Base:
    """What is inherited is public, too."""

    def ping(self) -> str:
        """Answer."""
        return "pong"


class Desk(Base):
    """A service."""

    limit = 3
    Inner = Base

    def __init__(self) -> None:
        self.tickets: list[str] = []

    @property
    def count(self) -> int:
        """No tool, and not to be looked at."""
        raise AssertionError

    def open_ticket(self, title: str, session: object = None) -> int:
        """Open a ticket."""
        self.tickets.append(f"{title} {session}")
        return len(self.tickets)

    @classmethod
    def kinds(cls) -> list[str]:
        """All kinds."""
        return [cls.__name__]

    @staticmethod
    def double(number: int) -> int:
        """Twice the number."""
        return 2 * number

    async def wait(self) -> None:
        """Do nothing."""

    def _private(self) -> None: ...


def test_the_public_methods_of_an_object_are_tools() -> None:
    """Methods of all sorts are, properties and attributes are not."""
    desk = Desk()
    tools = Toolset.from_object(desk, inject=("session",))
    names = [tool.name for tool in tools]
    assert names == ["ping", "open_ticket", "kinds", "double", "wait"]
    assert tools.prepare("open_ticket", '{"title": "x"}').call(session="s1") == 1
    assert desk.tickets == ["x s1"]
    assert tools["kinds"].call({}) == ["Desk"]
    assert tools["double"].call({"number": "4"}) == 8


def test_methods_that_pydantic_gives_are_no_tools() -> None:
    """A service may be a model or a dataclass."""

    class Shop(BaseModel):
        def sell(self, item: str) -> str:
            return item

    @dataclass
    class Nothing:
        number: int

    assert [tool.name for tool in Toolset.from_object(Shop())] == ["sell"]
    with pytest.raises(ValueError, match="no public methods"):
        Toolset.from_object(Nothing(1))
    with pytest.raises(TypeError, match=r"takes an instance; write Shop\(\)"):
        Toolset.from_object(Shop)


def test_a_second_attempt_is_told_that_it_repeats_the_first() -> None:
    """Whoever holds the conversation passes on what was answered, as an error or as its text."""
    tools = Toolset([add])
    with pytest.raises(ToolError) as first:
        tools.prepare("add", {"a": "one"})
    assert "same problem" not in str(first.value)
    call = {"type": "function_call", "name": "add", "arguments": '{"a": "two"}'}
    for previous in (first.value, str(first.value)):
        for again in (
            lambda previous=previous: tools["add"].prepare({"a": "two"}, previous=previous),
            lambda previous=previous: tools.prepare("add", {"a": "two"}, previous=previous),
            lambda previous=previous: tools.prepare_call(call, previous=previous),
        ):
            with pytest.raises(ToolError, match=r"The last call had the same problem") as second:
                again()
            assert [issue.path for issue in second.value.issues] == ["/a"]
    with pytest.raises(ToolError) as other:
        tools.prepare("add", {"a": 1, "b": "x"}, previous=first.value)
    assert "same problem" not in str(other.value)
    assert tools.prepare("add", {"a": 1}, previous=first.value).arguments == {"a": 1}


def test_calls_run_by_name() -> None:
    """Prepared and called in one step, with what is injected, or awaited."""

    def add(a: int, b: int, session: str) -> str:
        return f"{session}: {a + b}"

    async def wait(seconds: int) -> int:
        return seconds

    tools = Toolset([add, wait], inject=("session",))
    assert tools.call("add", '{"a": "1", "b": 2,}', session="s") == "s: 3"
    assert asyncio.run(tools.acall("wait", {"seconds": "5"})) == 5
    assert asyncio.run(tools.acall("add", {"a": 1, "b": 2}, session="s")) == "s: 3"
    with pytest.raises(ToolError, match="add"):
        tools.call("ad", {})
    with pytest.raises(ToolError, match="must be an integer"):
        tools.call("add", {"a": "x", "b": 1}, session="s")
    with pytest.raises(TypeError, match="acall"):
        tools.call("wait", {"seconds": 1})


def test_a_long_set_is_shown_in_short() -> None:
    """The first few names, and how many more there are."""
    tools = Toolset([{"name": f"n{number}", "parameters": {}} for number in range(100)])
    assert repr(tools) == "<Toolset n0, n1, n2, n3, n4 and 95 more>"


# ------------------------------------------------------------------------------ growing a toolset
def test_tools_are_added_and_joined() -> None:
    """`add` changes the toolset, `+` makes another; names stay unique, and `get` never raises."""
    tools = Toolset([add])
    tools.add(fetch, {"name": "now", "parameters": {"type": "object"}})
    assert [tool.name for tool in tools] == ["add", "fetch", "now"]
    assert tools.get("now") is tools["now"]
    assert (tools.get("later"), tools.get("later", 5)) == (None, 5)
    both = tools + Toolset([Tool(add, name="find")])
    assert [tool.name for tool in both] == ["add", "fetch", "now", "find"]
    listed: list[Any] = [SEARCH]
    assert [tool.name for tool in tools + listed] == ["add", "fetch", "now", "search"]
    assert len(tools) == 3
    with pytest.raises(TypeError):
        tools + 5  # type: ignore[operator]
    with pytest.raises(ValueError, match="two tools are called `add`"):
        tools.add(Tool(fetch, name="other"), add)
    assert "other" not in tools
    call = {"name": "find", "arguments": '{"a": 1}'}
    assert both.prepare_call(call).tool.name == "find"


def test_a_strict_toolset_projects_what_is_added() -> None:
    """The budget counts all tools, and sums stay strict."""
    tools = Toolset([add], strict="openai")
    tools.add(fetch)
    assert all(tool.strict for tool in tools)
    assert all(tool.strict for tool in tools + Toolset([Tool(add, name="find")]))
    assert tools.budget is not None
    assert "fetch" in str(tools.budget)


def test_an_instrumented_toolset_counts_what_is_added() -> None:
    """As it counts the tools that it was made of."""
    counted: list[str] = []

    class Counter(telemetry.Telemetry):
        def count(self, name: str, changes: Any) -> None:
            counted.append(name)

    tools = telemetry.instrument(Toolset([add]), Counter())
    tools.add(fetch)
    tools.prepare("fetch", {"url": "x"})
    assert counted == ["fetch"]


def forecast(city: str, day: dt.date = dt.date(2030, 1, 1), count: int = 1) -> str:
    """Tell the weather."""
    return f"{city}, {day}, {count}"


@pytest.mark.parametrize(
    ("first", "second", "is_repeated"),
    [
        ({"city": ["Rome"]}, {"city": ["Oslo"]}, True),
        ({"city": "Rome", "day": "soon"}, {"city": "Rome", "day": "later"}, True),
        ({"town": "Rome"}, {"town": "Oslo"}, True),
        ({}, {"count": 2}, True),
        ({"city": ["Rome"]}, {"town": "Rome"}, False),
        ({"city": ["Rome"]}, {}, False),
        ({}, {"city": ["Rome"]}, False),
        ({"town": "Rome"}, {"city": ["Rome"]}, False),
        ({"city": "Rome", "day": "soon"}, {"city": "Rome", "count": "few"}, False),
    ],
)
def test_only_an_equal_problem_is_a_repetition(
    first: Any, second: Any, *, is_repeated: bool
) -> None:
    """What is missing now had a wrong value before, or the other way round: that is progress."""
    tools, memory = Toolset([forecast]), {}
    for arguments in (first, second):
        call = {"type": "tool_use", "id": "t", "name": "forecast", "input": arguments}
        [answer] = tools.answer({"role": "assistant", "content": [call]}, memory=memory)
    text = answer["content"][0]["content"]
    assert text.startswith("Error parsing")
    assert ("The last call had the same problem" in text) == is_repeated


# ------------------------------------------------------------------------------- injected values
class Session:
    """What an application fills in."""


def needs(session: Session, year: int) -> str:
    """Take an injected value."""
    return f"{type(session).__name__} {year}"


def plain(a: int) -> int:
    """Take no injected value."""
    return a


def _sets() -> dict[str, Toolset]:
    grown = Toolset([Tool(plain)])
    grown.add(needs, inject=[Session])
    defined = {"name": "plain", "parameters": {"properties": {"a": {"type": "integer"}}}}
    return {
        "functions": Toolset([plain, needs], inject=[Session]),
        "a tool of its own": Toolset([Tool(plain), needs], inject=[Session]),
        "tools": Toolset([Tool(plain), Tool(needs, inject=[Session])]),
        "by name": Toolset([Tool(plain), Tool(needs, inject="session")]),
        "a definition": Toolset(
            [Tool.from_definition(defined, function=plain), Tool(needs, inject=[Session])]
        ),
        "added": grown,
        "joined": Toolset([Tool(plain)]) + Toolset([needs], inject=[Session]),
        "strict": Toolset([Tool(plain), needs], inject=[Session], strict="openai"),
    }


@pytest.mark.parametrize("made", _sets())
def test_injected_values_go_to_the_tools_that_declare_them(made: str) -> None:
    """Whichever tool the model picks, and however the tools were made."""
    tools, session = _sets()[made], Session()
    calls = [
        {"id": name, "function": {"name": name, "arguments": text}}
        for name, text in (("plain", '{"a": 1}'), ("needs", '{"year": 2030}'))
    ]
    for picked in (calls, calls[:1], calls[1:]):
        message = {"role": "assistant", "tool_calls": picked}
        results = tools.answer(message, session=session)
        assert results == asyncio.run(tools.aanswer(message, session=session))
        texts = {each["tool_call_id"]: each["content"] for each in results}
        assert texts == {
            each["id"]: {"plain": "1", "needs": "Session 2030"}[each["id"]] for each in picked
        }
    assert tools.call("plain", {"a": 1}, session=session) == 1
    assert asyncio.run(tools.acall("plain", {"a": 1}, session=session)) == 1
    assert tools.call("needs", {"year": 2030}, session=session) == "Session 2030"


@pytest.mark.parametrize("made", _sets())
def test_an_injected_value_that_no_tool_declares_is_a_mistake(made: str) -> None:
    """It is refused whatever the model calls, and before any tool runs."""
    ran: list[int] = []

    def count() -> None:
        """Note that it runs."""
        ran.append(1)

    tools = _sets()[made] + [count]
    named = "no tool takes an injected `sessions`; what can be injected: `session`"
    for calls in ([], [{"id": "c", "function": {"name": "count", "arguments": "{}"}}]):
        message = {"role": "assistant", "content": "Hi", "tool_calls": calls}
        with pytest.raises(TypeError, match=named):
            tools.answer(message, sessions=Session())
        with pytest.raises(TypeError, match=named):
            asyncio.run(tools.aanswer(message, sessions=Session()))
    with pytest.raises(TypeError, match=named):
        tools.call("count", {}, sessions=Session())
    with pytest.raises(TypeError, match="what can be injected: none"):
        Toolset([count]).call("count", {}, session=Session())
    assert not ran
    with pytest.raises(TypeError, match="`plain` takes no injected `session`"):
        Tool(plain).call({"a": 1}, session=Session())
