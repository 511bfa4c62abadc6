"""What the adapters share."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from schema2model import Tool
from schema2model.adapters.common import aexecute, execute, with_methods
from schema2model.limits import MAX_INLINED_REFERENCES
from schema2model.tools.execution import result_text
from schema2model.tools.providers.simplifying import inline_refs
from schema2model.tools.tool_cache import compile_checker


def test_a_schema_of_geminis_is_read() -> None:
    """Types are in capitals there."""
    tool = compile_checker(
        "search", {"type": "OBJECT", "properties": {"limit": {"type": "INTEGER"}}}
    )
    assert tool is not None
    assert tool.prepare({"limit": "3"}).arguments == {"limit": 3}


def _main_thread(context: object = None) -> tuple[bool, object]:
    return threading.current_thread() is threading.main_thread(), context


async def _later(context: object = None) -> tuple[bool, object]:
    await asyncio.sleep(0)
    return _main_thread(context)


def test_functions_run_where_they_may() -> None:
    """Asynchronous ones in the loop, others in a thread or here; results are as they come."""
    now = Tool.from_function(_main_thread, inject=("context",)).prepare({})
    later = Tool.from_function(_later, inject=("context",)).prepare({})
    marker = object()
    assert execute(now, marker) == (True, marker)
    assert execute(now) == (True, None)
    assert asyncio.run(aexecute(now, marker)) == (False, marker)
    assert asyncio.run(aexecute(later, marker)) == (True, marker)

    def returning() -> object:
        return _later()

    prepared = Tool.from_function(returning).prepare({})
    assert asyncio.run(aexecute(prepared)) == (True, None)


def test_what_has_to_be_injected_needs_a_context() -> None:
    """A framework without one says so, and hands on no None."""
    needs = Tool.from_function(lambda context: context, name="f", inject=("context",)).prepare({})
    with pytest.raises(TypeError, match="context"):
        execute(needs)
    assert execute(needs, None) is None


def test_results_are_text_for_models() -> None:
    """JSON where they have it."""
    results = ["text", {"a": [1]}, None, object]
    assert [result_text(result) for result in results[:3]] == ["text", '{"a":[1]}', "null"]
    assert "object" in result_text(results[3])


def test_what_is_spelled_out_refers_to_nothing() -> None:
    """Not even where a definition refers to itself, or where definitions multiply."""
    tree = {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "$ref": True}}
    root: dict[str, Any] = {"$defs": {"tree": tree, "one/": {"$ref": "#/$defs/tree"}}}
    part = {"anyOf": [{"$ref": "#/$defs/one~1", "title": "A tree"}, {"$ref": "#/$defs/none"}]}
    read = inline_refs(part, root)
    assert read["anyOf"][0]["title"] == "A tree"
    assert read["anyOf"][0]["properties"]["$ref"] is True
    assert "#/" not in str(read)

    definitions = {f"n{n}": {"prefixItems": [{"$ref": f"#/$defs/n{n + 1}"}] * 2} for n in range(40)}
    fan = {"$defs": {**definitions, "n40": {"type": "integer"}}}
    text = str(inline_refs({"$ref": "#/$defs/n0"}, fan))
    assert "#/" not in text
    assert text.count("prefixItems") <= MAX_INLINED_REFERENCES


def test_a_recast_tool_is_still_of_its_class() -> None:
    """And the original stays as it was."""

    class Theirs:
        name = "theirs"

        def call(self) -> str:
            return self.name

    class Loud:
        def call(self) -> str:
            return super().call().upper()  # type: ignore[misc]

    theirs = Theirs()
    ours = with_methods(theirs, Loud)
    assert isinstance(ours, Theirs)
    assert (ours.call(), theirs.call()) == ("THEIRS", "theirs")
    assert with_methods(ours, Loud).call() == "THEIRS"
