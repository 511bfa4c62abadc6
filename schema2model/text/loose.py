"""Loose spellings, JSON5 and Python's, read exactly: token by token they are respelled as JSON.

Nothing is evaluated. The standard library parses what is respelled: numbers keep their digits,
and hostile text reaches no recursive parser.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from schema2model.text.exact import (
    BLANK,
    BRACKETS,
    LAX,
    NOT_JSON,
    NOTHING,
    TOO_DEEP,
    TWO_CALLS,
    TextError,
    parsed,
)
from schema2model.values import MAX_DEPTH

__all__ = ["JSON", "JSON5", "PYTHON", "Dialect", "LooseReading", "read_loosely"]


class Dialect(NamedTuple):
    """What a loose spelling adds to JSON."""

    grammar: str
    """Its name in a reading."""
    quotes: tuple[str, ...]
    """What a string begins with."""
    comments: tuple[str, ...]
    """What a comment begins with."""
    openers: str
    """What a container begins with."""
    words: Mapping[str, str]
    """Constants, and how JSON spells them."""
    escapes: str
    """The letters that begin an escape in a string, besides those of JSON."""


_WORDS: Final = {"true": "true", "false": "false", "null": "null"}
_PYTHON_WORDS: Final = {"True": "true", "False": "false", "None": "null", **_WORDS}

JSON: Final = Dialect("closed", ('"',), (), "{[", _WORDS, "")
"""JSON itself: only the closing brackets may be missing."""
JSON5: Final = Dialect("json5", ('"', "'"), ("//", "/*"), "{[", _WORDS, "x")
"""JSON5, except that `"\\d"` is not taken to mean `"d"`."""
PYTHON: Final = Dialect("python", (*"\"'rRuU",), ("#",), "{[(", _PYTHON_WORDS, "xNU")
"""Python's literals: dicts, lists, tuples and scalars."""


class LooseReading(NamedTuple):
    """The value of a loose text, completed if the text breaks off.

    `missing` says where it breaks off; it is empty if at most closing brackets are missing.
    `grammar` is the dialect's, "closed" if brackets are missing, or "repeated".
    """

    value: Any
    grammar: str
    missing: str


def read_loosely(text: str, dialect: Dialect) -> LooseReading | None:
    """Read the whole text as one value, written once or more, if it is of the dialect.

    Raises TextError if no dialect could make it a call: it is two calls, too deep, or has NaN.

    >>> read_loosely("{a: [.5]", JSON5)
    LooseReading(value={'a': [0.5]}, grammar='closed', missing='')
    >>> read_loosely("{'a': 'x", PYTHON)
    LooseReading(value={'a': ''}, grammar='closed', missing=' inside a string')
    >>> read_loosely("{'a': None}", JSON5) is None
    True
    """
    draft = _Draft(dialect)
    try:
        value = draft.read(text)
    except (_BrokenError, UnicodeError):
        return None
    return None if value is NOTHING else LooseReading(value, draft.grammar, draft.missing)


class _BrokenError(ValueError):
    """The text is not of this dialect."""


_TOKEN: Final = re.compile(
    r"""
    (?P<space>(?:\s|\ufeff|\\[nrt])+)  # models also spell out "\n" between two tokens
  | (?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)
  | (?P<string>[rRuU]?(?:
        "{3}(?:[^\\]|\\.)*?"{3} | '{3}(?:[^\\]|\\.)*?'{3}
      | "[^"\\]*(?:\\.[^"\\]*)*" | '[^'\\]*(?:\\.[^'\\]*)*'))
  | (?P<number>[+-]?\.?[0-9](?:[eE][+-]|[\w.])*)
  | (?P<word>[+-]?(?:[^\W0-9]|\$)[\w$]*)
  | (?P<mark>[]\[{}(),:])
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING: Final = re.compile(r"""([rRuU]?)("{3}|'{3}|"|')(.*)\2""", re.DOTALL)
_ESCAPE: Final = re.compile(r'\\(?:[0-9]+|x..|u....|U.{8}|N\{[^{}]*\}|\r\n|.)|"', re.DOTALL)
_DECIMAL: Final = re.compile(r"([0-9]*)(\.?)([0-9]*)((?:[eE][+-]?[0-9]+)?)")
_HEXADECIMAL: Final = re.compile("0[xX][0-9a-fA-F]{1,2000}")  # Python prints no more digits
_UNDERSCORE: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")
_START_OF_NUMBER: Final = re.compile(r"[+-]?\.?")
_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "nan", "inf"})
_CLOSERS: Final = {**BRACKETS, "(": ")", "(,": ")"}


