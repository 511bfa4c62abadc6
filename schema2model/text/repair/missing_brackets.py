"""Doubts about missing closers: where else they may be missing, and what is lost with them.

The nearest reading inserts them where the text ends, or at the last place where they are possible.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from schema2model.json.values import TYPES
from schema2model.text.exact import LAX
from schema2model.text.repair.edits import assemble
from schema2model.text.repair.path import Frame, Path, missing_closers
from schema2model.text.schema_view import SchemaView

__all__ = [
    "TailChain",
    "is_undescribed_property",
    "may_close_earlier",
    "may_have_lost_members",
    "tail_of",
]

MIN_MEMBERS_AT_END: Final = 4
"""Members of an object that may have ended before any of them, if the text ends after it."""
MIN_MEMBERS: Final = 2
"""Members of an object that may have ended before any of them, if more of the text follows."""

TailChain: TypeAlias = "list[tuple[Any, SchemaView]]"
"""A container and its schema, then its last member, and so on."""


def tail_of(path: Path, around: int = 0) -> TailChain:
    """Return the unclosed container inside `around` others, then its last member, recursively."""
    frame = path.frame
    if frame is None:
        return []
    tokens = missing_closers(frame, path.at)[: frame.depth - around]
    while frame.parent is not None and frame.depth > around + 1:
        frame = frame.parent
    try:
        value = LAX.decode(assemble([*path.tokens_from(frame.at), *tokens]).lstrip(":,"))
    except (ValueError, RecursionError):
        return []  # such a reading is refused
    tail: TailChain = []
    schema = frame.schema
    while isinstance(value, (dict, list)):
        tail.append((value, schema))
        if not value:
            break
        if isinstance(value, dict):
            name = next(reversed(value))
            value, schema = value[name], schema.member(name)
        else:
            value, schema = value[-1], schema.item()
    return tail


def may_close_earlier(tail: TailChain, missing: int, *, at_end: bool) -> bool:
    """Return whether closers that are missing after a tail may be missing further in.

    An object in the tail may have ended before any of its members: the rest then belongs to the
    object around it. Only the schema can tell. If it does not describe the inner object, each of
    these places is as near as the end.

    Args:
        tail: the unclosed containers, then closed ones.
        missing: the number of unclosed containers.
        at_end: whether the text ends after the tail.

    """
    is_last = is_undescribed = False
    many = MIN_MEMBERS_AT_END if at_end else MIN_MEMBERS
    for depth, (value, schema) in enumerate(tail):
        is_object = isinstance(value, dict)
        if is_undescribed and is_object and len(value) >= many:
            return True
        is_last = is_object and (depth < missing or is_last)
        is_undescribed = (
            is_last and bool(value) and _is_undescribed_member(next(reversed(value)), schema)
        )
    return False


def may_have_lost_members(tail: TailChain, missing: int) -> bool:
    """Return whether the last closer may be that of the call, and members are lost before it.

    If the call, or the object that the closer seems to close, has all declared properties, it is
    unlikely that more were to come.
    """
    if not 1 < missing < len(tail):
        return False
    both = tail[0], tail[missing]
    return all(isinstance(value, dict) and _lacks_members(value, schema) for value, schema in both)


def is_undescribed_property(frame: Frame) -> bool:
    """Return whether a container is a property that the schema allows but does not describe."""
    outer = frame.parent
    if outer is None or not outer.is_object or _is_undescribed(outer.schema):
        return False
    return _is_undescribed_member(frame.key, outer.schema)


def _is_undescribed_member(name: str, around: SchemaView) -> bool:
    is_known = name in around.names() or around.is_closed()
    return not is_known and _is_undescribed(around.member(name))


def _is_undescribed(schema: SchemaView) -> bool:
    return not schema.names() and not any(schema.wants(kind) for kind in TYPES)


def _lacks_members(value: dict[str, Any], schema: SchemaView) -> bool:
    return any(name not in value for name in schema.names())
