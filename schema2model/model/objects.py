"""Finds the schema of an object or list, among the branches of a property.

Nested models, defaults and `from_attributes` use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from schema2model.json.values import is_integral_float
from schema2model.limits import MAX_UNION_BRANCHES
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node
from schema2model.schema.object_shapes import Shapes
from schema2model.schema.verdicts import Verdicts

__all__ = ["Objects", "default_of"]

Kind = Literal["object", "array"]


class Objects:
    """The shapes of the objects and lists of a schema."""

    __slots__ = ("_branches", "_verdicts", "models", "names", "shapes")

    def __init__(self, verdicts: Verdicts) -> None:
        self._verdicts = verdicts
        self._branches: dict[tuple[Node, Kind], list[Node]] = {}
        self.shapes = Shapes()
        self.models: dict[Node, type[Any]] = {}
        """The models that were made of them."""
        self.names: dict[Node, str] = {}
        """Their class names, once a model of one was built."""

    def matching_schema(self, nodes: Iterable[Node], value: Any, kind: Kind) -> Node | None:
        """Return the schema of a valid object or list; None if it is ambiguous."""
        branches = [branch for node in nodes for branch in self.branches(node, kind)]
        if len(branches) == 1:
            return branches[0]
        if kind == "object":
            by_tag = branches_by_text(branches)
            if by_tag is not None:
                text = value.get(by_tag[0])
                return by_tag[1].get(text) if type(text) is str else None
        return next((node for node in branches if self.is_valid(node, value)), None)

    def is_valid(self, node: Node, value: Any) -> bool:
        """Return whether a value is valid without coercion; False if it is not JSON."""
        try:
            return self._verdicts.is_valid_at(node.place)(value)
        except Exception:  # noqa: BLE001 - what a program has put there may raise anything
            return False

    def branches(self, node: Node, kind: Kind) -> list[Node]:
        """Return the schemas without a union under a node that accept a type."""
        known = self._branches.get((node, kind))
        if known is not None:
            return known
        found: dict[Node, None] = {}
        seen: set[Node] = set()
        todo = [node]
        while todo and len(seen) < MAX_UNION_BRANCHES:
            branch = todo.pop().dereferenced()
            if branch in seen or not branch.accepts(kind):
                continue
            seen.add(branch)
            parts = self.shapes[branch].parts
            group = next((g for p in parts for g in (p.any_of, p.one_of) if g), ())
            has_members = any(
                part.properties if kind == "object" else part.items or part.prefix for part in parts
            )
            if group and not has_members:
                todo += reversed(group)
            else:
                found[branch] = None
        made = self._branches[node, kind] = [*found]
        return made

    def fields(self, node: Node) -> Mapping[str, list[Node]]:
        """Return the properties of a schema's objects, each with its alternative schemas."""
        return self.shapes[node].fields

    def property_schemas(self, node: Node) -> Callable[[str], Sequence[Node]]:
        """Return the schemas of a property by its name, where the object's own are not declared."""
        parts = self.shapes[node].parts
        free = [part.additional for part in parts if part.additional is not None]
        patterned = any(part.patterns for part in parts)
        fields = self.fields(node)
        return lambda name: fields.get(name, () if patterned else free)

    def item_schemas(self, node: Node) -> Callable[[int], Sequence[Node]]:
        """Return the schemas of an item by its index."""
        parts = self.shapes[node].parts

        def at(index: int) -> Sequence[Node]:
            return [child for part in parts for child in part.item_subschemas(index)]

        return at

    def may_hold_fields(self, nodes: Iterable[Node]) -> bool:
        """Return whether a value may be, or contain, an object with declared properties."""
        seen: set[Node] = set()
        todo = [*nodes]
        for node in todo:  # which grows on the way
            for branch in (*self.branches(node, "object"), *self.branches(node, "array")):
                if branch in seen:
                    continue
                seen.add(branch)
                if branch.accepts("object") and self.fields(branch):
                    return True
                for part in self.shapes[branch].parts:
                    todo += (*part.prefix, *filter(None, (part.items, part.additional)))
        return False


def _is_integer(value: Any, node: Node) -> bool:
    """Return whether a value is a float such as 3.0 where an integer is expected, and no number."""
    if not is_integral_float(value):
        return False
    expected = {kind for part in node.all_in_place() for kind in part.expected_types}
    return "integer" in expected and "number" not in expected


def default_of(node: Node) -> tuple[bool, Any]:
    """Return whether a schema has a default, and which: its own, or that of what it refers to."""
    seen = set()
    while node not in seen:
        seen.add(node)
        if isinstance(node.schema, dict) and "default" in node.schema:
            default = node.schema["default"]
            return True, int(default) if _is_integer(default, node) else default
        around = node.conjuncts()
        if len(around) == 1:
            node = around[0]
    return False, None
