"""The encodings of objects: optional properties, and properties that are not declared.

Where a provider requires all properties, an optional one is nullable: null means that it is not
sent. If null is also a value of it, that is written `{"value": null}`, unless it is the default.
"""

from __future__ import annotations

import re
from typing import Final

from schema2model.schema.nodes import ANYTHING, Node, reachable
from schema2model.strict.encodings import (
    Encoding,
    EntryKind,
    Field,
    Map,
    Noted,
    Object,
    Plain,
    Tagged,
    Union,
    free_name,
    without_notes,
)
from schema2model.strict.enforcement import shortened_json
from schema2model.strict.json_types import Build, Handled
from schema2model.strict.tagged_unions import any_of, tag_uniquely

__all__ = ["object_encoding"]

_MAX_INLINE: Final = 4
"""Maximum alternatives of a nullable property that are written next to a null that is sent."""
_EXTRA_KEY: Final = "additional_properties"
"""The property that lists the properties that a schema does not declare."""


def object_encoding(
    build: Build, nodes: tuple[Node, ...], handled: Handled, level: int, *, is_root: bool
) -> Encoding | None:
    """Return the encoding of the objects that all nodes accept; None if there are none."""
    required = list(dict.fromkeys(name for node in nodes for name in node.required))
    declared = dict.fromkeys(name for node in nodes for name in node.properties)
    names = list(dict.fromkeys((*declared, *required)))
    keys = _projected_names(names, build.profile.property_name)
    fields: list[Field] = []
    for name in names:
        applying = tuple(each for node in nodes for each in node.property_subschemas(name))
        encoding = build.encoding_of(applying, level)
        if encoding is None and name in required:
            return None
        if encoding is not None:
            is_required = name in required
            field = _property_field(
                build, name, keys[name], encoding, applying, is_required=is_required
            )
            fields.append(field)
    extra = _undeclared_encoding(build, nodes, level, is_empty=not fields, is_root=is_root)
    extra_key = _EXTRA_KEY  # which a property may have for its own name
    while extra_key in keys.values():
        extra_key += "_"
    for node in nodes:
        handled[node].update(("required", "properties"))
        if node.forbids_additional:
            handled[node].add("additionalProperties")
    if is_root or fields or (extra is not None and extra.native):
        return Object(tuple(fields), extra, extra_key)
    if extra is None and build.profile.openapi:  # which has no objects without properties
        kinds = (EntryKind(Plain({"type": "string"})),)
        return Map(kinds, native=False, bounds={}, key_bounds={})
    return extra or Object((), None, extra_key)


def _projected_names(names: list[str], allowed: str | None) -> dict[str, str]:
    """Return the names of properties in the projection, by their own."""
    keys = {name: name for name in names if allowed is None or re.fullmatch(allowed, name)}
    taken = {*keys}
    for name in names:
        if name not in keys:
            stem = re.sub(r"[^a-zA-Z0-9_.-]", "_", name)[:56] or "property"
            keys[name] = free_name(stem, taken)
            taken.add(keys[name])
    return keys


def _property_field(  # noqa: PLR0913 - the facts about one property
    build: Build,
    name: str,
    key: str,
    encoding: Encoding,
    nodes: tuple[Node, ...],
    *,
    is_required: bool,
) -> Field:
    node = nodes[0] if nodes else ANYTHING
    if key != name:
        build.ledger.add(node, "encoded", words=f"the property is called {key}")
    schemas = [each.schema for each in reachable(nodes, Node.conjuncts)]
    defaults = [e["default"] for e in schemas if isinstance(e, dict) and "default" in e]
    default = None if is_required else next((e for e in defaults if e is not None), None)
    if default is not None:
        encoding = Noted(encoding, encoding.note, f"Default: {shortened_json(default)}.")
    if is_required or build.profile.optional:
        return Field(name, key, encoding, required=is_required)
    if not encoding.accepts_null():
        build.ledger.add(node, "encoded", words="null if the property is not sent")
        return Field(name, key, encoding, required=False, nullable=True)
    inner = without_notes(encoding)
    branches = [*inner.branches] if isinstance(inner, Union) else [inner]
    others = [each for each in branches if not _is_null(without_notes(each))]
    is_default = False
    if not 0 < len(others) <= _MAX_INLINE or any(each.accepts_null() for each in others):
        sent, branches = '{"value": …} if it is', [Tagged("value", encoding)]
    elif defaults[:1] == [None]:  # then it means the same as no property
        sent, branches, is_default = "or is its default", others, True
    else:
        null = tag_uniquely(Plain({"type": "null"}), others)
        sent, branches = f'{{"{null.key}": null}} for null', [*others, null]
    build.ledger.add(node, "encoded", words=f"null if the property is not sent, {sent}")
    made = any_of(branches)
    if len(branches) == 1:  # others may have it, too
        made = Noted(made, "")
    made.note = encoding.note
    made.words = " ".join(dict.fromkeys(filter(None, (inner.words, encoding.words))))
    return Field(name, key, made, required=False, nullable=True, null_default=is_default)


def _is_null(encoding: Encoding) -> bool:
    return isinstance(encoding, Plain) and encoding.schema == {"type": "null"}


def _undeclared_encoding(
    build: Build, nodes: tuple[Node, ...], level: int, *, is_empty: bool, is_root: bool
) -> Map | None:
    """Return the encoding of properties that are not declared; None if there are none."""
    first = nodes[0] if nodes else ANYTHING
    patterns = [item for node in nodes for item in node.patterns.items()]
    schemas = [node.schema for node in nodes]
    said = frozenset[str]().union(*schemas)
    if not patterns and "additionalProperties" not in said:
        is_sealed = any(schema.get("unevaluatedProperties") is False for schema in schemas)
        loses = "unevaluatedProperties" not in said and (not is_empty or is_root)
        # what a conditional subschema declares is allowed all the same
        if loses or (is_sealed and not said.isdisjoint(_CONDITIONAL)):
            words = "properties that the schema does not declare"
            build.ledger.add(first, "given up", words=words)
        if loses or is_sealed:
            return None
    kinds = []
    for pattern, node in patterns:
        encoding = build.encoding_of((node,), level)
        if encoding is not None:
            kinds.append(EntryKind(encoding, pattern.matches, pattern.text))
    additional = tuple(node.additional for node in nodes if node.additional is not None)
    encoding = build.encoding_of(additional, level)
    if encoding is not None:
        kinds.append(EntryKind(encoding))
    if not kinds:
        return None
    if not build.profile.maps:
        keyword = "patternProperties" if patterns else "additionalProperties"
        words = "properties that are not declared are a list of keys and values"
        build.ledger.add(first, "encoded", keyword, words=words)
    items, text = build.caller_maximum("maxItems"), build.caller_maximum("maxLength")
    return Map(tuple(kinds), native=build.profile.maps, bounds=items, key_bounds=text)


_CONDITIONAL: Final = frozenset(("if", "dependentSchemas"))
"""Keywords with subschemas that are not merged, and may declare properties."""
