"""Bulk validation by pydantic-core of many members of a container that share one subschema.

Most members that a model sends in the wrong form have a reading, and pydantic-core finds it much
faster than the search. The search reads only those that it rejects. If one of them has no valid
reading, the container has none either, and the others need no search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import (
    SchemaError as CoreSchemaError,
    SchemaValidator,
    core_schema as cs,
)

from schema2model.coerce.native.lowering import lower
from schema2model.coerce.rules.plan import Plan
from schema2model.json.equality import type_exact_equal
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["BulkValidator"]

SLICE = 100
"""Members in one validation."""


class BulkValidator:
    """Validates and coerces lists of values of one subschema.

    >>> from schema2model import compile_schema
    >>> from schema2model.compiled import engine_of
    >>> engine = engine_of(compile_schema({"type": "integer"}))
    >>> bulk = BulkValidator(engine.verdicts, engine.plan)
    >>> [index for index, _ in bulk.changes(engine.root, [1, "2", "x"])]
    [1, 2]
    """

    def __init__(self, verdicts: Verdicts, plan: Plan) -> None:
        self.verdicts = verdicts
        self.plan = plan

    def changes(self, node: Node, members: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the index and the coerced value of each member that changes.

        The value is `NOTHING` if pydantic-core rejects the member. Slices whose members are all
        valid are skipped.
        """
        is_bool = isinstance(node.schema, bool)  # `true` has no place of its own
        are_valid = None if is_bool else self.verdicts.all_valid_at(node.dereferenced().place)
        for start in range(0, len(members), SLICE):
            some = members[start : start + SLICE]
            if are_valid is not None and are_valid(some):
                continue
            values = self._validate(node, some)
            for index, (member, value) in enumerate(zip(some, values, strict=True), start):
                if value is not member and not type_exact_equal(value, member):
                    yield index, value

    def _validate(self, node: Node, members: Sequence[Any]) -> Sequence[Any]:
        validator = self.verdicts.memo(("bulk", node), lambda: self._compile(node))
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
            lowered = lower(node, self.plan, self.verdicts, coerces=True)
            return SchemaValidator(cs.list_schema(lowered.schema)) if lowered.exact else None
        except (CoreSchemaError, RecursionError):  # the search does without it
            return None
