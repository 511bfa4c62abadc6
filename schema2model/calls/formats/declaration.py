"""`Format`: a way to write calls, as data: what a call begins with, and who reads on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from schema2model.calls.call_parser import PROSE, CallParser, CallStart, CallSteps
from schema2model.calls.text_source import Ending, Steps, TextSource

__all__ = ["BODY", "TOOL", "Format", "FormatReader", "after_name", "delimited", "pass_call"]

TOOL: Final = r"[^\s<>{}\[\]()|`\"'=,;:]{1,200}"
"""The name of a tool where nothing else delimits it."""
BODY: Final = r"\s{0,99}(?=[\[{]|[^\W\d][\w.\\-]{0,199}\()"
"""The beginning of calls after a marker: JSON, or a call in Python."""
_BODY_BEGUN: Final = r"\s{0,99}(?:[^\W\d][\w.\\-]{0,199})?\Z"
_HEADER_BEGUN: Final = r"[^{]{0,300}\Z"
"""The beginning of a header before JSON."""
_OBJECT: Final = re.compile(r"(?=\s{0,99}[\"'}A-Za-z_])")
_OBJECT_BEGUN: Final = re.compile(r"\s{0,99}\Z")
FormatReader = Callable[[CallParser, CallStart], CallSteps]
"""Parses the text after an opening and yields each call."""


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write calls.

    A call begins with one of the `markers`, with what `before` matches before it, if given, and
    what `opening` matches after it. Groups called `name` hold the tool's name.
    """

    name: str
    markers: tuple[str, ...]
    read: FormatReader
    opening: re.Pattern[str]
    begun: re.Pattern[str]
    """The beginning of an opening, at the end of the text."""
    before: re.Pattern[str] | None = None
    """It ends where the marker begins; the group `call` is where the call begins.

    One whose alternatives all begin with a character is searched for many times faster.
    """
    json: Literal["", "calls", "arguments"] = ""
    """The JSON after the opening, if there is any."""
    bare: bool = False
    """True if the markers alone mean nothing: text that is not a call is prose."""
    around: tuple[str, ...] = ()
    """Markers that end calls or enclose them, without another meaning."""
    aliases: tuple[str, ...] = ()
    """Other names, of formats that differ in nothing that is read."""


def delimited(  # noqa: PLR0913 - one for each part of a format
    name: str,
    opens: str,
    closes: str = "",
    *,
    opening: str = BODY,
    begun: str = "",
    before: str = "",
    around: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Format:
    """Calls in JSON or Python after a marker; the one that ends them may be missing.

    Where the group `name` of `opening` or `before` matches the name of the tool, its arguments come
    next.
    """
    first, rest = re.escape(opens[:1]), re.escape(opens[1:])
    # a pattern that begins with a character is searched for many times faster
    opens_next = rf"{first}(?<=[\s}}\])>`]{first}){rest}"
    if closes:
        mark = re.escape(closes)
        until = Ending(
            rf"""{mark}(?!\s{{0,9}}["',:}}\]\\])|{opens_next}""",
            rf"\s{{0,99}}(?:{mark}|{opens_next})",
        )
    else:
        until = Ending(
            rf"{PROSE.marks.pattern}|{opens_next}", rf"{PROSE.after_value.pattern}|{opens_next}"
        )
    begun = begun or (_BODY_BEGUN if opening == BODY else _HEADER_BEGUN)
    is_named = "(?P<name>" in before + opening

    def read(parser: CallParser, start: CallStart) -> CallSteps:
        return parser.arguments(start, until) if is_named else parser.after_marker(until)

    around = tuple(filter(None, (closes, *around)))
    patterns = re.compile(opening), re.compile(begun), re.compile(before) if before else None
    json: Literal["calls", "arguments"] = "arguments" if is_named else "calls"
    return Format(name, (opens,), read, *patterns, json, around=around, aliases=aliases)


def after_name(name: str, before: str, read: FormatReader = CallParser.arguments) -> Format:
    """Arguments in an object after the tool's name, which `before` matches in prose."""
    pattern = re.compile(rf"{before}\Z", re.VERBOSE)
    return Format(name, ("{",), read, _OBJECT, _OBJECT_BEGUN, pattern, bare=True)


def pass_call(source: TextSource, marks: re.Pattern[str], longest: int) -> Steps[tuple[bool, bool]]:
    """Pass the rest of a call with the calls in its values, or up to the first mark of a call.

    Return whether there is such a mark, and whether the call ends at it. The group `begins` of the
    `marks` matches those with which a call begins.
    """
    depth, end = 1, None
    is_alone = False
    while depth and (mark := (yield from source.find(marks, longest))):
        depth += 1 if mark["begins"] else -1
        if end is None:
            end = source.place - (len(mark[0]) if mark["begins"] else 0)
            is_alone = depth == 0
    if depth and end is not None:
        source.again(end)
    return end is not None, is_alone
