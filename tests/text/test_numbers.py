"""Numbers keep their spelling where the schema declares a string, in every way in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schema2model import CompiledSchema, Tool, compile_schema
from schema2model.batch.corrector import Corrector

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "version": {"type": "string"},
        "choice": {"enum": ["3.10", "3.9"]},
        "ratio": {"type": "number"},
        "deep": {
            "type": "array",
            "items": {"type": "object", "properties": {"v": {"type": "string"}}},
        },
    },
}


def _batch(compiled: CompiledSchema, text: str) -> Any:
    corrector = Corrector([{"name": "f", "inputSchema": compiled.schema}])
    return compiled.validate_json(corrector.correct("f", text).corrected)


WAYS: dict[str, Callable[[CompiledSchema, str], Any]] = {
    "validate_json": lambda compiled, text: compiled.validate_json(text),
    "explain_json": lambda compiled, text: compiled.explain_json(text).result,
    "model": lambda compiled, text: compiled.model.model_validate_json(text).model_dump(),
    "Tool": lambda compiled, text: (
        Tool.from_schema({"name": "f", "inputSchema": compiled.schema}).prepare(text).arguments
    ),
    "batch": _batch,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"version": 3.10}', {"version": "3.10"}),
        ('{"version": 1e2}', {"version": "1e2"}),
        ('{"version": 1.0}', {"version": "1.0"}),
        ('{"version": 12345678901234567890}', {"version": "12345678901234567890"}),
        ('{"version": 0.1000000000000000055}', {"version": "0.1000000000000000055"}),
        ('{"choice": 3.10}', {"choice": "3.10"}),
        ('{"ratio": 1.50, "version": 2.00}', {"ratio": 1.5, "version": "2.00"}),
        ('{"deep": [{"v": 1.10}, {"v": 1.10}]}', {"deep": [{"v": "1.10"}, {"v": "1.10"}]}),
        (r'{"deep": "[{\"v\": 1.10}]"}', {"deep": [{"v": "1.10"}]}),
        ("{version: 3.10}", {"version": "3.10"}),
        ('{"version": 3.10,}', {"version": "3.10"}),
        ('{"version": 0x1F}', {"version": "0x1F"}),
        ('{"version": +15.0}', {"version": "+15.0"}),
        ('{"version": .5, "ratio": .5}', {"version": ".5", "ratio": 0.5}),
        ('```json\n{"version": 3.10}\n```', {"version": "3.10"}),
        ('{"version": 3.10 "ratio": 1.50}', {"version": "3.10", "ratio": 1.5}),
    ],
)
def test_a_number_for_a_string_is_what_the_text_spells(way: str, text: str, expected: Any) -> None:
    """No way in spells it again: a version is a version."""
    result = WAYS[way](compile_schema(SCHEMA), text)
    assert result == expected
    assert type(result.get("ratio", 1.0)) is float
