"""Tests whether a core schema of pydantic-core says all that a node says.

`lowering` makes a core schema of every node. If a node says more, jsonschema-rs checks what the
core schema accepts.
"""

from __future__ import annotations

from schema2model.coerce.rules.plan import Plan
from schema2model.json.values import type_of
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node

__all__ = ["EXACT_FLOATS", "MAX_INT", "is_native_bound", "may_be", "says_more", "tags"]

EXACT_FLOATS = 2**53
"""Integers up to here are floats too, without loss (IEEE 754 binary64)."""

MAX_INT = 2**63 - 1
"""The greatest integer that a literal of pydantic-core may be."""


def says_more(node: Node, plan: Plan) -> bool:
    """Return whether a node says more than its core schema.

    A core schema is complete in two cases: a node has only assertions, or it has none and a single
    subschema, or a single union, says everything.
    """
    if node.has_only(*_LOWERED):
        return False
    if node.residual or node.conditions or node.dependent or node.prefix or node.patterns:
        return True
    groups = sum(map(bool, (node.any_of, node.one_of, node.reference, node.all_of)))
    if groups > 1 or (groups and node.has_assertions()) or len(node.reference + node.all_of) > 1:
        return True
    if node.one_of and not tags(node.one_of, plan):
        return True
    if node.choices is not None:
        return not _are_literals(node)
    whole = node.types is not None and "number" not in node.types
    return any(not is_native_bound(name, bound, whole) for name, bound in node.bounds.items())


_LOWERED = ("types", "properties", "additional", "required", "items", "lengths", "sizes")
"""Attributes that a core schema always includes."""


def tags(branches: tuple[Node, ...], plan: Plan) -> tuple[str, dict[str, Node]] | None:
    """Return the discriminator of a union, and the branch for each of its texts.

    None if rules read strings that are valid, too: such a text may mean something else.
    """
    return None if plan.coercion.reads_strings else branches_by_text(branches)


def _are_literals(node: Node) -> bool:
    """Return whether a node has only choices and types for which pydantic-core has literals."""
    if not node.has_only("choices", "types"):
        return False
    return all(
        kind in {"null", "boolean", "string"} or (kind == "integer" and abs(choice) <= MAX_INT)
        for choice in node.choices or ()
        if may_be((kind := type_of(choice)), node.types)
    )


def may_be(kind: str, types: tuple[str, ...] | None) -> bool:
    """Return whether a value of a type may be of certain types; 1.0 may be an integer."""
    return types is None or kind in types or (kind in _NUMBERS and not _NUMBERS.isdisjoint(types))


_NUMBERS = frozenset(("integer", "number"))


def is_native_bound(name: str, bound: float, whole: bool) -> bool:  # noqa: FBT001 - of integers only
    """Return whether pydantic-core applies a bound exactly: it allows for rounding of floats."""
    if name == "multiple_of":
        return whole and isinstance(bound, int)
    return whole or isinstance(bound, float) or abs(bound) <= EXACT_FLOATS
