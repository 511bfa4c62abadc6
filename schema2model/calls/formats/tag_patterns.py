"""Parameters in tags that are all spelled like the first: one pattern of literals reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from schema2model.calls.formats.declaration import Framing, Given

__all__ = ["framed"]


def framed(text: str, first: re.Match[str], *, lines: bool) -> Framing | None:
    r"""How parameters are framed whose first is given: its `key`, its value as the last group.

    With `lines`, a value may stand on lines of its own.

    >>> text = "<p=a>1</p>\n<p=b>2</p>\n"
    >>> framing = framed(text, re.match("<p=(?P<key>.*?)>(.*?)</p>", text), lines=False)
    >>> framing.delimiter, framing.begins, framing.ends, framing.given("a>1</p>\n<p=b>2")
    ('<p=', 3, 5, ({'a': '1', 'b': '2'}, []))
    """
    begins, ends = first.span("key")
    start, stop = first.span(first.re.groups)
    opens, closes = text[first.start() : begins], text[stop : first.end()]
    lined = lines and text[start] == "\n"
    if lined:
        closes = f"\n{closes}"
        start += 1
    last = text.rfind(closes, start)
    if last < 0:
        return None
    marks = first.span("string") if "string" in first.re.groupindex else _NOWHERE
    string = marks != _NOWHERE
    before, behind = (
        (text[ends : marks[0]], text[marks[1] : start]) if string else ("", text[ends:start])
    )
    between = text[last:] + opens
    given = _reader(before, behind, between, marked=string, bare=lines and not lined)
    return Framing(opens, begins, len(text) - last, 0, given)


_NOWHERE: Final = (-1, -1)


@lru_cache(256)
def _reader(
    before: str, behind: str, between: str, *, marked: bool, bare: bool
) -> Callable[[str], Given | None]:
    """Reads what stands from the first name to the last value.

    Args:
        before: what stands between a name and the mark that says whether the value is a string.
        behind: what stands between that, or the name, and the value.
        between: what stands between a value and the next name.
        marked: whether there is such a mark.
        bare: whether a value cannot begin with a line break.

    """
    mark = "(?:(true)|false)" if marked else ""
    value = r"(?!\n)([^<]*)" if bare else "([^<]*)"
    middle = re.escape(before) + mark + re.escape(behind)
    pattern = re.compile(
        rf"([0-9A-Za-z_]{{1,200}}){middle}{value}(?:{re.escape(between)}(?=[0-9A-Za-z_])|\Z)|.+",
        re.DOTALL,
    )
    """The alternative takes what is spelled otherwise, and is a parameter without a name."""

    def plain(text: str) -> Given | None:
        rows = pattern.findall(text)
        values = dict(rows)
        return None if len(values) < len(rows) or "" in values or not values else (values, [])

    def with_marks(text: str) -> Given | None:
        rows = pattern.findall(text)
        values, strings = {}, []
        for key, mark, value in rows:
            values[key] = value
            if mark:
                strings.append(key)
        if len(values) < len(rows) or "" in values or not values:
            return None
        return values, strings

    return with_marks if marked else plain
