"""Quotations: a line, or code in a sentence, within which no call is the model's own."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from schema2model.regexes import regex

__all__ = ["is_in_value", "is_mention", "quotation_end"]

_WORD: Final = regex(r"[^\W\d_]|\|")
_MARK: Final = regex(r"[<\[][^<>\[\]\n]*[>\]]")
_LOOK_BACK: Final = 2_000
"""Maximum characters of a line that are searched for the beginning of a quotation."""
_QUOTED_LINE: Final = regex(r"[ \t]*(?:>(?!>)|\|[ \t])")
_CLOSES: Final = {"“": "”", "「": "」", "「始": "末」?"}
_QUOTES: Final = {"`": "`", '"': '"', "“": "”", "«": "»", "‘": "’"}


def quotation_end(text: str, start: int, since: int) -> int:
    """The offset after the quotation that begins before `start`, but after `since`; 0 if none does.

    It is a quoted line, or code in a sentence, with words before it.

    >>> text = "Write `f(1)` for it."
    >>> quotation_end(text, text.index("f"), 0) == text.index(" for")
    True
    """
    begins = max(text.rfind("\n", 0, start) + 1, since, start - _LOOK_BACK)
    line = text[begins:start]
    if not line.strip():
        return 0
    if (begins == 0 or text[begins - 1] == "\n") and _QUOTED_LINE.match(line):
        return _line_end(text, start)
    for opens, closes in _QUOTES.items():
        at = line.rfind(opens)
        if at < 0 or (line.count(opens) % 2 == 0 if opens == closes else closes in line[at:]):
            continue
        before = line[:at].rstrip()
        if line[at - 1 : at].isalnum():
            continue  # it closes something
        if _WORD.search(before) and "```" not in line:
            return _line_end(text, start, closes)
    return 0


def is_mention(text: str, start: int, end: int, since: int) -> bool:
    """Return whether a block without arguments has words before and after it on its line."""
    before = _MARK.sub("", text[max(text.rfind("\n", 0, start) + 1, since) : start])
    after = _MARK.sub("", text[end : _line_end(text, end)])
    has_words = _WORD.search(before) and _WORD.search(after)
    return bool(has_words) and not before.rstrip().endswith(":")


def is_in_value(text: str, start: int, since: int, keys: str) -> bool:
    """Return whether a parameter's string begins after `since` and does not end before `start`.

    `keys` is the source of a pattern of parameters: a call whose mark or name is damaged has one.

    >>> is_in_value("[wri/e(path='a <call>", 15, 0, "(?:path)")
    True
    """
    for last in [*_opening(keys).finditer(text, since, start)][-1:]:
        closes = _CLOSES.get(last[1], re.escape(last[1]))
        return re.search(closes, text[last.end() : start]) is None
    return False


@lru_cache(64)
def _opening(keys: str) -> re.Pattern[str]:
    strings = r"""["'`“「]始?|<\|"\|>|<escape>"""
    return regex(rf"""(?<![\w-]){keys}["'`]?\s{{0,9}}[:=]\s{{0,9}}({strings})""")


def _line_end(text: str, at: int, mark: str = "\n") -> int:
    """The offset after the line, or after a mark in it."""
    found = re.compile(rf"{re.escape(mark)}|\n|\Z").search(text, at)
    return found.end()  # type: ignore[union-attr]
