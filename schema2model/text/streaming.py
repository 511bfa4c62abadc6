"""JSON's tokens (RFC 8259, section 2), from text that arrives piece by piece.

Every character is scanned once, and only the pieces of an incomplete token are kept. The contents
of strings and words are not checked: that is for the reader of the token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from schema2model.regexes import regex

__all__ = ["Tokenizer"]

# The states of the tokenizer are the patterns that it searches for:
_START: Final = regex(r"[^ \t\n\r]")
"""Between tokens: anything but a blank."""
_DELIMITER: Final = regex(r'[ \t\n\r\[\]{},:"]')
"""In a number or a literal name: its end."""
_QUOTE: Final = regex(r'"|(?:\\.[^"\\]*){1,99}|\\', re.DOTALL)
"""In a string: its end, or escapes and what is between them, or the first half of an escape."""
_SINGLE: Final = regex(r"'|(?:\\.[^'\\]*){1,99}|\\", re.DOTALL)
"""As `_QUOTE`, in a string in single quotes, which JSON does not have."""
_ESCAPED: Final = regex(r".", re.DOTALL)
"""After a backslash: any character."""
_BRACKET: Final = regex(r'["\[\]{}]')
"""In a container that is one token: a string or another bracket."""

_QUOTES: Final = frozenset("\"'")
_STRUCTURE: Final = frozenset("[]{}:,")


class Tokenizer:
    """Splits JSON text that arrives in pieces into tokens; strings may have single quotes.

    >>> tokenizer = Tokenizer()
    >>> [list(tokenizer.feed(piece)) for piece in ('{"a', 'b": 1', '2, "', 'c"')]
    [['{'], ['"ab"', ':'], ['12', ','], ['"c"']]
    """

    __slots__ = ("_level", "_pattern", "_pieces", "_quoted")

    def __init__(self) -> None:
        self._pattern = _START
        self._quoted = _QUOTE  # the pattern of the current kind of string
        self._level = 0  # of brackets, in a container that is one token
        self._pieces: list[str] = []  # of the incomplete token

    def take_container(self) -> None:
        """Make one token of the container whose opening bracket was the last token.

        >>> tokenizer = Tokenizer()
        >>> tokens = tokenizer.feed('[{"a": "}"}]')
        >>> next(tokens), next(tokens), tokenizer.take_container(), next(tokens)
        ('[', '{', None, '{"a": "}"}')
        """
        self._pattern = _BRACKET
        self._level = 1

    @property
    def open_string(self) -> list[str]:
        """The pieces of the incomplete string in double quotes, with the opening one; or none.

        >>> tokenizer = Tokenizer()
        >>> list(tokenizer.feed('["a", "b')), tokenizer.open_string
        (['[', '"a"', ','], ['"b'])
        """
        pieces = self._pieces
        return pieces if pieces and pieces[0][0] == '"' and not self._level else []

    def feed(self, text: str) -> Iterator[str]:
        """Yield the tokens that the next piece of text completes. The caller must take all of them.

        A number or a literal name is complete when another character follows.
        """
        start = at = 0  # of the token in this piece, and of the search
        while found := self._pattern.search(text, at):
            part, at = found[0], found.end()
            if self._pattern is _START:
                start = found.start()
                if part in _STRUCTURE:
                    yield part
                else:
                    self._quoted = _SINGLE if part == "'" else _QUOTE
                    self._pattern = self._quoted if part in _QUOTES else _DELIMITER
                continue
            if self._pattern is _DELIMITER:
                at = found.start()  # the delimiter is not part of the token
                self._pattern = _START
            else:
                self._continue(part)
            if self._pattern is _START:
                yield "".join((*self._pieces, text[start:at]))
                self._pieces.clear()
        if self._pattern is not _START:
            self._pieces.append(text[start:])

    def _continue(self, part: str) -> None:
        """Set the pattern after a match inside a string or a container."""
        if self._pattern is _BRACKET and part != '"':
            self._level += 1 if part in "[{" else -1
            self._pattern = _BRACKET if self._level else _START
        elif self._pattern is _BRACKET:  # a string begins
            self._pattern = self._quoted = _QUOTE
        elif self._pattern is _ESCAPED:  # an escape is over
            self._pattern = self._quoted
        elif part in _QUOTES:
            self._pattern = _BRACKET if self._level else _START
        elif part == "\\":
            self._pattern = _ESCAPED
