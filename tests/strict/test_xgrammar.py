"""Projections for xgrammar, by the engine itself: what it ignores or forbids is not left to it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, reject, strategies as st
from oracle import Oracle, same
from strategies import arguments_for, schemas

from schema2model import SchemaError, ToolError, compile_schema
from schema2model.strict.strict_schema import StrictSchema

pytest.importorskip("xgrammar", reason="needs xgrammar, and with it torch")

import xgrammar_engine as engine


def projected(schema: Any) -> StrictSchema:
    """The projection of a schema; an example that has none is left out."""
    try:
        return compile_schema(schema).strict("xgrammar")
    except SchemaError:
        reject()


@pytest.mark.parametrize(
    "text",
    [
        {"minLength": 1},
        {"maxLength": 9},
        {"pattern": "^[^/]+$"},
        {"pattern": "a"},
        {"pattern": "^[!-~\\n]*$"},
    ],
)
@pytest.mark.parametrize("value", ['"a"', "a\n", "\\a", "bab"])
def test_strings_may_have_quotes_and_new_lines(text: dict[str, Any], value: str) -> None:
    """The engine forbids characters that JSON escapes where it enforces a length or pattern."""
    schema = {"type": "object", "properties": {"a": {"type": "string", **text}}, "required": ["a"]}
    strict = projected(schema)
    assert engine.accepts(engine.grammar(strict.schema), strict.encode({"a": value}))


def test_patterns_of_whole_strings_are_enforced() -> None:
    """They are those of names and identifiers."""
    text = {"type": "string", "pattern": "^[a-z]+-(?:\\d{1,3}|x)$"}
    strict = projected({"type": "object", "properties": {"a": text}, "required": ["a"]})
    made = engine.grammar(strict.schema)
    assert engine.accepts(made, {"a": "ab-12"})
    assert not engine.accepts(made, {"a": "ab-"})


@given(st.data(), schemas())
def test_the_engine_takes_what_is_encoded(data: st.DataObject, schema: Any) -> None:
    """It compiles all projections."""
    strict = projected(schema)
    made = engine.grammar(strict.schema)
    value = data.draw(arguments_for(schema))
    assume(isinstance(value, dict) and Oracle(schema).accepts(value))
    assume("." not in json.dumps(value))  # engines compare the texts of numbers, 1 with 1.0
    try:
        encoded = strict.encode(value)
    except ToolError:
        reject()
    assert engine.accepts(made, encoded)
    assert same(strict.decode(encoded), value)


@given(schemas(), st.randoms(use_true_random=False))
def test_what_the_engine_allows_is_valid_or_refused(schema: Any, random: Random) -> None:
    """Never anything else: no other exception, and no invalid arguments."""
    strict = projected(schema)
    try:
        value = engine.sample(engine.grammar(strict.schema), random, 200)
    except ValueError:
        reject()
    try:
        decoded = strict.decode(value)
    except ToolError:
        reject()  # a constraint that the engine cannot enforce
    assert Oracle(schema).accepts(decoded)
