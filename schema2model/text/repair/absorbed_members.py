"""Members and strings that a string may have absorbed, because it keeps a quote.

A string that keeps a quote continues where it could have ended. If the text after the quote looks
like another member or another string, nobody can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from schema2model.text.repair.edits import Token, keeps_quote
from schema2model.text.schema_view import SchemaView

__all__ = ["may_absorb_members", "may_be_one_string"]

_QUOTE: Final = "[\"'\u201c\u201d]"
_NAME: Final = rf"{_QUOTE}? ([\w$-]{{1,80}}) {_QUOTE}? \s{{0,9}}"
_MEMBER_AFTER_QUOTE: Final = re.compile(
    rf"""
    (?: {_QUOTE} \s{{0,9}} (?: [,;:] \s{{0,9}} {_NAME} [:=,]? | {_NAME} [:=] )
      | [,;] \s{{0,9}} {_NAME} [:=] ) \s{{0,9}} ["'\w{{\[-]
    """,
    re.VERBOSE,
)
"""A name and a possible value, after a comma or a quote that may close a string."""
_STRING_AFTER_QUOTE: Final = re.compile(r"""(["'])[ \t]{1,9}\1""")
"""A quote that may close a string, and one that may open the next: Python joins such strings."""


def may_absorb_members(text: str, tokens: list[Token], value: Any, schema: SchemaView) -> bool:
    """Return whether a string with kept quotes may hold a missing member, or another string.

    If quotes are kept, two adjacent empty items `"", ""` may be one string, too.

    Args:
        text: the whole text.
        tokens: the tokens of a reading.
        value: their value.
        schema: the schema of the value.

    """
    strings = [text[string.start : string.end - 1] for string in _with_kept_quotes(tokens)]
    if not strings:
        return False
    containers = list(_containers(value, schema))
    lists = (each for each, _ in containers if isinstance(each, list))
    if any(pair == ("", "") for each in lists for pair in pairwise(each)):
        return True
    missing = {
        name
        for each, its_schema in containers
        if isinstance(each, dict)
        for name in its_schema.names()
        if name not in each
    }
    return any(_holds_string(string) or _holds_member(string, missing) for string in strings)


def _with_kept_quotes(tokens: list[Token]) -> Iterator[Token]:
    """Yield the strings that keep a quote: tokens with these edits follow them."""
    string = None
    for token in tokens:
        start, end, _, edit = token
        if start < end:
            string = token
        elif string is not None and edit is not None and keeps_quote(edit):
            yield string
            string = None


def _containers(value: Any, schema: SchemaView) -> Iterator[tuple[Any, SchemaView]]:
    """Yield the containers in a value, each with its schema."""
    if isinstance(value, dict):
        yield value, schema
        for name, member in value.items():
            yield from _containers(member, schema.member(name))
    elif isinstance(value, list):
        yield value, schema
        for member in value:
            yield from _containers(member, schema.item())


def _holds_string(string: str) -> bool:
    """Return whether a string may be two strings that Python joins."""
    opener = string[0]
    found = _STRING_AFTER_QUOTE.finditer(string, 1)
    return any(each[1] == opener and _may_close(string, each.start()) for each in found)


def _holds_member(string: str, names: set[str]) -> bool:
    """Return whether a string may end before a member with one of some names."""
    for found in _MEMBER_AFTER_QUOTE.finditer(string, 1):
        at = found.start()
        if not names.isdisjoint(found.groups()) and (string[at] in ",;" or _may_close(string, at)):
            return True
    return False


def _may_close(string: str, at: int) -> bool:
    """Return whether a quote may close a string: the quotes before it are pairs."""
    return string.count(string[at], 1, at) % 2 == 0


_EMPTY_ITEMS: Final = re.compile(
    r"""([\[,])(\s{0,99})"",([ \t]{0,9})""(\s{0,99})(\]|,(?!\s{0,99}\]))(\s{0,99})"""
)


def may_be_one_string(text: str) -> bool:
    r"""Return whether two empty items in a line may be one string with bare quotes: `", "`.

    They may be if the text separates them otherwise than the items next to them.

    >>> [may_be_one_string(text) for text in ('["a","", "","b"]', '[\n  "", "",\n  "b"\n]')]
    [True, True]
    >>> [may_be_one_string(text) for text in ('["a", "", "", "b"]', '["",""]')]
    [False, False]
    """
    if '"",' not in text:
        return False
    for opener, before, between, last, closer, after in _EMPTY_ITEMS.findall(text):
        if (opener == "," and before != between) or (closer == "," and after != between):
            return True
        if "\n" in before or "\n" in last:
            return True
    return False
