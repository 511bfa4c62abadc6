"""Vocabulary Core: references and definitions (JSON Schema 2020-12 Core, section 8)."""

from __future__ import annotations

from typing import Any

from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies import Site, Vocabulary, annotation

__all__ = ["CORE"]


def ref(node: Node, value: Any, site: Site) -> None:
    """`$ref`: what it leads to applies to the same instance."""
    target = site.resolve(value)
    if target is None:
        node.residual += ("$ref",)
    else:
        node.reference += (target,)


def dynamic_ref(node: Node, value: Any, site: Site) -> None:
    """`$dynamicRef`, `$recursiveRef`: where they lead depends on the way that led here.

    The verdict is jsonschema-rs's; coercion follows them as if they were `$ref`.
    """
    node.residual += ("$dynamicRef",)
    ref(node, value, site)


CORE: Vocabulary = {
    "$ref": ref,
    "$dynamicRef": dynamic_ref,
    "$recursiveRef": dynamic_ref,
    "$id": annotation,
    "$schema": annotation,
    "$anchor": annotation,
    "$dynamicAnchor": annotation,
    "$recursiveAnchor": annotation,
    "$vocabulary": annotation,
    "$comment": annotation,
    "$defs": annotation,
    "definitions": annotation,
}
