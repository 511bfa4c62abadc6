"""Builds the forms of objects and arrays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from schema2model.errors import SchemaError
from schema2model.schema.nodes import Node, reachable
from schema2model.strict.containers import Array, EntryKind, Field, Map, Object, Tuple
from schema2model.strict.forms import Form, Link, Mismatch, Noted, Plain, Union
from schema2model.strict.scalars import Handled, mark, strictest
from schema2model.strict.unions import bare, union_form
from schema2model.strict.words import text_of

if TYPE_CHECKING:
    from schema2model.strict.building import Builder

__all__ = ["array_form", "object_form"]

_MAX_INLINE = 4
"""Maximum alternatives of a nullable property that are written next to a null that is sent."""
_EXTRA = "additional_properties"


# ------------------------------------------------------------------------------------- arrays
def array_form(
    builder: Builder, nodes: tuple[Node, ...], handled: Handled, level: int
) -> Form | None:
    """Return the form of the arrays that all nodes accept; None if there are none."""
    profile = builder.profile
    least, most = strictest([node.sizes for node in nodes])
    length = max((len(node.prefix) for node in nodes), default=0)
    rest = _item_form(builder, nodes, length, level)
    prefix: list[Form] = []
    for index in range(length):
        form = _item_form(builder, nodes, index, level)
        if form is None:  # no array is longer
            rest, length = None, index
            break
        prefix.append(form)
    if rest is None:
        most = length if most is None else min(most, length)
    if least is not None and most is not None and least > most:
        return None
    if most is not None and most <= length:
        prefix, rest = prefix[:most], None
    bounds: dict[str, int] = {}
    if least:
        enforced = profile.max_min_items is None or least <= profile.max_min_items
        bounds["minItems"] = least if enforced else profile.max_min_items or 0
        if "minItems" not in profile.array:
            del bounds["minItems"]
        elif enforced:
            mark(nodes, handled, "minItems")
    if most is not None and "maxItems" in profile.array:
        bounds["maxItems"] = most
        mark(nodes, handled, "maxItems")
    elif most is None and "maxItems" in builder.caps and "maxItems" in profile.array:
        bounds["maxItems"] = max(builder.caps["maxItems"], least or 0)
    if not prefix:
        return Array(Plain({"type": "null"}) if rest is None else rest, bounds)
    sizes = {**({} if not least else {"minItems": least}), **({} if most is None else {"maxItems": most})}
    if not profile.tuples:
        mark(nodes, handled, "minItems")
        for node in nodes:
            if node.prefix:
                words = "an array with a form for each position is an object of the positions"
                builder.ledger.add(node.place.pointer, "encoded", "prefixItems", words=words)
    return Tuple(tuple(prefix), rest, sizes, native=profile.tuples)


def _item_form(builder: Builder, nodes: tuple[Node, ...], index: int, level: int) -> Form | None:
    applying = tuple(each for node in nodes for each in node.item_subschemas(index))
    return builder.form_of(applying, level)


# ------------------------------------------------------------------------------------ objects
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
    pointer = nodes[0].place.pointer if nodes else ""
    if key != name:
        words = f"the property is called {key}"
        builder.ledger.add(pointer, "encoded", words=words)
    default = _default(nodes)
    if not is_required and default:
        form = Noted(form, form.note, default)
    if is_required or builder.profile.optional:
        return Field(name, key, form, required=is_required)
    if not form.accepts_null():
        builder.ledger.add(pointer, "encoded", words="null if the property is not sent")
        return Field(name, key, form, required=False, nullable=True)
    without = _without_null(form)
    if without is not None:
        words = 'null if the property is not sent, {"value": null} for null'
        builder.ledger.add(pointer, "encoded", words=words)
        return Field(name, key, without, required=False, nullable=True, explicit_null=True)
    words = 'null if the property is not sent, {"value": …} if it is'
    builder.ledger.add(pointer, "encoded", words=words)
    return Field(name, key, form, required=False, nullable=True, wrapped=True)


def _default(nodes: tuple[Node, ...]) -> str:
    for node in reachable(nodes, Node.conjuncts):
        if isinstance(node.schema, dict) and node.schema.get("default") is not None:
            return f"Default: {text_of(node.schema['default'])}."
    return ""


def _without_null(form: Form) -> Form | None:
    """Return the form without null, where `{"value": null}` can stand for null next to it."""
    inner = bare(form)
    if isinstance(inner, Plain) and inner.schema == {"type": "null"}:
        return None
    if not isinstance(inner, Union) or len(inner.branches) > _MAX_INLINE:
        return None
    kept = [each for each in inner.branches if not (isinstance(bare(each), Plain) and bare(each).schema == {"type": "null"})]  # type: ignore[attr-defined]
    if any(each.accepts_null() or isinstance(bare(each), Link) for each in kept):
        return None
    if any(isinstance(bare(each), Object) and [f.key for f in bare(each).fields] == ["value"] for each in kept):  # type: ignore[attr-defined]
        return None
    made = union_form(kept)
    if made is None or not isinstance(bare(made), (Plain, Union, Array, Object, Map, Tuple)):
        return None
    words = form.words if form is inner else " ".join(filter(None, (inner.words, form.words)))
    return Noted(made, form.note or made.note, words)


def _extra_form(
    builder: Builder, nodes: tuple[Node, ...], level: int, *, is_empty: bool, is_root: bool
) -> Map | None:
    """Return the form of the properties that the nodes do not declare; None if there are none."""
    schemas = [node.schema for node in nodes if isinstance(node.schema, dict)]
    patterns = [(pattern, node) for each in nodes for pattern, node in each.patterns.items()]
    closed = any(
        (node.forbids_additional and not node.patterns)
        or (isinstance(node.schema, dict) and node.schema.get("unevaluatedProperties") is False)
        for node in nodes
    )
    open_ = patterns or any("additionalProperties" in schema or "unevaluatedProperties" in schema for schema in schemas)
    about = nodes[0].place.pointer if nodes else ""
    if closed and not patterns:
        return None
    if not open_ and (not is_empty or is_root):
        builder.ledger.add(about, "given up", words="properties that the schema does not declare")
        return None
    profile = builder.profile
    kinds = []
    for pattern, node in patterns:
        additional = [each.additional for each in nodes if each.additional is not None and pattern not in each.patterns and not each.additional.is_false]
        form = builder.form_of((node, *additional), level)
        if form is not None:
            kinds.append(EntryKind(form, pattern.matches, pattern.text))
    if not closed and not any(node.forbids_additional for node in nodes):
        additional = [node.additional for node in nodes if node.additional is not None]
        form = builder.form_of(tuple(additional), level)
        if form is not None:
            kinds.append(EntryKind(form))
    if not kinds:
        return None
    native = profile.maps
    if not native:
        words = "properties that are not declared are a list of keys and values"
        keyword = "patternProperties" if patterns else "additionalProperties"
        builder.ledger.add(about, "encoded", keyword, words=words)
    return Map(tuple(kinds), native=native)


_: Any = (Callable, Mismatch, SchemaError, json)
