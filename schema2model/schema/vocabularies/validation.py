"""Vocabulary Validation: keywords that assert (2020-12 Validation, section 6)."""

from __future__ import annotations

from typing import Any

from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies import (
    ANNOTATION,
    Keyword,
    Site,
    Vocabulary,
    refuse_many_groups,
    residual,
)

__all__ = ["VALIDATION"]

LONGEST = 2**63 - 1
"""Nothing is longer; pydantic-core takes no greater number."""


def type_(node: Node, value: str | list[str], site: Site) -> None:
    """`type`: one JSON type, or a list of them."""
    node.types = (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def narrow(node: Node, choices: list[Any]) -> None:
    """Keep the choices that `enum` and `const` have in common."""
    if node.choices is not None:
        node.residual += ("enum",)
        return
    node.choices = choices


def enum(node: Node, value: list[Any], site: Site) -> None:
    """`enum`: one of these values."""
    narrow(node, value)


def const(node: Node, value: Any, site: Site) -> None:
    """`const`: this value."""
    narrow(node, [value])


def required(node: Node, value: list[str], site: Site) -> None:
    """`required`: names that an object must have."""
    if value:
        node.required = dict.fromkeys(value).keys()


def pattern(node: Node, value: str, site: Site) -> None:
    """`pattern`: what a string has to match."""
    refuse_many_groups(node, value)
    node.residual += ("pattern",)


def bound(keyword: str) -> Keyword:
    """A keyword that bounds numbers, by pydantic's name for it."""

    def assertion(node: Node, value: float, site: Site) -> None:
        node.bounds = {**node.bounds, keyword: value}

    return Keyword(assertion)


def count(field: str, keyword: str) -> Keyword:
    """A keyword that bounds the length of strings or the size of arrays, by pydantic's name."""

    def assertion(node: Node, value: float, site: Site) -> None:
        setattr(node, field, {**getattr(node, field), keyword: min(int(value), LONGEST)})

    return Keyword(assertion)


VALIDATION: Vocabulary = {
    "type": Keyword(type_),
    "enum": Keyword(enum),
    "const": Keyword(const),
    "multipleOf": bound("multiple_of"),
    "maximum": bound("le"),
    "exclusiveMaximum": bound("lt"),
    "minimum": bound("ge"),
    "exclusiveMinimum": bound("gt"),
    "maxLength": count("lengths", "max_length"),
    "minLength": count("lengths", "min_length"),
    "pattern": Keyword(pattern, intricate=True),
    "maxItems": count("sizes", "max_length"),
    "minItems": count("sizes", "min_length"),
    "uniqueItems": residual("uniqueItems"),
    "maxContains": ANNOTATION,
    "minContains": ANNOTATION,
    "maxProperties": residual("maxProperties"),
    "minProperties": residual("minProperties"),
    "required": Keyword(required),
    "dependentRequired": residual("dependentRequired"),
}
