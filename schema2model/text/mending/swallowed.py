"""What the strings of a reading may have swallowed, if they keep a quote: more of the call.

A string that keeps a quote goes on behind a character that could have ended it. If what follows
there looks like another member, or another string, nobody can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from schema2model.text.mending.edits import Token
from schema2model.text.places import TextPlace

__all__ = ["may_be_swallowed"]

_QUOTE: Final = "[\"'\u201c\u201d]"
_MEMBER: Final = re.compile(
    rf"""
    (?: (?<= [^\s(\[{{=,:"'] ) {_QUOTE} \s{{0,9}} [,;:]? \s{{0,9}}
        {_QUOTE}? ([\w$-]{{1,80}}) {_QUOTE}? \s{{0,9}} [:=,]?
      | [,;] \s{{0,9}} {_QUOTE}? ([\w$-]{{1,80}}) {_QUOTE}? \s{{0,9}} [:=] ) \s{{0,9}}
    ["'\w{{\[-]
    """,
    re.VERBOSE,
)
"""A quote that may close a string, and a name, or a comma, a name and a colon; and any value."""
_STRING: Final = {
    '"': re.compile(r"""[^\s(\[{=,:]"[ \t]{1,9}"\w"""),
    "'": re.compile(r"""'[ \t]{1,9}'"""),
}
"""A quote that may close a string, and one that may open the next, as Python joins them."""


def may_be_swallowed(text: str, tokens: list[Token], value: Any, place: TextPlace) -> bool:
    """Whether a string that keeps a quote seems to hold a member that is missing, or a string.

    Args:
        text: that was read.
        tokens: that cover it.
        value: what they spell.
        place: what the schema says of it.

    """
    names: set[str] | None = None
    for string in _with_kept_quotes(tokens):
        start, end = string.start + 1, string.end
        pattern = _STRING.get(text[string.start])
        if pattern is not None and pattern.search(text, start, end):
            return True
        if names is None:
            names = _missing(value, place)
        if any((found[1] or found[2]) in names for found in _MEMBER.finditer(text, start, end)):
            return True
    return False


def _with_kept_quotes(tokens: list[Token]) -> Iterator[Token]:
    """The strings that keep a quote: the edits that tell it stand behind them."""
    string, is_found = None, False
    for token in tokens:
        if token.start < token.end:
            string, is_found = token, False
        elif string is not None and not is_found and token.edit is not None:
            is_found = token.edit.action == "kept" and token.edit.what != "\\"
            if is_found:
                yield string


def _missing(value: Any, place: TextPlace) -> set[str]:
    """The declared names that no object in a value has, though some object may have them."""
    missing: set[str] = set()
    found = [(value, place)]
    for inner, where in found:
        if isinstance(inner, dict):
            missing.update(name for name in where.names() if name not in inner)
            found += [(member, where.member(name)) for name, member in inner.items()]
        elif isinstance(inner, list):
            found += [(member, where.item()) for member in inner]
    return missing
