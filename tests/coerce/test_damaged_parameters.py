# ruff: noqa: D103 - the names state the promises
"""Damaged JSON text in a parameter is repaired like the text of a whole call."""

from __future__ import annotations

import json

import pytest
from case_tests import each_case
from cases import Case
from waiting import calls

from schema2model import ToolError, compile_schema

EDIT = {
    "type": "object",
    "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
    "required": ["old", "new"],
}
EDITS = {"properties": {"path": {"type": "string"}, "edits": {"type": "array", "items": EDIT}}}
DAMAGED = '[{"old": "a", "new": "say "hi""}]'
READ = [{"old": "a", "new": 'say "hi"'}]


@each_case("repair", "repaired")
def test_what_is_repaired_in_a_call_is_repaired_in_a_parameter(case: Case) -> None:
    compiled = compile_schema({"properties": {"x": {"type": "object", **case.schema}}})
    assert compiled.validate({"x": case.input}) == {"x": case.result}
    assert compiled.validate_json(json.dumps({"x": case.input})) == {"x": case.result}
    assert compiled.model.model_validate({"x": case.input}).model_dump() == {"x": case.result}


@each_case("repair", "near miss")
def test_what_is_refused_in_a_call_is_refused_in_a_parameter(case: Case) -> None:
    compiled = compile_schema({"properties": {"x": {"type": "object", **case.schema}}})
    if not case.is_refused:
        assert compiled.validate({"x": case.input}) == {"x": case.result}
        return
    with pytest.raises(ToolError):
        compiled.validate({"x": case.input})


def test_the_edits_are_listed_with_the_path_of_the_parameter() -> None:
    explained = compile_schema(EDITS).explain({"path": "p", "edits": DAMAGED})
    assert explained.result == {"path": "p", "edits": READ}
    assert {change.path for change in explained.changes} == {"/edits"}
    assert {change.rule for change in explained.changes} == {"repair_text"}
    assert explained.changes[0].before == DAMAGED
    assert explained.changes[0].after == READ


def test_no_text_is_repaired_where_a_string_is_allowed() -> None:
    compiled = compile_schema({"properties": {"x": {"type": ["array", "string"]}}})
    assert compiled.validate({"x": DAMAGED}) == {"x": DAMAGED}


def test_no_text_is_repaired_where_some_strings_are_allowed() -> None:
    some = {"anyOf": [{"type": "array"}, {"type": "string", "pattern": "^x"}]}
    with pytest.raises(ToolError):
        compile_schema({"properties": {"x": some}}).validate({"x": DAMAGED})


@pytest.mark.parametrize("rule", ["repair_text", "json_text", "loose_json_text"])
def test_the_rules_switch_it_off(rule: str) -> None:
    coercion = {"coercion": compile_schema(EDITS).coercion.replace(**{rule: False})}
    with pytest.raises(ToolError):
        compile_schema(EDITS, **coercion).validate({"edits": DAMAGED})


def test_truncated_text_is_completed_on_request_only() -> None:
    sent = {"edits": '[{"old": "a", "new": "once upon'}
    with pytest.raises(ToolError):
        compile_schema(EDITS, coercion="forgiving").validate(sent)
    completed = compile_schema(EDITS, coercion="lenient").validate(sent)
    assert completed == {"edits": [{"old": "a", "new": "once upon"}]}


@pytest.mark.parametrize(
    "text",
    [
        "all of [1, 2]",
        "[1, 2] and [3]",
        "use items[0] (or x)",
        '["a"] or so',
        '["a"]["b"]',
        "print([1, 2])",
        "range(3)[1]",
        "Do not use: [1, 2]",
        'everything except {"a": 1}',
        'print({"a": 1})',
        '{"a": 1} or so',
    ],
)
def test_prose_with_a_value_is_not_the_value(text: str) -> None:
    """Of an object no more than of a list."""
    for kind in ("array", "object"):
        with pytest.raises(ToolError):
            compile_schema({"properties": {"x": {"type": kind}}}).validate({"x": text})


@pytest.mark.parametrize("text", ["Here it is:\n[1, 2,]", "```json\n[1 2]\n```", "The list: [1 2]"])
def test_prose_around_a_list_is_left_out(text: str) -> None:
    compiled = compile_schema({"properties": {"x": {"type": "array"}}})
    assert compiled.validate({"x": text}) == {"x": [1, 2]}


def test_numbers_for_strings_keep_their_spelling() -> None:
    schema = {"properties": {"x": {"type": "array", "items": {"type": "string"}}}}
    assert compile_schema(schema).validate({"x": "[1.10 2.50]"}) == {"x": ["1.10", "2.50"]}


def test_many_damaged_texts_are_read_or_refused_in_bounded_time() -> None:
    schema = {"properties": {"x": {"items": {"type": "object", "required": ["a"]}}}}
    compiled = compile_schema(schema)
    with calls(220_000), pytest.raises(ToolError):
        compiled.validate({"x": ['{"a": "b" "c": "d" e: ' + '"f" ' * 50] * 5_000})
