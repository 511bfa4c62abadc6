"""Literals of Python and JavaScript, spelled as JSON in one pass: they can mean only one thing.

What has an edit that costs anything, or a string that may end at several places, is for the
mender.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from schema2model.text.repair.edits import Edit, Token
from schema2model.text.repair.scalar_spelling import BackslashError, string_body

__all__ = ["literal"]

_FIRST: Final = re.compile(
    r"""
    dict\( | [{\[(] [ \t\n\r{\[(]*
    (?: ' | True\b | False\b | None\b | "[^"\\\n]{0,120}' | [^\W\d][\w$-]{0,120}[ \t\n\r]*: )
    """,
    re.VERBOSE,
)
"""How such a literal begins: by another quote, a constant or a bare key, or with an apostrophe."""
_LAST: Final = re.compile(r",[ \t\n\r}\])]*\Z")
"""How it ends otherwise: by an extra comma."""
_NEAR: Final = 80
"""So many characters at the end are looked at."""
_GAP: Final = r"[ \t\n\r]*"
_JSON: Final = r"""(?: "[^"\\\n]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\n]*)*"
                  | -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?
                  | true | false | null )"""
_PART: Final = re.compile(
    rf"""
    {_GAP}
    (?: (?: (?P<json> {_JSON} (?: {_GAP} (?P<mark>[,:]) {_GAP} {_JSON} )* )
          | (?P<single> '[^'\\\n]*(?:\\.[^'\\\n]*)*' )
          | (?P<constant> True | False | None )
        ) (?= {_GAP} [,:}}\])] )
      | (?P<extra> , (?= {_GAP} [}}\])] ) )
      | (?P<comma> , )
      | (?P<colon> : )
      | (?P<opener> [{{\[(] | dict\( ) (?! {_GAP} , )
      | (?P<closer> [}}\])] ) (?= {_GAP} (?:[,}}\])]|\Z) )
      | (?P<keyword> [^\W\d]\w* [ \t]* =(?!=) )
      | (?P<bare> [^\W\d][\w$-]* ) (?= {_GAP} :(?!=) ) )
    """,
    re.VERBOSE,
)
"""A part, behind which what must follow it does."""


def literal(text: str, start: int) -> list[Token] | None:
    """The tokens of the container that goes from a character to the end, if it is such a literal.

    None if it is none, or if what a string in it means has to be found out. Whether the tokens
    spell JSON is still to be seen.

    >>> [token.json for token in literal("dict(a='x', b=(1, None))", 0)]
    ['{', '"a":', '"x"', ',', '"b":', '[', '1', ',', 'null', ']', '}']
    >>> [token.json for token in literal("{a: [1,],}", 0)]
    ['{', '"a"', ':', '[', '1', '', ']', '', '}']
    >>> literal("{'a': 'it's'}", 0), literal('{"a": True}', 0)
    (None, None)
    """
    if not _FIRST.match(text, start) and not _LAST.search(text, max(start, len(text) - _NEAR)):
        return None
    tokens: list[Token] = []
    opened: list[str] = []
    end = start
    while match := _PART.match(text, end):
        sort = match.lastgroup or ""
        at, end = match.span(sort)
        found = match[sort]
        if match["mark"]:
            _comma(found, opened)
        json = found if sort in _AS_IT_IS else _SPELLED[sort](found, opened)
        if json is None:
            return None
        edit = None
        if json != found and sort != "closer":
            action, what = _TOLD.get(sort) or ("read", f"{found} as {json}")
            edit = Edit(action, what, at)
        tokens.append(Token(at, end, json, edit))
    return None if opened or text[end:].strip() else tokens


def _comma(comma: str, opened: list[str]) -> str:
    if opened[-1:] == ["("]:
        opened[-1] = _TUPLE
    return comma


def _extra(comma: str, opened: list[str]) -> str:
    _comma(comma, opened)
    return ""


def _string(string: str, _opened: list[str]) -> str | None:
    """A string in single quotes, if it is in no doubt what it means."""
    body = string[1:-1]
    kept = False
    if "\\" in body or '"' in body:
        try:
            body, kept = string_body(body, "'")
        except BackslashError:
            return None
    return None if kept else f'"{body}"'


def _constant(word: str, _opened: list[str]) -> str:
    return _CONSTANTS[word]


def _opener(opener: str, opened: list[str]) -> str:
    opened.append(opener)
    return _OPENERS.get(opener, opener)


def _closer(closer: str, opened: list[str]) -> str | None:
    """A closer, if it is the one that is due; a group without a comma is no tuple."""
    opener = opened.pop() if opened else ""
    return _CLOSERS.get((opener, closer))


def _keyword(keyword: str, opened: list[str]) -> str | None:
    return f'"{keyword[:-1].rstrip()}":' if opened[-1:] == ["dict("] else None


def _bare(name: str, opened: list[str]) -> str | None:
    return f'"{name}"' if opened[-1:] == ["{"] else None


_AS_IT_IS: Final = frozenset(("json", "colon"))
_TUPLE: Final = "(,"
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
_OPENERS: Final = {"(": "[", "dict(": "{"}
_CLOSERS: Final = {("{", "}"): "}", ("[", "]"): "]", ("dict(", ")"): "}", (_TUPLE, ")"): "]"}
_SPELLED: Final[dict[str, Callable[[str, list[str]], str | None]]] = {
    "comma": _comma,
    "extra": _extra,
    "single": _string,
    "constant": _constant,
    "opener": _opener,
    "closer": _closer,
    "keyword": _keyword,
    "bare": _bare,
}
"""How JSON spells each sort of part, of which the brackets that are open tell more."""
_TOLD: Final = {
    "extra": ("dropped", ","),
    "single": ("read", "' as a quote"),
    "keyword": ("read", "a keyword as a key"),
    "bare": ("inserted", "quotes"),
}
"""How that is told, where it is not enough to tell both spellings."""
