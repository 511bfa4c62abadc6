# ruff: noqa: D103 - the names state the promises
"""Numbers that JSON can spell and no float holds: in schemas, and in arguments."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given, strategies as st

from schema2model import Coercion, SchemaError, Tool, ToolError, compile_schema
from schema2model.apps.audit import audit

NUMBERS = st.sampled_from(
    [0, 1, -1, 10**309, -(10**400), 1e308, 1e200, 1e-200, 5e-324, 2**53 + 1, 1e22, 0.1, -0.0, 2**64]
)
KEYWORDS = [
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"),
    *("maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "const", "default"),
]
SCHEMAS = st.builds(
    dict,
    st.dictionaries(st.sampled_from(KEYWORDS), NUMBERS, min_size=1, max_size=3),
    type=st.sampled_from(["number", "integer", "string", "array", ["integer", "null"]]),
)
VALUES = st.sampled_from(["x", 1, 1.5, [1], {"a": 1}, None, 10**309, 1e308, "1e400", "10"])


@given(schema=SCHEMAS, value=VALUES)
def test_any_number_ends_in_a_result_or_an_error_of_ours(schema: Any, value: Any) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    sent = {"x": value}
    try:
        compiled = compile_schema(whole)
        tool = Tool.from_schema({"name": "t", "parameters": whole})
    except SchemaError:
        return
    assert tool.definition("openai")
    audit({"name": "t", "parameters": whole})
    compiled.explain(sent)
    try:
        result = compiled.validate(sent)
        assert compiled.is_valid(result)
        assert compiled.validate_json(json.dumps(sent)) == result
    except ToolError:
        assert not compiled.is_valid(sent)


EXACT = [2.0**53, 2.0**53 + 2, 1e16, 1e17, 1e22, 1.1e17, 4.35e16]
INEXACT = [1e23, 1e300, 1e308, -1e23]
"""Floats that hold another integer than the one that they are written as."""

needs_0_61 = pytest.mark.skipif(
    tuple(map(int, version("jsonschema-rs").split(".")[:2])) < (0, 61),
    reason="jsonschema-rs before 0.61 takes a float for the integer that it is written as",
)
FLOATS = [*EXACT, *(pytest.param(bound, marks=needs_0_61) for bound in INEXACT)]


@pytest.mark.parametrize("bound", FLOATS)
@pytest.mark.parametrize(
    "keyword", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
)
def test_a_bound_is_the_number_that_the_schema_holds(keyword: str, bound: float) -> None:
    if keyword == "multipleOf" and bound < 0:
        return
    exact = int(bound)
    for kind in ("integer", "number"):
        for coercion in ("off", "default"):
            compiled = compile_schema({"type": kind, keyword: bound}, coercion=coercion)
            spelled = int(Fraction(repr(bound)))
            for value in (exact - 1, exact, exact + 1, spelled, spelled + 1, 2 * exact):
                within = {
                    "minimum": value >= exact,
                    "maximum": value <= exact,
                    "exclusiveMinimum": value > exact,
                    "exclusiveMaximum": value < exact,
                    "multipleOf": value % exact == 0,
                }[keyword]
                assert compiled.is_valid(value) is within
                try:
                    assert compiled.validate(value) == value
                    assert within
                except ToolError:
                    assert not within


_NUMBERS = {"type": "array", "items": {"type": "number"}}


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"type": "array", "items": {"type": "integer"}}, _NUMBERS]},
        {"anyOf": [{"type": "string"}, _NUMBERS]},
        {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
        {"type": "array", "contains": {"type": "number"}},
        {"type": "array", "uniqueItems": True},
        {"not": {"type": "string"}},
    ],
)
def test_an_infinity_is_a_number_under_any_keyword(schema: Any) -> None:
    """If the rule is on, as a value and in a text; jsonschema-rs knows none."""
    compiled = compile_schema(schema, coercion=Coercion.default.replace(allow_inf_nan=True))
    assert compiled.validate([float("inf"), 1.0]) == [float("inf"), 1.0]
    assert compiled.validate_json("[Infinity, 1.5]") == [float("inf"), 1.5]
    with pytest.raises(ToolError):
        compile_schema(schema).validate([float("inf")])


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "uniqueItems": True}, [float("inf")] * 2),
        ({"type": "array", "contains": {"type": "string"}}, [float("inf")]),
        ({"not": {"type": "array"}}, [float("inf")]),
    ],
)
def test_an_infinity_is_held_to_all_other_keywords(schema: Any, value: Any) -> None:
    """As the largest float is."""
    compiled = compile_schema(schema, coercion=Coercion.default.replace(allow_inf_nan=True))
    with pytest.raises(ToolError):
        compiled.validate(value)


@pytest.mark.parametrize("sent", ["inf", "-Infinity", float("inf")])
def test_an_infinity_beyond_a_bound_is_quoted_as_it_was_sent(sent: Any) -> None:
    """And not as the largest float, which nobody has sent."""
    infinite = Coercion.default.replace(allow_inf_nan=True)
    schema = {"properties": {"x": {"type": "number", "minimum": -5, "maximum": 5}}}
    with pytest.raises(ToolError) as caught:
        compile_schema(schema, coercion=infinite).validate({"x": sent})
    (issue,) = caught.value.issues
    assert issue.found == (f'"{sent}"' if isinstance(sent, str) else str(sent))


@pytest.mark.parametrize("digits", ["9007199254740993.0", "-900719925474099.3e1", "1E23", "1e308"])
@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "integer"}, "%s"),
        ({"type": "integer", "minimum": -(10**30)}, '"%s"'),
        ({"type": "array", "items": {"type": "integer"}}, "[%s]"),
        ({"type": "array", "items": {"type": "integer"}}, '"[%s]"'),
        ({"anyOf": [{"type": "integer"}, {"type": "array"}]}, "%s"),
        ({"type": ["integer", "string"]}, "%s"),
    ],
)
@pytest.mark.parametrize("around", ['{"n": %s}', "{'n': %s,}", 'Sure: [{"n": %s}]'])
def test_an_integer_with_a_point_or_an_exponent_keeps_every_digit(
    digits: str, schema: Any, written: str, around: str
) -> None:
    """As it does in quotes: what a float holds is another integer, or one with other digits."""
    compiled = compile_schema({"type": "object", "properties": {"n": schema}})
    text = around % (written % digits)
    exact = int(Fraction(digits))
    meant = {"n": [exact] if schema.get("type") == "array" else exact}
    assert repr(compiled.validate_json(text)) == repr(meant)
    assert repr(compiled.explain_json(text).result) == repr(meant)
    partial = compiled.partial()
    shown = [partial.feed(character) for character in text]
    assert [each for each in shown if each not in (None, {}, {"n": []}, meant)] == []
    assert repr(partial.finish()) == repr(meant)


def test_an_integer_beyond_a_bound_that_its_float_satisfies_is_that_of_the_float() -> None:
    """The schema accepts the float, and an integer comes out in any case."""
    compiled = compile_schema({"type": "integer", "maximum": 2**53})
    assert repr(compiled.validate_json("9007199254740993.0")) == "9007199254740992"
