"""The body of a string while its end is looked for, and the readings that come of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from schema2model.text.repair.edits import (
    APOSTROPHE,
    EDIT,
    QUOTES_RESPELLED,
    RESPELLED,
    Edit,
)

__all__ = [
    "AMONG_KEYWORDS",
    "IN_ARRAY",
    "IN_OBJECT",
    "MARKED",
    "PAIRS",
    "Body",
    "End",
    "closes_more",
]

IN_OBJECT: Final = "object"
IN_ARRAY: Final = "array"
AMONG_KEYWORDS: Final = "dict("
"""Where a string stands: what may follow it is not the same."""
MARKED: Final = '<|"|>'
PAIRS: Final = {
    '"': ('"', 0),
    "'": ("'", 0),
    '"""': ('"""', 0),
    "'''": ("'''", 0),
    MARKED: (MARKED, RESPELLED),
    "\u201c": ("\u201d", QUOTES_RESPELLED),
    "\u201d": ("\u201d", QUOTES_RESPELLED),
    "\u2018": ("\u2019", QUOTES_RESPELLED),
    "`": ("`", QUOTES_RESPELLED),
    "\uff02": ("\uff02", QUOTES_RESPELLED),
}
"""What a string may begin with, what ends it then, and what such quotes cost."""
_INCHES: Final = re.compile(r"[^\w.][0-9./']+$")
"""A number, the quote behind which means inches."""
_LONGEST_NUMBER: Final = 20
_OF_NUMBERS: Final = frozenset("0123456789./'")
_MAX_KEPT: Final = 2_000
"""So many quotes may be kept in one string."""


class End(NamedTuple):
    """A reading of a string: where its body ends, where the text goes on, and at what cost."""

    body: int
    after: int
    cost: int
    kept: int = 0
    """So many quotes of the string's are kept in its body."""
    edit: Edit | None = None
    start: int = -1
    """Where the body begins, if not behind the opening quote."""
    doubtful: bool = False
    """Whether a quote seems to have lost its partner, so that nobody can know where it ends."""


def closes_more(body: str) -> bool:
    """Whether brackets are closed in a body that are not opened in it.

    >>> closes_more("x}"), closes_more("{x}")
    (True, False)
    """
    return any(body.count(c) > body.count(o) for o, c in ("{}", "[]"))


class Body:
    """The body of a string while its end is looked for: the quotes that it keeps, if it goes on."""

    def __init__(self, text: str, at: int, opener: str) -> None:
        self.text = text
        self.at = at
        self.opener = opener
        self.closer, self.cost = PAIRS[opener]
        self.start = at + len(opener)
        self.kept: list[int] = []
        self.beside = False
        """Whether a quote is kept right behind one that is escaped."""
        self.escaped = False
        """Whether a quote in it is escaped."""
        self._opening = 0  # quotes kept that seem to open something
        self._closing = 0  # and that seem to close it
        self._smart = 0  # smart quotes that are open
        self._counted = self.start  # up to where they are counted

    def keep(self, stop: int, end: int) -> bool:
        """Keep a quote; False if the string cannot go on behind it."""
        text, start = self.text, self.start
        if self.opener == MARKED or len(self.kept) >= _MAX_KEPT:
            return False
        before, behind = text[stop - 1 : stop], text[end : end + 1]
        if before == "|" and '<|\\"' in text[start:stop]:  # halves of marks of a template
            return False
        self.kept.append(stop)
        self.beside |= before == '"' and text[stop - 2 : stop - 1] == "\\"
        apart = behind in {" ", "\n"}
        self._opening += not apart and (stop == start or before in " \n\t([{=")
        closes = apart and before not in {" ", "\n"}
        number = max(start - 1, stop - _LONGEST_NUMBER)
        is_inch = before in _OF_NUMBERS and _INCHES.search(text, number, stop) is not None
        self._closing += closes and not is_inch
        apostrophe = self.opener == "'" and before.isalnum() and behind.isalnum()
        self.cost += APOSTROPHE if apostrophe else EDIT
        return True

    def end_at_wrong(self, quote: str, stop: int, end: int, where: str) -> End:
        """The string ends at a quote of another kind."""
        edit = Edit("read", f"{quote} as a quote", stop)
        smart = self.opener in "\u201c\u201d" and quote == '"'
        cost = self.cost + (QUOTES_RESPELLED if smart else EDIT)
        self._smart += self.text.count("\u201c", self._counted, stop)
        self._smart -= self.text.count("\u201d", self._counted, stop)
        self._counted = stop
        doubtful = self._doubtful(where, stop) or (bool(self.kept) if smart else self._smart > 0)
        return End(stop, end, cost, len(self.kept), edit, doubtful=doubtful)

    def ends_at(self, quote: str, stop: int, end: int, where: str) -> Iterator[End]:
        """The string ends at a quote of its own kind, of which there may be two."""
        text, kept = self.text, self.kept
        count = len(kept)
        if self.opener == MARKED and "\\" in text[self.start : stop]:
            return
        yield End(stop, end, self.cost, count, doubtful=self._doubtful(where, stop))
        if count > 1 and kept[0] == self.start and kept[-1] == stop - 1:
            edit = Edit("dropped", "a second pair of quotes", self.at)
            yield End(stop - 1, end, self.cost, 0, edit, self.start + 1)
        twice = text.startswith(quote, end) and not text.startswith(quote * 2, end)
        if not twice or len(self.opener) > 1 or stop == self.start:
            return
        is_partner = count % 2 == 1 and self._last_opens()
        if not is_partner or self.opener not in "\"'":  # then it is the next one that closes
            edit = Edit("dropped", quote, end)
            yield End(stop, end + 1, self.cost + EDIT, count, edit, doubtful=True)

    def _doubtful(self, where: str, stop: int) -> bool:
        """Whether a quote seems to have lost its partner."""
        count = len(self.kept)
        if count % 2 == 0:
            return False
        if self.beside or self.kept[0] == self.start or self._ends_twice(stop):
            return True
        if self.escaped:
            return False
        if self._last_opens():
            return True
        if self.opener != '"':
            return False
        return 2 * self._opening > count or (where == IN_ARRAY and self._closing > self._opening)

    def _last_opens(self) -> bool:
        """Whether the last quote kept seems to open something."""
        text, last = self.text, self.kept[-1]
        behind = text[last + 1 : last + 2]
        return text[last - 1] in " \n\t([{=," and behind not in {" ", "\n", text[last]}

    def _ends_twice(self, stop: int) -> bool:
        """Whether closers that close nothing in it stand between the last two quotes."""
        last = self.text[self.kept[-1] + 1 : stop]
        if not last or last.strip("}] \n"):
            return False
        return closes_more(self.text[self.start : stop])
