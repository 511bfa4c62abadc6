"""What the brackets of a reading leave in doubt: where else one may be missing, and what with it.

The nearest reading inserts the closers that are missing where the text ends, or at the last place
where they can stand. These questions are asked of the value that this gives.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from schema2model.json.values import TYPES
from schema2model.text.exact import LAX
from schema2model.text.repair.edits import Token, assembled
from schema2model.text.repair.path import Frame, Path, closers
from schema2model.text.schema_view import TextPlace

__all__ = [
    "LastOnes",
    "is_unknown",
    "last_ones",
    "last_within",
    "may_be_elsewhere",
    "may_be_in_string",
    "may_have_lost_members",
]

_MANY: Final = 4
"""An object of at least so many members may have ended at too many places before the text did."""
_SEVERAL: Final = 2
"""Of so many members it may have ended before another one, if more of the text follows."""
_OPENERS: Final = {"}": "{", "]": "["}


LastOnes: TypeAlias = "list[tuple[Any, TextPlace]]"
"""A value and its place, then its last member, that one's last member, and so on."""


def last_ones(path: Path, around: int = 0) -> LastOnes:
    """The value in `around` others, if its closers are missing, then its last member, and so on.

    None of them if that is the only one whose closer is missing, and its last member is no
    container.
    """
    frame = path.frame
    if frame is None or (frame.depth == around + 1 and not path.has_closed()):
        return []
    tokens = closers(frame, path.at)[: frame.depth - around]
    while frame.parent is not None and frame.depth > around + 1:
        frame = frame.parent
    try:
        value = LAX.decode(assembled([*path.tokens_from(frame.at), *tokens]).lstrip(":,"))
    except (ValueError, RecursionError):
        return []  # such a reading comes to nothing
    return last_within(value, frame.place)


def last_within(value: Any, place: TextPlace) -> LastOnes:
    """A value, if it is a container, then its last member, and so on."""
    ones: LastOnes = []
    while isinstance(value, (dict, list)):
        ones.append((value, place))
        if not value:
            break
        if isinstance(value, dict):
            name = next(reversed(value))
            value, place = value[name], place.member(name)
        else:
            value, place = value[-1], place.item()
    return ones


def may_be_elsewhere(ones: LastOnes, missing: int, *, at_end: bool) -> bool:
    """Whether closers that are missing behind the last ones may be missing further in.

    As many are missing, from the first one's on, where the text ends or not. If the last member of
    one of these is an object, and so on, that object may have ended before any of its own members:
    all behind would belong to the object around it. Only the schema can tell, and where it says
    nothing of the object, each of these places is as near as the end.
    """
    is_last = is_extra = False
    many = _MANY if at_end else _SEVERAL
    for depth, (value, place) in enumerate(ones):
        is_object = isinstance(value, dict)
        if is_extra and is_object and len(value) >= many:
            return True
        is_last = is_object and (depth < missing or is_last)
        is_extra = is_last and bool(value) and _is_extra(next(reversed(value)), place)
    return False


def may_have_lost_members(ones: LastOnes, missing: int) -> bool:
    """Whether the last closer may be that of the whole call, and members are lost before it.

    Several closers are missing behind it, if it is not the call's own; if it is, they are missing
    before it, and members may be missing with them. If either the call or the object that it
    closes has all members that the schema declares, it is unlikely that more were to come.
    """
    if not 1 < missing < len(ones):
        return False
    both = ones[0], ones[missing]
    return all(isinstance(value, dict) and _lacks_members(value, place) for value, place in both)


def may_be_in_string(text: str, tokens: list[Token]) -> bool:
    """Whether a closer that is missing behind a string may have changed its place with the quote.

    Then the string ends in such a closer, and nothing in it was opened by one.
    """
    string = None
    for token in tokens:
        start, end, _, edit = token
        if start < end:
            string = token
        elif edit is not None and edit.what in _OPENERS and string is not None:
            body = text[string.start + 1 : string.end - 1]
            if body.endswith(edit.what) and string.json[-1:] == '"':
                return body.count(edit.what) > body.count(_OPENERS[edit.what])
    return False


def is_unknown(frame: Frame) -> bool:
    """Whether a container is a property of the call that the schema allows, and says nothing of."""
    outer = frame.parent
    if outer is None or not outer.is_object or _says_nothing(outer.place):
        return False
    return _is_extra(frame.key, outer.place)


def _is_extra(name: str, around: TextPlace) -> bool:
    """Whether the schema allows a member of an object, and says nothing of it."""
    known = name in around.names() or around.is_closed()
    return not known and _says_nothing(around.member(name))


def _says_nothing(place: TextPlace) -> bool:
    """Whether the schema says nothing of what stands at a place."""
    return not place.names() and not any(place.wants(kind) for kind in TYPES)


def _lacks_members(value: dict[str, Any], place: TextPlace) -> bool:
    """Whether an object has not all members that the schema declares."""
    return any(name not in value for name in place.names())
