"""Members of a container that one subschema describes, many of them, as pydantic-core reads them.

Most of what was sent wrong can be read, and pydantic-core tells so in no time. Where it does not,
the search has to; where one member has no reading at all, the container has none either, and
nothing is left to be searched in the others.
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
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.text.exact import NOTHING

__all__ = ["Alike"]

SLICE = 100
"""Members that pydantic-core is asked about at once."""


class Alike:
    """What pydantic-core makes of members, by the subschema that describes them.

    >>> from schema2model import compile_schema
    >>> engine = compile_schema({"type": "integer"}).engine
    >>> alike = Alike(engine.verdicts, engine.plan)
    >>> [*alike.refused(engine.root, [1, "2", "x"])], [*alike.made(engine.root, ["2"])]
    ([2], [2])
    """

    def __init__(self, verdicts: Verdicts, plan: Plan) -> None:
        self.verdicts = verdicts
        self.plan = plan

    def is_exact(self, node: Node) -> bool:
        """Whether pydantic-core accepts no member that is invalid under a node."""
        return self._lists(node) is not None

    def refused(self, node: Node, members: Sequence[Any]) -> Iterator[int]:
        """The indices of those that it refuses; slices that it accepts as a whole have none."""
        native = self._lists(node)
        for start in range(0, len(members), SLICE):
            some = members[start : start + SLICE]
            if native is None or not native.isinstance_python(some):
                for index, member in enumerate(some, start):
                    if native is None or not native.isinstance_python([member]):
                        yield index

    def made(self, node: Node, members: Sequence[Any]) -> Iterator[Any]:
        """What it makes of each, or `NOTHING` where it refuses it."""
        is_bool = isinstance(node.schema, bool)  # `true` has no place of its own
        are_valid = None if is_bool else self.verdicts.all_valid_at(node.dereferenced().place)
        for start in range(0, len(members), SLICE):
            some = members[start : start + SLICE]
            yield from some if are_valid and are_valid(some) else self._made(node, some)

    def _made(self, node: Node, members: Sequence[Any]) -> Sequence[Any]:
        native = self._lists(node)
        if native is None:
            return [NOTHING] * len(members)
        try:
            made: list[Any] = native.validate_python(members)
        except ValueError:
            if len(members) == 1:
                return [NOTHING]
            return [made for member in members for made in self._made(node, [member])]
        return made

    def _lists(self, node: Node) -> SchemaValidator | None:
        """What reads lists of what a node describes; None if it may accept too much."""
        return self.verdicts.memo(("alike", node), lambda: self._lowered(node))

    def _lowered(self, node: Node) -> SchemaValidator | None:
        try:
            lowered = lower(node, self.plan, self.verdicts, coerces=True)
            return SchemaValidator(cs.list_schema(lowered.schema)) if lowered.exact else None
        except (CoreSchemaError, RecursionError):  # the search tells as well
            return None
