"""A validator like python-jsonschema's, and a function like Ajv's."""

from __future__ import annotations

import collections
import enum
from collections import OrderedDict, deque
from types import MappingProxyType
from typing import Any

import jsonschema
import pytest

from schema2model import SchemaError
from schema2model.adapters.jsonschema import (
    UnknownType,
    ValidationError,
    Validator,
    best_match,
    compile as ajv,
    validator_for,
)

pytestmark = pytest.mark.adapters

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
        "limit": {"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]},
        "$ref": {"$ref": "#/$defs/tag"},
        "on": {"type": "string", "format": "date"},
    },
    "required": ["tags"],
    "$defs": {"tag": {"type": "string", "minLength": 1}},
}


def test_the_stringified_is_not_coerced() -> None:
    """It is a validator, and changes nothing."""
    probe = {"tags": '["a"]', "limit": "10"}
    validator = validator_for(SCHEMA)
    assert not validator.is_valid(probe)
    assert probe == {"tags": '["a"]', "limit": "10"}
    validator.validate({"tags": ["a"], "limit": 1})


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        pytest.param({"tags": []}, [], id="valid"),
        pytest.param({}, [([], "required", ["required"], ["tags"])], id="required"),
        pytest.param(
            {"tags": ["a", 2]},
            [(["tags", 1], "type", ["properties", "tags", "items", "type"], "string")],
            id="behind-a-reference",
        ),
        pytest.param(
            {"tags": [""], "$ref": 1},
            [
                (["tags", 0], "minLength", ["properties", "tags", "items", "minLength"], 1),
                (["$ref"], "type", ["properties", "$ref", "type"], "string"),
            ],
            id="several",
        ),
    ],
)
def test_errors_have_the_attributes_of_python_jsonschema(instance: Any, expected: Any) -> None:
    """Where, which keyword, and what it says; the same as there."""
    by_path = {
        "ours": validator_for(SCHEMA).iter_errors(instance),
        "theirs": jsonschema.Draft202012Validator(SCHEMA).iter_errors(instance),
    }
    for errors in by_path.values():
        found = [
            (list(e.path), e.validator, list(e.schema_path), e.validator_value) for e in errors
        ]
        assert sorted(found, key=str) == sorted(expected, key=str)


def test_the_branches_of_a_union_are_its_context() -> None:
    """With paths from the union's own error, or from the top."""
    (error,) = validator_for(SCHEMA).iter_errors({"tags": [], "limit": "10"})
    assert (error.validator, error.path, error.instance) == ("anyOf", deque(["limit"]), "10")
    assert error.message == "'10' is not valid under any of the given schemas"
    ours = error.context
    (their,) = jsonschema.Draft202012Validator(SCHEMA).iter_errors({"tags": [], "limit": "10"})
    assert [e.validator_value for e in ours] == ["integer", "null"]
    for name in ("schema_path", "absolute_schema_path", "path", "absolute_path", "validator"):
        assert [getattr(e, name) for e in ours] == [getattr(e, name) for e in their.context]
    assert all(e.parent is error for e in ours)


def test_validate_raises_the_first_error() -> None:
    """It returns nothing otherwise."""
    with pytest.raises(ValidationError, match="'tags' is a required property") as caught:
        validator_for(SCHEMA).validate({})
    assert repr(caught.value) == """<ValidationError: "'tags' is a required property">"""
    assert isinstance(caught.value, jsonschema.ValidationError)


def test_formats_are_asserted_where_the_original_would() -> None:
    """Ajv does, and python-jsonschema does not."""
    instance = {"tags": [], "on": "today"}
    assert validator_for(SCHEMA).is_valid(instance)
    assert not validator_for(SCHEMA, formats="assert").is_valid(instance)
    assert not ajv(SCHEMA)(instance)
    assert ajv(SCHEMA, formats="annotate")(instance)


def test_a_function_tells_what_is_wrong_as_ajv_does() -> None:
    """Of the last call, with the place in the schema behind references."""
    check = ajv(SCHEMA)
    assert check({"tags": []})
    assert check.errors is None
    assert not check({"tags": ["a", 1]})
    assert check.errors == [
        {
            "instancePath": "/tags/1",
            "schemaPath": "#/$defs/tag/type",
            "keyword": "type",
            "message": "1 is not of type 'string'",
        }
    ]
    assert check({"tags": []})
    assert check.errors is None


def test_a_false_schema_is_named_as_the_originals_name_it() -> None:
    """It has no keyword."""
    check = ajv({"properties": {"a": False}})
    assert not check({"a": 1})
    assert check.errors
    assert check.errors[0]["keyword"] == "false schema"
    (error,) = validator_for({"properties": {"a": False}}).iter_errors({"a": 1})
    assert (error.validator, error.validator_value) == (None, None)


