"""Names that two members of one JSON object have.

RFC 8259 leaves their meaning open, and parsers take the last member without a word. Nobody knows
which of two different values is meant; equal ones are one.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, Final

from pydantic_core import from_json, to_json

from schema2model.json.equality import json_key
from schema2model.json.spans import is_unclosed, members_from
from schema2model.limits import MAX_MALFORMED_TEXT

__all__ = [
    "RepeatedNameError",
    "merged_members",
    "parse_unique",
    "repeated_name",
    "repeated_name_in",
    "require_unique_names",
    "unique_names",
]


class RepeatedNameError(ValueError):
    """An object has two different values for one name, which is `args[0]`."""


def merged_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of some members, as `object_pairs_hook` of a decoder.

    Raises:
        RepeatedNameError: if two of them have the same name and different values.

    >>> merged_members([("a", 1), ("a", 1.0)])
    {'a': 1.0}

    """
    merged = dict(pairs)
    if len(merged) < len(pairs):
        for name, value in pairs:
            if json_key(value) != json_key(merged[name]):
                raise RepeatedNameError(name)
    return merged


def repeated_name(
    text: str, value: Any, *, coerced: bool = False, or_equal: bool = False
) -> str | None:
    """The name that has two different values in one object of a JSON text; None without one.

    Args:
        text: JSON.
        value: the value that it spells, so that the text need not be parsed again to know that each
            of its colons belongs to a member or a string of the value.
        coerced: True if strings in the value may have been parsed: then it is the name in one of
            them, too.
        or_equal: True if the values may also be equal.

    >>> repeated_name('{"a": 1, "a": 2}', {"a": 2}), repeated_name('{"a": ":"}', {"a": ":"})
    ('a', None)

    """
    if not (coerced and _may_respell(text)):
        if text.count(":") == _members(value):
            return None
        with contextlib.suppress(ValueError):  # half a surrogate pair
            if _has_every_member(text.encode(), value):
                return None
    try:
        parsed = (_UNIQUE if or_equal else _MERGED).decode(text)
        if coerced:
            _require_unique_in_strings(parsed)
    except RepeatedNameError as error:
        return str(error.args[0])
    except (ValueError, RecursionError):
        pass
    return None


def repeated_name_in(text: str, names: Collection[str]) -> str | None:
    """The name with two different values in, or of, members of these names; None without one.

    Args:
        text: a JSON object. Its other members may be repeated.
        names: of the members that are read.

    >>> repeated_name_in('{"a": 1, "a": 2, "b": 3}', {"b"})

    """
    keys: dict[str, Hashable] = {}
    for name, start, end in members_from(text):
        if name in names:
            spelled = text[start:end]
            if (repeated := repeated_name(spelled, None)) is not None:
                return repeated
            key = json_key(json.loads(spelled))
            if keys.setdefault(name, key) != key:
                return name
    return None


def parse_unique(text: str | bytes) -> Any:
    """Parse JSON in which no name has two different values.

    NaN, infinity and half a surrogate pair are read, which a reader of the value may refuse.

    Raises:
        RepeatedNameError: if a name has two.
        ValueError: if it is not JSON.
        RecursionError: if it is nested too deeply.

    >>> parse_unique(b'{"a": 1, "a": 1}')
    {'a': 1}

    """
    try:
        spelled: bytes = text.encode() if type(text) is str else text  # type: ignore[assignment]
        value = from_json(spelled)
        if _has_every_member(spelled, value):
            return value
    except ValueError:
        pass
    decoded = text if isinstance(text, str) else text.decode()
    return json.loads(decoded, object_pairs_hook=merged_members)


def _has_every_member(text: bytes, value: Any) -> bool:
    """Whether the value of a JSON text has all its colons, so that it lost no member.

    Raises:
        ValueError: if the value has no JSON text.

    """
    colons = text.count(b":")
    if b"\\u003" in text:  # one search where both would find nothing
        colons += text.count(b"\\u003a") + text.count(b"\\u003A")
    return colons == to_json(value).count(b":")


def _may_respell(text: str) -> bool:
    """Whether a coercion may find members in strings that have no colon of their own."""
    # the search for one character takes a fifth of the time of that for two
    return "=" in text or "&" in text or ("\\" in text and "\\u" in text)


def _require_unique_in_strings(value: Any) -> None:
    parts = [value]
    while parts:
        part = parts.pop()
        if type(part) is dict:
            parts += part.values()
        elif type(part) is list:
            parts += part
        elif type(part) is str and part.lstrip()[:1] in {"{", "["}:
            with contextlib.suppress(json.JSONDecodeError):
                parts.append(_MERGED.decode(part))


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise RepeatedNameError(name)
        members[name] = value
    return members


_MERGED: Final = json.JSONDecoder(object_pairs_hook=merged_members, strict=False)
_UNIQUE: Final = json.JSONDecoder(object_pairs_hook=_unique_members, strict=False)


def require_unique_names(
    validate: Callable[[str | bytes | bytearray], Any], objects: Sequence[str], *, coerces: bool
) -> Callable[[str | bytes | bytearray], Any]:
    """Make a validator of JSON text raise an error where a name has two different values.

    Args:
        validate: it takes the last of them.
        objects: the properties that are objects or null. If the text has no more colons than the
            arguments and these have members, no member of the text is lost: one scan in C.
        coerces: True if strings may be parsed, too.

    """

    def validate_unique(text: str | bytes | bytearray) -> Any:
        if len(text) > MAX_MALFORMED_TEXT and is_unclosed(text):
            raise ValueError
        value = validate(text)
        if type(text) is str and type(value) is dict:
            others = text.count(":") - len(value)
            for name in objects:
                if member := value.get(name):
                    others -= len(member)
            if not others and not (coerces and _may_respell(text)):
                return value
        spelled = text if type(text) is str else str(text, "utf-8")  # type: ignore[arg-type]
        if (repeated := repeated_name(spelled, value, coerced=coerces)) is not None:
            raise RepeatedNameError(repeated)
        return value

    return validate_unique


def unique_names(text: str, validate: Callable[[str], Any]) -> Any:
    """Return what a validator makes of a JSON text in which no name has two different values.

    Raises:
        RepeatedNameError: if one has.

    """
    value = validate(text)
    names = len(value) if type(value) is dict else 0
    if text.count(":") == names and not _may_respell(text):
        return value  # as most often: there is no other member
    if (repeated := repeated_name(text, value, coerced=True)) is not None:
        raise RepeatedNameError(repeated)
    return value


def _members(value: Any) -> int:
    """The number of members in a value, or fewer where objects are nested more deeply."""
    is_object = type(value) is dict
    count = len(value) if is_object else 0
    for member in value.values() if is_object else (value,):
        if type(member) is dict:
            count += len(member)
        elif type(member) is list and member and type(member[0]) is dict:
            count += sum([len(item) for item in member if type(item) is dict])
    return count
