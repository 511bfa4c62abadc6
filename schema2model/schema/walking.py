"""Walks a schema and lets the keyword functions of its dialect fill in the nodes.

It names no keyword but `$ref`, whose siblings do not count in earlier drafts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from schema2model.errors import SchemaError
from schema2model.limits import (
    MAX_APPLIED,
    MAX_DEPTH,
    MAX_EVALUATED,
    MAX_IN_PLACE,
    MAX_REFERRED,
    MAX_SUBSCHEMAS,
)
from schema2model.schema.dialects import Dialect
from schema2model.schema.nodes import Node, Place
from schema2model.schema.patterns import Pattern
from schema2model.schema.references import ROOT_URI, Documents
from schema2model.schema.subschemas import DEFINITIONS
from schema2model.schema.vocabularies import Keyword
from schema2model.schema.vocabularies.unevaluated import UNEVALUATED

__all__ = ["Walked", "walk"]


class Walked:
    """The result of a walk: the node of the root document, and facts about all nodes."""

    __slots__ = ("dynamic", "max_depth", "may_explode", "root", "size")

    root: Node
    dynamic: bool
    """True if the target of a reference depends on the evaluation."""
    max_depth: int
    """Maximum levels of values that can be checked in time, as references multiply with each."""
    may_explode: bool
    """True if a Python value that is small in memory may take very long to check, because it holds
    the same object many times: the schema is recursive, or has many levels."""
    size: int
    """The number of subschemas."""


def walk(
    documents: Documents,
    *,
    assert_formats: bool,
    on_first_risky_keyword: Callable[[], object],
    on_unchecked_target: Callable[[Any, Place], object],
) -> Walked:
    """Return the node of the root document, with all nodes that can be reached from it.

    The root document is valid under its meta-schema. `on_first_risky_keyword` is called before the
    first keyword that needs more than that, such as a pattern or a reference. It refuses the
    documents if they cannot be compiled. `on_unchecked_target` is called with the target of a
    reference if no meta-schema has seen it, and refuses it if it is invalid.

    Raises:
        SchemaError: if more than `MAX_SUBSCHEMAS` subschemas can be reached, or if references
            fan out, or lead back to themselves through a choice, without going into the instance.

    """
    walker = _Walker(
        documents, on_first_risky_keyword, on_unchecked_target, assert_formats=assert_formats
    )
    walked = Walked()
    place = documents.root()
    walked.root = walker.node(documents.by_uri[place.document], place)
    walker.run()
    walked.dynamic, walked.size = walker.dynamic, len(walker.queue)
    size: _Size | None = _SMALL
    if walker.refers or sum(map(_is_free, walker.queue)) > _MANY_LEVELS:
        size = _size(walked.root, walker.queue)
    walked.may_explode = size is None or size.is_large
    walked.max_depth = MAX_DEPTH
    evaluates = walker.has_risky_keywords and any(map(_evaluates, walker.queue))
    if evaluates or (walker.refers and (size is None or not size.is_within_limits)):
        _refuse_or_unwind_circles(walker.queue)
        if walker.refers:
            walked.max_depth = _max_depth(walker.queue)
    return walked


@lru_cache
def _keywords(dialect: Dialect, assert_formats: bool) -> dict[str, Keyword]:  # noqa: FBT001
    """Return the keywords that matter to a walk."""
    risky = {name: k for name, k in dialect.keywords.items() if k.needs_compile or k.defines}
    return risky | dialect.assertions(formats=assert_formats)


_PLAIN_POINTER = re.compile(r"#(?:/[\w$.-]+)*", re.ASCII)
"""References within a document that can be followed in one way only."""


class _Walker:
    """A queue of nodes to fill in, so that deep schemas and long reference chains need no stack.

    It is also the `Site` of the keyword functions: they fill in the node `self.at`.
    """

    def __init__(
        self,
        documents: Documents,
        on_first_risky: Callable[[], object],
        on_unchecked: Callable[[Any, Place], object],
        *,
        assert_formats: bool,
    ) -> None:
        self.documents = documents
        self.assert_formats = assert_formats
        self.on_first_risky = on_first_risky
        self.on_unchecked = on_unchecked
        self.checked = {id(documents.by_uri[ROOT_URI])}
        self.has_risky_keywords = False
        self.nodes: dict[int, Node] = {}
        self.queue: list[Node] = []
        self.patterns: dict[tuple[str, str], Pattern] = {}
        self.siblings: dict[str, Any] = {}
        self.definitions: list[Any] = []
        self.refers = False
        self.dynamic = False
        self.at: Node

    def run(self) -> None:
        document = None
        for node in self.queue:  # which grows on the way
            if node.place.document != document:
                document = node.place.document
                dialect = self.documents.dialect_of(document)
                keywords = _keywords(dialect, self.assert_formats)
            self.fill(node, keywords, ref_overrides=dialect.ref_overrides)
        if any(type(each) is dict and id(each) not in self.nodes for each in self.definitions):
            self.require_compiled()  # no reference leads there, so that nobody has looked at it

    def fill(self, node: Node, keywords: dict[str, Keyword], *, ref_overrides: bool) -> None:
        self.at, self.siblings = node, node.schema
        schema = node.schema
        if ref_overrides and "$ref" in schema:
            schema = {name: schema[name] for name in ("$ref", *DEFINITIONS) if name in schema}
        if "$schema" in schema and node.place.path:
            node.residual += ("$schema",)  # jsonschema-rs alone reads it in another dialect
            self.require_compiled()
        for name, value in schema.items():
            keyword = keywords.get(name)
            if keyword is None:
                continue
            if keyword.needs_compile:
                self.require_compiled()
            elif keyword.defines:
                self.definitions += value.values()
                self.checked.update(map(id, value.values()))
            if keyword.function is not None:
                keyword.function(node, value, self)

    def require_compiled(self) -> None:
        if not self.has_risky_keywords:
            self.on_first_risky()
            self.has_risky_keywords = True

    def node(self, schema: Any, place: Place) -> Node:
        """Return the one node of a subschema, by the identity of its schema object."""
        identity = id(schema)  # the documents keep it alive; equal subschemas have two places
        node = self.nodes.get(identity)
        if node is None:
            if len(self.queue) >= MAX_SUBSCHEMAS:
                message = f"more than {MAX_SUBSCHEMAS} subschemas"
                raise SchemaError(message, pointer=place.pointer)
            node = Node(schema, place)
            if type(schema) is dict:  # true and false have no identity of their own
                self.nodes[identity] = node
                self.queue.append(node)
        return node

    def subschema(self, *tokens: str | int) -> Node:
        schema, place = self.documents.below(self.at.schema, self.at.place, tokens)
        return self.node(schema, place)

    def pattern(self, text: str) -> Pattern:
        checker = self.documents.dialect_of(self.at.place.document).checker
        return self.patterns.setdefault((checker, text), Pattern(text, checker))

    def resolve(self, reference: str, *, dynamic: bool = False) -> Node | None:
        self.refers = True
        self.dynamic |= dynamic
        if not _PLAIN_POINTER.fullmatch(reference):
            self.require_compiled()
        found = self.documents.resolve(reference, self.at.place)
        if found is None:
            self.require_compiled()
            return None
        if id(found[0]) not in self.checked and not self.is_checked(found[1]):
            self.on_unchecked(*found)
            self.checked.add(id(found[0]))
        return self.node(*found)

    def is_checked(self, place: Place) -> bool:
        """Return whether a subschema is within one that its meta-schema has seen, as a subschema.

        A target under an unknown keyword is not, nor is one in another document.
        """
        keywords = self.documents.dialect_of(place.document).keywords
        schema = self.documents.by_uri[place.document]
        seen = set[int]()
        for level, token in enumerate(place.path):
            seen |= {level} if id(schema) in self.checked else set()
            keyword = keywords.get(str(token)) if level in seen else None
            if keyword is not None:
                seen |= {level + 1} if keyword.subschema else set()
                seen |= {level + 2} if keyword.array or keyword.names else set()
            schema = schema[token]
        return len(place.path) in seen or id(schema) in self.checked


# ------------------------------------------------------------------------------------ limits
_MANY_LEVELS = 3
"""Maximum arrays, or objects of any names, within one another that need no limit of depth."""

_MANY_PLACES = 10_000
"""Maximum places in an instance, each described by itself, that need no limit of size."""


class _Size(NamedTuple):
    """The size of a schema that leads nowhere back, with each reference written out."""

    places: int
    """Subschemas, each counted once for every way that leads to it; cut where no limit is near."""
    levels: int
    """Subschemas on the longest way, or one more."""
    free_levels: int
    """Maximum arrays, or objects of any names, on a way."""

    @property
    def is_large(self) -> bool:
        """True if a Python value that is small in memory may take long to check."""
        return self.places > _MANY_PLACES or self.free_levels > _MANY_LEVELS

    @property
    def is_within_limits(self) -> bool:
        """True if no part of it can exceed a limit of what references multiply."""
        return self.places <= min(MAX_IN_PLACE, MAX_APPLIED) and self.levels <= MAX_REFERRED


_MOST: Final = 10 * MAX_APPLIED
"""The ways to one subschema that are counted."""

_SMALL = _Size(places=1, levels=1, free_levels=0)


def _size(root: Node, nodes: list[Node]) -> _Size | None:
    """Return the size of a schema; None if a part of it refers to a schema around it."""
    applied = {node: [*node.applied()] for node in nodes}
    waiting = Counter(chain.from_iterable(applied.values()))
    above = {root: (1, 1, 0)}
    places = deepest = freest = 0
    ready = [] if root in waiting else [root]
    for node in ready:  # which grows on the way: a node comes after all that lead to it
        ways, levels, free = above[node]
        free += _is_free(node)
        deepest, freest = max(deepest, levels), max(freest, free)
        places += ways
        for each in applied[node]:
            if not applied.get(each):  # it leads nowhere, as most do
                places += ways
                continue
            more, level, free_level = above.get(each, (0, 0, 0))
            above[each] = min(more + ways, _MOST), max(level, levels + 1), max(free_level, free)
            waiting[each] -= 1
            if not waiting[each]:
                ready.append(each)
    is_circular = len(ready) < sum(map(bool, applied.values()))
    return None if is_circular else _Size(places, deepest + 1, freest)


def _is_free(node: Node) -> bool:
    """Return whether objects may have any number of members, or arrays are described at all."""
    others = node.additional is not None and not node.forbids_additional
    return others or bool(node.items or node.prefix or node.patterns)


def _refuse_or_unwind_circles(nodes: list[Node]) -> None:
    """Refuse references that fan out or lead back, but for circles that require one another.

    Raises:
        SchemaError: if there are any.

    """
    try:
        _limit_in_place(nodes)
    except _CircleError:
        _unwind_circles(nodes)
        try:
            _limit_in_place(nodes)
        except _CircleError as error:
            message = "this reference leads back to itself"
            raise SchemaError(message, pointer=error.node.place.pointer) from None


def _limit_in_place(nodes: list[Node]) -> None:
    """Refuse references that fan out again and again at one and the same instance.

    Raises:
        _CircleError: if references lead back to a node without going into the instance.
        SchemaError: if a limit is exceeded.

    """
    applied: dict[Node, int] = {}
    evaluated: dict[Node, int] = {}
    levels: dict[Node, int] = {}
    for node in _depth_first(nodes, Node.applied_in_place):
        parts = [*node.applied_in_place()]
        for part in parts:
            if part not in applied:
                raise _CircleError(part)
        times = _EVALUATIONS if _evaluates(node) else 1
        applied[node] = 1 + sum(applied[part] for part in parts)
        evaluated[node] = 1 + times * sum(evaluated[part] for part in parts)
        levels[node] = 1 + max((levels[part] for part in parts), default=0)
        pointer, message = node.place.pointer, ""
        if applied[node] > MAX_IN_PLACE:
            message = f"more than {MAX_IN_PLACE} subschemas apply to one value here"
        elif evaluated[node] > MAX_EVALUATED:
            message = f"too many `unevaluated…` within one another at {pointer or 'the root'}"
        elif levels[node] > MAX_REFERRED:
            message = f"a chain of more than {MAX_REFERRED} references"
        if message:
            raise SchemaError(message, pointer=pointer)


def _max_depth(nodes: list[Node]) -> int:
    """Return how deep a value may be to have at most `MAX_APPLIED` subschemas applied to a part."""
    order = [*_depth_first(nodes, Node.applied)]
    paths: dict[Node, int] = {}
    for node in order:  # a first estimate, which is enough for most schemas
        some = 1 + sum([paths.get(each, 1) for each in node.applied()])
        paths[node] = min(some, MAX_APPLIED + 1)
    if max(paths.values()) <= MAX_APPLIED:
        return MAX_DEPTH
    if max(_most_applied(order, None).values()) <= MAX_APPLIED:
        return MAX_DEPTH
    most = dict.fromkeys(order, 0)
    for depth in range(-1, MAX_DEPTH):
        most = _most_applied(order, most)
        if max(most.values()) > MAX_APPLIED:
            return max(depth, 0)
    return MAX_DEPTH


_ITEMS: Final = 0
_MEMBERS: Final = 1
_MANY_NAMES: Final = 500
"""Maximum property names that are distinguished to count what applies to each."""


def _most_applied(order: list[Node], flatter: dict[Node, int] | None) -> dict[Node, int]:
    """Return how many subschemas each node applies at most to one part of a value, cut at a limit.

    Nodes that lead back count once: jsonschema-rs remembers their verdicts on a part, and no
    others.

    Args:
        order: the nodes, after those that they lead to, but for those that lead back.
        flatter: the same for values of one level less; None if values have any depth.

    """
    in_place: dict[Node, int] = {}
    most: dict[Node, int] = {}
    below: dict[Node, Counter[str | int]] = {}
    """How many apply to the value of each property, to any other, and to each item."""

    def applied(node: Node) -> int:
        return (most if flatter is None else flatter)[node] if node in most else 1

    for node in order:
        in_place[node] = 1
        others = sum(map(applied, node.residual_subschemas.values()))
        children = below[node] = Counter[str | int]({_ITEMS: others, _MEMBERS: others})
        items = (*node.prefix, *filter(None, (node.items,)))
        children[_ITEMS] += max(map(applied, items), default=0)
        members = (*node.patterns.values(), *filter(None, (node.additional,)))
        children[_MEMBERS] += sum(map(applied, members))
        children.update({name: applied(each) for name, each in node.properties.items()})
        for part in node.applied_in_place():
            in_place[node] += in_place.get(part, 1)
            children.update(below.get(part, ()))
        named = max((n for name, n in children.items() if type(name) is str), default=0)
        total = max(in_place[node], children[_ITEMS], children[_MEMBERS] + named)
        most[node] = min(total, MAX_APPLIED + 1)
        if len(children) > _MANY_NAMES:
            below[node] = Counter({_ITEMS: children[_ITEMS], _MEMBERS: children[_MEMBERS] + named})
    return most


_EVALUATIONS: Final = 3
"""Approximate times that jsonschema-rs evaluates the subschemas next to an `unevaluated…`."""


def _evaluates(node: Node) -> bool:
    """Return whether a node has a keyword that depends on what subschemas in place evaluate."""
    return not UNEVALUATED.keys().isdisjoint(node.residual)


# ------------------------------------------------------------------------------------- graphs
class _CircleError(Exception):
    """Nodes follow one another in a circle."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node


