"""Bulk validation by pydantic-core of the members of large containers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.coerce.native.core_schemas import validator_of
from schema2model.coerce.native.lowering import lower
from schema2model.coerce.rules.active_rules import ActiveRules
from schema2model.json.parsing import NOTHING
from schema2model.limits import MAX_ISSUES
from schema2model.schema.nodes import Node, reachable
from schema2model.schema.verdicts import Verdicts

__all__ = ["MAX_INVALID", "BulkValidator", "until_enough"]

MAX_INVALID = 2 * MAX_ISSUES
"""Maximum invalid members of a container; after them, no more are read."""

MANY = 100
"""Maximum members that are read one by one; pydantic-core validates more in bulk."""

SLICE = 32
"""Members in one validation in bulk."""


class BulkValidator:
    """Bulk validation by pydantic-core of many members that share one subschema.

    Most members that a model sends in the wrong form have a reading, and pydantic-core finds it
    much faster than the search. The search reads only those that it rejects. If one of them has no
    valid reading, the container has none either, and the others need no search.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": "integer"})._engine
    >>> bulk = BulkValidator(engine.verdicts, engine.rules)
    >>> [*bulk.changes(engine.root, [1, "2", "x"])]
    [(1, 2), (2, <object ...>)]
    """

    def __init__(self, verdicts: Verdicts, rules: ActiveRules) -> None:
        self.verdicts = verdicts
        self.rules = rules

    def shared_subschema(self, node: Node, value: Any) -> Node | None:
        """Return the subschema of all members of a container, if they are read in bulk."""
        is_object = type(value) is dict
        others = (node.properties or node.patterns) if is_object else node.prefix
        every = node.additional if is_object else node.items
        if others or every is None or every.is_false or len(value) <= MANY:
            return None
        is_independent = self.verdicts.memo(
            ("independent", node), lambda: _members_are_independent(node, every)
        )
        return every if is_independent else None

    def changes(self, node: Node, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the coerced value of each invalid member of a container.

        The value is `NOTHING` if pydantic-core rejects the member.
        """
        if isinstance(node.schema, bool):  # `true` has no place of its own, and no invalid member
            return
        keys, members = (
            ([*value], [*value.values()]) if type(value) is dict else (range(len(value)), value)
        )
        is_valid = self.verdicts.tests[node]
        are_valid = self.verdicts.all_valid_at(node.dereferenced().place)
        for start in range(0, len(members), SLICE):
            some = members[start : start + SLICE]
            if not are_valid(some):
                invalid = [n for n, member in enumerate(some, start) if not is_valid(member)]
                values = self._validate(node, [members[n] for n in invalid])
                yield from zip((keys[n] for n in invalid), values, strict=True)

    def _validate(self, node: Node, members: Sequence[Any]) -> Sequence[Any]:
        validator = self.verdicts.memo(("bulk", node, self.rules), lambda: self._compile(node))
        if validator is None:
            return [NOTHING] * len(members)
        try:
            values: list[Any] = validator.validate_python(members)
        except ValueError:
            if len(members) == 1:
                return [NOTHING]
            return [value for member in members for value in self._validate(node, [member])]
        return values

    def _compile(self, node: Node) -> SchemaValidator | None:
        """Return the validator for lists of values of a node; None if it is not exact."""
        try:
            lowered = lower(node, self.rules, self.verdicts, coerces=True)
            return validator_of(cs.list_schema(lowered.schema)) if lowered.exact else None
        except (CoreSchemaError, RecursionError):  # the search does without it
            return None


def until_enough(changes: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield changes up to the last invalid member that a message may need."""
    left = MAX_INVALID
    for index, value in changes:
        yield index, value
        left -= value is NOTHING
        if not left:
            return


def _members_are_independent(node: Node, every: Node) -> bool:
    """Return whether `every` alone applies to the members of a container, and to each by itself.

    False for a tree, whose members have its own subschema: at each level, pydantic-core would
    validate all levels below it again.
    """
    others = [part for part in node.all_in_place() if part is not node]
    if not all(part.has_only(_WITHOUT_MEMBERS) for part in others):
        return False
    return every not in reachable(every.subschemas(), Node.subschemas)


_WITHOUT_MEMBERS = {"sizes", "bounds", "lengths", "residual", "all_of", "reference"}
"""Attributes of a `Node` that do not change how the members of a container are read."""
