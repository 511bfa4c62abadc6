"""`explain`: the result of `validate`, and one change for each rule applied."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from case_tests import each_case
from cases import Case
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from oracle import same
from strategies import arguments_for, schemas

from schema2model import Coercion, ToolError, compile_schema
from schema2model.coerce import value_changes
from schema2model.coerce.search.readings import Change
from schema2model.tools.tool import with_parts
from schema2model.tools.tool_parts import ToolParts

RULES = {field.name for field in dataclasses.fields(Coercion)}
INTEGER, STRING, BOOLEAN = {"type": "integer"}, {"type": "string"}, {"type": "boolean"}
DEEP = {
    "type": "object",
    "properties": {
        "a/b": {"type": "array", "items": {"type": "object", "properties": {"c~d": INTEGER}}},
        "flag": BOOLEAN,
        "limit": INTEGER,
        "order": {"enum": ["asc", "desc"]},
        "name": STRING,
        "choice": {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "null"}]},
    },
    "additionalProperties": False,
}


@each_case("explain", "default")
def test_each_change_is_told(case: Case) -> None:
    """Path, rule, before and after, in the order in which the value was read."""
    explanation = compile_schema(case.schema).explain(case.input)
    assert explanation.error is None
    assert explanation.result == case.result
    assert [dataclasses.asdict(change) for change in explanation.changes] == case.changes


@each_case("explain", "lenient")
def test_guesses_are_told(case: Case) -> None:
    """What lenient guesses is listed like everything else, and for a prepared call as well."""
    compiled = compile_schema(case.schema, coercion="lenient")
    explanation = compiled.explain(case.input)
    assert explanation.result == case.result
    assert [dataclasses.asdict(change) for change in explanation.changes] == case.changes
    if isinstance(case.input, dict):
        assert with_parts(ToolParts("tool", "", compiled)).prepare(case.input).changes == (
            explanation.changes
        )


def test_repaired_text_is_told() -> None:
    """`explain_json` tells what text was read, and then what was made of its value."""
    explanation = compile_schema(DEEP).explain_json("{flag: 'no'}")
    assert [(change.path, change.rule, change.after) for change in explanation.changes] == [
        ("", "repair_text", {"flag": "no"}),
        ("", "repair_text", "inserted quotes at character 1"),
        ("", "repair_text", "read ' as a quote at character 7"),
        ("/flag", "boolean_words", False),
    ]
    assert explanation.changes[0].before == "{flag: 'no'}"


def test_a_call_within_a_string_is_told() -> None:
    """Arguments encoded twice are a change, since a string is not what was asked for."""
    text = json.dumps(json.dumps({"limit": 5}))
    explanation = compile_schema(DEEP).explain_json(text)
    assert explanation.result == {"limit": 5}
    assert [(change.path, change.rule) for change in explanation.changes] == [("", "json_text")]


def test_what_a_string_holds_is_told_where_strings_are_allowed_too() -> None:
    """The string itself is too long; what it spells is not text, and so has no length."""
    explanation = compile_schema({"maxLength": 1}).explain_json('"true"')
    assert explanation.result is True
    assert [dataclasses.astuple(change) for change in explanation.changes] == [
        ("", "json_text", "true", True)
    ]


@pytest.mark.parametrize("text", [None, 3, [], memoryview(b"x")], ids=["null", "3", "list", "view"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    """By all who take the text of a call: it is a mistake of the developer's."""
    compiled = compile_schema({"type": "integer"})
    with pytest.raises(TypeError, match="expected the text of arguments"):
        compiled.validate_json(text)
    with pytest.raises(TypeError, match="expected the text of arguments"):
        compiled.explain_json(text)


def test_an_error_instead_of_a_result() -> None:
    """It is the one that `validate` raises; the changes are those of the parts that were read."""
    compiled = compile_schema(DEEP)
    explanation = compiled.explain({"limit": "many", "flag": "no"})
    assert explanation.result is None
    assert explanation.changes == (Change("/flag", "boolean_words", "no", after=False),)
    text = compiled.explain_json('{"limit": "many", "flag": "no"}')
    assert text.changes == explanation.changes
    with pytest.raises(ToolError) as raised:
        compiled.validate({"limit": "many", "flag": "no"})
    assert str(explanation.error) == str(raised.value)
    assert explanation.error is not None
    assert explanation.error.issues == raised.value.issues


