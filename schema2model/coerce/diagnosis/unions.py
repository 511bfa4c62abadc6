"""The branches of `anyOf` and `oneOf`, nested unions included, and which of them a value means."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from schema2model.json.equality import json_key, membership
from schema2model.json.values import type_of
from schema2model.schema.discriminators import discriminator
from schema2model.schema.nodes import Node, reachable

__all__ = [
    "Leaf",
    "absent_count",
    "discriminator_of",
    "fits",
    "flatten_branches",
    "mismatch_count",
    "open_unions",
    "required_and_allowed",
]

MAX_LEAVES = 2_000
"""Maximum branches of a union; after them, nested unions count as one branch each."""

MAX_LOOKED_AT = 50
"""Maximum properties of a value that are compared with a branch."""

MAX_TAGS = 8
"""Maximum properties that are tried as discriminators."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A branch of a union, or of a nested union: the subschemas that apply under it.

    `opened` are the identities of the unions that contain it.
    """

    nodes: tuple[Node, ...]
    opened: frozenset[int] = frozenset()

    @cached_property
    def tags(self) -> dict[str, Node]:
        """The properties that have a choice of values, with the subschemas that list them."""
        tags: dict[str, Node] = {}
        for node in self.nodes:
            for name, child in node.properties.items():
                for each in closure((child,)):
                    if each.choices:
                        tags.setdefault(name, each)
        return tags

    @cached_property
    def required(self) -> frozenset[str]:
        """The properties that it requires."""
        return frozenset(name for node in self.nodes for name in node.required)


def closure(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the subschemas with all those that they refer to or join by `allOf`."""
    return tuple(reachable(nodes, Node.conjuncts))


def required_and_allowed(node: Node) -> tuple[frozenset[str], frozenset[str] | None]:
    """Return the names that a branch requires, and those that it allows; None if it allows others.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    >>> [*map(sorted, required_and_allowed(compile_schema(schema)._engine.root))]
    [['a'], ['a']]
    """
    node = node.dereferenced()
    alone = node.forbids_additional and not node.patterns and not node.has_in_place_subschemas()
    return Leaf(closure((node,))).required, frozenset(node.properties) if alone else None


def flatten_branches(group: Sequence[Node]) -> tuple[Leaf, ...]:
    """Return the branches of a union, and those of nested unions in their place."""
    leaves: list[Leaf] = []
    queue: list[tuple[tuple[Node, ...], frozenset[int]]] = [((n,), frozenset()) for n in group]
    queue.reverse()
    while queue:
        nodes, opened = queue.pop()
        nodes = closure(nodes)
        unions = open_unions(nodes, opened)
        if not unions or len(leaves) + len(queue) + len(unions[0]) > MAX_LEAVES:
            leaves.append(Leaf(nodes, opened))
        else:
            opened |= {id(unions[0])}
            queue += [((*nodes, branch), opened) for branch in reversed(unions[0])]
    return tuple(leaves)


def open_unions(nodes: Sequence[Node], opened: frozenset[int]) -> list[tuple[Node, ...]]:
    """Return the unions of some nodes, except for those in `opened`."""
    unions = (group for node in nodes for group in (node.any_of, node.one_of))
    return [group for group in unions if group and id(group) not in opened]


def discriminator_of(leaves: Sequence[Leaf], value: Any) -> str | None:
    """Return the discriminator of the branches for objects; None if there is none.

    Each branch has its own choices for that property, and requires it unless the value has it.
    """
    if type(value) is not dict:
        return None
    objects = [leaf for leaf in leaves if _type_fits(leaf.nodes, value)]
    if len(objects) < 2:  # noqa: PLR2004 - one alone needs no discriminator
        return None

    def choices(leaf: Leaf, name: str) -> set[Hashable]:
        chosen = leaf.tags.get(name) if name in leaf.required or name in value else None
        return set() if chosen is None else {*map(json_key, chosen.choices or ())}

    return discriminator(islice(objects[0].tags, MAX_TAGS), objects, choices)


def fits(leaf: Leaf, value: Any, tag: str | None) -> bool:
    """Return whether a branch may be meant by a container: the one that a discriminator names.

    Without a discriminator, it may unless a constant of the branch differs.
    """
    if not _type_fits(leaf.nodes, value):
        return False
    has_tag = type(value) is dict and tag in value
    return type(value) is list or all(
        membership(chosen.choices or ())(value[name])
        for name, chosen in leaf.tags.items()
        if name in value and (name == tag if has_tag else len(chosen.choices or ()) == 1)
    )


def _type_fits(nodes: Sequence[Node], value: Any) -> bool:
    return all(node.accepts(type_of(value)) for node in nodes)


def mismatch_count(leaf: Leaf, value: Any) -> int:
    """Return a shallow count of the mismatches between a value and a branch."""
    if type(value) is not dict:
        return 0
    wrong = len(leaf.required - value.keys())
    for name in islice(value, MAX_LOOKED_AT):
        for node in leaf.nodes:
            wrong += not _type_fits(node.property_subschemas(name), value[name])
    return wrong


def absent_count(leaf: Leaf, value: Any, closest: Callable[..., str | None]) -> int:
    """Return the number of names that a branch requires and a value has in no spelling.

    `closest` returns the one of some names that another most likely means.
    """
    if type(value) is not dict:
        return 0
    names = islice(value, MAX_LOOKED_AT)
    loose = [each for each in names if all(each not in node.properties for node in leaf.nodes)]
    missing = leaf.required - value.keys()
    return sum(closest(name, loose, keep=False) is None for name in missing)
