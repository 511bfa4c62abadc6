# ruff: noqa: UP007, UP045 - annotations are made of variables
"""A tool of a function gets what its annotations mean: what pydantic makes of the JSON text."""

from __future__ import annotations

import contextlib
import datetime as dt
import enum
import functools
import ipaddress
import json
import typing
import uuid
import zoneinfo
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional, Union

import pydantic
import pytest
from hypothesis import given, strategies as st
from pydantic import (
    AnyUrl,
    BaseModel,
    BeforeValidator,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    create_model,
    field_validator,
)
from pydantic_core import SchemaValidator, core_schema as cs
from typing_extensions import NotRequired, TypeAliasType, TypedDict

from schema2model import CoercingModel, SchemaError, Tool, ToolError, Toolset, tool
from schema2model.schema.vocabularies.python_types import TYPE_NAMES, USUAL_TEXTS, text_check

KEY = "123e4567-e89b-12d3-a456-426614174000"


class Color(enum.Enum):
    """An enumeration of strings."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """An enumeration of numbers."""

    LOW = 1
    HIGH = 2


class Stay(BaseModel):
    """A model with a date that may be null, and keys that are no strings."""

    nights: int
    until: dt.date | None = None
    prices: dict[int, float] = {}


@dataclass
class Guest:
    """A dataclass."""

    weight: float
    key: uuid.UUID | None = None


class Room(TypedDict):
    """A dictionary with declared keys."""

    floor: int
    price: NotRequired[Decimal]


VALUES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(10**20), 10**20),
    str: st.sampled_from(["", "a", "5", "null", "2030-01-31", "1.50"]),
    float: st.floats(-1e6, 1e6),
    bool: st.booleans(),
    type(None): st.none(),
    bytes: st.sampled_from(["", "abc", "null"]),
    dt.date: st.dates().map(str),
    dt.datetime: st.datetimes(min_value=dt.datetime(1, 1, 2)).map(lambda each: each.isoformat()),  # noqa: DTZ001
    dt.time: st.times().map(str),
    dt.timedelta: st.sampled_from(["PT5M", "P1DT2H", "-PT1S", "3 days, 2:00:00"]),
    Decimal: st.sampled_from(["1.50", "-0.5", 2, 1.5]),
    uuid.UUID: st.uuids().map(str),
    pydantic.UUID4: st.uuids(version=4).map(str),
    pydantic.IPvAnyAddress: st.ip_addresses().map(str),
    zoneinfo.ZoneInfo: st.just("UTC"),
    ipaddress.IPv4Address: st.ip_addresses(v=4).map(str),
    ipaddress.IPv6Address: st.ip_addresses(v=6).map(str),
    ipaddress.IPv4Network: st.sampled_from(["10.0.0.0/8", "192.0.2.1"]),
    ipaddress.IPv6Network: st.sampled_from(["2001:db8::/32", "::1"]),
    ipaddress.IPv4Interface: st.sampled_from(["10.0.0.1/8", "192.0.2.1"]),
    ipaddress.IPv6Interface: st.sampled_from(["2001:db8::1/32", "::1"]),
    Color: st.sampled_from(["red", "blue"]),
    Level: st.sampled_from([1, 2]),
    Literal["x", 1]: st.sampled_from(["x", 1]),
    Stay: st.fixed_dictionaries(
        {"nights": st.integers(0, 9)},
        optional={"until": st.sampled_from([None, "2030-01-31"]), "prices": st.just({"3": 1})},
    ),
    Guest: st.fixed_dictionaries({"weight": st.just(1)}, optional={"key": st.just(KEY)}),
    Room: st.fixed_dictionaries({"floor": st.just(1)}, optional={"price": st.just("2.50")}),
}
"""Annotations, each with JSON values that are valid for it."""

KEYS: dict[Any, str] = {
    str: "s",
    int: "7",
    float: "1.5",
    dt.date: "2030-02-02",
    uuid.UUID: KEY,
    Color: "red",
    Level: "2",
    TypeAliasType("Row", int): "7",
    Literal["k", "l"]: "k",
}
"""Annotations of keys, each with a text that is valid for it."""

Typed = tuple[Any, st.SearchStrategy[Any]]
"""An annotation, and JSON values that are valid for it."""

leaves: st.SearchStrategy[Typed] = st.sampled_from([*VALUES.items()])


def within(typed: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    """Containers and unions of other annotations."""
    hashable = st.sampled_from([(each, VALUES[each]) for each in (int, str, dt.date, uuid.UUID)])
    return st.one_of(
        typed.map(lambda t: (TypeAliasType("Alias", t[0]), t[1])),
        typed.map(lambda t: (list[t[0]], st.lists(t[1], max_size=2))),
        typed.map(lambda t: (Sequence[t[0]], st.lists(t[1], max_size=2))),
        typed.map(lambda t: (tuple[t[0], ...], st.lists(t[1], max_size=2))),
        hashable.map(lambda t: (set[t[0]], st.lists(t[1], max_size=2, unique=True))),
        st.tuples(typed, typed).map(
            lambda p: (tuple[p[0][0], p[1][0]], st.tuples(p[0][1], p[1][1]).map(list))
        ),
        st.tuples(st.sampled_from([*KEYS]), typed).map(
            lambda p: (
                dict[p[0], p[1][0]],
                st.dictionaries(st.just(KEYS[p[0]]), p[1][1]),
            )
        ),
        st.tuples(st.sampled_from([*KEYS]), typed).map(
            lambda p: (
                Mapping[p[0], p[1][0]],
                st.dictionaries(st.just(KEYS[p[0]]), p[1][1]),
            )
        ),
        typed.map(lambda t: (Optional[t[0]], st.none() | t[1])),
        st.tuples(typed, typed).map(lambda p: (Union[p[0][0], p[1][0]], p[0][1] | p[1][1])),
    )


annotations = st.recursive(leaves, within, max_leaves=4)


def tool_of(annotation: Any) -> Tool[Any]:
    """The tool of a function that returns its only argument."""

    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = annotation
    return Tool(take)


def model_of(annotation: Any) -> type[CoercingModel]:
    """A model with a single field."""
    return create_model("Args", __base__=CoercingModel, x=(annotation, ...))


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal, and of the same types at every level."""
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseModel):
        return alike(vars(one), vars(other))
    if isinstance(one, dict):
        return [*map(repr, one)] == [*map(repr, other)] and all(
            map(alike, one.values(), other.values())
        )
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def counts_seconds(annotation: Any, value: Any, made: Any) -> bool:
    """Whether pydantic has counted a number or digits in seconds, which no tool does."""
    if isinstance(made, (dt.date, dt.time, dt.timedelta)):
        spelled = str(value)
        return spelled.replace(".", "").replace("-", "").isdigit() and "-" not in spelled[1:]
    if isinstance(made, dict) and isinstance(value, dict):
        pairs = zip([*value, *value.values()], [*made, *made.values()], strict=True)
        return any(counts_seconds(annotation, *pair) for pair in pairs)
    if isinstance(made, (list, tuple)) and isinstance(value, list):
        return any(counts_seconds(annotation, *pair) for pair in zip(value, made, strict=True))
    return False


