"""What a compiled model shows of its schema: fields of any name, annotations, bounds and rules."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any, Literal, Optional, Union

import annotated_types
import pytest
from pydantic import BeforeValidator, create_model
from pydantic_core import PydanticUndefined
from search_model import INTEGER, MODEL, SCHEMA, STRING

from schema2model import compile_schema
from schema2model.model.attributes import ModelAttribute


def test_the_fields_are_the_declared_properties() -> None:
    """All of them, in the schema's order."""
    assert list(MODEL.model_fields) == list(SCHEMA["properties"])


ANNOTATIONS = {
    "query": str,
    "limit": int,
    "score": float,
    "tags": list[str],
    "order": Literal["asc", "desc"],
    "cursor": Optional[str],  # noqa: UP045 - a union of its members, in any order
    "either": Union[int, list[int]],  # noqa: UP007 - the same
    "counts": dict[str, int],
    "exact": bool,
}


@pytest.mark.parametrize(("name", "annotation"), ANNOTATIONS.items(), ids=ANNOTATIONS)
def test_annotations_read_well(name: str, annotation: Any) -> None:
    """A field carries the Python type that says most about it."""
    assert MODEL.model_fields[name].annotation == annotation


def test_a_field_of_alternatives_has_the_types_of_all() -> None:
    """Unless one of them allows it and does not declare it: then it may have any value."""
    branches = [{"properties": {"a": {"type": kind}}} for kind in ("string", "integer")]
    fields = compile_schema({"type": "object", "anyOf": branches}).model.model_fields
    assert fields["a"].annotation == Union[str, int]  # noqa: UP007 - the same
    closed = {"additionalProperties": False}
    for other in (closed, False):
        fields = compile_schema({"type": "object", "anyOf": [*branches, other]}).model.model_fields
        assert fields["a"].annotation == Union[str, int]  # noqa: UP007 - the same
    for other in ({}, {**closed, "patternProperties": {"^a": {}}}):
        fields = compile_schema({"type": "object", "anyOf": [*branches, other]}).model.model_fields
        assert fields["a"].annotation is Any


def test_descriptions_and_defaults_are_shown() -> None:
    """The default is shown, and never dumped."""
    fields = MODEL.model_fields
    assert fields["query"].description == "What to look for."
    assert fields["query"].is_required()
    assert fields["query"].default is PydanticUndefined
    assert fields["limit"].default == 10
    assert not fields["tags"].is_required()
    assert MODEL.model_validate({"query": "x"}).model_dump() == {"query": "x"}
    assert MODEL.model_validate({"query": "x"}).model_dump_json() == '{"query":"x"}'


def test_bounds_are_shown() -> None:
    """As `annotated_types`, where pydantic keeps them."""
    fields = MODEL.model_fields
    assert {annotated_types.Ge(1), annotated_types.Lt(100)} <= set(fields["limit"].metadata[:2])
    assert annotated_types.MultipleOf(0.5) in fields["score"].metadata
    assert annotated_types.MinLen(1) in fields["query"].metadata
    assert annotated_types.MaxLen(5) in fields["tags"].metadata


BOUNDED: dict[str, tuple[Any, list[Any]]] = {
    "between integers": (
        {"type": "integer", "minimum": 0.5, "maximum": 1e300},
        [annotated_types.Ge(1), annotated_types.Le(int(1e300))],
    ),
    "exclusive": (
        {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 2.5},
        [annotated_types.Gt(0), annotated_types.Lt(3)],
    ),
    "parts of integers": ({"type": "integer", "multipleOf": 0.5}, []),
    "too great for a float": ({"type": "number", "maximum": 10**400}, []),
    "of several types": ({"type": ["integer", "string"], "minimum": 1, "maxLength": 1}, []),
    "of another type": ({"type": "string", "minimum": 1, "minItems": 2}, []),
    "of any type": ({"minimum": 1}, []),
    "of choices": ({"enum": [1, "x"], "minimum": 1}, []),
    "or null": ({"type": ["number", "null"], "minimum": 1}, [annotated_types.Ge(1)]),
}


@pytest.mark.parametrize(("schema", "bounds"), BOUNDED.values(), ids=BOUNDED)
def test_frameworks_can_make_models_of_the_fields(schema: Any, bounds: list[Any]) -> None:
    """Bounds are such as pydantic can apply to the type; the others are for the schema to say."""
    field = compile_schema({"properties": {"a": schema}}).model.model_fields["a"]
    assert [each for each in field.metadata if not hasattr(each, "func")] == bounds
    made = create_model("Made", a=(field.annotation, field))
    assert made.model_validate({"a": "x" if schema.get("type") == "string" else 1})


