"""Unions of encodings, tagged where their values could be confused when they are read back."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Final

from schema2model.errors import SchemaError
from schema2model.json.equality import membership
from schema2model.limits import MAX_MERGED_BRANCHES
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
    reachable_encodings,
    without_notes,
)

__all__ = ["any_of", "projected_types", "union_encoding"]

_ALL: Final = frozenset(JSON_TYPES)


def union_encoding(encodings: Iterable[Encoding]) -> Encoding | None:
    """Return the union of encodings; None if there are none.

    An encoding whose values could be taken for those of an earlier one, and would be read back
    differently, is written within an object of one property.
    """
    branches: list[Encoding] = []
    for encoding in encodings:
        is_bare = isinstance(encoding, Union) and not encoding.note and not encoding.words
        for each in encoding.children() if is_bare else (encoding,):
            if not any(map(functools.partial(_are_same, each), branches)):
                branches.append(each)
    if len(branches) > MAX_MERGED_BRANCHES:
        message = f"a union has more than {MAX_MERGED_BRANCHES} alternatives"
        raise SchemaError(message)
    return any_of(branches) if branches else None


def any_of(branches: list[Encoding]) -> Encoding:
    """Return the union of encodings, or the only one."""
    if len(branches) == 1:
        return branches[0]
    kept: list[Encoding] = []
    for branch in branches:
        if all(_is_clear_after(branch, earlier) for earlier in kept):
            kept.append(branch)
            continue
        kept.append(_tag_uniquely(branch, kept))
        for index, other in enumerate(kept):  # an open object may look like any tag
            if _is_open(other):
                kept[index] = _tag_uniquely(other, kept)
    return Union(tuple(kept), tuple(map(projected_types, kept)))


def _are_same(one: Encoding, other: Encoding) -> bool:
    if isinstance(one, Plain) and isinstance(other, Plain):
        return (one.schema, one.note) == (other.schema, other.note)
    return one is other


def projected_types(encoding: Encoding, seen: frozenset[int] = frozenset()) -> frozenset[str]:
    """Return the JSON types that values of the projection may have, integers as numbers."""
    encoding = without_notes(encoding)
    if isinstance(encoding, Link):
        return (
            _ALL
            if encoding.target is None or id(encoding) in seen
            else projected_types(encoding.target, seen | {id(encoding)})
        )
    if isinstance(encoding, Plain):
        name = encoding.schema.get("type")
        return _ALL if name is None else frozenset(("number" if name == "integer" else name,))
    if isinstance(encoding, Union):
        return frozenset().union(*encoding.types)
    if isinstance(encoding, (Object, Tagged, Leaves)):
        return frozenset(("object",))
    if isinstance(encoding, Map):
        return frozenset(("object" if encoding.native else "array",))
    return frozenset(("array",))


def _is_clear_after(encoding: Encoding, earlier: Encoding) -> bool:
    """Return whether no value of an encoding is read back wrongly by an earlier one."""
    if projected_types(encoding).isdisjoint(projected_types(earlier)):
        return True
    if isinstance(without_notes(encoding), Plain) and isinstance(without_notes(earlier), Plain):
        return True
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
    if isinstance(a, Union):
        return all(_are_disjoint(without_notes(each), b) for each in a.branches)
    if isinstance(b, Union):
        return all(_are_disjoint(a, without_notes(each)) for each in b.branches)
    if isinstance(a, Link) or isinstance(b, Link):
        return False
    if projected_types(a).isdisjoint(projected_types(b)):
        return True
    if isinstance(a, Plain) and isinstance(b, Plain):
        first, second = a.schema.get("enum"), b.schema.get("enum")
        return first is not None and second is not None and not any(map(membership(first), second))
    one, other = _required_fields(a), _required_fields(b)
    if one is None or other is None:
        return False
    (required, encodings), (also_required, other_encodings) = one, other
    if not required <= other_encodings.keys() or not also_required <= encodings.keys():
        return True  # one requires what the other, closed, does not have
    common = [(encodings[key], other_encodings[key]) for key in required & also_required]
    return any(
        first is not None
        and second is not None
        and _are_disjoint(without_notes(first), without_notes(second))
        for first, second in common
    )


def _is_open(encoding: Encoding) -> bool:
    """Return whether a value of the projection may be an object with any property."""
    inner = without_notes(encoding)
    if isinstance(inner, Union):
        return any(map(_is_open, inner.branches))
    if isinstance(inner, Plain):
        return not inner.schema
    entries = inner.extra if isinstance(inner, Object) else inner
    return isinstance(entries, Map) and entries.native


def _required_fields(encoding: Encoding) -> tuple[set[str], dict[str, Encoding | None]] | None:
    """Return the required names and all encodings of a closed object; None for all else."""
    if isinstance(encoding, Object):
        if encoding.extra is not None and encoding.extra.native:
            return None
        encodings: dict[str, Encoding | None] = {
            field.key: None
            if field.nullable or field.wrapped or field.explicit_null
            else field.encoding
            for field in encoding.fields
        }
        required = {field.key for field in encoding.fields if field.required or field.nullable}
        if encoding.extra is not None:
            encodings[encoding.extra_key] = None
            required.add(encoding.extra_key)
        return required, encodings
    if isinstance(encoding, Tagged):
        return {encoding.key}, {encoding.key: encoding.encoding}
    if isinstance(encoding, Leaves):
        return {"leaves"}, {"leaves": None}
    return None


def _tag_uniquely(encoding: Encoding, others: list[Encoding]) -> Encoding:
    """Return an encoding within an object of one property, whose name no other encoding has."""
    inner = without_notes(encoding)
    stem = "entries" if isinstance(inner, Map) else "items" if isinstance(inner, Array) else "value"
    closed = [without_notes(each) for each in others if not _is_open(each)]
    named: dict[str, list[Encoding]] = {}
    for each in closed:
        for name in _field_names(each):
            named.setdefault(name, []).append(each)
    conflict: list[Encoding] = []
    for number in range(1, len(others) + 2):
        key = stem if number == 1 else f"{stem}_{number}"
        tagged = Tagged(key, encoding)
        # first those that likely conflict, as most names are taken
        candidates = itertools.chain(conflict, named.get(key, ()), closed)
        conflict = [*itertools.islice((e for e in candidates if not _are_disjoint(tagged, e)), 1)]
        if not conflict:
            return tagged
    return Tagged(f"{stem}_{len(others) + 2}", encoding)


def _field_names(encoding: Encoding) -> Iterator[str]:
    """Yield the names in the closed objects of an encoding."""
    if isinstance(encoding, Union):
        for each in encoding.branches:
            yield from _field_names(without_notes(each))
    elif (fields := _required_fields(encoding)) is not None:
        yield from fields[1]
