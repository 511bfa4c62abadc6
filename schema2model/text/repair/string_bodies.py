"""The body of a string during the search for its end, and the possible ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from schema2model.limits import MAX_KEPT_QUOTES
from schema2model.text.repair.edits import Edit, EditCost

__all__ = [
    "AMONG_KEYWORDS",
    "IN_ARRAY",
    "IN_OBJECT",
    "QUOTE_PAIRS",
    "TEMPLATE_QUOTE",
    "StringBody",
    "StringEnd",
    "closes_unopened",
]

IN_OBJECT: Final = "object"
IN_ARRAY: Final = "array"
AMONG_KEYWORDS: Final = "dict("
"""The contexts of strings: what may follow one depends on them."""
TEMPLATE_QUOTE: Final = '<|"|>'
QUOTE_PAIRS: Final = {
    '"': ('"', 0),
    "'": ("'", 0),
    '"""': ('"""', 0),
    "'''": ("'''", 0),
    TEMPLATE_QUOTE: (TEMPLATE_QUOTE, EditCost.RESPELLED),
    "\u201c": ("\u201d", EditCost.QUOTES_RESPELLED),
    "\u201d": ("\u201d", EditCost.QUOTES_RESPELLED),
    "\u2018": ("\u2019", EditCost.QUOTES_RESPELLED),
    "`": ("`", EditCost.QUOTES_RESPELLED),
    "\uff02": ("\uff02", EditCost.QUOTES_RESPELLED),
}
"""Each opening quote, with the closing quote and the cost of both."""
_INCHES: Final = re.compile(r"[^\w.][0-9./']+$")
"""A number, after which a quote means inches."""
_MAX_NUMBER: Final = 20


class StringEnd(NamedTuple):
    """One possible end of a string."""

    body_end: int
    resume: int
    """The offset after the closing quote."""
    cost: int
    kept: int = 0
    """The number of quotes kept in the body."""
    edit: Edit | None = None
    is_doubtful: bool = False
    """Whether a quote seems to have lost its partner."""


def closes_unopened(body: str) -> bool:
    """Return whether a body closes brackets that it does not open.

    >>> closes_unopened("x}"), closes_unopened("{x}")
    (True, False)
    """
    return any(body.count(c) > body.count(o) for o, c in ("{}", "[]"))


class StringBody:
    """The body of a string up to the quote under inspection, and the quotes that it keeps."""

    def __init__(self, text: str, at: int, opener: str) -> None:
        self.text = text
        self.opener = opener
        self.closer, self.cost = QUOTE_PAIRS[opener]
        self.start = at + len(opener)
        self.kept: list[int] = []
        self.after_escaped_quote = False
        """Whether a quote is kept right after an escaped one."""
        self.has_escaped_quote = False
        self._opening = 0  # kept quotes that seem to open something
        self._closing = 0  # and that seem to close something
        self._smart = 0  # open smart quotes
        self._counted = self.start  # the end of the part in which they are counted

    def keep_quote(self, stop: int, end: int) -> bool:
        """Keep a quote, and return whether the string can continue after it."""
        text, start = self.text, self.start
        if self.opener == TEMPLATE_QUOTE or len(self.kept) >= MAX_KEPT_QUOTES:
            return False
        before, after = text[stop - 1 : stop], text[end : end + 1]
        if before == "|" and '<|\\"' in text[start:stop]:  # half of a template's quote
            return False
        self.kept.append(stop)
        self.after_escaped_quote |= before == '"' and text[stop - 2 : stop - 1] == "\\"
        if after not in {" ", "\n"}:
            self._opening += stop == start or before in " \n\t([{="
        elif before not in {" ", "\n"}:
            self._closing += not _INCHES.search(text, max(start - 1, stop - _MAX_NUMBER), stop)
        apostrophe = self.opener == "'" and before.isalnum() and after.isalnum()
        self.cost += EditCost.APOSTROPHE if apostrophe else EditCost.EDIT
        return True

    def end_at_other_quote(self, quote: str, stop: int, end: int, context: str) -> StringEnd:
        """Return the end at a quote of another kind."""
        edit = Edit("read", f"{quote} as a quote", stop)
        smart = self.opener in "\u201c\u201d" and quote == '"'
        cost = self.cost + (EditCost.QUOTES_RESPELLED if smart else EditCost.EDIT)
        self._smart += self.text.count("\u201c", self._counted, stop)
        self._smart -= self.text.count("\u201d", self._counted, stop)
        self._counted = stop
        is_doubtful = self._is_doubtful(context, stop) or (
            bool(self.kept) if smart else self._smart > 0
        )
        return StringEnd(stop, end, cost, len(self.kept), edit, is_doubtful=is_doubtful)

    def ends_at(self, quote: str, stop: int, end: int, context: str) -> Iterator[StringEnd]:
        """Yield the ends at a quote of the same kind, which may be doubled."""
        text, count = self.text, len(self.kept)
        if self.opener == TEMPLATE_QUOTE and "\\" in text[self.start : stop]:
            return
        yield StringEnd(stop, end, self.cost, count, is_doubtful=self._is_doubtful(context, stop))
        is_doubled = text.startswith(quote, end) and not text.startswith(quote * 2, end)
        if not is_doubled or len(self.opener) > 1 or stop == self.start:
            return
        is_partner = count % 2 == 1 and self._last_opens()
        if not is_partner or self.opener not in "\"'":  # then it is the next one that closes
            edit = Edit("dropped", quote, end)
            yield StringEnd(stop, end + 1, self.cost + EditCost.EDIT, count, edit, is_doubtful=True)

    def _is_doubtful(self, context: str, stop: int) -> bool:
        """Return whether a quote seems to have lost its partner."""
        count = len(self.kept)
        if count % 2 == 0:
            return False
        if self.after_escaped_quote or self.kept[0] == self.start or self._ends_twice(stop):
            return True
        if self.has_escaped_quote:
            return False
        if self._last_opens():
            return True
        if self.opener != '"':
            return False
        return 2 * self._opening > count or (context == IN_ARRAY and self._closing > self._opening)

    def _last_opens(self) -> bool:
        """Return whether the last kept quote seems to open something."""
        text, last = self.text, self.kept[-1]
        after = text[last + 1 : last + 2]
        return text[last - 1] in " \n\t([{=," and after not in {" ", "\n", text[last]}

    def _ends_twice(self, stop: int) -> bool:
        """Return whether only closers without openers are between the last two quotes."""
        last = self.text[self.kept[-1] + 1 : stop]
        only_closers = bool(last) and not last.strip("}] \n")
        return only_closers and closes_unopened(self.text[self.start : stop])
