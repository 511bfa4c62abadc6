"""`Scan`: reads a text from left to right, one thing after the other: prose, asides, calls."""

from __future__ import annotations

import re
from typing import Any, Final

from schema2model.calls import problems
from schema2model.calls.bare import BARE_LINE, Searched, name_before, read_bare
from schema2model.calls.blocks import begin_of, has_parameters, read_block
from schema2model.calls.call_types import RawCall
from schema2model.calls.delimiting import (
    after_blanks,
    block_end,
    delimiters,
    failed_at,
)
from schema2model.calls.expressions import NAME
from schema2model.calls.fences import Fences
from schema2model.calls.formats.records import Record
from schema2model.calls.marks import LONGEST, Aside, Marks, held_from
from schema2model.calls.prose import PROSE, Prose
from schema2model.calls.quotations import is_in_value, is_mention, quotation_end
from schema2model.calls.tool_names import ToolNames
from schema2model.calls.unread import python_calls, unread_call
from schema2model.limits import (
    MAX_CALL_STARTS,
    MAX_CALLS,
    MAX_FAILED_PARSING,
    MAX_REFUSED_CALLS,
)
from schema2model.regexes import regex

__all__ = ["Scan"]

_LINE: Final = regex(BARE_LINE)
_SENTENCE: Final = regex(r"[^<|\[\]]*[^\W\d_]\s+")
_LONGEST_END: Final = 80
"""Maximum characters of the end of what is shown and holds no call."""
_HEAD: Final = 200
"""Characters after a mark in which the name of a call is."""
_SHORT: Final = 4
"""Minimum characters of a text that is a whole: a bracket or a fence is part of the prose."""
_TOOL_END: Final = regex(r"</([^<>\s]{1,200})>")
_NAMED: Final = regex(rf"\s*({NAME})")
_TAG_BEGUN: Final = regex(r"<[^<>\s]{0,200}")
_TAG_ENDS: Final = regex(r"[<>\s]")
_TAG_CLOSES: Final = regex(">")
_NAME_BEGUN: Final = regex(r"[ \t]*[\w.:/-]{1,200}")
_IS_END: Final = regex(r"</|<\|/|\[/|```|.*(?:end|close|suffix|RESULT)")
_ANSWER: Final = regex(r"\n(?=[ \t]*Final Answer:)")
_OPENERS: Final = regex("[{(<]")
_BRACKET: Final = regex(r"\s*(?:[\[{(<`\"']|\Z)")


