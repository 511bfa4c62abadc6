"""Builds the forms of objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schema2model.schema.nodes import ANYTHING, Node
from schema2model.strict.forms import Form, Link, Noted, Plain, Union, bare
from schema2model.strict.merging import default_of
from schema2model.strict.objects import NULL_HOLDER, EntryKind, Field, Map, Object
from schema2model.strict.scalars import Handled
from schema2model.strict.unions import union_form
from schema2model.strict.words import text_of

if TYPE_CHECKING:
    from schema2model.strict.building import Builder

__all__ = ["object_form"]

_MAX_INLINE: Final = 4
"""Maximum alternatives of a nullable property that are written next to a null that is sent."""
_EXTRA: Final = "additional_properties"
"""The property that lists the properties that a schema does not declare."""


def object_form(
    builder: Builder, nodes: tuple[Node, ...], handled: Handled, level: int, *, is_root: bool
) -> Form | None:
    """Return the form of the objects that all nodes accept; None if there are none."""
    required = list(dict.fromkeys(name for node in nodes for name in node.required))
    declared = dict.fromkeys(name for node in nodes for name in node.properties)
    keys: dict[str, str] = {}
    fields: list[Field] = []
    for name in [*declared, *(name for name in required if name not in declared)]:
        applying = tuple(each for node in nodes for each in node.property_subschemas(name))
        form = builder.form_of(applying, level)
        if form is None and name in required:
            return None
        if form is not None:
            key = keys[name] = _key(name, builder.profile.property_name, keys)
            fields.append(_field(builder, name, key, form, applying, is_required=name in required))
    extra = _extra_form(builder, nodes, level, is_empty=not fields, is_root=is_root)
    extra_key = _EXTRA
    while extra_key in keys.values():
        extra_key += "_"
    for node in nodes:
        if builder.profile.optional and node.required:
            handled[node].add("required")
        if node.properties:
            handled[node].add("properties")
        if node.forbids_additional:
            handled[node].add("additionalProperties")
    if extra is not None and not fields and not extra.native:
        return extra if not is_root else Object((), extra, extra_key)
    return Object(tuple(fields), extra, extra_key)


def _key(name: str, allowed: str | None, keys: dict[str, str]) -> str:
    """Return the name of a property in the projection."""
    if allowed is None or re.fullmatch(allowed, name):
        return name
    stem = re.sub(r"[^a-zA-Z0-9_.-]", "_", name)[:56] or "property"
    key, number = stem, 2
    while key in keys.values():
        key, number = f"{stem}_{number}", number + 1
    return key


def _field(  # noqa: PLR0913 - the facts about one property
    builder: Builder, name: str, key: str, form: Form, nodes: tuple[Node, ...], *, is_required: bool
) -> Field:
    node = nodes[0] if nodes else ANYTHING
    if key != name:
        builder.ledger.add(node, "encoded", words=f"the property is called {key}")
    default = None if is_required else default_of(nodes)
    if default is not None:
        form = Noted(form, form.note, f"Default: {text_of(default)}.")
    if is_required or builder.profile.optional:
        return Field(name, key, form, required=is_required)
    if not form.accepts_null():
        builder.ledger.add(node, "encoded", words="null if the property is not sent")
        return Field(name, key, form, required=False, nullable=True)
    without = _without_null(form)
    if without is not None:
        words = 'null if the property is not sent, {"value": null} for null'
        builder.ledger.add(node, "encoded", words=words)
        return Field(name, key, without, required=False, nullable=True, explicit_null=True)
    words = 'null if the property is not sent, {"value": …} if it is'
    builder.ledger.add(node, "encoded", words=words)
    return Field(name, key, form, required=False, nullable=True, wrapped=True)


def _without_null(form: Form) -> Form | None:
    """Return the form without null; None if `{"value": null}` cannot stand next to it."""
    inner = bare(form)
    if not isinstance(inner, Union) or len(inner.branches) > _MAX_INLINE:
        return None
    kept = [each for each in inner.branches if not _is_null(bare(each))]
    made = union_form(kept)
    if made is None or any(each.accepts_null() or _may_hold_null(bare(each)) for each in kept):
        return None
    words = form.words if form is inner else " ".join(filter(None, (inner.words, form.words)))
    return Noted(made, form.note or made.note, words)


def _is_null(form: Form) -> bool:
    return isinstance(form, Plain) and form.schema == {"type": "null"}


def _may_hold_null(form: Form) -> bool:
    """Return whether a form may take `{"value": null}` itself."""
    if isinstance(form, Object):
        return [field.key for field in form.fields] == [NULL_HOLDER] or form.extra is not None
    return isinstance(form, (Link, Map)) and not (isinstance(form, Map) and not form.native)


def _extra_form(
    builder: Builder, nodes: tuple[Node, ...], level: int, *, is_empty: bool, is_root: bool
) -> Map | None:
    """Return the form of the properties that the nodes do not declare; None if there are none."""
    first = nodes[0] if nodes else ANYTHING
    patterns = [item for node in nodes for item in node.patterns.items()]
    schemas = [node.schema for node in nodes if isinstance(node.schema, dict)]
    is_closed = any(node.forbids_additional for node in nodes)
    if not patterns:
        if is_closed or any(schema.get("unevaluatedProperties") is False for schema in schemas):
            return None
        is_open = any(not _OPENING.isdisjoint(schema) for schema in schemas)
        if not is_open and (not is_empty or is_root):
            words = "properties that the schema does not declare"
            builder.ledger.add(first, "given up", words=words)
            return None
    kinds = []
    for pattern, node in patterns:
        form = builder.form_of((node,), level)
        if form is not None:
            kinds.append(EntryKind(form, pattern.matches, pattern.text))
    if not is_closed:
        additional = tuple(node.additional for node in nodes if node.additional is not None)
        form = builder.form_of(additional, level)
        if form is not None:
            kinds.append(EntryKind(form))
    if kinds and not builder.profile.maps:
        keyword = "patternProperties" if patterns else "additionalProperties"
        words = "properties that are not declared are a list of keys and values"
        builder.ledger.add(first, "encoded", keyword, words=words)
    return Map(tuple(kinds), native=builder.profile.maps) if kinds else None


_OPENING: Final = frozenset(("additionalProperties", "unevaluatedProperties"))
"""Keywords that say what properties are allowed that are not declared."""
