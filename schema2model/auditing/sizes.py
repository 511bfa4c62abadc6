"""Rules about definitions as a whole: whether they can be used, their shape at the top, size."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from schema2model.auditing.examined import MAX_EXAMINED, Examined
from schema2model.auditing.records import Found

__all__ = [
    "deep_schema",
    "large_schema",
    "many_parameters",
    "recursive_schema",
    "root_not_object",
    "root_union",
    "unusable",
]

MAX_SIZE = 10_000
"""Bytes of a schema; about 2,500 tokens, in every request."""

MAX_LEVELS = 5
"""Values within values; OpenAI's strict mode once took no more."""

MAX_PARAMETERS = 20
"""Properties of the arguments."""

_UNIONS = ("oneOf", "anyOf", "allOf", "enum", "not")


def unusable(tool: Examined) -> Iterator[Found]:
    """A definition that cannot be read, or whose schema cannot be compiled."""
    if tool.error is not None:
        place = tool.error.pointer
        yield Found(place, str(tool.error).removeprefix(place).lstrip(": "))


def root_not_object(tool: Examined) -> Iterator[Found]:
    """Arguments that are not said to be an object: no provider takes that."""
    if tool.root is not None and tool.root.types != ("object",):
        yield Found("", 'the schema has no "type": "object" at its top')


def root_union(tool: Examined) -> Iterator[Found]:
    """Alternatives at the top, which OpenAI and Anthropic refuse."""
    schema = tool.root.schema if tool.root else None
    if isinstance(schema, dict):
        for keyword in _UNIONS:
            if keyword in schema:
                yield Found(f"/{keyword}", f"{keyword} stands at the top of the schema")


def large_schema(tool: Examined) -> Iterator[Found]:
    """A schema that takes much of the model's context."""
    count = len(tool.reached)
    if count > MAX_EXAMINED:
        yield Found("", f"the schema has {count:,} subschemas; they are not looked at one by one")
    elif tool.size > MAX_SIZE:
        yield Found("", f"the schema has {tool.size:,} bytes")


def deep_schema(tool: Examined) -> Iterator[Found]:
    """Objects and arrays within one another."""
    node, level = max(tool.reached, key=lambda each: each[1], default=(None, 0))
    if node is not None and level > MAX_LEVELS:
        yield Found(node.place.pointer, f"there are {level} levels of values within values")


def many_parameters(tool: Examined) -> Iterator[Found]:
    """More parameters than a model keeps apart."""
    count = len(tool.root.properties) if tool.root else 0
    if count > MAX_PARAMETERS:
        yield Found("/properties", f"the tool has {count} parameters")


def recursive_schema(tool: Examined) -> Iterator[Found]:
    """A schema that contains itself."""
    by_id = {id(node): node for node in tool.nodes}
    below = {
        key: [id(part) for part in (*node.in_place(), *node.members()) if id(part) in by_id]
        for key, node in by_id.items()
    }
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        circle = [by_id[key].place.pointer for key in error.args[1]]
        yield Found(min(circle, key=len), "the schema contains itself")
