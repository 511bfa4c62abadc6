"""`explain`: the result of `validate`, and one change for each rule applied."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from corruptions import TOOLS, corrupted
from hypothesis import given, strategies as st
from oracle import same
from strategies import arguments_for, schemas

from schema2model import Coercion, ToolError, compile_schema
from schema2model.tools.tool import Tool

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

Changes = list[tuple[str, str, Any, Any]]
EXPLAINED: dict[str, tuple[Any, Any, Changes]] = {
    "nothing": ({"name": "x", "flag": True}, {"name": "x", "flag": True}, []),
    "a word": ({"flag": "yes"}, {"flag": True}, [("/flag", "boolean_words", "yes", True)]),
    "an integral float": ({"limit": 3.0}, {"limit": 3}, [("/limit", "integral_floats", 3.0, 3)]),
    "number text": ({"limit": "+5"}, {"limit": 5}, [("/limit", "number_text", "+5", 5)]),
    "a number for text": ({"name": 5}, {"name": "5"}, [("/name", "scalar_to_text", 5, "5")]),
    "quotes": (
        {"order": "'asc'"},
        {"order": "asc"},
        [("/order", "quoted_choices", "'asc'", "asc")],
    ),
    "a dropped null": ({"limit": None}, {}, [("/limit", "drop_null", None, None)]),
    "JSON text": (
        {"choice": "[1]"},
        {"choice": [1]},
        [("/choice", "json_text", "[1]", [1])],
    ),
    "loose text": (
        {"choice": "[1,]"},
        {"choice": [1]},
        [("/choice", "loose_json_text", "[1,]", [1])],
    ),
    "an escaped path": (
        {"a/b": [{}, {"c~d": "+1"}]},
        {"a/b": [{}, {"c~d": 1}]},
        [("/a~1b/1/c~0d", "number_text", "+1", 1)],
    ),
    "the outer first": (
        {"a/b": '[{"c~d": "+1"}]'},
        {"a/b": [{"c~d": 1}]},
        [
            ("/a~1b", "json_text", '[{"c~d": "+1"}]', [{"c~d": "+1"}]),
            ("/a~1b/0/c~0d", "number_text", "+1", 1),
        ],
    ),
    "the whole call": (
        [{"flag": "no"}],
        {"flag": False},
        [
            ("", "listed_arguments", [{"flag": "no"}], {"flag": "no"}),
            ("/flag", "boolean_words", "no", False),
        ],
    ),
    "no arguments": (None, {}, [("", "empty_arguments", None, {})]),
    "several": (
        {"flag": "no", "name": True},
        {"flag": False, "name": "true"},
        [("/flag", "boolean_words", "no", False), ("/name", "scalar_to_text", True, "true")],
    ),
}


@pytest.mark.parametrize(("sent", "result", "changes"), EXPLAINED.values(), ids=EXPLAINED)
def test_each_change_is_told(sent: Any, result: Any, changes: Changes) -> None:
    """Path, rule, before and after, in the order in which the value was read."""
    explanation = compile_schema(DEEP).explain(sent)
    assert explanation.error is None
    assert explanation.result == result
    assert [dataclasses.astuple(change) for change in explanation.changes] == changes


GUESSED: dict[str, tuple[Any, Any, Changes]] = {
    "a key's spelling": (
        {"Limit": "+5"},
        {"limit": 5},
        [("/Limit", "key_spelling", "Limit", "limit"), ("/limit", "number_text", "+5", 5)],
    ),
    "an unknown key": ({"why": 1}, {}, [("/why", "drop_unknown", 1, None)]),
    "an envelope": (
        {"input": {"limit": 5}},
        {"limit": 5},
        [("", "envelope", {"input": {"limit": 5}}, {"limit": 5})],
    ),
    "a word for nothing": ({"limit": ""}, {}, [("/limit", "drop_null_words", "", None)]),
    "a placeholder": (
        {"limit": {}, "flag": "no"},
        {"flag": False},
        [("/limit", "drop_placeholders", {}, None), ("/flag", "boolean_words", "no", False)],
    ),
}
MOVED: dict[str, tuple[Any, Any, Changes]] = {
    "keys that are paths": (
        {"todos[0].id": "1"},
        {"todos": [{"id": 1}]},
        [
            ("", "flattened_keys", {"todos[0].id": "1"}, {"todos": [{"id": "1"}]}),
            ("/todos/0/id", "json_text", "1", 1),
        ],
    ),
    "the sole key": (
        {"todo": {"id": 1}},
        {"todos": [{"id": 1}]},
        [
            ("/todo", "sole_key", "todo", "todos"),
            ("/todos", "scalar_to_list", {"id": 1}, [{"id": 1}]),
        ],
    ),
    "a list of pairs": (
        [{"key": "todos", "value": []}],
        {"todos": []},
        [("", "listed_pairs", [{"key": "todos", "value": []}], {"todos": []})],
    ),
    "quoted items without brackets": (
        {"todos": [], "tags": "'a', 'b'"},
        {"todos": [], "tags": ["a", "b"]},
        [
            ("/tags", "comma_text", "'a', 'b'", "['a', 'b']"),
            ("/tags", "loose_json_text", "['a', 'b']", ["a", "b"]),
        ],
    ),
    "an envelope in an envelope": (
        {"arguments": '{"input": {"todos": []}}'},
        {"todos": []},
        [("", "envelope", {"arguments": '{"input": {"todos": []}}'}, {"todos": []})],
    ),
}
TODOS = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "items": {"type": "object", "properties": {"id": {"type": "integer"}}},
        },
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["todos"],
}
BY_GUESSES = {
    **{name: (DEEP, *case) for name, case in GUESSED.items()},
    **{name: (TODOS, *case) for name, case in MOVED.items()},
}


@pytest.mark.parametrize(
    ("schema", "sent", "result", "changes"), BY_GUESSES.values(), ids=BY_GUESSES
)
def test_guesses_are_told(schema: Any, sent: Any, result: Any, changes: Changes) -> None:
    """What lenient guesses is told like everything else, and to who prepares a call as well."""
    compiled = compile_schema(schema, coercion="lenient")
    explanation = compiled.explain(sent)
    assert explanation.result == result
    assert [dataclasses.astuple(change) for change in explanation.changes] == changes
    if isinstance(sent, dict):
        assert Tool("tool", "", compiled).prepare(sent).changes == explanation.changes


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
    """By all who take the text of a call."""
    compiled = compile_schema({"type": "integer"})
    with pytest.raises(ToolError, match="not JSON"):
        compiled.validate_json(text)
    assert isinstance(compiled.explain_json(text).error, ToolError)


def test_an_error_instead_of_a_result() -> None:
    """What cannot be read is explained by the error that `validate` raises."""
    compiled = compile_schema(DEEP)
    explanation = compiled.explain({"limit": "many", "flag": "no"})
    assert explanation.result is None
    assert explanation.changes == ()
    with pytest.raises(ToolError) as raised:
        compiled.validate({"limit": "many", "flag": "no"})
    assert str(explanation.error) == str(raised.value)
    assert explanation.error is not None
    assert explanation.error.issues == raised.value.issues


def _cyclic() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


HOSTILE = {
    "object": object(),
    "bytes": b"[1]",
    "set": {1},
    "NaN": float("nan"),
    "keys": {1: 2},
    "cycle": _cyclic(),
    "type": int,
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_no_value_makes_it_raise(value: Any) -> None:
    """Whatever is no JSON is an error to be explained, and what `validate` says too."""
    compiled = compile_schema(DEEP)
    assert isinstance(compiled.explain(value).error, ToolError)
    with pytest.raises(ToolError):
        compiled.validate(value)


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
