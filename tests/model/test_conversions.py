# ruff: noqa: D103 - the names state the promises
"""Models with `formats="convert"` and `defaults="fill"`."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

import pytest
from pydantic import TypeAdapter, ValidationError

from schema2model import compile_schema

UTC = dt.timezone.utc
TEXT = {"type": "string"}
DAY = {**TEXT, "format": "date"}
EVENT: dict[str, Any] = {
    "title": "Event",
    "type": "object",
    "properties": {
        "at": {**TEXT, "format": "date-time"},
        "day": {"anyOf": [DAY, {"type": "null"}], "default": "2030-01-01"},
        "days": {"type": "array", "items": {"$ref": "#/$defs/Day"}},
        "venue": {"type": "object", "properties": {"opens": {**TEXT, "format": "time"}}},
        "either": {"anyOf": [DAY, TEXT]},
    },
    "$defs": {"Day": DAY},
}
SENT = {
    "at": "2030-01-31T10:00:00.50Z",
    "days": ["2030-01-31"],
    "venue": {"opens": "09:30:00Z"},
    "either": "2030-01-31",
}
Event = compile_schema(EVENT, formats="convert").model
OPENS = dt.time(9, 30, tzinfo=UTC)


def test_attributes_are_objects_and_dumps_the_text_as_sent() -> None:
    event = Event.model_validate(SENT)
    assert event.at == dt.datetime(2030, 1, 31, 10, 0, 0, 500_000, tzinfo=UTC)
    assert event.days == (dt.date(2030, 1, 31),)
    assert event.venue.opens == OPENS
    assert event.day == dt.date(2030, 1, 1)  # by default
    assert event.either == "2030-01-31"  # which may be any text
    assert dict(event)["at"] == event.at
    assert "datetime.time(9, 30" in repr(event)
    assert event.model_dump() == event.model_dump(mode="json") == SENT
    assert json.loads(event.model_dump_json()) == SENT
    assert TypeAdapter(list[Event]).dump_python([event]) == [SENT]
    assert json.loads(TypeAdapter(Event).dump_json(event)) == SENT


def test_annotations_are_the_types_of_the_attributes() -> None:
    found = {name: field.annotation for name, field in Event.model_fields.items()}
    assert found["at"] is dt.datetime
    assert found["day"] == dt.date | None
    assert found["days"] == tuple[dt.date, ...]
    assert found["venue"].model_fields["opens"].annotation is dt.time


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("date-time", "2030-01-31t10:00:00z", dt.datetime(2030, 1, 31, 10, tzinfo=UTC)),
        ("date", "2030-01-31", dt.date(2030, 1, 31)),
        ("uuid", "00000000-0000-0000-0000-000000000001", UUID(int=1)),
        ("ipv4", "1.2.3.4", IPv4Address("1.2.3.4")),
        ("ipv6", "::1", IPv6Address("::1")),
        ("email", "a@example.com", "a@example.com"),
        ("duration", "P1M", "P1M"),
        ("date-time", "1998-12-31T23:59:60Z", "1998-12-31T23:59:60Z"),
    ],
)
def test_each_format_has_its_type_and_a_leap_second_stays_text(
    name: str, text: str, value: Any
) -> None:
    schema = {"type": "object", "properties": {"a": {**TEXT, "format": name}}}
    model = compile_schema(schema, formats="convert").model
    made = model.model_validate({"a": text})
    assert made.a == value
    assert type(made.a) is type(value)
    assert made.model_dump() == {"a": text}
    assert compile_schema(schema, formats="convert").validate({"a": text}) == {"a": text}


def test_formats_are_checked_and_annotate_stays_the_default() -> None:
    with pytest.raises(ValidationError, match="date-time"):
        Event.model_validate({"at": "yesterday"})
    assert compile_schema(EVENT).model.model_validate({"at": "yesterday"}).at == "yesterday"
    assert compile_schema(EVENT, formats="assert").model.model_validate(SENT).at == SENT["at"]
    with pytest.raises(ValueError, match="formats is"):
        compile_schema({}, formats="converted")  # type: ignore[arg-type]


def test_objects_can_be_sent_and_set() -> None:
    at = dt.datetime(2030, 1, 31, 10, tzinfo=UTC)
    for event in (Event(at=at, venue={"opens": OPENS}), Event.model_validate({"at": at})):
        assert event.at == at
        assert event.model_dump()["at"] == "2030-01-31T10:00:00+00:00"
    event.at = at.replace(year=2031)
    event.days = [dt.date(2031, 1, 1)]
    assert event.at.year == 2031
    assert event.model_dump()["days"] == ["2031-01-01"]
    assert Event.model_validate(event.model_dump()) == event
    assert Event.model_validate({"at": at}, strict=True).at == at


def test_copies_and_pickles_convert_too() -> None:
    event = Event.model_validate(SENT)
    for made in (copy.deepcopy(event), event.model_copy(), pickle.loads(pickle.dumps(event))):  # noqa: S301
        assert made == event
        assert (made.at, made.venue.opens) == (event.at, OPENS)


def test_lists_that_contain_themselves_are_no_dates() -> None:
    schema = {"type": "array", "items": {"$ref": "#"}}
    model = compile_schema({"properties": {"a": schema}}, formats="convert").model
    assert model.model_validate({"a": [[]]}).a == [[]]


# ------------------------------------------------------------------------------------- defaults
ORDER: dict[str, Any] = {
    "title": "Order",
    "type": "object",
    "properties": {
        "count": {"type": "integer", "default": 1},
        "tags": {"type": "array", "default": []},
        "ship": {
            "type": "object",
            "properties": {"street": TEXT, "country": {**TEXT, "default": "DE"}},
        },
    },
}
FILLED = {"ship": {"street": "Elm", "country": "DE"}, "count": 1, "tags": []}


def test_defaults_are_part_of_all_results() -> None:
    compiled = compile_schema(ORDER, defaults="fill")
    sent = {"ship": {"street": "Elm"}}
    assert compiled.validate(sent) == FILLED
    assert sent == {"ship": {"street": "Elm"}}
    assert compiled.validate({"ship": "{'street': 'Elm'}"}) == FILLED
    for text in (json.dumps(sent), "{'ship': {'street': 'Elm',}}"):
        assert compiled.validate_json(text) == FILLED
    assert compile_schema(ORDER).validate(sent) == sent
    with pytest.raises(ValueError, match="defaults is"):
        compile_schema({}, defaults="all")  # type: ignore[arg-type]


def test_defaults_are_part_of_models_and_dumps() -> None:
    compiled = compile_schema(ORDER, defaults="fill")
    for order in (
        compiled.model.model_validate({"ship": {"street": "Elm"}}),
        compiled.model.model_validate_json('{"ship": {"street": "Elm"}}'),
        compiled.model(ship={"street": "Elm"}),
        compiled.model.model_validate({"ship": {"street": "Elm"}}, strict=True),
    ):
        assert order.model_dump() == FILLED
        assert json.loads(order.model_dump_json()) == FILLED
        assert order.model_dump(exclude_defaults=True)["ship"]["street"] == "Elm"
    assert type(order.ship).model_validate({}).model_dump() == {"country": "DE"}
    assert compiled.model.model_validate({}).tags is not compiled.model.model_validate({}).tags


def test_a_default_is_no_change_and_one_that_is_invalid_is_left_out() -> None:
    compiled = compile_schema(ORDER, defaults="fill")
    explained = compiled.explain({"count": "2"})
    assert explained.result == {"count": 2, "tags": []}
    assert [change.path for change in explained.changes] == ["/count"]
    explained = compiled.explain_json("{'count': 2}")
    assert explained.result == {"count": 2, "tags": []}
    assert {change.rule for change in explained.changes} == {"repair_text"}
    wrong = {"properties": {"a": {"type": "integer", "default": "x"}}}
    assert compile_schema(wrong, defaults="fill").validate({}) == {}


def test_compiled_schemas_with_both_options_can_be_pickled() -> None:
    compiled = compile_schema(ORDER, defaults="fill", formats="convert")
    assert compile_schema(ORDER, defaults="fill", formats="convert") is compiled
    assert compile_schema(ORDER) is not compiled
    assert pickle.loads(pickle.dumps(compiled)) is compiled  # noqa: S301
    order = compiled.model.model_validate({})
    assert pickle.loads(pickle.dumps(order)) == order  # noqa: S301
