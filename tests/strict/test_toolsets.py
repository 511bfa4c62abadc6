"""Strict toolsets: definitions, decoding in `prepare`, and the budget of one request."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from schema2model import SchemaError, Tool, Toolset
from schema2model.schema.vocabularies.python_types import PYTHON_TYPE
from schema2model.strict.profiles import PROFILES
from schema2model.strict.request_cost import cost_of

LIMIT = {"type": "integer"}
SEARCH = {
    "name": "search",
    "description": "Search.",
    "parameters": {"type": "object", "properties": {"limit": LIMIT}},
}


def optional_tool(name: str, optional: int) -> dict[str, Any]:
    """A tool with some optional parameters."""
    properties = {f"p{index}": {"type": "string"} for index in range(optional)}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


@pytest.mark.parametrize(
    ("provider", "shape", "place"),
    [
        ("openai", "openai", ("function", "parameters")),
        ("openai", "openai-responses", ("parameters",)),
        ("azure", "openai", ("function", "parameters")),
        ("anthropic", "anthropic", ("input_schema",)),
        ("gemini", "gemini", ("parametersJsonSchema",)),
        ("gemini-openapi", "gemini", ("parameters",)),
    ],
)
def test_definitions_are_strict(provider: str, shape: str, place: tuple[str, ...]) -> None:
    """With the projection as the schema."""
    tools = Toolset([SEARCH], strict=provider)
    (made,) = tools.definitions(shape)
    found: Any = made
    for key in place:
        found = found[key]
    assert tools["search"].strict is not None
    assert found == tools["search"].strict.schema
    if shape != "gemini":
        assert made.get("strict", made.get("function", {}).get("strict")) is True


def test_a_function_takes_what_its_signature_says() -> None:
    """Its null is null: nothing was projected, and nothing is decoded."""

    def note(title: str, due: str | None = "today") -> str | None:
        """Note."""
        return due

    tool = Toolset([note], strict="openai")["note"]
    assert tool.as_function()(title="a", due=None) is None
    assert tool.call({"title": "a", "due": None}) == "today"


@pytest.mark.parametrize("provider", PROFILES)
def test_a_model_is_shown_no_word_of_the_engine(provider: str) -> None:
    """A date is a string in a format, and a Decimal a number, as in the schema of the tool."""

    def book(day: dt.date, price: Decimal, other: list[dt.date | None] | None = None) -> None:
        """Book."""

    tool = Toolset([book], strict=provider)["book"]
    assert tool.strict is not None
    shown = json.dumps(tool.shown_schema) + str([*tool.strict.account])
    assert "date" in shown
    assert PYTHON_TYPE not in shown


def test_what_else_a_definition_says_stays() -> None:
    """Such as the caching that a provider is asked for."""
    caching = {"type": "ephemeral"}
    given = {"name": "now", "input_schema": {"type": "object"}, "cache_control": caching}
    (definition,) = Toolset([given], strict="anthropic").definitions("anthropic")
    assert definition["cache_control"] == caching
    assert definition["strict"] is True


def test_definitions_for_others_are_as_before() -> None:
    """Only the shapes of the provider that enforces are strict."""
    assert Toolset([SEARCH], strict="openai").definitions("mcp") == Toolset([SEARCH]).definitions(
        "mcp"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": None},
        '{"limit": null}',
        b'{"limit": null}',
        "{'limit': None,}",
        "{}",
    ],
)
def test_prepare_decodes(arguments: Any) -> None:
    """Values and texts, those that have to be repaired too."""
    assert Toolset([SEARCH], strict="openai").prepare("search", arguments).arguments == {}


def test_repaired_text_stays_as_the_model_wrote_it() -> None:
    """The history has the call in the projection's form, which the provider expects."""
    call = {"name": "search", "arguments": "{'limit': None}"}
    prepared = Toolset([SEARCH], strict="openai").prepare_call(call)
    assert prepared.repaired
    assert call["arguments"] == '{"limit":null}'
    assert prepared.arguments == {}


def test_decoding_is_not_a_change() -> None:
    """Only what was wrong with the call is one."""
    tools = Toolset([SEARCH], strict="openai")
    assert tools.prepare("search", {"limit": None}).changes == ()
    assert tools.prepare("search", '{"limit": null}').changes == ()
    assert len(tools.prepare("search", {"limit": "3"}).changes) == 1


