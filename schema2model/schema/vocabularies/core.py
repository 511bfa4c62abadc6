"""Vocabulary Core: references and definitions (JSON Schema 2020-12 Core, section 8)."""

from __future__ import annotations

from typing import Any

from schema2model.schema.nodes import Node
from schema2model.schema.vocabularies import ANNOTATION, Keyword, Site, Vocabulary

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
    target = site.resolve(value, dynamic=True)
    if target is not None:
        node.reference += (target,)


_IDENTIFIER = Keyword(None, needs_compile=True)
_DEFINITIONS = Keyword(None, names=True, defines=True)
_DYNAMIC = Keyword(dynamic_ref, in_place=True, needs_compile=True)

CORE: Vocabulary = {
    "$ref": Keyword(ref, in_place=True),
    "$dynamicRef": _DYNAMIC,
    "$recursiveRef": _DYNAMIC,
    "$id": _IDENTIFIER,
    "$schema": ANNOTATION,
    "$anchor": _IDENTIFIER,
    "$dynamicAnchor": _IDENTIFIER,
    "$recursiveAnchor": ANNOTATION,
    "$vocabulary": _IDENTIFIER,
    "$comment": ANNOTATION,
    "$defs": _DEFINITIONS,
    "definitions": _DEFINITIONS,
}
