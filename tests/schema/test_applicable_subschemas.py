"""The law of applicable subschemas: which apply to a property, an item, and the value itself.

For every dialect that differs, boolean schemas included.
"""

from __future__ import annotations

from typing import Any

import pytest

from schema2model import compile_schema
from schema2model.schema.dialects import DEFAULT
from schema2model.schema.nodes import Node, common_types
from schema2model.schema.parts import Parts
from schema2model.schema.vocabularies import Keyword

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def root(schema: Any, dialect: str | None = None) -> Node:
    """The node of a schema."""
    return compile_schema(schema, dialect=dialect)._engine.root


def schemas(nodes: Any) -> list[Any]:
    """The schemas of some nodes."""
    return [node.schema for node in nodes]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"properties": {"a": TEXT}}, [TEXT], id="its own"),
        pytest.param({"properties": {"b": TEXT}}, [], id="another's"),
        pytest.param(
            {"properties": {"a": TEXT}, "patternProperties": {"^a": NUMBER, "b": {}}},
            [TEXT, NUMBER],
            id="its own and that of a pattern",
        ),
        pytest.param(
            {"properties": {"a": TEXT}, "additionalProperties": NUMBER},
            [TEXT],
            id="its own shields from additionalProperties",
        ),
        pytest.param(
            {"patternProperties": {"a": TEXT}, "additionalProperties": NUMBER},
            [TEXT],
            id="a pattern shields from additionalProperties",
        ),
        pytest.param(
            {"properties": {"b": TEXT}, "additionalProperties": NUMBER},
            [NUMBER],
            id="additionalProperties",
        ),
        pytest.param({"additionalProperties": {}}, [{}], id="the empty schema applies"),
        pytest.param({"additionalProperties": False}, [False], id="false applies to other names"),
        pytest.param({"properties": {"a": False}}, [False], id="false applies to its name"),
        pytest.param({"patternProperties": {"a": False}}, [False], id="false applies to a pattern"),
        pytest.param({"additionalProperties": True}, [], id="true for all others is absence"),
        pytest.param(
            {"properties": {"a": True}, "additionalProperties": False},
            [True],
            id="true under a name shields from additionalProperties",
        ),
        pytest.param(
            {"patternProperties": {"a": True}, "additionalProperties": NUMBER},
            [True],
            id="true under a pattern shields from additionalProperties",
        ),
    ],
)
def test_the_subschemas_of_a_property(schema: Any, expected: list[Any]) -> None:
    """`properties` and `patternProperties` apply; only where neither does, the rest's schema."""
    assert schemas(root(schema).property_subschemas("a")) == expected


@pytest.mark.parametrize(
    ("dialect", "schema", "first", "second"),
    [
        pytest.param(None, {}, [], [], id="nothing"),
        pytest.param(None, {"items": TEXT}, [TEXT], [TEXT], id="items"),
        pytest.param(None, {"prefixItems": [TEXT], "items": NUMBER}, [TEXT], [NUMBER], id="both"),
        pytest.param(None, {"prefixItems": [TEXT]}, [TEXT], [], id="prefixItems"),
        pytest.param(None, {"items": False}, [False], [False], id="false applies"),
        pytest.param(None, {"items": True}, [], [], id="true for all is absence"),
        pytest.param(
            None,
            {"prefixItems": [True], "items": False},
            [True],
            [False],
            id="true in prefixItems shields from items",
        ),
        pytest.param("draft-07", {"items": [TEXT]}, [TEXT], [], id="a tuple"),
        pytest.param(
            "draft-07",
            {"items": [TEXT], "additionalItems": False},
            [TEXT],
            [False],
            id="a closed tuple",
        ),
        pytest.param(
            "draft-07", {"items": [TEXT], "additionalItems": True}, [TEXT], [], id="an open tuple"
        ),
        pytest.param("draft-07", {"items": True, "additionalItems": TEXT}, [], [], id="no tuple"),
    ],
)
def test_the_subschema_of_an_item(
    dialect: str | None, schema: Any, first: list[Any], second: list[Any]
) -> None:
    """`prefixItems` applies by index, `items` to all others."""
    node = root(schema, dialect)
    assert schemas(node.item_subschemas(0)) == first
    assert schemas(node.item_subschemas(1)) == second


