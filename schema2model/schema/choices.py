"""The choices of `enum` and `const` that subschemas accept, in linear time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final

from schema2model.json.equality import json_key
from schema2model.json.values import is_integral_float, type_of
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.verdicts import Verdicts

__all__ = ["valid_choices"]


def valid_choices(
    verdicts: Verdicts, nodes: Iterable[Node], choices: Iterable[Any]
) -> Callable[[Any], bool]:
    """Return the test whether one of some choices is valid under all nodes.

    The schema must not have dynamic references: each node is asked by itself.
    """
    filters = _Filter(verdicts, {json_key(choice): choice for choice in choices})
    accepted = {*filters.candidates}.intersection(*map(filters.accepted, nodes))
    return lambda choice: json_key(choice) in accepted


_IN_PLACE: Final = frozenset(
    ("type", "enum", "const", "$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else")
)
"""The keywords that `_Filter` applies itself."""


class _Filter:
    """Finds the candidates that a node accepts, by sets of their keys.

    Two enumerations are compared in linear time: jsonschema-rs would compare each value of one
    with each of the other.
    """

    def __init__(self, verdicts: Verdicts, candidates: dict[Hashable, Any]) -> None:
        self.verdicts = verdicts
        self.candidates = candidates
        self._accepted: dict[Node, set[Hashable]] = {}

    def accepted(self, node: Node) -> set[Hashable]:
        """Return the keys of the candidates that a node and its subschemas accept."""
        if node not in self._accepted:
            keys = {*self.candidates}
            for each in reachable([node], Node.conjuncts):
                keys &= self._listed(each, keys)
                keys &= self._of_branches(each, keys)
                keys &= self._valid_for_others(each, keys)
            self._accepted[node] = keys
        return self._accepted[node]

    def _listed(self, node: Node, keys: set[Hashable]) -> set[Hashable]:
        """Return those of some keys that a node's `enum`, `const` and `type` accept."""
        asserted = self.verdicts.asserted(node.place)
        if "enum" in asserted:
            keys = keys.intersection(map(json_key, node.schema["enum"]))
        if "const" in asserted:
            keys &= {json_key(node.schema["const"])}
        if node.types is not None:
            keys = {key for key in keys if _is_of(self.candidates[key], node.types)}
        return set() if node.is_false else keys

    def _of_branches(self, node: Node, keys: set[Hashable]) -> set[Hashable]:
        """Return those of some keys that a node's unions, `not` and conditions accept."""
        if node.any_of:
            keys = keys & set().union(*map(self.accepted, node.any_of))
        if node.one_of:
            times = Counter(key for each in node.one_of for key in self.accepted(each))
            keys = {key for key in keys if times[key] == 1}
        for each in node.negated:
            keys = keys - self.accepted(each)
        for test, *branches in ((each.test, each.then, each.otherwise) for each in node.conditions):
            passed = self.accepted(test)
            parts = (keys & passed, keys - passed)
            keys = set().union(
                *(
                    part if branch is None else part & self.accepted(branch)
                    for part, branch in zip(parts, branches, strict=True)
                )
            )
        return keys

    def _valid_for_others(self, node: Node, keys: set[Hashable]) -> set[Hashable]:
        """Return those of some keys that all other keywords of a node accept."""
        others = [name for name in self.verdicts.asserted(node.place) if name not in _IN_PLACE]
        if not others:
            return keys
        if any(name.startswith("unevaluated") for name in others):
            is_valid = self.verdicts.is_valid_at(node.place)  # which depends on all subschemas
        else:
            is_valid = self.verdicts.valid_for_keywords(node.place, *others)
        return {key for key in keys if is_valid(self.candidates[key])}


def _is_of(choice: Any, types: tuple[str, ...]) -> bool:
    name = "integer" if is_integral_float(choice) else type_of(choice)
    return name in types or (name == "integer" and "number" in types)
