"""Laws of what is told of refused arguments, on schemas and values thrown together."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from oracle import Oracle
from strategies import calls, json_values, schemas

from schema2model import Coercion, CompiledSchema, Issue, SchemaError, ToolError, compile_schema
from schema2model.coerce.diagnosis import property_names
from schema2model.coerce.diagnosis.violations import issues
from schema2model.coerce.search import reader as search
from schema2model.limits import MAX_ISSUES, MAX_MESSAGE


def compiled_or_none(schema: Any) -> CompiledSchema | None:
    """The compiled schema; None where it is refused."""
    try:
        return compile_schema(schema)
    except SchemaError:
        return None


def violations(schema: Any, value: Any) -> tuple[Issue, ...]:
    """What is wrong with a value as it stands, none of it read as anything else."""
    compiled = compiled_or_none(schema)
    assume(compiled is not None)
    assert compiled is not None
    assume(not compiled.is_valid(value))
    engine = compiled._engine
    return issues(engine.verdicts, engine.root, value)


def stands(path: str, value: Any) -> tuple[bool, bool]:
    """Whether a place is in a value, and whether all but the last step leads to an object."""
    for token in [t.replace("~1", "/").replace("~0", "~") for t in path.split("/")[1:]]:
        if isinstance(value, dict) and token not in value:
            return False, path.endswith(token.replace("~", "~0").replace("/", "~1"))
        value = value[token if isinstance(value, dict) else int(token)]
    return True, False


@given(calls())
def test_something_is_told_of_whatever_is_refused(call: tuple[Any, list[Any]]) -> None:
    """Each problem has a place in the value, or is of a property that is missing there."""
    schema, values = call
    for value in values[:3]:
        compiled = compiled_or_none(schema)
        if compiled is None or compiled.is_valid(value):
            continue
        told = violations(schema, value)
        assert 0 < len(told) <= MAX_ISSUES + 1
        assert len(set(told)) == len(told)
        for issue in told:
            there, missing = stands(issue.path, value)
            assert there or (missing and issue.keyword == "required")
            assert issue.found
            assert len(issue.found) <= 120
            assert issue.wanted
        assert len(str(ToolError.for_arguments("f", told))) <= MAX_MESSAGE


@given(schemas(), json_values)
def test_nothing_but_issues_comes_out(schema: Any, value: Any) -> None:
    """Of any value under any schema; the same ones every time."""
    told = violations(schema, value)
    assert told
    assert all(type(issue) is Issue for issue in told)
    assert told == violations(schema, value)


@given(calls())
def test_examples_are_valid(call: tuple[Any, list[Any]]) -> None:
    """python-jsonschema accepts each example under the schema of its place."""
    schema, values = call
    for value in values[:3]:
        compiled = compiled_or_none(schema)
        if compiled is None or compiled.is_valid(value):
            continue
        for issue in violations(schema, value):
            text = json.dumps(issue.expected)
            if (
                issue.example is None
                or "Ref" in text
                or text.count("$ref") != text.count("#/$defs/")
            ):
                continue
            whole = {"$defs": schema.get("$defs", {}), "allOf": [issue.expected]}
            assert Oracle(whole).accepts(issue.example)


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_the_one_that_cannot_be_read_is_named(at: int, size: int) -> None:
    """However many others have to be corrected."""
    items: list[Any] = [str(number) for number in range(size)]
    items[at % size] = "zz"
    with pytest.raises(ToolError) as raised:
        compile_schema({"type": "array", "items": {"type": "integer"}}).validate(items)
    assert [issue.path for issue in raised.value.issues] == [f"/{at % size}"]


@pytest.mark.parametrize("at", [2, 20], ids=["before the end", "after it"])
def test_no_value_is_blamed_that_could_be_read(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the search has ended, the message says so, and names what cannot be read."""
    monkeypatch.setattr(search, "MAX_READINGS", 10)
    items = [{"n": str(number)} for number in range(30)]
    items[at]["n"] = "zz"
    member = {"type": "object", "properties": {"n": {"type": "integer"}}}
    with pytest.raises(ToolError) as raised:
        compile_schema({"type": "array", "items": member}).validate(items)
    ended, *told = raised.value.issues
    assert (ended.path, ended.keyword) == ("", "limit")
    assert [issue.path for issue in told] == [f"/{at}/n"]


