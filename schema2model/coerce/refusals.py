"""The issues of refused arguments: after the search, or without one of the whole value.

One unreadable member refuses the whole call.

Where the members of a container are read independently, a member that cannot be read, is missing or
is not allowed cannot be compensated by any other. The walk that finds violations for messages
(`diagnosis.find`) then only has to ask of each invalid member whether a reading of it is valid.
For `{"a": "1", "b": "x"}` with an integer for each, `a` has a reading and `b` has none: `b` is
reported, and nothing else is copied or searched. This halves the time of a refusal, and keeps that
of one bad row among thousands near that of accepting them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from schema2model.coerce.partial_members import sole_subschema
from schema2model.coerce.rules.omissions import omission
from schema2model.coerce.rules.plan import Plan
from schema2model.coerce.search.readings import Reading
from schema2model.coerce.search.search import Reader, finite
from schema2model.diagnosis.find import Finder, issues
from schema2model.diagnosis.members import FEW, Members, Problem, Spot
from schema2model.diagnosis.wording import Wording
from schema2model.errors import Issue
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["issues_of_reading", "unfixable_issues"]

_INDEPENDENT = ("types", "properties", "additional", "required", "items", "prefix", "sizes")
"""Attributes of a `Node` under which each member is read and judged by itself."""


def unfixable_issues(root: Node, verdicts: Verdicts, plan: Plan, value: Any) -> tuple[Issue, ...]:
    """The issues of arguments that have no valid reading; none if only the search can tell.

    Args:
        root: the node of the schema.
        verdicts: its verdicts.
        plan: the rules, under which members are independent.
        value: a plain value that the schema rejects.

    """
    finder = _UnfixableFinder(root, verdicts, plan)
    try:
        if verdicts.is_valid(value):  # which also refuses to convert what is not Unicode text
            return ()
        found = finder.problems(Spot((), value, (root,), refused=True))
        words = Wording(verdicts, finder.members.compared)
        return tuple(map(words.issue, found))
    except (_UndecidedError, ValueError):  # jsonschema-rs cannot convert some values
        return ()


_KINDS: dict[type, str] = {dict: "object", list: "array"}

FEW_READS = 4
"""Searches after which pydantic-core is asked first: compiling for it pays with many members."""


def issues_of_reading(
    root: Node, verdicts: Verdicts, plan: Plan, reading: Reading
) -> tuple[Issue, ...]:
    """The issues of a value whose best reading is not valid."""
    judged = finite if plan.coercion.allow_inf_nan else _unchanged
    readable = _reread(verdicts, plan) if reading.ended else None
    # an attempt may be valid although no rule allows it as a reading; then the value has the issues
    found = issues(verdicts, root, judged(reading.attempt), readable)
    found = found or issues(verdicts, root, judged(reading.value), readable)
    return (_SEARCH_ENDED, *found) if reading.ended else found


_SEARCH_ENDED = Issue(
    "",
    "limit",
    "values as their schema says",
    "more values that have to be corrected than can be; correct them yourself",
)

MAX_REREAD = 100
"""Maximum members that are read again for the message after the search has reached its limit."""


def _reread(verdicts: Verdicts, plan: Plan) -> Callable[[Node, Any], bool]:
    left = iter(range(MAX_REREAD))

    def is_readable(node: Node, value: Any) -> bool:
        if next(left, None) is None:
            return True  # what is not known to be invalid is not reported
        return Reader(node, verdicts, plan).read(node, value).valid

    return is_readable


def _unchanged(value: Any) -> Any:
    return value


class _UndecidedError(Exception):
    """Only the search can tell whether a value has a valid reading."""


class _UnfixableFinder(Finder):
    """Finds the violations that no rule of coercion removes."""

    def __init__(self, root: Node, verdicts: Verdicts, plan: Plan) -> None:
        super().__init__(verdicts)
        self._plan = plan
        self._reader = Reader(root, verdicts, plan)
        self._rest = self.members
        self._reads = 0
        self.members = _NativelyChecked(verdicts, self._reader)

    def below(self, spot: Spot) -> tuple[list[Problem], Iterator[Spot]]:
        """The violations at a location, and the invalid members to look into."""
        if not self.left:
            raise _UndecidedError
        holder = self._holder(spot)
        if holder is None:
            return self._unreadable(spot), iter(())
        if self._refusing(holder, spot.value) is not None:  # perhaps only as it was sent
            raise _UndecidedError
        if type(spot.value) is list:
            return [], self.members.refused(spot, (holder,))
        if holder.forbids_additional:  # an omitted name may be proposed for one that is not allowed
            spot = self._without_omitted(holder, spot)
        names = self.members.names(spot, (holder,), self.limit)
        members = self.members.refused(spot, (holder,))
        return names, (m for m in members if not self._is_omitted(holder, m.path[-1], m.value))

    def _unreadable(self, spot: Spot) -> list[Problem]:
        """The violations of a value that is read as a whole; none if it has a valid reading."""
        if not spot.path:
            raise _UndecidedError
        (node,) = spot.nodes
        if self._reader.has_no_other_reading(node, spot.value):
            return super().below(spot._replace(refused=True))[0]
        self._reads += 1
        if self._reads > FEW_READS and not [*self._reader.alike.refused(node, [spot.value])]:
            return []
        reading = self._reader.read(node, spot.value)
        if self._reader.has_ended:
            raise _UndecidedError
        if reading.valid:
            return []
        attempt = Spot(spot.path, reading.attempt, spot.nodes, refused=True)
        if type(attempt.value) not in {dict, list}:
            return super().below(attempt)[0]
        inner = Finder(self.verdicts)
        inner.members = self._rest
        return inner.problems(attempt)

    def _left_over(self, spot: Spot) -> list[Problem]:  # noqa: ARG002 - it has a valid reading
        return []

    # ------------------------------------------------------------------- independent members
    def _holder(self, spot: Spot) -> Node | None:
        """The node by which the members of a container are read, each by itself."""
        kind = _KINDS.get(type(spot.value))
        if kind is None or len(spot.nodes) != 1:
            return None
        (node,) = spot.nodes
        branches = self.verdicts.memo(("branches", node), lambda: self._branches(node))
        if branches is not None and kind == "object":
            tag = spot.value.get(branches[0])
            if type(tag) is not str or tag not in branches[1]:
                return None
            node = branches[1][tag]
        return self.verdicts.memo(("holder", node, kind), lambda: _independent(node, kind))

    def _branches(self, node: Node) -> tuple[str, dict[str, Node]] | None:
        """The discriminator of a union of objects, if the node is nothing else."""
        node = _innermost(node)
        union = node.one_of or node.any_of
        alone = union and node.has_only("one_of" if node.one_of else "any_of")
        return (
            branches_by_text(union) if alone and not self._plan.coercion.choice_spelling else None
        )

    def _without_omitted(self, holder: Node, spot: Spot) -> Spot:
        """An object without the optional properties that a rule leaves out."""
        value = spot.value
        omitted = {name for name in value if self._is_omitted(holder, name, value[name])}
        if not omitted:
            return spot
        return spot._replace(value={n: value[n] for n in value if n not in omitted})

    def _is_omitted(self, holder: Node, name: Any, member: Any) -> bool:
        if name not in holder.properties or name in holder.required:
            return False
        node = holder.properties[name]
        if omission(self._plan.coercion, node, member) is None:
            return False
        return not self._reader.read(node, member).valid


class _NativelyChecked(Members):
    """Of many members of one subschema, asks pydantic-core first which may have no reading."""

    def __init__(self, verdicts: Verdicts, reader: Reader) -> None:
        super().__init__(verdicts)
        self._bulk = reader.alike

    def _failing(
        self, node: Node, values: list[Any], start: int, stop: int | None = None
    ) -> Iterator[int]:
        if len(values) <= FEW or not self._bulk.is_exact(node):
            return super()._failing(node, values, start, stop)
        return (start + index for index in self._bulk.refused(node, values[start:stop]))


def _innermost(node: Node) -> Node:
    while (inner := sole_subschema(node)) is not None:
        node = inner
    return node


def _independent(node: Node, kind: str) -> Node | None:
    """The node that describes the members of a container, if they are independent under it."""
    node = _innermost(node)
    if node.is_false or not node.has_only(*_INDEPENDENT):
        return None
    if node.types is not None and {*node.types} - {"null"} != {kind}:
        return None
    return node
