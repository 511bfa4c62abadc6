"""What the layout of a text tells of the strings in it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["may_be_one_string"]

_EMPTY_ITEMS: Final = re.compile(
    r"""([\[,])(\s{0,99})"",([ \t]{0,9})""(\s{0,99})(\]|,(?!\s{0,99}\]))(\s{0,99})"""
)


def may_be_one_string(text: str) -> bool:
    r"""Whether two empty items in a line may be one string whose quotes are bare: `", "`.

    So it is where a text separates them otherwise than the items beside them.

    >>> [may_be_one_string(text) for text in ('["a","", "","b"]', '[\n  "", "",\n  "b"\n]')]
    [True, True]
    >>> [may_be_one_string(text) for text in ('["a", "", "", "b"]', '["",""]')]
    [False, False]
    """
    if '"",' not in text:
        return False
    for opener, before, between, last, closer, behind in _EMPTY_ITEMS.findall(text):
        if (opener == "," and before != between) or (closer == "," and behind != between):
            return True
        if "\n" in before or "\n" in last:
            return True
    return False
