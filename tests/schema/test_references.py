"""`$ref` and its kin: what they lead to, and that coercion follows them there."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from case_tests import each_case
from cases import Case
from pydantic import ValidationError

from schema2model import CompiledSchema, SchemaError, ToolError, compile_schema
from tests.support.waiting import calls

INTEGER = {"type": "integer"}
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"


UNHASHABLE = {"required": [{}], "properties": {}, "additionalProperties": False}
"""Invalid, in a way that jsonschema-rs compiles all the same."""


def at(reference: str, **rest: Any) -> dict[str, Any]:
    """A schema whose property "x" is what a reference leads to."""
    return {"properties": {"x": {"$ref": reference}}, **rest}


@each_case("references")
def test_a_reference_leads_to_its_target(case: Case) -> None:
    """For the verdict, for coercion, and for the model alike."""
    schema, resources = case.schema, case.line.get("resources")
    exact = compile_schema(schema, coercion="off", resources=resources)
    assert exact.validate({"x": 1}) == {"x": 1}
    with pytest.raises(ToolError):
        exact.validate({"x": "1"})
    compiled = compile_schema(schema, resources=resources)
    assert compiled.validate(case.input) == case.result
    assert compiled.explain(case.input).result == case.result
    assert compiled.model.model_validate(case.input).model_dump() == case.result


def test_a_recursive_schema_coerces_all_the_way_down() -> None:
    """References that go into the instance are no circles."""
    tree = {
        "properties": {"size": INTEGER, "children": {"type": "array", "items": {"$ref": "#"}}},
        "additionalProperties": False,
    }
    sent = {"children": '[{"children": [{"size": "3"}], "size": 2.0}]', "size": "1"}
    wanted = {"children": [{"children": [{"size": 3}], "size": 2}], "size": 1}
    assert compile_schema(tree).validate(sent) == wanted


CIRCLES: dict[str, Any] = {
    "itself": {"$ref": "#"},
    "itself in allOf": {"allOf": [{"$ref": "#"}]},
    "one with more to say": {"allOf": [{"$ref": "#"}, {"minimum": 3}], "type": "integer"},
    "two": {
        "$ref": "#/$defs/b",
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}], "type": "integer"},
            "b": {"allOf": [{"$ref": "#/$defs/a"}], "minimum": 3},
        },
    },
    "three, and a way out": {
        "properties": {"p": {"$ref": "#/$defs/a"}},
        "$defs": {
            "a": {"$ref": "#/$defs/b"},
            "b": {"allOf": [{"$ref": "#/$defs/c"}, {"$ref": "#/$defs/d"}]},
            "c": {"$ref": "#/$defs/a", "type": "integer"},
            "d": {"maximum": 5},
        },
    },
    "two circles": {
        "allOf": [{"$ref": "#/$defs/a"}],
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
            "b": {"allOf": [{"$ref": "#/$defs/b"}], "type": "integer", "multipleOf": 2},
        },
    },
    "two circles that share a part": {
        "$ref": "#/$defs/a",
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}], "type": "integer"},
            "b": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/c"}], "maximum": 5},
            "c": {"allOf": [{"$ref": "#/$defs/b"}], "multipleOf": 2},
        },
    },
    "a circle within a circle": {
        "properties": {"p": {"$ref": "#/$defs/a"}},
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/c"}, {"$ref": "#/$defs/b"}]},
            "b": {"allOf": [{"$ref": "#/$defs/c"}, {"$ref": "#/$defs/a"}], "minimum": 2},
            "c": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "type": "integer"},
        },
    },
    "dynamic": {"$dynamicRef": "#", "type": "integer"},
}


@pytest.mark.parametrize("schema", CIRCLES.values(), ids=CIRCLES)
@pytest.mark.parametrize("value", [4, 1, 7, "4", "x", 4.0, {"p": 4}, {"p": "4"}, {"p": 9}, None])
def test_a_circle_of_references_adds_nothing(schema: Any, value: Any) -> None:
    """What stands in one holds together; jsonschema-rs, which follows circles, is the oracle."""
    accepts = jsonschema_rs.Draft202012Validator(schema).is_valid
    strict, compiled = compile_schema(schema, coercion="off"), compile_schema(schema)
    assert is_accepted(strict, value) == accepts(value)
    explanation = compiled.explain(value)
    if explanation.error is None:
        assert accepts(explanation.result)
        assert compiled.validate(value) == explanation.result
    assert (explanation.error is None) >= accepts(value)


def is_accepted(compiled: CompiledSchema, value: Any) -> bool:
    """Whether `validate` returns."""
    try:
        compiled.validate(value)
    except ToolError:
        return False
    return True


def test_an_issue_names_the_keyword_that_is_beside_a_reference() -> None:
    """Also to pydantic, by the type of its error."""
    compiled = compile_schema(
        {"properties": {"x": {"$ref": "#/$defs/a", "minimum": 3}}, "$defs": {"a": INTEGER}}
    )
    with pytest.raises(ToolError) as refused:
        compiled.validate({"x": 1})
    assert [(each.path, each.keyword) for each in refused.value.issues] == [("/x", "minimum")]
    with pytest.raises(ValidationError) as invalid:
        compiled.model.model_validate({"x": 1})
    assert [each["type"] for each in invalid.value.errors()] == ["greater_than_equal"]


def test_recursion_through_dynamic_references() -> None:
    """A tree that a stricter schema extends is strict at every level."""
    tree = {
        "$id": "http://a.test/tree",
        "$dynamicAnchor": "node",
        "properties": {"data": True, "children": {"items": {"$dynamicRef": "#node"}}},
    }
    strict = {
        "$id": "http://a.test/strict",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": False,
    }
    compiled = compile_schema(strict, resources={"http://a.test/tree": tree})
    assert compiled.is_valid({"children": [{"data": 1}]})
    assert not compiled.is_valid({"children": [{"daat": 1}]})


def test_recursive_references_of_2019() -> None:
    """The forerunner of dynamic references."""
    schema = {
        "$schema": DRAFT_2019,
        "$recursiveAnchor": True,
        "properties": {"x": INTEGER, "below": {"$recursiveRef": "#"}},
    }
    assert compile_schema(schema).validate({"below": {"x": "1"}}) == {"below": {"x": 1}}


def test_two_documents_with_an_equal_part_do_not_share_definitions() -> None:
    """An equal subschema in another document means what that document's definitions say."""
    part = {"properties": {"x": {"$ref": "#/$defs/a"}}}
    integer = compile_schema({**part, "$defs": {"a": INTEGER}})
    text = compile_schema({**part, "$defs": {"a": {"type": "string"}}})
    assert integer.validate({"x": "1"}) == {"x": 1}
    assert text.validate({"x": 1}) == {"x": "1"}


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:9/schema.json",
        "https://json-schema.org/learn/examples/address.schema.json",
        "file:///etc/hosts",
        "/etc/hosts",
        "../schema.json",
        "C:\\schema.json",
    ],
)
def test_nothing_is_fetched(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No network and no file: what is not among the resources is not there."""
    monkeypatch.setattr("socket.socket.connect", _never)
    monkeypatch.setattr("socket.getaddrinfo", _never)
    for schema in ({"$ref": reference}, {"$schema": reference}, {"items": {"$ref": reference}}):
        with pytest.raises(SchemaError):
            compile_schema(schema)


def _never(*args: Any, **options: Any) -> Any:
    message = "the network was used"
    raise AssertionError(message)


def test_resources_are_copied() -> None:
    """Changing one afterwards changes nothing."""
    resources: dict[str, Any] = {"http://a.test/b": {"type": "integer"}}
    compiled = compile_schema({"$ref": "http://a.test/b"}, resources=resources)
    resources["http://a.test/b"]["type"] = "null"
    assert compiled.is_valid(1)
    assert not compile_schema({"$ref": "http://a.test/b"}, resources=resources).is_valid(1)


@pytest.mark.parametrize(
    ("dialect", "resource", "valid"),
    [
        pytest.param("openapi-3.0", {"type": "integer", "nullable": True}, None, id="nullable"),
        pytest.param("openapi-3.0", {"minimum": 1, "exclusiveMinimum": True}, 2, id="bound"),
        pytest.param("gemini", {"type": "INTEGER"}, 3, id="capitals"),
        pytest.param("openapi-3.0", {"$schema": DRAFT_4, "nullable": True}, 3, id="its own"),
    ],
)
def test_resources_have_the_dialect_too(dialect: str, resource: Any, valid: Any) -> None:
    """If they declare none of their own."""
    uri = "http://a.test/b"
    compiled = compile_schema({"$ref": uri}, dialect=dialect, resources={uri: resource})
    assert compiled.is_valid(valid)
    assert compiled.validate(valid) == valid


@pytest.mark.parametrize(
    "resource",
    [1, None, "x", [], {"type": "whole"}, {"$ref": "lost"}, {"items": 4}, UNHASHABLE],
)
def test_a_broken_resource_that_is_referred_to_is_refused(resource: Any) -> None:
    """When the schema is compiled, not when a value comes along."""
    with pytest.raises(SchemaError):
        compile_schema({"$ref": "http://a.test/b"}, resources={"http://a.test/b": resource})


@pytest.mark.parametrize(
    ("keyword", "dialect"), [("examples", "2020-12"), ("x-types", "2019-09"), ("$defs", "draft-07")]
)
@pytest.mark.parametrize(
    ("target", "place"), [(UNHASHABLE, "/required/0"), ({"items": 4}, "/items")]
)
def test_a_target_outside_of_all_subschemas_is_checked(
    keyword: str, dialect: str, target: Any, place: str
) -> None:
    """The meta-schema of the document does not look under a keyword that it does not know."""
    targets = [target] if keyword == "examples" else {"0": target}
    schema = {"not": {"$ref": f"#/{keyword}/0"}, keyword: targets}
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema, dialect=dialect)
    assert caught.value.pointer == f"/{keyword}/0{place}"


def test_what_holds_subschemas_is_checked_as_a_schema_itself() -> None:
    """The meta-schema of the document has seen each property, and not all of them as one schema."""
    with pytest.raises(SchemaError) as caught:
        compile_schema({"not": {"$ref": "#/properties"}, "properties": {"required": {"title": ""}}})
    assert caught.value.pointer == "/properties/required"


NOT_FETCHED = "neither in the schema nor among the resources; nothing is fetched"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("#/nope", 'the reference to "#/nope" leads nowhere'),
        ("#/it's/not", 'the reference to "#/it\'s/not" leads nowhere'),
        ("#nope", 'the reference to "#nope" leads nowhere'),
        ("other.json", f'"other.json" is {NOT_FETCHED}'),
        ("http://a.test/x", f'"http://a.test/x" is {NOT_FETCHED}'),
        ("#/%zz", 'the reference "#/%zz" is not a URI'),
        ("#/%ff", "a reference leads nowhere"),
    ],
)
def test_what_is_wrong_with_a_reference_is_told(reference: str, message: str) -> None:
    """In words of our own."""
    with pytest.raises(SchemaError) as raised:
        compile_schema({"properties": {"a": {"$ref": reference}}})
    assert str(raised.value) == f"/properties/a/$ref: {message}"


META_SCHEMAS = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]


@pytest.mark.parametrize("uri", META_SCHEMAS)
def test_an_argument_may_be_a_schema(uri: str) -> None:
    """A reference to the meta-schema is followed: the argument is coerced and described by it."""
    compiled = compile_schema({"$schema": uri, **at(uri)})
    assert compiled.validate({"x": {"minLength": "3"}}) == {"x": {"minLength": 3}}
    assert compiled.validate({"x": '{"type": "null"}'}) == {"x": {"type": "null"}}
    with pytest.raises(ToolError, match='/x/type: "strin" is not accepted; did you mean "string"'):
        compiled.validate({"x": {"type": "strin"}})


def test_a_resource_may_refer_to_a_meta_schema() -> None:
    """It is followed there, too, by the dialect of the root document."""
    uri = META_SCHEMAS[-1]
    compiled = compile_schema({"$ref": "urn:x"}, resources={"urn:x": {"$schema": uri, **at(uri)}})
    assert compiled.validate({"x": {"minLength": "3"}}) == {"x": {"minLength": 3}}


def test_a_meta_schema_of_another_dialect_is_not_found() -> None:
    """No dialect knows the meta-schemas of the others."""
    with pytest.raises(SchemaError, match="neither in the schema nor among the resources"):
        compile_schema(at(META_SCHEMAS[0]))


def test_long_integers_under_a_meta_schema_take_linear_time() -> None:
    """`required` has `uniqueItems` there, whose own check would compare them pair by pair."""
    compiled = compile_schema(at(META_SCHEMAS[-1]), coercion="off")
    numbers = [10**300 + number for number in range(3000)]
    with calls(36_000), pytest.raises(ToolError):
        compiled.validate({"x": {"required": numbers}})
