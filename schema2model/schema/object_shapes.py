"""What the objects look like that a node accepts, all its subschemas taken together."""

from __future__ import annotations

from dataclasses import dataclass

from schema2model.schema.nodes import Node, reached

__all__ = ["Shape", "Shapes"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a node comes to.

    `parts` are the node and those that hold wherever it does. `fields` are the properties that are
    declared, each with schemas of which one holds, or none if any value may stand there. `required`
    are those that every object has, as far as that is plain. An object that is `closed` has no
    property that is not declared.
    """

    parts: list[Node]
    fields: dict[str, list[Node]]
    required: set[str]
    closed: bool


class Shapes(dict[Node, Shape]):
    """The shapes of nodes, each made when it is first asked for."""

    def __missing__(self, node: Node) -> Shape:
        parts = reached([node], Node.conjuncts)
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
        made = self[node] = Shape(parts, fields, required, any(map(_is_closed, parts)))
        return made


def _offered(branches: list[Shape]) -> dict[str, list[Node]]:
    """The fields of objects that are of one of several shapes."""
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


def _is_closed(node: Node) -> bool:
    return node.never or (node.closed and not node.patterns)
