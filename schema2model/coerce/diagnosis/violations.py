"""The walk that finds the violations in invalid arguments.

It validates from the root down with jsonschema-rs, and looks only into invalid members, until it
has as many violations as a message reports. It does not use the errors of jsonschema-rs, which
would build those of every branch of every union before it returned the first.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from schema2model.coerce.diagnosis.members import Location, MemberChecker, Violation
from schema2model.coerce.diagnosis.property_names import NameChecker
from schema2model.coerce.diagnosis.unions import (
    Leaf,
    absent_count,
    closure,
    discriminator_of,
    fits,
    flatten_branches,
    mismatch_count,
)
from schema2model.coerce.diagnosis.wording import Wording
from schema2model.errors import Issue
from schema2model.json.canonical import not_json_error
from schema2model.json.parsing import NOTHING
from schema2model.json.pointers import pointer
from schema2model.limits import MAX_ISSUES
from schema2model.schema.keywords import KEYWORDS
from schema2model.schema.nodes import Node
from schema2model.schema.parts import Parts
from schema2model.schema.verdicts import Verdicts
from schema2model.schema.vocabularies.unevaluated import UNEVALUATED

__all__ = ["issues"]

Check = tuple[str, Callable[[Any], bool]]
"""A keyword, and whether a value is valid under it."""

Read = Callable[[Location], "Location | None"]
"""Replaces an invalid member by the attempt to read it; None if it has a valid reading."""

MAX_LOCATIONS = 2_000
"""Maximum locations in the arguments that are examined for one message."""

MAX_NESTED = 4
"""Maximum nested unions whose branches are examined."""

MAX_TRIED = 4
"""Maximum branches of one union that are examined."""

_DELEGATING = {name for name, k in KEYWORDS if k.in_place or k.subschema or k.array or k.names}
_DELEGATING |= {"required", "dependentRequired"}
_DELEGATING -= {"contains", "not"}
"""Keywords that are not validated as a whole: the violations are in members, branches or names."""

_DECISIVE = frozenset(("type", "enum", "const", "falseSchema"))
"""Keywords whose violation makes it pointless to examine the members of the value."""

_MODIFIERS = {name for name, k in KEYWORDS if not k.function and k.instance in {"array", "number"}}
"""Keywords that assert nothing themselves, but modify others, in some dialects."""


def issues(
    verdicts: Verdicts, root: Node, value: Any, read: Read | None = None, sent: Any = NOTHING
) -> tuple[Issue, ...]:
    """Return the issues of an invalid value: at most `MAX_ISSUES` and one, none if it is valid.

    They quote what was `sent`, if rules have made the value of that.
    """
    try:
        if verdicts.is_valid(value):
            return ()
        finder = ViolationFinder(verdicts, read)
        found = finder.violations(Location((), value, (root,), invalid=True))
        words = Wording(verdicts, finder.names.closest, value if sent is NOTHING else sent)
        return tuple(map(words.issue, found))
    except ValueError:
        error = not_json_error(value)
        return (Issue(pointer(error.path), "json", "a JSON value", str(error)),)


class ViolationFinder:
    """One walk from a location down to the violations."""

    def __init__(self, verdicts: Verdicts, read: Read | None) -> None:
        self.verdicts = verdicts
        self.members = MemberChecker(verdicts)
        self.names = NameChecker(self.members)
        self._read = read
        self.limit = MAX_ISSUES + 1
        self._left = iter(range(MAX_LOCATIONS))
        self.nested = 0
        self.found: list[Violation] = []
        self.unknown: list[Violation] = []  # names, which come last
        self.skipped = 0  # members that have a reading

    def violations(self, start: Location) -> list[Violation]:
        """Return the violations at a location and below it, the most useful first.

        There is at least one if the location is known to be invalid, and `read` skips no member.
        """
        self._collect(start, ())
        return (self.found + self.unknown)[: self.limit]

    def _collect(self, location: Location, owner: tuple[Node, ...]) -> None:
        """Add the violations at a location, a member of what `owner` describes, and below it."""
        found, unknown = self.found, self.unknown
        before = len(found) + len(unknown) + self.skipped
        path, value, nodes, _ = location
        parts, of_unions = self._applicable(location)
        keyword = self._rejecting_keyword(parts, value)
        if keyword is not None:
            found.append(Violation(path, keyword, value, nodes, parts, owner=owner))
        if keyword not in _DECISIVE:
            for violation in of_unions:
                if keyword is None or violation.path != path:
                    found.append(violation._replace(owner=owner))
            if type(value) is dict:
                for violation in self.names.violations(location, parts, self.limit):
                    is_last = violation.kind == "unknown" and violation.keyword != "required"
                    (unknown if is_last else found).append(violation)
            if type(value) is dict or type(value) is list:
                self._collect_members(location, parts)
        if len(found) + len(unknown) + self.skipped == before:
            found += self._unexplained(location)

    def _collect_members(self, location: Location, parts: Sequence[Node]) -> None:
        """Add the violations in the members of a container."""
        for member in self.members.invalid_members(location, parts):
            if len(self.found) >= self.limit or next(self._left, None) is None:
                break
            read = member if self._read is None else self._read(member)
            if read is None:
                self.skipped += 1
            else:
                self._collect(read, location.nodes)

    # ---------------------------------------------------------- the subschemas at a location
    def _applicable(self, location: Location) -> tuple[tuple[Node, ...], list[Violation]]:
        """Return all subschemas that apply to a value, and the violations of its unions."""
        _, value, nodes, _ = location
        if len(nodes) == 1:
            target = nodes[0].dereferenced()
            if not target.has_in_place_subschemas():  # as most often
                return (target,), []
        parts: dict[Node, None] = {}
        queue = list(nodes)
        violations: list[Violation] = []
        for node in queue:  # it grows during the loop
            if node in parts:
                continue
            parts[node] = None
            queue += node.conjuncts()
            if type(value) is dict:
                queue += [child for name, child in node.dependent.items() if name in value]
            for condition in node.conditions:
                holds = self.members.valid((condition.test,), value)
                queue += filter(None, (condition.then if holds else condition.otherwise,))
            for keyword, group in (("anyOf", node.any_of), ("oneOf", node.one_of)):
                if group:
                    meant, wrong = self._union(location, node, keyword, group)
                    queue += meant
                    violations += wrong
        return tuple(parts), violations

    def _rejecting_keyword(self, parts: Sequence[Node], value: Any) -> str | None:
        """Return the keyword by which subschemas reject a value: a decisive one, or the first."""
        first = None
        for part in parts:
            checks = partial(self._compile_checks, part)
            for keyword, is_valid in self.verdicts.memo(("checks", part), checks):
                if not is_valid(value):
                    if keyword in _DECISIVE:
                        return keyword
                    first = first or keyword
        return first

    def _compile_checks(self, node: Node) -> list[Check]:
        """Return the checks of the keywords that a subschema asserts itself."""
        if isinstance(node.schema, bool):
            return [] if node.schema else [("falseSchema", lambda _: False)]
        asserted = self.verdicts.asserted(node.place)
        modifiers = [n for n in node.schema if n in _MODIFIERS and n not in asserted]
        return [
            (name, self.verdicts.valid_for_keywords(node.place, name, *modifiers))
            for name in asserted
            if name not in _DELEGATING
        ]

    # ------------------------------------------------------------------------------- unions
    def _union(
        self, location: Location, node: Node, keyword: str, group: tuple[Node, ...]
    ) -> tuple[list[Node], list[Violation]]:
        """Return the subschemas of the intended branch, or the violation; neither if valid."""
        value = location.value
        leaves = self.verdicts.memo(group, lambda: flatten_branches(group))
        tag, fitting = None, []
        if type(value) in {dict, list}:
            tag = discriminator_of(leaves, value)
            fitting = [leaf for leaf in leaves if fits(leaf, value, tag)]
            if len(fitting) == 1:
                return list(fitting[0].nodes), []  # no other can be valid
        if self.verdicts.valid_for_keywords(node.place, keyword)(value):
            return [], []
        whole = Violation(location.path, keyword, value, location.nodes, (node,), leaves=leaves)
        if keyword == "oneOf" and self.verdicts.any_valid_at(
            tuple(branch.place for branch in group)
        )(value):
            return [], [whole._replace(kind="several")]
        tagged = [leaf for leaf in fitting if tag in leaf.tags]
        if tag is not None and (not tagged or tag not in value):
            violation = self._discriminator_violation(location, keyword, tagged or leaves, tag)
            return [], [violation]
        if not fitting:
            return [], [whole]
        best = self._closest(location, fitting)
        if len(best) == 1:
            return list(best[0].nodes), []
        return [], [whole._replace(leaves=tuple(best))]

    def _discriminator_violation(
        self, location: Location, keyword: str, leaves: Sequence[Leaf], tag: str
    ) -> Violation:
        """Return the violation of the discriminator of a union."""
        tags = self.verdicts.memo(
            ("tags", tag, tuple(leaves)),
            lambda: tuple(Leaf(closure((leaf.tags[tag],))) for leaf in leaves if tag in leaf.tags),
        )
        path = (*location.path, tag)
        if tag not in location.value:
            return Violation(path, "required", None, kind="missing", leaves=tags)
        return Violation(path, keyword, location.value[tag], leaves=tags)

    def _closest(self, location: Location, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        """Return the branches with the fewest violations."""
        path, value, _, _ = location
        best = _least(leaves, lambda leaf: mismatch_count(leaf, value))
        if len(best) > 1:
            best = _least(best, lambda leaf: absent_count(leaf, value, self.names.closest))
        if len(best) == 1 or len(best) > MAX_TRIED or self.nested >= MAX_NESTED:
            return best

        def count(leaf: Leaf) -> int:
            inner = copy.copy(self)
            inner.limit, inner.nested = MAX_TRIED, self.nested + 1
            inner.found, inner.unknown = [], []
            return len(inner.violations(Location(path, value, leaf.nodes, invalid=True)))

        return _least(best, count)

    # ------------------------------------------------------------------ unexplained locations
    def _unexplained(self, location: Location) -> list[Violation]:
        """Return the violations of an invalid value in which none was found."""
        path, value, nodes, invalid = location
        parts = Parts.in_place(nodes).nodes
        if not invalid and not any(UNEVALUATED.keys() & part.residual for part in parts):
            return []
        for node in nodes:
            if not self.members.valid((node,), value):
                names = self.names.unevaluated(location, node, parts, self.limit)
                found = [*names] if type(value) is dict or type(value) is list else []
                rejecting = (
                    keyword
                    for part in node.all_in_place()
                    for keyword in self.verdicts.asserted(part.place)
                    if not self.verdicts.valid_for_keywords(part.place, keyword)(value)
                )
                return found or [Violation(path, next(rejecting, "schema"), value, nodes, (node,))]
        return []


def _least(leaves: Sequence[Leaf], count: Callable[[Leaf], int]) -> list[Leaf]:
    """Return the branches with the least count."""
    counts = [*map(count, leaves)]
    least = min(counts)
    return [leaf for leaf, number in zip(leaves, counts, strict=True) if number == least]
