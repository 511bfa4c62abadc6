"""Where arguments are wrong: the places that a schema refuses, found by verdicts alone.

From the whole down, jsonschema-rs is asked of each part whether it is valid, and only what is not
is looked into, for no more problems than a message tells. It builds no errors: those of every
branch of every union would have to be made before the first could be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schema2model.diagnosis.members import Members, Problem, Spot
from schema2model.diagnosis.unions import Leaf, fits, leaves_of, misfit, tag_of
from schema2model.diagnosis.wording import Wording
from schema2model.errors import MAX_ISSUES, Issue
from schema2model.json.canonical import not_json_error
from schema2model.json.pointers import pointer
from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts

__all__ = ["issues"]

Check = tuple[str, Callable[[Any], bool]]
"""A keyword, and whether a value is valid under it."""

Read = Callable[[Spot], "Spot | None"]
"""Replaces an invalid member by the attempt to read it; None if it has a valid reading."""

MAX_PLACES = 2_000
"""Places that are looked into for one message."""

MAX_NESTED = 4
"""Unions within one another whose branches are tried out."""

MAX_TRIED = 4
"""Branches of one union that are tried out, of those that fit best."""

_ELSEWHERE = frozenset(("properties", "patternProperties", "additionalProperties", "required"))
_ELSEWHERE |= {"items", "prefixItems", "additionalItems", "anyOf", "oneOf", "allOf", "$ref"}
_ELSEWHERE |= {"if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"}
_ELSEWHERE |= {"propertyNames", "$dynamicRef", "$recursiveRef"}
_ELSEWHERE |= {"unevaluatedProperties", "unevaluatedItems"}
"""Keywords that are not judged as one: what they refuse stands in a member, a branch or a name."""

_NO_MEMBERS: Iterator[Spot] = iter(())

_WHOLE = frozenset(("type", "enum", "const", "falseSchema"))
"""Keywords that make it pointless to look at the members of what they refuse."""


def issues(
    verdicts: Verdicts, root: Node, value: Any, read: Read | None = None
) -> tuple[Issue, ...]:
    """Return the issues of an invalid value: at most `MAX_ISSUES` and one, none if it is valid."""
    try:
        if verdicts.is_valid(value):
            return ()
        finder = Finder(verdicts, read)
        found = finder.problems(Spot((), value, (root,), refused=True))
        words = Wording(verdicts, finder.members.compared)
        return tuple(words.issue(problem) for problem in found)
    except ValueError:
        error = not_json_error(value)
        return (Issue(pointer(error.path), "json", "a JSON value", str(error)),)


class Finder:
    """One walk down to what is refused."""

    def __init__(self, verdicts: Verdicts, read: Read | None = None) -> None:
        self.verdicts = verdicts
        self.members = Members(verdicts)
        self.limit = MAX_ISSUES + 1
        self.left = MAX_PLACES
        self._read = read
        self._checks: dict[Node, list[Check]] = verdicts.memo("own", dict)
        self._nested = 0

    def problems(self, start: Spot) -> list[Problem]:
        """The problems at a place and below it, the most useful first.

        There is at least one if the place is known to be refused, and all of it was read.
        """
        found: list[Problem] = []
        unknown: list[Problem] = []  # names, which come last
        self.collect(start, found, unknown)
        return (found + unknown)[: self.limit]

    def collect(self, start: Spot, found: list[Problem], unknown: list[Problem]) -> None:
        """Add the problems at a place and below it, those of unknown names by themselves."""
        way: list[tuple[Spot, Iterator[Spot], int]] = []
        todo: Iterator[Spot] = iter((start,))
        while len(found) < self.limit:
            spot = next(todo, None)
            if spot is not None and self.left > 0:
                self.left -= 1
                if spot.path and self._read is not None:
                    spot = self._read(spot)
                    if spot is None:
                        continue
                way.append((spot, todo, len(found) + len(unknown)))
                here, todo = self.below(spot)
                for problem in here:
                    (unknown if problem.kind == "unknown" else found).append(problem)
            elif way:
                spot, todo, before = way.pop()
                if len(found) + len(unknown) == before:
                    found += self._left_over(spot)
            else:
                break

    def below(self, spot: Spot) -> tuple[list[Problem], Iterator[Spot]]:
        """What is wrong at a place itself, and the members of it that may be wrong, too."""
        found: list[Problem] = []
        parts, of_unions = self._parts(spot)
        keyword = None
        for part in parts:
            refusing = self._refusing(part, spot.value)
            if refusing is not None and (keyword is None or refusing in _WHOLE):
                keyword, where = refusing, part
                if keyword in _WHOLE:
                    break
        if keyword is not None:
            found.append(Problem(spot.path, keyword, spot.value, spot.nodes, parts, refusing=where))
            if keyword in _WHOLE:
                return found, _NO_MEMBERS
        found += [each for each in of_unions if keyword is None or each.path != spot.path]
        kind = type(spot.value)
        if kind is dict:
            found += self.members.names(spot, parts, self.limit)
        members = self.members.refused(spot, parts) if kind is dict or kind is list else _NO_MEMBERS
        return found, members

    # ------------------------------------------------------------- what applies to one place
    def _parts(self, spot: Spot) -> tuple[tuple[Node, ...], list[Problem]]:
        """All that applies to a value, and what is wrong with its unions."""
        if not any(map(Node.has_in_place_subschemas, spot.nodes)):
            return spot.nodes, []
        parts: dict[int, Node] = {}
        queue = list(spot.nodes)
        problems: list[Problem] = []
        for node in queue:  # which grows on the way
            if id(node) in parts:
                continue
            parts[id(node)] = node
            queue += node.conjuncts()
            if type(spot.value) is dict:
                queue += [child for name, child in node.dependent.items() if name in spot.value]
            for condition in node.conditions:
                holds = self.members.valid(condition.test, spot.value)
                queue += filter(None, (condition.then if holds else condition.otherwise,))
            for keyword, group in (("anyOf", node.any_of), ("oneOf", node.one_of)):
                if group:
                    meant, wrong = self._union(spot, node, keyword, group)
                    queue += meant
                    problems += wrong
        return tuple(parts.values()), problems

    def _refusing(self, node: Node, value: Any) -> str | None:
        """The keyword of a subschema that refuses a value itself: the weightiest, or the first."""
        if isinstance(node.schema, bool):
            return None if node.schema else "falseSchema"
        first = None
        own = self._checks.get(node)
        if own is None:
            own = self._checks[node] = self._own(node)
        for keyword, is_valid in own:
            if not is_valid(value):
                if keyword in _WHOLE:
                    return keyword
                first = first or keyword
        return first

    def _own(self, node: Node) -> list[Check]:
        """The verdicts of the keywords that a subschema asserts by itself."""
        asserted = self.members.asserted(node)
        own = [name for name in asserted if name not in _ELSEWHERE]
        among = self.members.among(node)
        if among is not None:
            return [(own[0], among)]
        beside = {
            name: [n for n in _BESIDE.get(name, ()) if n in node.schema and n not in asserted]
            for name in own
        }
        return [
            (name, self.verdicts.valid_for_keywords(node.place, name, *beside[name]))
            for name in own
        ]

    # ------------------------------------------------------------------------------- unions
    def _union(
        self, spot: Spot, node: Node, keyword: str, group: tuple[Node, ...]
    ) -> tuple[list[Node], list[Problem]]:
        """The branch that was meant, or what is wrong; neither where the union is satisfied."""
        value = spot.value
        leaves = self.verdicts.memo(group, lambda: leaves_of(group))
        tag, fitting = None, []
        if type(value) in {dict, list}:
            tag = tag_of(leaves, value)
            fitting = [leaf for leaf in leaves if fits(leaf, value, tag)]
            if len(fitting) == 1:
                return list(fitting[0].nodes), []  # no other can be valid
        if self.verdicts.valid_for_keywords(node.place, keyword)(value):
            return [], []
        whole = Problem(spot.path, keyword, value, spot.nodes, (node,), leaves=leaves)
        if keyword == "oneOf" and self.verdicts.any_branch_valid(node.place, keyword)(value):
            return [], [whole._replace(kind="several")]
        if tag is not None and not any(tag in leaf.tags for leaf in fitting):
            return [], [self._tagged(spot, keyword, leaves, tag)]
        if type(value) is dict and tag is not None and tag not in value:
            return [], [self._tagged(spot, keyword, fitting, tag)]
        if not fitting:
            return [], [whole]
        best = self._best(spot, fitting)
        if len(best) == 1:
            return list(best[0].nodes), []
        return [], [whole._replace(leaves=tuple(best))]

    def _tagged(self, spot: Spot, keyword: str, leaves: Sequence[Leaf], tag: str) -> Problem:
        """What is wrong with the property that tells the branches apart."""
        tags = self.verdicts.memo(
            ("tags", tag, tuple(leaves)),
            lambda: tuple(Leaf.of(leaf.tags[tag]) for leaf in leaves if tag in leaf.tags),
        )
        missing = tag not in spot.value
        return Problem(
            (*spot.path, tag),
            "required" if missing else keyword,
            None if missing else spot.value[tag],
            (),
            (),
            kind="missing" if missing else "value",
            leaves=tags,
        )

    def _best(self, spot: Spot, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        """The branches that are nearest to being valid: one, if it is so by far."""
        scores = [misfit(leaf, spot.value) for leaf in leaves]
        least = min(scores)
        best = [leaf for leaf, score in zip(leaves, scores, strict=True) if score == least]
        if len(best) == 1 or len(best) > MAX_TRIED or self._nested >= MAX_NESTED:
            return best
        self._nested += 1
        limit, self.limit = self.limit, min(self.limit, MAX_TRIED)
        counts = [
            len(self.problems(Spot(spot.path, spot.value, leaf.nodes, refused=True)))
            for leaf in best
        ]
        self.limit = limit
        self._nested -= 1
        return [leaf for leaf, count in zip(best, counts, strict=True) if count == min(counts)]

    # -------------------------------------------------------------- what is left unexplained
    def _left_over(self, spot: Spot) -> list[Problem]:
        """What is wrong with a refused value in which nothing was found to be wrong."""
        parts = [part for node in spot.nodes for part in node.all_in_place()]
        if not spot.refused and not any(_unevaluated(part) for part in parts):
            return []
        for node in spot.nodes:
            if not self.members.valid(node, spot.value):
                return self.members.unevaluated(spot, node, parts) or [self._last(spot, node)]
        return []

    def _last(self, spot: Spot, node: Node) -> Problem:
        """The whole is refused: by the first keyword that refuses it, if one alone does."""
        for part in node.all_in_place():
            for keyword in self.members.asserted(part):
                if not self.verdicts.valid_for_keywords(part.place, keyword)(spot.value):
                    return Problem(spot.path, keyword, spot.value, spot.nodes, (node,))
        return Problem(spot.path, "schema", spot.value, spot.nodes, (node,))


_BESIDE: dict[str, tuple[str, ...]] = {
    "contains": ("minContains", "maxContains"),
    "minimum": ("exclusiveMinimum",),  # a switch in draft 4
    "maximum": ("exclusiveMaximum",),
}
"""Keywords that mean what they do only together with others, which assert nothing themselves."""


def _unevaluated(node: Node) -> bool:
    return "unevaluatedProperties" in node.residual or "unevaluatedItems" in node.residual
