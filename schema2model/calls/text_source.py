"""`TextSource`: text that arrives, read once from its beginning to its end.

What reads from it are generators: they yield None when they need more text than there is, and go
on when it has come. So each format is written once, for text that is all there and for text that
streams, and how the text is cut into pieces changes nothing.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from sys import maxsize
from typing import Any, Final, TypeVar

from schema2model.limits import MAX_FAILED_PARSING, MAX_REREAD_TEXT, MAX_REREADINGS

__all__ = [
    "CONTEXT",
    "HEADER",
    "IN_LINE",
    "JSON_DECODER",
    "BracketScanner",
    "Ending",
    "SpentError",
    "Steps",
    "TextSource",
    "closing_quote",
]

T = TypeVar("T")
_Match = Callable[[str, int], "re.Match[str] | None"]
Steps = Generator[Any, None, T]
"""Reads, yields None where more text is needed, and returns what it read."""

CONTEXT: Final = 320
"""Characters before the place of reading that can still be looked back at."""
HEADER: Final = 400
"""Characters that the beginning of a call takes at most, up to its arguments."""

JSON_DECODER: Final = json.JSONDecoder(strict=False)
_BLANKS: Final = re.compile(r"\s*")
IN_LINE: Final = re.compile(r"[ \t]*")
"""Blanks, but no line break."""
_REREAD_AT_ONCE: Final = 10_000
"""Characters that even a short text may be read again."""
_FAILURE: Final = 10_000
"""The cost of its failure: its errors count all lines before them."""


class SpentError(Exception):
    """More of a text was to be read again than may be."""


class TextSource:
    """Text that arrives, and the offset of the reader.

    Positions are offsets in the whole text. Patterns match in a window of it; the pieces before
    that are kept apart, so that every character is copied a fixed number of times.
    """

    offset = 0
    """The offset of the window."""
    at = 0
    """The offset of the reader in the window."""
    looked = 0
    """Characters that were given back to be read again."""
    is_exact = False
    """Whether the value that was passed last is JSON: then nothing else can be its end."""
    _furthest = 0
    _vain = 0
    awaited: tuple[Callable[[str, int], object], _Match | None, int] | None = None
    """A match that lets the reader read on: its function, that of its beginnings, its length.

    With the function of its beginnings, it has to be where the reader is; without, it may be
    anywhere, and has at most that length. None if the reader can always read on.
    """
    _nest: BracketScanner | None = None
    """Reads on to the end of a value where something awaited is found; None once it has."""
    _unclosed: Sequence[int] = ()
    """Offsets of brackets that never close."""

    def __init__(self, text: str = "", *, ended: bool = False) -> None:
        self.text = text
        """The window."""
        self.ended = ended
        """Whether no more text will come."""
        self._pieces: list[str] = []
        """The text before the window."""
        self._starts: list[int] = []
        """The offset of each piece."""

    @property
    def place(self) -> int:
        """The offset of the reader in the whole text."""
        return self.offset + self.at

    def push(self, chunk: str) -> bool:
        """Add the next piece of the text, and return whether it may be enough to read on.

        Raises:
            TypeError: if it is not text.

        """
        if not isinstance(chunk, str):
            message = f"a chunk is str, not {type(chunk).__name__}"
            raise TypeError(message)
        text = self.text + chunk
        if (cut := self.at - CONTEXT) > CONTEXT:  # cut off a piece at a time, not a chunk
            self._pieces.append(text[:cut])
            self._starts.append(self.offset)
            self.offset += cut
            text, self.at = text[cut:], CONTEXT
        self.text, at = text, self.at
        if self.awaited is not None:  # to ask takes a third of the time to resume ten generators
            matches, begins, longest = self.awaited
            if not matches(text, at):
                end = len(text)
                if begins is None:
                    if end - longest >= at:  # `max` takes a tenth of the time of a long stream
                        self.at = end - longest + 1
                    return False
                if (begun := begins(text, at)) and begun.end() == end < at + HEADER:
                    return False
            elif self._nest is not None:
                closed, self.at = self._nest.scan(text, at, ended=False, offset=self.offset)
                if not closed:
                    return False
                self._nest = None
            self.awaited = None
        return True

    def slice(self, start: int, end: int) -> str:
        """A part of the text."""
        if start >= self.offset:
            return self.text[start - self.offset : end - self.offset]
        first = bisect_right(self._starts, start) - 1
        parts = self._pieces[first : bisect_right(self._starts, end)]
        if end > self.offset:
            parts.append(self.text[: end - self.offset])
        begins = self._starts[first]
        return "".join(parts)[start - begins : end - begins]

    def again(self, place: int) -> None:
        """Go back to a place.

        Raises:
            SpentError: where too much was read again.

        """
        back = self.place - place
        self._furthest = max(self._furthest, self.place)
        # each place may be read a few times, so that the work stays linear in the text
        maximum = MAX_REREADINGS * self._furthest + _REREAD_AT_ONCE
        if self.looked + back > min(maximum, MAX_REREAD_TEXT):
            raise SpentError
        self.looked += back
        before = max(place - CONTEXT, 0)
        if before < self.offset:
            first = bisect_right(self._starts, before) - 1
            self.text = "".join((*self._pieces[first:], self.text))
            self.offset = self._starts[first]
            del self._pieces[first:], self._starts[first:]
        self.at = place - self.offset

    # ------------------------------------------------------------------------------- reading
    def blanks(self, blank: re.Pattern[str] = _BLANKS) -> Steps[str]:
        """Skip blanks; return the character after them, or an empty string at the end."""
        while True:
            self.at = at = blank.match(self.text, self.at).end()  # type: ignore[union-attr]
            if at < len(self.text) or self.ended:
                return self.text[at : at + 1]
            yield

    def header(
        self, pattern: re.Pattern[str], begun: re.Pattern[str]
    ) -> Steps[re.Match[str] | None]:
        """Match a pattern here that takes no more than `HEADER` characters; pass what it takes.

        `begun` matches what may become a match when there is more text.
        """
        while not (found := pattern.match(self.text, self.at, self.at + HEADER)):
            is_over = self.ended or len(self.text) - self.at >= HEADER
            if is_over or not begun.match(self.text, self.at):
                return None
            self.awaited = pattern.match, begun.match, 0
            yield
        self.at = found.end()
        return found

    def find(self, pattern: re.Pattern[str], longest: int) -> Steps[re.Match[str] | None]:
        """Find and skip the next match of a pattern of at most `longest` characters.

        Without one, all of the text is passed.
        """
        while not (found := pattern.search(self.text, self.at)) and not self.ended:
            self.at = max(self.at, len(self.text) - longest + 1)
            self.awaited = pattern.search, None, longest
            yield
        self.at = found.end() if found else len(self.text)
        return found

    def value(self, longest: int = maxsize) -> Steps[bool]:
        """Pass a value that begins with a bracket or quote; False if the text ends before.

        Also if it is longer than the limit.
        """
        text, at, place, is_whole = self.text, self.at, self.place, self.ended
        self.is_exact = False
        # the decoder is much faster than a scan, but only where the whole value is there and JSON
        is_python = text[at] == "(" or text[at + 1 : at + 2].isalpha()
        unclosed = self.never_closes(place)
        if not is_python and not unclosed and self._vain < MAX_FAILED_PARSING:
            try:
                self.at = JSON_DECODER.raw_decode(text, at)[1]
            except json.JSONDecodeError as error:  # no JSON, or not all of it
                self._vain += error.pos - at + _FAILURE
            except (ValueError, RecursionError):
                self._vain += len(text) - at + _FAILURE
            else:
                self.is_exact = True
                return self.at - at <= longest
        closed = yield from self.nested(BracketScanner(), longest)
        if closed and not is_python and not is_whole:
            try:
                JSON_DECODER.decode(self.slice(place, self.place))
                self.is_exact = True
            except (ValueError, RecursionError):
                pass
        return closed

    def ending(self, ending: Ending) -> Steps[bool]:
        """Pass the text up to a mark outside strings; False if there is none, all passed."""
        while True:
            text, found = self.text, None
            # a mark may look `HEADER` characters ahead: what is nearer the end is not certain yet
            safe = len(text) - (0 if self.ended else HEADER)
            for part in ending.known.finditer(text, self.at):
                if part.lastgroup == "end":
                    found = part
                    break
                if part.end() <= safe:
                    self.at = part.end()
                else:
                    safe = min(safe, part.start())
            begun = None if self.ended else ending.begun.search(text, self.at)
            if found and not self.ended:
                is_known = len(text) - found.end() > _LONGEST_AHEAD
                is_known = is_known and not (begun and begun.start() <= found.start())
            else:
                is_known = self.ended
            if is_known:
                self.at = found.start() if found else len(text)
                return found is not None
            if not found:
                self.at = max(self.at, min(begun.start() if begun else safe, safe))
            wanted = len(text) - self.at + _AT_ONCE
            self.awaited = partial(_is_longer, wanted), None, maxsize
            yield

    def nested(self, nest: BracketScanner, longest: int = maxsize) -> Steps[bool]:
        """Pass text up to where `nest` ends; False if the text ends before, or it is too long."""
        start = self.place
        if self.never_closes(nest.unclosed[0] if nest.unclosed else start):
            self.looked -= len(self.text) - self.at  # which is not read now
            self.at = len(self.text)
            return False
        while True:
            closed, self.at = nest.scan(self.text, self.at, ended=self.ended, offset=self.offset)
            if self.place - start > longest:
                self.at = start + longest + 1 - self.offset
                return False
            if closed:
                return True
            if self.ended:
                self.at, self._unclosed = len(self.text), nest.unclosed
                return False
            if longest == maxsize:  # else the length also counts
                self.awaited, self._nest = (_MARKS.search, None, 1), nest
            yield
            if longest == maxsize and self._nest is None:  # `push` has found the end
                return True
            self._nest = None

    def never_closes(self, place: int) -> bool:
        """Return whether it is known that the text ends before the bracket at a place is closed."""
        index = bisect_left(self._unclosed, place)
        return index < len(self._unclosed) and self._unclosed[index] == place


# ------------------------------------------------------------------------------------ endings
_AT_ONCE: Final = 64
"""Characters of a stream that are searched at once: most of the search is repeated."""
_LONGEST_AHEAD: Final = 10
"""Characters after a mark that decide whether it ends a block."""
_DOUBLE, _SINGLE = (rf"{q}[^{q}\\\n]*(?:\\.[^{q}\\\n]*)*" for q in "\"'")
_STRING: Final = rf"""[\[{{(,:=]\s{{0,99}}(?:{_DOUBLE}"|{_SINGLE}')(?=\s{{0,99}}[\])}},:=])"""
"""A string that is delimited on both sides, so that a mark in it is text."""
_BEGUN: Final = (
    rf"""[\[{{(,:=]\s{{0,99}}"""
    rf"""(?:(?:{_DOUBLE}"|{_SINGLE}')\s{{0,99}}|(?:{_DOUBLE}|{_SINGLE})\\?)?\Z"""
)


def _is_longer(wanted: int, text: str, at: int) -> bool:
    return len(text) - at >= wanted


_ANY_MARK: Final = (
    r"""(?:</?[|｜a-zA-Z][^<>\n]{0,60}>|\[/?[A-Z_]{4,40}\]|```)(?=\s{0,9}[^\s"',:}\]\\])|>>>"""
)
"""A mark of any format, before a character with which JSON does not go on."""


class Ending:
    """The marks, as the source of a pattern, that end the text of a block outside its strings."""

    __slots__ = ("after_value", "begun", "known", "marks")

    def __init__(self, marks: str, after_value: str = "") -> None:
        self.marks = re.compile(marks)
        self.after_value = re.compile(rf"(?:{after_value or marks})|\s{{0,99}}(?:{_ANY_MARK})")
        """The same after a complete value, and any other mark: no string can hold it there."""
        self.known = re.compile(rf"{_STRING}|(?P<end>{marks})")
        self.begun = re.compile(_BEGUN)

    def begins_in(self, text: str) -> bool:
        """Return whether a mark is in a text outside its strings."""
        if not self.marks.search(text):
            return False
        return any(found.lastgroup == "end" for found in self.known.finditer(text))


# ------------------------------------------------------------------------------------ brackets
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
            skipped = _STRINGS.match(text, at) if unclosed else None
            found = _NEXT.search(text, skipped.end() if skipped else at)
            if not found:
                return False, len(text)
            mark, at = found[0], found.end()
            if mark[0] in "[{(":
                unclosed.extend(range(offset + found.start(), offset + at))
            elif mark not in "\"'":
                # closers are counted, not matched: a model may write the wrong kind
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
            if decided:
                self._quote = ""
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


_NEXT: Final = re.compile(r"""["']|[\[{(]+|[\])}]+""")
_STRINGS: Final = re.compile(r"""(?:[^"'\[{(\])}]*"[^"\\]+")*""")
"""Strings without escapes, up to a bracket: most of a text, in the time of one match."""
_MARKS: Final = re.compile(r"""["'\[{(\])}\\]""")  # also of escapes
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
