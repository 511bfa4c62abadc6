"""The nodes of a compiled schema: the meaning of its keywords, in every dialect.

Keyword functions (`vocabularies`) fill a `Node` in. `lowering` turns it into a pydantic-core
schema, `search` reads values by it, and `model.fields` describes it to people.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Set,  # noqa: PYI025 - a key view is one, too
)
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from schema2model.json.pointers import pointer
from schema2model.json.values import NUMBERS, TYPES, type_of
from schema2model.schema.patterns import Pattern

__all__ = ["ANYTHING", "Condition", "Node", "Place", "common_types", "leading_to", "reachable"]


class Place(NamedTuple):
    """The location of a subschema: its document's URI, its path there, and its base URI."""

    document: str
    path: tuple[str | int, ...]
    base: str

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer."""
        return pointer(self.path)


_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Condition:
    """`if`, `then` and `else`; a branch that is not there accepts everything."""

    test: Node
    then: Node | None
    otherwise: Node | None


class Node:
    """One subschema.

    An attribute is set on the instance only if the schema has a keyword for it, and never to
    anything empty. All others have the class's default: no keyword. `residual` names the keywords
    that only jsonschema-rs can validate; the subschemas of those such as `contains`, for members or
    items of the instance, are `residual_subschemas`, by keyword.

    For `{"type": "array", "items": {"$ref": "#/$defs/id"}}`, `types` is `("array",)`, `items` is a
    node that has only a `reference`, and nothing else is set.
    """

    __slots__ = ("__dict__", "_kinds", "place", "residual_subschemas", "schema")

    types: tuple[str, ...] | None = None
    choices: list[Any] | None = None
    bounds: Mapping[str, Any] = _NOTHING
    lengths: Mapping[str, int] = _NOTHING
    sizes: Mapping[str, int] = _NOTHING
    properties: Mapping[str, Node] = _NOTHING
    patterns: Mapping[Pattern, Node] = _NOTHING
    additional: Node | None = None
    required: Set[str] = frozenset()
    prefix: tuple[Node, ...] = ()
    items: Node | None = None
    reference: tuple[Node, ...] = ()
    all_of: tuple[Node, ...] = ()
    any_of: tuple[Node, ...] = ()
    one_of: tuple[Node, ...] = ()
    conditions: tuple[Condition, ...] = ()
    dependent: Mapping[str, Node] = _NOTHING
    negated: tuple[Node, ...] = ()
    residual: tuple[str, ...] = ()

    def __init__(self, schema: Any, place: Place) -> None:
        self.schema = schema
        self.place = place
        self._kinds: frozenset[str] | None = None
        self.residual_subschemas: Mapping[str, Node] = _NOTHING  # which `residual` counts for

    # ------------------------------------------------------------------------------ keywords
    def has_only(self, attributes: Set[str]) -> bool:
        """Return whether no other attributes are set.

        Check this before you replace a node by something simpler: all else would be lost.
        """
        return vars(self).keys() <= attributes

    def has_assertions(self) -> bool:
        """Return whether it asserts anything itself, apart from its subschemas in place."""
        return bool(
            self.types is not None
            or self.choices is not None
            or self.bounds
            or self.lengths
            or self.residual
            or self.has_object_keywords()
            or self.has_array_keywords()
        )

    def has_object_keywords(self) -> bool:
        """Return whether it has a keyword that pydantic-core can apply to objects."""
        return bool(self.properties or self.required or self.patterns or self.additional)

    def has_array_keywords(self) -> bool:
        """Return whether it has a keyword that pydantic-core can apply to arrays."""
        return bool(self.items or self.sizes or self.prefix)

    def has_in_place_subschemas(self) -> bool:
        """Return whether it has subschemas that apply to the same instance."""
        return not _IN_PLACE.isdisjoint(self.__dict__)

    @property
    def is_false(self) -> bool:
        """True if this is the schema `false`."""
        return self.schema is False

    @property
    def forbids_additional(self) -> bool:
        """True if `additionalProperties` is `false`."""
        return self.additional is not None and self.additional.is_false

    def is_null(self) -> bool:
        """Return whether it has the type null and no other keyword."""
        return self.types == ("null",) and self.has_only({"types"})

    @property
    def expected_types(self) -> tuple[str, ...]:
        """The types of its own `type` or choices, in the schema's order; `()` without them."""
        if self.types is not None:
            return self.types
        if self.choices is not None:
            return tuple(dict.fromkeys(map(type_of, self.choices)))
        return ()

    @property
    def possible_types(self) -> frozenset[str]:
        """The types that a valid instance may have: all of them, perhaps more.

        Integers and numbers are not distinguished: if either is included, both are.
        """
        if self._kinds is None:
            kinds = frozenset() if self.is_false else _with_numbers(self.types or TYPES)
            if self.choices is not None:
                kinds &= _with_numbers(tuple(map(type_of, self.choices)))
            for part in self.conjuncts():
                kinds &= part.possible_types
            for group in (self.any_of, self.one_of):
                if group:
                    kinds &= frozenset().union(*(branch.possible_types for branch in group))
            self._kinds = kinds
        return self._kinds

    def accepts(self, kind: str) -> bool:
        """Return whether an instance of a type might be valid; False only if none can be."""
        return kind in self.possible_types

    # ------------------------------------------------------------------- which subschemas apply
    def property_subschemas(self, name: str) -> tuple[Node, ...]:
        """Return the subschemas that apply to the property `name` of an object.

        These are its own and those of all patterns that match it; or else that for additional ones.

        Boolean schemas count as any other. `false` under `additionalProperties` applies to every
        name that no other keyword describes. `true` under a name or a pattern applies, too, so that
        `additionalProperties` does not. But `true` under `additionalProperties` or `items` says no
        more than the keyword's absence: it is not kept, and does not count.
        """
        own = self.properties.get(name)
        if own is not None and not self.patterns:
            return (own,)
        found = [] if own is None else [own]
        if self.patterns:
            found += [node for pattern, node in self.patterns.items() if pattern.matches(name)]
        if not found and self.additional is not None:
            return (self.additional,)
        return tuple(found)

    def item_subschemas(self, index: int) -> tuple[Node, ...]:
        """Return the subschema that applies to the item at `index` of an array, if there is one.

        `true` in `prefixItems` applies, so that `items` does not; see `property_subschemas`.
        """
        if index < len(self.prefix):
            return (self.prefix[index],)
        return () if self.items is None else (self.items,)

    def in_place_subschemas(self) -> Iterator[Node]:
        """Yield the subschemas that apply to the same instance, always or on a condition."""
        yield from (*self.reference, *self.all_of, *self.any_of, *self.one_of)
        for condition in self.conditions:
            yield from filter(None, (condition.test, condition.then, condition.otherwise))
        yield from self.dependent.values()

    def conjuncts(self) -> tuple[Node, ...]:
        """Return the subschemas that every valid instance satisfies: of `$ref` and `allOf`."""
        return (*self.reference, *self.all_of)

    def declares(self, name: str) -> bool:
        """Return whether `properties` or `patternProperties` describes a name."""
        return name in self.properties or any(pattern.matches(name) for pattern in self.patterns)

    def child_subschemas(self) -> Iterator[Node]:
        """Yield all subschemas for properties and items of the instance."""
        yield from (*self.properties.values(), *self.patterns.values(), *self.prefix)
        yield from filter(None, (self.additional, self.items))

    def all_in_place(self) -> list[Node]:
        """Return the node and all that applies in place of it, directly or not."""
        return reachable([self], Node.in_place_subschemas)

    def subschemas(self) -> Iterator[Node]:
        """Yield all direct subschemas: for the instance, its properties and its items."""
        yield from self.in_place_subschemas()
        yield from self.child_subschemas()

    def applied_in_place(self) -> Iterator[Node]:
        """Yield the subschemas that are evaluated on the same instance, `not` among them."""
        if not _APPLIED_IN_PLACE.isdisjoint(self.__dict__):
            yield from self.in_place_subschemas()
            yield from self.negated

    def applied(self) -> Iterator[Node]:
        """Yield all direct subschemas that are evaluated on an instance or a part of it."""
        if not _APPLIED.isdisjoint(self.__dict__):  # most have none
            yield from self.applied_in_place()
            yield from self.child_subschemas()
        yield from self.residual_subschemas.values()

    def dereferenced(self) -> Node:
        """Return the node that this one only refers to, by `$ref` or a sole `allOf`; or itself."""
        node = self
        while node.has_only(_REFERRING) and len(around := node.conjuncts()) == 1:
            (node,) = around
        return node


