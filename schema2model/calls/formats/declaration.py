"""`Format`: a way to write calls, as data: what a call begins with, and who reads on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schema2model.calls.call_parser import CallParser, CallStart, CallSteps

__all__ = [
    "TOOL",
    "CallStart",
    "Format",
    "after_name",
    "between_markers",
]

TOOL: Final = r"[^\s<>{}\[\]()|`\"'=,;:]{1,200}"
"""The name of a tool where nothing else delimits it."""
_BODY: Final = re.compile(r"\s{0,99}(?=[\[{]|[^\W\d][\w.\\-]{0,199}\()")
"""The beginning of calls after a marker: JSON, or a call in Python."""
_BODY_BEGUN: Final = re.compile(r"\s{0,99}(?:[^\W\d][\w.\\-]{0,199})?\Z")
_HEADER_BEGUN: Final = re.compile(r"[^{]{0,300}\Z")
Reader = Callable[[CallParser, CallStart], CallSteps]
"""Parses the text after an opening and yields each call; returns False if there is none."""


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write calls.

    A call begins with one of the `markers`, with what `before` matches before it, if given, and
    what `opening` matches after it. Groups called `name` hold the tool's name.
    """

    name: str
    markers: tuple[str, ...]
    read: Reader
    opening: re.Pattern[str] = _BODY
    begun: re.Pattern[str] = _BODY_BEGUN
    """The beginning of an opening, at the end of the text."""
    before: re.Pattern[str] | None = None
    """It ends where the marker begins; the group `call` is where the call begins."""
    bare: bool = False
    """True if the markers alone mean nothing: text that is not a call is prose."""
    around: tuple[str, ...] = ()
    """Markers that end calls or enclose them, without another meaning."""
    aliases: tuple[str, ...] = ()
    """Other names, of formats that differ in nothing that is read."""


def between_markers(  # noqa: PLR0913 - one for each part of a format
    name: str,
    opens: str,
    closes: str = "",
    *,
    header: str = "",
    around: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Format:
    """JSON or Python calls after a marker; the one that ends them may be missing."""
    until = re.compile("|".join(re.escape(each) for each in (closes, opens) if each))

    def read(parser: CallParser, _: CallStart) -> CallSteps:
        yield from parser.after_marker(until)

    opening, begun = _BODY, _BODY_BEGUN
    if header:  # words of the format's own behind the marker
        opening, begun = re.compile(header + _BODY.pattern), _HEADER_BEGUN
    around = tuple(filter(None, (closes, *around)))
    return Format(name, (opens,), read, opening, begun, around=around, aliases=aliases)


def after_name(  # noqa: PLR0913 - one for each part of a format
    name: str,
    opens: str,
    opening: str,
    closes: str = "",
    *,
    begun: re.Pattern[str] = _HEADER_BEGUN,
    around: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Format:
    """The name of the tool, matched by the group `name` of `opening`, and JSON after it."""
    until = re.compile("|".join(re.escape(each) for each in (closes, opens) if each))

    def read(parser: CallParser, opening: CallStart) -> CallSteps:
        yield from parser.arguments(opening, until)

    around = tuple(filter(None, (closes, *around)))
    return Format(name, (opens,), read, re.compile(opening), begun, around=around, aliases=aliases)
