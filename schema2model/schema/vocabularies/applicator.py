"""Vocabulary Applicator: keywords that hold subschemas (2020-12 Core, section 10)."""

from __future__ import annotations

from typing import Any

from schema2model.schema.nodes import Condition, Node
from schema2model.schema.vocabularies import Keyword, Site, Vocabulary, residual

__all__ = ["APPLICATOR"]


def properties(node: Node, value: dict[str, Any], site: Site) -> None:
    """`properties`: a subschema for each name."""
    if value:
        node.properties = {name: site.subschema("properties", name) for name in value}


def pattern_properties(node: Node, value: dict[str, Any], site: Site) -> None:
    """`patternProperties`: a subschema for each name that a pattern matches."""
    if value:
        node.patterns = {
            site.pattern(text): site.subschema("patternProperties", text) for text in value
        }


def additional_properties(node: Node, value: Any, site: Site) -> None:
    """`additionalProperties`: a subschema for every other name."""
    if value is not True:
        node.additional = site.subschema("additionalProperties")


def items(node: Node, value: Any, site: Site) -> None:
    """`items`: a subschema for every item (after those of `prefixItems`)."""
    if value is not True:
        node.items = site.subschema("items")


def prefix_items(node: Node, value: list[Any], site: Site) -> None:
    """`prefixItems`: a subschema for each of the first items."""
    node.prefix = tuple(site.subschema("prefixItems", index) for index in range(len(value)))


def all_of(node: Node, value: list[Any], site: Site) -> None:
    """`allOf`: every subschema applies."""
    node.all_of += tuple(site.subschema("allOf", index) for index in range(len(value)))


def any_of(node: Node, value: list[Any], site: Site) -> None:
    """`anyOf`: at least one subschema applies."""
    node.any_of = tuple(site.subschema("anyOf", index) for index in range(len(value)))


def one_of(node: Node, value: list[Any], site: Site) -> None:
    """`oneOf`: exactly one subschema applies."""
    node.one_of = tuple(site.subschema("oneOf", index) for index in range(len(value)))


def not_(node: Node, value: Any, site: Site) -> None:
    """`not`: the subschema does not apply."""
    node.residual += ("not",)
    node.negated = (site.subschema("not"),)


def if_(node: Node, value: Any, site: Site) -> None:
    """`if`, with its `then` and `else`."""
    then = site.subschema("then") if "then" in site.siblings else None
    otherwise = site.subschema("else") if "else" in site.siblings else None
    if then or otherwise:
        node.conditions += (Condition(site.subschema("if"), then, otherwise),)


def dependent_schemas(node: Node, value: dict[str, Any], site: Site) -> None:
    """`dependentSchemas`: a subschema for objects that have a property of that name."""
    for name in value:
        node.dependent = {**node.dependent, name: site.subschema("dependentSchemas", name)}


APPLICATOR: Vocabulary = {
    "properties": Keyword(properties, "object", names=True),
    "patternProperties": Keyword(pattern_properties, "object", names=True, needs_compile=True),
    "additionalProperties": Keyword(additional_properties, "object", subschema=True),
    "items": Keyword(items, "array", subschema=True),
    "prefixItems": Keyword(prefix_items, "array", array=True),
    "contains": residual("contains", instance="array", subschema=True),
    "allOf": Keyword(all_of, in_place=True, array=True),
    "anyOf": Keyword(any_of, in_place=True, array=True),
    "oneOf": Keyword(one_of, in_place=True, array=True),
    "not": Keyword(not_, subschema=True),
    "if": Keyword(if_, in_place=True, subschema=True, needs_compile=True),
    "then": Keyword(None, in_place=True, subschema=True, needs_compile=True),
    "else": Keyword(None, in_place=True, subschema=True, needs_compile=True),
    "dependentSchemas": Keyword(dependent_schemas, "object", in_place=True, names=True),
    "propertyNames": residual("propertyNames", instance="object", subschema=True),
}
