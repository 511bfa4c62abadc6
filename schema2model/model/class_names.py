"""Class names of the models within a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping

from schema2model.json.equality import type_exact_bytes
from schema2model.schema.nodes import Node, Place, reachable
from schema2model.schema.object_shapes import Shapes

__all__ = ["class_identifier", "class_names"]

MAX_NAME = 80
"""Maximum characters of a class name that is made of a text."""

_NAMED = frozenset(("properties", "$defs", "definitions", "schemas"))
"""Keywords whose members are named by their keys."""

_KEYED = frozenset(("patternProperties", "dependentSchemas", "dependencies"))
"""Keywords below which there are other keys."""


def class_names(
    root: Node, name: str, shapes: Shapes, components: Mapping[str, Node]
) -> dict[Node, str]:
    """Return the names of the models of a schema: that of its root, and those of objects within it.

    Components of a document keep their names. Other objects are called by their title or property.
    Where several that are not alike would be called the same, those further down get a number; the
    order of the schema says which.

    >>> from schema2model import compile_schema
    >>> ship = {"properties": {"street": {"type": "string"}}}
    >>> pay = {"anyOf": [{"properties": {"card": {}}}, {"properties": {"cash": {}}}]}
    >>> model = compile_schema({"properties": {"ship-to": ship, "pay": pay}}).model
    >>> [model.model_fields["ship-to"].annotation.__name__]
    ['ShipTo']
    >>> [branch.__name__ for branch in model.model_fields["pay"].annotation.__args__]
    ['Pay', 'Pay2']
    """

    def parts(node: Node) -> list[Node]:
        return shapes[node].parts if node.reference or node.all_of else [node]

    def below(node: Node) -> list[Node]:
        inner = (
            each for p in parts(node) for each in (*p.any_of, *p.one_of, *p.child_subschemas())
        )
        return [each.dereferenced() for each in inner]

    found = {root: name, root.dereferenced(): name}
    # a component that only refers to another is that one's class
    found |= {node: name for name, node in components.items() if node.dereferenced() is node}
    for component, node in components.items():
        found.setdefault(node.dereferenced(), component)
    taken = {name, *components}
    numbers: dict[str, int] = {}
    alike: dict[tuple[str, bytes], str] = {}
    for node in reachable([root.dereferenced()], below):
        if node in found or not any(part.properties for part in parts(node)):
            continue
        title = node.schema.get("title") if isinstance(node.schema, dict) else None
        wanted = class_identifier(
            title if isinstance(title, str) and title else _location_name(node.place)
        )
        content = (wanted, type_exact_bytes(node.schema))
        made = alike.get(content, wanted)
        while content not in alike and made in taken:
            numbers[wanted] = numbers.get(wanted, 1) + 1
            made = f"{wanted}{numbers[wanted]}"
        found[node] = alike[content] = made
        taken.add(made)
    return found


def _location_name(place: Place) -> str:
    """Return the last name on the way to a place, or that of the document."""
    name = place.document.rpartition("/")[2].partition(".")[0] or "root"
    tokens = iter(place.path)
    for token in tokens:
        if token in _NAMED:
            name = str(next(tokens, name))
        elif token in _KEYED:
            next(tokens, None)
    return name


def class_identifier(text: str) -> str:
    """Return a text as the name of a class.

    >>> class_identifier("ship-to"), class_identifier("Ship_To"), class_identifier("2d")
    ('ShipTo', 'Ship_To', 'Model2d')
    """
    if text.isidentifier() and text[0].isupper():
        return text
    words = re.findall(r"[^\W_]+", text)
    joined = "".join(word[0].upper() + word[1:] for word in words)[:MAX_NAME]
    return joined if joined.isidentifier() else f"Model{joined}"
