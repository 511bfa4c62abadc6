# ruff: noqa: D103 - the names state the promises
"""Identifiers: one target for each, in coercion as in validation, or the schema is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from searching import examples

from schema2model import SchemaError, ToolError, compile_schema
from schema2model.schema.uris import normalized_uri

KINDS = st.sampled_from(["integer", "string", "boolean", "array"])
HOSTS = ["http://a.b/x", "http://a.b:80/x", "http://A.b/x", "http://a.b/c/../x", "http://a.b/%78"]
IDENTIFIERS = st.sampled_from([*HOSTS, "http://a.b/y", "y", "urn:z", "own://a/x", "./y#"])
ANCHORS = st.sampled_from(["p", "q", "r"])
REFERENCES = st.sampled_from(
    [*HOSTS, "y", "urn:z", "#p", "#q", "#%70", "http://a.b/x#p", "y#q", "#/$defs/one", "#"]
)
PARTS = st.builds(
    lambda kind, identifiers: {"type": kind, **identifiers},
    KINDS,
    st.fixed_dictionaries(
        {},
        optional={
            "$id": IDENTIFIERS,
            "$anchor": ANCHORS,
            "$dynamicAnchor": ANCHORS,
            "$ref": REFERENCES,
        },
    ),
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "$defs": st.fixed_dictionaries({"one": PARTS}, optional={"two": PARTS, "three": PARTS}),
        "properties": st.fixed_dictionaries(
            {"a": st.builds(lambda uri: {"$ref": uri}, REFERENCES)},
            optional={"b": st.builds(lambda uri: {"$dynamicRef": uri}, REFERENCES)},
        ),
    },
    optional={"$id": IDENTIFIERS, "type": st.just("object")},
)
VALUES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys("ab", st.sampled_from([1, "1", "x", True, [], {"a": 1}]))
)


def in_words_of(dialect: str, schema: Any) -> Any:
    """A schema as another dialect writes it."""
    text = json.dumps(schema)
    if dialect != "2020-12":
        text = text.replace("$defs", "definitions")
    return json.loads(text.replace('"$id"', '"id"') if dialect == "draft-04" else text)


@examples(120)
@given(
    schema=DOCUMENTS,
    values=st.lists(VALUES, min_size=3, max_size=6),
    dialect=st.sampled_from(["2020-12", "draft-07", "draft-04"]),
)
def test_coercion_and_validation_agree_or_the_schema_is_refused(
    schema: Any, values: Any, dialect: str
) -> None:
    schema = in_words_of(dialect, schema)
    try:
        plain = compile_schema(schema, coercion="off", dialect=dialect)
        coercing = compile_schema(schema, dialect=dialect)
    except SchemaError:
        return
    for text in ("1", "true", "[]"):
        meant = {"a": json.loads(text)}
        if plain.is_valid(meant) and not plain.is_valid({"a": text}):
            assert coercing.validate({"a": text}) == meant
    for value in values:
        valid = plain.is_valid(value)
        for compiled in (plain, coercing):
            result = compiled.explain(value)
            if valid:
                assert result.result == value
            assert result.error is not None or plain.is_valid(result.result)
        if not valid:
            with pytest.raises(ToolError):
                plain.validate(value)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"$anchor": "x"}, {"$anchor": "x"}),
        ({"$dynamicAnchor": "x"}, {"$anchor": "x"}),
        ({"$id": "http://a.b/x"}, {"$id": "http://a.b:80/x"}),
        ({"$id": "http://a.b/x"}, {"$id": "HTTP://A.B/y/../x#"}),
        ({"$id": "http://a.b/~x"}, {"$id": "http://a.b/%7Ex"}),
    ],
)
def test_an_identifier_that_is_not_unique_is_refused_with_both_places(one: Any, two: Any) -> None:
    schema = {"$defs": {"one": {**one, "type": "integer"}, "two": {**two, "type": "string"}}}
    with pytest.raises(SchemaError, match=r"/\$defs/one and /\$defs/two") as raised:
        compile_schema(schema)
    assert raised.value.pointer in {"/$defs/one", "/$defs/two"}


def test_an_identifier_of_an_earlier_draft_is_unique_but_next_to_a_reference() -> None:
    """Up to draft 7, all that is next to `$ref` is ignored."""
    one, two = {"$id": "http://a.b/x", "type": "integer"}, {"$id": "http://a.b/x"}
    schema: Any = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"one": one},
    }
    schema["definitions"] |= {"two": {**two, "$ref": "#/definitions/one"}}
    assert compile_schema(schema)
    schema["definitions"] |= {"two": {**two, "type": "string"}}
    with pytest.raises(SchemaError, match="/definitions/one and /definitions/two"):
        compile_schema(schema)


def test_resources_with_one_uri_are_refused() -> None:
    with pytest.raises(SchemaError, match="two resources have the URI"):
        compile_schema({}, resources={"http://a.b/x": True, "http://a.b:80/x": False})
    with pytest.raises(SchemaError, match="identifies two subschemas"):
        compile_schema(
            {"$defs": {"x": {"$id": "http://a.b/x", "type": "integer"}}},
            resources={"http://a.b/x": {"type": "string"}},
        )


def test_equal_anchors_in_different_resources_are_no_conflict() -> None:
    part = {"$id": "http://a.b/one", "$anchor": "x", "type": "integer"}
    other = {"$id": "http://a.b/two", "$anchor": "x", "type": "string"}
    schema = {"$defs": {"one": part, "two": other}, "$ref": "http://a.b/one#x"}
    assert compile_schema(schema).validate("5") == 5


@pytest.mark.parametrize(
    ("uri", "normal"),
    [
        ("HTTP://Example.COM:80/a/./b/../c", "http://example.com/a/c"),
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com//other/./a//b/.", "http://example.com//other/a//b/"),
        ("own://Host/a/../b", "own://host/b"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://u@Example.com/%7e%2f", "http://u@example.com/~%2F"),
        ("urn:Example:A", "urn:Example:A"),
        ("http://example.com/x#%66oo", "http://example.com/x#foo"),
        ("http://Example.com/x#", "http://example.com/x#"),
    ],
)
def test_equivalent_uris_have_one_spelling(uri: str, normal: str) -> None:
    assert normalized_uri(uri) == normal
    assert normalized_uri(normal) == normal
