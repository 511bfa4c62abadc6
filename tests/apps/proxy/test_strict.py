"""The proxy between a client with strict definitions and a server that knows nothing of them."""

from __future__ import annotations

from on_a_loop import Sides
from proxied import call

from schema2model import compile_schema

SCHEMA = {
    "type": "object",
    "properties": {"limit": {"type": "integer"}, "env": {"additionalProperties": {}}},
}


def test_the_client_is_shown_projections() -> None:
    """All else of a tool stays; one that has no projection is not among them."""
    broken = {"name": "broken", "inputSchema": {"type": "strange"}}
    never = {"name": "never", "inputSchema": {"properties": {"a": False}, "required": ["a"]}}
    tool = {"name": "search", "title": "Search", "inputSchema": SCHEMA}
    shown = Sides(strict="openai").lists(tool, broken, never, "no tool")["tools"]
    projection = compile_schema(SCHEMA).strict("openai").schema
    assert shown == [{**tool, "inputSchema": projection}]


def test_calls_are_decoded() -> None:
    """The server gets arguments for its own schema; decoding counts as no change."""
    ends = Sides(strict="openai")
    ends.lists({"name": "search", "inputSchema": SCHEMA})
    ends.say(call(1, {"limit": None, "env": None}), call(2, {"limit": "3", "env": None}))
    assert [ends.arrived()["params"]["arguments"] for _ in range(2)] == [{}, {"limit": 3}]
    assert ends.proxy.tally.lines()[0][0] == "of 2 calls, 1 coerced"
