"""Unambiguous parts of a text, which a path passes in one step.

A string is unambiguous if a comma and a key follow it in an object, or a comma in an array. So
these patterns match only members and items that another one follows.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Any, Final

from schema2model.json.parsing import BRACKETS, LAX
from schema2model.regexes import regex
from schema2model.text.repair.context import KEY_AFTER_ITEM
from schema2model.text.repair.edits import Edit, Token
from schema2model.text.repair.scalar_spelling import CONSTANTS
from schema2model.text.schema_view import NO_SCHEMA, SchemaView

__all__ = ["skip_container", "skip_items", "skip_plain"]

_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
_GAP: Final = r"[ \t\n\r]*"
_COMMA: Final = rf"{_GAP},{_GAP}"
_BETWEEN: Final = ", \t\n\r"
_KEY: Final = r"""(?:"[^"\\\n]{0,120}"|'[^'\\"\n]{0,120}')"""
_ESCAPED: Final = r'"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)+"'
_CONSTANT: Final = "(?:true|false|null|True|False|None)"
_SCALAR: Final = rf"""(?:"[^"\\]*"|'[^'\\"]*'|{_NUMBER}|{_CONSTANT})"""
_FLAT: Final = rf"\[{_GAP}(?:{_SCALAR}(?:{_COMMA}{_SCALAR}){{0,15}}{_GAP})?\]"
"""A short array of scalars."""


def _many(part: str, after: str) -> re.Pattern[str]:
    """Return the pattern of parts and commas that `after`, with which each part begins, follows."""
    return regex(rf"(?:{part}{_COMMA})+(?={after})")


_ITEMS: Final = _many(_SCALAR, rf"(?:[\"'\d{{\[-]|{_CONSTANT}\b)")
_MEMBERS: Final = _many(rf"{_KEY}{_GAP}:{_GAP}(?:{_SCALAR}|{_FLAT}|{_ESCAPED})", rf"{_KEY}{_GAP}:")
_NOT_JSON: Final = regex("'|True|False|None")
_TO_RESPELL: Final = regex(rf"""{_ESCAPED}|"[^"]*"|'[^']*'|True|False|None""")


def skip_plain(text: str, at: int, *, members: bool) -> Token | None:
    """Return the token of the members, or of the scalar items, at an offset; None if none are.

    >>> skip_plain('"a": 1, "b": true, "c": "x"}', 0, members=True).json
    '"a": 1, "b": true'
    >>> skip_plain("'a', None, 'b']", 0, members=False).json
    '"a", null'
    """
    match = (_MEMBERS if members else _ITEMS).match(text, at)
    if match is None:
        return None
    json = part = match[0].rstrip(_BETWEEN)
    if _NOT_JSON.search(part):
        json = _TO_RESPELL.sub(lambda each: CONSTANTS.get(each[0]) or f'"{each[0][1:-1]}"', part)
    edit = None
    if json != part:
        first = next(each for each in _TO_RESPELL.finditer(part) if each[0][0] != '"')
        constant = CONSTANTS.get(first[0])
        detail = f"{first[0]} as {constant}" if constant else "' as a quote"
        edit = Edit("read", detail, at + first.start())
    return Token(at, at + len(part), json, edit)


def skip_container(
    text: str, at: int, foreign: AbstractSet[str] | None = None, schema: SchemaView = NO_SCHEMA
) -> int:
    """Return the end of the JSON container at an offset; 0 if there is none.

    If it has a member of those around it, whose names are `foreign`, a closer is missing; so it is
    if an object in it has one that only the object around that may have, as its `schema` shows.

    >>> skip_container('{"a": [1, {}]}}', 0), skip_container('{"a": 1}', 0, {"a"})
    (14, 0)
    """
    closer = BRACKETS.get(text[at])
    # to parse each of nested containers that nothing closes takes their square
    if closer is None or text.find(closer, at) < 0:
        return 0
    try:
        value, end = LAX.raw_decode(text, at)
    except (ValueError, RecursionError):
        return 0
    if foreign is not None and (_has_any(value, foreign) or _has_misplaced(value, schema)):
        return 0
    return end


_NEXT_CONTAINER: Final = regex(r"[ \t\n\r]*,[ \t\n\r]*(?=[{\[])")


def skip_items(text: str, end: int) -> int:
    """Return the end of the last JSON container that follows an item, each after a comma.

    >>> skip_items('{"a": 1}, {"a": 2}, {"a": 3 ]', 8)
    18
    """
    while gap := _NEXT_CONTAINER.match(text, end):
        after = skip_container(text, gap.end())
        if not after or KEY_AFTER_ITEM.match(text, after):
            return end
        end = after
    return end


def _has_any(value: Any, names: AbstractSet[str]) -> bool:
    """Return whether any object in a value has one of some keys."""
    if isinstance(value, dict):
        if not names.isdisjoint(value):
            return True
        value = value.values()
    return any(isinstance(inner, (dict, list)) and _has_any(inner, names) for inner in value)


def _has_misplaced(value: Any, schema: SchemaView) -> bool:
    """Return whether an object in a value has a member that only the object around it may have."""
    if isinstance(value, list):
        item = schema.item()
        return any(_has_misplaced(inner, item) for inner in value)
    if not isinstance(value, dict):
        return False
    for name, inner in value.items():
        if not isinstance(inner, (dict, list)):  # to ask for its schema takes longer
            continue
        view = schema.member(name)
        if isinstance(inner, dict) and view.is_closed():
            misplaced = inner.keys() & schema.names()
            if not misplaced <= view.names():
                return True
        if _has_misplaced(inner, view):
            return True
    return False
