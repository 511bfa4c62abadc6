"""Literals of Python and JavaScript, translated to JSON in one pass.

This grammar is exact: text that needs an edit, or a string with several possible ends, is for
`repair`.
"""

from __future__ import annotations

import re
from typing import Final

from schema2model.limits import MAX_DEPTH
from schema2model.regexes import regex
from schema2model.text.repair.edits import RESPELLED_RUN, Edit, Token
from schema2model.text.repair.scalar_spelling import single_quoted

__all__ = ["literal"]

_SIGN: Final = re.compile(
    r"['(]|dict\(|True\b|False\b|None\b|[^\W\d][\w$-]*[ \t\n\r]*:|,[ \t\n\r]*[}\])]"
)
"""The text of a literal where it ceases to be JSON, or from the comma before that."""
_GAP: Final = r"[ \t\n\r]*"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


def _run(scalar: str, mark: str) -> str:
    """Return the pattern of scalars and of containers of nothing else, with marks between them.

    One match for all of them takes a tenth of the time of a match for each. Brackets need not
    match: the caller checks that.
    """
    flat = rf"{_GAP} (?: {scalar} (?: {_GAP} [,:] {_GAP} {scalar} )* {_GAP} )?"
    part = rf"(?: {scalar} | [{{\[] {flat} [}}\]] )"
    return rf"{part} (?: {_GAP} (?P<{mark}>[,:]) {_GAP} {part} )*"


_JSON: Final = rf"""(?: "[^"\\\n]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}})[^"\\\n]*)*"
                   | {_NUMBER} | true | false | null )"""
_PYTHON: Final = rf"""(?: '[^'"\\\n]*'
                     | {_NUMBER} | True | False | None | true | false | null )"""
"""A scalar that is JSON as soon as its quotes, or its constant, are."""
_PART: Final = regex(
    rf"""
    {_GAP}
    (?: (?: (?P<python> (?= [{{\[]? {_GAP} ') {_run(_PYTHON, "sign")} )
          | (?P<json> {_run(_JSON, "mark")} )
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
"""A token, with what has to follow it."""


def literal(text: str, start: int, stop: int) -> list[Token] | None:
    """Return the tokens of the literal from an offset to the end; None if there is none.

    `stop` is where it ceases to be JSON. The caller has to check that the tokens spell JSON.

    >>> [token.json for token in literal("dict(a='x', b=(1, None))", 0, 0)]
    ['{', '"a":', '"x"', ',', '"b":', '[', '1', ',', 'null', ']', '}']
    >>> [token.json for token in literal("{a: [1,],}", 0, 1)]
    ['{', '"a"', ':', '[', '1', '', ']', '', '}']
    >>> literal("{'a': 'it's'}", 0, 1), literal('{"a": [1}', 0, 8)
    (None, None)
    """
    if not _SIGN.match(text, stop) and not _SIGN.match(text, text.rfind(",", start, stop + 1)):
        return None
    tokens: list[Token] = []
    opened = [""]
    end = start
    while match := _PART.match(text, end):
        kind = match.lastgroup or ""
        at, end = match.span(kind)
        part = match[kind]
        if opened[-1] == "(" and (kind in {"comma", "extra"} or match["mark"] or match["sign"]):
            opened[-1] = _TUPLE
        json = _translated(kind, part, opened)
        if json is None:
            return None
        edit = None
        if kind == "python":
            edit = Edit(RESPELLED_RUN, part, at)
        elif json != part and kind != "closer":
            action, what = _EDITS.get(kind) or ("read", f"{part} as {json}")
            edit = Edit(action, what, at)
        tokens.append(Token(at, end, json, edit))
        if kind == "opener":
            opened.append(part)
            if len(opened) - 1 > MAX_DEPTH:
                return None
    return None if len(opened) > 1 or text[end:].strip() else tokens


def _translated(kind: str, part: str, opened: list[str]) -> str | None:
    """Return the JSON of a token inside some brackets; None if it is not exact."""
    if kind == "python":
        return _respelled(part)
    if kind == "single":
        return single_quoted(part[1:-1]) or None
    if kind == "closer":  # None for another one, or for that of a group without a comma
        return _CLOSERS.get((opened.pop(), part))
    if kind == "bare":
        return f'"{part}"' if opened[-1] == "{" else None
    if kind == "keyword":
        return f'"{part[:-1].rstrip()}":' if opened[-1] == "dict(" else None
    return "" if kind == "extra" else _RESPELLED.get(part, part)


def _respelled(part: str) -> str:
    """Return the JSON of a run of Python's scalars.

    >>> _respelled("{'a': True, 'True': 1}")
    '{"a": true, "True": 1}'
    """
    texts = part.split("'")  # each second one was in quotes
    if "True" in part or "None" in part or "False" in part:
        for index in range(2, len(texts), 2):
            between = texts[index]
            if len(between) > _MARKS:
                for constant in ("True", "False", "None"):
                    between = between.replace(constant, _RESPELLED[constant])
                texts[index] = between
    return '"'.join(texts)


_MARKS: Final = 3
"""Characters between strings that have no room for a constant."""
_TUPLE: Final = "(,"
_RESPELLED: Final = {"(": "[", "dict(": "{", "True": "true", "False": "false", "None": "null"}
_CLOSERS: Final = {("{", "}"): "}", ("[", "]"): "]", ("dict(", ")"): "}", (_TUPLE, ")"): "]"}
_EDITS: Final = {
    "extra": ("dropped", ","),
    "single": ("read", "' as a quote"),
    "keyword": ("read", "a keyword as a key"),
    "bare": ("inserted", "quotes"),
}
"""The edits of the kinds that are not described by both spellings."""
