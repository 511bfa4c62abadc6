"""The laws of strict modes, over random schemas; llguidance and python-jsonschema are the judges.

The projection keeps the rules of its provider, and an engine compiles it. A valid value is encoded
and comes back. What the engine allows decodes to valid arguments, or is refused.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import engine
import pytest
from hypothesis import assume, given, reject, strategies as st
from oracle import Oracle, same
from provider_rules import broken_rules
from searching import examples
from strategies import arguments_for, schemas

from schema2model import CompiledSchema, SchemaError, ToolError, compile_schema
from schema2model.strict.profiles import PROFILES
from schema2model.strict.strict_schema import StrictSchema

providers = st.sampled_from(sorted(PROFILES))
arguments_schemas = schemas() | schemas(of_objects=True)
"""Half of them have values that are arguments; few of any schemas have."""


def compiled(schema: Any) -> CompiledSchema:
    """The compiled schema; an example that cannot be compiled is left out."""
    try:
        return compile_schema(schema)
    except SchemaError:
        reject()


def projected(schema: Any, provider: str) -> StrictSchema:
    """The projection of a schema; an example that has none is left out."""
    whole = compiled(schema)
    try:
        return whole.strict(provider)
    except SchemaError:
        reject()


def is_like_arguments(schema: Any, value: Any) -> bool:
    """Whether a value is valid and an object, if the schema does not ask for another type."""
    typed = isinstance(schema, dict) and "type" in schema
    return (isinstance(value, dict) or typed) and Oracle(schema).accepts(value)


@given(st.data(), schemas(), providers)
def test_a_projection_keeps_its_providers_rules_and_is_missing_only_where_nothing_is_valid(
    data: st.DataObject, schema: Any, provider: str
) -> None:
    """The rules are written down in the tests once more; the error names the reason."""
    whole = compiled(schema)
    try:
        strict = whole.strict(provider)
    except SchemaError as error:
        reason = str(error)
    else:
        assert broken_rules(strict.schema, provider) == []
        return
    assert "allows no value" in reason
    assert not is_like_arguments(schema, data.draw(arguments_for(schema)))


@given(schemas(), providers)
def test_an_engine_compiles_a_projection(schema: Any, provider: str) -> None:
    """Whatever the schema asks for: constraints that an engine lacks are left out."""
    strict = projected(schema, provider)
    try:
        engine.grammar(strict._schema)  # before it is written in OpenAPI's way
    except ValueError as error:
        reason = str(error)
    else:
        return
    assert "Unsatisfiable" in reason  # a pattern and a length that no string has together


@examples(15)
@given(st.data(), arguments_schemas, providers)
def test_valid_values_are_encoded_and_come_back(
    data: st.DataObject, schema: Any, provider: str
) -> None:
    """Unless they use properties that are not declared, which the account gives up."""
    value = data.draw(arguments_for(schema))
    assume(is_like_arguments(schema, value))
    strict = projected(schema, provider)
    try:
        encoded = strict.encode(value)
    except ToolError as error:
        keywords = {issue.keyword for issue in error.issues}
        given_up = [entry for entry in strict.account if entry.status == "given up"]
    else:
        assert same(strict.decode(encoded), value)
        assert Oracle(strict._schema).accepts(encoded)
        return
    assert given_up
    assert keywords == {"additionalProperties"}


@examples(15)
@given(st.data(), arguments_schemas, providers)
def test_the_engine_takes_what_is_encoded(data: st.DataObject, schema: Any, provider: str) -> None:
    """With the keys in the order of the projection."""
    value = data.draw(arguments_for(schema))
    assume(is_like_arguments(schema, value))
    assume("." not in json.dumps(value))  # engines compare the texts of numbers, 1 with 1.0
    strict = projected(schema, provider)
    try:
        encoded = strict.encode(value)
    except ToolError:
        reject()
    assert engine.accepts(engine.grammar(strict._schema), encoded)


@examples(15)
@given(schemas(), providers, st.randoms(use_true_random=False))
def test_what_the_engine_allows_is_valid_or_refused(
    schema: Any, provider: str, random: Random
) -> None:
    """Never anything else: no other exception, and no invalid arguments."""
    strict = projected(schema, provider)
    try:
        value = engine.sample(engine.grammar(strict._schema), random, 200)
    except ValueError:
        reject()
    try:
        decoded = strict.decode(value)
    except ToolError as error:
        issues = error.issues
    else:
        assert Oracle(schema).accepts(decoded)
        return
    assert issues


def unbounded_parts(schema: Any) -> list[Any]:
    """The arrays and strings of a projection that may be of any length."""
    if isinstance(schema, list):
        return [each for part in schema for each in unbounded_parts(part)]
    if not isinstance(schema, dict):
        return []
    found = [each for part in schema.values() for each in unbounded_parts(part)]
    bounding = {"array": {"maxItems"}, "string": {"maxLength", "enum", "pattern", "format"}}
    kind = schema.get("type")
    is_open = isinstance(kind, str) and kind in bounding and bounding[kind].isdisjoint(schema)
    return [*found, schema] if is_open else found


@examples(15)
@given(st.data(), arguments_schemas)
def test_nothing_goes_on_without_end_if_capped(data: st.DataObject, schema: Any) -> None:
    """What stands for maps and nested values has a maximum, too; the inverse stays exact."""
    whole = compiled(schema)
    try:
        strict = whole.strict("openai", max_items=3, max_length=6)
    except SchemaError:
        reject()
    assert unbounded_parts(strict.schema) == []
    value = data.draw(arguments_for(schema))
    assume(is_like_arguments(schema, value))
    try:
        encoded = strict.encode(value)
    except ToolError:
        reject()
    assert same(strict.decode(encoded), value)
    assert Oracle(strict.schema).accepts(encoded)


@pytest.mark.parametrize(
    ("provider", "kept"), [("openai", True), ("llguidance", True), ("anthropic", False)]
)
def test_exclusive_bounds_and_closed_objects_are_in_the_account(
    provider: str,
    kept: bool,  # noqa: FBT001
) -> None:
    """OpenAI's projection keeps bounds, Anthropic's has them in words; both close an object."""
    number = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}  # no integers
    schema = {
        "type": "object",
        "properties": {"n": number},
        "required": ["n"],
        "additionalProperties": False,
    }
    strict = compile_schema(schema).strict(provider)
    assert (strict.schema["properties"]["n"] == number) == kept
    account = [
        (each.pointer, each.status, word) for each in strict.account for word in each.keywords
    ]
    assert ("", "enforced", "additionalProperties") in account
    assert ("/properties/n", "enforced" if kept else "checked", "exclusiveMinimum") in account


SHAPES = compile_schema(
    {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "description": "How many."},
            "s": {"type": "string", "pattern": "^a+$"},
            "p": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["s", "p"],
    }
)


def test_an_optional_property_has_its_description_beside_its_branches() -> None:
    """And a pattern is kept where the provider enforces it."""
    properties = SHAPES.strict("openai").schema["properties"]
    branches = [{"type": "integer"}, {"type": "null"}]
    assert properties["n"] == {"anyOf": branches, "description": "How many."}
    assert properties["s"] == {"type": "string", "pattern": "^a+$"}


@pytest.mark.parametrize("sent", ["text", 5, None, {"x": 1}, {"0": {"item": 1}, "z": 2}])
def test_what_is_not_written_as_items_by_position_is_refused_as_sent(sent: Any) -> None:
    """Decoding leaves alone what is no encoded value."""
    with pytest.raises(ToolError) as refused:
        SHAPES.strict("openai").decode({"s": "a", "p": sent, "n": None})
    [issue] = refused.value.issues
    assert (issue.path, issue.keyword, issue.found) == ("/p", "type", json.dumps(sent))
