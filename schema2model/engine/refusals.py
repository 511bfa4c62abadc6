"""Refusals told early: what no reading can mend is seen where it stands, without the search.

Where every member of a container is read by itself, a member that cannot be read, one that is
missing and one that is not allowed refuse the whole call. So the way leads down to what is
refused, by verdicts alone, and only that small part is searched.

For `{"a": "1", "b": "x"}` with an integer for each, `a` can be read and `b` cannot: that is told,
and the rest is neither copied nor looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic_core import SchemaError as CoreSchemaError, SchemaValidator, core_schema as cs

from schema2model.engine.lowering import lower
from schema2model.engine.members import handed_on
from schema2model.engine.places import FEW, Problem, Spot
from schema2model.engine.plan import Plan
from schema2model.engine.problems import Finder
from schema2model.engine.search import Reader
from schema2model.engine.wording import Wording
from schema2model.errors import Issue
from schema2model.schema.nodes import Node, tagged
from schema2model.schema.verdicts import Verdicts

__all__ = ["hopeless_parts"]

_BY_ITSELF = ("types", "properties", "additional", "required", "items", "prefix", "sizes")
"""Attributes of a `Node` with which each member is read by itself, and judged by itself."""

SLICE = 100
"""Members that pydantic-core is asked of at once."""

SEARCHED = 4
"""Parts that are searched at once; for more of them it pays to ask pydantic-core first."""


def hopeless_parts(root: Node, verdicts: Verdicts, plan: Plan, value: Any) -> tuple[Issue, ...]:
    """The problems of arguments that no reading makes valid; none where only the search can tell.

    They are those that the search would lead to. The value must be plain, and is not changed.
    """
    walk = _Walk(root, verdicts, plan)
    try:
        found = walk.problems(value)
        words = Wording(verdicts, walk.finder.members.compared)
        return tuple(map(words.issue, found))
    except ValueError:  # what jsonschema-rs cannot convert
        return ()


class _Walk:
    """One walk down to what cannot be read."""

    def __init__(self, root: Node, verdicts: Verdicts, plan: Plan) -> None:
        self.root = root
        self.verdicts = verdicts
        self.plan = plan
        self.reader = Reader(root, verdicts, plan)
        self.finder = Finder(verdicts)
        self.reads = 0

    def problems(self, value: Any) -> list[Problem]:
        """All that is wrong, the most useful first; nothing where only the search can tell."""
        found: list[Problem] = []
        unknown: list[Problem] = []  # names, which come last
        todo: list[Iterator[Spot]] = [iter((Spot((), value, (self.root,)),))]
        while todo and len(found) < self.finder.limit:
            spot = next(todo[-1], None)
            if spot is None:
                todo.pop()
                continue
            holder = self._holder(spot)
            if holder is None:
                if not spot.path or not self._read(spot, found, unknown):
                    return []
                continue
            sent = self._without_nulls(holder, spot)
            if holder.sizes and any(p.kind == "value" for p in self.finder.below(sent)[0]):
                return []  # the container itself is refused, perhaps only as it was sent
            members = self.finder.members
            todo.append(self._unaccepted(holder, sent) or members.refused(sent, (holder,)))
            names = (
                members.names(sent, (holder,), self.finder.limit)
                if type(sent.value) is dict
                else ()
            )
            for problem in names:
                (unknown if problem.kind == "unknown" else found).append(problem)
        return (found + unknown)[: self.finder.limit]

    def _holder(self, spot: Spot) -> Node | None:
        """The node by which the members of a container are read, each by itself."""
        kind = type(spot.value)
        if kind is not dict and kind is not list:
            return None
        name = "object" if kind is dict else "array"
        (node,) = spot.nodes
        branches = self.verdicts.known(("branches", node), lambda: self._branches(node))
        if branches is not None and kind is dict:
            tag = spot.value.get(branches[0])
            if type(tag) is not str or tag not in branches[1]:
                return None
            node = branches[1][tag]
        return self.verdicts.known(("holder", node, name), lambda: _holder(node, name))

    def _branches(self, node: Node) -> tuple[str, dict[str, Node]] | None:
        """What tells the branches of a union of objects apart, where nothing else is said."""
        node = _innermost(node)
        union = node.one_of or node.any_of
        alone = union and node.says_only("one_of" if node.one_of else "any_of")
        return tagged(union) if alone and not self.plan.coercion.choice_spelling else None

    def _unaccepted(self, holder: Node, spot: Spot) -> Iterator[Spot] | None:
        """Of many members that one subschema describes, those that pydantic-core does not accept.

        Most of what was sent wrong can be read; pydantic-core tells so in no time. None where it
        cannot tell, or there are only a few.
        """
        value = spot.value
        node = holder.items if type(value) is list else holder.additional
        if len(value) <= FEW or node is None or holder.prefix or holder.properties:
            return None
        native = self._native(node)
        return None if native is None else self._each(node, spot, native)

    def _native(self, node: Node) -> SchemaValidator | None:
        """What reads lists of what a node describes; None if it may accept too much."""
        return self.verdicts.known(("native", node), lambda: self._lowered(node))

    def _lowered(self, node: Node) -> SchemaValidator | None:
        if node.choices is not None:  # pydantic-core's error would spell out all of them
            return None
        try:
            lowered = lower(node, self.plan, self.verdicts, coerces=True)
            return SchemaValidator(cs.list_schema(lowered.schema)) if lowered.exact else None
        except (CoreSchemaError, RecursionError):  # the search tells as well
            return None

    @staticmethod
    def _each(node: Node, spot: Spot, native: SchemaValidator) -> Iterator[Spot]:
        """The members that are not accepted; slices that are accepted as a whole have none."""
        value = spot.value
        keys = range(len(value)) if type(value) is list else [*value]
        for start in range(0, len(keys), SLICE):
            some = keys[start : start + SLICE]
            members = [value[key] for key in some]
            if not native.isinstance_python(members):
                for key, member in zip(some, members, strict=True):
                    if not native.isinstance_python([member]):
                        yield Spot((*spot.path, key), member, (node,))

    def _read(self, spot: Spot, found: list[Problem], unknown: list[Problem]) -> bool:
        """Add what is wrong with a part that cannot be read; False if the search has ended."""
        (node,) = spot.nodes
        self.reads += 1
        if self.reads > SEARCHED:
            native = self._native(node)
            if native is not None and native.isinstance_python([spot.value]):
                return True
        reading = self.reader.read(node, spot.value)
        if not reading.valid:
            attempt = Spot(spot.path, reading.attempt, spot.nodes, refused=True)
            self.finder.collect(attempt, found, unknown)
        return not self.reader.has_ended

    def _without_nulls(self, holder: Node, spot: Spot) -> Spot:
        """An object without the optional properties that are dropped where they are null."""
        value = spot.value
        if type(value) is list or not self.plan.coercion.drop_null or None not in value.values():
            return spot
        kept = {
            name: member
            for name, member in value.items()
            if member is not None
            or name not in holder.properties
            or name in holder.required
            or self.finder.members.valid(holder.properties[name], None)
        }
        return spot._replace(value=kept)


def _innermost(node: Node) -> Node:
    while (inner := handed_on(node)) is not None:
        node = inner
    return node


def _holder(node: Node, kind: str) -> Node | None:
    node = _innermost(node)
    if node.never or not node.says_only(*_BY_ITSELF):
        return None
    if node.types is not None and {*node.types} - {"null"} != {kind}:
        return None
    return node
