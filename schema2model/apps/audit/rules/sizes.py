"""Rules about the size of schemas: how long, how deep, how many parameters."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from schema2model.apps.audit.audited_tools import AuditedTool
from schema2model.apps.audit.findings import Found, rule
from schema2model.limits import MAX_AUDITED_SUBSCHEMAS

MAX_SIZE = 10_000
"""Bytes of a schema; about 2,500 tokens, in every request."""

MAX_LEVELS = 5
"""Values within values; OpenAI's strict mode once took no more."""

MAX_PARAMETERS = 20
"""Properties of the arguments."""


@rule(
    "recursive-schema",
    "warning",
    "Spell out as many levels as are needed: Gemini and strict modes refuse recursion.",
)
def recursive_schema(tool: AuditedTool) -> Iterator[Found]:
    """The schema contains itself."""
    by_id = {id(node): node for node in tool.nodes}
    below = {
        key: [
            id(part)
            for part in (*node.in_place_subschemas(), *node.child_subschemas())
            if id(part) in by_id
        ]
        for key, node in by_id.items()
    }
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        circle = [by_id[key].place.pointer for key in error.args[1]]
        yield Found(min(circle, key=len), "the schema contains itself")


@rule(
    "large-schema",
    "warning",
    "Split the tool, or shorten its descriptions: every request carries all of it.",
)
def large_schema(tool: AuditedTool) -> Iterator[Found]:
    """The schema is very large."""
    count = len(tool.reached)
    if count > MAX_AUDITED_SUBSCHEMAS:
        yield Found("", f"the schema has {count:,} subschemas; they are not looked at one by one")
    elif tool.size > MAX_SIZE:
        yield Found("", f"the schema has {tool.size:,} bytes")


@rule(
    "deep-schema",
    "warning",
    "Flatten it; models lose count of brackets, and providers bound the depth.",
)
def deep_schema(tool: AuditedTool) -> Iterator[Found]:
    """Values are nested deeply."""
    node, level = max(tool.reached, key=lambda each: each[1], default=(None, 0))
    if node is not None and level > MAX_LEVELS:
        yield Found(node.place.pointer, f"there are {level} levels of values within values")


@rule("many-parameters", "note", "Split the tool by what it is used for.")
def many_parameters(tool: AuditedTool) -> Iterator[Found]:
    """The tool has many parameters."""
    count = len(tool.root.properties) if tool.root else 0
    if count > MAX_PARAMETERS:
        yield Found("/properties", f"the tool has {count} parameters")
