"""`BracketScanner`: finds the end of a value that is not JSON, or has arrived in part."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from typing import Final

__all__ = ["BracketScanner", "closing_quote"]


class BracketScanner:
    """Finds where a value ends that begins with a bracket or quote, whatever is inside.

    Args:
        unclosed: where brackets are that were passed before.

    >>> BracketScanner().scan('{"a": ["}"]} and more', 0, ended=True)
    (True, 12)
    >>> scanner = BracketScanner()
    >>> scanner.scan('{"key', 0, ended=False), scanner.scan('s": 1}', 0, ended=False)
    ((False, 5), (True, 6))

    """

    __slots__ = ("_quote", "unclosed")

    def __init__(self, unclosed: Iterable[int] = ()) -> None:
        self.unclosed = array("q", unclosed)
        """The offsets of open brackets."""
        self._quote = ""

    def scan(self, text: str, at: int, *, ended: bool, offset: int = 0) -> tuple[bool, int]:
        """Read on from `at`: whether the value ends, and where it does or how far it was read.

        `offset` is where the text begins, for the places of brackets.
        """
        unclosed = self.unclosed
        while True:
            if self._quote:
                closed, at = self._string(text, at, ended=ended)
                if not closed or not unclosed:
                    return closed, at
            if unclosed:
                at = _PLAIN.match(text, at).end()  # type: ignore[union-attr]
            found = _NEXT.search(text, at)
            if not found:
                return False, len(text)
            mark, at = found[0], found.end()
            if mark[0] in "[{(":
                unclosed.extend(range(offset + found.start(), offset + at))
            elif mark not in "\"'":
                if len(unclosed) <= len(mark):
                    return True, found.start() + max(len(unclosed), 1)
                del unclosed[-len(mark) :]
            elif not ended and len(text) - at < _LONGEST:
                return False, at - 1
            elif mark == '"' or _opens(text, at - 1):
                triple = text.startswith(mark + mark, at)
                self._quote = mark * 3 if triple else mark
                at += 2 * triple

    def _string(self, text: str, at: int, *, ended: bool) -> tuple[bool, int]:
        """Read on in a string: whether it ends, and where it does or how far it was read."""
        quote = self._quote
        found = closing_quote(text, at, quote)
        if found >= 0:
            decided = ended or len(text) - found >= _NEEDED[quote]
            self._quote = "" if decided else quote
            return decided, found + len(quote) if decided else found
        end = max(at, len(text) - len(quote) + 1)
        return False, end - _backslashes(text, at, end) % 2


def closing_quote(text: str, at: int, quote: str) -> int:
    r"""The offset of the quote that ends a string, whose content begins at `at`; -1 without one.

    >>> closing_quote(r"it's \' here'", 0, "'"), closing_quote("'", 1, "'")
    (12, -1)
    """
    while (found := text.find(quote, at)) >= 0:
        escaped = text[found - 1] == "\\" and _backslashes(text, at, found) % 2 == 1
        if not (escaped or (quote == "'" and _within(text, found))):
            return found
        at = found + 1
    return -1


def _backslashes(text: str, at: int, end: int) -> int:
    """The number of backslashes before `end`, from `at` on."""
    part = text[at:end]
    return len(part) - len(part.rstrip("\\"))


_PLAIN: Final = re.compile(
    r"""(?:[^"'\[{(\])}]+|"[^"\\]*"(?=[^"])|(?<=[\[{(,:=\ \t\n\r])'[^'\\]*'(?=[^\w']))*""",
    re.VERBOSE,
)
"""Text without brackets, and whole strings without escapes."""
_NEXT: Final = re.compile(r"""["']|[\[{(]+|[\])}]+""")
_NEEDED: Final = {'"': 1, "'": 2, '"""': 4, "'''": 4}
"""Characters from a quote on that decide whether it ends a string."""
_LONGEST: Final = 2
"""Characters after a quote that decide whether there are three."""


def _opens(text: str, at: int) -> bool:
    """Return whether an apostrophe is where a string may begin."""
    before = text[at - 1] if at else " "
    if before in "rRuUbBfF":
        before = text[at - 2] if at > 1 else " "
    return before in "[{(,:= \t\n\r"


def _within(text: str, at: int) -> bool:
    """Return whether an apostrophe is between two letters of a word."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalpha()
