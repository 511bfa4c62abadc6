"""The laws of coercion, for any schema and any value, with python-jsonschema as the judge.

`pytest tests/benchmarks/test_exactness.py --hypothesis-profile=search` draws many more.
"""

from __future__ import annotations

import copy
import json
import operator
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, note
from oracle import Oracle, has_text, identical, same
from pydantic import ValidationError
from pydantic_core import SchemaValidator
from searching import every_nth, examples
from strategies import calls

from schema2model import Coercion, CompiledSchema, ToolError, compile_schema
from schema2model.coerce.native.lowering import lower

Call = tuple[Any, list[Any]]

COERCING = ["default", "forgiving", "lenient", "untyped"]


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
PRESETS = ["off", *COERCING]
BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": operator.ge,
    "maximum": operator.le,
    "exclusiveMinimum": operator.gt,
    "exclusiveMaximum": operator.lt,
    "multipleOf": lambda number, step: number % Fraction(step) == 0,
}


@pytest.mark.search
@pytest.mark.parametrize("coercion", PRESETS)
@pytest.mark.parametrize("types", [{}, {"type": "number"}, {"type": "integer"}], ids=str)
@pytest.mark.parametrize("keyword", BOUNDS)
def test_no_digit_is_lost(keyword: str, types: dict[str, str], coercion: str) -> None:
    """Bounds are compared exactly, and an integer stays one, however large and wherever it is.

    Each keyword has each limit under one preset, and each preset each limit in one keyword.
    """
    holds = BOUNDS[keyword]
    for limit in every_nth(
        NUMBERS, len(PRESETS), [*BOUNDS].index(keyword) + PRESETS.index(coercion)
    ):
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


def compiled_under_all(schema: Any) -> Iterator[CompiledSchema]:
    """Under one preset after the other: a failure's last note names it."""
    for coercion in ("off", *COERCING):
        note(f"coercion: {coercion}")
        yield compile_schema(schema, coercion=coercion)


@examples(20)
@given(call=calls())
def test_what_is_called_exact_accepts_nothing_that_is_invalid(call: Call) -> None:
    """The lowered core schema is right by itself wherever it is not checked afterwards."""
    schema, values = call
    oracle = Oracle(schema)
    for compiled in compiled_under_all(schema):
        check_lowered(compiled, oracle, values)


def check_lowered(compiled: CompiledSchema, oracle: Oracle, values: list[Any]) -> None:
    """What the core schemas accept that a preset makes, if they are called exact, is valid."""
    for coerces in {compiled.coercion.reads_strings, compiled.coercion != Coercion.off}:
        lowered = lower(
            compiled._engine.root,
            compiled._engine.rules,
            compiled._engine.verdicts,
            coerces=coerces,
        )
        core = SchemaValidator(lowered.schema)
        for value in values if lowered.exact else ():
            try:
                result = core.validate_python(value)
            except (ValidationError, TypeError):  # the latter refuses it whatever follows
                continue
            assert oracle.accepts(result)


EXPONENT = re.compile(r"e\+")
"""How Python spells floats from 1e16 on."""


@examples(20)
@given(call=calls())
def test_the_laws_hold(call: Call) -> None:
    """Of what is returned, of what is valid, of all ways to ask, and of what was given.

    What is valid comes back unchanged; under `untyped`, whose strings are to be read, without any.
    """
    assume(
        not EXPONENT.search(repr(call))
    )  # jsonschema-rs compares such floats with bounds roughly
    schema, values = call
    given_schema = copy.deepcopy(schema)
    oracle = Oracle(schema)
    for compiled in compiled_under_all(schema):
        check_laws(compiled, oracle, values)
    assert identical(schema, given_schema)


def check_laws(compiled: CompiledSchema, oracle: Oracle, values: list[Any]) -> None:
    """The laws of each of some values."""
    for value in values:
        given_value = copy.deepcopy(value)
        accepted, result = result_of(compiled, value)
        is_read = compiled.coercion == Coercion.untyped and has_text(value)
        if oracle.accepts(value) and not is_read:
            assert accepted
            assert same(result, value)
        if accepted:
            check_result(compiled, oracle, value, result)
        check_ways(compiled, value, result, accepted=accepted)
        assert identical(value, given_value)


def check_result(compiled: CompiledSchema, oracle: Oracle, value: Any, result: Any) -> None:
    """Soundness, idempotence, and that the result shares no container with the value."""
    assert oracle.accepts(result)
    assert identical(compiled.validate(result), result)
    assert containers(value).isdisjoint(containers(result))


def check_ways(compiled: CompiledSchema, value: Any, result: Any, *, accepted: bool) -> None:
    """One meaning: the model, the text and the explanation say what `validate` says."""
    explanation = compiled.explain(value)
    assert (explanation.error is None) == accepted
    assert same(explanation.result, result)
    assert same(compiled.coerce(value), result) or not accepted
    compiled.is_valid(value)
    if accepted:
        assert identical(compiled.model.model_validate(value).model_dump(), result)
        assert identical(compiled.validate_json(json.dumps(value)), result)
        return
    with pytest.raises(ValidationError):
        compiled.model.model_validate(value)
    if not isinstance(value, str):  # whose text is read more loosely than a parameter's
        with pytest.raises(ToolError):
            compiled.validate_json(json.dumps(value))


def containers(value: Any) -> set[int]:
    """The identities of all lists and dictionaries in a value."""
    if not isinstance(value, (list, dict)):
        return set()
    members = value.values() if isinstance(value, dict) else value
    return {id(value)}.union(*map(containers, members))
