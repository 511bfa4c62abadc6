"""`TextSource`: text that arrives, read once from its beginning to its end.

What reads from it are generators: they yield None when they need more text than there is, and go
on when it has come. So each format is written once, for text that is all there and for text that
streams, and how the text is cut into pieces changes nothing.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_right
from collections.abc import Generator
from typing import Any, Final, TypeVar

__all__ = ["CONTEXT", "HEADER", "IN_LINE", "Nest", "Steps", "TextSource"]

T = TypeVar("T")
Steps = Generator[Any, None, T]
"""Reads, yields None where more text is needed, and returns what it read."""

CONTEXT: Final = 320
"""Characters before the place of reading that can still be looked back at."""
HEADER: Final = 400
"""Characters that the beginning of a call takes at most, up to its arguments."""

_DECODER: Final = json.JSONDecoder(strict=False)
_BLANKS: Final = re.compile(r"\s*")
IN_LINE: Final = re.compile(r"[ \t]*")
"""Blanks, but no line break."""
_VAIN: Final = 1_000_000
"""Characters that the standard parser may read in vain; it is not asked again behind them."""
_FAILURE: Final = 10_000
"""What else a failure of it costs: its errors count all lines before them."""
_PATIENCE: Final = 8
"""How often, on average, each character may be read again after a beginning that was none."""
_AGAIN: Final = 4_000_000
"""Characters that are read again at most."""


class TextSource:
    """Text that arrives, and the place where reading stands.

    Positions are offsets in the whole text. Only a window of it is kept, and the pieces before
    that from a mark on, so that every character is copied a fixed number of times.
    """

    __slots__ = (
        "_mark",
        "_pieces",
        "_starts",
        "_vain",
        "at",
        "ended",
        "looked",
        "offset",
        "text",
    )

    def __init__(self, text: str = "", *, ended: bool = False) -> None:
        self.text = text
        """The window."""
        self.offset = 0
        """Where the window begins."""
        self.at = 0
        """Where reading stands, in the window."""
        self.ended = ended
        """Whether no more text will come."""
        self.looked = 0
        """Characters that were given back to be read again."""
        self._vain = 0
        self._mark = -1
        self._pieces: list[str] = []
        self._starts: list[int] = []

    @property
    def place(self) -> int:
        """Where reading stands, in the whole text."""
        return self.offset + self.at

    def push(self, chunk: str) -> None:
        """Add the next piece of the text."""
        cut = max(self.at - CONTEXT, 0)
        if cut:
            if self._mark >= 0:
                first = max(self._mark - self.offset, 0)
                if first < cut:
                    self._pieces.append(self.text[first:cut])
                    self._starts.append(self.offset + first)
            self.text = self.text[cut:] + chunk
            self.offset += cut
            self.at -= cut
        else:
            self.text += chunk

    # ------------------------------------------------------------------------------- keeping
    def keep(self, place: int) -> None:
        """Keep the text from a place on, which is kept or in the window, until `release`."""
        if place < self.offset:
            self.text = self.slice(place, self.offset) + self.text
            self.at += self.offset - place
            self.offset = place
        self.release()
        self._mark = place

    def release(self) -> None:
        """No longer keep what is passed."""
        self._mark = -1
        self._pieces.clear()
        self._starts.clear()

    def slice(self, start: int, end: int) -> str:
        """A part of the text that is kept or in the window."""
        if start >= self.offset:
            return self.text[start - self.offset : end - self.offset]
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end)
        parts = self._pieces[first:last]
        parts[0] = parts[0][start - self._starts[first] :]
        if end > self.offset:
            parts.append(self.text[: end - self.offset])
        return "".join(parts)[: end - start]

    def again(self, place: int) -> bool:
        """Go back to a place that is kept; False, and stay, where too much was read again."""
        back = self.place - place
        if self.looked + back > min(_PATIENCE * self.place + 100_000, _AGAIN):
            return False
        self.looked += back
        if place < self.offset:
            self.text = self.slice(place, self.offset) + self.text
            while self._starts and self._starts[-1] >= place:
                del self._starts[-1], self._pieces[-1]
            if self._starts:
                self._pieces[-1] = self._pieces[-1][: place - self._starts[-1]]
            self.offset = place
        self.at = place - self.offset
        return True

    # ------------------------------------------------------------------------------- reading
    def blanks(self, blank: re.Pattern[str] = _BLANKS) -> Steps[str]:
        """Pass blanks; the character behind them, or none at the end."""
        while True:
            self.at = blank.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""
            yield

    def ahead(self, count: int) -> Steps[None]:
        """Have so many characters at hand, or the rest."""
        while len(self.text) - self.at < count and not self.ended:
            yield

    def header(
        self, pattern: re.Pattern[str], begun: re.Pattern[str]
    ) -> Steps[re.Match[str] | None]:
        """Match a pattern here that takes no more than `HEADER` characters; pass what it takes.

        `begun` matches what may become a match when there is more text.
        """
        while True:
            found = pattern.match(self.text, self.at)
            if found:
                self.at = found.end()
                return found
            if self.ended or len(self.text) - self.at >= HEADER:
                return None
            if not begun.match(self.text, self.at):
                return None
            yield

    def find(self, pattern: re.Pattern[str], longest: int) -> Steps[re.Match[str] | None]:
        """The next match of a pattern that takes no more than so many characters; pass it.

        Without one, all of the text is passed.
        """
        while True:
            found = pattern.search(self.text, self.at)
            if found:
                self.at = found.end()
                return found
            if self.ended:
                self.at = len(self.text)
                return None
            self.at = max(self.at, len(self.text) - longest + 1)
            yield

    def value(self, longest: int = sys.maxsize) -> Steps[bool]:
        """Pass a value that begins with a bracket or quote; False if the text ends before.

        Or if it is longer than so many characters.
        """
        start = self.place
        if self._vain < _VAIN:
            try:
                self.at = _DECODER.raw_decode(self.text, self.at)[1]
            except json.JSONDecodeError as error:  # no JSON, or not all of it
                self._vain += error.pos - self.at + _FAILURE
            except (ValueError, RecursionError):
                self._vain += len(self.text) - self.at + _FAILURE
            else:
                return self.place - start <= longest
        return (yield from self.nested(Nest(), longest))

    def nested(self, nest: Nest, longest: int = sys.maxsize) -> Steps[bool]:
        """Pass text up to where `nest` ends; False if the text ends before, or it is too long."""
        start = self.place
        while True:
            closed, self.at = nest.scan(self.text, self.at, ended=self.ended)
            if self.place - start > longest:
                return False
            if closed or self.ended:
                return closed
            yield


class Nest:
    """Finds where a value ends that begins with a bracket or quote, whatever is inside.

    >>> Nest().scan('{"a": ["}"]} and more', 0, ended=True)
    (True, 12)
    >>> nest = Nest()
    >>> nest.scan('{"key', 0, ended=False), nest.scan('s": 1}', 0, ended=False)
    ((False, 5), (True, 6))
    """

    __slots__ = ("_depth", "_quote")

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._quote = ""

    def scan(self, text: str, at: int, *, ended: bool) -> tuple[bool, int]:
        """Read on from `at`: whether the value ends, and where it does or how far it was read."""
        while True:
            if self._quote:
                closed, at = self._string(text, at, ended=ended)
                if not closed or not self._depth:
                    return closed, at
            found = _NEXT.search(text, at)
            if not found:
                return False, len(text)
            mark, at = found[0], found.end()
            if mark[0] in "[{(":
                self._depth += len(mark)
            elif mark not in "\"'":
                self._depth -= len(mark)
                if self._depth <= 0:
                    return True, at + max(self._depth, 1 - len(mark))
            elif not ended and len(text) - at < _LONGEST:
                return False, at - 1
            elif mark == '"' or _opens(text, at - 1):
                triple = text.startswith(mark + mark, at)
                self._quote = mark * 3 if triple else mark
                at += 2 * triple

    def _string(self, text: str, at: int, *, ended: bool) -> tuple[bool, int]:
        """Read on in a string: whether it ends, and where it does or how far it was read."""
        quote = self._quote
        inside = _INSIDE[quote[0]]
        needed = 1 if quote == '"' else len(quote) + 1  # to say what a quote is
        while True:
            at = inside.match(text, at).end()  # type: ignore[union-attr]
            if at == len(text) or (not ended and len(text) - at < needed):
                return False, at
            if text[at] == "\\":
                if at + 1 == len(text):
                    return False, at
                at += 2
            elif text.startswith(quote, at) and not (quote == "'" and _within(text, at)):
                self._quote = ""
                return True, at + len(quote)
            else:
                at += 1


_NEXT: Final = re.compile(r"""["']|[\[{(]+|[\])}]+""")
_INSIDE: Final = {
    quote: re.compile(rf"[^{quote}\\]*(?:\\.[^{quote}\\]*){{0,99}}", re.DOTALL) for quote in "\"'"
}
_LONGEST: Final = 2
"""Characters behind a quote that say whether there are three."""


def _opens(text: str, at: int) -> bool:
    """Whether an apostrophe stands where a string may begin."""
    before = text[at - 1] if at else " "
    if before in "rRuUbBfF":
        before = text[at - 2] if at > 1 else " "
    return before in "[{(,:= \t\n\r"


def _within(text: str, at: int) -> bool:
    """Whether an apostrophe stands between two letters of a word."""
    return text[at - 1].isalnum() and text[at + 1 : at + 2].isalpha()