def test_as_many_tools_as_possible_are_strict() -> None:
    """Anthropic takes 24 optional parameters in a request: the large tool gives way to others."""
    tools = [optional_tool("large", 20), *(optional_tool(f"t{n}", 8) for n in range(3))]
    toolset = Toolset(tools, strict="anthropic")
    assert toolset.budget is not None
    assert toolset.budget.strict == ("t0", "t1", "t2")
    assert "limits" in toolset.budget.reasons["large"]
    strict = {each["name"]: each.get("strict") for each in toolset.definitions("anthropic")}
    assert strict == {"large": None, "t0": True, "t1": True, "t2": True}


def test_at_most_twenty_tools_are_strict() -> None:
    """However little they take."""
    toolset = Toolset([optional_tool(f"t{n}", 0) for n in range(30)], strict="anthropic")
    assert toolset.budget is not None
    assert toolset.budget.strict == tuple(f"t{n}" for n in range(20))


def test_the_caller_says_which_tools_are_strict() -> None:
    """What exceeds the limits then is refused, and never sent."""
    tools = [optional_tool("large", 20), optional_tool("small", 8), optional_tool("third", 20)]
    toolset = Toolset(tools, strict={"large": True, "small": False}, strict_provider="anthropic")
    assert toolset.budget is not None
    assert toolset.budget.strict == ("large",)
    with pytest.raises(SchemaError, match="40 optional parameters"):
        Toolset(tools, strict={"large": True, "third": True}, strict_provider="anthropic")
    with pytest.raises(ValueError, match="unknown tool"):
        Toolset(tools, strict={"other": True})
    with pytest.raises(TypeError, match="a mapping of tools to booleans"):
        Toolset(tools, strict={"large": "yes"})  # type: ignore[dict-item]


def test_definitions_save_budget() -> None:
    """Nested objects and unions do not count in `$defs`; they are moved only if they have to be."""
    nested = {"type": "object", "properties": {f"p{n}": LIMIT for n in range(10)}}
    tools = [
        {
            "name": f"t{n}",
            "parameters": {"type": "object", "properties": {"a": nested}, "required": ["a"]},
        }
        for n in range(5)
    ]
    assert "$ref" not in str(Toolset(tools[:2], strict="anthropic").definitions("anthropic"))
    toolset = Toolset(tools, strict="anthropic")
    assert toolset.budget is not None
    assert len(toolset.budget.strict) == 5
    assert "$ref" in str(toolset.definitions("anthropic"))
    assert toolset.prepare("t0", {"a": {"p1": 1}}).arguments == {"a": {"p1": 1}}


def test_a_tool_that_cannot_be_strict_stays_as_it_is() -> None:
    """Unless it has to be."""
    tools = [SEARCH, optional_tool("many", 101)]
    toolset = Toolset(tools, strict="azure")
    assert toolset.budget is not None
    assert "100 properties" in toolset.budget.reasons["many"]
    with pytest.raises(SchemaError, match="`many` cannot be strict"):
        Toolset(tools, strict={"many": True}, strict_provider="azure")


def test_costs_are_those_that_anthropic_counts() -> None:
    """Optional and union parameters at all depths, but for definitions."""
    inner = {"type": "object", "properties": {"b": LIMIT}, "required": []}
    union = {"anyOf": [{"type": "string"}, inner]}
    schema = {
        "type": "object",
        "properties": {"a": union, "c": {"$ref": "#/$defs/d"}},
        "required": ["a"],
    }
    assert cost_of({**schema, "$defs": {"d": union}}) == (1, 2, 1)


def test_a_strict_tool_runs_its_function() -> None:
    """With the decoded arguments."""

    def search(query: str, limit: int = 10) -> str:
        return f"{query} {limit}"

    toolset = Toolset([search], strict="openai")
    assert toolset.call("search", {"query": "a", "limit": None}) == "a 10"
    assert isinstance(toolset["search"], Tool)


def test_a_hook_changes_the_arguments_that_the_function_takes() -> None:
    """Not those of the strict schema, in which null stands for the default."""

    def find(limit: int | None = 5) -> int | None:
        return limit

    tools = Toolset(
        [find], strict="openai", on_prepared=lambda prepared: prepared.arguments.update(limit=None)
    )
    assert tools.call("find", {"limit": 3}) is None
    assert Toolset([find], strict="openai").call("find", {"limit": None}) == 5