class Scan:
    """How far a text was read, and what was found in it. `read` goes on from there."""

    def __init__(self, marks: Marks, names: ToolNames, *, thinks: bool = True) -> None:
        self.marks, self.names, self.thinks = marks, names, thinks
        self.at = 0
        self.calls: list[RawCall] = []
        self.prose = Prose()
        self.drafted = 0
        """Number of the calls that were drafts."""
        self.awaited: re.Pattern[str] | None = None
        """The text that has to arrive before more can be read; None for any."""
        self.pending: tuple[int, Record | None] | None = None
        """The offset of a call that is not complete, and its record if it has marks."""
        self._fences = Fences(marks, names)
        self._unclosed_keys: set[str] = set()
        """Names of parameters whose tags do not end."""
        self._sentences: set[Record] = set()
        """Formats whose mark with words after it has no end: those after it have none."""
        self._vain = 0
        """Characters of values that were read in vain."""
        self._announced: list[RawCall] = []
        """Calls without marks before one that has marks."""
        self._family = ""
        self._since = 0
        """The offset after the last call, aside or mark around calls."""
        self._settled = 0
        """The offset after the last call."""
        self._aside: re.Pattern[str] | None = None
        """The end of what is shown and holds no call, where that has begun."""
        self._waits_from = 0
        """The offset from which on more text is needed to decide."""
        self._searched = Searched()
        self._is_over = False
        self._is_full = False
        """Whether a limit is reached."""
        self._starts = self._found_calls = self._refused_calls = 0

    def read(self, text: str, *, ended: bool) -> None:
        """Read on, as far as nothing that arrives changes what was read."""
        self.awaited, self.pending = None, None
        if not ended and _TAG_BEGUN.fullmatch(text, self.at):
            self.awaited = _TAG_ENDS
            return
        while not self._is_over and self.at < len(text):
            if self._aside and not self._read_aside(text, self._aside, ended=ended):
                break
            mark = self.marks.search(text, self.at, self._family)
            start = mark[2].start() if mark else len(text)
            if not ended and (held := self._held(text, mark, start)) is not None:
                self._show(text, held)
                return
            if mark is None:
                break
            if self._has_too_many(start):
                break
            self._waits_from = start
            after = self._pass(text, mark, ended=ended)
            if after is None:
                self._show(text, self._waits_from)
                return
            self.at = max(after, self.at)
            self._starts += mark[0] not in {"silent", "fence", "turn"}
        if not self._is_over and (ended or not self._aside):
            self._show(text, len(text))
        if ended:
            self._end(text)

    def _has_too_many(self, start: int) -> bool:
        """Return whether a limit is reached, so that all that follows is prose; report it once."""
        for count, limit, what in (
            (self._starts, MAX_CALL_STARTS, "places where a call may begin"),
            (self._found_calls, MAX_CALLS, "calls"),
            (self._refused_calls, MAX_REFUSED_CALLS, "refused calls"),
        ):
            if count >= limit and not self._is_full:
                self._is_full = True
                problem = problems.too_many(limit, what)
                self.calls.append(RawCall("", "", start, start, problem=problem))
        return self._is_full

    def _count(self, calls: list[RawCall]) -> None:
        self._found_calls += len(calls)
        self._refused_calls += sum(
            bool(call.problem) or self.names.find(call.name) is None for call in calls
        )

    def _held(self, text: str, mark: Any, start: int) -> int | None:
        """The offset from which on the text may become another mark; None if it cannot."""
        if mark and mark[0] == "aside" and not self.marks.candidates.search(text, self.at, start):
            return None
        held = held_from(self.marks, text, self.at, start)
        if held < start or (mark is None and held < len(text)):
            line = max(text.rfind("\n", 0, held) + 1, self.at)
            return line if _NAME_BEGUN.fullmatch(text, line, held) else held
        may_grow = mark is not None and mark[0] in {"silent", "inner"}
        return start if may_grow and len(text) - start < LONGEST else None

    def _end(self, text: str) -> None:
        """Decide on what may be calls or prose, as nothing follows."""
        self.prose.show_fence()
        self.calls += self.prose.released(are_calls=True)
        for call in self._announced if self.thinks else ():
            call.may_repeat = call.lacks_marks = True
            self.calls.append(call)
        self._announced.clear()
        if self.marks.reads_bare and self.thinks and not (self._is_over or self._is_full):
            unread = self._unread(text)
            self.calls += unread

    def _unread(self, text: str) -> list[RawCall]:
        """The calls that prose was meant to be, as far as one can tell."""
        calls = python_calls(text, self.names) if not self._family else []
        if calls and self.calls:
            known = {call.start for call in self.calls}
            new = [c for c in calls if c.start not in known and self.names.find(c.name) is None]
            self.calls = sorted((*self.calls, *new), key=lambda call: call.start)
            return []
        if calls:
            return calls
        if any(call.problem == problems.NO_BEGINNING for call in self.calls):
            return []  # it says so
        call = unread_call(text, self.prose.plain, self.names, {call.name for call in self.calls})
        return [call] if call else []

    # ----------------------------------------------------------------------------------- prose
    def _show(self, text: str, end: int, *, is_plain: bool = True) -> None:
        """Show the text up to an offset."""
        if end <= self.at:
            return
        begins, self.at = self.at, end
        self.prose.follows_calls = bool(self.calls)
        self.prose.add(text, begins, end, is_plain=is_plain)

    def _whole(self, text: str, start: int, end: int) -> int:
        """Pass text in which nothing is read."""
        self._show(text, start)
        self._show(text, end, is_plain=end - start < _SHORT)
        return end

    def _hide(self, text: str, start: int, end: int) -> int:
        """Pass a mark that is not shown."""
        self._show(text, start)
        self._since = end
        return end

    def _found(self, text: str, start: int, end: int, calls: list[RawCall], family: str) -> int:
        """Take the calls of a block."""
        self._refuse_quoted(text, start, calls)
        self._show(text, start)
        self._count(calls)
        for call in calls:
            call.slot = self.prose.keep_place()
        self.calls += calls
        self._announced += self.prose.released(are_calls=False)
        self._family = family
        return self._after(end)

    def _refuse_quoted(self, text: str, start: int, calls: list[RawCall]) -> None:
        """Refuse calls at `start` that a call may quote whose beginning is text."""
        for call in calls if self._is_in_value(text, start) else ():
            call.problem = call.problem or problems.MAY_BE_QUOTED

    def _is_in_value(self, text: str, start: int) -> bool:
        """Return whether a call whose beginning is text may have a value at `start`."""
        since = self._settled
        return since < start and is_in_value(text, start, since, self.names.keys)

    def _after(self, end: int) -> int:
        """Note the end of a call."""
        self._since = self._settled = end
        self.prose.after_call()
        return end

    # ----------------------------------------------------------------------------------- marks
    def _pass(  # noqa: C901 - one kind of mark after the other
        self, text: str, mark: tuple[str, Any, re.Match[str]], *, ended: bool
    ) -> int | None:
        """Pass what begins with a mark; None if more text is needed."""
        kind, payload, found = mark
        start, end = found.span()
        if kind == "fence":
            return self._pass_fence(text, start, ended=ended)
        if kind in {"value", "line"}:
            return self._pass_bare(
                text, start, _LINE.match(text, start) if kind == "line" else None, ended=ended
            )
        if end == len(text) and not ended and kind != "block":
            return None
        if kind == "aside":
            return self._pass_aside(text, start, payload, ended=ended)
        if kind == "turn":
            if not ended and len(text) - end < LONGEST:
                return None  # what follows may say that it is quoted
            self._show(text, start)
            self._is_over = True
            return len(text)
        if kind == "thought end" and self.thinks:
            self._show(text, start)
            self.drafted, self._family, self._settled = len(self.calls), "", end
            self.prose.thought, self.prose.strips = (0, start), True
            self.prose.released(are_calls=False)
            return end
        if kind == "block":
            return self._pass_block(text, start, payload, ended=ended)
        if kind == "parameter":
            return self._pass_parameter(text, found, ended=ended)
        if kind == "inner":
            return self._pass_inner(text, found, ended=ended)
        return self._hide(text, start, end)

    def _pass_aside(self, text: str, start: int, aside: Aside, *, ended: bool) -> int | None:
        """Pass thinking, or what is shown and holds no call."""
        begin = re.compile(aside.opens).match(text, start)
        if begin is None:
            return self._whole(text, start, start + 1)
        if aside.is_thinking and not self.thinks:
            return self._hide(text, start, begin.end())
        closes = aside.closes.replace("@t", re.escape(begin.groupdict().get("t") or ""))
        found = None
        if "bservation" in begin[0] and not (self.calls or self.prose.bare):
            found = _ANSWER.search(text, begin.end())  # nothing was called: it is all a quotation
            if found is None and not ended:
                return None
        found = found or re.compile(closes).search(text, begin.end())
        if found is None and not ended:
            if aside.is_thinking:
                return None
            self._show(text, start)
            self._show_aside(text, begin.end())
            self._aside = regex(closes)
            return begin.end()
        stop, end = found.span() if found else (len(text), len(text))
        self._show(text, start)
        if aside.is_thinking:
            self.prose.thought, self.prose.strips = (begin.end(), stop), True
            self._settled = end if not self._is_in_value(text, start) else self._settled
        else:
            self._show_aside(text, end)
        self._since = end
        return end

    def _show_aside(self, text: str, end: int) -> None:
        self.prose.strips = False
        self._show(text, end, is_plain=False)

    def _read_aside(self, text: str, closes: re.Pattern[str], *, ended: bool) -> bool:
        """Show what is shown and holds no call; return whether it has ended."""
        found = closes.search(text, self.at)
        end = found.end() if found else len(text) if ended else len(text) - _LONGEST_END
        self._show_aside(text, end)
        self._since = self.at
        if found:
            self._aside = None
        return found is not None

    def _pass_fence(self, text: str, start: int, *, ended: bool) -> int | None:
        """Pass the mark of a code block that is read, or all of one that is text."""
        if self.prose.fence is not None:
            self._show(text, start)
            self.prose.show_fence()
            self.prose.fence = None
            is_shown = self.prose.closes_fence
            return self._whole(text, start, start + 3) if is_shown else start + 3
        follows = self.prose.says_something or PROSE.search(text, self.at, start) is not None
        opened = self._fences.opened(text, start, follows_prose=follows, ended=ended)
        if opened is None:
            return None
        end, is_read = opened
        if not is_read:
            return self._whole(text, start, end)
        self._show(text, start)
        self.prose.fence, self.prose.closes_fence = text[start:end], True
        return end

    def _pass_block(  # noqa: C901, PLR0912 - what may quote a block
        self, text: str, start: int, record: Record, *, ended: bool
    ) -> int | None:
        """Pass a call between marks."""
        head = begin_of(record, text, start)
        if head is None or (not ended and after_blanks(text, head.end()) == len(text)):
            return None  # the format may depend on what follows
        if record.body in {"calls", "section"}:
            inner = self._inner_block(text, head.end(), ended=ended)
            if inner is None:
                return None
            if inner and (quoted := quotation_end(text, start, self._since)):
                end = block_end(text, head.end(), delimiters(record, head), ended=ended)
                return None if end is None else self._whole(text, start, max(end, quoted))
            if inner:
                return self._enter(text, head, record.family)
        has_begun = _BRACKET.match(text, head.end()) is not None
        if ended and record in self._sentences and not has_begun:
            named = self.names.mentioned(text[head.end() : head.end() + _HEAD])
            if not named:
                return self._whole(text, start, head.end())
        reading = read_block(head, record, self.names, ended=ended)
        if reading is None:
            has_values = has_parameters(record, text, head.end())
            self.awaited = delimiters(record, head).awaited(has_parameters=has_values)
            self.pending = (start, record)
            return None
        end, calls = reading
        if not calls:
            return self._whole(text, start, end)
        if not any(call.name for call in calls) and not has_begun:
            closes = delimiters(record, head).closes
            if closes and not closes.search(text, head.end(), end):
                if end == len(text):
                    self._sentences.add(record)
                return self._whole(text, start, head.end())  # nothing has begun but a sentence
        quoted = quotation_end(text, start, self._since)
        if not quoted and not any(
            call.arguments.strip("{} ") if isinstance(call.arguments, str) else call.arguments
            for call in calls
        ):
            if not ended and "\n" not in text[end:]:
                return None
            quoted = end if is_mention(text, start, end, self._since) else 0
        if quoted:
            closes = delimiters(record, head).closes
            has_end = closes is not None and closes.search(text, head.end(), end) is not None
            is_delimited = has_end or not any(call.problem for call in calls)
            return self._whole(text, start, max(end, quoted) if is_delimited else quoted)
        return self._found(text, start, end, calls, record.family)

    def _pass_parameter(self, text: str, mark: re.Match[str], *, ended: bool) -> int | None:
        """Pass a parameter between tags whose call has lost its beginning, as its end shows."""
        start, begins, key = mark.start(), mark.end(), mark["key"]
        close = text.find(f"</{key}>", begins) if key not in self._unclosed_keys else -1
        if close < 0:
            self._unclosed_keys |= {key} if ended else set()
            return self._whole(text, start, begins) if ended else None
        end = close + len(key) + 3
        following = after_blanks(text, end)
        other = self.marks.match(text, following, self._family)
        if other and other[0] == "parameter":
            return self._whole(text, start, following)
        if not ended and self._waits_for_tag(text, following):
            return None
        last = _TOOL_END.match(text, following)
        if last is None or (name := self.names.find(last[1])) is None:
            return self._whole(text, start, begins)
        call = RawCall(name, "", start, last.end(), problem=problems.NO_BEGINNING)
        return self._found(text, start, last.end(), [call], "client")

    def _enter(self, text: str, mark: re.Match[str], family: str) -> int:
        """Pass a mark around calls."""
        self._show(text, mark.start())
        self._family, self._since, self.prose.strips = self._family or family, mark.end(), True
        return mark.end()

    def _inner_block(self, text: str, at: int, *, ended: bool) -> bool | None:
        """Return whether another mark with which a call begins follows."""
        at = after_blanks(text, at)
        if at < len(text) and text[at] not in "<[]✿":
            return False
        found = self.marks.match(text, at, "") if at < len(text) else None
        if found is None or (not ended and after_blanks(text, found[2].end()) == len(text)):
            return None if not ended and self._waits_for_tag(text, at) else False
        return found[0] == "block"

    def _waits_for_tag(self, text: str, at: int) -> bool:
        """Return whether a tag at `at` may go on; await its end."""
        if len(text) - at >= LONGEST or text.find(">", at) >= 0:
            return False
        self.awaited = _TAG_CLOSES
        return True

    def _pass_inner(self, text: str, found: re.Match[str], *, ended: bool) -> int | None:
        """Pass a mark of a call where none has begun: one was lost, or is too many."""
        start, end = found.span()
        family = self.marks.family_of(found[0], self._family)
        if quoted := quotation_end(text, start, self._since):
            return self._whole(text, start, quoted)
        if _IS_END.match(found[0]):
            recent = text[self._since : start]
            is_too_many = (self.calls or self.prose.bare) and not PROSE.search(recent)
            self._show(text, start)
            name = "" if is_too_many else self.names.mentioned(recent[:1000])
            if name and (not self.calls or _OPENERS.search(recent)):
                self.calls.append(
                    RawCall(name, "", self._since, end, problem=problems.NO_BEGINNING)
                )
                self._family = family
            self._since, self.prose.strips = end, True
            return end
        following = self._inner_block(text, end, ended=ended)
        if following is None:
            return None
        if following or re.search("message|response", found[0]):
            return self._enter(text, found, family)
        if after_blanks(text, end) == len(text):
            return self._hide(text, start, end)  # nothing has begun
        before = text[text.rfind("\n", 0, start) + 1 : start]
        named = _NAMED.match(text, end)
        is_call = _BRACKET.match(text, end) or (named and self.names.find(named[1]))
        if _SENTENCE.fullmatch(before) and not is_call:
            return self._whole(text, start, end)  # a sentence has it
        record = next(each for each in self.marks.records if each.family == family and each.closes)
        stop = block_end(text, end, delimiters(record, found), ended=ended)
        if stop is None:
            return None
        name = self.names.mentioned(text[max(self._since, start - 200) : min(stop, start + 300)])
        call = RawCall(name, "", start, stop, problem=problems.NO_BEGINNING)
        return self._found(text, start, stop, [call], family)

    def _pass_bare(
        self, text: str, start: int, line: re.Match[str] | None, *, ended: bool
    ) -> int | None:
        """Pass a value, which is calls or text as a whole."""
        if line is None and self._vain > MAX_FAILED_PARSING:
            return self._whole(text, start, start + 1)
        follows = bool(self.prose.bare) and not PROSE.search(text, self._since, start)
        name = name_before(text, start, self.names) if text[start] == "{" and not line else None
        reading = read_bare(
            text, start, line, name, self.names, self._searched, follows=follows, ended=ended
        )
        is_line = name and not text[text.rfind("\n", 0, name[1]) + 1 : name[1]].strip()
        begins = name[1] if name and is_line and name[1] >= self.at else start
        if reading is None:
            self.pending = (start, None) if self.marks.reads_bare else None
            self._waits_from = begins
            return None
        end, calls = reading
        quoted = quotation_end(text, start, self._since) if calls else 0
        if not calls or not self.marks.reads_bare or quoted:
            end = quoted if quoted and any(call.problem for call in calls) else end
            if end - start > 1:
                self._whole(text, start, end)
                self.prose.thought, self.prose.last = None, end
                return end
            self._vain += failed_at(text, start) - start
            return self._whole(text, start, end)
        self._refuse_quoted(text, start, calls)
        self._show(text, begins)
        again = self.prose.bare and PROSE.search(text, self._since, start) is not None
        for call in calls:
            call.format = call.format or _bare_format(text, start)
            call.may_repeat, call.lacks_marks = bool(again or self._family), bool(self._family)
        if self._family:
            self.calls += calls
            return self._whole(text, start, self._after(end))
        self._count(calls)
        self.prose.hold(text[start:end], calls)
        return self._after(end)


def _bare_format(text: str, start: int) -> str:
    if text[start] == "{":
        return "json_object"
    return "json_list" if re.compile(r"\[\s*[{\[(]").match(text, start) else "pythonic"