@given(st.data())
def test_a_tool_gets_what_pydantic_makes_of_the_text(data: st.DataObject) -> None:
    """So does a model that coerces: values and types alike, keys of mappings included."""
    annotation, values = data.draw(annotations, label="annotation")
    value = data.draw(values, label="value")
    text = json.dumps(value)
    try:
        expected = TypeAdapter(annotation).validate_json(text)
    except (ValidationError, DeprecationWarning):  # two members of a set that are one; IPv4(False)
        return
    if counts_seconds(annotation, value, expected):
        return
    tool = tool_of(annotation)
    assert alike(tool.call({"x": value}), expected)
    assert alike(tool.call(f'{{"x": {text}}}'), expected)
    assert alike(model_of(annotation).model_validate_json(f'{{"x": {text}}}').x, expected)  # type: ignore[attr-defined]


@given(st.data())
def test_any_other_value_is_read_or_refused_with_the_reason(data: st.DataObject) -> None:
    """A value of another type is no exception of any other kind."""
    annotation, _ = data.draw(annotations, label="annotation")
    value = data.draw(st.one_of(*VALUES.values()), label="value")
    for sent in ({"x": value}, json.dumps({"x": value})):
        with contextlib.suppress(ToolError):
            tool_of(annotation).call(sent)


REFUSED = [
    *((kind, sent) for kind in (dt.date, dt.datetime) for sent in ("2026", "20261224", 86400, 1.5)),
    *((kind, sent) for kind in (dt.time, dt.timedelta) for sent in ("2026", "abc", True, 90)),
    (TypeAliasType("When", dt.date), 86400),
    (list[dt.date], ["2030-01-31", "20260101"]),
    (Stay, {"nights": 1, "until": "20261224"}),
    (dict[int, str], {"x": "a"}),
    (dict[dt.date, int], {"soon": 1}),
    (dict[dt.date, int], {"86400": 1}),
    (dict[uuid.UUID, int], {"x": 1}),
    (dict[Level, int], {"3": 1}),
    (pydantic.UUID4, "123e4567-e89b-12d3-a456-426614174000"),
    (zoneinfo.ZoneInfo, "Berlin"),
    (list[dict[int, int]], [{"a": 1}]),
    (Decimal, "abc"),
    (dt.date, ""),
    (dt.date, "null"),
]
"""Annotations, and what none of them means."""


@pytest.mark.parametrize(("annotation", "sent"), REFUSED, ids=repr)
def test_digits_are_no_dates_and_words_no_keys(annotation: Any, sent: Any) -> None:
    """The schema that the model was shown says a string in a format."""
    for arguments in ({"x": sent}, json.dumps({"x": sent})):
        with pytest.raises(ToolError) as caught:
            tool_of(annotation).call(arguments)
        assert caught.value.issues[0].path.startswith("/x")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [(Decimal, "a number"), (Decimal | None, "a number or null"), (list[Decimal], "a number")],
)
def test_a_decimal_is_a_number_to_a_model(annotation: Any, words: str) -> None:
    """Its string is another spelling: not every string is accepted."""
    sent = ["many"] if annotation == list[Decimal] else "many"
    with pytest.raises(ToolError) as caught:
        tool_of(annotation).call({"x": sent})
    assert f'must be {words}, without quotes, not "many"' in str(caught.value)


NULLABLE = [
    *(dt.date, dt.datetime, dt.time, dt.timedelta, Decimal, uuid.UUID, Color, Level, Stay, int),
    *(list[dt.date], dict[str, int], float, bool, AnyUrl, ipaddress.IPv4Address),
    *(pydantic.UUID4, pydantic.IPvAnyAddress, pydantic.PostgresDsn, zoneinfo.ZoneInfo),
]
"""Types of which no word for null is a valid value."""


