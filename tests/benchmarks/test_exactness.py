"""The laws of coercion, for any schema and any value, with python-jsonschema as the judge.

`pytest tests/test_exactness.py --hypothesis-profile=search` draws a hundred times as many.
"""

from __future__ import annotations

import copy
import json
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from oracle import Oracle, has_text, identical, same
from pydantic import ValidationError
from pydantic_core import SchemaValidator
from strategies import calls

from schema2model import CompiledSchema, ToolError, compile_schema
from schema2model.engine.lowering import lower

Call = tuple[Any, list[Any]]

COERCING = ["default", "lenient", "untyped"]


def result_of(compiled: CompiledSchema, value: Any) -> tuple[bool, Any]:
    """Whether there is a result, and the result."""
    try:
        return True, compiled.validate(value)
    except ToolError:
        return False, None


@given(calls())
def test_without_coercion_the_verdict_is_that_of_an_independent_validator(call: Call) -> None:
    """`coercion="off"` is a plain JSON Schema validator, and `is_valid` says the same."""
    schema, values = call
    compiled, oracle = compile_schema(schema, coercion="off"), Oracle(schema)
    for value in values:
        accepted, result = result_of(compiled, value)
        assert accepted == oracle.accepts(value) == compiled.is_valid(value)
        assert not accepted or same(result, value)


NUMBERS = [
    sign * number
    for number in (0, 1, 1.5, 2**53 - 1, 2**53, 2**53 + 1, 2.0**53, 2**60 + 1, 2**63, 2**64 + 1)
    for sign in (1, -1)
]
"""Where floats stop being exact, and where integers of 64 bits end."""


@pytest.mark.parametrize("coercion", ["off", *COERCING])
@pytest.mark.parametrize("types", [{}, {"type": "number"}, {"type": "integer"}], ids=str)
@pytest.mark.parametrize(
    ("keyword", "holds"),
    [
        ("minimum", operator.ge),
        ("maximum", operator.le),
        ("exclusiveMinimum", operator.gt),
        ("exclusiveMaximum", operator.lt),
        ("multipleOf", lambda number, step: number % Fraction(step) == 0),
    ],
)
def test_no_digit_is_lost(
    keyword: str, holds: Callable[[Any, Any], bool], types: dict[str, str], coercion: str
) -> None:
    """Bounds are compared exactly, and an integer stays one, however large and wherever it is."""
    for limit in NUMBERS:
        if keyword == "multipleOf" and limit <= 0:
            continue
        schema = {**types, keyword: limit}
        compiled = compile_schema(schema, coercion=coercion)
        union = compile_schema({"anyOf": [schema, {}]}, coercion=coercion)
        for number in NUMBERS:
            whole = types.get("type") != "integer" or number == int(number)
            expected = (True, number) if whole and holds(Fraction(number), limit) else (False, None)
            assert result_of(compiled, number) == expected, (schema, number)
            assert union.validate(number) == number


@pytest.mark.parametrize("coercion", ["off", *COERCING])
@given(call=calls())
def test_what_is_called_exact_accepts_nothing_that_is_invalid(coercion: str, call: Call) -> None:
    """The lowered core schema is right by itself wherever it is not checked afterwards."""
    schema, values = call
    compiled, oracle = compile_schema(schema, coercion=coercion), Oracle(schema)
    for coerces in {compiled.coercion.reads_strings, coercion != "off"}:
        lowered = lower(
            compiled.engine.root, compiled.engine.plan, compiled.engine.verdicts, coerces=coerces
        )
        core = SchemaValidator(lowered.schema)
        for value in values if lowered.exact else ():
            try:
                result = core.validate_python(value)
            except ValidationError:
                continue
            assert oracle.accepts(result)


@pytest.mark.parametrize("coercion", COERCING)
@given(call=calls())
def test_what_is_returned_is_valid(coercion: str, call: Call) -> None:
    """Soundness, and no third way: the result satisfies the schema, or there is a ToolError."""
    schema, values = call
    compiled, oracle = compile_schema(schema, coercion=coercion), Oracle(schema)
    for value in values:
        accepted, result = result_of(compiled, value)
        assert not accepted or oracle.accepts(result)


@pytest.mark.parametrize("coercion", COERCING)
@given(call=calls())
def test_what_is_valid_comes_back_unchanged(coercion: str, call: Call) -> None:
    """Identity; under `untyped`, whose strings are to be read, for values without any."""
    schema, values = call
    compiled, oracle = compile_schema(schema, coercion=coercion), Oracle(schema)
    for value in values:
        if oracle.accepts(value) and not (coercion == "untyped" and has_text(value)):
            assert same(compiled.validate(value), value)


@pytest.mark.parametrize("coercion", COERCING)
@given(call=calls())
def test_a_result_is_its_own_result(coercion: str, call: Call) -> None:
    """Idempotence: validating a result again gives the same result."""
    schema, values = call
    compiled = compile_schema(schema, coercion=coercion)
    for value in values:
        accepted, result = result_of(compiled, value)
        assert not accepted or identical(compiled.validate(result), result)


@pytest.mark.parametrize("coercion", ["off", *COERCING])
@given(call=calls())
def test_every_way_to_ask_gives_the_same_answer(coercion: str, call: Call) -> None:
    """One meaning: the model, the text and the explanation say what `validate` says."""
    schema, values = call
    compiled = compile_schema(schema, coercion=coercion)
    for value in values:
        accepted, result = result_of(compiled, value)
        explanation = compiled.explain(value)
        assert (explanation.error is None) == accepted
        assert same(explanation.result, result)
        assert same(compiled.coerce(value), result) or not accepted
        if accepted:
            assert identical(compiled.model.model_validate(value).model_dump(), result)
            assert identical(compiled.validate_json(json.dumps(value)), result)
        else:
            with pytest.raises(ValidationError):
                compiled.model.model_validate(value)
            if not isinstance(value, str):  # whose text is read more loosely than a parameter's
                with pytest.raises(ToolError):
                    compiled.validate_json(json.dumps(value))


@pytest.mark.parametrize("coercion", ["off", *COERCING])
@given(call=calls())
def test_the_arguments_are_never_changed(coercion: str, call: Call) -> None:
    """Neither the value nor the schema is written to, and the result shares no container."""
    schema, values = call
    given_schema = copy.deepcopy(schema)
    compiled = compile_schema(schema, coercion=coercion)
    for value in values:
        given_value = copy.deepcopy(value)
        accepted, result = result_of(compiled, value)
        compiled.explain(value)
        compiled.coerce(value)
        compiled.is_valid(value)
        assert identical(value, given_value)
        assert not accepted or containers(value).isdisjoint(containers(result))
    assert identical(schema, given_schema)


def containers(value: Any) -> set[int]:
    """The identities of all lists and dictionaries in a value."""
    if not isinstance(value, (list, dict)):
        return set()
    members = value.values() if isinstance(value, dict) else value
    return {id(value)}.union(*map(containers, members))
