"""JSON Schema's vocabularies, one module each, one function per keyword.

A keyword function has the keyword's name (with a trailing underscore where Python reserves it)
and one signature: it takes the `Node` to fill in, the keyword's value, and a `Site` that turns
subschemas into nodes and looks at sibling keywords. The dialect's meta-schema has been checked
before, so that values have the shape they should.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from schema2model.schema.nodes import Node

__all__ = ["Keyword", "Site", "Vocabulary", "annotation", "residual"]


class Site(Protocol):
    """What a keyword function may ask of the compiler."""

    @property
    def siblings(self) -> dict[str, Any]:
        """The schema object in which the keyword stands."""

    def subschema(self, *tokens: str | int) -> Node:
        """The node of a subschema, by the path from the schema object to it."""

    def resolve(self, reference: str) -> Node | None:
        """The node that a reference leads to, or None where only evaluation can tell."""


Keyword = Callable[[Node, Any, Site], None]
Vocabulary = dict[str, Keyword]


def annotation(node: Node, value: Any, site: Site) -> None:
    """A keyword that asserts nothing."""


def residual(keyword: str) -> Keyword:
    """A keyword for which pydantic-core has no word: jsonschema-rs checks it."""

    def assertion(node: Node, value: Any, site: Site) -> None:
        node.residual += (keyword,)

    return assertion
