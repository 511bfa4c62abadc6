"""The walk that finds the violations in invalid arguments.

It validates from the root down with jsonschema-rs, and looks only into invalid members, until it
has as many violations as a message reports. It does not use the errors of jsonschema-rs, which
would build those of every branch of every union before it returned the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schema2model.diagnosis.members import Location, MemberChecker, Violation
from schema2model.diagnosis.unions import (
    Leaf,
    discriminator_of,
    fits,
    flatten_branches,
    mismatch_count,
)
from schema2model.diagnosis.wording import OF_TYPES, Suggest, Wording
from schema2model.errors import Issue
from schema2model.json.canonical import not_json_error
from schema2model.json.pointers import pointer
from schema2model.limits import MAX_ISSUES
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

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

_DELEGATING = frozenset(("properties", "patternProperties", "additionalProperties", "required"))
_DELEGATING |= {"items", "prefixItems", "additionalItems", "anyOf", "oneOf", "allOf", "$ref"}
_DELEGATING |= {"if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"}
_DELEGATING |= {"propertyNames", "$dynamicRef", "$recursiveRef"}
_DELEGATING |= {"unevaluatedProperties", "unevaluatedItems"}
"""Keywords that are not validated as a whole: the violations are in members, branches or names."""

_NO_MEMBERS: Iterator[Location] = iter(())

_DECISIVE = frozenset(("type", "enum", "const", "falseSchema"))
"""Keywords whose violation makes it pointless to examine the members of the value."""


def issues(
    verdicts: Verdicts,
    root: Node,
    value: Any,
    read: Read | None = None,
    suggest: Suggest | None = None,
) -> tuple[Issue, ...]:
    """Return the issues of an invalid value: at most `MAX_ISSUES` and one, none if it is valid.

    `suggest` gives the likely meaning of a value, for the examples.
    """
    try:
        if verdicts.is_valid(value):
            return ()
        finder = ViolationFinder(verdicts, read)
        found = finder.violations(Location((), value, (root,), invalid=True))
        words = Wording(verdicts, finder.members.compared, suggest)
        return tuple(words.issue(violation) for violation in found)
    except ValueError:
        error = not_json_error(value)
        return (Issue(pointer(error.path), "json", "a JSON value", str(error)),)


class ViolationFinder:
    """One walk from a location down to the violations."""

    def __init__(self, verdicts: Verdicts, read: Read | None = None) -> None:
        self.verdicts = verdicts
        self.members = MemberChecker(verdicts)
        self.limit = MAX_ISSUES + 1
        self.left = MAX_LOCATIONS
        self._read = read
        self._checks: dict[Node, list[Check]] = verdicts.memo("own", dict)
        self._nested = 0

    def violations(self, start: Location) -> list[Violation]:
        """Return the violations at a location and below it, the most useful first.

        There is at least one if the location is known to be invalid, and `read` skips no member.
        """
        found: list[Violation] = []
        unknown: list[Violation] = []  # names, which come last
        self._collect(start, found, unknown)
        return (found + unknown)[: self.limit]

    def _collect(self, start: Location, found: list[Violation], unknown: list[Violation]) -> None:
        """Add the violations at a location and below it, those of unknown names to `unknown`."""
        stack: list[tuple[Location, Iterator[Location], int]] = []
        members: Iterator[Location] = iter((start,))
        while len(found) < self.limit:
            location = next(members, None)
            if location is not None and self.left > 0:
                self.left -= 1
                if stack and self._read is not None:
                    location = self._read(location)
                    if location is None:
                        continue
                stack.append((location, members, len(found) + len(unknown)))
                here, members = self._examine(location)
                if len(here) == 1 and here[0].keyword in OF_TYPES and len(stack) > 1:
                    here = [here[0]._replace(owner=stack[-2][0].nodes)]
                for violation in here:
                    (unknown if violation.kind == "unknown" else found).append(violation)
            elif stack:
                location, members, before = stack.pop()
                if len(found) + len(unknown) == before:
                    found += self._unexplained(location)
            else:
                break

    def _examine(self, location: Location) -> tuple[list[Violation], Iterator[Location]]:
        """Return the violations at a location itself, and its members that may be invalid."""
        found: list[Violation] = []
        parts, of_unions = self._applicable(location)
        keyword = None
        for part in parts:
            found_here = self._rejecting_keyword(part, location.value)
            if found_here is not None and (keyword is None or found_here in _DECISIVE):
                keyword, rejecting = found_here, part
                if keyword in _DECISIVE:
                    break
        if keyword is not None:
            found.append(
                Violation(
                    location.path,
                    keyword,
                    location.value,
                    location.nodes,
                    parts,
                    rejecting=rejecting,
                )
            )
            if keyword in _DECISIVE:
                return found, _NO_MEMBERS
        found += [each for each in of_unions if keyword is None or each.path != location.path]
        kind = type(location.value)
        if kind is dict:
            found += self.members.name_violations(location, parts, self.limit)
        if kind is dict or kind is list:
            return found, self.members.invalid_members(location, parts)
        return found, _NO_MEMBERS

    # ---------------------------------------------------------- the subschemas at a location
    def _applicable(self, location: Location) -> tuple[tuple[Node, ...], list[Violation]]:
        """Return all subschemas that apply to a value, and the violations of its unions."""
        if not any(map(Node.has_in_place_subschemas, location.nodes)):
            return location.nodes, []
        parts: dict[int, Node] = {}
        queue = list(location.nodes)
        violations: list[Violation] = []
        for node in queue:  # it grows during the loop
            if id(node) in parts:
                continue
            parts[id(node)] = node
            queue += node.conjuncts()
            if type(location.value) is dict:
                queue += [child for name, child in node.dependent.items() if name in location.value]
            for condition in node.conditions:
                holds = self.members.valid(condition.test, location.value)
                queue += filter(None, (condition.then if holds else condition.otherwise,))
            for keyword, group in (("anyOf", node.any_of), ("oneOf", node.one_of)):
                if group:
                    meant, wrong = self._union(location, node, keyword, group)
                    queue += meant
                    violations += wrong
        return tuple(parts.values()), violations

    def _rejecting_keyword(self, node: Node, value: Any) -> str | None:
        """Return the keyword of a subschema that rejects a value: a decisive one, or the first."""
        if isinstance(node.schema, bool):
            return None if node.schema else "falseSchema"
        first = None
        checks = self._checks.get(node)
        if checks is None:
            checks = self._checks[node] = self._compile_checks(node)
        for keyword, is_valid in checks:
            if not is_valid(value):
                if keyword in _DECISIVE:
                    return keyword
                first = first or keyword
        return first

    def _compile_checks(self, node: Node) -> list[Check]:
        """Return the checks of the keywords that a subschema asserts itself."""
        asserted = self.members.asserted_keywords(node)
        own = [name for name in asserted if name not in _DELEGATING]
        choices_check = self.members.membership_check(node)
        if choices_check is not None:
            return [(own[0], choices_check)]
        modifiers = {
            name: [n for n in _MODIFIERS.get(name, ()) if n in node.schema and n not in asserted]
            for name in own
        }
        return [
            (name, self.verdicts.valid_for_keywords(node.place, name, *modifiers[name]))
            for name in own
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
        if tag is not None and not any(tag in leaf.tags for leaf in fitting):
            return [], [self._discriminator_violation(location, keyword, leaves, tag)]
        if type(value) is dict and tag is not None and tag not in value:
            return [], [self._discriminator_violation(location, keyword, fitting, tag)]
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
            lambda: tuple(Leaf.of(leaf.tags[tag]) for leaf in leaves if tag in leaf.tags),
        )
        missing = tag not in location.value
        return Violation(
            (*location.path, tag),
            "required" if missing else keyword,
            None if missing else location.value[tag],
            (),
            (),
            kind="missing" if missing else "value",
            leaves=tags,
        )

    def _closest(self, location: Location, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        """Return the branches with the fewest violations."""
        scores = [mismatch_count(leaf, location.value) for leaf in leaves]
        least = min(scores)
        best = [leaf for leaf, score in zip(leaves, scores, strict=True) if score == least]
        if len(best) == 1 or len(best) > MAX_TRIED or self._nested >= MAX_NESTED:
            return best
        self._nested += 1
        limit, self.limit = self.limit, min(self.limit, MAX_TRIED)
        counts = [
            len(self.violations(Location(location.path, location.value, leaf.nodes, invalid=True)))
            for leaf in best
        ]
        self.limit = limit
        self._nested -= 1
        return [leaf for leaf, count in zip(best, counts, strict=True) if count == min(counts)]

    # ------------------------------------------------------------------ unexplained locations
    def _unexplained(self, location: Location) -> list[Violation]:
        """Return the violations of an invalid value in which none was found."""
        parts = [part for node in location.nodes for part in node.all_in_place()]
        if not location.invalid and not any(_unevaluated(part) for part in parts):
            return []
        for node in location.nodes:
            if not self.members.valid(node, location.value):
                return self.members.unevaluated(location, node, parts) or [
                    self._first_rejecting(location, node)
                ]
        return []

    def _first_rejecting(self, location: Location, node: Node) -> Violation:
        """Return the violation of the first keyword that alone rejects the value, or of all."""
        for part in node.all_in_place():
            for keyword in self.members.asserted_keywords(part):
                if not self.verdicts.valid_for_keywords(part.place, keyword)(location.value):
                    return Violation(
                        location.path, keyword, location.value, location.nodes, (node,)
                    )
        return Violation(location.path, "schema", location.value, location.nodes, (node,))


_MODIFIERS: dict[str, tuple[str, ...]] = {
    "contains": ("minContains", "maxContains"),
    "minimum": ("exclusiveMinimum",),  # a switch in draft 4
    "maximum": ("exclusiveMaximum",),
}
"""Keywords and those that modify them, which assert nothing themselves."""


def _unevaluated(node: Node) -> bool:
    return "unevaluatedProperties" in node.residual or "unevaluatedItems" in node.residual
