"""Unions of forms whose values can be told apart when they are read back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from schema2model.json.equality import membership
from schema2model.strict.arrays import Array, Leaves, Tuple
from schema2model.strict.forms import (
    Choice,
    Form,
    Link,
    Plain,
    Tagged,
    Union,
    bare,
    reachable_forms,
)
from schema2model.strict.objects import Map, Object

__all__ = ["any_of", "projected_types", "union_form"]

_ALL: Final = frozenset(("string", "number", "boolean", "null", "array", "object"))


def union_form(forms: Iterable[Form]) -> Form | None:
    """Return the union of forms; None if there are none.

    A form whose values could be taken for those of an earlier one, and would be read back
    differently, is written within an object of one property.
    """
    branches = _deduplicated(_flattened(forms))
    return any_of(branches) if branches else None


def any_of(branches: list[Form]) -> Form:
    """Return the union of forms, or the only one."""
    if len(branches) == 1:
        return branches[0]
    kept: list[Form] = []
    for branch in branches:
        clashes = any(not _may_follow(branch, earlier) for earlier in kept)
        kept.append(_tagged(branch, kept) if clashes else branch)
    return Union(tuple(kept), tuple(map(projected_types, kept)))


def _flattened(forms: Iterable[Form]) -> list[Form]:
    flat: list[Form] = []
    for form in forms:
        if isinstance(form, Union) and not form.note and not form.words:
            flat += form.branches
        else:
            flat.append(form)
    return flat


def _deduplicated(forms: list[Form]) -> list[Form]:
    kept: list[Form] = []
    for form in forms:
        if any(form is each or _equal(form, each) for each in kept):
            continue
        kept.append(form)
    return kept


def _equal(a: Form, b: Form) -> bool:
    return (
        isinstance(a, Plain) and isinstance(b, Plain) and a.schema == b.schema and a.note == b.note
    )


def projected_types(form: Form, seen: frozenset[int] = frozenset()) -> frozenset[str]:
    """Return the JSON types that values of the projection may have, integers as numbers."""
    form = bare(form)
    if isinstance(form, Link):
        return (
            _ALL
            if form.target is None or id(form) in seen
            else projected_types(form.target, seen | {id(form)})
        )
    if isinstance(form, Plain):
        name = form.schema.get("type")
        return _ALL if name is None else frozenset(("number" if name == "integer" else name,))
    if isinstance(form, Union):
        return frozenset().union(*form.types)
    if isinstance(form, Choice):
        return frozenset(("string",))
    if isinstance(form, (Object, Tagged, Leaves)):
        return frozenset(("object",))
    if isinstance(form, Map):
        return frozenset(("object" if form.native else "array",))
    if isinstance(form, Tuple):
        return frozenset(("array" if form.native else "object",))
    return frozenset(("array",))


def _may_follow(form: Form, earlier: Form) -> bool:
    """Return whether no value of a form is read back wrongly by an earlier one."""
    if projected_types(form).isdisjoint(projected_types(earlier)):
        return True
    if isinstance(bare(form), Plain) and isinstance(bare(earlier), Plain):
        return True
    if _disjoint(bare(form), bare(earlier)):
        return True
    return _is_unaltered(form) and _is_unaltered(earlier)


def _is_unaltered(form: Form) -> bool:
    """Return whether a form surely writes all values unchanged."""
    reached = reachable_forms(form)
    return not any(
        each.alters or (isinstance(each, Link) and each.target is None) for each in reached
    )


def _disjoint(a: Form, b: Form) -> bool:
    """Return whether no value of the projection is of both forms, at first sight."""
    if isinstance(a, Union):
        return all(_disjoint(bare(each), b) for each in a.branches)
    if isinstance(b, Union):
        return all(_disjoint(a, bare(each)) for each in b.branches)
    if isinstance(a, Link) or isinstance(b, Link):
        return False
    if projected_types(a).isdisjoint(projected_types(b)):
        return True
    if isinstance(a, Plain) and isinstance(b, Plain):
        first, second = a.schema.get("enum"), b.schema.get("enum")
        return first is not None and second is not None and not any(map(membership(first), second))
    if isinstance(a, (Plain, Choice)) and isinstance(b, (Plain, Choice)):
        return _texts(a).isdisjoint(_texts(b)) if _texts(a) and _texts(b) else False
    fields, others = _required_fields(a), _required_fields(b)
    if fields is None or others is None:
        return False
    if not fields[0] <= others[1].keys() or not others[0] <= fields[1].keys():
        return True  # one requires what the other, closed, does not have
    common = fields[0] & others[0]
    known = [(fields[1][key], others[1][key]) for key in common]
    return any(
        first is not None and second is not None and _disjoint(bare(first), bare(second))
        for first, second in known
    )


def _texts(form: Form) -> frozenset[str]:
    if isinstance(form, Choice):
        return frozenset(form.labels)
    values = form.schema.get("enum", ()) if isinstance(form, Plain) else ()
    return frozenset(value for value in values if isinstance(value, str))


def _required_fields(form: Form) -> tuple[set[str], dict[str, Form | None]] | None:
    """Return the required names and the forms of all, of a form that is a closed object."""
    if isinstance(form, Object):
        if form.extra is not None and form.extra.native:
            return None
        forms: dict[str, Form | None] = {
            field.key: None
            if field.nullable or field.wrapped or field.explicit_null
            else field.form
            for field in form.fields
        }
        required = {field.key for field in form.fields if field.required or field.nullable}
        if form.extra is not None:
            forms[form.extra_key] = None
            required.add(form.extra_key)
        return required, forms
    if isinstance(form, Tagged):
        return {form.key}, {form.key: form.form}
    if isinstance(form, Leaves):
        return {"leaves"}, {"leaves": None}
    if isinstance(form, Tuple) and not form.native:
        names = [str(index) for index in range(len(form.prefix))]
        names += ["rest"] if form.rest is not None else []
        return {*names}, dict.fromkeys(names)
    return None


def _tagged(form: Form, others: list[Form]) -> Form:
    """Return a form within an object of one property, whose name no other form has."""
    inner = bare(form)
    stem = "entries" if isinstance(inner, Map) else "items" if isinstance(inner, Array) else "value"
    for number in range(1, len(others) + 2):
        key = stem if number == 1 else f"{stem}_{number}"
        tagged = Tagged(key, form)
        if all(_disjoint(tagged, bare(other)) for other in others):
            return tagged
    return Tagged(f"{stem}_{len(others) + 2}", form)
