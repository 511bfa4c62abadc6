"""`Format`: a way to write calls, as data: its markers, what stands behind them, and who reads on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schema2model.calls.bodies import Bodies, Found

__all__ = ["TOOL", "Format", "Opening", "marked", "named"]

TOOL: Final = r"[^\s<>{}\[\]()|`\"'=,;:]{1,200}"
"""The name of a tool where nothing else delimits it."""
_BODY: Final = re.compile(r"\s*(?=[\[{]|[^\W\d][\w.\\-]{0,199}\()")
"""What shows that calls stand behind a marker: JSON, or a call in Python."""
_BODY_BEGUN: Final = re.compile(r"\s*(?:[^\W\d][\w.\\-]{0,199})?\Z")
_BEGUN: Final = re.compile(r"[^<>{}\[\]]{0,200}(?:(?:<[^<>{}]{0,40}>?|\[[A-Z_]{0,20}\]?)[^<>{}\[\]]{0,200}){0,2}\Z")


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a call begins, and the name that is given there."""

    start: int
    name: str = ""
    alone: bool = False
    """Whether nothing but blanks and fences stands before it in the text."""


Reader = Callable[[Bodies, Opening], Found]
"""Reads from behind an opening; yields a `Written` for each call."""


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write calls.

    A call begins with one of the `markers`, with what `before` matches before it, if given, and
    what `opening` matches behind it; `read` reads on. Groups called `name` hold the tool's name.
    """

    name: str
    markers: tuple[str, ...]
    read: Reader
    opening: re.Pattern[str] = _BODY
    begun: re.Pattern[str] = _BODY_BEGUN
    """What may become an opening when there is more text."""
    before: re.Pattern[str] | None = None
    bare: bool = False
    """Whether the markers may stand in prose as well: what is no call is prose then."""
    around: tuple[str, ...] = ()
    """Markers that end calls or stand around them, and say nothing more."""


def marked(name: str, opens: str, closes: str = "", *around: str) -> Format:
    """JSON or Python calls behind a marker; the one that ends them may be missing."""
    until = re.compile("|".join(re.escape(each) for each in (closes, opens) if each))

    def read(bodies: Bodies, _: Opening) -> Found:
        yield from bodies.trusted(until)

    return Format(name, (opens,), read, around=tuple(filter(None, (closes, *around))))


def named(name: str, opens: tuple[str, ...], opening: str, closes: str = "", *around: str) -> Format:
    """The name of the tool, matched by the group `name` of `opening`, and behind it JSON."""
    until = re.compile("|".join(re.escape(each) for each in (closes, *opens) if each))

    def read(bodies: Bodies, opening: Opening) -> Found:
        yield from bodies.arguments(opening.name, opening.start, until)

    around = tuple(filter(None, (closes, *around)))
    return Format(name, opens, read, re.compile(opening), _BEGUN, around=around)
