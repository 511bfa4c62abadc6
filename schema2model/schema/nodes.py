"""A subschema as the compiler understands it: what the keywords say, free of their spelling.

Keyword functions (`vocabularies`) fill a `Node` in; `lowering` turns it into a pydantic-core
schema, `readings` searches it for what a model meant, `models` describes it to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from schema2model.values import pointer, type_of

__all__ = ["ANYTHING", "IN_PLACE", "Condition", "Node", "Place", "tagged"]

IN_PLACE = frozenset(
    ("reference", "all_of", "any_of", "one_of", "conditions", "dependent"),
)
"""The attributes of a `Node` whose subschemas apply to the same instance."""

OBJECTS = frozenset(("properties", "patterns", "additional", "required"))
"""The attributes that speak of objects."""

ARRAYS = frozenset(("prefix", "items", "sizes"))
"""The attributes that speak of arrays."""

ASSERTIONS = OBJECTS | ARRAYS | {"types", "choices", "bounds", "lengths", "residual"}


class Place(NamedTuple):
    """Where a subschema stands: its document's URI, the path to it there, its base URI."""

    document: str
    path: tuple[str | int, ...]
    base: str

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer."""
        return pointer(self.path)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Condition:
    """`if`, `then` and `else`; a branch that is not there accepts everything."""

    test: Node
    then: Node | None
    otherwise: Node | None


class Node:
    """One subschema.

    An attribute is set on the instance only where the schema speaks of it, and then to something
    that is not empty; what the class has stands for silence. `residual` names the keywords whose
    assertion only jsonschema-rs can check.
    """

    types: tuple[str, ...] | None = None
    choices: list[Any] | None = None
    bounds: Mapping[str, Any] = _NOTHING
    lengths: Mapping[str, int] = _NOTHING
    sizes: Mapping[str, int] = _NOTHING
    properties: Mapping[str, Node] = _NOTHING
    patterns: Mapping[str, Node] = _NOTHING
    additional: Node | None = None
    required: frozenset[str] = frozenset()
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

    @property
    def never(self) -> bool:
        """Whether this is the schema `false`."""
        return self.schema is False

    @property
    def wanted(self) -> tuple[str, ...]:
        """The types that this node itself asks for, in the schema's order; `()` if it does not."""
        if self.types is not None:
            return self.types
        if self.choices is not None:
            return tuple(dict.fromkeys(map(type_of, self.choices)))
        return ()

    def is_null(self) -> bool:
        """Whether it asks for null and says no more."""
        return self.types == ("null",) and self.choices is None

    def applies_in_place(self) -> bool:
        """Whether it has subschemas that apply to the same instance."""
        return not IN_PLACE.isdisjoint(vars(self))

    def in_place(self) -> Iterator[Node]:
        """The nodes that apply to the same instance."""
        yield from (*self.reference, *self.all_of, *self.any_of, *self.one_of)
        for condition in self.conditions:
            yield from filter(None, (condition.test, condition.then, condition.otherwise))
        yield from self.dependent.values()

    def recursive(self) -> bool:
        """Whether any node that can be reached from here can be reached from itself again."""
        from graphlib import CycleError, TopologicalSorter  # noqa: PLC0415 - few schemas ask

        graph: dict[int, list[int]] = {}
        queue = [self]
        for node in queue:  # which grows on the way
            if id(node) not in graph:
                below = [*node.in_place(), *node.members()]
                graph[id(node)] = [*map(id, below)]
                queue += below
        try:
            TopologicalSorter(graph).prepare()
        except CycleError:
            return True
        return False

    def members(self) -> Iterator[Node]:
        """The nodes that apply to properties and items of the instance."""
        yield from (*self.properties.values(), *self.patterns.values(), *self.prefix)
        yield from filter(None, (self.additional, self.items))

    def parts(self) -> list[Node]:
        """The node and all that applies in place of it, directly or not."""
        parts = {id(self): self}
        queue = [self]
        for node in queue:  # which grows on the way
            new = [part for part in node.in_place() if id(part) not in parts]
            parts.update((id(part), part) for part in new)
            queue += new
        return list(parts.values())

    def asserts(self) -> bool:
        """Whether it says anything itself, apart from subschemas that apply in place."""
        return not ASSERTIONS.isdisjoint(vars(self))

    def speaks_of_objects(self) -> bool:
        """Whether any keyword for objects stands here."""
        return not OBJECTS.isdisjoint(vars(self))

    def speaks_of_arrays(self) -> bool:
        """Whether any keyword for arrays stands here."""
        return not ARRAYS.isdisjoint(vars(self))

    def accepts(self, kind: str) -> bool:
        """Whether an instance of a type might be valid; never wrongly False."""
        return self._accepts(kind, set())

    def _accepts(self, kind: str, seen: set[int]) -> bool:
        if id(self) in seen:
            return True
        seen = seen | {id(self)}
        if self.never:
            return False
        kinds = ("integer", "number") if kind in {"integer", "number"} else (kind,)
        if self.types is not None and not any(k in self.types for k in kinds):
            return False
        if self.choices is not None and not any(type_of(c) in kinds for c in self.choices):
            return False
        return all(
            node._accepts(kind, seen)  # noqa: SLF001 - of the same class
            for node in (*self.reference, *self.all_of)
        ) and all(
            any(node._accepts(kind, seen) for node in group)  # noqa: SLF001
            for group in (self.any_of, self.one_of)
            if group
        )


ANYTHING = Node(schema=True, place=Place("", (), ""))
"""The schema `true`, wherever it stands."""


def tagged(branches: tuple[Node, ...]) -> tuple[str, dict[str, Node]] | None:
    """The property whose text tells the branches of a union apart, and the branch for each text.

    None unless every branch is an object that requires it, or null.
    """
    objects = [_referred(node) for node in branches if not node.is_null()]
    if len(objects) < 2 or any(node.types != ("object",) for node in objects):  # noqa: PLR2004
        return None
    for name in objects[0].properties:
        by_text: dict[str, Node] = {}
        for node in objects:
            texts = (
                _texts(node.properties[name])
                if name in node.required & node.properties.keys()
                else ()
            )
            if not texts or not by_text.keys().isdisjoint(texts):
                break
            by_text |= dict.fromkeys(texts, node)
        else:
            return name, by_text
    return None


def _texts(node: Node) -> list[str]:
    """The choices of a node, if all of them are strings."""
    texts = [choice for choice in node.choices or () if type(choice) is str]
    return texts if len(texts) == len(node.choices or ()) else []


def _referred(node: Node) -> Node:
    """What a node refers to, if it does nothing else."""
    while len(node.reference) == 1 and vars(node).keys() <= {"schema", "place", "reference"}:
        node = node.reference[0]
    return node
