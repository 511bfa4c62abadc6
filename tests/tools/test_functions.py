"""Signatures as schemas, and validated arguments as what the functions take."""

import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
import typing
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar

import pytest
import typing_extensions
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import NotRequired, TypeAliasType, Unpack

from schema2model.errors import SchemaError, ToolError
from schema2model.tools.signatures import parse_docstring, read_function
from schema2model.tools.tool import Tool

T = TypeVar("T")


class Color(enum.Enum):
    """An enum of names."""

    RED = "red"
    GREEN = "green"


@dataclasses.dataclass
class Point:
    """A dataclass."""

    x: int
    y: int = 0


class Point3(TypedDict, total=False):
    """A TypedDict within a TypedDict."""

    z: int


class Options(TypedDict):
    """A TypedDict."""

    depth: int
    fast: NotRequired[bool]
    points: NotRequired[list[Point3]]


class Pair(typing_extensions.TypedDict, Generic[T], total=False):
    """A TypedDict of any type."""

    one: T
    two: T


class Address(BaseModel):
    """A model."""

    street: str
    since: dt.date | None = None


def schema_of(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """The schema of a function's tool."""
    return read_function(function, **options).schema


def properties_of(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """The properties of a function's tool."""
    return typing.cast("dict[str, Any]", schema_of(function, **options)["properties"])


# ------------------------------------------------------------------------------ what is asked
def test_what_has_a_default_is_optional() -> None:
    """Defaults are shown to the model and filled in by the function."""

    def search(query: str, limit: int = 10, lang: str | None = None) -> Any:
        return query, limit, lang

    assert schema_of(search) == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "lang": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    tool = Tool.from_function(search)
    assert tool.prepare({"query": "x"}).kwargs == {"query": "x"}
    assert tool.call({"query": "x", "lang": None}) == ("x", 10, None)


def test_defaults_need_not_be_json() -> None:
    """A sentinel stays the function's own affair."""
    marker = object()

    def search(query: str, limit: Any = marker, when: dt.date = dt.date.min) -> Any:
        return limit is marker, when

    assert "default" not in properties_of(search)["limit"]
    assert Tool.from_function(search).call({"query": "x"}) == (True, dt.date.min)


def test_a_choice_that_json_lacks_is_no_part_of_the_schema() -> None:
    """A model cannot send it; nobody is warned."""

    def repeat(times: int | Callable[[], int]) -> Any:
        return times

    tool = Tool(repeat)
    assert tool.schema["properties"] == {"times": {"type": "integer"}}
    assert tool.call({"times": "3"}) == 3


def test_no_bound_may_be_the_default() -> None:
    """Infinity is not JSON: the schema leaves it out, and the function has it."""

    class Range(BaseModel):
        low: float = -math.inf

    def search(
        high: float = math.inf, within: Range | None = None, steps: Any = (math.nan,)
    ) -> Any:
        return high, within, steps

    schema = schema_of(search)
    assert schema["properties"]["high"] == {"type": "number"}
    assert schema["properties"]["steps"] == {}
    assert schema["$defs"]["Range"]["properties"]["low"] == {"type": "number"}
    high, within, steps = Tool.from_function(search).call({"within": "{}"})
    assert (high, within.low) == (math.inf, -math.inf)
    assert math.isnan(*steps)


def test_annotations_may_be_missing() -> None:
    """Then anything goes."""

    def show(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return value

    assert properties_of(show) == {"value": {}}
    assert Tool.from_function(show).call({"value": [1]}) == [1]


def test_fields_give_bounds_descriptions_aliases_and_defaults() -> None:
    """Annotated and default fields both."""

    def search(
        query: Annotated[str, Field(description="What to find.", min_length=2)],
        limit: int = Field(default=5, ge=1, description="At most."),
        page_size: Annotated[int, Field(alias="pageSize")] = 20,
    ) -> Any:
        return query, limit, page_size

    assert properties_of(search) == {
        "query": {"type": "string", "minLength": 2, "description": "What to find."},
        "limit": {"type": "integer", "minimum": 1, "default": 5, "description": "At most."},
        "pageSize": {"type": "integer", "default": 20},
    }
    tool = Tool.from_function(search)
    assert tool.call({"query": "ab"}) == ("ab", 5, 20)
    assert tool.call({"query": "ab", "limit": "7", "pageSize": 3}) == ("ab", 7, 3)
    assert tool.as_function()("ab", page_size=4) == ("ab", 5, 4)
    with pytest.raises(ToolError, match="/limit: must be"):
        tool.prepare({"query": "ab", "limit": 0})


def test_the_function_gets_instances() -> None:
    """Models, dataclasses, enums, dates and sets are what the annotations say."""

    def book(  # noqa: PLR0913, PLR0917
        color: Color,
        point: Point,
        options: Annotated[list[Options] | None, "note"],
        address: Address,
        size: Literal["s", "m"],
        when: dt.date,
        ids: set[uuid.UUID],
        points: list[Point],
    ) -> list[Any]:
        return [color, point, options, address, size, when, ids, points]

    tool = Tool.from_function(book)
    key = "12345678-1234-5678-1234-567812345678"
    arguments = {
        "color": "red",
        "point": '{"x": "1"}',
        "options": [{"depth": "2", "points": ["{}"]}],
        "address": {"street": "Via Appia", "since": "2020-01-02"},
        "size": "s",
        "when": "2024-02-29",
        "ids": [key],
        "points": [{"x": 1, "y": 2}],
    }
    prepared = tool.prepare(arguments)
    assert prepared.arguments["point"] == {"x": 1}
    assert prepared.arguments["when"] == "2024-02-29"
    assert list(prepared.kwargs.values()) == [
        Color.RED,
        Point(1),
        [{"depth": 2, "points": [{}]}],
        Address(street="Via Appia", since=dt.date(2020, 1, 2)),
        "s",
        dt.date(2024, 2, 29),
        {uuid.UUID(key)},
        [Point(1, 2)],
    ]


def test_floats_are_floats() -> None:
    """A whole number is JSON for a float, too."""

    def move(to: float, by: float | None = None) -> Any:
        return to, by

    tool = Tool.from_function(move)
    result = tool.call({"to": 3, "by": "2"})
    assert result == (3.0, 2.0)
    assert {type(value) for value in result} == {float}
    assert tool.call({"to": 1.5}) == (1.5, None)
    with pytest.raises(ToolError):
        tool.prepare({"to": 10**400})


def test_strict_types_are_fed_from_json() -> None:
    """A strict model takes a date from JSON, and refuses the same text from Python."""

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        when: dt.date

    def book(slot: Strict) -> dt.date:
        return slot.when

    assert Tool.from_function(book).call({"slot": {"when": "2024-01-02"}}).year == 2024


def test_keyword_only_and_positional_only() -> None:
    """Each is passed the only way it can be."""

    def mix(first: int, second: int = 2, /, third: int = 3, *, fourth: int = 4) -> tuple[int, ...]:
        return first, second, third, fourth

    tool = Tool.from_function(mix)
    prepared = tool.prepare({"first": 1, "second": 5, "fourth": 6})
    assert (prepared.args, prepared.kwargs) == ((1, 5), {"fourth": 6})
    assert prepared.call() == (1, 5, 3, 6)
    assert tool.call({"first": 1, "third": 9}) == (1, 2, 9, 4)
    assert tool.as_function()(1, third="4") == (1, 2, 4, 4)


def test_positional_only_with_injection() -> None:
    """What is injected keeps its place."""

    def mix(first: int, session: str, third: int = 3, fourth: int = 4, /) -> Any:
        return first, session, third, fourth

    tool = Tool.from_function(mix, inject="session")
    assert tool.call({"first": 1}, session="s") == (1, "s", 3, 4)
    assert tool.call({"first": 1, "fourth": 7}, session="s") == (1, "s", 3, 7)
    assert tool.as_function()(1, "s") == (1, "s", 3, 4)


def test_keyword_arguments_are_additional_properties() -> None:
    """Of any type, of one type, or those of a TypedDict."""

    def loose(a: int, **rest: Any) -> Any:
        return a, rest

    def typed(**rest: int) -> Any:
        return rest

    def unpacked(a: int, **rest: Unpack[Options]) -> Any:
        return a, rest

    def aliased(**rest: Unpack[TypeAliasType("Alias", Pair[int])]) -> Any:  # type: ignore[valid-type, misc, unused-ignore]
        return rest

    assert schema_of(loose).get("additionalProperties", True) is True
    assert Tool.from_function(loose).call({"a": 1, "b": "x"}) == (1, {"b": "x"})
    assert schema_of(typed)["additionalProperties"] == {"type": "integer"}
    assert Tool.from_function(typed).call({"b": "3"}) == {"b": 3}
    assert schema_of(unpacked)["required"] == ["a", "depth"]
    assert schema_of(unpacked)["properties"]["fast"] == {"type": "boolean"}
    assert Tool.from_function(aliased).call({"one": "1"}) == {"one": 1}
    tool = Tool.from_function(unpacked)
    assert tool.call({"a": 1, "depth": "2"}) == (1, {"depth": 2})
    assert tool.as_function()(1, depth=2, fast="yes") == (1, {"depth": 2, "fast": True})


def test_names_that_pydantic_keeps_for_itself() -> None:
    """Any parameter name is a property."""

    def odd(_x: int, model_config: str, schema: int = 1, validate: int = 2, json: int = 3) -> Any:
        return _x, model_config, schema, validate, json

    tool = Tool.from_function(odd)
    assert tool.call({"_x": "1", "model_config": "a", "json": 5}) == (1, "a", 1, 2, 5)


# --------------------------------------------------------------------------- what goes wrong
def even(number: int) -> int:
    """Refuse odd numbers."""
    if number % 2:
        message = "odd numbers are not served here"
        raise ValueError(message)
    return number


def test_what_a_validator_raises_is_a_tool_error() -> None:
    """In the one form, without a page of pydantic's text."""

    def take(number: Annotated[int, AfterValidator(even)], when: dt.date) -> None: ...

    with pytest.raises(ToolError) as caught:
        Tool.from_function(take).prepare({"number": 3, "when": "soon"})
    text = str(caught.value)
    assert text.startswith("Error parsing arguments for `take`:\n")
    assert "\n- /number: must be a valid value" in text
    assert "odd numbers are not served here" in text
    assert "\n- /when: must be a" in text
    assert ', not "soon"' in text
    assert "pydantic" not in text
    assert [issue.path for issue in caught.value.issues] == ["/when", "/number"]
    assert caught.value.__cause__ is None


def test_what_binding_raises_is_a_tool_error() -> None:
    """TypeError from a dataclass, a ToolError of one's own, a path through a union."""

    @dataclasses.dataclass
    class Picky:
        x: int

        def __post_init__(self) -> None:
            if self.x == 1:
                raise TypeError("x" * 1000)
            if self.x == 2:
                raise ToolError(f"choose another {self.x}")  # noqa: EM102, TRY003
            if self.x == 3:
                raise KeyError(self.x)

    def take(it: Picky, other: Address | dt.date | None = None) -> None: ...

    tool = Tool.from_function(take)
    with pytest.raises(ToolError, match="Error parsing arguments for `take`:") as caught:
        tool.prepare({"it": {"x": 1}})
    assert len(str(caught.value)) < 500
    with pytest.raises(ToolError, match=r"^choose another 2$"):
        tool.prepare({"it": {"x": 2}})
    with pytest.raises(KeyError):
        tool.prepare({"it": {"x": 3}})
    with pytest.raises(ToolError, match="/other: must be"):
        tool.prepare({"it": {"x": 4}, "other": "never"})


# ----------------------------------------------------------------------------- what it is called
GOOGLE = """Find things.

At length.

Args:
    query: What to find,
        in words.
    limit (int): At most.

Returns:
    A list.
"""
NUMPY = """Find things.

At length.

Parameters
----------
query : str
    What to find, in words.
limit : int
    At most.
"""
SPHINX = """Find things.

At length.

:param query: What to find,
    in words.
:param int limit: At most.
:returns: A list.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_docstrings_describe_parameters(docstring: str) -> None:
    """In the three styles that are in use."""

    def search(query: str, limit: Annotated[int, Field(description="Given.")] = 1) -> None: ...

    search.__doc__ = docstring
    read = read_function(search)
    assert read.description == "Find things.\n\nAt length."
    assert read.schema["properties"]["query"]["description"] == "What to find, in words."
    assert read.schema["properties"]["limit"]["description"] == "Given."


def test_a_docstring_in_no_style_is_the_description() -> None:
    """Whatever it says; and where there is none, none."""
    assert parse_docstring("Find things: a, b.\n\n    As they come.") == (
        "Find things: a, b.\n\nAs they come.",
        {},
    )
    assert parse_docstring(None) == ("", {})


def test_name_and_description_can_be_given() -> None:
    """They come before what the function says."""
    tool = Tool.from_function(even, name="forecast", description="Guess.")
    assert (tool.name, tool.description) == ("forecast", "Guess.")
    with pytest.raises(ToolError, match="for `forecast`"):
        tool.prepare({"number": [1]})


@pytest.mark.parametrize("as_text", [False, True])
def test_types_that_json_lacks_are_checked_with_all_other_problems(*, as_text: bool) -> None:
    """One error lists them all, so that one more call can be right."""

    def book(day: dt.date, count: int, key: uuid.UUID) -> None: ...

    sent = {"day": "soon", "count": "few", "key": "k"}
    with pytest.raises(ToolError) as caught:
        Tool.from_function(book).prepare(json.dumps(sent) if as_text else sent)
    assert sorted(issue.path for issue in caught.value.issues) == ["/count", "/day", "/key"]
    assert str(caught.value).count("must be") == 3
    schemas = {issue.path: issue.expected for issue in caught.value.issues}
    assert schemas["/day"] == {"type": "string", "format": "date"}


def test_what_a_validator_of_the_function_refuses_has_the_schema_of_its_place() -> None:
    """Also within lists, as if the schema had refused it."""

    def refused(value: int) -> int:
        message = f"not {value}"
        raise ValueError(message)

    kind = Annotated[int, AfterValidator(refused)]

    def put(a: kind, b: list[kind]) -> None: ...  # type: ignore[valid-type]

    with pytest.raises(ToolError) as caught:
        Tool.from_function(put).prepare({"a": 1, "b": [1]})
    schemas = {issue.path: issue.expected for issue in caught.value.issues}
    assert schemas == {"/a": {"type": "integer"}, "/b/0": {"type": "integer"}}


@pytest.mark.parametrize(
    "kind", [dt.date, Color, Point, decimal.Decimal, set[int], dict[int, str], uuid.UUID]
)
@pytest.mark.parametrize("as_text", [False, True])
def test_a_misspelt_name_is_one_problem(kind: Any, *, as_text: bool) -> None:
    """Also where arguments are converted: the function's types have nothing to add to it."""

    def book(a: int, other: Any = None) -> None: ...

    book.__annotations__["other"] = kind
    sent = {"A": 1}
    with pytest.raises(ToolError) as caught:
        Tool(book).call(json.dumps(sent) if as_text else sent)
    header, *lines, empty, _ = str(caught.value).split("\n")
    assert (header, lines, empty) == (
        "Error parsing arguments for `book`:",
        ['- rename "A" to "a"'],
        "",
    )


def test_a_misplaced_argument_is_one_problem() -> None:
    """It is said once where it belongs."""

    def move(point: Point) -> None: ...

    with pytest.raises(ToolError) as caught:
        Tool(move).call({"x": 12})
    assert [issue.path for issue in caught.value.issues] == ["/point"]
    assert "Unexpected" not in str(caught.value)


def test_string_annotations_of_functions_that_exec_made() -> None:
    """Their names are those of the globals that they were made with, not of a module."""
    made: dict[str, Any] = {"datetime": dt, "__name__": "nowhere"}
    source = """from __future__ import annotations
def late(when: datetime.date, *, hours: list[int] | None = None):
    return when, hours
def quoted(when: "datetime.date", *, hours: "list[int]" = ()):
    return when, hours
"""
    exec(source, made)  # noqa: S102 - our own
    for name in ("late", "quoted"):
        tool = Tool.from_function(made[name])
        assert tool.schema["properties"]["when"] == {"type": "string", "format": "date"}
        assert tool.call({"when": "2026-12-24", "hours": '["3"]'}) == (dt.date(2026, 12, 24), [3])
    exec("def lost(when: 'elsewhere.Day'): ...", made)  # noqa: S102 - our own
    with pytest.raises(SchemaError, match="`when` of `lost` cannot be resolved"):
        Tool.from_function(made["lost"])
