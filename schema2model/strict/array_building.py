"""Builds the encodings of arrays."""

from __future__ import annotations

import math

from schema2model.schema.nodes import Node
from schema2model.strict.arrays import Array, Tuple
from schema2model.strict.build import Build
from schema2model.strict.encodings import Encoding, Plain
from schema2model.strict.scalar_encodings import MAX_COUNTED, Handled, mark, strictest

__all__ = ["array_encoding"]


def array_encoding(
    build: Build, nodes: tuple[Node, ...], handled: Handled, level: int
) -> Encoding | None:
    """Return the encoding of the arrays that all nodes accept; None if there are none."""
    least, most = strictest([node.sizes for node in nodes])
    prefix, rest = _positions(build, nodes, level)
    if rest is None:
        most = len(prefix) if most is None else min(most, len(prefix))
    if least is not None and most is not None and least > most:
        return None
    if most is not None and most <= len(prefix):
        prefix, rest = prefix[:most], None
    if not prefix:
        bounds = _enforced_bounds(build, nodes, handled, least, most)
        return Array(Plain({"type": "null"}) if rest is None else rest, bounds)
    native = build.profile.tuples
    if not native:
        mark(nodes, handled, "minItems")
        words = "the positions of an array are properties of an object"
        for node in nodes:
            if node.prefix:
                build.ledger.add(node, "encoded", "prefixItems", words=words)
    sizes = {"minItems": least, "maxItems": most}
    most_counted = MAX_COUNTED if native else math.inf
    bounds = {name: n for name, n in sizes.items() if n is not None and n <= most_counted}
    if rest is not None and "maxItems" not in bounds:
        bounds |= build.cap("maxItems", max(least or 0, len(prefix)))
    return Tuple(tuple(prefix), rest, bounds, native=native)


def _positions(
    build: Build, nodes: tuple[Node, ...], level: int
) -> tuple[list[Encoding], Encoding | None]:
    """Return the encodings of the items at the first positions, and of all further ones."""
    prefix: list[Encoding] = []
    for index in range(max((len(node.prefix) for node in nodes), default=0)):
        encoding = _item_encoding(build, nodes, index, level)
        if encoding is None:  # no array is longer
            return prefix, None
        prefix.append(encoding)
    return prefix, _item_encoding(build, nodes, len(prefix), level)


def _item_encoding(
    build: Build, nodes: tuple[Node, ...], index: int, level: int
) -> Encoding | None:
    applying = tuple(each for node in nodes for each in node.item_subschemas(index))
    return build.encoding_of(applying, level)


def _enforced_bounds(
    build: Build,
    nodes: tuple[Node, ...],
    handled: Handled,
    least: int | None,
    most: int | None,
) -> dict[str, int]:
    """Return the bounds that the provider enforces."""
    profile = build.profile
    bounds: dict[str, int] = {}
    if least and "minItems" in profile.array and least <= MAX_COUNTED:
        limit = profile.max_min_items
        bounds["minItems"] = least if limit is None else min(least, limit)
        if bounds["minItems"] == least:
            mark(nodes, handled, "minItems")
    if most is None or most > MAX_COUNTED:
        bounds |= build.cap("maxItems", least)
    elif "maxItems" in profile.array:
        bounds["maxItems"] = most
        mark(nodes, handled, "maxItems")
    return bounds
