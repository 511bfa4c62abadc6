"""Refusals told early: what no reading can mend is seen where it stands, without the search.

Where every member of a container is read by itself, a member that cannot be read, one that is
missing and one that is not allowed refuse the whole call. So the way leads down to what is
refused, by verdicts alone, and only that small part is searched.

For `{"a": "1", "b": "x"}` with an integer for each, `a` can be read and `b` cannot: that is told,
and the rest is neither copied nor looked at again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from schema2model.coerce.hints import Hints
from schema2model.coerce.partial_members import handed_on
from schema2model.coerce.rules.omissions import omission
from schema2model.coerce.rules.plan import Plan
from schema2model.coerce.search.search import Reader
from schema2model.diagnosis.find import MAX_PLACES, Finder
from schema2model.diagnosis.members import FEW, Problem, Spot, names_judged
from schema2model.diagnosis.wording import Wording
from schema2model.errors import Issue
from schema2model.json.values import TOO_MUCH, NotJSONError, is_plain
from schema2model.schema.discriminators import branches_by_text
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["hopeless_parts"]

_BY_ITSELF = ("types", "properties", "additional", "required", "items", "prefix", "sizes")
"""Attributes of a `Node` with which each member is read by itself, and judged by itself."""

_NAMES = frozenset((str,))
"""The types of names."""

SEARCHED = 4
"""Parts that are searched at once; for more of them it pays to ask pydantic-core first."""


def hopeless_parts(
    root: Node, verdicts: Verdicts, plan: Plan, value: Any, hints: Hints
) -> tuple[Issue, ...]:
    """The problems of arguments that no reading makes valid; none where only the search can tell.

    They are those that the search would lead to. The value is not changed.

    Args:
        root: the node of the schema.
        verdicts: its verdicts.
        plan: the rules by which it is read.
        value: what was refused.
        hints: where pydantic-core has refused it, if all that it accepts is valid.

    """
    walk = _Walk(root, verdicts, plan)
    try:
        found = walk.problems(value, hints)
        words = Wording(verdicts, walk.finder.members.compared)
        return tuple(map(words.issue, found))
    except ValueError:  # what is no JSON, or jsonschema-rs cannot convert
        return ()


class _Walk:
    """One walk down to what cannot be read."""

    def __init__(self, root: Node, verdicts: Verdicts, plan: Plan) -> None:
        self.root = root
        self.verdicts = verdicts
        self.plan = plan
        self.reader = Reader(root, verdicts, plan)
        self.finder = Finder(verdicts)
        self.alike = self.reader.alike
        self.reads = 0

    def problems(self, value: Any, hints: Hints) -> list[Problem]:
        """All that is wrong, the most useful first; nothing where only the search can tell."""
        found: list[Problem] = []
        unknown: list[Problem] = []  # names, which come last
        todo: list[Iterator[tuple[Spot, Hints]]] = [iter(((Spot((), value, (self.root,)), hints),))]
        left = MAX_PLACES
        while todo and len(found) < self.finder.limit:
            spot, hints = next(todo[-1], _END)
            if spot is None:
                todo.pop()
                continue
            left -= 1
            if not left:
                return []
            holder = self._holder(spot)
            if holder is None:
                if not spot.path or not self._read(spot, found, unknown):
                    return []
                continue
            if not _fits(holder, spot.value):
                return []  # the container itself is refused, perhaps only as it was sent
            todo.append(self._members(holder, spot, hints))
            names = self._names(holder, spot) if type(spot.value) is dict else ()
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
        branches = self.verdicts.memo(("branches", node), lambda: self._branches(node))
        if branches is not None and kind is dict:
            _check_names(spot.value)
            tag = spot.value.get(branches[0])
            if type(tag) is not str or tag not in branches[1]:
                return None
            node = branches[1][tag]
        return self.verdicts.memo(("holder", node, name), lambda: _holder(node, name))

    def _branches(self, node: Node) -> tuple[str, dict[str, Node]] | None:
        """What tells the branches of a union of objects apart, where nothing else is said."""
        node = _innermost(node)
        union = node.one_of or node.any_of
        alone = union and node.says_only("one_of" if node.one_of else "any_of")
        return branches_by_text(union) if alone and not self.plan.coercion.choice_spelling else None

    def _names(self, holder: Node, spot: Spot) -> Sequence[Problem]:
        """What is wrong with the names of an object."""
        _check_names(spot.value)
        if holder.closed:  # then names may be proposed that have been left out
            spot = self._without_omitted(holder, spot)
        problems = self.finder.members.names(spot, (holder,), self.finder.limit)
        for problem in problems:
            _check(problem.value)
        return problems

    # ------------------------------------------------------------------------------- members
    def _members(self, holder: Node, spot: Spot, hints: Hints) -> Iterator[tuple[Spot, Hints]]:
        """The members that may be refused: those that pydantic-core named, or else any."""
        value = spot.value
        keys: Sequence[Any] = (
            range(len(value)) if type(value) is list else [*names_judged(value, (holder,))]
        )
        # what one subschema describes is read up to the first that is refused
        alike = not (holder.prefix or holder.properties or holder.required)
        named = _named(holder, value, hints or ())
        ways, last = named or {}, -1
        for index, key in _in_order(ways, keys):
            node = _child(holder, key)
            if node is not None:
                yield Spot((*spot.path, key), value[key], (node,)), ways[key]
            last = index
        if named is None or alike or type(value) is list:
            one = holder.items if type(value) is list else holder.additional
            for each in self._from(holder, one if alike else None, spot, keys[last + 1 :]):
                yield each, None

    def _from(
        self, holder: Node, every: Node | None, spot: Spot, keys: Sequence[Any]
    ) -> Iterator[Spot]:
        """Of certain members, those that may be refused.

        Most of what was sent wrong can be read; pydantic-core tells so in no time, if one
        subschema describes all of them and there are many.
        """
        if every is not None and len(keys) > FEW and self.alike.is_exact(every):
            members = [spot.value[key] for key in keys]
            for index in self.alike.refused(every, members):
                yield Spot((*spot.path, keys[index]), members[index], (every,))
        elif keys:
            _check(spot.value)
            sent = self._without_omitted(holder, spot)
            behind = {*keys}
            for each in self.finder.members.refused(sent, (holder,)):
                if each.path[-1] in behind:
                    yield each

    def _read(self, spot: Spot, found: list[Problem], unknown: list[Problem]) -> bool:
        """Add what is wrong with a part that cannot be read; False if the search has ended."""
        (node,) = spot.nodes
        _check(spot.value)
        problem = self.finder.at(spot)  # which takes less time than what stands behind it
        if problem is not None and self.reader.stands_for_itself(node, spot.value):
            found.append(problem)
            return True
        self.reads += 1
        if self.reads > SEARCHED and self.alike.accepts(node, spot.value):
            return True
        reading = self.reader.read(node, spot.value)
        if not reading.valid:
            attempt = Spot(spot.path, reading.attempt, spot.nodes, refused=True)
            self.finder.collect(attempt, found, unknown)
        return not self.reader.has_ended

    def _without_omitted(self, holder: Node, spot: Spot) -> Spot:
        """An object without the optional properties that are left out by a rule."""
        value = spot.value
        if type(value) is list:
            return spot
        dropped = {name for name in value if self._is_omitted(holder, name, value[name])}
        if not dropped:
            return spot
        return spot._replace(value={n: value[n] for n in value if n not in dropped})

    def _is_omitted(self, holder: Node, key: str, member: Any) -> bool:
        """Whether a rule leaves a member out: it is optional, and has no other reading."""
        if key not in holder.properties or key in holder.required:
            return False
        node = holder.properties[key]
        if omission(self.plan.coercion, node, member) is None:
            return False
        if self.reader.stands_for_itself(node, member):
            return not self.reader.valid(node, member)
        return not self.reader.read(node, member).valid


_END: tuple[Any, Hints] = (None, None)


def _check_names(value: dict[Any, Any]) -> None:
    """Raise NotJSONError unless all names are plain, before any of them is looked up."""
    if not _NAMES.issuperset(map(type, value)):
        raise NotJSONError(TOO_MUCH)


def _check(value: Any) -> None:
    """Raise NotJSONError unless a value is plain."""
    if not is_plain(value):
        raise NotJSONError(TOO_MUCH)


def _named(
    holder: Node, value: Any, hints: Sequence[tuple[int | str, ...]]
) -> dict[int | str, Any] | None:
    """The members of a container to which ways lead, and the ways from there; None if none does.

    pydantic-core puts the names of its own schemas in between (`choice 0`). It tries the strict
    schema first, in vain, and the coercing one last, whose errors are what counts.
    """
    named: dict[int | str, Any] = {}
    schemas: tuple[int | str, ...] | None = None
    for hint in hints:
        for index, token in enumerate(hint):
            known = (token in value) if type(value) is dict else (type(token) is int)
            if known or token in holder.required:
                if hint[:index] != schemas:
                    schemas = hint[:index]
                    named.clear()
                if known:
                    named.setdefault(token, []).append(hint[index + 1 :])
                break
    return None if schemas is None else named


def _in_order(named: Collection[Any], keys: Sequence[Any]) -> Iterable[tuple[int, Any]]:
    """Some keys in the order of all, each with its index among them."""
    if type(keys) is range:
        return ((index, index) for index in sorted(named) if index in keys)
    return ((index, key) for index, key in enumerate(keys if named else ()) if key in named)


def _child(holder: Node, key: Any) -> Node | None:
    """The subschema for a member of a container; None where it is told as a name, or has none."""
    if type(key) is str:
        return holder.properties.get(key, None if holder.closed else holder.additional)
    return holder.prefix[key] if key < len(holder.prefix) else holder.items


def _fits(holder: Node, value: Any) -> bool:
    """Whether an array has as many items as it has to."""
    sizes = holder.sizes if type(value) is list else {}
    return sizes.get("min_length", 0) <= len(value) <= sizes.get("max_length", len(value))


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
