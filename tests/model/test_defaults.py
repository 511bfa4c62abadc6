"""Defaults are filled in on demand, each where the result stays valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from corruptions import INTEGER, STRING
from hypothesis import assume, given, strategies as st
from oracle import same
from strategies import calls

from schema2model import SchemaError, ToolError, compile_schema


@given(st.data())
def test_defaults_are_added_and_nothing_else(data: st.DataObject) -> None:
    """What was sent stays, and the result is valid."""
    schema, values = data.draw(calls())
    try:
        compiled = compile_schema(schema)
    except SchemaError:
        assume(condition=False)
    for sent in values:
        try:
            result = compiled.validate(sent)
        except ToolError:
            continue
        filled = compiled.with_defaults(sent)
        assert same(compile_schema(schema, defaults="fill").validate(sent), filled)
        assert compiled.is_valid(filled)
        assert within(result, filled)
        assert same(compiled.validate(sent), result)


def within(part: Any, whole: Any) -> bool:
    """Whether a value is another one with properties left out."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and within(each, whole[name]) for name, each in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(within, part, whole))
    return same(part, whole)


FILLED: dict[str, tuple[Any, Any, Any]] = {
    "at the top": ({"properties": {"a": {"default": 1}}}, {}, {"a": 1}),
    "not over what was sent": ({"properties": {"a": {"default": 1}}}, {"a": None}, {"a": None}),
    "below": (
        {"properties": {"a": {"properties": {"b": {"default": 1}}}}},
        {"a": {}},
        {"a": {"b": 1}},
    ),
    "in items": (
        {"properties": {"a": {"type": "array", "items": {"properties": {"b": {"default": 1}}}}}},
        {"a": [{}, {"b": 2}]},
        {"a": [{"b": 1}, {"b": 2}]},
    ),
    "in what is a default": (
        {"properties": {"a": {"properties": {"b": {"default": 1}}, "default": {}}}},
        {},
        {"a": {"b": 1}},
    ),
    "of a definition": (
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"default": 1}}},
        {},
        {"a": 1},
    ),
    "of the branch that was meant": (
        {"oneOf": [{"type": "object", "required": ["k"],
                    "properties": {"k": {"const": k}, "n": {"default": k * 2}}} for k in "ab"]},
        {"k": "b"},
        {"k": "b", "n": "bb"},
    ),
    "not where it is wrong": ({"properties": {"a": {**INTEGER, "default": "x"}}}, {}, {}),
    "not where null is wrong": ({"properties": {"a": {**STRING, "default": None}}}, {}, {}),
    "not where the whole would be wrong": (
        {"properties": {"a": {"default": 1}, "b": {"default": 2}}, "maxProperties": 1},
        {},
        {"a": 1},
    ),
    "not both of two that exclude each other": (
        {"properties": {"a": {"default": 1}, "b": {"default": 2}, "c": {"default": 3}},
         "not": {"required": ["a", "b"]}},
        {},
        {"a": 1, "c": 3},
    ),
    "not without end": (
        {"properties": {"n": {"$ref": "#", "default": {}}, "v": {"default": 1}}},
        {},
        {"n": {"v": 1}, "v": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "filled"), FILLED.values(), ids=FILLED)
def test_defaults_are_filled_in_on_demand(schema: Any, sent: Any, filled: Any) -> None:
    """Each where the result stays valid."""
    compiled = compile_schema(schema)
    assert compiled.with_defaults(sent) == filled
    assert compiled.validate(sent) == sent
    filling = compile_schema(schema, defaults="fill")
    assert filling.validate(sent) == filling.validate_json(json.dumps(sent)) == filled
    assert filling.validate(filled) == compiled.with_defaults(filled)
    assert filling.is_valid(sent)


def test_defaults_are_copies() -> None:
    """Nobody's change to one is anyone else's."""
    compiled = compile_schema({"properties": {"a": {"type": "array", "default": [[]]}}})
    compiled.with_defaults({})["a"][0].append(1)
    compiled.model().a[0].append(1)
    assert compiled.with_defaults({}) == {"a": [[]]}
    assert compiled.model().a == compiled.model.model_fields["a"].default == [[]]