@pytest.mark.parametrize("word", ["null", "None", "NULL", ""])
@pytest.mark.parametrize("annotation", NULLABLE, ids=repr)
def test_a_word_for_null_is_null_where_it_is_nothing_else(annotation: Any, word: str) -> None:
    """In tools and in models, also within lists."""
    nullable = Optional[annotation]
    assert tool_of(nullable).call({"x": word}) is None
    assert tool_of(nullable).call(json.dumps({"x": word})) is None
    assert tool_of(list[nullable]).call({"x": [word]}) == [None]
    assert model_of(nullable).model_validate({"x": word}).x is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("annotation", "word"), [(str, "null"), (bytes, "null"), (Literal["null", "all"], "null")]
)
def test_a_word_for_null_that_is_a_valid_value_stays(annotation: Any, word: str) -> None:
    """A string may be any word."""
    made = tool_of(Optional[annotation]).call({"x": word})
    assert made == (word.encode() if annotation is bytes else word)


@pytest.mark.parametrize(
    "sent", [" 2030-01-31 ", '"2030-01-31"', "\n'2030-01-31'", '"2030-01-31" ']
)
def test_blanks_and_quotes_around_a_date_do_not_count(sent: str) -> None:
    """They are no part of it, and the change says so."""
    tool = tool_of(dt.date)
    assert tool.call({"x": sent}) == dt.date(2030, 1, 31)
    assert [change.rule for change in tool.prepare({"x": sent}).changes] == ["quoted_choices"]
    assert tool_of(uuid.UUID).call({"x": f" {KEY} "}) == uuid.UUID(KEY)


