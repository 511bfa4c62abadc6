"""What a tool is: how it is made, what it shows, and which functions it takes for its schema."""

from __future__ import annotations

from typing import Any

import pytest
from weather import DEFINITION, SCHEMA, forecast

from schema2model.coercions import Coercion
from schema2model.errors import SchemaError, ToolError
from schema2model.tools.tool import Tool, tool as decorated


# ------------------------------------------------------------------------------ what a tool is
def test_a_tool_says_what_it_is() -> None:
    """Name, description, schema, compiled schema and function."""
    tool = Tool.from_schema(DEFINITION, forecast)
    assert (tool.name, tool.description, tool.function) == (
        "forecast",
        "Tell the weather.",
        forecast,
    )
    assert tool.schema == SCHEMA
    assert tool.compiled.name == "forecast"
    assert tool.injected == Tool.from_schema(DEFINITION).injected == {}
    assert Tool.from_schema(DEFINITION).function is None
    assert repr(tool) == "<Tool 'forecast'>"
    with pytest.raises(AttributeError):
        tool.name = "other"  # type: ignore[misc]


def test_options_reach_the_compiler() -> None:
    """Coercion, dialect and formats are those of compile_schema."""
    for off in ("off", Coercion.off):
        with pytest.raises(ToolError):
            Tool.from_schema(DEFINITION, coercion=off).prepare({"city": "x", "days": "1"})
        with pytest.raises(ToolError):
            Tool.from_function(forecast, coercion=off).prepare({"city": "x", "days": "1"})
    assert Tool.from_function(forecast, coercion="off").call({"city": "x", "days": 2.0}) == "x 2"
    dated = {"properties": {"day": {"type": "string", "format": "date"}}}
    strict = Tool.from_schema({"name": "f", "parameters": dated}, formats="assert")
    with pytest.raises(ToolError):
        strict.prepare({"day": "soon"})
    nullable = {"properties": {"day": {"type": "string", "nullable": True}}, "required": ["day"]}
    lenient = Tool.from_schema({"name": "f", "parameters": nullable}, dialect="openapi-3.0")
    assert lenient.prepare({"day": None}).arguments == {"day": None}
    with pytest.raises(TypeError):
        Tool.from_function(forecast, strictness=1)  # type: ignore[call-arg]


def test_a_tool_shares_nothing_with_what_it_was_made_of() -> None:
    """Nor with what it gives out."""
    given = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    tool = Tool.from_schema(given)
    given["parameters"]["properties"]["a"]["type"] = "integer"  # type: ignore[index]
    tool.definition("mcp")["inputSchema"]["properties"].clear()
    tool.schema["properties"].clear()  # type: ignore[index]
    assert tool.schema == {"properties": {"a": {"type": "string"}}}
    assert tool.prepare({"a": 1}).arguments == {"a": "1"}


def test_no_value_is_shown_in_passing() -> None:
    """What is printed of a call has the tool's name, and no argument."""
    tool = Tool.from_schema({"name": "pay", "parameters": {"type": "object"}})
    assert repr(tool) == "<Tool 'pay'>"
    assert repr(tool.prepare({"card": "4711"})) == "<Prepared 'pay'>"
    assert repr(tool.prepare("{'card': '4711'}")) == "<Prepared 'pay', repaired>"
    partial = tool.compiled.partial()
    partial.feed('{"card": "4711"')
    assert repr(partial) == "<PartialArguments 'pay', 15 characters so far>"


def test_a_tool_shows_nothing_internal() -> None:
    """Its public attributes are those of the reference, and it cannot be changed."""
    tool = Tool(forecast)
    public = {name for name in dir(tool) if not name.startswith("_")}
    assert public == {
        *("name", "description", "schema", "compiled", "function", "asynchronous", "injected"),
        *("strict", "shown_schema", "definition", "as_function", "prepare", "partial"),
        *("call", "acall", "output_schema", "read_result"),
        *("from_definition", "from_schema", "from_function"),
    }
    with pytest.raises(AttributeError, match="immutable"):
        tool.name = "other"  # type: ignore[misc]


