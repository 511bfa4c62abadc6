"""What the strings of a reading may have swallowed, if they keep a quote: more of the call.

A string that keeps a quote goes on behind a character that could have ended it. If what follows
there looks like another member, or another string, nobody can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from schema2model.text.repair.edits import Token, keeps_quote
from schema2model.text.schema_view import TextPlace

__all__ = ["may_be_swallowed"]

_QUOTE: Final = "[\"'\u201c\u201d]"
_NAME: Final = rf"{_QUOTE}? ([\w$-]{{1,80}}) {_QUOTE}? \s{{0,9}}"
_MEMBER_BEHIND: Final = re.compile(
    rf"""
    (?: {_QUOTE} \s{{0,9}} (?: [,;:] \s{{0,9}} {_NAME} [:=,]? | {_NAME} [:=] )
      | [,;] \s{{0,9}} {_NAME} [:=] ) \s{{0,9}} ["'\w{{\[-]
    """,
    re.VERBOSE,
)
"""A name and what may be its value, behind a quote that may close a string, or a comma."""
_STRING_BEHIND: Final = re.compile(r"""(["'])[ \t]{1,9}\1""")
"""A quote that may close a string, and one that may open the next, as Python joins them."""


def may_be_swallowed(text: str, tokens: list[Token], value: Any, place: TextPlace) -> bool:
    """Whether a string that keeps a quote seems to hold a member that is missing, or a string.

    Where quotes are kept, two empty items side by side may be one string as well: `"", ""`.

    Args:
        text: that was read.
        tokens: that cover it.
        value: what they spell.
        place: what the schema says of it.

    """
    strings = [text[string.start : string.end - 1] for string in _with_kept_quotes(tokens)]
    if not strings:
        return False
    found = list(_containers(value, place))
    lists = (each for each, _ in found if isinstance(each, list))
    if any(pair == ("", "") for each in lists for pair in pairwise(each)):
        return True
    missing = {
        name
        for each, where in found
        if isinstance(each, dict)
        for name in where.names()
        if name not in each
    }
    return any(_holds_string(string) or _holds_member(string, missing) for string in strings)


def _with_kept_quotes(tokens: list[Token]) -> Iterator[Token]:
    """The strings that keep a quote: the edits that tell it stand behind them."""
    string = None
    for token in tokens:
        start, end, _, edit = token
        if start < end:
            string = token
        elif string is not None and edit is not None and keeps_quote(edit):
            yield string
            string = None


def _containers(value: Any, place: TextPlace) -> Iterator[tuple[Any, TextPlace]]:
    """The containers in a value, and what the schema says of each."""
    if isinstance(value, dict):
        yield value, place
        for name, member in value.items():
            yield from _containers(member, place.member(name))
    elif isinstance(value, list):
        yield value, place
        for member in value:
            yield from _containers(member, place.item())


def _holds_string(string: str) -> bool:
    """Whether a string may end behind its opener, and be joined to the next one."""
    opener = string[0]
    found = _STRING_BEHIND.finditer(string, 1)
    return any(each[1] == opener and _may_close(string, each.start()) for each in found)


def _holds_member(string: str, names: set[str]) -> bool:
    """Whether a string may end before a member of one of some names."""
    for found in _MEMBER_BEHIND.finditer(string, 1):
        at = found.start()
        if not names.isdisjoint(found.groups()) and (string[at] in ",;" or _may_close(string, at)):
            return True
    return False


def _may_close(string: str, at: int) -> bool:
    """Whether a quote may close a string: those before it in it are pairs."""
    return string.count(string[at], 1, at) % 2 == 0
