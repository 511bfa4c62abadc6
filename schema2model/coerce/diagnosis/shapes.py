"""Shapes of lists and objects for messages: the names, without values that a model would copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schema2model.coerce.diagnosis.members import MemberChecker
from schema2model.coerce.diagnosis.unions import closure, flatten_branches, open_unions
from schema2model.json.quoting import MAX_EXAMPLE, quoted
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.schema.verdicts import Verdicts

__all__ = ["ExampleShapes"]

MAX_LEVELS = 5
"""Maximum levels of containers in a shape."""


class ExampleShapes:
    """Writes the shapes of examples. A value is shown only where no other is accepted."""

    def __init__(self, verdicts: Verdicts) -> None:
        self._members = MemberChecker(verdicts)

    def text(self, groups: Sequence[Sequence[Node]], example: Any) -> str | None:
        """Return the shape of an example that one group of subschemas accepts.

        It is empty for an empty container, and None if it is too long for a message.
        """
        if not example:
            return ""
        nodes = next((nodes for nodes in groups if self._members.valid(nodes, example)), ())
        text = self._text(nodes, example, 0)
        return text if len(text) <= MAX_EXAMPLE else None

    def _text(self, nodes: Sequence[Node], value: Any, level: int) -> str:
        nodes = self._applicable(nodes, value)
        if level > MAX_LEVELS:
            return "…"
        parts = Parts(nodes)
        if type(value) is dict:
            members = (
                f"{quoted(name)}: {self._text(parts.property_subschemas(name), member, level + 1)}"
                for name, member in value.items()
            )
            return f"{{{', '.join(members)}}}"
        if type(value) is list:
            items = (
                self._text(parts.item_subschemas(index), item, level + 1)
                for index, item in enumerate(value)
            )
            return f"[{', '.join(dict.fromkeys(items))}]"
        if any(node.choices is not None and len(node.choices) == 1 for node in nodes):
            return quoted(value)
        return '"…"' if type(value) is str else "…"

    def _applicable(self, nodes: Sequence[Node], value: Any) -> tuple[Node, ...]:
        """Return the subschemas with those of the branches that accept a value."""
        nodes = closure(nodes)
        for group in open_unions(nodes, frozenset()):
            for leaf in flatten_branches(group):
                if self._members.valid(leaf.nodes, value):
                    nodes += leaf.nodes
                    break
        return nodes
