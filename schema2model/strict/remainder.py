"""Keywords that an encoding does not express: they are checked, and described in words."""

from __future__ import annotations

from typing import Final

from schema2model.schema.nodes import Node
from schema2model.schema.verdicts import Verdicts
from schema2model.strict.build import Build
from schema2model.strict.constraint_words import constraint_words
from schema2model.strict.merged_facts import JSON_TYPES
from schema2model.strict.scalar_encodings import Handled

__all__ = ["Groups", "constrains_types", "record_keywords"]

Groups = frozenset[tuple[Node, str]]
"""The unions that are multiplied out, by their node and keyword."""

_STRUCTURE: Final = frozenset(
    (
        *("$ref", "$dynamicRef", "$recursiveRef", "allOf", "properties", "items", "prefixItems"),
        *("additionalProperties", "additionalItems", "patternProperties", "enum", "const"),
        "required",
    )
)
"""Keywords that decide the encoding, rather than constrain its values."""


def constrains_types(verdicts: Verdicts, nodes: tuple[Node, ...]) -> bool:
    """Return whether nodes without a type have a keyword that any type's encoding could express."""
    return any(
        node.has_object_keywords()
        or node.has_array_keywords()
        or any(keyword not in _STRUCTURE for keyword in _asserted(verdicts, node))
        for node in nodes
    )


def _asserted(verdicts: Verdicts, node: Node) -> list[str]:
    return verdicts.asserted(node.place) if isinstance(node.schema, dict) else []


def record_keywords(
    build: Build,
    nodes: tuple[Node, ...],
    used: Groups,
    handled: Handled,
    types: tuple[str, ...] | None,
) -> str:
    """Record which keywords are enforced and which are checked; return the latter in words."""
    phrases: list[str] = []
    kinds = {"number" if name == "integer" else name for name in types or JSON_TYPES}
    for node in nodes:
        enforced, checked = [], []
        for keyword in _asserted(build.verdicts, node):
            if keyword in handled[node] or keyword == "type":
                enforced.append(keyword)
            elif (
                keyword not in _STRUCTURE
                and (node, keyword) not in used
                and _applies_to(build.verdicts, node, keyword) in {None, *kinds}
            ):
                checked.append(keyword)
        if build.format_of(node) and "string" in kinds:
            (enforced if "format" in handled[node] else checked).append("format")
        if enforced:
            build.ledger.add(node, "enforced", *dict.fromkeys(enforced))
        if checked:
            build.ledger.add(node, "checked", *dict.fromkeys(checked))
            phrases += constraint_words(node.schema, dict.fromkeys(checked))
    text = "; ".join(dict.fromkeys(phrases))
    return f"Must be: {text}." if text else ""


def _applies_to(verdicts: Verdicts, node: Node, keyword: str) -> str | None:
    """Return the type of the only values that a keyword applies to."""
    record = verdicts.documents.dialect_of(node.place.document).keywords.get(keyword)
    return None if record is None else record.instance
