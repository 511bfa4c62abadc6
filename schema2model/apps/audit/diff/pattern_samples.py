"""Strings that a regular expression is likely to match, for examples. The caller verifies them.

The parser knows what ECMA-262 and other dialects have in common: literals, classes, groups,
alternatives, quantifiers and anchors. It ignores lookaround assertions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

__all__ = ["sample_texts"]

MAX_PATTERN = 500
"""Maximum characters of a pattern."""

MAX_PARTS = 5_000
"""Maximum parts of one text, repetitions included."""

MAX_REPEATED = 200
"""Maximum repetitions of a part."""

VARIED = 4
"""The index of the alternative that takes the next range of a class each time."""

_ESCAPE: Final = r"\\(?:[xu]\{\w+\}|x\w\w|u\w{4}|[pP]\{[^}]*\}|.)"
_TOKEN: Final = re.compile(
    r"(?P<class>\[(?P<negated>\^?)(?P<body>(?:\\.|[^\]\\])*)\])"
    r"|(?P<group>\((?:\?(?:<?[=!]|P?<\w+>|\w*:?))?)"
    r"|(?P<times>(?:[*+?]|\{(?P<low>\d+)(?P<open>,?)(?P<high>\d*)\})[?+]?)"
    rf"|(?P<sign>{_ESCAPE}|.)",
    re.DOTALL,
)
_RANGE: Final = re.compile(rf"({_ESCAPE}|.)(?:-({_ESCAPE}|.))?", re.DOTALL)

_LETTERS: Final = {"d": "5", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a", "b": "", "B": ""}
_LETTERS.update({"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"})
"""Characters that an escaped letter matches."""
_PROPERTIES: Final = {"L": "a", "Ll": "a", "Lu": "A", "N": "5", "Nd": "5", "P": ".", "Z": " "}
_PROPERTIES.update({"S": "+", "Letter": "a", "Alphabetic": "a", "Lowercase": "a", "Uppercase": "A"})
"""Characters with a common Unicode property."""
_USUAL = "aA5-_. /:@,"
"""Characters that are tried for a negated class."""


class _Repeated(NamedTuple):
    """A part, and how often it occurs: `high` is None without a maximum.

    The part is a group, or a text with one character for each range of a class.
    """

    part: str | _Group
    low: int = 1
    high: int | None = 1


_Group: TypeAlias = "list[list[_Repeated]]"
"""Alternatives, each a sequence of parts."""


def sample_texts(pattern: str, least: int, most: int) -> Iterator[str]:
    r"""Yield strings that may match a valid pattern, with a length from `least` to `most`.

    >>> next(sample_texts(r"^[A-Z]{3}-\d+$", 0, 20))
    'AAA-5'
    """
    if len(pattern) > MAX_PATTERN:
        return
    try:
        group = _parse(_TOKEN.finditer(pattern))
    except (LookupError, ValueError):
        return
    seen = set()
    for choice in range(VARIED + 1):
        for more in (0, 1, 2, 4, max(least, 1)):
            try:
                text = _Writer(choice, more, most).text(group)
            except ValueError:
                continue
            if text not in seen and least <= len(text) <= most:
                seen.add(text)
                yield text


def _parse(tokens: Iterator[re.Match[str]]) -> _Group:
    """Return the alternatives up to the end of a group, or of the pattern."""
    group: _Group = [[]]
    for token in tokens:
        text = token[0]
        if text == ")":
            break
        if text == "|":
            group.append([])
        elif token["times"]:
            low = int(token["low"] or text[0] == "+")
            is_open = text[0] in "*+" or (token["open"] and not token["high"])
            high = None if is_open else int(token["high"] or token["low"] or 1)
            group[-1].append(_Repeated(group[-1].pop().part, low, high))
        elif token["group"]:
            inner = _parse(tokens)
            matches = text == "(" or text[-1] in ":>"  # or else it only looks around
            group[-1].append(_Repeated(inner if matches else ""))
        elif token["class"]:
            group[-1].append(_Repeated(_class(token["body"], negated=bool(token["negated"]))))
        else:
            sign = {"^": "", "$": "", ".": "a"}.get(text)
            group[-1].append(_Repeated(_character(text) if sign is None else sign))
    return group


def _class(body: str, *, negated: bool) -> str:
    """Return the first character of each range of a class, or one that a negated class matches."""
    pairs = _RANGE.findall(body)
    ranges = [(_character(low), _character(high or low)) for low, high in pairs]
    signs = [low for low, _ in ranges]
    if negated:
        signs = [c for c in _USUAL if not any(low <= c <= high for low, high in ranges)][:1]
    if not signs:
        raise ValueError
    return "".join(signs)


def _character(sign: str) -> str:
    """Return a character that a literal or an escape matches."""
    letter, argument = sign[1:2], sign[2:].strip("{}")
    if sign[0] != "\\":
        return sign
    if argument and letter in "xu":
        return chr(int(argument, 16))
    if argument:
        other = "-" if argument != "P" else "a"
        return _PROPERTIES[argument] if letter == "p" else other
    return _LETTERS[letter] if letter.isalnum() else letter


@dataclass
class _Writer:
    """Writes one text that a parsed pattern matches.

    `choice` is the index of the alternative that it takes, `more` the number of repetitions of a
    part beyond the required ones.
    """

    choice: int
    more: int
    most: int
    left: int = MAX_PARTS
    drawn: int = 0

    def text(self, group: _Group) -> str:
        text = ""
        for part, low, high in group[self.choice % len(group)]:
            most = self.most if high is None else high
            for _ in range(max(low, min(low + self.more, most, MAX_REPEATED))):
                self.left -= 1
                if isinstance(part, list):
                    text += self.text(part)
                elif part:
                    self.drawn += self.choice == VARIED and len(part) > 1
                    text += part[(self.choice + self.drawn) % len(part)]
                if self.left < 0 or len(text) > self.most * 2:
                    raise ValueError
        return text
