"""Parts of a text that are in no doubt, and are passed over as a whole.

A string is in no doubt where a comma and a key follow it in an object, or a comma in an array. So
these patterns take members and items only as long as another is seen behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set as AbstractSet
from typing import Any, Final

from schema2model.text.exact import LAX
from schema2model.text.repair.edits import Edit, Token

__all__ = ["container", "items", "members", "plain_token"]

_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
_GAP: Final = r"[ \t\n\r]*"
_COMMA: Final = rf"{_GAP},{_GAP}"
_KEY: Final = r'"[^"\\\n]{0,120}"'
_DOUBLE: Final = r'"[^"\\]*"'
_ESCAPED: Final = r'"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)+"'
_SINGLE_KEY: Final = r"'[^'\\\"\n]{0,120}'"
_SINGLE: Final = r"'[^'\\\"]*'"
_SCALAR: Final = rf"(?:{_DOUBLE}|{_NUMBER}|true|false|null)"
_PYTHON: Final = rf"(?:{_SINGLE}|{_NUMBER}|True|False|None)"


def _or_flat(scalar: str) -> str:
    """A scalar, or a short array of them."""
    return rf"(?:{scalar}|\[{_GAP}(?:{scalar}(?:{_COMMA}{scalar}){{0,15}}{_GAP})?\])"


def _many(part: str, behind: str) -> Callable[[str, int], re.Match[str] | None]:
    """As many parts as there are with something behind them, in linear time.

    A part begins with what has to be behind another, so that only the last one can lack it.
    """
    return re.compile(rf"{part}(?:{_COMMA}{part})*(?={_COMMA}{behind})").match


_ITEMS: Final = _many(_SCALAR, r'(?:["\d{\[-]|(?:true|false|null)\b)')
_MEMBERS: Final = _many(
    rf"{_KEY}{_GAP}:{_GAP}(?:{_or_flat(_SCALAR)}|{_ESCAPED})", rf"{_KEY}{_GAP}:"
)
_PYTHON_ITEMS: Final = _many(_PYTHON, r"(?:['\d{\[-]|(?:True|False|None)\b)")
_PYTHON_MEMBERS: Final = _many(
    rf"{_SINGLE_KEY}{_GAP}:{_GAP}{_or_flat(_PYTHON)}", rf"{_SINGLE_KEY}{_GAP}:"
)
_TO_RESPELL: Final = re.compile("'[^']*'|True|False|None")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def items(text: str, at: int) -> tuple[int, str] | None:
    """The end of the scalars that stand in an array at a character, and their JSON.

    >>> items('"a", 1, ["b"]]', 0), items("'a', None, 'b']", 0)
    ((6, '"a", 1'), (9, '"a", null'))
    """
    if match := _ITEMS(text, at):
        return match.end(), match[0]
    return _respelled(_PYTHON_ITEMS(text, at))


def members(text: str, at: int) -> tuple[int, str] | None:
    """The end of the members that stand in an object at a character, and their JSON.

    >>> members('"a": 1, "b": true, "c": "x"}', 0)
    (17, '"a": 1, "b": true')
    """
    if match := _MEMBERS(text, at):
        return match.end(), match[0]
    return _respelled(_PYTHON_MEMBERS(text, at))


def plain_token(text: str, at: int, end: int, json: str, lead: str) -> Token:
    """The token of a part that is passed over, behind the JSON that leads to it."""
    edit = None if json == text[at:end] else Edit("read", "' as a quote", at)
    return Token(at, end, lead + json, edit)


def _respelled(match: re.Match[str] | None) -> tuple[int, str] | None:
    return match and (match.end(), _TO_RESPELL.sub(_in_json, match[0]))


def _in_json(match: re.Match[str]) -> str:
    return _WORDS.get(match[0]) or f'"{match[0][1:-1]}"'


def container(text: str, at: int, strangers: AbstractSet[str] | None = None) -> int:
    """The end of the JSON container that stands at a character; 0 if it is none.

    Args:
        text: that holds it.
        at: where it begins.
        strangers: names of the members around it, which should not stand in it, if the brackets
            of the text show that a closer is missing.

    >>> container('{"a": [1, {}]}}', 0), container('{"a": [1}', 0), container('{"a": 1}', 0, {"a"})
    (14, 0, 0)

    """
    try:
        value, end = LAX.raw_decode(text, at)
    except (ValueError, RecursionError):
        return 0
    return 0 if strangers is not None and _has_any(value, strangers) else end


def _has_any(value: Any, names: AbstractSet[str]) -> bool:
    """Whether any object in a value has a member of one of some names."""
    if isinstance(value, dict):
        if not names.isdisjoint(value):
            return True
        value = value.values()
    return any(isinstance(inner, (dict, list)) and _has_any(inner, names) for inner in value)