def test_wrong_arguments_have_no_defaults() -> None:
    """They are refused as by `validate`."""
    with pytest.raises(ToolError, match="must be an integer"):
        compile_schema({"properties": {"a": INTEGER, "b": {"default": 1}}}).with_defaults(
            {"a": "x"}
        )


@pytest.mark.parametrize(
    ("schema", "filled"),
    [
        ({"type": "integer"}, 3),
        ({"type": ["integer", "null"]}, 3),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        ({"type": "number"}, 3.0),
    ],
)
def test_a_whole_default_of_an_integer_is_an_integer(schema: Any, filled: Any) -> None:
    """As 3.0 would be if it had been sent."""
    compiled = compile_schema({"properties": {"x": {**schema, "default": 3.0}}}, defaults="fill")
    made = compiled.validate({})["x"]
    assert (made, type(made)) == (filled, type(filled))


COUNT = {"type": "object", "properties": {"n": {**INTEGER, "default": 1}}}

LACKING_NOTHING: dict[str, tuple[Any, Any]] = {
    "without a default": ({"properties": {"a": INTEGER}}, {"a": 1, "b": [{}]}),
    "at the root": ({"properties": {"a": {"default": 1}, "b": {"type": "array"}}},
                    {"a": 2, "b": [{}]}),
    "with a default that is wrong": ({"properties": {"a": {**INTEGER, "default": "x"}}}, {}),
    "below": ({"properties": {"a": COUNT}}, {"a": {"n": 2}}),
    "in items": ({"properties": {"a": {"type": "array", "items": COUNT}}}, {"a": [{"n": 2}] * 3}),
    "in a nullable object": ({"properties": {"a": {"anyOf": [COUNT, {"type": "null"}]}}},
                             {"a": {"n": 2}}),
    "behind a reference that leads back": (
        {"properties": {"n": {"$ref": "#/$defs/n"}},
         "$defs": {"n": {**COUNT, "properties": {"n": {**INTEGER, "default": 1},
                                                 "next": {"$ref": "#/$defs/n"}}}}},
        {"n": {"n": 1, "next": {"n": 2}}},
    ),
    "beside a keyword that pydantic-core lacks": (
        {"properties": {"a": COUNT, "b": {**STRING, "pattern": "^b"}}, "minProperties": 1},
        {"a": {"n": 2}, "b": "b"},
    ),
    "in a union that a text decides": (
        {"oneOf": [{"type": "object", "required": ["k"],
                    "properties": {"k": {"const": k}, "n": {"default": 1}}} for k in "ab"]},
        {"k": "b", "n": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), LACKING_NOTHING.values(), ids=LACKING_NOTHING)
def test_arguments_that_lack_nothing_are_not_walked(
    schema: Any, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by a schema without defaults, nor where all properties with one were sent."""
    compiled = compile_schema(schema, defaults="fill")
    monkeypatch.setattr("schema2model.model.defaults.FillingEngine.filled", None)
    assert compiled.validate(value) == value
    assert compiled.validate_json(json.dumps(value)) == value


HIDDEN: dict[str, tuple[Any, Any, Any]] = {
    "in a union that nothing decides": (
        {"properties": {"a": {"anyOf": [COUNT, {"type": "object", "required": ["z"]}]}}},
        {"a": {"z": 1}},
        {"a": {"z": 1, "n": 1}},
    ),
    "in one of two parts": ({"allOf": [COUNT, {"minProperties": 1}]}, {"z": 1}, {"z": 1, "n": 1}),
    "in the first item": ({"properties": {"a": {"type": "array", "prefixItems": [COUNT]}}},
                          {"a": [{}]}, {"a": [{"n": 1}]}),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "filled"), HIDDEN.values(), ids=HIDDEN)
def test_objects_that_pydantic_core_does_not_see_are_filled(
    schema: Any, sent: Any, filled: Any
) -> None:
    """Their validator cannot say that they lack nothing."""
    assert compile_schema(schema, defaults="fill").validate(sent) == filled
