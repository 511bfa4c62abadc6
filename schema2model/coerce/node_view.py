"""The names and types that tell the grammar of argument text where a string ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.text.schema_view import SchemaView

__all__ = ["NodeView"]


class NodeView(SchemaView):
    """The view of one location in a value: the nodes that apply there."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._views: dict[tuple[Node, ...], NodeView] = {}
        self._declared: dict[str, NodeView] = {}

    @cached_property
    def parts(self) -> Parts:
        """All subschemas that apply to the value."""
        return Parts.in_place(self._nodes)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.parts.names)

    def names(self) -> frozenset[str]:
        """Return the names of the declared properties."""
        return self._names

    def is_closed(self) -> bool:
        """Return whether no other names are allowed."""
        return any(part.forbids_additional for part in self.parts.nodes)

    def wants(self, kind: str) -> bool:
        """Return whether a node asks for a type."""
        return any(kind in part.expected_types for part in self.parts.nodes)

    def member(self, name: str) -> NodeView:
        """Return the view of a property: one for all to which the same subschemas apply."""
        view = self._declared.get(name)
        if view is None:
            view = self._view(self.parts.property_subschemas(name))
            if name in self._names:
                self._declared[name] = view
        return view

    def item(self) -> NodeView:
        """Return the view of an item; of the whole call, if it is an object in a list."""
        return self._item

    @cached_property
    def _item(self) -> NodeView:
        every = [part.items for part in self.parts.nodes if part.items]
        return self._view((*every, *(node for part in self.parts.nodes for node in part.prefix)))

    def _view(self, nodes: Iterable[Node]) -> NodeView:
        key = tuple(nodes)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = NodeView(key)
        return view
