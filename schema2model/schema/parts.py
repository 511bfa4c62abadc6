"""What applies to the members of a value to which several subschemas apply."""

from __future__ import annotations

from collections.abc import Iterable, KeysView
from functools import cached_property

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
        return dict.fromkeys(name for node in self.nodes for name in node.properties).keys()

    def declares(self, name: str) -> bool:
        """Return whether `properties` or `patternProperties` describes a name."""
        return name in self.names or any(
            pattern.matches(name) for node in self._open for pattern in node.patterns
        )

    def property_subschemas(self, name: str) -> tuple[Node, ...]:
        """Return the subschemas that apply to a property; see `Node.property_subschemas`."""
        if len(self.nodes) == 1:
            return self.nodes[0].property_subschemas(name)
        found = dict.fromkeys(self._by_name.get(name, ()))
        for node in self._open:
            found |= dict.fromkeys(node.property_subschemas(name))
        return (*found,)

    def item_subschemas(self, index: int) -> tuple[Node, ...]:
        """Return the subschemas that apply to the item at an index; see `Node.item_subschemas`."""
        if len(self.nodes) == 1:
            return self.nodes[0].item_subschemas(index)
        found: dict[Node, None] = {}
        for node in self.nodes:
            found |= dict.fromkeys(node.item_subschemas(index))
        return (*found,)

    @cached_property
    def _open(self) -> list[Node]:
        """The nodes that may describe any name."""
        return [node for node in self.nodes if node.patterns or node.additional is not None]

    @cached_property
    def _by_name(self) -> dict[str, list[Node]]:
        """The properties of the others."""
        named: dict[str, list[Node]] = {}
        for node in self.nodes:
            if not node.patterns and node.additional is None:
                for name, child in node.properties.items():
                    named.setdefault(name, []).append(child)
        return named
