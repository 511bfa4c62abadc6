"""Finds the calls in a text: between markers, thinking and prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from schema2model.calls.call_parser import CallParser, CallStart
from schema2model.calls.call_texts import NO_CALL
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import Format
from schema2model.calls.markers import (
    ANALYSIS,
    ANALYSIS_END,
    FENCE,
    FINAL,
    FINAL_BEGUN,
    FINAL_END,
    FINAL_HEADER,
    NOT_PROSE,
    TURNS,
    Markers,
    name_in,
)
from schema2model.calls.mentions import (
    INLINE_END,
    OBSERVATION,
    OBSERVATION_END,
    RESULT_END,
    RESULTS,
    is_inline_code,
    is_program,
)
from schema2model.calls.text_source import CONTEXT, HEADER, SpentError, Steps, TextSource
from schema2model.calls.tool_names import ToolNames
from schema2model.calls.unread import unread_call
from schema2model.limits import MAX_CALL_STARTS, MAX_CALLS
from schema2model.text.wrapping.thinking import THINKING

__all__ = ["DRAFTS", "Finder", "FoundCall", "Markers"]

DRAFTS: Final = object()
"""Says that all before it was thinking, whose beginning was not written."""

_TOO_MANY: Final = (
    f"after {MAX_CALLS:,} calls, or {MAX_CALL_STARTS:,} places where one may begin, no more is read"
)
_SPENT: Final = "too much of the text was read in vain; no more is read after this"
_BRACKET_OR_LINE: Final = re.compile(r"[<\[{(\n]")
_ACTION: Final = "Action:"
_ACTION_LINES: Final = 3
"""The one call in prose that begins more than a word before its arguments, and its line breaks."""
_LONGEST_FENCE: Final = 32


class _LimitError(Exception):
    """More places where a call may begin, or calls, than may be read."""


class FoundCall(NamedTuple):
    """A call that was found."""

    format: str
    written: RawCall
    again: bool
    """True if it is in prose after other calls, which it may only repeat."""


class Finder:
    """Finds the calls in a source, and shows the prose between them."""

    def __init__(
        self,
        source: TextSource,
        names: ToolNames,
        markers: Markers,
        show: Callable[[str], Any],
        *,
        thinks: bool = True,
    ) -> None:
        self.source = source
        self.parser = CallParser(source, names)
        self.thought: tuple[int, str] | None = None
        """The offset and the text of the last thinking, while nothing follows it."""
        self._thinks = thinks
        self._names = names
        self._markers = markers
        self._show = show
        self._shown = self._begins = source.place
        """The offset of the prose that was not shown, and of all since the last call."""
        self._prosaic = False
        """True if prose was shown after the last call or marker; blanks before it are left out."""
        self._fenced = False
        """True if the fence before a call was left out; the one after it is, too."""
        self.silent = True
        """True if there is nothing after the last call or marker."""
        self._quiet = True
        """True if there was no prose yet."""
        self._reading = source.place
        """The offset of the text being parsed, after its last call."""
        self._pieces: list[tuple[int, str]] = []
        """The prose since the last call or thinking, and its offsets."""
        self._unread_marker: int | None = None
        """Number of its characters before the first marker of calls, if there was one."""
        self._places = 0
        self._calls = 0
        self._block = 0
        """How many calls were read, and how many before the last prose."""

    def run(self) -> Iterator[Any]:
        """Yield each `FoundCall`, DRAFTS, or None where more text is needed."""
        try:
            yield from self._search()
        except _LimitError:
            begins, problem = self.source.place, _TOO_MANY
        except SpentError:
            begins, problem = self._reading, _SPENT
            self.parser.arriving = None
            self._fence(begins)
        else:
            return
        place = self.source.place
        yield FoundCall("", RawCall("", "", begins, place, problem=problem), again=False)
        yield from self._rest(shown=True)

    def _search(self) -> Steps[None]:
        """Read the text.

        Raises:
            _LimitError: after too many places where a call may begin, or calls.
            SpentError: after too much text that was read in vain.

        """
        source, markers = self.source, self._markers
        while True:
            candidate = markers.candidate if source.ended else markers.candidate_or_begun
            found = candidate.search(source.text, source.at)
            if found is None:
                source.at = len(source.text)
                if source.ended:
                    self._prose(source.place)
                    yield from self._unread(ended=True)
                    return
                self._prose(self._certain(source.place))
                source.release()
                yield
                continue
            source.at = found.start()
            start = source.place
            if not source.ended or source.offset:
                source.keep(min(self._shown, max(start - CONTEXT, source.offset)))
            if found.end() == len(source.text) and not source.ended:
                self._prose(self._certain(source.place))
                yield
                continue
            marker = found[0] if found[0] in markers.known else found[0][0]
            if mentioned := (yield from self._mentioned(marker)):
                yield from self._plain(mentioned)
                continue
            if marker in TURNS and self._calls:  # a made-up turn
                self._prose(start)
                yield from self._unread()
                yield from self._rest(shown=False)
                return
            if marker not in markers.known or not (yield from self._marked(marker, start)):
                source.at = start - source.offset + 1

    def _unread(self, *, ended: bool = False) -> Steps[None]:
        """Report a call in the prose that no format reads; `ended` if nothing follows it."""
        pieces, marker = self._pieces, self._unread_marker
        self._pieces, self._unread_marker = [], None
        if not (self._thinks and self._markers.are_all) or not any(
            text.strip(NOT_PROSE) for _, text in pieces
        ):
            return
        first = self._calls == 0
        call = unread_call(pieces, self._names, marker=marker, ended=ended, first=first)
        if call is not None:
            self._calls += 1
            yield FoundCall("", call, again=False)

    def _count(self, start: int) -> None:
        """Count a place at which a call may begin."""
        self._places += 1
        if self._places > MAX_CALL_STARTS or self._calls >= MAX_CALLS:
            self.source.at = start - self.source.offset
            raise _LimitError

    # --------------------------------------------------------------------------------- prose
    def _plain(self, end: re.Pattern[str]) -> Steps[None]:
        """Show the text up to a delimiter, in which no call is read."""
        source = self.source
        self._prose(source.place)
        pieces = self._pieces
        self._pieces = []  # what is only mentioned, or answered, is not judged
        for _ in source.find(end, self._markers.longest):
            self._prose(source.place)
            source.release()
            yield
        self._prose(source.place)
        self._pieces = pieces

    def _rest(self, *, shown: bool) -> Steps[None]:
        """Pass all that follows."""
        source = self.source
        while True:
            source.at = len(source.text)
            if shown:
                self._prose(source.place)
            source.release()
            self._shown = source.place
            if source.ended:
                return
            yield

    def _certain(self, end: int) -> int:
        """The end of the prose before `end`, whatever comes: the last word may belong to a call."""
        source = self.source
        if source.ended:
            return self._shown  # it is shown with the next call
        first = max(self._shown - source.offset, end - source.offset - CONTEXT, 0)
        text = source.text[first : end - source.offset]
        words = text.rsplit(None, 1)
        held = text.rfind(words[-1]) if words else 0
        action = text.rfind(_ACTION)
        if action >= 0 and text.count("\n", action) <= _ACTION_LINES:
            held = min(held, action)
        if fence := FENCE.search(text, max(held - _LONGEST_FENCE, 0), held):
            held = fence.start()
        return source.offset + first + held

    def _prose(self, end: int) -> None:
        """Show the prose up to here."""
        if end <= self._shown:
            return
        text = self.source.slice(self._shown, end)
        self._shown = end
        if not self._prosaic:
            text = text.lstrip()
            if text and self._fenced:
                text = text.removeprefix("```").lstrip()
                self._fenced = False
        if text:
            self._prosaic = True
            self._show(text)
            self._pieces.append((end - len(text), text))
        if text.strip(NOT_PROSE):
            self._quiet = False
            self._block = self._calls
            self.thought = None
            self.silent = False

    def _mentioned(self, marker: str) -> Steps[re.Pattern[str] | None]:
        """The end of a text in which calls are only mentioned."""
        if marker in RESULTS:
            return RESULT_END
        source = self.source
        if marker != OBSERVATION and not source.text.startswith("`", source.at - 1):
            return None
        first = max(source.at - CONTEXT, self._begins - source.offset, 0)
        line = source.text[first : source.at].rpartition("\n")[2]
        if marker != OBSERVATION:
            return INLINE_END if is_inline_code(line) else None
        if line.strip():
            return None
        source.at += len(marker)
        bracket = yield from source.find(_BRACKET_OR_LINE, 1)
        return OBSERVATION_END if bracket and bracket[0] != "\n" else None

    # ------------------------------------------------------------------------------- markers
    def _marked(self, marker: str, start: int) -> Steps[bool]:
        """Read what a marker begins; False if it is prose."""
        source = self.source
        before = self._before(start) if marker in self._markers.after_text else ""
        if marker == "(" and "```" in before and is_program(before):
            yield from self._plain(self._markers.program_end)
            return True
        for format_, name, length in self._markers.begun(marker, before):
            opening = yield from self._opening(format_, marker, start - length, name)
            if opening is not None:
                if (yield from self._read(format_, opening)):
                    return True
                source.again(start)
            source.at = start - source.offset
        if len(marker) == 1 or marker == OBSERVATION:
            return False
        if marker not in self._markers.plain:
            self._count(start)
        source.at = start - source.offset + len(marker)
        self._prose(start)
        ends_call = marker in self._markers.plain and not self._pieces
        if self._unread_marker is None and marker in self._markers.calling and not ends_call:
            self._unread_marker = sum(len(piece) for _, piece in self._pieces)
        yield from self._pass(marker)
        self._passed()
        self._block = self._calls
        return True

    def _pass(self, marker: str) -> Steps[None]:
        """Pass a marker that begins no call, and the thinking or answer that it begins."""
        if marker == FINAL and (yield from self.source.header(FINAL_HEADER, FINAL_BEGUN)):
            self._passed()
            yield from self._plain(FINAL_END)
        if not self._thinks:
            return
        if marker in THINKING:
            yield from self._think(re.compile(re.escape(THINKING[marker])))
        elif marker == ANALYSIS:
            yield from self._think(ANALYSIS_END)
        elif marker in THINKING.values():
            self.silent = True
            self._pieces, self._unread_marker = [], None
            yield DRAFTS

    def _before(self, start: int) -> str:
        """The prose before a place, with a line break where it begins."""
        first = max(self._begins, start - CONTEXT, self.source.offset)
        return "\n" * (first == self._begins) + self.source.slice(first, start)

    def _opening(
        self, format_: Format, marker: str, begins: int, name: str
    ) -> Steps[CallStart | None]:
        """The opening of a format after this marker, passed; None if it is none.

        The call begins at `begins`, where its name may be.
        """
        source = self.source
        start = source.place
        source.at += len(marker)
        opened = yield from source.header(format_.opening, format_.begun)
        if opened is None:
            if not source.ended or len(source.text) - source.at >= HEADER:
                return None
            opened = format_.opening.match(source.text + "\0", source.at)  # the end is a character
            if opened is None:
                return None
            source.at = len(source.text)
        self._count(start)
        if len(marker) == 1:  # it is the bracket with which the value begins
            source.at = start - source.offset
        name = name or name_in(opened)
        if name and format_.bare and self._names.find(name) is None:
            return None
        first = max(self._shown - source.offset, 0)
        alone = self._quiet and not source.text[first : begins - source.offset].strip(NOT_PROSE)
        return CallStart(begins, name, alone, fenced="```" in opened[0])

    def _read(self, format_: Format, opening: CallStart) -> Steps[bool]:
        """Read the calls of a format from here on; False if there are none after all."""
        self._reading = opening.start
        self._prose(self._certain(opening.start))
        reading = format_.read(self.parser, opening)
        found, spare = False, None
        while True:
            try:
                item = next(reading)
            except StopIteration as end:
                if not found and (end.value is False or (format_.bare and spare is None)):
                    return False
                if found or spare is None:
                    break
                item = spare
            if item is None:
                yield
                continue
            if item.problem == NO_CALL and spare is None:
                spare = item
                continue
            if not found:
                found = True
                self._fence(opening.start)
                yield from self._unread()
            self.thought = None
            again = format_.bare and self._block > 0
            self._calls += 1
            self._reading = item.end
            yield FoundCall(format_.name, item, again)
            if self._calls == MAX_CALLS:
                break
        self._end(opening)
        return True

    def _end(self, opening: CallStart) -> None:
        """Pass the markers after calls."""
        source = self.source
        tail = self._markers.tail.match(source.text, source.at)
        if tail and (source.ended or len(source.text) - tail.end() >= self._markers.longest):
            source.at = tail.end()  # else the last of them may become a longer one
            self._block = self._calls
        self._passed()
        self._fenced |= opening.fenced

    def _fence(self, end: int) -> None:
        """Show the prose up to a call, without the fence around it."""
        pending = self.source.slice(self._shown, end) if end > self._shown else ""
        fence = FENCE.search(pending)
        self._prose(self._shown + fence.start() if fence else end)
        self._shown = max(self._shown, end)
        self._fenced = fence is not None

    def _passed(self) -> None:
        """Continue after a call or marker."""
        self._shown = self._begins = self.source.place
        self._prosaic = False

    def _think(self, end: re.Pattern[str]) -> Steps[None]:
        """Pass what is thought."""
        source = self.source
        begins = source.place
        source.keep(begins)
        ending = yield from source.find(end, 40)
        self.thought = (
            begins,
            source.slice(begins, source.place - len(ending[0]) if ending else source.place),
        )
        source.release()
