"""Python values in, arguments out: what every call costs."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.schemas import CASES, Case, same
from schema2model import compile_schema

PAIRS = [
    pytest.param(case, contender, id=f"{case}-{contender}")
    for case in CASES
    for contender in CONTENDERS
    if not contender.only or case.name in contender.only
]


def measure(
    benchmark: Any, case: Case, contender: Contender, spelling: str, value: dict[str, Any]
) -> None:
    call = contender.prepare(case)
    result = call(value)
    assert result is True if contender.checks_only else same(result, case.correct)
    benchmark.extra_info |= {"case": f"{case}, {spelling}", "contender": contender.name}
    benchmark(call, value)


@pytest.mark.benchmark(group="hot path", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize(("case", "contender"), PAIRS)
def test_correct(benchmark: Any, case: Case, contender: Contender) -> None:
    """Correct arguments come back, or are found correct."""
    measure(benchmark, case, contender, "correct", case.correct)


@pytest.mark.benchmark(group="hot path", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize(("case", "contender"), [p for p in PAIRS if p.values[1].reads_text])
def test_stringified(benchmark: Any, case: Case, contender: Contender) -> None:
    """Stringified arguments come back as the values that were meant."""
    measure(benchmark, case, contender, "stringified", case.stringified)


_COUNT = {"type": "integer", "default": 10}
_ITEM = {"type": "object", "properties": {"sku": {"type": "string"}, "count": _COUNT}}
FILLED = (
    Case("at the root", {"type": "object", "properties": {"limit": _COUNT}}, {"limit": 5}, {}),
    Case("within", {"properties": {"item": _ITEM}}, {"item": {"sku": "a", "count": 1}}, {}),
    Case(
        "in a list",
        {"properties": {"items": {"type": "array", "items": _ITEM}}},
        {"items": [{"sku": "a", "count": 1}] * 20},
        {},
    ),
)


@pytest.mark.benchmark(group="defaults")
@pytest.mark.parametrize("defaults", [None, "fill"])
@pytest.mark.parametrize("case", [*CASES, *FILLED], ids=str)
def test_nothing_to_fill(benchmark: Any, case: Case, defaults: Any) -> None:
    """Correct arguments, with and without `defaults="fill"`: at most 1.1 of the time."""
    validate = compile_schema(case.schema, defaults=defaults).validate
    assert validate(case.correct) == case.correct
    benchmark.extra_info |= {"case": case.name, "contender": f"defaults={defaults}"}
    benchmark(validate, case.correct)
