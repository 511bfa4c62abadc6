"""The subschemas of the members of a value to which several apply."""

from __future__ import annotations

from collections.abc import Iterable, KeysView
from functools import cached_property
from itertools import chain

from schema2model.schema.nodes import Node, reachable

__all__ = ["Parts"]


class Parts:
    """The subschemas that apply to one value: the names they declare, and those of its members.

    Hundreds of them may have one name each: many names take time in proportion to the sum of both
    and not to their product, apart from patterns.

    >>> from schema2model import compile_schema
    >>> schema = {"allOf": [{"properties": {"a": {}}}, {"patternProperties": {"^x-": {}}}]}
    >>> parts = Parts.in_place([compile_schema(schema)._engine.root])
    >>> [*parts.names], parts.declares("x-b"), len(parts.property_subschemas("a"))
    (['a'], True, 1)
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)

    @classmethod
    def in_place(cls, nodes: Iterable[Node]) -> Parts:
        """Return some nodes with all that applies in place of them, directly or not."""
        return cls(reachable(nodes, Node.in_place_subschemas))

    @cached_property
    def names(self) -> KeysView[str]:
        """The names of `properties`, in their order."""
        if len(self.nodes) == 1:
            return self.nodes[0].properties.keys()
        return dict.fromkeys(name for node in self.nodes for name in node.properties).keys()

    def declares(self, name: str) -> bool:
        """Return whether `properties` or `patternProperties` describes a name."""
        return name in self.names or any(
            pattern.matches(name) for node in self._open.values() for pattern in node.patterns
        )

    def property_subschemas(self, name: str) -> tuple[Node, ...]:
        """Return the subschemas that apply to a property; see `Node.property_subschemas`."""
        if len(self.nodes) == 1:
            return self.nodes[0].property_subschemas(name)
        # in the order of the schema: messages name the first
        described = map(self.nodes.__getitem__, sorted((*self._owners.get(name, ()), *self._open)))
        return _distinct(node.property_subschemas(name) for node in described)

    def item_subschemas(self, index: int) -> tuple[Node, ...]:
        """Return the subschemas that apply to the item at an index; see `Node.item_subschemas`."""
        if len(self.nodes) == 1:
            return self.nodes[0].item_subschemas(index)
        return _distinct(node.item_subschemas(index) for node in self.nodes)

    @cached_property
    def _open(self) -> dict[int, Node]:
        """The nodes that may describe any name, by their index."""
        return {
            index: node
            for index, node in enumerate(self.nodes)
            if node.patterns or node.additional is not None
        }

    @cached_property
    def _owners(self) -> dict[str, list[int]]:
        """The indices of the other nodes, by the names of their properties."""
        owners: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            if index not in self._open:
                for name in node.properties:
                    owners.setdefault(name, []).append(index)
        return owners


def _distinct(groups: Iterable[tuple[Node, ...]]) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
