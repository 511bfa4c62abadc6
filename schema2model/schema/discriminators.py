"""Discriminators: properties whose values differ in every branch of a union."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from schema2model.schema.nodes import Node

__all__ = ["branches_by_text", "discriminator", "string_choices"]

Branch = TypeVar("Branch")


def discriminator(
    names: Iterable[str],
    branches: Sequence[Branch],
    values: Callable[[Branch, str], Collection[Hashable]],
) -> str | None:
    """Return the first of some names under which no two branches allow the same value.

    `values` returns what a branch allows under a name; nothing if that is not limited.
    """
    for name in names:
        seen: set[Hashable] = set()
        for branch in branches:
            allowed = values(branch, name)
            if not allowed or not seen.isdisjoint(allowed):
                break
            seen.update(allowed)
        else:
            return name
    return None


def branches_by_text(branches: Sequence[Node]) -> tuple[str, dict[str, Node]] | None:
    """Return the property whose text discriminates a union, and the branch for each text.

    None unless every branch is an object that requires the property, or null.
    """
    objects = [node.dereferenced() for node in branches if not node.is_null()]
    if len(objects) < 2 or any(node.types != ("object",) for node in objects):  # noqa: PLR2004
        return None
    name = discriminator(objects[0].properties, objects, _required_texts)
    if name is None:
        return None
    return name, {text: node for node in objects for text in _required_texts(node, name)}


def _required_texts(node: Node, name: str) -> list[str]:
    required = name in node.required and name in node.properties
    return string_choices(node.properties[name]) if required else []


def string_choices(node: Node) -> list[str]:
    """Return the choices of a node if all of them are strings."""
    texts = [choice for choice in node.choices or () if type(choice) is str]
    return texts if len(texts) == len(node.choices or ()) else []
