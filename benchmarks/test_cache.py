"""A schema that was seen before: what finding it again by its content costs."""

from __future__ import annotations

import copy
import json
import marshal
from typing import Any

import pytest

from benchmarks.schemas import CASES, MEDIAN_TOOL, Case
from schema2model import compile_schema

LARGE = {
    "type": "object",
    "properties": {f"part_{n}": copy.deepcopy(CASES[0].schema) for n in range(30)},
}
TOOLS = (Case("median tool", MEDIAN_TOOL, {}, {}), *CASES, Case("30 tools in one", LARGE, {}, {}))


def _sorted_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, sort_keys=True)


CONTENDERS = {
    "the same object": (compile_schema, lambda schema: schema),
    "an equal object": (compile_schema, copy.deepcopy),
    "read again from text": (compile_schema, lambda schema: json.loads(json.dumps(schema))),
    "json.dumps(sort_keys=True) alone": (_sorted_text, lambda schema: schema),
    "marshal.dumps alone": (marshal.dumps, lambda schema: schema),
}
"""What is called, and with which spelling of the schema."""


@pytest.mark.benchmark(group="cache", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize("contender", CONTENDERS)
@pytest.mark.parametrize("tool", TOOLS, ids=str)
def test_again(benchmark: Any, tool: Case, contender: str) -> None:
    """An equal schema gives the compiled one that is there."""
    call, spelled = CONTENDERS[contender]
    again = spelled(tool.schema)
    assert compile_schema(again) is compile_schema(tool.schema)
    benchmark.extra_info |= {"case": tool.name, "contender": contender}
    benchmark(call, again)


@pytest.mark.benchmark(group="cache", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize("tool", CASES, ids=str)
def test_validate(benchmark: Any, tool: Case) -> None:
    """For comparison: one call of the compiled schema."""
    validate = compile_schema(tool.schema).validate
    assert validate(tool.correct) == tool.correct
    benchmark.extra_info |= {"case": tool.name, "contender": "validate, correct"}
    benchmark(validate, tool.correct)
