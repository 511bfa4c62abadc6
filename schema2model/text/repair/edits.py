"""The edits that make a text JSON, what each costs, and how it is told.

A reading that needs fewer and cheaper edits is nearer to the text. Costs are tenths of an edit,
so that they add up exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = [
    "APOSTROPHE",
    "BACKSLASHES_KEPT",
    "BRACE_ELSEWHERE",
    "BRACKETS_APART",
    "CLOSED_TO_KEY",
    "CLOSERS",
    "CUT",
    "DROPPED_KEY",
    "EDIT",
    "ESCAPE_KEPT",
    "JOIN",
    "LOST_QUOTE",
    "MARGIN",
    "QUOTES_RESPELLED",
    "RESPELLED",
    "UNDECLARED_KEY",
    "Edit",
    "Token",
    "are_apart",
    "assembled",
    "brace_inserted",
    "bracket_edits",
    "edits_of",
    "keeps_quote",
    "told",
]

EDIT: Final = 10
"""What it costs to insert, drop or keep one mark."""
RESPELLED: Final = 2
"""What it costs to take one mark for another: `=` for a colon, `;` for a comma."""
QUOTES_RESPELLED: Final = 5
"""What it costs to take other marks for quotes."""
APOSTROPHE: Final = 2
"""What it costs to keep an apostrophe between letters in a string in single quotes."""
ESCAPE_KEPT: Final = 3
"""What it costs to keep the backslashes of a string that escape nothing."""
UNDECLARED_KEY: Final = 6
"""What a key costs besides that is not declared, where others are."""
CLOSED_TO_KEY: Final = 40
"""What it costs where no other is allowed."""
CUT: Final = 50
"""What it costs to complete a text that is cut off."""
MARGIN: Final = 4
"""Readings whose costs differ by no more are equally near."""


# Why nobody can know whether a reading is right, though it may be the nearest:
LOST_QUOTE: Final = ", since a quote seems to have lost its partner"
BACKSLASHES_KEPT: Final = ", since some of its backslashes escape nothing"
BRACE_ELSEWHERE: Final = ", since a brace is missing, and may be missing at other places as well"
BRACKETS_APART: Final = ", since brackets are missing or wrong in several places"


class Edit(NamedTuple):
    """One edit: what was done, to which marks, at which character of the text."""

    action: str
    what: str
    at: int


class Token(NamedTuple):
    """A part of a text, from one character to another, and how JSON spells it.

    Its JSON is empty where the part means nothing. Between tokens there are blanks and comments.
    """

    start: int
    end: int
    json: str
    edit: Edit | None = None


CLOSERS: Final = frozenset("}])")
"""What closes a container."""
JOIN: Final = "+"
"""The JSON of a token that joins the strings before and behind it, until they are put together."""
DROPPED_KEY: Final = "-"
"""The JSON of a token that takes the key before it with it."""
_GROUPS: Final = frozenset({"(", ",("})
_OPENED: Final = frozenset({"(", ",(", "{", ",{", "[", ",["})
_CLOSED: Final = frozenset({")", "]", "}"})


def assembled(tokens: list[Token]) -> str:
    """The JSON that tokens spell.

    A group in parentheses is a tuple, and closed by `]`, if it has a comma.

    >>> assembled([Token(0, 1, "("), Token(1, 4, '"a"'), Token(4, 5, "+"), Token(5, 8, '"b"')])
    '("ab"'
    """
    parts = [token.json for token in tokens if token.json]
    while JOIN in parts:
        join = parts.index(JOIN)
        parts[join - 1 : join + 2] = [parts[join - 1][:-1] + parts[join + 1][1:]]
    if DROPPED_KEY in parts:
        cut = parts.index(DROPPED_KEY)
        start = cut - 2 if parts[cut - 1] == ":" else cut - 1
        del parts[start : cut + 1]
    if not _GROUPS.isdisjoint(parts):
        _settle_groups(parts)
    return "".join(parts)


def _settle_groups(parts: list[str]) -> None:
    """Write tuples as arrays, and groups that are none without their parentheses."""
    opened: list[int] = []
    for index, part in enumerate(parts):
        if part in _OPENED:
            opened.append(index)
        elif part in _CLOSED:
            start = opened.pop()
            if part == ")":
                parts[start], parts[index] = parts[start][:-1], ""
            elif part == "]":
                parts[start] = parts[start].replace("(", "[")


def edits_of(tokens: list[Token]) -> list[Edit]:
    """The edits that tokens tell."""
    return [token[3] for token in tokens if token[3]]


def brace_inserted(tokens: list[Token]) -> bool:
    """Whether a brace that closes an object is not in the text."""
    return any(edit.action == "inserted" and edit.what == "}" for edit in edits_of(tokens))


_BRACKETS: Final = CLOSERS | {"{", "["}
_BRACES: Final = frozenset("{}")
_SIDE_BY_SIDE: Final = 2


def bracket_edits(edits: list[Edit]) -> list[Edit]:
    """The edits of brackets: those that are not in the text, or too often, and wrong closers."""
    return [
        edit
        for edit in edits
        if (edit.action != "read" and edit.what in _BRACKETS)
        or (edit.action == "read" and edit.what[:1] in CLOSERS)
    ]


def keeps_quote(edit: Edit) -> bool:
    """Whether an edit keeps a quote in a string."""
    return edit.action == "kept" and edit.what != "\\"


def are_apart(edits: list[Edit]) -> bool:
    """Whether brackets were mended in several places, and not everywhere in the same way.

    Closers side by side are one place: two may have been swapped. Braces that are missing are
    alike: an opener and its closer may be.
    """
    if not edits or edits[-1].at - edits[0].at <= _SIDE_BY_SIDE:
        return False
    return len({(edit.action, edit.what[0] in _BRACES) for edit in edits}) > 1


_NAMES: Final = {'"': "a quote", "'": "a quote", "\\": "a backslash"}
_AROUND: Final = 20
_MAX_TOLD: Final = 20


def told(edits: list[Edit], text: str) -> Iterator[tuple[str, str]]:
    """The text around each edit, and the edit in words; equal ones are told once.

    >>> list(told([Edit("inserted", ",", 8)], '{"a": 1  "b": 2}'))
    [('{"a": 1  "b": 2}', 'inserted "," at character 8')]
    """
    first: dict[tuple[str, str], Edit] = {}
    times: Counter[tuple[str, str]] = Counter()
    for edit in edits:
        first.setdefault(edit[:2], edit)
        times[edit[:2]] += 1
    for (action, mark), edit in list(first.items())[:_MAX_TOLD]:
        around = text[max(0, edit.at - _AROUND) : edit.at + _AROUND]
        more = times[action, mark] - 1
        what = _NAMES.get(mark) or (f'"{mark}"' if len(mark) == 1 else mark)
        words = f"{action} {what} at character {edit.at}"
        yield around, f"{words}, and {more} more" if more else words
    if len(first) > _MAX_TOLD:
        yield "", f"and {len(first) - _MAX_TOLD} more edits"