T = TypeVar("T", bound=Hashable)


def reachable(start: Iterable[T], following: Callable[[T], Iterable[T]]) -> list[T]:
    """Return nodes and all that can be reached from them, each once, the nearest first."""
    found = dict.fromkeys(start)
    queue = [*found]
    for node in queue:  # which grows on the way
        new = [each for each in dict.fromkeys(following(node)) if each not in found]
        found.update(dict.fromkeys(new))
        queue += new
    return queue


def leading_to(
    start: Iterable[T], is_sought: Callable[[T], Any], following: Callable[[T], Iterable[T]]
) -> set[T]:
    """Return the nodes that are sought, and those from which one of them can be reached."""
    nodes = reachable(start, following)
    around: dict[T, list[T]] = {}
    for node in nodes:
        for below in following(node):
            around.setdefault(below, []).append(node)
    return {*reachable(filter(is_sought, nodes), lambda node: around.get(node, ()))}


def common_types(nodes: Iterable[Node]) -> tuple[str, ...] | None:
    """Return the types that all nodes allow, in the order of the first; None if all are allowed."""
    common: tuple[str, ...] | None = None
    for types in (node.types for node in nodes if node.types is not None):
        are_numbers = not NUMBERS.isdisjoint(types)
        common = (
            types
            if common is None
            else tuple(
                name if name in types else "integer"
                for name in common
                if name in types or (are_numbers and name in NUMBERS)
            )
        )
    return common


_REFERRING = frozenset(("reference", "all_of"))
_IN_PLACE = _REFERRING | {"any_of", "one_of", "conditions", "dependent"}
_APPLIED_IN_PLACE = _IN_PLACE | {"negated"}
_APPLIED = _APPLIED_IN_PLACE | {"properties", "patterns", "additional", "prefix", "items"}


@lru_cache
def _with_numbers(kinds: tuple[str, ...]) -> frozenset[str]:
    found = frozenset(kinds)
    return found if found.isdisjoint(NUMBERS) else found | NUMBERS


ANYTHING = Node(schema=True, place=Place("", (), ""))
"""The schema `true`, of no document."""
