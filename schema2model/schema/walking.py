"""Walks a schema and lets the keyword functions of its dialect fill in the nodes.

It names no keyword but `$ref`, beside which earlier drafts let nothing else count.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from schema2model.errors import SchemaError
from schema2model.schema.dialects import Dialect
from schema2model.schema.nodes import Node, Place
from schema2model.schema.references import Documents
from schema2model.schema.vocabularies import Keyword

__all__ = ["MAX_SUBSCHEMAS", "compile_nodes"]

MAX_SUBSCHEMAS = 100_000
"""Subschemas that one compiled schema may have."""

MAX_IN_PLACE = 50_000
"""Subschemas that may apply to one and the same value, counted each time they do."""

MAX_REFERRED = 1_000
"""Subschemas within one another, or that refer to one another, that may apply to one value."""


def compile_nodes(documents: Documents, *, assert_formats: bool) -> Node:
    """The node of the root document, with all that can be reached from it.

    Raises:
        SchemaError: if more than `MAX_SUBSCHEMAS` subschemas can be reached, or if references
            lead back to themselves or fan out without going into the instance.

    """
    compiler = _Compiler(documents, assert_formats=assert_formats)
    root = compiler.node(documents.by_uri[documents.root().document], documents.root())
    compiler.run()
    if compiler.refers:
        _check_in_place(compiler.queue)
    return root


@lru_cache
def _assertions(dialect: Dialect, assert_formats: bool) -> dict[str, Keyword]:  # noqa: FBT001
    return dialect.assertions(formats=assert_formats)


def _check_in_place(nodes: list[Node]) -> None:
    """Refuse references that would keep a validator at one and the same instance.

    That is those that come back to where they started, and those that fan out again and again.
    """
    spread: dict[int, int] = {}  # how many subschemas a node applies to an instance, all told
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
                levels[id(node)] = 1 + max((levels[id(part)] for part in applied), default=0)
                if spread[id(node)] > MAX_IN_PLACE:
                    message = f"more than {MAX_IN_PLACE} subschemas apply to one value here"
                    raise SchemaError(message, pointer=node.place.pointer)
                if levels[id(node)] > MAX_REFERRED:
                    message = f"a chain of more than {MAX_REFERRED} references"
                    raise SchemaError(message, pointer=node.place.pointer)
            elif id(following_node) in way:
                message = "this reference leads back to itself"
                raise SchemaError(message, pointer=following_node.place.pointer)
            elif id(following_node) not in spread:
                way.add(id(following_node))
                steps.append((following_node, iter(_applied(following_node))))


def _applied(node: Node) -> tuple[Node, ...]:
    """What a validator looks at without going into the instance."""
    return (*node.in_place(), *node.negated)


class _Compiler:
    """A queue of nodes to fill in, so that deep schemas and long reference chains need no stack.

    It is also the `Site` of the keyword functions: the node at hand is `self.at`.
    """

    def __init__(self, documents: Documents, *, assert_formats: bool) -> None:
        self.documents = documents
        self.assert_formats = assert_formats
        self.nodes: dict[int, Node] = {}
        self.queue: list[Node] = []
        self.siblings: dict[str, Any] = {}
        self.refers = False
        self.at: Node

    def run(self) -> None:
        for node in self.queue:  # which grows on the way
            self.fill(node)

    def fill(self, node: Node) -> None:
        dialect = self.documents.dialect_of(node.place.document)
        keywords = _assertions(dialect, self.assert_formats)
        self.at, self.siblings = node, node.schema
        if dialect.ref_overrides and "$ref" in node.schema:
            keywords["$ref"](node, node.schema["$ref"], self)
            return
        for name, value in node.schema.items():
            keyword = keywords.get(name)
            if keyword is not None:
                keyword(node, value, self)

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

    def resolve(self, reference: str) -> Node | None:
        found = self.documents.resolve(reference, self.at.place)
        self.refers = True
        return self.node(*found) if found else None
