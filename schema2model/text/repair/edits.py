"""The edits that make a text JSON, their costs, and their descriptions.

A reading of lower cost is nearer to the text. Costs are tenths of an edit, so that they add up
exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from schema2model.regexes import regex

__all__ = [
    "CLOSERS",
    "DROPPED_COMMA",
    "DROPPED_KEY",
    "JOIN",
    "RESPELLED_RUN",
    "Doubt",
    "Edit",
    "EditCost",
    "Token",
    "assemble",
    "deletion",
    "describe_edits",
    "edits_of",
    "insertion",
    "respelling",
]


class EditCost:
    """The costs of edits, in tenths of an edit."""

    EDIT: Final = 10  # one mark inserted, dropped or kept
    RESPELLED: Final = 2  # another mark for a comma or colon: `;`, `=`
    QUOTES_RESPELLED: Final = 5  # other marks for quotes
    DECODED: Final = 5  # one level of encoding undone
    ESCAPE_KEPT: Final = 3  # literal backslashes in one string
    UNDECLARED_KEY: Final = 6  # in addition, where other keys are declared
    TRUNCATED: Final = 50  # a truncated text completed
    TIE_MARGIN: Final = 4  # maximum difference between equally near readings


class Doubt:
    """The reasons why nobody can know whether the cheapest reading is right."""

    LOST_QUOTE: Final = ", since a quote seems to have lost its partner"
    ESCAPED_TWICE: Final = ", since a quote follows two backslashes"
    BACKSLASHES_KEPT: Final = ", since some of its backslashes escape nothing"
    BRACE_ELSEWHERE: Final = (
        ", since a brace is missing, and may be missing at other places as well"
    )
    SCATTERED_BRACKETS: Final = ", since brackets are missing or wrong in several places"


RESPELLED_RUN: Final = "respelled"
"""The action of one edit for many of Python's strings and constants; its `what` is their text."""
_STRING_OR_CONSTANT: Final = regex("'[^']*'|True|False|None")


class Edit(NamedTuple):
    """One edit: an action, the marks, and their offset."""

    action: str
    what: str
    at: int


class Token(NamedTuple):
    """A span of a text and its JSON, which is empty if the span is dropped.

    Only blanks and comments are between tokens.
    """

    start: int
    end: int
    json: str
    edit: Edit | None = None


def insertion(mark: str, at: int, json: str | None = None) -> Token:
    """Return the token of a mark that is missing."""
    return Token(at, at, mark if json is None else json, Edit("inserted", mark, at))


def deletion(mark: str, at: int) -> Token:
    """Return the token of a superfluous mark."""
    return Token(at, at + len(mark), "", Edit("dropped", mark, at))


def respelling(at: int, end: int, json: str, what: str) -> Token:
    """Return the token of a span in another spelling; `what` names both."""
    return Token(at, end, json, Edit("read", what, at))


CLOSERS: Final = frozenset("}])")
"""The closing brackets."""
# The JSON of tokens that change the token before them:
JOIN: Final = "+"
"""Joins the strings before and after it."""
DROPPED_COMMA: Final = "-,"
"""Drops the comma before it."""
DROPPED_KEY: Final = "-:"
"""Drops the key before it, with its colon and the comma before it."""
_DROPPED: Final = {DROPPED_COMMA: (",",), DROPPED_KEY: (":", "", ",")}
"""The part that each drops, if it is there; "" is a key."""
_MARKERS: Final = {JOIN, *_DROPPED}
_OPENED: Final = frozenset("({[")


def assemble(tokens: list[Token]) -> str:
    """Return the JSON of tokens.

    A group in parentheses with a comma is a tuple: an array in JSON.

    >>> assemble([Token(0, 1, "("), Token(1, 4, '"a"'), Token(4, 5, "+"), Token(5, 8, '"b"')])
    '("ab"'
    """
    parts = [token.json for token in tokens if token.json]
    if not _MARKERS.isdisjoint(parts):
        parts = _without_markers(parts)
    if "(" in parts:
        _replace_parentheses(parts)
    return "".join(parts)


def _without_markers(parts: list[str]) -> list[str]:
    """Join strings, and drop commas and keys."""
    result: list[str] = []
    for part in parts:
        if result and result[-1] == JOIN:
            result[-2:] = [result[-2][:-1] + part[1:]]
        elif part not in _DROPPED:
            result.append(part)
        else:
            for mark in _DROPPED[part]:
                if mark in {"", result[-1]}:
                    result.pop()
    return result


def _replace_parentheses(parts: list[str]) -> None:
    """Replace the parentheses of tuples by brackets, and remove all others."""
    opened: list[int] = []
    for index, part in enumerate(parts):
        if part in _OPENED:
            opened.append(index)
        elif part in CLOSERS:
            start = opened.pop()
            if part == ")":
                parts[start] = parts[index] = ""
            elif part == "]":
                parts[start] = "["


def edits_of(tokens: list[Token]) -> list[Edit]:
    """Return the edits of tokens."""
    return [token[3] for token in tokens if token[3]]


_NAMES: Final = {'"': "a quote", "'": "a quote", "\\": "a backslash"}
_CONTEXT: Final = 20
_MAX_DESCRIBED: Final = 20


def describe_edits(edits: list[Edit], text: str) -> Iterator[tuple[str, str]]:
    """Yield the text around each edit, and its description; equal edits are described once.

    >>> list(describe_edits([Edit("inserted", ",", 8)], '{"a": 1  "b": 2}'))
    [('{"a": 1  "b": 2}', 'inserted "," at character 8')]
    """
    kinds: dict[tuple[str, str], list[int]] = {}
    for action, mark, at in edits:
        if action == RESPELLED_RUN:
            for each in _STRING_OR_CONSTANT.finditer(mark):
                json = {"True": "true", "False": "false", "None": "null"}.get(each[0])
                what = "' as a quote" if json is None else f"{each[0]} as {json}"
                kinds.setdefault(("read", what), []).append(at + each.start())
        else:
            kinds.setdefault((action, mark), []).append(at)
    for (action, mark), (at, *others) in list(kinds.items())[:_MAX_DESCRIBED]:
        around = text[max(0, at - _CONTEXT) : at + _CONTEXT]
        what = _NAMES.get(mark) or (f'"{mark}"' if len(mark) == 1 else mark)
        words = f"{action} {what} at character {at}"
        yield around, f"{words}, and {len(others)} more" if others else words
    if len(kinds) > _MAX_DESCRIBED:
        yield "", f"and {len(kinds) - _MAX_DESCRIBED} more edits"