def test_the_subschemas_of_a_property_are_in_the_order_of_the_schema() -> None:
    """Whether each describes only its own names or any: messages name the first."""
    parts = [
        {"properties": {"a": TEXT}, "additionalProperties": False},
        {"properties": {"a": NUMBER}},
        {"patternProperties": {"^a": {}}},
    ]
    described = Parts.in_place([root({"allOf": parts})])
    assert schemas(described.property_subschemas("a")) == [TEXT, NUMBER, {}]


def test_the_subschemas_in_place() -> None:
    """All that apply to the value itself, always or on a condition; `not` says what does not."""
    kinds = ("null", "boolean", "integer", "number", "string", "array", "object")
    null, boolean, integer, number, string, array, an_object = ({"type": kind} for kind in kinds)
    schema = {
        "$ref": "#/$defs/null",
        "allOf": [boolean, True],
        "anyOf": [integer],
        "oneOf": [number, False],
        "if": string,
        "then": array,
        "dependentSchemas": {"a": an_object},
        "not": {"const": 1},
        "properties": {"a": TEXT},
        "$defs": {"null": null},
    }
    node = root(schema)
    in_place = [null, boolean, True, integer, number, False, string, array, an_object]
    assert schemas(node.in_place_subschemas()) == in_place
    assert schemas(node.conjuncts()) == [null, boolean, True]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": "array", "items": True},
        {"type": "array", "minItems": 1},
        {"type": "array", "prefixItems": [True]},
    ],
)
def test_true_means_what_absence_means(schema: Any) -> None:
    """Items that no subschema applies to are read as under `true`."""
    assert compile_schema(schema, coercion="untyped").validate(["1", "[2]"]) == [1, [2]]
    assert compile_schema(schema).validate(["1", "[2]"]) == ["1", "[2]"]


def test_a_schema_without_a_subschema_for_it_declares_no_name() -> None:
    """`additionalProperties` describes names, but declares none."""
    node = root(
        {"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": TEXT}
    )
    assert [*map(node.declares, ("a", "b1", "c"))] == [True, True, False]


VALUES: dict[str, Any] = {
    "type": "string",
    "enum": ["a"],
    "const": "a",
    "required": ["a"],
    "pattern": "a",
    "uniqueItems": True,
    "dependentRequired": {"a": ["b"]},
    "format": "date",
    "not": {},
    "$ref": "#/$defs/a",
    "$dynamicRef": "#/$defs/a",
}
"""A value of each keyword for which neither a number nor a subschema is one."""


def value_of(name: str, keyword: Keyword) -> Any:
    """A value that makes a keyword count."""
    if keyword.names:
        return {"a": TEXT}
    if keyword.array:
        return [TEXT]
    return TEXT if keyword.subschema else VALUES.get(name, 1)


@pytest.mark.parametrize(
    ("name", "keyword"),
    [(name, keyword) for name, keyword in DEFAULT.keywords.items() if keyword.function],
)
def test_a_node_agrees_with_the_record_of_each_keyword(name: str, keyword: Keyword) -> None:
    """Its attributes count for the type, and the place, that the keyword's record names."""
    schema = {name: value_of(name, keyword), "$defs": {"a": TEXT}}
    if name == "if":
        schema["then"] = TEXT
    node = root(schema)
    assert node.has_in_place_subschemas() == keyword.in_place
    assert node.has_assertions() == (not keyword.in_place or bool(node.residual))
    residual = bool(node.residual) or keyword.in_place
    assert node.has_object_keywords() == (keyword.instance == "object" and not residual)
    assert node.has_array_keywords() == (keyword.instance == "array" and not residual)


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        pytest.param(["string", "number"], ["integer"], ("integer",), id="a number is narrowed"),
        pytest.param(["integer", "null"], ["null", "number"], ("integer", "null"), id="or kept"),
        pytest.param(["string"], ["integer"], (), id="none"),
    ],
)
def test_the_types_that_all_allow(
    first: list[str], second: list[str], common: tuple[str, ...]
) -> None:
    """In the order of the first; an integer is a number, and nothing else."""
    assert common_types(root({"allOf": [{"type": first}, {"type": second}]}).all_of) == common
