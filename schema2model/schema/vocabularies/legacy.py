"""Keywords of earlier drafts, and those with another meaning (drafts 4 to 2019-09)."""

from __future__ import annotations

from typing import Any

from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies import Keyword, Site, Vocabulary, applicator

__all__ = ["BOOLEAN_BOUNDS", "DEPENDENCIES", "TUPLES"]


def items(node: Node, value: Any, site: Site) -> None:
    """`items` up to 2019-09: one subschema for all items, or an array with one for each."""
    if not isinstance(value, list):
        applicator.items(node, value, site)
        return
    node.prefix = tuple(site.subschema("items", index) for index in range(len(value)))
    if site.siblings.get("additionalItems", True) is not True:
        node.items = site.subschema("additionalItems")


def dependencies(node: Node, value: dict[str, Any], site: Site) -> None:
    """`dependencies`: `dependentSchemas` and `dependentRequired` in one."""
    for name, dependency in value.items():
        if isinstance(dependency, list):
            node.residual += ("dependencies",)
        else:
            node.dependent = {**node.dependent, name: site.subschema("dependencies", name)}


def exclusive(bound: str, inclusive: str) -> Keyword:
    """Return a bound of draft 4 that its neighbour may make exclusive."""

    def assertion(node: Node, value: float, site: Site) -> None:
        strict = site.siblings.get("exclusiveM" + bound[1:]) is True
        name = {"ge": "gt", "le": "lt"}[inclusive] if strict else inclusive
        node.bounds = {**node.bounds, name: value}

    return Keyword(assertion, "number")


TUPLES: Vocabulary = {
    "items": Keyword(items, "array", subschema=True, array=True),
    "additionalItems": Keyword(None, "array", subschema=True, needs_compile=True),
}
DEPENDENCIES: Vocabulary = {
    "dependencies": Keyword(dependencies, "object", in_place=True, names=True)
}
BOOLEAN_BOUNDS: Vocabulary = {
    "minimum": exclusive("minimum", "ge"),
    "maximum": exclusive("maximum", "le"),
    "exclusiveMinimum": Keyword(None, "number"),  # read by `minimum`
    "exclusiveMaximum": Keyword(None, "number"),
}
