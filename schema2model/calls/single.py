"""Texts that are calls and little else, read at once by the readers of their formats.

Most answers are: thinking or prose, then calls. `Finder` reads any text; here no text is awaited,
and no prose is between calls. Where anything is unusual, only `Finder` decides.
"""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.call_parser import CallParser, CallStart
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import Format
from schema2model.calls.markers import FENCE, NOT_PROSE, Markers, name_in
from schema2model.calls.mentions import is_inline_code, is_program
from schema2model.calls.text_source import CONTEXT, HEADER, SpentError, TextSource
from schema2model.calls.tool_names import ToolNames
from schema2model.calls.unread import unread_call
from schema2model.limits import MAX_CALLS

__all__ = ["single_calls"]

_THINKING: Final = re.compile(r"(?:\s*<think>[^<]*</think>)?")
MAX_SINGLE: Final = 100_000
"""Maximum characters of a text: longer ones are read as all others are."""


def single_calls(text: str, names: ToolNames, markers: Markers) -> list[tuple[str, RawCall]]:
    """Return the calls of a text, each with its format's name; none if only `Finder` can tell."""
    if len(text) > MAX_SINGLE:
        return []
    reader = _SingleReader(text, names, markers)
    try:
        return reader.calls if reader.read() else []
    except SpentError:
        return []


class _SingleReader:
    """Reads a text as long as nothing in it is unusual."""

    __slots__ = ("_begins", "_markers", "_marks", "_parser", "_prose", "_source", "calls")

    def __init__(self, text: str, names: ToolNames, markers: Markers) -> None:
        self.calls: list[tuple[str, RawCall]] = []
        self._source = TextSource(text, ended=True)
        self._parser = CallParser(self._source, names)
        self._markers = markers
        self._begins = 0
        """The offset after the last call or marker."""
        self._prose = ""
        """The text before the first call, without markers."""
        self._marks: list[int] = []
        """Its length at each marker of calls."""

    def read(self) -> bool:
        """Read the text; False if anything is unusual."""
        source, markers = self._source, self._markers
        text = source.text
        source.at = _THINKING.match(text).end()  # type: ignore[union-attr]
        marked = self._pass_markers()  # after a call
        while found := markers.candidate.search(text, source.at):
            start = found.start()
            marker = found[0] if found[0] in markers.known else found[0][0]
            format_, opening = self._opening(start, marker)
            between = text[self._begins : start if opening is None else opening.start]
            if self.calls and between.strip(NOT_PROSE):
                return False
            if text[start - 1 : start] == "`" and is_inline_code(text[self._begins : start]):
                return False
            self._prose += between
            if format_ is None or opening is None:
                if marker not in markers.plain and marker not in markers.calling:
                    return False
                if self._prose or marker not in markers.plain:
                    self._marks.append(len(self._prose))
                self._begins = source.at = start + len(marker)
                marked = True
            elif (marked and self.calls and format_.bare) or not self._read(format_, opening):
                return False
            else:
                marked = self._pass_markers()
        return not text[self._begins :].strip(NOT_PROSE)

    def _pass_markers(self) -> bool:
        """Pass markers that say nothing; return whether there were any."""
        passed = self._markers.tail.match(self._source.text, self._source.at)
        if passed is not None:
            self._source.at = passed.end()
        self._begins = self._source.at
        return passed is not None

    def _opening(self, start: int, marker: str) -> tuple[Format | None, CallStart | None]:
        """The format that begins with a marker, and the beginning of its call, passed."""
        text, before = self._source.text, ""
        if marker in self._markers.after_text:
            first = max(self._begins, start - CONTEXT)
            before = "\n" * (first == self._begins) + text[first:start]
            if marker == "(" and "```" in before and is_program(before):
                return None, None
        at = start + len(marker)
        for format_, name, length in self._markers.begun(marker, before):
            opened = format_.opening.match(text, at, at + HEADER)
            if opened is not None:
                self._source.at = start if len(marker) == 1 else opened.end()
                return format_, CallStart(start - length, name or name_in(opened))
        return None, None

    def _read(self, format_: Format, opening: CallStart) -> bool:
        """Read the calls after an opening; False if they are not certain."""
        names = self._parser.names
        opening.alone = not self._prose.strip(NOT_PROSE)
        if opening.name and names.find(opening.name) is None:
            return False
        if not self.calls and not opening.alone and self._markers.are_all:
            fence = FENCE.search(self._prose, self._marks[-1] if self._marks else 0)
            pieces = [(0, self._prose[: fence.start()] if fence else self._prose)]
            marker = self._marks[0] if self._marks else None
            if unread_call(pieces, names, marker=marker, ended=False, first=True):
                return False
        number = len(self.calls)
        for call in format_.read(self._parser, opening):
            if call is None or call.problem or len(self.calls) == MAX_CALLS:
                return False
            self.calls.append((format_.name, call))
        return len(self.calls) > number
