"""The names and types that tell the grammar of argument text where a string ends."""

from __future__ import annotations

from collections.abc import Sequence

from schema2model.schema.nodes import Node
from schema2model.text.schema_view import SchemaView

__all__ = ["NodeView"]


class NodeView(SchemaView):
    """A place in a value, described by the nodes that apply there."""

    __slots__ = ("_item", "_members", "_names", "_nodes", "_parts")

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._parts: list[Node] | None = None
        self._names: frozenset[str] | None = None
        self._members: dict[tuple[Node, ...], NodeView] = {}
        self._item: NodeView | None = None

    def _applying(self) -> list[Node]:
        if self._parts is None:
            self._parts = [part for node in self._nodes for part in node.all_in_place()]
        return self._parts

    def names(self) -> frozenset[str]:
        """The names of the declared properties."""
        if self._names is None:
            self._names = frozenset(name for part in self._applying() for name in part.properties)
        return self._names

    def is_closed(self) -> bool:
        """Whether no other names are allowed."""
        return any(part.forbids_additional for part in self._applying())

    def wants(self, kind: str) -> bool:
        """Whether a node asks for a type."""
        return any(kind in part.expected_types for part in self._applying())

    def member(self, name: str) -> NodeView:
        """The place of a property: one for all to which the same subschemas apply."""
        nodes = tuple(
            child for part in self._applying() for child in part.property_subschemas(name)
        )
        place = self._members.get(nodes)
        if place is None:
            place = self._members[nodes] = NodeView(nodes)
        return place

    def item(self) -> NodeView:
        """The place of an item; of the whole call, if it is an object in a list."""
        if self._item is None:
            nodes = [part.items for part in self._applying() if part.items]
            nodes += [node for part in self._applying() for node in part.prefix]
            self._item = NodeView(nodes)
        return self._item