class _Draft:
    """A text respelled as JSON, token by token; each sort of token has the method of its name."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.grammar = dialect.grammar
        self.missing = ""
        self.json = [" "]
        self.open: list[tuple[str, int]] = []  # bracket, and where in self.json it is

    def read(self, text: str) -> Any:
        """Return the value of the whole text, or `NOTHING`."""
        at = 0
        while token := _TOKEN.match(text, at):
            sort, spelling = str(token.lastgroup), token[0]
            if spelling in BRACKETS and self.json != [" "] and not self.open:
                return self.again(text[:at].strip(BLANK), text[at:].strip(BLANK))
            if sort == "comment" and token.end() == len(text) and self.open:
                raise _BrokenError  # who knows where the comment was to end
            at = token.end()
            if at < len(text) or not self.breaks_off(sort, spelling):
                getattr(self, sort)(spelling)
        self.finish(text[at:])
        return parsed(" ".join(self.json), LAX)

    @property
    def at_key(self) -> bool:
        """Whether a key may come next."""
        return bool(self.open) and self.open[-1][0] == "{" and self.json[-1] in {"{", ","}

    def space(self, spelling: str) -> None:
        if self.dialect is JSON and "\\" in spelling:
            raise _BrokenError

    def comment(self, spelling: str) -> None:
        if not spelling.startswith(self.dialect.comments):
            raise _BrokenError

    def string(self, spelling: str) -> None:
        parts = _STRING.fullmatch(spelling)
        if not parts or not spelling.startswith(self.dialect.quotes):
            raise _BrokenError
        prefix, quote, body = parts.groups()
        if len(quote) > 1 and self.dialect is not PYTHON:
            raise _BrokenError
        if prefix in {"r", "R"}:
            self.json.append(json.dumps(body))
        elif self.dialect is JSON:
            self.json.append(spelling)
        else:
            self.json.append(f'"{_ESCAPE.sub(self.escape, body)}"')

    def escape(self, match: re.Match[str]) -> str:
        escape, sort = match[0], match[0][1:2]
        if not sort:
            return '\\"'
        if sort in '"\\bfnrtu':
            return escape
        if sort in "'\n\r\u2028\u2029":
            return sort.strip()
        if escape == "\\0" or sort in self.dialect.escapes:
            return json.dumps(codecs.decode(escape.encode("ascii"), "unicode_escape"))[1:-1]
        # JSON5 says that \d is d, and Python that \a is BEL. Whoever wrote "\d+" or "C:\apps"
        # meant neither.
        is_letter = sort.isascii() and sort.isalpha()
        if sort in "av0123456789" or (self.dialect is JSON5 and is_letter):
            raise _BrokenError
        return json.dumps(escape if self.dialect is PYTHON else sort)[1:-1]

    def number(self, spelling: str) -> None:
        sign, digits = "-" * spelling.startswith("-"), spelling.lstrip("+-")
        if self.dialect is PYTHON:
            digits = _UNDERSCORE.sub("", digits)
        if self.dialect is not JSON and _HEXADECIMAL.fullmatch(digits):
            digits = str(int(digits, 16))
        if not (parts := _DECIMAL.fullmatch(digits)):
            raise _BrokenError
        whole, point, fraction, exponent = parts.groups()
        plain = f"{sign}{whole or 0}{point}{fraction or '0' * len(point)}{exponent}"
        self.json.append(spelling if self.dialect is JSON else plain)

    def word(self, spelling: str) -> None:
        if self.at_key and self.dialect is not JSON:
            self.json.append(json.dumps(spelling))
        elif spelling in self.dialect.words:
            self.json.append(self.dialect.words[spelling])
        elif self.open and self.json[-1] in ":[," and spelling.lstrip("+-") in _NOT_FINITE:
            raise TextError(NOT_JSON, f": {spelling} is no JSON number")
        else:
            raise _BrokenError

    def mark(self, spelling: str) -> None:
        if spelling in ",:":
            if self.json[-1] in "{[,:":
                raise _BrokenError
            if self.open and self.open[-1][0] == "(":
                self.open[-1] = ("(,", self.open[-1][1])  # a tuple, not a group
            self.json.append(spelling)
        elif spelling in ")]}":
            self.close(spelling)
        elif spelling not in self.dialect.openers:
            raise _BrokenError
        elif len(self.open) >= MAX_DEPTH:
            raise TextError(TOO_DEEP)
        else:
            self.open.append((spelling, len(self.json)))
            self.json.append("[" if spelling == "(" else spelling)

    def close(self, spelling: str) -> None:
        if not self.open or _CLOSERS[self.open[-1][0]] != spelling:
            raise _BrokenError
        bracket, start = self.open.pop()
        if self.dialect is not JSON:
            self.drop_comma()
        if bracket == "(" and len(self.json) > start + 1:
            self.json[start] = " "  # a group, not a tuple
        else:
            self.json.append("]" if spelling == ")" else spelling)

    def drop_comma(self) -> None:
        if self.json[-1] == "," and self.json[-2] not in "{[,:":
            self.json.pop()

    def breaks_off(self, sort: str, spelling: str) -> bool:
        """Say whether this token, the last in the text, may be only the beginning of one."""
        if not self.open or self.at_key:
            return False
        if sort == "number":
            self.missing = " inside a number"
        elif sort == "word" and spelling not in self.dialect.words:
            if not any(word.startswith(spelling) for word in self.dialect.words):
                return False
            self.missing = " inside a value"
        else:
            return False
        self.json.append("0")
        return True

    def finish(self, rest: str) -> None:
        """Complete what the text leaves open, and note whether more than brackets is missing."""
        if rest.startswith(self.dialect.quotes):
            self.missing = " inside a key" if self.at_key else " inside a string"
        elif rest and _START_OF_NUMBER.fullmatch(rest):
            self.missing = " inside a number"
        elif rest:
            raise _BrokenError
        if rest:
            self.json.append('""')
        if not self.open:
            return
        self.grammar = "closed"
        if self.open[-1][0] == "{" and self.json[-2] in "{," and self.json[-1] not in "{}[],:":
            self.json.append(":")
            self.missing = self.missing or " after a key"
        if self.json[-1] == ":":
            self.json.append("null")
            self.missing = self.missing or " after a key"
        if self.json[-1] == ",":
            self.missing = self.missing or " after a comma"
        self.drop_comma()
        while self.open:
            self.close(_CLOSERS[self.open[-1][0]])

    def again(self, first: str, rest: str) -> Any:
        """Read what starts again after a value: the same or a part of it, or a second call."""
        value = parsed(" ".join(self.json), LAX)
        if value is not NOTHING and not first.startswith(rest):
            raise TextError(TWO_CALLS)
        self.grammar = "repeated"
        return value
