"""A subschema as the compiler understands it: what the keywords say, free of their spelling.

Keyword functions (`vocabularies`) fill a `Node` in; `lowering` turns it into a pydantic-core
schema, `readings` searches it for what a model meant, `models` describes it to people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schema2model.instances import type_of

__all__ = ["IN_PLACE", "Condition", "Node", "Place"]

IN_PLACE = ("reference", "all_of", "any_of", "one_of", "conditions", "dependent")
"""The fields of a `Node` whose subschemas apply to the same instance."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a subschema stands: its document's URI, its JSON Pointer there, its base URI."""

    document: str
    pointer: str
    base: str

    def below(self, *tokens: str) -> Place:
        """The place that JSON Pointer tokens, already escaped, lead to from here."""
        return Place(self.document, "/".join((self.pointer, *tokens)), self.base)


@dataclass(frozen=True, slots=True)
class Condition:
    """`if`, `then` and `else`; a branch that is not there accepts everything."""

    test: Node
    then: Node | None
    otherwise: Node | None


@dataclass(slots=True, eq=False)
class Node:
    """One subschema.

    `None` and empty containers mean that the schema does not speak of it. `residual` holds the
    keywords whose assertion only jsonschema-rs can check.
    """

    schema: Any
    place: Place
    types: tuple[str, ...] | None = None
    choices: list[Any] | None = None
    bounds: dict[str, Any] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    properties: dict[str, Node] = field(default_factory=dict)
    patterns: dict[str, Node] = field(default_factory=dict)
    additional: Node | None = None
    required: frozenset[str] = frozenset()
    prefix: tuple[Node, ...] = ()
    items: Node | None = None
    reference: tuple[Node, ...] = ()
    all_of: tuple[Node, ...] = ()
    any_of: tuple[Node, ...] = ()
    one_of: tuple[Node, ...] = ()
    conditions: tuple[Condition, ...] = ()
    dependent: dict[str, Node] = field(default_factory=dict)
    residual: tuple[str, ...] = ()

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

    def in_place(self) -> list[str]:
        """The names of the fields in use whose subschemas apply to the same instance."""
        return [name for name in IN_PLACE if getattr(self, name)]

    def applied_in_place(self) -> Iterator[Node]:
        """The nodes that apply to the same instance."""
        yield from (*self.reference, *self.all_of, *self.any_of, *self.one_of)
        for condition in self.conditions:
            yield from filter(None, (condition.test, condition.then, condition.otherwise))
        yield from self.dependent.values()

    def asserts(self) -> bool:
        """Whether it says anything itself, apart from subschemas that apply in place."""
        return bool(
            self.types is not None
            or self.choices is not None
            or self.bounds
            or self.lengths
            or self.sizes
            or self.speaks_of_objects()
            or self.speaks_of_arrays()
            or self.residual
        )

    def speaks_of_objects(self) -> bool:
        """Whether any keyword for objects stands here."""
        return bool(
            self.properties or self.patterns or self.additional is not None or self.required
        )

    def speaks_of_arrays(self) -> bool:
        """Whether any keyword for arrays stands here."""
        return bool(self.prefix or self.items is not None or self.sizes)

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
