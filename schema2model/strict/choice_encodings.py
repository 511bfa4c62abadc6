"""The encodings of `enum` and `const`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from schema2model.errors import SchemaError
from schema2model.json.equality import distinct
from schema2model.json.values import is_integral_float, type_of
from schema2model.schema.choices import valid_choices
from schema2model.schema.nodes import Node
from schema2model.strict.build import Build
from schema2model.strict.encodings import Choice, Encoding, Plain
from schema2model.strict.scalar_encodings import EXACT
from schema2model.strict.union_encodings import union_encoding

__all__ = ["choice_encoding"]


def choice_encoding(build: Build, nodes: tuple[Node, ...]) -> Encoding | None:
    """Return the encoding of the choices that all nodes accept; None if there are none."""
    chosen = [node for node in nodes if node.choices is not None]
    choices = list(_valid_choices(build, chosen[0].choices or (), nodes))
    scalars: dict[str, list[Any]] = {}
    others = []
    for choice in choices:
        name = type_of(choice)
        if name == "null" or (name in build.profile.enumerable and _is_short(choice)):
            scalars.setdefault(name, []).append(choice)
        else:
            others.append(choice)
    limit = build.profile.max_enum_values
    build.enumerated += len(choices)
    if limit is not None and build.enumerated > limit:
        build.enumerated -= len(choices)
        return _open_encoding(build, chosen[0], scalars, others, limit)
    encodings: list[Encoding] = [
        Plain({"type": name} if name == "null" else {"type": name, "enum": values})
        for name, values in scalars.items()
    ]
    if others:
        encodings.append(Choice(_labels(others, choices)))
        words = "choices as their JSON text"
        build.ledger.add(chosen[0], "encoded", "enum", words=words)
    for node in chosen:
        keywords = [name for name in ("enum", "const") if name in node.schema]
        build.ledger.add(node, "enforced", *keywords)
    return union_encoding(encodings)


def _valid_choices(build: Build, choices: Iterable[Any], nodes: tuple[Node, ...]) -> Iterable[Any]:
    """Return the choices that all nodes accept, if a node can be asked by itself."""
    choices = list(distinct(map(_shortest, choices)))
    if build.dynamic:
        return choices
    accepted = valid_choices(build.verdicts, nodes, choices)
    return [choice for choice in choices if accepted(choice)]


def _shortest(choice: Any) -> Any:
    """Return a whole float as the integer that it is: engines compare texts."""
    return int(choice) if is_integral_float(choice) and abs(choice) < EXACT else choice


def _is_short(choice: Any) -> bool:
    """Return whether every engine can list a choice: great numbers crash some."""
    return isinstance(choice, str) or abs(choice) < EXACT


def _labels(others: list[Any], choices: list[Any]) -> dict[str, Any]:
    """Return choices by their JSON text, which no other choice is."""
    texts = {choice for choice in choices if isinstance(choice, str)}
    labels: dict[str, Any] = {}
    for choice in others:
        label = json.dumps(choice, ensure_ascii=False)
        while label in texts or label in labels:
            label += " "
        labels[label] = choice
    return labels


def _open_encoding(
    build: Build, node: Node, scalars: dict[str, list[Any]], others: list[Any], limit: int
) -> Encoding | None:
    """Return the encoding of all values of the types of too many choices.

    Raises:
        SchemaError: if a choice is a container.

    """
    if others:
        message = f"more than {limit} enumerated values, and only an enum can express some of them"
        raise SchemaError(message, pointer=node.place.pointer)
    build.ledger.add(node, "checked", "enum", words=f"more than {limit} values")
    names = [name for name in scalars if not (name == "integer" and "number" in scalars)]
    return union_encoding([Plain({"type": name}) for name in names])
