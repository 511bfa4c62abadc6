"""What the adapters share."""

from __future__ import annotations

from typing import Any

from schema2model.adapters.common import with_methods
from schema2model.limits import MAX_INLINED_REFERENCES
from schema2model.tools.providers.simplifying import inline_refs
from schema2model.tools.result_writing import result_text
from schema2model.tools.tool_cache import compile_checker


def test_a_schema_of_geminis_is_read() -> None:
    """Types are in capitals there."""
    tool = compile_checker(
        "search", {"type": "OBJECT", "properties": {"limit": {"type": "INTEGER"}}}
    )
    assert tool is not None
    assert tool.prepare({"limit": "3"}).arguments == {"limit": 3}


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
