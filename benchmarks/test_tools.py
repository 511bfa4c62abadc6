"""What preparing correct arguments costs beside validating them: a microsecond at most.

`pytest benchmarks/test_tools.py --benchmark-only` measures; `python benchmarks/test_tools.py`
prints the differences.
"""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable
from typing import Any

import pytest

from schema2model import Tool, ToolError, Toolset

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "score": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "sort": {"enum": ["asc", "desc"]},
        "exact": {"type": "boolean"},
        "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["query"],
    "additionalProperties": False,
}
ARGUMENTS: dict[str, Any] = {
    "query": "cats",
    "limit": 10,
    "score": 0.5,
    "tags": ["a", "b"],
    "sort": "asc",
    "exact": True,
    "page": None,
}
TEXT = json.dumps(ARGUMENTS)


def search(  # noqa: PLR0913, PLR0917
    query: str,
    limit: int = 10,
    score: float = 0.0,
    tags: list[str] | None = None,
    sort: str = "asc",
    exact: bool = False,  # noqa: FBT001, FBT002
    page: int | None = None,
) -> tuple[Any, ...]:
    """Search."""
    return query, limit, score, tags, sort, exact, page


TOOLS = {
    "schema": Tool.from_definition({"name": "search", "parameters": SCHEMA}),
    "function": Tool.from_function(search),
}


def best(function: Callable[[], Any]) -> float:
    """Seconds for one call, the least of several runs."""
    timer = timeit.Timer(function)  # short runs, of which some are not interrupted
    return min(timer.repeat(300, 100)) / 100


def added(kind: str, given: dict[str, Any] | str) -> float:
    """Seconds that preparing adds to validating."""
    tool = TOOLS[kind]
    compiled = tool.compiled
    if isinstance(given, str):
        return best(lambda: tool.prepare(given)) - best(lambda: compiled.validate_json(given))
    return best(lambda: tool.prepare(given)) - best(lambda: compiled.validate(given))


@pytest.mark.parametrize("kind", TOOLS)
@pytest.mark.parametrize("given", [ARGUMENTS, TEXT], ids=["mapping", "text"])
def test_prepare(benchmark: Any, kind: str, given: Any) -> None:
    tool = TOOLS[kind]
    assert benchmark(tool.prepare, given).arguments == ARGUMENTS
    benchmark.extra_info["added to validating, us"] = round(added(kind, given) * 1e6, 2)


@pytest.mark.parametrize("kind", TOOLS)
def test_validate(benchmark: Any, kind: str) -> None:
    assert benchmark(TOOLS[kind].compiled.validate, ARGUMENTS) == ARGUMENTS


@pytest.mark.parametrize("kind", TOOLS)
def test_validate_json(benchmark: Any, kind: str) -> None:
    assert benchmark(TOOLS[kind].compiled.validate_json, TEXT) == ARGUMENTS


def test_call(benchmark: Any) -> None:
    assert benchmark(TOOLS["function"].call, TEXT) == tuple(ARGUMENTS.values())


MANY = 5_000
"""Tools of one toolset."""


@pytest.mark.parametrize("name", ["get_thing_7x", "getThing_7", "no_such_tool"])
def test_unknown_name(benchmark: Any, name: str) -> None:
    """The message names the likeliest of thousands of tools."""
    schema = {"type": "object"}
    tools = Toolset([{"name": f"get_thing_{n}", "parameters": schema} for n in range(MANY)])

    def ask() -> str:
        try:
            return tools.prepare(name, {}).tool.name
        except ToolError as error:
            return str(error)

    assert "get_thing_" in benchmark(ask)


if __name__ == "__main__":
    for name in TOOLS:
        print(f"{name:9} mapping +{added(name, ARGUMENTS) * 1e6:.2f} µs", end="")
        print(f", text +{added(name, TEXT) * 1e6:.2f} µs")