def test_what_runs_before_is_shown() -> None:
    """Each rule that applies is a BeforeValidator with the rule's own function."""

    def before(name: str, preset: str = "default") -> list[str]:
        fields = compile_schema(SCHEMA, coercion=preset).model.model_fields
        found = (item for item in fields[name].metadata if isinstance(item, BeforeValidator))
        return [item.func.__name__ for item in found]

    assert "integer_text" in before("limit")
    assert "number_text" in before("score")
    assert "boolean_word" in before("exact")
    assert "scalar_text" in before("query")
    assert before("limit", "off") == []


def test_the_schema_is_the_one_given() -> None:
    """Byte for byte, and a copy: nobody's change to it is anyone else's."""
    assert MODEL.model_json_schema() == SCHEMA
    MODEL.model_json_schema()["properties"].clear()
    assert json.dumps(MODEL.model_json_schema()) == json.dumps(SCHEMA)


@pytest.mark.parametrize("title", ["a b", "", "class", "model_dump", "a\0b", "ä", "x" * 10_000])
def test_any_title_will_do(title: str) -> None:
    """A schema's title need not be a name in Python."""
    model = compile_schema({"type": "object", "title": title}).model
    assert model.model_validate({"a": 1}).model_dump() == {"a": 1}
    assert model.model_json_schema()["title"] == title


AWKWARD = [
    *("class", "from", "foo-bar", "_x", "__x", "x y", "", "1", "ä", "$ref", "a.b", "a/b", "\n"),
    *("schema", "json", "copy", "dict", "construct", "validate", "fields", "root", "self", "cls"),
    *("model_config", "model_fields", "model_dump", "model_extra", "model_validate", "__dict__"),
    *("__class__", "__init__", "__engine__", "__pydantic_fields_set__"),
    *("__pydantic_extra__", "__pydantic_validator__", "__getattr__", "_holding", "x" * 1000),
]
"""Names that Python, pydantic or the model itself give a meaning."""


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("name", AWKWARD, ids=lambda name: repr(name[:30]))
def test_any_name_will_do(name: str, declared: bool) -> None:  # noqa: FBT001
    """A property of any name is validated, held, dumped and compared like every other."""
    properties = {name: INTEGER, "other": INTEGER} if declared else {"other": INTEGER}
    model = compile_schema({"type": "object", "properties": properties}).model
    assert list(model.model_fields) == list(properties)
    instance = model.model_validate({name: "5" if declared else 5, "other": "6"})
    assert instance.model_dump() == {name: 5, "other": 6}
    assert json.loads(instance.model_dump_json()) == {name: 5, "other": 6}
    assert dict(instance) == {name: 5, "other": 6}
    assert instance == model.model_validate({name: 5, "other": 6})
    assert instance != model.model_validate({name: 6, "other": 6})
    assert instance.model_fields_set == {name, "other"}
    assert "other=6" in repr(instance)
    assert isinstance(instance, model)
    assert pickle.loads(pickle.dumps(instance)) == instance  # noqa: S301 - our own bytes
    assert copy.deepcopy(instance) == instance
    assert model.model_construct(**{name: 5, "other": 6}) == instance


@pytest.mark.parametrize(
    "name", ["__qualname__", "__classcell__", "__bool__", "__len__", "__del__"]
)
def test_names_that_python_reads_from_a_class_may_hold_objects(name: str) -> None:
    """They are not attributes of the model's class."""
    schema = {"type": "object", "properties": {name: {"type": "object", "properties": {"a": {}}}}}
    model = compile_schema(schema).model
    assert not isinstance(vars(model).get(name), ModelAttribute)
    assert model.model_validate({name: '{"a": 1}'}).model_dump() == {name: {"a": 1}}


HIDING = ["schema", "json", "copy", "dict", "construct", "validate", "parse_obj"]


@pytest.mark.parametrize("name", ["query", "class", "foo-bar", "_x", *HIDING])
def test_properties_are_attributes(name: str) -> None:
    """Frameworks ask for `getattr(instance, field)`; pydantic's old methods stand back."""
    model = compile_schema({"type": "object", "properties": {name: STRING}}).model
    assert getattr(model.model_validate({name: "x"}), name) == "x"
