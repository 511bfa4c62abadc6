"""Facts about subschemas that apply to the same value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from schema2model.schema.nodes import Node, reachable

__all__ = [
    "JSON_TYPES",
    "asserts",
    "declared_default",
    "definition_name",
    "description_of",
    "differ_in_encoding",
    "merged_types",
]


JSON_TYPES: Final = ("string", "number", "boolean", "null", "array", "object")
"""The types of JSON, scalars first."""


def asserts(node: Node) -> bool:
    """Return whether a node says more than the nodes that it refers to."""
    schema = node.schema if isinstance(node.schema, dict) else {}
    return (
        node.is_false
        or not node.has_only({"reference", "all_of"})
        or (not node.reference and "format" in schema)
        or "additionalProperties" in schema
    )


_FORMLESS: Final = frozenset(("required", "negated", "reference", "all_of", "types", "any_of"))


def differ_in_encoding(branches: Iterable[Node]) -> bool:
    """Return whether the branches of a union differ in more than what they require.

    Alternatives such as `{"required": ["a"]}` are checked when a call is decoded.
    """
    return any(
        node.is_false
        or not vars(node).keys() - {"residual"} <= _FORMLESS
        or node.types not in {None, ("object",)}
        or bool(node.any_of)
        or not {*node.residual} <= {"not"}
        for node in reachable(branches, Node.conjuncts)
    )


def description_of(nodes: Iterable[Node]) -> str:
    """Return the first description of some nodes."""
    for node in nodes:
        text = node.schema.get("description") if isinstance(node.schema, dict) else None
        if isinstance(text, str) and text.strip():
            return text
    return ""


def definition_name(nodes: Iterable[Node]) -> str:
    """Return the name of a definition or property that is the first of some nodes, or ""."""
    for node in nodes:
        path = node.place.path
        if len(path) > 1 and path[-2] in {"$defs", "definitions", "properties"}:
            return re.sub(r"[^a-zA-Z0-9_.-]", "_", str(path[-1]))[:_MAX_NAME]
    return ""


_MAX_NAME: Final = 60
"""Maximum characters of the name of a definition."""


def declared_default(nodes: Iterable[Node]) -> object:
    """Return the first default of some nodes, and of those that they refer to; None without one."""
    for node in reachable(nodes, Node.conjuncts):
        if isinstance(node.schema, dict) and node.schema.get("default") is not None:
            return node.schema["default"]
    return None


def merged_types(nodes: Iterable[Node]) -> tuple[str, ...] | None:
    """Return the types that all nodes allow, in the order of the first; None if all are allowed."""
    merged: tuple[str, ...] | None = None
    for node in nodes:
        if node.types is None:
            continue
        merged = node.types if merged is None else tuple(_common(merged, node.types))
    if merged is not None and "number" in merged:
        merged = tuple(name for name in merged if name != "integer")
    return merged


def _common(types: tuple[str, ...], others: tuple[str, ...]) -> Iterable[str]:
    for name in types:
        if name in others or (name == "integer" and "number" in others):
            yield name
        elif name == "number" and "integer" in others:
            yield "integer"
