"""Walks a schema and lets the keyword functions of its dialect fill in the nodes.

It names no keyword but `$ref`, beside which earlier drafts let nothing else count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.schema.dialects import Dialect
from schema2model.schema.nodes import Node, Place
from schema2model.schema.patterns import Pattern
from schema2model.schema.references import Documents
from schema2model.schema.vocabularies import Keyword

__all__ = ["MAX_SUBSCHEMAS", "Walked", "walk"]

MAX_SUBSCHEMAS = 100_000
"""Subschemas that one compiled schema may have."""

MAX_IN_PLACE = 50_000
"""Subschemas that may apply to one and the same value, counted each time they do."""

MAX_EVALUATED = 1_000_000
"""The same, where those beside an `unevaluated…` are counted once more for what it has to know of
them, and again for each of these around it."""

MAX_REFERRED = 1_000
"""Subschemas within one another, or that refer to one another, that may apply to one value."""


class Walked:
    """What a walk has found: the node of the root document, and what is true of all of them."""

    __slots__ = ("dynamic", "root", "unbounded")

    root: Node
    dynamic: bool
    """Whether any reference leads where only evaluation can tell."""
    unbounded: bool
    """Whether a Python value that is small in memory may take very long to check, because it holds
    the same object again and again: so if the schema is recursive, or has many levels."""


def walk(
    documents: Documents, *, assert_formats: bool, on_intricate: Callable[[], object]
) -> Walked:
    """The node of the root document, with all that can be reached from it.

    The root document is what its meta-schema allows. `on_intricate` is called before the first
    keyword of which the meta-schema cannot tell that it is right, such as a pattern or a
    reference: it refuses the documents if they are not.

    Raises:
        SchemaError: if more than `MAX_SUBSCHEMAS` subschemas can be reached, or if references
            fan out, or lead back to themselves through a choice, without going into the instance.

    """
    walker = _Walker(documents, assert_formats=assert_formats, on_intricate=on_intricate)
    found = Walked()
    found.root = walker.node(documents.by_uri[documents.root().document], documents.root())
    walker.run()
    found.dynamic = walker.dynamic
    found.unbounded = _is_unbounded(walker.queue, refers=walker.refers)
    evaluates = walker.on_intricate is None and any(map(_evaluates, walker.queue))
    if (walker.refers or evaluates) and _circle_in(walker.queue) is not None:
        _unwind(walker.queue)
        circle = _circle_in(walker.queue)
        if circle is not None:
            message = "this reference leads back to itself"
            raise SchemaError(message, pointer=circle.place.pointer)
    return found


@lru_cache
def _read(dialect: Dialect, assert_formats: bool) -> dict[str, Keyword]:  # noqa: FBT001
    """The keywords that a walk has to look at."""
    intricate = {name: k for name, k in dialect.keywords.items() if k.intricate}
    return intricate | dialect.assertions(formats=assert_formats)


class _Walker:
    """A queue of nodes to fill in, so that deep schemas and long reference chains need no stack.

    It is also the `Site` of the keyword functions: the node at hand is `self.at`.
    """

    def __init__(
        self, documents: Documents, *, assert_formats: bool, on_intricate: Callable[[], object]
    ) -> None:
        self.documents = documents
        self.assert_formats = assert_formats
        self.on_intricate: Callable[[], object] | None = on_intricate
        self.nodes: dict[int, Node] = {}
        self.queue: list[Node] = []
        self.patterns: dict[tuple[str, str], Pattern] = {}
        self.siblings: dict[str, Any] = {}
        self.refers = False
        self.dynamic = False
        self.at: Node

    def run(self) -> None:
        for node in self.queue:  # which grows on the way
            self.fill(node)

    def fill(self, node: Node) -> None:
        dialect = self.documents.dialect_of(node.place.document)
        keywords = _read(dialect, self.assert_formats)
        self.at, self.siblings = node, node.schema
        if dialect.ref_overrides and "$ref" in node.schema:
            self.read(keywords["$ref"], node.schema["$ref"])
            return
        for name, value in node.schema.items():
            keyword = keywords.get(name)
            if keyword is not None:
                self.read(keyword, value)

    def read(self, keyword: Keyword, value: Any) -> None:
        if keyword.intricate and self.on_intricate is not None:
            self.on_intricate()
            self.on_intricate = None
        if keyword.function is not None:
            keyword.function(self.at, value, self)

    def node(self, schema: Any, place: Place) -> Node:
        """The one node of a subschema; its schema object's identity tells which."""
        identity = id(schema)
        if identity in self.nodes:
            return self.nodes[identity]
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
        found = self.documents.resolve(reference, self.at.place)
        return self.node(*found) if found else None


# ---------------------------------------------------------------------------- shared parts
_MANY_LEVELS = 3
"""Arrays, or objects of any names, within one another."""

_MANY_PLACES = 10_000
"""Places in an instance that a schema describes one by one."""


