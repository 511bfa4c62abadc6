"""Other structures of a value, whose parts are not where the schema has them.

Each rule gives the same parts another structure. It drops and invents nothing, and the schema
judges the result, as it judges every reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import filterfalse
from typing import Any, NamedTuple

from schema2model.coerce.node_view import NodeView
from schema2model.coerce.rules.scalars import json_text
from schema2model.coerce.search.readings import Step
from schema2model.coercions import Coercion
from schema2model.json.names import are_opposed, spelling, words
from schema2model.json.parsing import NOTHING
from schema2model.limits import MAX_PATH_STEPS
from schema2model.regexes import regex
from schema2model.schema.nodes import Node, reachable

__all__ = ["Restructuring", "may_be_path", "restructurings"]


class Restructuring(NamedTuple):
    """A value in another structure, and the step that leads to it."""

    value: Any
    step: Step


def restructurings(
    coercion: Coercion, node: Node, view: NodeView, value: Any
) -> Iterator[Restructuring]:
    """Yield other structures of a value that a node rejects; `view` is the node's."""
    if not node.accepts("object"):
        return
    if type(value) is list and coercion.listed_pairs:
        pairs = _object_of_pairs(value)
        if pairs is not None and (not view.names() or pairs.keys() <= view.names()):
            yield Restructuring(pairs, ((), "listed_pairs", value, pairs))
    elif type(value) is dict:
        if coercion.envelope:
            yield from _open_own_names(view, value, parses=coercion.json_text)
        unknown = [*filterfalse(view.parts.declares, value)]
        if coercion.item_envelope and value.keys() == {"item"} == {*unknown}:
            yield Restructuring(value["item"], ((), "item_envelope", value, value["item"]))
        if coercion.flattened_keys and unknown:
            nested = _unflatten(value, unknown, view)
            if nested is not value:
                yield Restructuring(nested, ((), "flattened_keys", value, nested))
        if coercion.sole_key and len(unknown) == 1 and _NAME.fullmatch(unknown[0]):
            yield from _rename_sole_key(node, view, value, *unknown)


def _open_own_names(
    view: NodeView, value: dict[str, Any], *, parses: bool
) -> Iterator[Restructuring]:
    """Take a property out of an object, or JSON text of one, that has only its name again."""
    for name, member in value.items():
        inner = json_text(member) if parses else member
        if name in view.names() and type(inner) is dict and inner.keys() == {name}:
            opened = {**value, name: inner[name]}
            yield Restructuring(opened, ((name,), "envelope", member, inner[name]))


def _rename_sole_key(
    node: Node, view: NodeView, value: Mapping[str, Any], key: str
) -> Iterator[Restructuring]:
    """Rename the only unknown key to the only required one that is missing, but no boolean.

    Any word more may turn the meaning of a boolean.
    """
    subschemas = reachable([node], _unconditional)
    missing = {name for each in subschemas for name in each.required if name not in value}
    if len(missing) != 1:
        return
    (name,) = missing
    if type(value[key]) is bool or view.member(name).wants("boolean") or are_opposed(key, name):
        return
    is_declared = any(name in each.properties for each in subschemas)
    has_rival = any(spelling(key) == spelling(other) for other in view.names() - missing)
    if is_declared and not has_rival and _are_similar(key, name):
        result = {name if k == key else k: member for k, member in value.items()}
        yield Restructuring(result, ((key,), "sole_key", key, name))


def _unconditional(node: Node) -> Iterator[Node]:
    """Yield the subschemas that certainly apply to the same object."""
    yield from node.conjuncts()
    for group in (node.any_of, node.one_of):
        others = [branch for branch in group if not branch.is_null()]
        if len(others) == 1:
            yield others[0]


def _are_similar(one: str, other: str) -> bool:
    """Return whether one name has all words of the other, and no distinguishing ones.

    `citation` is like `citations`, and `user` like `user_id`; `min_price` is not like `price`, nor
    `timeout_ms` like `timeout`.
    """
    some, others = words(one), words(other)
    is_contained = bool(some and others) and (some <= others or others <= some)
    return is_contained and (some ^ others).isdisjoint(_DISTINGUISHING)


_DISTINGUISHING = frozenset(
    (
        "min",
        "max",
        "minimum",
        "maximum",
        "from",
        "to",
        "start",
        "end",
        "first",
        "last",
        "old",
        "new",
        "source",
        "target",
        "before",
        "after",
        "parent",
        "previous",
        "next",
        "other",
        "count",
        "type",
        "size",
        # units, in which a number is another value; "m" and "" are the singular of "ms" and "s"
        *("m", "", "sec", "second", "minute", "hour", "cent", "percent", "byte", "kb", "mb", "gb"),
        *("mm", "cm", "km", "mile", "px"),
    )
)
"""Words that distinguish the names of two things of one kind."""
_NAME = regex(r"[\w $-]{1,64}")


def _object_of_pairs(value: list[Any]) -> dict[str, Any] | None:
    """Return the object of a list of keys and values, or None if it is not such a list."""
    result: dict[str, Any] = {}
    for pair in value:
        if type(pair) is not dict or pair.keys() not in ({"key", "value"}, {"name", "value"}):
            return None
        key = pair["key"] if "key" in pair else pair["name"]
        if type(key) is not str or key in result:
            return None
        result[key] = pair["value"]
    return result


# ---------------------------------------------------------------------------- flattened keys
_PATH = regex(r"[^.\[\]]+(?:\[\d{1,6}\]|\.[^.\[\]]+)+")
_STEP = regex(r"\[(\d+)\]|([^.\[\]]+)")


def _unflatten(value: Mapping[str, Any], unknown: list[str], view: NodeView) -> Any:
    """Nest the members whose keys are paths; return the same object if none is, or two conflict."""
    paths = {key: path for key in unknown if (path := _path(key, view))}
    if not paths:
        return value
    result = _assemble([(paths.get(key, [key]), member) for key, member in value.items()])
    return value if result is NOTHING else result


def _assemble(parts: list[tuple[list[str | int], Any]]) -> Any:
    """Return the value with these parts at these paths, or `NOTHING` if they conflict."""
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    members: dict[str | int, list[tuple[list[str | int], Any]]] = {}
    for path, part in parts:
        if not path and type(part) is not dict:
            return NOTHING
        inner = [(path[1:], part)] if path else [([], member) for member in part.values()]
        for step, member in zip(path[:1] or part, inner, strict=True):
            members.setdefault(step, []).append(member)
    result = {step: _assemble(inner) for step, inner in members.items()}
    if any(member is NOTHING for member in result.values()):
        return NOTHING
    if all(type(step) is str for step in result):
        return result
    is_complete = result.keys() == {*range(len(result))}
    return [result[index] for index in range(len(result))] if is_complete else NOTHING


def may_be_path(key: str) -> bool:
    """Return whether a key is written as a path.

    >>> may_be_path("todos[0].id"), may_be_path("todos")
    (True, False)
    """
    return _PATH.fullmatch(key) is not None


def _path(key: str, view: NodeView) -> list[str | int] | None:
    """Return the path that a key is written as, or None if the schema does not have it."""
    if not may_be_path(key):
        return None
    path: list[str | int] = []
    for index, name in _STEP.findall(key):
        if len(path) == MAX_PATH_STEPS:
            return None
        if not index and name in view.names():
            path.append(name)
            view = view.member(name)
        elif path and view.wants("array") and (index or (name.isascii() and name.isdigit())):
            path.append(int(index or name[:7]))
            view = view.item()
        else:
            return None
    return path