def test_a_decimal_keeps_its_digits() -> None:
    """Sent as text or as a number in text; a float has those that it has."""
    digits = "12345678901234567890.123456789"
    tool, several = tool_of(Decimal), tool_of(list[Decimal | None])
    assert tool.call({"x": digits}) == Decimal(digits)
    assert tool.call(f'{{"x": {digits}}}') == Decimal(digits)
    assert several.call(f'{{"x": [null, {digits}, 1.50]}}') == [
        None,
        Decimal(digits),
        Decimal("1.5"),
    ]
    assert tool.call({"x": 1.1}) == Decimal("1.1")
    sent = ("12.10", '"12.10"', "12.0", "12.00", "12", "0.10", "-5.50", "100.0")
    made = [str(tool.call(f'{{"x": {each}}}')) for each in sent]
    assert made == [each.strip('"') for each in sent]
    assert [str(tool.call(f'{{"x": {each}}}')) for each in ("1E2", "1.10e1")] == ["100", "11"]
    assert str(several.call('{"x": [2.0, 1.50]}')) == "[Decimal('2.0'), Decimal('1.50')]"
    short = tool_of(Annotated[Decimal, Field(max_digits=3, decimal_places=1)])
    assert short.call('{"x": 12.500}') == Decimal("12.5")


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{0}\n```",
        "The price: {0}",
        "[{0}]",
        '{{"arguments": {0}}}',
        "{{'x': {1}}}",
        '{{"x": {1},}}',
        '{{"x": "[{1}]"}}',
    ],
)
def test_a_decimal_keeps_its_digits_wherever_they_are_found(text: str) -> None:
    """In a fence, an envelope, a list, JSON in a string, and in text that is not quite JSON."""
    digits = "12345678901234567890.50"
    tool = tool_of(list[Decimal] if "[{1}]" in text else Decimal)
    sent = text.format(f'{{"x": {digits}}}', digits)
    for made in (tool.call(sent), tool.call(sent.encode())):
        assert str(made[0] if isinstance(made, list) else made) == digits


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "pay", "arguments": {"amount": 12345678901234567890.50}}</tool_call>',
        "<function=pay><parameter=amount>12345678901234567890.50</parameter></function>",
    ],
)
def test_a_decimal_keeps_its_digits_in_the_answer_to_a_text(text: str) -> None:
    """By whichever way the call comes in."""

    def pay(amount: Decimal) -> str:
        return str(amount)

    tools = Toolset([pay])
    [answer] = tools.answer(text)
    assert answer["content"] == "12345678901234567890.50"
    assembler = tools.assembler("openai")
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    assembler.feed({"choices": [choice]})
    [call] = assembler.finish().calls
    assert call.prepared is not None
    assert call.prepared.call() == "12345678901234567890.50"


class Price(BaseModel):
    """A model with a Decimal."""

    amount: Decimal
    currency: str = "EUR"


class Weight(BaseModel):
    """A model with a float of the same name."""

    amount: float
    unit: int


@pytest.mark.parametrize(
    ("annotation", "sent", "expected"),
    [
        (Union[Price, dict[str, Any]], '{"amount": 2.50}', Price(amount=Decimal("2.50"))),
        (
            Union[Price, dict[str, Any]],
            '{"amount": 2.50, "unit": []}',
            Price(amount=Decimal("2.50")),
        ),
        (
            Union[Price, dict[str, Any]],
            '{"amount": 2.50, "currency": 3}',
            {"amount": 2.5, "currency": 3},
        ),
        (Union[dict[str, Any], Price], '{"amount": 2.50}', {"amount": 2.5}),
        (Union[Price, Weight], '{"amount": 2.50, "unit": 3}', Weight(amount=2.5, unit=3)),
        (Union[list[Decimal], list[Any]], '[2.50, "x"]', [2.5, "x"]),
        (Union[float, Decimal], "0.50", 0.5),
        (Optional[Union[Decimal, float]], "12345678901234567890.5", 12345678901234567890.5),
        (Union[Decimal, float], '"1.50"', Decimal("1.50")),
        (Union[int, Decimal], "1.50", Decimal("1.50")),
        (Union[Decimal, int, None], "12345678901234567890.25", Decimal("12345678901234567890.25")),
        (Union[int, Decimal], "2.0", Decimal(2)),
        (Union[int, Decimal], "3.0", Decimal(3)),
        (Union[bool, Decimal], "1.50", Decimal("1.50")),
        (Union[str, Decimal], "1.50", Decimal("1.5")),
        (
            Union[list[Decimal], list[str]],
            "[12345678901234567890.50]",
            [Decimal("12345678901234567890.50")],
        ),
    ],
)
def test_digits_are_for_the_branch_that_is_a_decimal(
    annotation: Any, sent: str, expected: Any
) -> None:
    """A number that another branch of a union takes stays a number."""
    made = tool_of(annotation).call(f'{{"x": {sent}}}')
    assert repr(made) == repr(expected)


def test_a_decimal_of_two_spellings_is_that_of_neither() -> None:
    """Nobody knows which of the two numbers it was."""
    assert str(tool_of(Decimal).call("Not 1.10 but {'x': 1.100}")) == "1.1"


def test_digits_go_to_the_decimal_that_they_were_sent_for() -> None:
    """Not to another number that is the same float, and not from a string or from prose."""
    decimals = tool_of(list[Decimal])
    made = decimals.call('{"x": [0.1, 0.1000000000000000055511151231257827]}')
    assert made == [Decimal("0.1"), Decimal("0.1000000000000000055511151231257827")]
    assert decimals.call('{"x": [0.1]} is 0.1000000000000000055511') == [Decimal("0.1")]
    union = tool_of(Union[Decimal, str])
    assert union.call('{"x": "1.50"}') == Decimal("1.50")


def test_repeated_members_of_a_set_are_one() -> None:
    """The change says so; two members that one type makes equal are refused."""
    prepared = tool_of(set[str]).prepare({"x": ["a", "b", "a"]})
    assert prepared.call() == {"a", "b"}
    assert prepared.arguments == {"x": ["a", "b"]}
    assert [change.rule for change in prepared.changes] == ["repeated_items"]
    assert model_of(set[int]).model_validate({"x": '["1", "1"]'}).x == {1}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("annotation", "sent", "meant"),
    [
        (set[int], ["1", "1.0"], {1}),
        (set[int], [1, "1"], {1}),
        (set[int], ["1", 2, "2"], {1, 2}),
        (set[float], ["1", 1.0], {1.0}),
        (frozenset[str], [1, "1"], frozenset({"1"})),
        (set[dt.date], ["2030-01-31", " 2030-01-31"], {dt.date(2030, 1, 31)}),
        (dict[str, set[int]], {"a": ["1", 1]}, {"a": {1}}),
        (Optional[set[int]], '["1", 1]', {1}),
    ],
)
def test_members_of_a_set_that_are_equal_once_read_are_one(
    annotation: Any, sent: Any, meant: Any
) -> None:
    """As pydantic reads them; `arguments` holds them once."""
    prepared = tool_of(annotation).prepare({"x": sent})
    assert prepared.call() == meant
    again = tool_of(annotation).prepare(prepared.arguments)
    assert (again.call(), again.changes) == (meant, ())


def test_a_message_about_a_set_proposes_nothing_that_was_not_sent() -> None:
    """What is wrong with a member is said of that member, and the others stay."""
    with pytest.raises(ToolError) as refused:
        tool_of(set[int]).prepare({"x": [1, "x", 1]})
    assert '/x/1: must be an integer, without quotes, not "x"' in str(refused.value)
    assert "send" not in str(refused.value)


LOWER = Annotated[str, pydantic.StringConstraints(to_lower=True)]


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (dict[int, str], {"1": "a", "01": "b"}),
        (Mapping[float, int], {"1": 1, "1.0": 2}),
        (typing.OrderedDict[int, int], {"1": 1, "01": 2}),
        (typing.Counter[int], {"1": 1, "01": 2}),
        (defaultdict[int, list[int]], {"1": [1], "01": [2]}),
        (dict[LOWER, int], {"A": 1, "a": 2}),
        (Optional[dict[int, str]], {"1": "a", "01": "b"}),
        (list[dict[str, dict[int, str]]], [{"1": {}, "01": {"1": "a", "01": "b"}}]),
    ],
)
def test_keys_that_become_equal_are_refused(annotation: Any, sent: Any) -> None:
    """Pydantic takes the last; nobody knows which is meant. Keys that are just text stay."""
    with pytest.raises(ToolError, match=r"must be an object whose keys differ, not .* twice"):
        tool_of(annotation).call({"x": sent})


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (int, 'an integer, such as "10"'),
        (Annotated[int, Field(ge=50)], 'an integer, such as "10"'),
        (Optional[int], 'an integer, such as "10"'),
        (float, 'a number, such as "1.5"'),
        (bool, 'true or false, such as "true"'),
        (Decimal, 'a decimal number, such as "1.50"'),
        (dt.date, "a date (YYYY-MM-DD)"),
        (dt.timedelta, "a duration (such as PT10M)"),
        (Literal["p", "q"], 'one of "p", "q"'),
        (enum.IntEnum("Level", "LOW HIGH"), 'one of "1", "2"'),
    ],
)
@pytest.mark.parametrize("kind", [dict, Mapping])
def test_a_message_about_a_key_says_what_a_name_is_and_every_example_is_accepted(
    kind: Any, keys: Any, words: str
) -> None:
    """A name has quotes in JSON, whatever the type of the key."""
    tool = tool_of(kind[keys, int])
    with pytest.raises(ToolError) as refused:
        tool.prepare({"x": {"no key": 1}})
    line = f'- /x/no key: must be a property whose name is {words}, not "no key"'
    assert line in str(refused.value).split("\n")
    with pytest.raises(ToolError) as refused:
        tool.prepare({"x": []})
    [issue] = refused.value.issues
    assert tool.prepare({"x": issue.example}).arguments == {"x": issue.example}
    assert tool.schema == tool_of(kind[keys, int]).compiled.schema


class Numbers(pydantic.RootModel[list[int]]):
    """A list as a model."""


def _with_city(alias: Any, **config: Any) -> Any:
    """A model whose field `city` has an alias."""
    return create_model("Trip", __config__=config, city=(str, Field(validation_alias=alias)))


IN_PLACE = pydantic.AliasPath("place", "city")


def test_a_field_that_no_call_could_fill_is_refused_with_what_to_write() -> None:
    """In the model that is a tool, and within the type of a parameter."""
    kind = _with_city(IN_PLACE)
    advice = r'give it a name, too, as AliasChoices\("city", AliasPath'
    with pytest.raises(SchemaError, match=advice):
        Tool(kind)
    with pytest.raises(SchemaError, match=advice):
        tool_of(list[kind])


def test_a_root_model_takes_its_root_as_an_argument() -> None:
    """With its type; so does a parameter of that type."""
    root = Tool(Numbers)
    assert root.schema["properties"] == {"root": {"type": "array", "items": {"type": "integer"}}}
    assert root.call({"root": '["1", 2]'}) == Numbers([1, 2])
    with pytest.raises(ToolError, match="/root/0: must be an integer"):
        root.call({"root": ["x"]})
    assert tool_of(Numbers).call({"x": "[1, 2]"}) == Numbers([1, 2])


def test_what_is_written_instead_is_read() -> None:
    """A name besides the path."""
    choices = pydantic.AliasChoices("city", IN_PLACE)
    for kind in (_with_city(choices), _with_city(IN_PLACE, populate_by_name=True)):
        assert tool_of(kind).call({"x": {"city": "Rome"}}).city == "Rome"


@pytest.mark.parametrize("extra", ["ignore", "forbid"])
@pytest.mark.parametrize("tag", [{}, {"kind": "run"}], ids=["by a property", "by a tag"])
@pytest.mark.parametrize(
    ("sent", "advice"),
    [
        ({"runx": 3}, '- /x: rename "runx" to "run"'),
        ({"run": "x"}, '- /x/run: must be an integer, without quotes, not "x"'),
        ({"run": 3}, "- /x/run: must be a valid value (must be even), not 3"),
    ],
)
def test_a_union_of_models_says_the_cause_alone(
    extra: Any, tag: dict[str, str], sent: dict[str, Any], advice: str
) -> None:
    """Not that each other branch has another kind, or requires another property."""

    def even(number: int) -> int:
        if number % 2:
            message = "must be even"
            raise ValueError(message)
        return number

    kinds = []
    for name in ("run", "stop", "wait", "jump", "turn", "look"):
        fields: dict[str, Any] = {name: (Annotated[int, pydantic.AfterValidator(even)], ...)}
        fields |= dict.fromkeys(tag, (Literal[name], ...))
        kinds.append(create_model(name.title(), __config__={"extra": extra}, **fields))
    with pytest.raises(ToolError) as refused:
        tool_of(Union[tuple(kinds)]).prepare({"x": tag | sent})
    assert [line for line in str(refused.value).split("\n") if line.startswith("- ")] == [advice]


def positive(number: int) -> int:
    """A validator that refuses some numbers."""
    if number < 0:
        message = "must be positive"
        raise ValueError(message)
    return number


class Circle(BaseModel):
    """A branch with a tag, two of whose members may be refused."""

    kind: Literal["circle"]
    x: Annotated[int, pydantic.AfterValidator(positive)]
    y: Annotated[int, pydantic.AfterValidator(positive)]


class Point(BaseModel):
    """One that needs nothing but its tag."""

    kind: Literal["point"]


class Between(BaseModel):
    """One that may be refused as a whole."""

    low: int
    high: int

    @pydantic.model_validator(mode="after")
    def _check(self) -> Any:
        if self.low > self.high:
            message = "low must not exceed high"
            raise ValueError(message)
        return self


@pytest.mark.parametrize(
    ("annotation", "sent", "told"),
    [
        (
            Union[Circle, Point],
            {"kind": "circle", "x": -1, "y": -2},
            [f"- /x/{name}: must be a valid value (must be positive), not -" for name in "xy"],
        ),
        (
            Union[Between, Point],
            {"low": 5, "high": 1},
            ["- /x: must be a valid value (low must not exceed high), not {"],
        ),
    ],
)
def test_no_other_branch_hides_what_a_validator_refuses(
    annotation: Any, sent: Any, told: list[str]
) -> None:
    """Though it has fewer problems, or the problem is the whole value."""
    with pytest.raises(ToolError) as refused:
        tool_of(annotation).prepare({"x": sent})
    for each in told:
        assert each in str(refused.value)
    assert str(refused.value).count("\n- ") == len(told)


def same(value: Any) -> Any:
    """A validator that changes nothing."""
    return value


SMALL = Annotated[Decimal, Field(max_digits=4)]

needs_2_13 = pytest.mark.xfail(
    pydantic.VERSION < "2.13",
    reason="models within keep their own validators in pydantic before 2.13",
)


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (Union[SMALL, dt.datetime], 12.345),
        (Union[SMALL, dt.datetime], "12.345"),
        (list[Union[SMALL, dt.datetime]], [12.345]),
        (dict[str, Union[SMALL, dt.time]], {"a": 12.345}),
        pytest.param(
            create_model("Trip", at=(Union[SMALL, dt.timedelta], ...)),
            {"at": 12.345},
            marks=needs_2_13,
        ),
        (Union[Annotated[int, Field(ge=10**9)], dt.datetime], 86400),
        (Union[Annotated[int, Field(ge=10**9)], dt.date], "86400"),
    ],
)
def test_a_number_is_no_date_in_a_union_either(annotation: Any, sent: Any) -> None:
    """Also where another branch has refused it; pydantic counts from 1970."""
    with pytest.raises(ToolError):
        tool_of(annotation).call({"x": sent})


@pytest.mark.parametrize("kind", [pydantic.AfterValidator(same), BeforeValidator(same)])
@pytest.mark.parametrize("sent", [86400, "86400"])
def test_a_number_is_the_number_of_a_union(kind: Any, sent: Any) -> None:
    """Behind a validator of one's own, too."""
    annotation = Union[Annotated[int, kind], dt.datetime]
    for outer, made in (
        (annotation, sent),
        (list[annotation], [sent]),  # type: ignore[valid-type]
        (dict[str, annotation], {"a": sent}),  # type: ignore[valid-type]
    ):
        got = tool_of(outer).call({"x": made})
        assert got in (86400, [86400], {"a": 86400})


def test_another_argument_does_not_change_a_type() -> None:
    """Digits in quotes elsewhere decided how a union was read."""

    def book(x: Any, code: str = "") -> Any:
        return x

    book.__annotations__["x"] = Union[Annotated[dt.date, BeforeValidator(same)], str]
    for code in ("", "1234", "12:34"):
        assert Tool(book).call({"x": "2030-01-31", "code": code}) == "2030-01-31"


SIZES = ["1kb", 1000, 1000.0, 1.5, "1.5", "1.5 MiB", "1000", "kb", "10 potatoes", -1, None]


@pytest.mark.parametrize("sent", SIZES)
def test_a_size_is_what_pydantic_makes_of_it(sent: Any) -> None:
    """Numbers and texts with units."""
    try:
        meant = TypeAdapter(pydantic.ByteSize).validate_json(json.dumps(sent))
    except ValidationError:
        with pytest.raises(ToolError):
            tool_of(pydantic.ByteSize).call({"x": sent})
    else:
        assert tool_of(pydantic.ByteSize).call({"x": sent}) == meant


@pytest.mark.parametrize("sent", ["aGVsbG8=", " aGk= ", "!!!", "null", "aGk"])
def test_base64_is_what_pydantic_makes_of_it(sent: str) -> None:
    """Decoded once, also in models and by `as_function`."""
    try:
        meant = TypeAdapter(pydantic.Base64Bytes).validate_json(json.dumps(sent))
    except ValidationError:
        with pytest.raises(ToolError):
            tool_of(pydantic.Base64Bytes).call({"x": sent})
    else:
        tool = tool_of(pydantic.Base64Bytes)
        assert tool.call({"x": sent}) == tool.as_function()(sent) == meant


@functools.singledispatch
def describe(value: int, unit: str = "m") -> str:
    """Describe a length."""
    return f"{value} {unit}"


def test_a_single_dispatch_gets_its_first_argument_by_position() -> None:
    """As Python asks for; the types are those of the function itself."""
    assert Tool(describe).call({"value": "3"}) == "3 m"
    assert Tool(describe).call('{"unit": "km", "value": 3}') == "3 km"
    assert Tool(describe).prepare({"value": "3"}).args == (3,)


def soon(value: Any) -> Any:
    """Read a word and a number of days as a date."""
    if isinstance(value, int):
        return dt.date(2030, 1, 1) + dt.timedelta(days=value)
    return dt.date(2030, 1, 1) if value == "soon" else value


def test_a_validator_of_ones_own_keeps_its_say() -> None:
    """It gets what was sent, and may make a date of it."""
    tool = tool_of(Annotated[dt.date, BeforeValidator(soon)])
    assert tool.call({"x": "soon"}) == dt.date(2030, 1, 1)
    assert tool.call({"x": "2030-01-31"}) == dt.date(2030, 1, 31)
    with pytest.raises(ToolError):
        tool.call({"x": "20260101"})

    def plan(day: Annotated[dt.date, BeforeValidator(soon)], code: str) -> Any:
        return day, code

    assert Tool(plan).call({"day": "soon", "code": "2026"}) == (dt.date(2030, 1, 1), "2026")


def test_a_validator_of_ones_own_names_more_that_it_accepts() -> None:
    """It gets what the schema accepts as it was sent, and corrected arguments otherwise."""

    def split(value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value

    annotated = Annotated[list[int], BeforeValidator(split)]
    more = Annotated[
        list[int], BeforeValidator(split, json_schema_input_type=Union[list[int], str])
    ]
    assert tool_of(more).call('{"x": "1,2"}') == tool_of(more).call('{"x": [1, "2"]}') == [1, 2]
    assert tool_of(annotated).call('{"x": "[1, 2]"}') == [1, 2]
    with pytest.raises(ToolError):
        tool_of(annotated).call('{"x": "1,2"}')


class Trip(BaseModel):
    """A model whose own validator reads a word as a date."""

    day: dt.date

    @field_validator("day", mode="before")
    @classmethod
    def read_word(cls, value: Any) -> Any:
        """Read a word."""
        return soon(value)


def test_a_validator_of_a_field_keeps_its_say() -> None:
    """So does a format that somebody has written next to `str`."""
    assert tool_of(Trip).call({"x": {"day": "soon"}}) == Trip(day=dt.date(2030, 1, 1))
    written = Annotated[str, Field(json_schema_extra={"format": "date"})]
    assert tool_of(written).call({"x": "tomorrow"}) == "tomorrow"

    def with_default(x: Annotated[dt.date, BeforeValidator(soon)] = dt.date.min) -> Any:
        return x

    assert Tool(with_default).call({"x": "soon"}) == dt.date(2030, 1, 1)


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (Union[Annotated[dt.date, Strict()], str], "2030-01-31"),
        (Union[Annotated[dt.date, Strict()], str], "2030"),
        (Union[Annotated[dt.date, BeforeValidator(lambda value: value)], str], "2030-01-31"),
    ],
)
def test_a_union_chooses_as_pydantic_does(annotation: Any, sent: str) -> None:
    """Strict types and validators in it change what it chooses, digits apart."""
    made = tool_of(annotation).call({"x": sent})
    digits = sent.isdigit()
    assert made == (sent if digits else TypeAdapter(annotation).validate_json(json.dumps(sent)))


@pytest.mark.parametrize("sent", ["2030-01-31", "2030-01-31T00:00:00", "2030-01-31T12:00:00"])
def test_digits_elsewhere_do_not_change_what_a_union_chooses(sent: str) -> None:
    """They are read by validators that refuse them as dates."""

    def plan(x: Union[dt.datetime, dt.date], code: str) -> Any:
        return x, code

    expected = TypeAdapter(Union[dt.datetime, dt.date]).validate_json(json.dumps(sent))
    for code in ("5", "x"):
        made, kept = Tool(plan).call({"x": sent, "code": code})
        assert (type(made), made, kept) == (type(expected), expected, code)


def test_a_strict_toolset_has_typed_tools() -> None:
    """The types belong to the schema as it is, and not to its projection."""

    def travel(trip: Trip, nights: int) -> Any:
        return trip

    tools = Toolset([travel], strict="openai")
    made = tools.call("travel", '{"trip": {"day": "2030-01-31"}, "nights": "2"}')
    assert made == Trip(day=dt.date(2030, 1, 31))


def test_the_types_stay_inside() -> None:
    """Neither the schema that models are shown nor the errors name them in a keyword of ours."""
    tool = tool_of(Optional[dt.date])
    for shown in (tool.schema, tool.compiled.schema, tool.compiled.model.model_json_schema()):
        assert "$pythonType" not in json.dumps(shown)
    with pytest.raises(ToolError) as caught:
        tool.call({"x": "soon"})
    assert "$" not in str(caught.value)
    assert "$pythonType" not in json.dumps(caught.value.issues[0].expected)


@pytest.mark.parametrize(
    ("annotation", "sent"),
    [
        (dt.date, f'"{dt.date(2030, 1, 31)}" '),
        (uuid.UUID, f"'{KEY}'"),
        (Decimal, " 1.50 "),
        (set[int], ["1", 2, "2"]),
        (set[int], [1, 1]),
        (AnyUrl, " https://example.org/"),
    ],
    ids=repr,
)
def test_an_alias_is_read_as_what_it_means(annotation: Any, sent: Any) -> None:
    """With one name for an annotation, `type When = date`, a tool gets the same."""

    def outcome(tool: Tool) -> Any:
        try:
            return tool.call({"x": sent})
        except ToolError as error:
            return str(error)

    alias = TypeAliasType("Alias", TypeAliasType("Inner", annotation))  # type: ignore[valid-type, misc, unused-ignore]
    assert outcome(tool_of(alias)) == outcome(tool_of(annotation))


def test_a_strict_alias_may_be_that_of_two_parameters() -> None:
    """Pydantic refers from both to one definition."""

    def stay(since: Any, until: Any) -> Any:
        return since, until

    day = TypeAliasType("day", Annotated[dt.date, pydantic.Strict()])  # type: ignore[valid-type, misc, unused-ignore]
    stay.__annotations__.update(since=day, until=day)
    sent = {"since": "2030-01-31", "until": "2030-02-01"}
    assert Tool(stay).call(sent) == (dt.date(2030, 1, 31), dt.date(2030, 2, 1))


def test_names_of_an_enumeration_are_shown_beside_the_values() -> None:
    """Names in JSON are strings, so that only the texts of its members are possible."""
    shown = tool_of(dict[Level, bool]).schema["properties"]["x"]  # type: ignore[index, call-overload]
    names = {"enum": [f"{each.value}" for each in Level]}
    values = {"type": "boolean"}
    assert shown == {"type": "object", "propertyNames": names, "additionalProperties": values}


class Visit(BaseModel):
    """A model that two parameters have."""

    day: dt.date


@pytest.mark.parametrize(
    ("kind", "words", "digits"),
    [
        (TypeAliasType("When", dt.date), "today", "86400"),
        pytest.param(Visit, {"day": "today"}, {"day": 86400}, marks=needs_2_13),
    ],
    ids=str,
)
def test_a_validator_is_of_its_own_place(kind: Any, words: Any, digits: Any) -> None:
    """It gets what it can read, also where a date without it is of the same definition."""
    day = {"today": "2030-01-31"}

    def read(value: Any) -> Any:
        return {"day": day[value["day"]]} if isinstance(value, dict) else day.get(value, value)

    def book(first: Any, second: Any) -> Any:
        return first == second

    book.__annotations__ = {"first": Annotated[kind, BeforeValidator(read)], "second": kind}
    valid = read(words)
    assert Tool(book).call({"first": words, "second": valid}) is True
    for second in (words, digits):
        with pytest.raises(ToolError, match="/second"):
            Tool(book).call({"first": words, "second": second})


def test_other_parameters_decide_nothing() -> None:
    """A mapping has the same keys, whatever is next to it."""

    def alone(prices: dict[int, str]) -> Any:
        return prices

    def beside(prices: dict[int, str], day: dt.date) -> Any:
        return prices

    sent = {"prices": {"1": "a"}}
    assert Tool(alone).call(sent) == Tool(beside).call({**sent, "day": "2030-01-31"}) == {1: "a"}


def test_a_model_of_ones_own_accepts_what_pydantic_accepts() -> None:
    """A timestamp is a date for it, as for any model."""
    model: Callable[..., Any] = model_of(dt.date).model_validate
    assert model({"x": 86400}).x == dt.date(1970, 1, 2)


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def test_a_decorated_function_can_be_called_as_it_is() -> None:
    """As unit tests do; nothing is prepared."""
    assert double(4) == double.call({"number": "4"}) == 8
    with pytest.raises(TypeError, match="has no function to call"):
        Tool.from_definition({"name": "now", "parameters": {}})()
    with pytest.raises(TypeError, match="Tool takes a function, got Tool"):
        Tool(double)  # type: ignore[arg-type]


TEXTS = {
    "date": ("2026-12-24", "2026-13-24"),
    "date-time": ("2026-12-24T10:00:00Z", "1766570400"),
    "time": ("10:00:00", "36000"),
    "duration": ("PT1H", "3600"),
    "decimal": ("1e5", "one"),
    "uuid": ("0" * 32, "0" * 31),
    **{f"uuid{n}": (f"{'0' * 12}{n}{'0' * 3}8{'0' * 15}", "0" * 32) for n in (1, 3, 4, 5, 6, 7, 8)},
    "uri": ("a:b", "a b"),
    "multi-host-uri": ("a://b,c", "a b"),
    "ipvanyaddress": ("::1", "10.0.0.256"),
    "ipvanynetwork": ("10.0.0.0/8", "10.0.0.1/8"),
    "ipvanyinterface": ("10.0.0.1/8", "10.0.0.1/33"),
    "zoneinfo": ("UTC", "utc "),
    "email": ("a@b.test", "a.b.test"),
    "decimal-or-float": ("1.5", "abc"),
    "name-email": ("A <a@b.test>", "A"),
    "ipv4": ("10.0.0.1", "10.0.0.256"),
    "ipv6": ("::1", "10.0.0.1"),
    "ipv4network": ("10.0.0.0/8", "10.0.0.1/8"),
    "ipv6network": ("::/8", "10.0.0.0/8"),
    "ipv4interface": ("10.0.0.1/8", "::1/8"),
    "ipv6interface": ("::1/8", "10.0.0.1/8"),
}
"""Of each type of strings: one that is of the type, and one that is not."""


@pytest.mark.parametrize("name", sorted(TYPE_NAMES))
def test_a_text_is_of_a_type_as_pydantic_reads_it(name: str) -> None:
    """But for digits, which are no dates or times."""
    check = text_check(name)
    assert check is not None
    assert [check(text) for text in TEXTS[name]] == [True, False]


def test_usual_dates_are_dates_and_nearly_all_dates_are_usual() -> None:
    """The pattern spares asking pydantic. Only 29 February is left to it."""
    is_usual = SchemaValidator(cs.str_schema(pattern=USUAL_TEXTS["date"])).isinstance_python
    is_date = text_check("date")
    assert is_date is not None
    for year in (1000, 1900, 2000, 2023, 2024, 2999):
        for month in range(14):
            for day in range(33):
                text = f"{year}-{month:02}-{day:02}"
                leaps = (month, day) == (2, 29)
                assert is_usual(text) == (is_date(text) and not leaps), text


needs_2_14 = pytest.mark.skipif(
    pydantic.VERSION < "2.14",
    reason="pydantic before 2.14 reads any JSON value as the member whose value is None",
)


@pytest.mark.parametrize(
    "values",
    [
        ("a", "1", "true", ""),
        (1, 0, 2**70),
        pytest.param((True, "x", None, 2.5), marks=needs_2_14),
        (1.0, -0.5, "1"),
    ],
)
def test_an_enumeration_is_read_from_a_value_as_from_its_text(values: tuple[Any, ...]) -> None:
    """So arguments need not be written as text to be converted."""
    kind = enum.Enum("kind", {f"m{index}": value for index, value in enumerate(values)})
    adapter: TypeAdapter[Any] = TypeAdapter(list[Optional[kind]])
    for sent in (*values, "A", "1.0", 1, 1.0, 0, True, False, "true", None, [], {}, 3, 2.0**70):

        def read(text: str | None, value: Any = sent) -> Any:
            try:
                if text is None:
                    return adapter.validate_python([value])
                return adapter.validate_json(text)
            except ValidationError as error:
                return [each["type"] for each in error.errors()]

        assert read(None) == read(json.dumps([sent])), sent