def _is_unbounded(nodes: list[Node], *, refers: bool) -> bool:
    if not refers and sum(map(_is_free, nodes)) <= _MANY_LEVELS:
        return False
    places: dict[int, int] = {}  # that a node describes
    levels: dict[int, int] = {}  # of arrays and free objects
    for start in nodes:
        below = [*start.below()]
        steps = [] if id(start) in places else [(start, below, iter(below))]
        way = {id(start)}
        while steps:
            node, below, rest = steps[-1]
            following = next(rest, None)
            if following is None:
                steps.pop()
                way.discard(id(node))
                inner = [*map(id, below)]
                places[id(node)] = 1 + sum([places[each] for each in inner])
                deepest = max([levels[each] for each in inner], default=0)
                levels[id(node)] = deepest + _is_free(node)
                if places[id(node)] > _MANY_PLACES or levels[id(node)] > _MANY_LEVELS:
                    return True
            elif id(following) in way:
                return True
            elif id(following) not in places:
                way.add(id(following))
                below = [*following.below()]
                steps.append((following, below, iter(below)))
    return False


def _is_free(node: Node) -> bool:
    """Whether the instance may have any number of members, or an array has any at all."""
    others = node.additional is not None and not node.closed
    return others or bool(node.items or node.prefix or node.patterns)


# ------------------------------------------------------------------------------------- circles
def _circle_in(nodes: list[Node]) -> Node | None:
    """A node that references lead back to without going into the instance, if there is one.

    Raises:
        SchemaError: if references fan out again and again at one and the same instance.

    """
    spread: dict[int, int] = {}  # how many subschemas a node applies to an instance, all told
    evaluated: dict[int, int] = {}  # how often these are looked at
    levels: dict[int, int] = {}  # and how many of them one after the other
    for start in nodes:
        if id(start) in spread:
            continue
        way = {id(start)}
        steps = [(start, iter(_applied(start)))]
        while steps:
            node, following = steps[-1]
            following_node = next(following, None)
            if following_node is None:
                steps.pop()
                way.discard(id(node))
                applied = _applied(node)
                spread[id(node)] = 1 + sum(spread[id(part)] for part in applied)
                times = _EVALUATIONS if _evaluates(node) else 1
                evaluated[id(node)] = 1 + times * sum(evaluated[id(part)] for part in applied)
                levels[id(node)] = 1 + max((levels[id(part)] for part in applied), default=0)
                if spread[id(node)] > MAX_IN_PLACE:
                    message = f"more than {MAX_IN_PLACE} subschemas apply to one value here"
                    raise SchemaError(message, pointer=node.place.pointer)
                if evaluated[id(node)] > MAX_EVALUATED:
                    pointer = node.place.pointer
                    message = (
                        f"too many `unevaluated…` within one another at {pointer or 'the root'}"
                    )
                    raise SchemaError(message, pointer=pointer)
                if levels[id(node)] > MAX_REFERRED:
                    message = f"a chain of more than {MAX_REFERRED} references"
                    raise SchemaError(message, pointer=node.place.pointer)
            elif id(following_node) in way:
                return following_node
            elif id(following_node) not in spread:
                way.add(id(following_node))
                steps.append((following_node, iter(_applied(following_node))))
    return None


_EVALUATIONS: Final = 3
"""So often does jsonschema-rs look at what stands beside an `unevaluated…`, about."""


def _evaluates(node: Node) -> bool:
    """Whether a node has a keyword that asks what the subschemas beside it have evaluated."""
    return not _UNEVALUATED.isdisjoint(node.residual)


_UNEVALUATED: Final = frozenset(("unevaluatedProperties", "unevaluatedItems"))


def _applied(node: Node) -> tuple[Node, ...]:
    """What a validator looks at without going into the instance."""
    return (*node.in_place(), *node.negated)


def _unwind(nodes: list[Node]) -> None:
    """Take circles of nothing but `$ref` and `allOf` apart.

    In such a circle, every node requires all the others. So each of them becomes an `allOf` of what
    all of them say, without the references that make the circle.
    """
    for circle in _circles(nodes, Node.conjuncts):
        inside = {id(node) for node in circle}
        said = []
        for node in circle:
            alone = Node(node.schema, node.place)
            vars(alone).update(vars(node))
            alone.reference = tuple(n for n in node.reference if id(n) not in inside)
            alone.all_of = tuple(n for n in node.all_of if id(n) not in inside)
            for name in ("reference", "all_of"):
                if not getattr(alone, name):
                    delattr(alone, name)
            said.append(alone)
        for node in circle:
            vars(node).clear()
            node.all_of = tuple(said)


def _circles(nodes: list[Node], following: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """The groups of nodes that can be reached from one another (Kosaraju's algorithm)."""
    finished: list[Node] = []
    seen: set[int] = set()
    before: dict[int, list[Node]] = {}
    for start in nodes:
        steps = [] if id(start) in seen else [(start, iter(following(start)))]
        seen.add(id(start))
        while steps:
            node, rest = steps[-1]
            other = next(rest, None)
            if other is None:
                finished.append(node)
                steps.pop()
                continue
            before.setdefault(id(other), []).append(node)
            if id(other) not in seen:
                seen.add(id(other))
                steps.append((other, iter(following(other))))
    groups = []
    for start in reversed(finished):
        group = [start] if id(start) in seen else []
        seen.discard(id(start))
        for node in group:  # which grows on the way
            for other in before.get(id(node), ()):
                if id(other) in seen:
                    seen.discard(id(other))
                    group.append(other)
        if len(group) > 1 or (group and start in before.get(id(start), ())):
            groups.append(group)
    return groups
