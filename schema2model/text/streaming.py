"""JSON's tokens (RFC 8259, section 2), from text that arrives piece by piece.

Every character is looked at once, in the piece in which it comes: of a token that is not complete
only its pieces are kept. What is inside a string or a word is not looked into; whether it is JSON
is for the reader of the token to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["Tokens"]

# What is looked for next says where the text stands:
_START: Final = re.compile(r"[^ \t\n\r]")
"""Between tokens: anything but a blank."""
_DELIMITER: Final = re.compile(r'[ \t\n\r\[\]{},:"]')
"""In a number or a literal name: what cannot belong to it."""
_QUOTE: Final = re.compile(r'"|(?:\\.[^"\\]*){1,99}|\\', re.DOTALL)
"""In a string: its end, or escapes and what is between them, or the first half of an escape."""
_SINGLE: Final = re.compile(r"'|(?:\\.[^'\\]*){1,99}|\\", re.DOTALL)
"""The same in a string in single quotes, which JSON does not have."""
_ESCAPED: Final = re.compile(r".", re.DOTALL)
"""Behind a backslash: whatever comes."""
_BRACKET: Final = re.compile(r'["\[\]{}]')
"""In a container that is taken as a whole: a string in it, or another bracket."""

_QUOTES: Final = frozenset("\"'")
_STRUCTURE: Final = frozenset("[]{}:,")


class Tokens:
    """Cuts JSON text into tokens, however it is cut into pieces; strings may have single quotes.

    >>> tokens = Tokens()
    >>> [list(tokens.feed(piece)) for piece in ('{"a', 'b": 1', '2, "', 'c"')]
    [['{'], ['"ab"', ':'], ['12', ','], ['"c"']]
    """

    __slots__ = ("_awaited", "_level", "_pieces", "_quoted")

    def __init__(self) -> None:
        self._awaited = _START
        self._quoted = _QUOTE  # in a string: what ends it
        self._level = 0  # of brackets, in a container that is taken as a whole
        self._pieces: list[str] = []  # of the token that is not complete

    def whole(self) -> None:
        """Take the container whose opening bracket was the last token as one token.

        >>> tokens = Tokens()
        >>> for token in tokens.feed('[{"a": "}"}]'):
        ...     print(token)
        ...     if token == "{":
        ...         tokens.whole()
        [
        {
        {"a": "}"}
        ]
        """
        self._awaited = _BRACKET
        self._level = 1

    def feed(self, text: str) -> Iterator[str]:
        """Yield the tokens that the next piece of text completes; all of them are to be taken.

        A number or a literal name is complete when something else follows.
        """
        start = at = 0  # of the token, as far as it is in this piece; and where to look next
        while found := self._awaited.search(text, at):
            what, at = found[0], found.end()
            if self._awaited is _START:
                start = found.start()
                if what in _STRUCTURE:
                    yield what
                else:
                    self._quoted = _SINGLE if what == "'" else _QUOTE
                    self._awaited = self._quoted if what in _QUOTES else _DELIMITER
                continue
            if self._awaited is _DELIMITER:
                at = found.start()  # what delimits a token is none of it
                self._awaited = _START
            else:
                self._go_on(what)
            if self._awaited is _START:
                yield "".join((*self._pieces, text[start:at]))
                self._pieces.clear()
        if self._awaited is not _START:
            self._pieces.append(text[start:])

    def _go_on(self, what: str) -> None:
        """Say what is looked for behind what was found inside a string or a whole container."""
        if self._awaited is _BRACKET and what != '"':
            self._level += 1 if what in "[{" else -1
            self._awaited = _BRACKET if self._level else _START
        elif self._awaited is _BRACKET:  # a string begins
            self._awaited = self._quoted = _QUOTE
        elif self._awaited is _ESCAPED:  # an escape is over
            self._awaited = self._quoted
        elif what in _QUOTES:
            self._awaited = _BRACKET if self._level else _START
        elif what == "\\":
            self._awaited = _ESCAPED
