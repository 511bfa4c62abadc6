"""Vocabulary Validation: keywords that assert (2020-12 Validation, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schema2model.json.quoting import quoted
from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies import (
    Keyword,
    Site,
    Vocabulary,
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
    node.residual += ("pattern",)


def bound(keyword: str, phrase: Phrase | None = None) -> Keyword:
    """Return the record of a bound on numbers, by pydantic's name for it."""

    def assertion(node: Node, value: float, site: Site) -> None:
        node.bounds = {**node.bounds, keyword: value}

    return Keyword(assertion, "number", phrase=phrase)


def count(instance: str, keyword: str) -> Keyword:
    """Return the record of a limit on the length of strings or arrays, by pydantic's name."""
    field = "lengths" if instance == "string" else "sizes"

    def assertion(node: Node, value: float, site: Site) -> None:
        setattr(node, field, {**getattr(node, field), keyword: min(int(value), LONGEST)})

    return Keyword(assertion, instance)


# ------------------------------------------------------------------------- words for messages
Phrase = Callable[[list[Any]], str]


def _multiple_of(values: list[Any]) -> str:
    return f", a multiple of {' and of '.join(map(quoted, values))}"


def _pattern(values: list[Any]) -> str:
    return f" that matches the pattern {' and '.join(map(quoted, dict.fromkeys(values)))}"


def _unique_items(values: list[Any]) -> str:
    return " without duplicates" if True in values else ""


VALIDATION: Vocabulary = {
    "type": Keyword(type_),
    "enum": Keyword(enum),
    "const": Keyword(const),
    "multipleOf": bound("multiple_of", _multiple_of),
    "maximum": bound("le"),
    "exclusiveMaximum": bound("lt"),
    "minimum": bound("ge"),
    "exclusiveMinimum": bound("gt"),
    "maxLength": count("string", "max_length"),
    "minLength": count("string", "min_length"),
    "pattern": Keyword(pattern, "string", needs_compile=True, phrase=_pattern),
    "maxItems": count("array", "max_length"),
    "minItems": count("array", "min_length"),
    "uniqueItems": residual("uniqueItems", instance="array", phrase=_unique_items),
    "maxContains": Keyword(None, "array"),
    "minContains": Keyword(None, "array"),
    "maxProperties": residual("maxProperties", instance="object"),
    "minProperties": residual("minProperties", instance="object"),
    "required": Keyword(required, "object"),
    "dependentRequired": residual("dependentRequired", instance="object"),
}
