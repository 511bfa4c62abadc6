"""Models of schemas of earlier drafts, among others in one document: they mean what they meant."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from hypothesis import given, reject, strategies as st
from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
)
from pydantic import TypeAdapter
from searching import examples

from schema2model import SchemaError, compile_schema

DRAFTS: dict[str, Any] = {
    "draft-04": Draft4Validator,
    "draft-06": Draft6Validator,
    "draft-07": Draft7Validator,
    "2019-09": Draft201909Validator,
}
NAMES = st.sampled_from("abc")
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 3, 1.5, "", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
SAID = {
    "type": st.sampled_from(["string", "integer", "array", "object", "null"]),
    "enum": st.just([1, "x", {}]),
    "const": st.sampled_from([1, "x", []]),
    "multipleOf": st.just(2),
    "minItems": st.just(1),
    "maxItems": st.just(2),
    "minContains": st.integers(0, 2),
    "maxContains": st.integers(0, 2),
    "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.just(["b"]), max_size=2),
    "deprecated": st.booleans(),
    "examples": st.just([1]),
    "$comment": st.just("x"),
}


@functools.cache
def said_of(inner: Any, draft: str) -> dict[str, Any]:
    """Strategies for the values of keywords, of all drafts."""
    one, several = inner, st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(NAMES, inner, max_size=2)
    number = st.integers(0, 3)
    exclusive = st.booleans() if draft == "draft-04" else number
    return {
        **SAID,
        **dict.fromkeys(("minimum", "maximum"), number),
        **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), exclusive),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), several),
        **dict.fromkeys(("not", "if", "then", "else", "contains", "propertyNames"), one),
        **dict.fromkeys(("additionalProperties", "additionalItems", "contentSchema"), one),
        **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), named),
        "items": one | several,
        "dependencies": st.dictionaries(NAMES, one | st.just(["b"]), max_size=2),
        "$ref": st.sampled_from(["#/definitions/one", "#/definitions/two"]),
    }


@functools.cache
@st.composite
def schemas(draw: Any, draft: str, depth: int = 3) -> Any:
    """A schema of a draft, with words of later ones in it."""
    inner = schemas(draft, depth - 1) if depth else st.just({"type": "string"})
    said = said_of(inner, draft)
    names = draw(st.lists(st.sampled_from([*said]), max_size=3, unique=True))
    made = {name: draw(said[name]) for name in names}
    for bound in ("Minimum", "Maximum"):
        if draft == "draft-04" and f"exclusive{bound}" in made:
            made.setdefault(bound.lower(), 1)
    return made


@pytest.mark.parametrize("draft", DRAFTS)
@given(data=st.data())
@examples(15)
def test_they_are_said_in_words_that_mean_the_same(draft: str, data: Any) -> None:
    """By the judgement of python-jsonschema on both."""
    given_ = data.draw(schemas(draft))
    given_["definitions"] = {"one": data.draw(schemas(draft, 1)), "two": {"type": "integer"}}
    try:
        model = compile_schema({**given_, "title": "Old"}, dialect=draft).model
    except SchemaError:  # what is no schema is tried elsewhere
        reject()
    made = TypeAdapter(list[model]).json_schema()  # type: ignore[valid-type]
    Draft202012Validator.check_schema(made)
    old, new = DRAFTS[draft](given_), Draft202012Validator(made)
    for value in data.draw(st.lists(VALUES, min_size=5, max_size=5)):
        try:
            valid = old.is_valid(value)
        except RecursionError:  # of what refers to itself
            reject()
        assert new.is_valid([value]) == valid, value


@pytest.mark.parametrize(("value", "valid"), [(["x", 1], True), ([1], False), ("x", True)])
def test_what_refers_to_a_meta_schema_names_its_dialect(value: Any, valid: bool) -> None:  # noqa: FBT001
    """As it keeps the words of that."""
    schema = {
        "properties": {
            "pair": {"items": [{"type": "string"}]},
            "schema": {"$ref": "http://json-schema.org/draft-07/schema#"},
        }
    }
    model = compile_schema(schema, dialect="draft-07").model
    made = TypeAdapter(list[model]).json_schema()  # type: ignore[valid-type]
    today = Draft202012Validator(made)
    assert today.is_valid([{"pair": value}]) == valid
    assert not today.is_valid([{"schema": {"type": 5}}])
