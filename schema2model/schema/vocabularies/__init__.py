"""JSON Schema's vocabularies, one module each, one record and one function per keyword.

A keyword function has the keyword's name (with a trailing underscore where Python reserves it)
and one signature: it takes the `Node` to fill in, the keyword's value, and a `Site` that turns
subschemas into nodes and looks at sibling keywords. The dialect's meta-schema has been checked
before, so that values have the shape they should.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from schema2model.schema.nodes import Node
from schema2model.schema.patterns import Pattern

__all__ = ["ANNOTATION", "Keyword", "Site", "Vocabulary", "residual"]


class Site(Protocol):
    """The part of the walk that keyword functions use."""

    @property
    def siblings(self) -> dict[str, Any]:
        """The schema object that has the keyword."""

    def subschema(self, *tokens: str | int) -> Node:
        """Return the node of a subschema, by the path from the schema object to it."""

    def pattern(self, text: str) -> Pattern:
        """Return the regular expression of the document's dialect."""

    def resolve(self, reference: str, *, dynamic: bool = False) -> Node | None:
        """Return the node that a reference leads to, or None if that depends on the evaluation."""


class Keyword(NamedTuple):
    """All facts about a keyword; the walk, the messages and the examples take them from here."""

    function: Callable[[Node, Any, Site], None] | None
    """Puts its value into a node; None for an annotation."""
    instance: str | None = None
    """The type of the only instances it applies to."""
    in_place: bool = False
    """True if its subschemas apply to the same instance."""
    subschema: bool = False
    """True if its value may be a subschema."""
    array: bool = False
    """True if its value may be an array of subschemas."""
    names: bool = False
    """True if its value may be an object of subschemas, under any names."""
    needs_compile: bool = False
    """True if the meta-schema allows wrong values: only compiling finds them."""
    defines: bool = False
    """True if its subschemas apply only where a reference leads to them."""
    phrase: Callable[[list[Any]], str] | None = None
    """Words for messages, after the name of the type, from its values in all subschemas."""
    example: Callable[[Any], str | None] | None = None
    """A text that is valid by a value of the keyword, or None."""


Vocabulary = dict[str, Keyword]

ANNOTATION = Keyword(None)
"""A keyword that asserts nothing."""


def residual(keyword: str, **facts: Any) -> Keyword:
    """Return the record of a keyword that pydantic-core lacks: jsonschema-rs validates it."""

    def assertion(node: Node, value: Any, site: Site) -> None:
        node.residual += (keyword,)
        if is_applicator:
            found = {keyword: site.subschema(keyword)}
            node.residual_subschemas = {**node.residual_subschemas, **found}

    is_applicator = facts.get("subschema", False)
    return Keyword(assertion, **{"needs_compile": is_applicator, **facts})
