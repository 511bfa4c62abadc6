"""Unions of encodings, tagged where their values could be confused when they are read back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final

from schema2model.errors import SchemaError
from schema2model.json.equality import json_key, membership
from schema2model.limits import MAX_MERGED_BRANCHES
from schema2model.schema.discriminators import discriminator
from schema2model.strict.encodings import (
    JSON_TYPES,
    Array,
    Encoding,
    Leaves,
    Link,
    Map,
    Object,
    Plain,
    Tagged,
    Union,
    free_name,
    reachable_encodings,
    without_notes,
)

__all__ = ["any_of", "projected_types", "tag_uniquely", "union_encoding"]

_ALL: Final = frozenset(JSON_TYPES)


def union_encoding(encodings: Iterable[Encoding]) -> Encoding | None:
    """Return the union of encodings; None if there are none.

    An encoding whose values could be taken for those of an earlier one, and would be read back
    differently, is written within an object of one property.
    """
    branches: dict[Hashable, Encoding] = {}
    for encoding in encodings:
        is_bare = isinstance(encoding, Union) and not encoding.note and not encoding.words
        for each in encoding.children() if is_bare else (encoding,):
            key = (json_key(each.schema), each.note) if isinstance(each, Plain) else each
            branches.setdefault(key, each)
    if len(branches) > MAX_MERGED_BRANCHES:
        message = f"a union has more than {MAX_MERGED_BRANCHES} alternatives"
        raise SchemaError(message)
    return any_of([*branches.values()]) if branches else None


def any_of(branches: list[Encoding]) -> Encoding:
    """Return the union of encodings, or the only one."""
    if len(branches) == 1:
        return branches[0]
    told_apart = _told_apart(branches)
    kept: list[Encoding] = []
    for branch in branches:
        rivals = [each for each in kept if not {branch, each} <= told_apart]
        if all(_is_clear_after(branch, earlier) for earlier in rivals):
            kept.append(branch)
            continue
        kept.append(tag_uniquely(branch, kept))
        for index, other in enumerate(kept):  # an open object may look like any tag
            if _is_open(other):
                kept[index] = tag_uniquely(other, kept)
    return Union(tuple(kept), tuple(map(projected_types, kept)))


def _told_apart(branches: list[Encoding]) -> set[Encoding]:
    """Return the closed objects, if the choices of one property tell them all apart."""
    known = [(each, _required_fields(without_notes(each))) for each in branches]
    closed = [(each, fields) for each, fields in known if fields is not None]

    def choices(branch: tuple[Encoding, _Fields], name: str) -> list[Hashable]:
        required, encodings = branch[1]
        return [*map(json_key, _choices(encodings[name]))] if name in required else []

    names = sorted(closed[0][1][0]) if closed else ()
    tag = discriminator(names, closed, choices)
    return set() if tag is None else {each for each, _ in closed}


def projected_types(encoding: Encoding) -> frozenset[str]:
    """Return the JSON types that values of the projection may have, integers as numbers."""
    encoding = without_notes(encoding)
    if isinstance(encoding, Link):
        return _ALL
    if isinstance(encoding, Plain):
        name = encoding.schema.get("type")
        return _ALL if name is None else frozenset(("number" if name == "integer" else name,))
    if isinstance(encoding, Union):
        return frozenset().union(*encoding.types)
    is_list = encoding.alters if isinstance(encoding, Map) else isinstance(encoding, Array)
    return frozenset(("array" if is_list else "object",))


def _is_clear_after(encoding: Encoding, earlier: Encoding) -> bool:
    """Return whether no value of an encoding is read back wrongly by an earlier one."""
    if _are_disjoint(without_notes(encoding), without_notes(earlier)):
        return True
    return _is_unaltered(encoding) and _is_unaltered(earlier)


def _is_unaltered(encoding: Encoding) -> bool:
    """Return whether an encoding surely writes all values unchanged."""
    reached = reachable_encodings(encoding)
    return not any(
        each.alters or (isinstance(each, Link) and each.target is None) for each in reached
    )


def _are_disjoint(a: Encoding, b: Encoding) -> bool:
    """Return whether no value of the projection is of both encodings, at first sight."""
    if projected_types(a).isdisjoint(projected_types(b)):
        return True
    if isinstance(b, Union):
        return all(_are_disjoint(a, without_notes(each)) for each in b.branches)
    if isinstance(a, Union):
        return _are_disjoint(b, a)
    first, second = _choices(a), _choices(b)
    if first and second and not any(map(membership(first), second)):
        return True
    one, other = _required_fields(a), _required_fields(b)
    if one is None or other is None:
        return False
    (required, encodings), (also_required, other_encodings) = one, other
    if not required <= other_encodings.keys() or not also_required <= encodings.keys():
        return True  # one requires what the other, closed, does not have
    common = required & also_required
    return any(
        _are_disjoint(without_notes(encodings[key]), without_notes(other_encodings[key]))
        for key in common
    )


def _choices(encoding: Encoding) -> list[Any]:
    """Return the values that an encoding lists; none if it lists none."""
    inner = without_notes(encoding)
    return inner.schema.get("enum", []) if isinstance(inner, Plain) else []


def _is_open(encoding: Encoding) -> bool:
    """Return whether a value of the projection may be an object with any property."""
    inner = without_notes(encoding)
    if isinstance(inner, Union):
        return any(map(_is_open, inner.branches))
    if isinstance(inner, Plain):
        return not inner.schema
    entries = inner.extra if isinstance(inner, Object) else inner
    return isinstance(entries, Map) and entries.native


_Fields = tuple[set[str], dict[str, Encoding]]
"""The required names of a closed object, and the encodings by name."""


def _required_fields(encoding: Encoding) -> _Fields | None:
    """Return the required names and all encodings of a closed object; None for all else.

    The latter leave out an encoding whose null means something else.
    """
    if isinstance(encoding, Leaves):
        encoding = encoding.form
    if isinstance(encoding, Tagged):
        return {encoding.key}, {encoding.key: encoding.encoding}
    if not isinstance(encoding, Object) or (encoding.extra is not None and encoding.extra.native):
        return None
    encodings = {each.key: Link() if each.nullable else each.encoding for each in encoding.fields}
    required = {each.key for each in encoding.fields if each.required or each.nullable}
    if encoding.extra is not None:
        encodings[encoding.extra_key] = encoding.extra
        required.add(encoding.extra_key)
    return required, encodings


def tag_uniquely(encoding: Encoding, others: list[Encoding]) -> Tagged:
    """Return an encoding within an object of one property, whose name no other encoding has."""
    inner = without_notes(encoding)
    stem = "entries" if isinstance(inner, Map) else "items" if isinstance(inner, Array) else "value"
    return Tagged(
        free_name(stem, {name for each in others for name in _field_names(each)}), encoding
    )


def _field_names(encoding: Encoding) -> Iterator[str]:
    """Yield the names in the closed objects of an encoding."""
    inner = without_notes(encoding)
    if isinstance(inner, Union):
        for each in inner.branches:
            yield from _field_names(each)
    elif (fields := _required_fields(inner)) is not None:
        yield from fields[1]
