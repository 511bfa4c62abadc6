"""`anyOf` and `oneOf`: which branches there are all told, and which of them was meant."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
    "discriminator_of",
    "fits",
    "flatten_branches",
    "mismatch_count",
    "required_and_allowed",
]

MAX_LEAVES = 2_000
"""Branches that are told apart; behind that many, a branch stands for those in it."""

MAX_LOOKED_AT = 50
"""Properties of a value that are looked at to tell which branch it is nearest to."""

MAX_TAGS = 8
"""Properties that may be the one that tells branches apart."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A branch of a union, or of a union within it: all the subschemas that it asks for.

    `tags` are its properties that only certain values may have, `opened` the identities of the
    unions of which it is a branch.
    """

    nodes: tuple[Node, ...]
    tags: dict[str, Node]
    opened: frozenset[int] = frozenset()

    @classmethod
    def of(cls, *nodes: Node, opened: frozenset[int] = frozenset()) -> Leaf:
        """The leaf of subschemas that all apply."""
        closed = closure(nodes)
        tags: dict[str, Node] = {}
        for node in closed:
            for name, child in node.properties.items():
                chosen = next((each for each in closure((child,)) if each.choices), None)
                if chosen is not None and name not in tags:
                    tags[name] = chosen
        return cls(closed, tags, opened)

    @cached_property
    def required(self) -> frozenset[str]:
        """The properties that it requires."""
        return _required_by(self.nodes)


def closure(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The subschemas with all those that they refer to or join by `allOf`."""
    return tuple(reachable(nodes, Node.conjuncts))


def required_and_allowed(node: Node) -> tuple[frozenset[str], frozenset[str] | None]:
    """The names that a branch requires of an object, and those that it allows; None if unknown.

    >>> from schema2model import compile_schema
    >>> schema = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    >>> [*map(sorted, names_of(compile_schema(schema).engine.root))]
    [['a'], ['a']]
    """
    node = node.dereferenced()
    alone = node.forbids_additional and not node.patterns and not node.has_in_place_subschemas()
    return _required_by(closure((node,))), frozenset(node.properties) if alone else None


def _required_by(nodes: Sequence[Node]) -> frozenset[str]:
    return frozenset(name for node in nodes for name in node.required)


def flatten_branches(group: Sequence[Node]) -> tuple[Leaf, ...]:
    """The branches of a union; where one is a union itself, the branches of that."""
    leaves: list[Leaf] = []
    queue: list[tuple[tuple[Node, ...], frozenset[int]]] = [((n,), frozenset()) for n in group]
    queue.reverse()
    while queue:
        nodes, opened = queue.pop()
        nodes = closure(nodes)
        union = next(
            (
                branches
                for node in nodes
                for branches in (node.any_of, node.one_of)
                if branches and id(branches) not in opened
            ),
            None,
        )
        if union is None or len(leaves) + len(queue) + len(union) > MAX_LEAVES:
            leaves.append(Leaf.of(*nodes, opened=opened))
        else:
            opened |= {id(union)}
            queue += [((*nodes, branch), opened) for branch in reversed(union)]
    return tuple(leaves)


def discriminator_of(leaves: Sequence[Leaf], value: Any) -> str | None:
    """The property by which the branches for objects are told apart; None if there is none.

    Each of them has a choice of its own there, and requires it or was sent it.
    """
    if type(value) is not dict:
        return None
    objects = [leaf for leaf in leaves if _type_fits(leaf, value)]
    if len(objects) < 2:  # noqa: PLR2004 - what is to be told apart
        return None

    def choices(leaf: Leaf, name: str) -> set[Hashable]:
        chosen = leaf.tags.get(name) if name in leaf.required or name in value else None
        return set() if chosen is None else {*map(json_key, chosen.choices or ())}

    return discriminator(islice(objects[0].tags, MAX_TAGS), objects, choices)


def fits(leaf: Leaf, value: Any, tag: str | None) -> bool:
    """Whether a branch may be meant by a container; where not, it refuses it for certain."""
    if not _type_fits(leaf, value):
        return False
    return type(value) is list or all(
        membership(chosen.choices or ())(value[name])
        for name, chosen in leaf.tags.items()
        if name in value and (name == tag or len(chosen.choices or ()) == 1)
    )


def _type_fits(leaf: Leaf, value: Any) -> bool:
    kind = type_of(value)
    kinds = {"integer", "number"} if kind in {"integer", "number"} else {kind}
    for node in leaf.nodes:
        if node.is_false or (node.types is not None and kinds.isdisjoint(node.types)):
            return False
    return True


def mismatch_count(leaf: Leaf, value: Any) -> int:
    """How much of a value a branch would have to refuse, at first sight."""
    if type(value) is not dict:
        return 0
    wrong = sum(name not in value for name in leaf.required)
    for name in islice(value, MAX_LOOKED_AT):
        for node in leaf.nodes:
            for child in node.property_subschemas(name):
                wrong += not _type_fits(Leaf(closure((child,)), {}), value[name])
    return wrong
