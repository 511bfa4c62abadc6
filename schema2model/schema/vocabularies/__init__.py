"""JSON Schema's vocabularies, one module each, one record and one function per keyword.

A keyword function has the keyword's name (with a trailing underscore where Python reserves it)
and one signature: it takes the `Node` to fill in, the keyword's value, and a `Site` that turns
subschemas into nodes and looks at sibling keywords. The dialect's meta-schema has been checked
before, so that values have the shape they should.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from schema2model.errors import SchemaError
from schema2model.schema.nodes import Node
from schema2model.schema.patterns import Pattern

__all__ = ["ANNOTATION", "Keyword", "Site", "Vocabulary", "refuse_many_groups", "residual"]

MAX_GROUPS = 500
"""Groups of a pattern: the memory that an engine needs for a text grows with their number."""

_GROUP = re.compile(r"(?<!\\)\((?!\?)")


class Site(Protocol):
    """What a keyword function may ask of the walk."""

    @property
    def siblings(self) -> dict[str, Any]:
        """The schema object in which the keyword stands."""

    def subschema(self, *tokens: str | int) -> Node:
        """The node of a subschema, by the path from the schema object to it."""

    def pattern(self, text: str) -> Pattern:
        """The regular expression of the document's dialect."""

    def resolve(self, reference: str, *, dynamic: bool = False) -> Node | None:
        """The node that a reference leads to, or None where only evaluation can tell."""


class Keyword(NamedTuple):
    """All that is to be known of a keyword: add one here, and the walk knows it."""

    function: Callable[[Node, Any, Site], None] | None
    """What it says, put into a node; None for an annotation."""
    subschema: bool = False
    """Whether its value may be a subschema."""
    array: bool = False
    """Whether its value may be an array of subschemas."""
    names: bool = False
    """Whether its value may be an object of subschemas, under any names."""
    intricate: bool = False
    """Whether it may be wrong although the meta-schema allows it: a pattern, or a reference."""


Vocabulary = dict[str, Keyword]

ANNOTATION = Keyword(None)
"""A keyword that asserts nothing."""


def residual(
    keyword: str, *, subschema: bool = False, names: bool = False, intricate: bool = False
) -> Keyword:
    """A keyword for which pydantic-core has no word: jsonschema-rs checks it."""

    def assertion(node: Node, value: Any, site: Site) -> None:
        node.residual += (keyword,)

    intricate = intricate or subschema or names
    return Keyword(assertion, subschema=subschema, names=names, intricate=intricate)


def refuse_many_groups(node: Node, pattern: Any) -> None:
    """Refuse a pattern that has more than `MAX_GROUPS` groups.

    Raises:
        SchemaError: if it has.

    """
    if isinstance(pattern, str) and len(_GROUP.findall(pattern)) > MAX_GROUPS:
        message = (
            f"a pattern of more than {MAX_GROUPS} groups at {node.place.pointer or 'the root'}"
        )
        raise SchemaError(message, pointer=node.place.pointer)