def test_resources_may_be_of_other_mappings() -> None:
    """As schemas may be: what is listed is of plain copies, as the verdict is."""
    resources = MappingProxyType({"urn:x": OrderedDict(type="integer")})
    (error,) = validator_for({"$ref": "urn:x"}, resources=resources).iter_errors("a")
    assert error.message == "'a' is not of type 'integer'"


def test_a_broken_schema_is_refused_when_it_is_compiled() -> None:
    """So are references to what is not there: nothing is fetched."""
    for schema in ({"type": "nothing"}, {"$ref": "http://localhost:1234/integer.json"}):
        with pytest.raises(SchemaError):
            validator_for(schema)
    resources = {"http://localhost:1234/integer.json": {"type": "integer"}}
    validator = validator_for({"$ref": "http://localhost:1234/integer.json"}, resources=resources)
    (error,) = validator.iter_errors("1")
    assert (error.validator, error.validator_value) == ("type", "integer")


class _Text(str):
    __slots__ = ()


class _Kind(enum.Enum):
    A = 1


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "instance",
    [
        pytest.param({1: 2}, id="keys"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param("\ud800", id="half-a-surrogate"),
        pytest.param({"tags": _Kind.A}, id="enum"),
        pytest.param({"tags": [object()]}, id="object"),
        pytest.param({"tags": CYCLE}, id="cycle"),
    ],
)
def test_what_is_no_json_is_invalid_and_the_errors_say_so(instance: Any) -> None:
    """They are never empty then, and nothing else is ever raised."""
    validator = validator_for(SCHEMA)
    assert not validator.is_valid(instance)
    assert list(validator.iter_errors(instance))
    check = ajv(SCHEMA)
    assert not check(instance)
    assert check.errors


def test_subclasses_of_json_types_are_what_they_hold() -> None:
    """As nbformat's notebooks, which are mappings with attributes."""
    instance = collections.OrderedDict(tags=[_Text("a")])
    validator = validator_for(SCHEMA)
    assert validator.is_valid(instance)
    assert not list(validator.iter_errors(instance))
    assert ajv(SCHEMA)(instance)


def test_deep_values_in_unions_are_told_of_without_multiplying() -> None:
    """The branches of all unions on the way down would be 2 ** 40."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"anyOf": [{**node, "required": [name]} for name in ("x", "y")]}},
    }
    instance: dict[str, Any] = {"x": 1, "next": [1, {"a/b": 2}]}
    for _ in range(40):
        instance = {"x": 1, "next": instance}
    errors = list(validator_for(schema).iter_errors(instance))
    assert errors
    assert all(list(error.absolute_path)[:41] == ["next"] * 41 for error in errors)
    assert errors[0].instance == [1, {"a/b": 2}]


def test_a_validator_evolves() -> None:
    """To another schema or other options; it stays what it was."""
    validator = validator_for({"format": "date"}, dialect="draft-07")
    assert validator.is_valid("today")
    assert not validator.evolve(formats="assert").is_valid("today")
    assert not validator.evolve(schema={"type": "null"}).is_valid("today")
    assert validator.evolve(schema={"items": [{}]}).is_valid([1])  # draft 7 still
    assert validator.is_valid("today")


def test_a_schema_is_checked() -> None:
    """By the dialect that it names, or is said to be of."""
    Validator.check_schema({"items": [{}]}, "draft-07")
    for schema in ({"items": [{}]}, {"type": "whole"}, {"pattern": "("}):
        with pytest.raises(SchemaError):
            Validator.check_schema(schema)


def test_errors_are_of_our_class_too() -> None:
    """Those in the context as well; what is no type is python-jsonschema's error."""
    schema = {"properties": {"a b": {"anyOf": [{"type": "null"}, {"items": {"minimum": 3}}]}}}
    validator = validator_for({**schema, "maxProperties": 1})
    errors = list(validator.iter_errors({"a b": [3, 2], "b": 1}))
    assert [type(error) for error in (*errors, *errors[0].context)] == [ValidationError] * 4
    assert all(isinstance(error, ValueError) for error in errors)
    assert best_match(errors[:1]).json_path == "$['a b'][1]"
    with pytest.raises(UnknownType):
        validator.is_type(1, "whole")


def test_patterns_that_python_does_not_read_are_refused_in_our_words() -> None:
    """Python-jsonschema fails there, and its verdict does not count."""
    (error,) = validator_for({"pattern": r"^\p{Lu}+$"}).iter_errors("a")
    assert (error.validator, list(error.path)) == ("pattern", [])
    assert "Lu" in error.message
