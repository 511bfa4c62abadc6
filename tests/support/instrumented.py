"""An instrumented tool, its function in three ways, and arguments of each status."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from typing import Any

import pytest
from recorded import Recorded

from schema2model import Tool
from schema2model.telemetry import instrument

REFUSED = "schema2model.errors.ToolError"


class BrokenError(Exception):
    """What a function raises."""


def search(query: str, limit: int = 10, tags: list[str] | None = None) -> str:
    """Look something up."""
    return f"{limit} of {query} {tags}"


async def asearch(query: str, limit: int = 10, tags: list[str] | None = None) -> str:
    """Look something up."""
    await asyncio.sleep(0)
    return search(query, limit, tags)


def later(query: str, limit: int = 10, tags: list[str] | None = None) -> Any:
    """Look something up; it is not known to be asynchronous."""
    return asearch(query, limit, tags)


def made(recorded: Recorded, function: Callable[..., Any] = search, name: str = "search") -> Tool:
    """An instrumented tool."""
    return instrument(Tool.from_function(function, name=name), recorded.telemetry)


def wholly(tool: Tool, arguments: Any) -> Any:
    """The result of a call, in whichever way the tool can be called."""
    return asyncio.run(tool.acall(arguments))


kinds = pytest.mark.parametrize("function", [search, asearch, later])

READ = [
    pytest.param({"query": "x", "limit": 1}, "unchanged", [], id="a mapping"),
    pytest.param('{"query": "x", "limit": 1} ', "unchanged", [], id="text"),
    pytest.param(b'{"limit": 1, "query": "x"}', "unchanged", [], id="bytes"),
    pytest.param(types.MappingProxyType({"query": "x"}), "unchanged", [], id="no dict"),
    pytest.param({"query": "x", "limit": "1"}, "coerced", ["json_text"], id="a string"),
    pytest.param({"query": "x", "limit": 1.0}, "coerced", ["integral_floats"], id="1.0 for 1"),
    pytest.param('[{"query": "x"}]', "coerced", ["listed_arguments"], id="in a list"),
    pytest.param(
        {"query": 1, "limit": "1", "tags": "['a']"},
        "coerced",
        ["json_text", "loose_json_text", "scalar_to_text"],
        id="three rules",
    ),
    pytest.param("{'query': 'x',}", "repaired", ["repair_text"] * 3, id="malformed"),
    pytest.param(
        "{'query': 'x', 'limit': '1'}", "repaired", ["json_text", *["repair_text"] * 2], id="both"
    ),
]
