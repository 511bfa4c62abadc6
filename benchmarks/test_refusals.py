"""Refusals against accepting arguments of the same size, in the same schema."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from pytest_benchmark.fixture import BenchmarkFixture

from schema2model import ToolError, compile_schema

ITEM = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["id"],
}


def tagged(number: int) -> dict[str, Any]:
    """An object that says itself which one it is."""
    return {
        "type": "object",
        "properties": {"kind": {"const": f"k{number}"}, "n": {"type": "integer"}},
        "required": ["kind", "n"],
    }


DEEP = 50
"""Levels of an object in an object."""


class Level(BaseModel, extra="forbid"):
    """The same as `LEVEL`, for pydantic alone."""

    child: Level | None = None
    value: int | None = None


LEVEL = {
    "type": "object",
    "properties": {"child": {"$ref": "#"}, "value": {"type": "integer"}},
    "additionalProperties": False,
}


CASES: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "one integer": ({"type": "integer"}, [1], ["ten"]),
    "the last of 101 objects": (
        ITEM,
        [{"id": index, "name": "a"} for index in range(101)],
        [*({"id": index, "name": "a"} for index in range(100)), {"name": "a"}],
    ),
    "one of 5,000 that have to be read": (
        ITEM,
        [{"id": str(index)} for index in range(5_000)],
        [{"id": str(index) if index != 4_000 else "ten"} for index in range(5_000)],
    ),
    "1,600 of 20 tagged objects": (
        {"oneOf": [tagged(number) for number in range(20)]},
        [{"kind": f"k{index % 20}", "n": 1} for index in range(1_600)],
        [{"kind": f"k{index % 20}", "n": "ten"} for index in range(1_600)],
    ),
    "100,000 integers": ({"type": "integer"}, list(range(100_000)), ["zz"] * 100_000),
}


@pytest.mark.parametrize("way", ["accepted", "refused"])
@pytest.mark.parametrize("name", CASES)
def test_refusals(benchmark: BenchmarkFixture, name: str, way: str) -> None:
    """Both ways in one group: a refusal should cost at most five times as much."""
    benchmark.group = f"refusals: {name}"
    items, good, bad = CASES[name]
    schema = {"type": "object", "properties": {"v": {"type": "array", "items": items}}}
    compiled = compile_schema(schema)

    def refused() -> str:
        try:
            compiled.validate({"v": bad})
        except ToolError as error:
            return str(error)
        raise AssertionError(name)

    if way == "accepted":
        benchmark(compiled.validate, {"v": good})
    else:
        assert "/v/" in benchmark(refused)


@pytest.mark.parametrize("way", ["accepted", "refused", "refused by pydantic"])
def test_deep_refusals(benchmark: BenchmarkFixture, way: str) -> None:
    """The innermost value is wrong; the message names its path."""
    benchmark.group = f"refusals: {DEEP} levels deep"
    compiled = compile_schema(LEVEL)
    value: dict[str, Any] = {"value": 1 if way == "accepted" else "ten"}
    for _ in range(DEEP - 1):
        value = {"child": value}
    if way == "accepted":
        benchmark(compiled.validate, value)
        return
    read = compiled.validate if way == "refused" else Level.model_validate

    def refused() -> str:
        try:
            read(value)
        except (ToolError, ValidationError) as error:
            return str(error)
        raise AssertionError(way)

    assert "value" in benchmark(refused)
