"""Shapes of the objects that a node accepts, with all its subschemas."""

from __future__ import annotations

from dataclasses import dataclass

from schema2model.schema.nodes import Node, reachable

__all__ = ["Shape", "Shapes"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of the objects that a node accepts.

    `parts` are the node and those that every valid instance satisfies, too. `fields` are the
    declared properties, each with alternative schemas, or none if it may have any value. `required`
    are the properties that every object surely has. An object that is `closed` has no undeclared
    property.
    """

    parts: list[Node]
    fields: dict[str, list[Node]]
    required: set[str]
    closed: bool


class Shapes(dict[Node, Shape]):
    """The shapes of nodes, each made on first use."""

    def __missing__(self, node: Node) -> Shape:
        parts = reachable([node], Node.conjuncts)
        fields: dict[str, list[Node]] = {}
        required: set[str] = set()
        for part in parts:
            required |= part.required
            for name, child in part.properties.items():
                fields.setdefault(name, [child])
        groups = [group for part in parts for group in (part.any_of, part.one_of) if group]
        for branches in ([self[branch] for branch in group] for group in groups):
            required |= set.intersection(*(branch.required for branch in branches))
            for name, alternatives in _offered(branches).items():
                fields.setdefault(name, alternatives)
        closed = any(e.is_false or (e.forbids_additional and not e.patterns) for e in parts)
        made = self[node] = Shape(parts, fields, required, closed)
        return made


def _offered(branches: list[Shape]) -> dict[str, list[Node]]:
    """Return the fields of objects of one of several shapes."""
    found: dict[str, list[Node]] = {}
    for name in dict.fromkeys(name for branch in branches for name in branch.fields):
        known = [
            branch.fields.get(name, [])
            for branch in branches
            if name in branch.fields or not branch.closed
        ]
        alternatives = dict.fromkeys(node for each in known for node in each)
        found[name] = [*alternatives] if all(known) else []
    return found
