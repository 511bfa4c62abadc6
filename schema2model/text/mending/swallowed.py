"""What the strings of a reading may have swallowed, if they keep a quote: more of the call.

A string that keeps a quote goes on behind a character that could have ended it. If what follows
there looks like another member, or another string, nobody can know.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from schema2model.text.mending.edits import Token

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


def may_be_swallowed(text: str, tokens: list[Token], names: Collection[str]) -> bool:
    """Whether a string that keeps a quote seems to hold a member of one of some names, or a string.

    >>> from schema2model.text.mending.edits import Edit
    >>> text = '{"a": "x", "b", "y"}'
    >>> tokens = [Token(6, 19, '"..."'), Token(19, 19, "", Edit("kept", '"', 8))]
    >>> may_be_swallowed(text, tokens, {"b"}), may_be_swallowed(text, tokens, {"c"})
    (True, False)
    """
    for string in _with_kept_quotes(tokens):
        start, end = string.start + 1, string.end
        pattern = _STRING.get(text[string.start])
        if pattern is not None and pattern.search(text, start, end):
            return True
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