def _depth_first(nodes: list[Node], following: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """Yield nodes, and all that can be reached from them, after those that follow them.

    Of nodes in a circle, the one that is reached first comes last.
    """
    seen = set[Node]()
    for start in nodes:
        steps = [] if start in seen else [(start, iter(following(start)))]
        seen.add(start)
        while steps:
            node, rest = steps[-1]
            other = next((each for each in rest if each not in seen), None)
            if other is None:
                steps.pop()
                yield node
            else:
                seen.add(other)
                steps.append((other, iter(following(other))))


def _unwind_circles(nodes: list[Node]) -> None:
    """Take circles of nothing but `$ref` and `allOf` apart.

    In such a circle, every node requires all others. So each becomes an `allOf` of the assertions
    of all of them, without the references that make the circle.
    """
    for circle in _circles(nodes):
        inside = {*circle}
        copies = []
        for node in circle:
            copy = Node(node.schema, node.place)
            vars(copy).update(vars(node))
            for name in ("reference", "all_of"):
                outward = tuple(each for each in getattr(node, name) if each not in inside)
                if outward:
                    setattr(copy, name, outward)
                else:
                    vars(copy).pop(name, None)
            copies.append(copy)
        for node in circle:
            vars(node).clear()
            node.all_of = tuple(copies)


def _circles(nodes: list[Node]) -> list[list[Node]]:
    """Return the groups of nodes that require one another (Kosaraju's algorithm)."""
    finished = [*_depth_first(nodes, Node.conjuncts)]
    seen = set(finished)
    requiring: dict[Node, list[Node]] = {}
    for node in finished:
        for other in node.conjuncts():
            requiring.setdefault(other, []).append(node)
    groups = []
    for start in reversed(finished):
        if start not in seen:  # it is in a group
            continue
        seen.discard(start)
        group = [start]
        for node in group:  # which grows on the way
            new = [each for each in dict.fromkeys(requiring.get(node, ())) if each in seen]
            seen.difference_update(new)
            group += new
        if len(group) > 1 or start in requiring.get(start, ()):
            groups.append(group)
    return groups
