"""The names of properties in messages: renames, misplaced members, flattened objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from schema2model.json.pointers import JSONPath
from schema2model.json.values import type_of
from schema2model.likeness import meant
from schema2model.schema.nodes import Node

__all__ = [
    "MAX_COMPARED",
    "NameMatcher",
    "is_flattened",
    "may_fit",
    "names_to_validate",
    "only_place",
]

MAX_COMPARED = 300
"""Maximum names that are compared in one call to find the closest."""


class NameMatcher:
    """Compares names, at most `MAX_COMPARED` in one call."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED

    def closest(self, name: str, names: Sequence[str], *, keep: bool = True) -> str | None:
        """Return the name that another most likely means; None if there is none, or too many.

        `keep` caches the words of `names`: those of a schema may be, but not those of arguments.

        >>> NameMatcher().closest("max_result", ["max_results", "query"])
        'max_results'
        """
        if not names or len(names) > self._left:
            return None
        self._left -= len(names)
        return meant(name, names, keep=keep)


def may_fit(nodes: Sequence[Node], value: Any) -> bool:
    """Return whether a value may satisfy subschemas, perhaps after coercion.

    An object or array fits only where its type is allowed, other values only where another type is;
    text may be that of an object or array.
    """
    kind = type_of(value)
    if type(value) is str and value.lstrip()[:1] in {"{", "["}:
        return True
    if kind in {"object", "array"}:
        return all(node.accepts(kind) for node in nodes)
    return all(node.possible_types - {"object", "array", "null"} for node in nodes)


def is_flattened(nodes: Sequence[Node], value: dict[str, Any], unknown: Sequence[str]) -> bool:
    """Return whether all members of an object are those of a missing one."""
    if not unknown or len(unknown) < len(value):
        return False
    parts = [part for node in nodes for part in node.all_in_place()]
    return all(node.possible_types <= {"object", "null"} for node in nodes) and all(
        any(part.declares(name) for part in parts) for name in unknown
    )


def only_place(path: JSONPath, parts: Sequence[Node], name: str) -> JSONPath | None:
    """Return the only path at which a property of the same object declares a name."""
    found = {
        (*path, inner, name)
        for part in parts
        for inner, child in islice(part.properties.items(), MAX_COMPARED)
        if any(name in each.properties for each in child.all_in_place())
    }
    return found.pop() if len(found) == 1 else None


def names_to_validate(value: dict[str, Any], parts: Sequence[Node]) -> Iterable[str]:
    """Return the names worth validating: not those that `additionalProperties: false` rejects."""
    for node in parts:
        if node.forbids_additional and not node.patterns and len(node.properties) < len(value):
            return [name for name in node.properties if name in value]
    return value
