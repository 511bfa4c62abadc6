# ruff: noqa: D103 - the names state the promises
"""A reader of the developer's own for texts that no grammar reads: `json_repair.loads`."""

from __future__ import annotations

import pickle
from typing import Any

import json_repair
import pytest

from schema2model import Tool, ToolError, compile_schema
from schema2model.coercions import status_of

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
UNREADABLE = '{"city": "Rome" & "days": "3"}'
"""A text that no grammar reads."""


def fixed(text: str) -> Any:
    """A reader that makes one value of all texts."""
    return {"city": f"of {len(text)} characters", "days": "3"}


def test_the_text_is_unreadable_without_it() -> None:
    with pytest.raises(ToolError):
        compile_schema(SCHEMA).validate_json(UNREADABLE)


@pytest.mark.parametrize("text", [UNREADABLE, UNREADABLE.encode()])
def test_it_reads_what_no_grammar_reads_and_is_named(text: str | bytes) -> None:
    compiled = compile_schema(SCHEMA, fallback_reader=json_repair.loads)
    explained = compiled.explain_json(text)
    assert explained.result == compiled.validate_json(text)
    assert compiled.is_valid(explained.result)
    assert explained.changes[0].rule == "fallback_reader json_repair.json_repair.loads"
    assert explained.changes[0].before == text
    assert status_of(explained.changes) == "repaired"


def test_the_schema_judges_and_coerces_its_value() -> None:
    compiled = compile_schema(SCHEMA, fallback_reader=fixed)
    assert compiled.validate_json(UNREADABLE) == {"city": "of 30 characters", "days": 3}
    closed = {**SCHEMA, "properties": {"city": {"maxLength": 3}}}
    with pytest.raises(ToolError, match="not JSON"):
        compile_schema(closed, fallback_reader=fixed).validate_json(UNREADABLE)


@pytest.mark.parametrize(
    "text",
    [
        '{"city": "Rome", "days": 3',
        '{"city": "Ro',
        '{"city": "Rome"} {"city": "Oslo"}',
        '{"city": "a" "b"}',
        "",
    ],
)
def test_it_never_gets_a_truncated_text_or_one_with_two_readings(text: str) -> None:
    compiled = compile_schema(SCHEMA, fallback_reader=lambda _: pytest.fail("it was asked"))
    with pytest.raises(ToolError):
        compiled.validate_json(text)


@pytest.mark.parametrize("value", ["no JSON object", {"city": object()}, float("nan"), None])
def test_any_value_of_it_is_judged(value: Any) -> None:
    with pytest.raises(ToolError, match="not JSON"):
        compile_schema(SCHEMA, fallback_reader=lambda _: value).validate_json(UNREADABLE)


def test_its_exceptions_refuse_the_text() -> None:
    def failing(text: str) -> Any:
        raise LookupError(text)

    with pytest.raises(ToolError, match="not JSON"):
        compile_schema(SCHEMA, fallback_reader=failing).validate_json(UNREADABLE)


def test_it_is_not_asked_without_the_repair_of_text() -> None:
    compiled = compile_schema(SCHEMA, coercion="off", fallback_reader=fixed)
    with pytest.raises(ToolError):
        compiled.validate_json(UNREADABLE)


def test_tools_take_it_and_keep_it_in_copies() -> None:
    def forecast(city: str, days: int = 1) -> str:
        return f"{city}, {days}"

    tool = Tool.from_function(forecast, fallback_reader=fixed)
    assert tool.call(UNREADABLE) == "of 30 characters, 3"
    compiled = compile_schema(SCHEMA, fallback_reader=json_repair.loads)
    assert pickle.loads(pickle.dumps(compiled)) is compiled  # noqa: S301


def test_anything_but_a_function_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="fallback_reader is a function"):
        compile_schema(SCHEMA, fallback_reader="json_repair")  # type: ignore[arg-type]
