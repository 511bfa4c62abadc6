"""Larger schemas and larger arguments: time should grow with them, not faster."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.schemas import Case, distinct, same
from schema2model import compile_schema

_KINDS: tuple[tuple[str, Any], ...] = (
    ("string", "words"),
    ("integer", 7),
    ("boolean", True),
    ("number", 0.5),
)


def _text(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)


def properties(count: int) -> Case:
    """An object of this many properties; each that is no string is sent as one."""
    kinds = {f"p{n}": _KINDS[n % 4] for n in range(count)}
    schema = {"type": "object", "properties": {n: {"type": kind} for n, (kind, _) in kinds.items()}}
    correct = {name: value for name, (_, value) in kinds.items()}
    return Case("properties", schema, correct, {n: _text(v) for n, v in correct.items()})


def items(count: int) -> Case:
    """A list of this many small objects; each of their numbers is sent as a string."""
    item = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
        "required": ["id"],
    }
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": item}}}
    rows = [{"id": n, "name": "words"} for n in range(count)]
    sent = [{"id": str(n), "name": "words"} for n in range(count)]
    return Case("list items", schema, {"rows": rows}, {"rows": sent})


def depth(count: int) -> Case:
    """Objects within objects; the number in each is sent as a string."""
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    correct: dict[str, Any] = {"n": 0}
    sent: dict[str, Any] = {"n": "0"}
    for level in range(1, count):
        schema = {"type": "object", "properties": {"n": {"type": "integer"}, "inner": schema}}
        correct = {"n": level, "inner": correct}
        sent = {"n": str(level), "inner": sent}
    return Case("nesting", schema, correct, sent)


def definitions(count: int) -> Case:
    """Objects of two properties, each behind a `$ref` of its own; each number is a string."""
    one = {"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {f"p{n}": {"$ref": f"#/$defs/d{n}"} for n in range(count)},
        "$defs": {f"d{n}": one for n in range(count)},
    }
    correct = {f"p{n}": {"n": n, "t": "words"} for n in range(count)}
    sent = {f"p{n}": {"n": str(n), "t": "words"} for n in range(count)}
    return Case("definitions", schema, correct, sent)


def recursion(count: int) -> Case:
    """A schema that refers to itself, and a value of this many levels; its number is a string."""
    number = {"type": "integer"}
    schema = {"type": "object", "properties": {"n": number, "inner": {"$ref": "#"}}}
    correct: dict[str, Any] = {"n": 1}
    sent: dict[str, Any] = {"n": "1"}
    for _ in range(count - 1):
        correct, sent = {"inner": correct}, {"inner": sent}
    return Case("recursion", schema, correct, sent)


def branches(count: int) -> Case:
    """A union of this many objects, of which the last is sent, its number as a string."""
    union = [
        {
            "type": "object",
            "properties": {"kind": {"const": f"kind{n}"}, "size": {"type": "integer"}},
            "required": ["kind", "size"],
        }
        for n in range(count)
    ]
    schema = {"type": "object", "properties": {"shape": {"anyOf": union}}}
    kind = f"kind{count - 1}"
    return Case(
        "union branches",
        schema,
        {"shape": {"kind": kind, "size": 3}},
        {"shape": {"kind": kind, "size": "3"}},
    )


SIZES: dict[Callable[[int], Case], tuple[int, ...]] = {
    properties: (1, 10, 100, 1_000),
    items: (1, 10, 100, 1_000, 10_000, 100_000),
    depth: (1, 5, 10, 25, 50),
    branches: (1, 5, 10, 25, 50),
    definitions: (1, 10, 100, 1_000),
    recursion: (1, 45, 90, 180),
}
GROWTH = [(make, size) for make, sizes in SIZES.items() for size in sizes]


@pytest.mark.benchmark(group="scaling", max_time=0.25, min_time=0.0001)
@pytest.mark.parametrize("spelling", ["correct", "stringified"])
@pytest.mark.parametrize(("make", "size"), GROWTH)
def test_validate(benchmark: Any, make: Callable[[int], Case], size: int, spelling: str) -> None:
    """One call with arguments of this size."""
    case = make(size)
    validate = compile_schema(case.schema).validate
    sent = getattr(case, spelling)
    assert same(validate(sent), case.correct)
    benchmark.extra_info |= {"case": case.name, "size": size, "contender": f"validate, {spelling}"}
    benchmark(validate, sent)


@pytest.mark.benchmark(group="scaling")
@pytest.mark.parametrize(("make", "size"), [pair for pair in GROWTH if pair[0] is not items])
def test_compile(benchmark: Any, make: Callable[[int], Case], size: int) -> None:
    """A schema of this size, seen for the first time."""
    case = make(size)
    assert compile_schema(case.schema).is_valid(case.correct)
    benchmark.extra_info |= {"case": case.name, "size": size, "contender": "compile"}
    benchmark.pedantic(
        compile_schema, setup=lambda: ((distinct(case.schema),), {}), rounds=30, warmup_rounds=2
    )
