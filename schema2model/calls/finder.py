"""Finds the calls in a text: between markers, thinking and prose."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from schema2model.calls.call_parser import Arriving, CallParser, CallStart
from schema2model.calls.call_texts import NO_CALL, CallSteps
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import Format
from schema2model.calls.markers import (
    FENCE,
    FINAL,
    FINAL_BEGUN,
    FINAL_END,
    FINAL_HEADER,
    OTHER_TURNS,
    PROSE_CHARACTER,
    ROLE_BEGUN,
    THOUGHTS,
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
from schema2model.calls.text_source import CONTEXT, SpentError, Steps, TextSource
from schema2model.calls.tool_names import ToolNames
from schema2model.calls.unread_calls import python_calls, unread_call
from schema2model.limits import MAX_CALL_STARTS, MAX_CALLS, MAX_REFUSED_CALLS
from schema2model.text.wrapping.thinking import THINKING

__all__ = ["DRAFTS", "Finder", "Markers", "State"]

DRAFTS: Final = object()
"""Says that all before it was thinking, whose beginning was not written."""

_SPENT: Final = "too much of the text was read in vain; no more is read after this"
_BRACKET_OR_LINE: Final = re.compile(r"[<\[{(\n]")
_ACTION: Final = "Action:"
_ACTION_LINES: Final = 3
"""A call in prose that begins more than a word before its arguments, and its line breaks."""
_BEFORE_RECIPIENT: Final = ("commentary", "analysis", "to=")
_RECIPIENT: Final = re.compile(
    r"(?:(?:commentary|analysis)\s{0,9})?(?:t|to|to=\S{0,200}(?:\s{1,9}[a-z]{0,10}){0,2}\s{0,9})\Z"
)
"""Another one: harmony without its marks."""
_LONGEST_FENCE: Final = 32
_TICKS: Final = re.compile(r"`*\Z")
_CUT_FENCE: Final = re.compile(r"(?<!`)`{1,2}(?=`\Z)")
"""The first backticks of three, before the next one."""
_FENCE_END: Final = re.compile(r"```[ \t]*(?=\s|\Z)")
_FENCE_BEGUN: Final = re.compile(r"`{1,3}[ \t]*\Z")
_INNER_FENCE: Final = re.compile(r"\s{0,9}```")
_INNER_FENCE_BEGUN: Final = re.compile(r"\s{0,9}`{0,2}\Z")
"""The fence that a format has within its marks."""
_PROSE_BEGINS: Final = frozenset("*-#>_\"'(")
"""Characters other than letters and digits with which a line of prose begins."""
_NO_CALLS: Final = "[]"
"""The answer of a model that calls no tool."""
_NEVER: Final = re.compile("(?!)")


class _LimitError(Exception):
    """More places where a call may begin, calls or refused calls than may be read: the number."""


class State(enum.Enum):
    """The text before the reader, apart from marks."""

    QUIET = enum.auto()
    """Nothing but calls, or nothing at all, since the text or an unopened thinking."""
    THOUGHT = enum.auto()
    """Thinking, which nothing follows so far."""
    SPOKEN = enum.auto()
    """Prose, and perhaps calls after it."""


class _Lead(enum.Enum):
    """The text right before the reader: it decides which blanks and fences are not shown."""

    CALL = enum.auto()
    """A call or marker: the blanks after it are left out."""
    FENCED_CALL = enum.auto()
    """A call whose fence was left out: the one after it is, too."""
    PROSE = enum.auto()


class Finder:
    """Finds the calls in a source, and shows the prose between them."""

    state = State.QUIET
    thought = (0, 0)
    """The span of the thinking in the state `THOUGHT`."""
    _may_be_shown = False
    """True within a code block whose calls are text if prose follows it."""
    _lead = _Lead.CALL
    _unread_marker: int | None = None
    """Number of characters of the pieces before the first marker of calls, if there was one."""
    _is_reopened = False
    """True if a marker since the last call begins another one."""
    _places = 0
    """Number of places at which a call may begin that were read."""
    _calls = 0
    """Number of calls that were read."""
    refused = 0
    """Number of them that were refused, as the reader of their arguments counts them."""
    _introduced = False
    """True if there is prose since the last call or thinking."""
    _fences = 0
    """Number of code fences in the text outside of calls."""
    _ticks = ""
    """Backticks at the end of the prose that may become another one."""
    _calls_before_prose = 0
    """Number of them before the last prose."""
    prose_end = 0
    """The offset after the last prose."""

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
        self.parser = CallParser(source, names, markers.call)
        self._thinks = thinks
        self._names = names
        self._markers = markers
        self._show = show
        self._shown = self._begins = source.place
        """The offset of the prose that was not shown, and of all since the last call."""
        self._reading = source.place
        """The offset of the text being parsed, after its last call."""
        self._pieces: list[tuple[int, str]] = []
        """The prose since the last call or thinking, and its offsets."""
        self._mentions: list[tuple[int, str]] = []
        """The same with programs, results and code in sentences."""

    def run(self) -> Iterator[Any]:
        """Yield each `RawCall`, DRAFTS, or None where more text is needed."""
        try:
            yield from self._search()
        except _LimitError as error:
            begins, problem = self.source.place, f"after {error} no more is read"
        except SpentError:
            begins, problem = self._reading, _SPENT
            self.parser.arriving = None
            self._fence(begins)
        else:
            return
        place = self.source.place
        yield RawCall("", "", begins, place, problem=problem)
        yield from self._plain(_NEVER)

    def _search(self) -> Steps[None]:
        """Read the text; raise an error after too much of it."""
        source, markers = self.source, self._markers
        while True:
            candidate = markers.candidate if source.ended else markers.candidate_or_begun
            found = candidate.search(source.text, source.at)
            if found is None or (found.end() == len(source.text) and not source.ended):
                # a match at the end of the text may become a longer marker
                source.at = found.start() if found else len(source.text)
                if source.ended:
                    break
                self._prose(self._certain(source.place))
                source.awaited = (_NEVER.match, candidate.match, 0) if found else None
                yield
                continue
            at = source.at = found.start()
            start = source.offset + at
            marker = found[0]
            if (yield from self._passes(marker, start)):
                continue
            if len(marker) > 1 and marker != OBSERVATION:
                yield from self._pass(marker, start)
            else:
                source.at = start - source.offset + 1
        self._prose(source.place)
        yield from self._unread(ended=True)

    def _passes(self, marker: str, start: int) -> Steps[bool]:
        """Pass what a marker begins; False if that is not a mention, turn, example or call."""
        source, markers = self.source, self._markers
        may_be_mentioned = (
            source.text[source.at - 1] == "`" or marker == OBSERVATION or marker in RESULTS
        )
        return (
            (may_be_mentioned and (yield from self._mentioned(marker)))
            or (marker in markers.declared_turns and (yield from self._marked(marker, start)))
            or (marker in OTHER_TURNS and (yield from self._other_turn(marker, start)))
            or (self._may_be_example(marker, start) and (yield from self._example(start)))
            or (marker in markers.formats and (yield from self._marked(marker, start)))
        )

    @property
    def arriving(self) -> Arriving | None:
        """The call that is being read, unless it may be an example."""
        return None if self._may_be_shown else self.parser.arriving

    def _unread(self, *, ended: bool = False) -> list[RawCall]:
        """The calls in the prose that no format reads; `ended` if nothing follows them."""
        pieces, mentions, marker = self._pieces, self._mentions, self._unread_marker
        self._pieces, self._mentions = [], []
        self._unread_marker, self._introduced = None, False
        if not self._thinks:
            return []
        calls = python_calls(mentions, self._names) if "(" in self._markers.formats else []
        if pieces and not calls and self._markers.are_all:
            first = self._calls == 0
            call = unread_call(pieces, self._names, marker=marker, ended=ended, first=first)
            if call:
                call.may_be_rest = not (call.name or self._is_reopened)
                calls = [call]
        self._calls += len(calls)
        return calls

    def _is_fence_open(self, end: int) -> bool:
        """Return whether the text before `end` is within a code block."""
        shown = self.source.slice(self._shown, end)
        return (self._fences + (self._ticks + shown).count("```")) % 2 == 1

    def _enter(self, state: State, thought: tuple[int, int] = (0, 0)) -> None:
        """Change the state, for what was passed: a call does not take back that there is prose."""
        if state is State.SPOKEN:
            self._calls_before_prose = self._calls
        if not (state is State.QUIET and self.state is State.SPOKEN):
            self.state, self.thought = state, thought

    def _count(self, start: int) -> None:
        """Count a place at which a call may begin."""
        self._places += 1
        if reached := self._reached():
            self.source.at = start - self.source.offset
            raise _LimitError(reached)

    def _reached(self) -> str:
        """Return the limit that was reached, in words; an empty string if none was."""
        if self._places > MAX_CALL_STARTS:
            return f"{MAX_CALL_STARTS:,} places where a call may begin"
        if self.refused >= MAX_REFUSED_CALLS:
            return f"{MAX_REFUSED_CALLS:,} refused calls"
        return f"{MAX_CALLS:,} calls" if self._calls >= MAX_CALLS else ""

    # --------------------------------------------------------------------------------- prose
    def _plain(self, end: re.Pattern[str]) -> Steps[None]:
        """Show the text up to a delimiter, in which no call is read."""
        source = self.source
        self._prose(source.place)
        pieces, self._pieces = self._pieces, []  # what is only mentioned or answered is not judged
        for _ in source.find(end, self._markers.longest):
            self._prose(source.place)
            source.awaited = None  # all that comes is shown
            yield
        self._prose(source.place)
        self._pieces = pieces

    def _certain(self, end: int) -> int:
        """The end of the prose before `end`, whatever comes: the last word may belong to a call."""
        source = self.source
        first = max(self._shown, end - CONTEXT)
        if cut := _CUT_FENCE.search(source.slice(max(self._shown, first - 3), first + 1)):
            first -= len(cut[0])
        text = source.slice(first, end)
        if not (words := text.rsplit(None, 1)):
            return first
        held = text.rfind(words[-1])
        action = text.rfind(_ACTION)
        if action >= 0 and text.count("\n", action) <= _ACTION_LINES:
            held = min(held, action)
        for word in _BEFORE_RECIPIENT:
            at = text.rfind(word)
            if at >= 0 and _RECIPIENT.match(text, at):
                held = min(held, at - len("assistant") * text.endswith("assistant", 0, at))
        if fence := FENCE.search(text, max(held - _LONGEST_FENCE, 0), held):
            held = fence.start()
        return first + held

    def _prose(self, end: int) -> None:
        """Show the prose up to here."""
        if end <= self._shown:
            return
        text = self.source.slice(self._shown, end)
        self._shown = end
        parts = (self._ticks + text).split("```")
        outside = parts[self._fences % 2 :: 2]
        self._fences += len(parts) - 1
        self._ticks = _TICKS.search(parts[-1])[0]  # type: ignore[index]
        if self._lead is not _Lead.PROSE:
            text = text.lstrip()
            if text and self._lead is _Lead.FENCED_CALL:
                text = text.removeprefix("```").lstrip()
                self._lead = _Lead.CALL
        if text:
            self._lead = _Lead.PROSE
            self._show(text)
            self._pieces.append((end - len(text), text))
            self._mentions.append((end - len(text), text))
        if PROSE_CHARACTER.search(text) or (
            self.state is State.THOUGHT and text.strip() == _NO_CALLS
        ):
            self._introduced |= any(map(PROSE_CHARACTER.search, outside))
            self._enter(State.SPOKEN)
            self.prose_end = end

    def _mentioned(self, marker: str) -> Steps[bool]:
        """Pass a text in which calls are only mentioned; False if a marker does not begin one."""
        source = self.source
        first = max(source.place - CONTEXT, self._begins)
        line = source.slice(first, source.place).rpartition("\n")[2]
        end = None
        if marker in RESULTS:
            end = RESULT_END
        elif marker != OBSERVATION:
            end = INLINE_END if is_inline_code(line) else None
        elif not line.strip():
            source.at += len(marker)
            bracket = yield from source.find(_BRACKET_OR_LINE, 1)
            end = OBSERVATION_END if bracket and bracket[0] != "\n" else None
        if end is not None:
            yield from self._plain(end)
        return end is not None

    def _other_turn(self, marker: str, start: int) -> Steps[bool]:
        """Pass the turn of another, which the model invents, and all after it."""
        source = self.source
        if self._is_fence_open(start):
            return False
        source.at = start - source.offset + len(marker)
        is_after_call = self._calls > 0 and marker in TURNS
        if not (is_after_call or (yield from source.header(OTHER_TURNS[marker], ROLE_BEGUN))):
            source.again(start)
            return False
        self._prose(start)
        yield from self._unread()
        yield from source.find(_NEVER, 1)
        self._shown = source.place
        return True

    def _may_be_example(self, marker: str, start: int) -> bool:
        """Return whether a marker is right after a fence that prose introduces."""
        if marker != "<" and not (
            len(marker) > 1 and (marker in self._markers.formats or marker in self._markers.calling)
        ):
            return False
        lines = self.source.slice(max(start - _LONGEST_FENCE - 1, self._begins), start)
        fence = FENCE.search(lines)
        if fence is None:
            return False
        self._prose(start - len(lines) + fence.start())
        return self._introduced and self._is_fence_open(start)

    def _example(self, start: int) -> Steps[bool]:
        """Show a code block of calls that prose follows; False if it is none."""
        source = self.source
        self._may_be_shown = True
        while (yield from self._passes_call()):
            pass
        char = yield from source.blanks()
        is_example = char == "`" and bool((yield from source.header(_FENCE_END, _FENCE_BEGUN)))
        if is_example:
            end = source.place
            char = yield from source.blanks()
            is_example = char.isalnum() or char in _PROSE_BEGINS
        self._may_be_shown = False
        if not is_example:
            source.again(start)
            return False
        source.again(end)
        pieces, self._pieces = self._pieces, []  # an example is not judged
        self._prose(end)
        self._pieces = pieces
        return True

    def _passes_call(self) -> Steps[bool]:
        """Pass a marker and the calls that it begins; False if none is next."""
        source, markers = self.source, self._markers
        yield from source.blanks()
        while not source.ended and len(source.text) - source.at < markers.longest:
            source.awaited = None
            yield
        found = markers.mark.match(source.text, source.at)
        if not found or (len(found[0]) == 1 and found[0] != "<"):
            return False
        start = source.place
        for format_, _, _ in markers.begun(found[0], ""):
            if (yield from self._passes_format(format_, found[0])):
                return True
            source.again(start)
        source.at += len(found[0]) if len(found[0]) > 1 else 0
        return len(found[0]) > 1

    def _passes_format(self, format_: Format, marker: str) -> Steps[bool]:
        """Pass the calls of a format after its marker; False if there are none."""
        source, start = self.source, self.source.place
        source.at += len(marker)
        opened = yield from source.header(format_.opening, format_.begun)
        if opened is None or (format_.bare and self._names.find(name_in(opened)) is None):
            return False
        if len(marker) == 1:
            source.at = start - source.offset
        is_call = False
        for item in format_.read(self.parser, CallStart(start, name_in(opened))):
            if item is None:
                yield
            is_call = is_call or item is not None
        if is_call and "```" in opened[0]:
            yield from source.header(_INNER_FENCE, _INNER_FENCE_BEGUN)
        return is_call

    # ------------------------------------------------------------------------------- markers
    def _marked(self, marker: str, start: int) -> Steps[bool]:
        """Read what a marker begins; False if it is not a call."""
        source, markers = self.source, self._markers
        before = ""
        is_bracket = len(marker) == 1
        never_ends = is_bracket and self.parser.never_ends()
        if marker in markers.after_text:
            first = max(self._begins, start - CONTEXT)
            before = "\n" * (first == self._begins) + source.slice(first, start)
            if marker == "(" and "```" in before and is_program(before):
                yield from self._plain(markers.program_end)
                return True
        for format_, name, length in markers.begun(marker, before):
            if never_ends and format_.bare and format_.json == "calls":
                continue
            source.at = start - source.offset + len(marker)
            opened = yield from source.header(format_.opening, format_.begun)
            if opened is None and source.ended and format_.begun.match(source.text, source.at):
                text = source.text + "\0"  # the end is a character
                opened = format_.opening.match(text, source.at)
                source.at = len(source.text)
            if opened is None:
                continue
            self._count(start)
            name = name or name_in(opened)  # noqa: PLW2901 - it is in one of the two
            if name and format_.bare and self._names.find(name) is None:
                continue
            if is_bracket:  # with which the value begins
                source.at = start - source.offset
            begins = start - length
            alone = length > 0 and self.state is not State.SPOKEN
            alone = alone and not PROSE_CHARACTER.search(source.slice(self._shown, begins))
            written = source.slice(begins, start) + opened[0]
            opening = CallStart(begins, name, alone, fenced="```" in written)
            if (yield from self._read(format_, opening)):
                return True
            source.again(start)
        return False

    def _pass(self, marker: str, start: int) -> Steps[None]:
        """Pass a marker that begins no call, and the thinking, answer or turn that it begins."""
        source, markers = self.source, self._markers
        is_plain = marker in markers.plain
        if not is_plain:
            self._count(start)
        source.at = start - source.offset + len(marker)
        self._prose(start)
        self._is_reopened |= marker in markers.formats
        is_first = marker in markers.calling and self._unread_marker is None
        if is_first and (self._pieces or not is_plain):  # else it ends a call
            self._unread_marker = sum(len(piece) for _, piece in self._pieces)
        if marker == FINAL and (yield from source.header(FINAL_HEADER, FINAL_BEGUN)):
            self._passed()
            yield from self._plain(FINAL_END)
        elif self._thinks and marker in THOUGHTS:
            begins = source.place
            ending = yield from source.find(THOUGHTS[marker], 40)
            end = source.place - (len(ending[0]) if ending else 0)
            self._enter(State.THOUGHT, (begins, end))
        elif self._thinks and marker in THINKING.values():
            self.state = State.QUIET
            self._pieces, self._mentions = [], []
            self._unread_marker, self._introduced = None, False
            yield DRAFTS
        self._passed()
        self._calls_before_prose = self._calls

    def _read(self, format_: Format, opening: CallStart) -> Steps[bool]:
        """Read the calls of a format from here on; False if there are none after all."""
        self._reading = opening.start
        if not self.source.ended:  # else it is shown with the call
            self._prose(self._certain(opening.start))
        # the rest of the prose waits: if a call follows, a fence at its end is not shown
        found = False
        for item in _meant(format_.read(self.parser, opening)):
            if item is None:
                yield
                continue
            if not found:
                found = True
                self._fence(opening.start)
                yield from self._unread()
            self._enter(State.QUIET)
            self._is_reopened = False
            item.format = format_.name
            item.may_repeat = format_.bare and self._calls_before_prose > 0
            self._calls += 1
            self._reading = item.end
            yield item
            if self._reached():
                break
        # a format with markers of its own is a call that failed; one without them is prose
        if not found:
            if format_.bare:
                return False
            self._fence(opening.start)
        if opening.fenced:  # damaged arguments are read with the end of their fence
            read = self.source.slice(opening.start, self.source.place)
            self._fences += not read.rstrip().endswith("```")
        self._passed(fenced=opening.fenced)
        return True

    def _fence(self, end: int) -> None:
        """Show the prose up to a call, without the fence around it."""
        end = max(end, self._shown)
        text = self.source.slice(self._shown, end)
        was_fenced = self._lead is _Lead.FENCED_CALL
        is_end = was_fenced and text.strip() == "```"  # of the fence around the last call
        fence = None if is_end else FENCE.search(text)
        self._prose(self._shown + fence.start() if fence else end)
        self._shown, self._ticks = end, ""
        if fence:
            self._fences += 1
            self._lead = _Lead.FENCED_CALL

    def _passed(self, *, fenced: bool = False) -> None:
        """Continue after a call or marker."""
        self._shown = self._begins = self.source.place
        self._ticks = ""
        if fenced:
            self._lead = _Lead.FENCED_CALL
        elif self._lead is _Lead.PROSE:
            self._lead = _Lead.CALL


def _meant(reading: CallSteps) -> CallSteps:
    """The calls of a block; the first text that is not a call only if there is nothing else."""
    found, spare = False, None
    for item in reading:
        if item is not None and item.problem == NO_CALL and spare is None:
            spare = item
        else:
            found = found or item is not None
            yield item
    if spare is not None and not found:
        yield spare