def test_a_search_that_has_ended_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing is wrong but that there is too much to correct."""
    monkeypatch.setattr(search, "MAX_READINGS", 10)
    schema = {"items": {"type": "integer"}, "contains": {"const": "never"}}
    with pytest.raises(ToolError, match="more values that have to be corrected"):
        compile_schema(schema).validate([str(number) for number in range(30)])


def test_infinities_that_are_allowed_are_no_problem() -> None:
    """jsonschema-rs does not know them as numbers."""
    schema = {"properties": {"a": {"type": "number"}, "b": {"type": "integer"}}}
    compiled = compile_schema(schema, coercion=Coercion(allow_inf_nan=True))
    with pytest.raises(ToolError) as raised:
        compiled.validate({"a": math.inf, "b": "x"})
    assert [issue.path for issue in raised.value.issues] == ["/b"]


DRAFTS: dict[str, tuple[str, Any, Any, str, str]] = {
    "a switch beside a bound": (
        "draft-04",
        {"minimum": 3, "exclusiveMinimum": True},
        3,
        "minimum",
        "number greater than 3",
    ),
    "a bound of its own": (
        "2020-12",
        {"minimum": 3, "exclusiveMinimum": 5},
        4,
        "exclusiveMinimum",
        "number of at least 3 and greater than 5",
    ),
    "what stands beside a reference": (
        "draft-07",
        {"$ref": "#/definitions/text", "minLength": 9, "definitions": {"text": {"minLength": 2}}},
        "x",
        "minLength",
        "string of at least 2 characters",
    ),
    "an array of items": (
        "draft-07",
        {"items": [{"type": "null"}], "additionalItems": False},
        [None, 1],
        "falseSchema",
        "nothing here",
    ),
}


@pytest.mark.parametrize(
    ("dialect", "schema", "sent", "keyword", "wanted"), DRAFTS.values(), ids=DRAFTS
)
def test_keywords_count_as_their_dialect_has_it(
    dialect: str, schema: Any, sent: Any, keyword: str, wanted: str
) -> None:
    """Whoever refuses is named, and what counts for nothing is not told."""
    engine = compile_schema(schema, dialect=dialect)._engine
    (issue,) = issues(engine.verdicts, engine.root, sent)
    assert (issue.keyword, issue.wanted) == (keyword, wanted)


@pytest.mark.parametrize("anything", [True, {}])
def test_half_a_character_is_told_of_wherever_it_is(anything: Any) -> None:
    """Also where the schema allows anything, and another property is wrong as well."""
    schema = {"properties": {"a": anything, "b": {"type": "number"}}}
    with pytest.raises(ToolError, match=r"/a: .*half of a surrogate pair"):
        compile_schema(schema).validate({"a": "\ud800", "b": "x"})


def test_no_more_of_a_value_is_repeated_than_a_message_may_quote() -> None:
    """Not in examples either."""
    schema = {"type": "array", "uniqueItems": True}
    for sent in (["secret" * 30] * 2, ["secret"] * 300, [{"secret": "x" * 100}] * 2):
        with pytest.raises(ToolError) as raised:
            compile_schema(schema).validate(sent)
        (issue,) = raised.value.issues
        assert len(issue.found) <= 80
        assert "secret" not in json.dumps(issue.example) or len(json.dumps(issue.example)) <= 80


_IF_A_IS_1 = {"properties": {"a": {"const": 1}}, "required": ["a"]}
_B: dict[str, Any] = {"properties": {"b": {}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"if": _IF_A_IS_1, "then": _B}]},
        {"properties": {"a": {}}, "if": _IF_A_IS_1, "then": _B, "else": {"properties": {"c": {}}}},
        {"anyOf": [_IF_A_IS_1, {"properties": {"b": {"const": 1}}, "required": ["b"]}, {}]},
        {"oneOf": [_IF_A_IS_1, {"properties": {"a": {"const": 0}, "c": {}}, "required": ["a"]}]},
        {"properties": {"a": {}}, "dependentSchemas": {"a": _B}},
        {"patternProperties": {"^a": {}}, "$ref": "#/$defs/b", "$defs": {"b": _B}},
    ],
)
def test_a_call_without_what_is_advised_to_leave_out_is_valid(schema: Any) -> None:
    """Where only names are wrong that nothing evaluates, also those that conditions declare."""
    schema = {**schema, "unevaluatedProperties": False}
    oracle, engine, refused = Oracle(schema), compile_schema(schema)._engine, 0
    for each in itertools.product([None, 0, 1], repeat=4):
        value = {name: x for name, x in zip("abcd", each, strict=True) if x is not None}
        if oracle.accepts(value):
            continue
        told = issues(engine.verdicts, engine.root, value)
        if {issue.keyword for issue in told} == {"unevaluatedProperties"}:
            names = {issue.path[1:] for issue in told}
            advice = [f'leave "{issue.path[1:]}" out' in (issue.advice or "") for issue in told]
            assert all(advice)
            assert oracle.accepts({name: x for name, x in value.items() if name not in names})
            refused += 1
    assert refused >= 20


def test_each_item_is_compared_once_with_those_that_nothing_evaluates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The refusal of a long list takes time in proportion to its length."""
    compared = []
    key = property_names.json_key
    monkeypatch.setattr(property_names, "json_key", lambda value: compared.append(0) or key(value))
    schema = {"prefixItems": [{"type": "string"}], "unevaluatedItems": False}
    engine = compile_schema(schema)._engine
    told = issues(engine.verdicts, engine.root, ["x", *range(300)])
    assert len(told) == MAX_ISSUES + 1
    assert 300 <= len(compared) <= 700
