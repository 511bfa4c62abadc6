"""Strings that a regular expression is likely to match, for examples. The caller verifies them.

The parser knows what ECMA-262 and other dialects have in common: literals, classes, groups,
alternatives, quantifiers and anchors. It ignores lookaround assertions.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["sample_texts"]

MAX_PATTERN = 500
"""Maximum characters of a pattern."""

MAX_PARTS = 5_000
"""Maximum parts of one text, repetitions included."""

MAX_REPEATED = 200
"""Maximum repetitions of a part."""

VARIED = 4
"""The index of the alternative that takes the next range of a class each time."""

_CLASSES = {"d": "5", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_USUAL = "aA5-_. /:@,"
"""Characters that are tried for a negated class."""


class _UnsupportedError(Exception):
    """A pattern is not supported."""


def sample_texts(pattern: str, least: int, most: int) -> Iterator[str]:
    r"""Yield strings that may match a pattern, with a length from `least` to `most`.

    >>> next(sample_texts(r"^[A-Z]{3}-\d+$", 0, 20))
    'AAA-5'
    """
    if len(pattern) > MAX_PATTERN:
        return
    seen = set()
    for choice in range(VARIED + 1):
        for more in (0, 1, 2, 4, max(least, 1)):
            try:
                text = _Writer(pattern, choice, more, most).text()
            except (_UnsupportedError, IndexError, ValueError):
                continue
            if text not in seen and least <= len(text) <= most:
                seen.add(text)
                yield text


class _Writer:
    """Writes one text while it parses a pattern.

    `choice` is the index of the alternative that it takes, `more` the number of repetitions of a
    part beyond the required ones.
    """

    def __init__(self, pattern: str, choice: int, more: int, most: int) -> None:
        self.pattern = pattern
        self.choice = choice
        self.more = more
        self.most = most
        self.at = 0
        self.left = MAX_PARTS
        self._drawn = 0

    def text(self) -> str:
        text = self._alternatives()
        if self.at < len(self.pattern):
            raise _UnsupportedError
        return text

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1]

    def _alternatives(self) -> str:
        texts = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            texts.append(self._sequence())
        return texts[self.choice % len(texts)]

    def _sequence(self) -> str:
        text = ""
        while self._peek() not in {"", "|", ")"}:
            start = self.at
            part = self._part()
            times, end = self._times(), self.at
            text += part if times else ""
            for _ in range(times - 1):
                self.at = start
                text += self._part()
            self.at = end
            if len(text) > self.most * 2:
                raise _UnsupportedError
        return text

    def _part(self) -> str:
        self.left -= 1
        if self.left < 0:
            raise _UnsupportedError
        sign = self._take()
        if sign in "^$":
            return ""
        if sign == ".":
            return "a"
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._class()
        if sign == "\\":
            return self._escape()
        return sign

    def _group(self) -> str:
        looks_around = False
        if self._peek() == "?":
            self.at += 1
            sign = self._take()
            if sign == "<" and self._peek() not in {"=", "!"}:
                self.at = self.pattern.index(">", self.at) + 1
            elif sign != ":":
                looks_around = True
                self.at += self._peek() in {"=", "!"}
        text = self._alternatives()
        if self._take() != ")":
            raise _UnsupportedError
        return "" if looks_around else text

    def _escape(self) -> str:
        sign = self._take()
        if sign in {"b", "B"}:
            return ""
        if sign in _CLASSES:
            return _CLASSES[sign]
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if sign in {"x", "u"}:
            return self._code(2 if sign == "x" else 4)
        if sign in {"p", "P"} and self._peek() == "{":
            end = self.pattern.index("}", self.at)
            name, self.at = self.pattern[self.at + 1 : end], end + 1
            return _of_property(name, negated=sign == "P")
        if sign.isalnum():
            raise _UnsupportedError
        return sign

    def _code(self, digits: int) -> str:
        if self._peek() == "{":
            end = self.pattern.index("}", self.at)
            code, self.at = self.pattern[self.at + 1 : end], end + 1
        else:
            code = self.pattern[self.at : self.at + digits]
            self.at += digits
        return chr(int(code, 16))

    def _class(self) -> str:
        negated = self._peek() == "^"
        self.at += negated
        ranges: list[tuple[str, str]] = []
        while self._peek() != "]":
            low = self._take()
            if low == "\\":
                low = self._escape()
            high = low
            if self._peek() == "-" and self.pattern[self.at + 1] != "]":
                self.at += 1
                high = self._take()
                if high == "\\":
                    high = self._escape()
            ranges.append((low, high))
        self.at += 1
        if not negated:
            self._drawn += self.choice == VARIED
            return ranges[(self.choice + self._drawn) % len(ranges)][0] if ranges else _never()
        for sign in _USUAL:
            if not any(low <= sign <= high for low, high in ranges):
                return sign
        raise _UnsupportedError

    def _times(self) -> int:
        sign = self._peek()
        if sign not in {"*", "+", "?", "{"}:
            return 1
        low, high = {"*": (0, self.most), "+": (1, self.most), "?": (0, 1)}.get(sign, (1, 1))
        self.at += 1
        if sign == "{":
            end = self.pattern.index("}", self.at)
            first, comma, last = self.pattern[self.at : end].partition(",")
            low, high = int(first), int(last) if last else self.most if comma else int(first)
            self.at = end + 1
        if self._peek() in {"?", "+"}:
            self.at += 1
        if low > MAX_REPEATED:
            raise _UnsupportedError
        return max(low, min(low + self.more, high, MAX_REPEATED))


def _never() -> str:
    raise _UnsupportedError


def _of_property(name: str, *, negated: bool) -> str:
    """Return a character with a common Unicode property."""
    known = {"L": "a", "Ll": "a", "Lu": "A", "N": "5", "Nd": "5", "P": ".", "Z": " ", "S": "+"}
    known |= {"Letter": "a", "Alphabetic": "a", "Lowercase": "a", "Uppercase": "A"}
    if negated:
        return "-" if name != "P" else "a"
    if name not in known:
        raise _UnsupportedError
    return known[name]