def test_a_text_has_one_error() -> None:
    """`explain_json` names the value as it was sent, as `validate_json` does."""
    few = {"type": "array", "items": {"type": "string"}, "maxItems": 1}
    compiled = compile_schema({"properties": {"few": few}})
    text = '{"few": ["a", 7]}'
    with pytest.raises(ToolError, match=r'not \["a", 7\]') as raised:
        compiled.validate_json(text)
    assert str(compiled.explain_json(text).error) == str(raised.value)


@given(st.data())
def test_it_agrees_with_validate(data: st.DataObject) -> None:
    """The same result or the same refusal, the same each time, and rules that exist."""
    tool = data.draw(st.sampled_from(TOOLS))
    preset = data.draw(st.sampled_from(("off", "default", "untyped", "forgiving", "lenient")))
    compiled = compile_schema(tool.schema, coercion=preset)
    sent = data.draw(corrupted(tool))
    explanation = compiled.explain(sent)
    assert explanation == compiled.explain(sent) or explanation.error is not None
    if explanation.error is not None:
        with pytest.raises(ToolError) as raised:
            compiled.validate(sent)
        assert str(raised.value) == str(explanation.error)
        return
    result = compiled.validate(sent)
    assert same(explanation.result, result)
    assert bool(explanation.changes) or same(sent, result)
    assert {change.rule for change in explanation.changes} <= RULES


@given(st.data(), st.sampled_from(("off", "default", "untyped", "forgiving", "lenient")))
def test_it_agrees_type_for_type(data: st.DataObject, preset: str) -> None:
    """Under any keyword, 3 where `validate` gives 3, and 3.0 where it gives 3.0."""
    schema = data.draw(schemas())
    compiled = compile_schema(schema, coercion=preset)
    sent = data.draw(arguments_for(schema))
    explanation = compiled.explain(sent)
    if explanation.error is None:
        result = compiled.validate(sent)
        assert spelled(result) == spelled(explanation.result)
        assert bool(explanation.changes) or spelled(result) == spelled(sent)


def spelled(value: Any) -> str:
    """JSON text that tells 3 from 3.0; in what order members come does not matter."""
    return json.dumps(value, sort_keys=True)


@given(st.data())
def test_changes_are_json(data: st.DataObject) -> None:
    """`dataclasses.asdict` makes a change JSON, for logs and spans."""
    tool = data.draw(st.sampled_from(TOOLS))
    explanation = compile_schema(tool.schema).explain(data.draw(corrupted(tool)))
    records = [dataclasses.asdict(change) for change in explanation.changes]
    assert json.loads(json.dumps(records)) == records
    assert all(set(record) == {"path", "rule", "before", "after"} for record in records)


def test_changes_are_frozen() -> None:
    """A change tells what happened; nobody rewrites it."""
    (change,) = compile_schema(INTEGER).explain("+1").changes
    with pytest.raises(dataclasses.FrozenInstanceError):
        change.rule = "other"  # type: ignore[misc]


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", b"\t"])
def test_a_blank_text_is_shown_as_it_was_sent(text: str | bytes) -> None:
    """As every other text that is changed."""
    explained = compile_schema({"type": "object"}).explain_json(text)
    assert explained.changes == (Change("", "empty_arguments", text, {}),)


def test_explain_compares_no_level_with_all_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last member of an object that differs is not compared as a whole; scalars are."""
    compared: list[object] = []
    same_values = value_changes._same
    monkeypatch.setattr(
        value_changes,
        "_same",
        lambda one, other: compared.append(type(one)) or same_values(one, other),
    )
    node = {"type": "object", "properties": {"n": INTEGER, "child": {"$ref": "#/$defs/node"}}}
    value: Any = {"n": "1"}
    for _ in range(50):
        value = {"n": 2, "child": value}
    explained = compile_schema({"$ref": "#/$defs/node", "$defs": {"node": node}}).explain(value)
    assert [(change.before, change.after) for change in explained.changes] == [("1", 1)]
    assert dict not in compared