# ------------------------------------------------------------------- functions of raw schemas
def test_a_function_takes_the_properties_or_all_at_once() -> None:
    """`raw_arguments` is LiveKit's word for the whole mapping."""
    assert Tool.from_schema(DEFINITION, forecast).call({"city": "Rome"}) == "Rome 1"

    def raw(raw_arguments: dict[str, Any], context: str) -> Any:
        return raw_arguments, context

    def anything(**rest: Any) -> Any:
        return rest

    tool = Tool.from_schema(DEFINITION, raw)
    assert tool.call({"city": "Rome", "x": 1}, context="c") == ({"city": "Rome", "x": 1}, "c")
    assert tool.as_function()({"city": "Rome"}, "c") == ({"city": "Rome"}, "c")
    assert Tool.from_schema(DEFINITION, anything).call({"city": "R", "x-y": 1}) == {
        "city": "R",
        "x-y": 1,
    }


def test_what_a_function_cannot_take_is_refused_before_it_starts() -> None:
    """By the tool where it is made, or by a ToolError where the model can mend it."""
    with pytest.raises(SchemaError, match=r"takes no `city`.*raw_arguments"):
        Tool.from_schema(DEFINITION, lambda days: days)
    tool = Tool.from_schema(DEFINITION, lambda city, days, session=None: (city, days, session))
    with pytest.raises(ToolError, match="/wind: expected no such property, found 1"):
        tool.call({"city": "Rome", "days": 1, "wind": 1})
    with pytest.raises(ToolError, match=r"/days: expected a value \(required\)"):
        tool.call({"city": "Rome"})
    with pytest.raises(ToolError, match="/session: expected no such property"):
        tool.call({"city": "Rome", "days": 1, "session": "mine"})
    assert tool.call({"city": "Rome", "days": 1}, session="s") == ("Rome", 1, "s")
    anything = Tool.from_schema({"name": "f", "parameters": {}}, lambda **rest: rest)
    with pytest.raises(ToolError, match="expected object"):
        anything.call([1, 2])  # type: ignore[arg-type]
    listing = Tool.from_schema({"name": "f", "parameters": {"type": "array"}}, lambda **rest: rest)
    with pytest.raises(ToolError, match="expected an object"):
        listing.call([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="/session: expected no such property"):
        Tool.from_schema({"name": "f", "parameters": {}}, lambda session, **_: session).call(
            {"session": 1}, session=2
        )


def test_a_tool_without_a_function_cannot_be_called() -> None:
    """The message says what to do."""
    tool = Tool.from_schema(DEFINITION)
    with pytest.raises(TypeError, match=r"pass one to Tool.from_definition"):
        tool.call({"city": "Rome"})
    with pytest.raises(TypeError, match=r"pass one to Tool.from_definition"):
        tool.as_function()


# ------------------------------------------------------------------------------ ways to make one
def test_a_tool_is_made_of_a_function_in_three_ways() -> None:
    """`Tool(function)`, `Tool.from_function(function)` and the decorator make the same."""

    @decorated
    def double(number: int) -> int:
        """Double it."""
        return 2 * number

    @decorated(name="twice", coercion="off")
    def other(number: int) -> int:
        """Double it."""
        return 2 * number

    same = [double, Tool(double.function), Tool.from_function(double.function)]
    assert [each.definition("mcp") for each in same] == [double.definition("mcp")] * 3
    assert [each.call({"number": "4"}) for each in same] == [8, 8, 8]
    assert (other.name, other.description, other.compiled.coercion) == (
        "twice",
        "Double it.",
        Coercion.off,
    )


def test_a_schema_needs_a_name_and_a_definition_may_get_another() -> None:
    """`from_schema` takes both; a definition without a name gets it from `name`."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    for given in (schema, {"inputSchema": schema}, {"name": "x", "parameters": schema}):
        for make in (Tool.from_schema, Tool.from_definition):
            tool = make(given, name="weather", description="Ask for it.")
            assert (tool.name, tool.description, tool.schema) == (
                "weather",
                "Ask for it.",
                schema,
            )
    with pytest.raises(SchemaError, match="a schema alone needs name="):
        Tool.from_schema(schema)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Tool({"name": "f", "parameters": {}}), r"Tool.from_definition takes definitions"),
        (lambda: Tool.from_definition({"name": "f", "parameters": {}}, 5), "got int"),
        (lambda: Tool(forecast, nmae="p"), "did you mean 'name'"),
        (lambda: decorated(coersion="off"), "did you mean 'coercion'"),
    ],
)
def test_a_mistake_when_making_a_tool_names_what_is_right(make: Any, message: str) -> None:
    """It is a TypeError at definition."""
    with pytest.raises(TypeError, match=message):
        make()
