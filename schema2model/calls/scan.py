"""`Scan`: reads a text from left to right, one thing after the other: prose, asides, calls."""

from __future__ import annotations

import re
from typing import Any, Final

from schema2model.calls import problems
from schema2model.calls.bare import BARE_LINE, name_before, read_bare
from schema2model.calls.blocks import begin_of, has_parameters, read_block
from schema2model.calls.call_types import RawCall
from schema2model.calls.delimiting import (
    after_blanks,
    block_end,
    delimiters,
    failed_at,
    is_begun,
    json_end,
)
from schema2model.calls.expressions import NAME
from schema2model.calls.formats.records import SILENT, THOUGHTS, TURNS, Record
from schema2model.calls.marks import LONGEST, Aside, Marks, held_from
from schema2model.calls.tool_names import ToolNames
from schema2model.calls.unread import python_calls, unread_call
from schema2model.limits import (
    MAX_CALL_STARTS,
    MAX_CALLS,
    MAX_FAILED_PARSING,
    MAX_REFUSED_CALLS,
)

__all__ = ["Scan"]

_LINE: Final = re.compile(BARE_LINE)
_PROSE: Final = re.compile(r"""[^\s`,;+\[\]()'"\\]""")
_WORD: Final = re.compile(r"[^\W\d_]|\|")
_SENTENCE: Final = re.compile(r"[^<|\[\]]*[^\W\d_]\s+")
_MARK: Final = re.compile(r"[<\[][^<>\[\]\n]*[>\]]")
_BETWEEN: Final = " \t\r\n,;"
_FENCE: Final = re.compile(r"```[ \t]*([\w+#.-]*)(?:[ \t]*(?=[\[{])|[^\n`]*(?:\n|\Z))")
_NO_CODE: Final = re.compile(
    rf"(?m:^)(?:{'|'.join(THOUGHTS)})".replace("(?P<t>", "(?:")
    + rf"|(?:<\|(?:im_end|eot_id|end)\|>|</s>|<end_of_turn>|<turn\|>)\s*(?:{TURNS})"
)
"""Thinking, and a turn after another one."""
_FENCE_END: Final = re.compile(r"\n?[ \t]*```")
_DATA: Final = frozenset(
    ("", "json", "xml", "text", "txt", "plaintext", "tool_call", "tool_calls", "jsonc", "json5")
)
_PYTHON: Final = frozenset(
    ("", "python", "py", "tool_code", "tool_call", "tool_calls", "text", "plaintext")
)
_CONTAINERS: Final = frozenset("{[")
_OF_CALLS: Final = frozenset(("json", "tool_code", "tool_call", "tool_calls"))
_PROGRAM_CALL: Final = re.compile(
    rf"(?:(?:#|//)[^\n]*\n\s*)*(?:print\(\s*|await\s+)?[(\"'`]*({NAME})\s?(?:\(|\n\s*(?=\{{))"
)
_LOOK_BACK: Final = 2_000
"""Maximum characters of a line that are searched for the beginning of a quotation."""
_LONGEST_LANGUAGE: Final = 60
_LONGEST_END: Final = 80
"""Maximum characters of the end of what is shown and holds no call."""
_HEAD: Final = 200
"""Characters after a mark in which the name of a call is."""
_SHORT: Final = 4
"""Minimum characters of a text that is a whole: a bracket or a fence is part of the prose."""
_TOOL_END: Final = re.compile(r"</([^<>\s]{1,200})>")
_NAMED: Final = re.compile(rf"\s*({NAME})")
_TAG_BEGUN: Final = re.compile(r"<[^<>\s]{0,200}")
_TAG_ENDS: Final = re.compile(r"[<>\s]")
_TAG_CLOSES: Final = re.compile(">")
_NAME_BEGUN: Final = re.compile(r"[ \t]*[\w.:/-]{1,200}")
_IS_END: Final = re.compile(r"</|<\|/|\[/|```|.*(?:end|close|suffix|RESULT)")
_ANSWER: Final = re.compile(r"\n(?=[ \t]*Final Answer:)")
_OPENERS: Final = re.compile("[{(<]")
_BLANKS: Final = re.compile(rf"(?:\s|{SILENT})*")
_BRACKET: Final = re.compile(r"\s*(?:[\[{(<`\"']|\Z)")
_QUOTED_LINE: Final = re.compile(r"[ \t]*(?:>(?!>)|\|[ \t])")
_QUOTES: Final = {"`": "`", '"': '"', "“": "”", "«": "»", "‘": "’"}


class Scan:
    """How far a text was read, and what was found in it. `read` goes on from there."""

    def __init__(self, marks: Marks, names: ToolNames, *, thinks: bool = True) -> None:
        self.marks, self.names, self.thinks = marks, names, thinks
        self.at = 0
        self.calls: list[RawCall] = []
        self.prose: list[str] = []
        self.drafted = 0
        """Number of the calls that were drafts."""
        self.awaited: re.Pattern[str] | None = None
        """What has to arrive before more can be read; None for anything."""
        self.pending: tuple[int, Record | None] | None = None
        """The offset of a call that is not complete, and its record if it has marks."""
        self.thought: tuple[int, int] | None = None
        """The last thinking, if nothing follows it."""
        self.last_prose = 0
        """The offset after the last prose."""
        self._endless: set[Record] = set()
        """Formats of blocks in code blocks of which one has no end."""
        self._unclosed_keys: set[str] = set()
        """Names of parameters whose tags do not end."""
        self._sentences: set[Record] = set()
        """Formats of which a mark with words after it has no end: those after it have none."""
        self._vain = 0
        """Characters of values that were read in vain."""
        self._plain: list[tuple[int, int]] = []
        """Prose that is neither a quotation nor a whole value."""
        self._bare: list[tuple[int, list[RawCall]]] = []
        """Calls without marks, and the indices of their texts in the prose."""
        self._announced: list[RawCall] = []
        """Calls without marks before one that has marks."""
        self._family = ""
        self._since = 0
        """The offset after the last call or aside."""
        self._fence: str | None = None
        """In a code block, its mark as long as that may be shown."""
        self._closes_fence = False
        """Whether the end of the code block is shown."""
        self._aside: re.Pattern[str] | None = None
        """The end of what is shown and holds no call, where that has begun."""
        self._waits_from = 0
        """The offset from which on more text is needed to decide."""
        self._next_prose = (0, 0, 0)
        """The next prose after an offset, in a text of that length."""
        self._unclosed: set[int] = set()
        """The offsets of values that do not end."""
        self._is_over = False
        self._is_full = False
        """Whether a limit is reached."""
        self._starts = self._found_calls = self._refused_calls = 0
        self._strips = True
        """Whether blanks at the beginning of the next prose are left out."""

    @property
    def shown(self) -> str:
        """The prose, up to what may be a call without marks."""
        return "".join(self.prose[: self._bare[0][0]] if self._bare else self.prose)

    @property
    def says_something(self) -> bool:
        """Return whether there is prose after the last thinking."""
        return self.thought is None and self.last_prose > 0

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
        self._show_fence()
        for index, calls in self._bare:
            self.prose[index] = ""
            self.calls += calls
        self._bare.clear()
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
        call = unread_call(text, self._plain, self.names, {call.name for call in self.calls})
        return [call] if call else []

    # ----------------------------------------------------------------------------------- prose
    def _show(self, text: str, end: int, *, is_plain: bool = True) -> None:
        """Show the text up to an offset."""
        if end <= self.at:
            return
        piece = text[self.at : end]
        begins, self.at = self.at, end
        if self._strips:
            stripped = piece.lstrip(_BETWEEN if self.calls or self._bare else None)
            if self._bare and self._bare[-1][0] == len(self.prose) - 1:
                self.prose[-1] += piece[: len(piece) - len(stripped)]
            piece = stripped
        if not piece:
            return
        self._strips = False
        if piece.strip():
            self._show_fence()
        if _PROSE.search(piece):
            self.thought, self.last_prose = None, end
        self.prose.append(piece)
        if is_plain and self._plain and self._plain[-1][1] == begins:
            self._plain[-1] = (self._plain[-1][0], end)
        elif is_plain:
            self._plain.append((begins, end))

    def _show_fence(self) -> None:
        """Show the mark of a code block, as it holds no call before its prose."""
        if self._fence:
            self.prose.append(self._fence)
            self._fence = ""

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
        self._show(text, start)
        self._count(calls)
        for call in calls:
            call.slot = len(self.prose)
            self.prose.append("")
        self.calls += calls
        self._announced += [call for _, bare in self._bare for call in bare]
        self._bare.clear()
        self._family = family
        return self._after(end)

    def _after(self, end: int) -> int:
        """Note the end of a call."""
        self._since, self._strips, self.thought = end, True, None
        if self._fence:
            self._fence, self._closes_fence = "", False
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
            self.drafted, self.thought = len(self.calls), (0, start)
            self._family, self._strips = "", True
            self._bare.clear()
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
        if "bservation" in begin[0] and not (self.calls or self._bare):
            found = _ANSWER.search(text, begin.end())  # nothing was called: it is all a quotation
            if found is None and not ended:
                return None
        found = found or re.compile(closes).search(text, begin.end())
        if found is None and not ended:
            if aside.is_thinking:
                return None
            self._show(text, start)
            self._show_aside(text, begin.end())
            self._aside = re.compile(closes)
            return begin.end()
        stop, end = found.span() if found else (len(text), len(text))
        self._show(text, start)
        if aside.is_thinking:
            self.thought, self._strips = (begin.end(), stop), True
        else:
            self._show_aside(text, end)
        self._since = end
        return end

    def _show_aside(self, text: str, end: int) -> None:
        self._strips = False
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
        """Pass the mark of a code block that is nothing but calls, or all of one that is not."""
        if self._fence is not None:
            self._show(text, start)
            self._show_fence()
            self._fence = None
            return self._whole(text, start, start + 3) if self._closes_fence else start + 3
        begin = _FENCE.match(text, start)
        if begin is None:
            is_plain = ended or len(text) - start > _LONGEST_LANGUAGE
            return self._whole(text, start, start + 3) if is_plain else None
        value = _BLANKS.match(text, begin.end()).end()  # type: ignore[union-attr]
        is_data = text[value : value + 1] in _CONTAINERS
        value_end = json_end(text, value) if is_data else 0
        close = _FENCE_END.search(text, value_end or begin.end())
        is_open = is_data and not value_end and not ended and is_begun(text, value)
        if is_open or (close is None and not ended):
            return None
        if close and _NO_CODE.search(text, begin.end(), close.start()):
            return self._whole(text, start, start + 3)  # it ends a code block, or is none
        content = text[begin.end() : close.start() if close else len(text)].strip()
        block = self._fenced_block(text, text.find(content, begin.end())) if close else None
        if block:
            inner = self._fenced_end(text, *block, ended=ended)
            if inner is None:
                return None
            close = _FENCE_END.search(text, inner) or close
        end = close.end() if close else len(text)
        tail = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
        if tail == len(text) and not ended:
            return None
        is_last = not self._says_more(text, tail)
        is_example = not is_last and self._has_said(text, start)
        language = begin[1].lower()
        if block:
            is_read = language in _DATA and not is_example
        else:
            is_read = self._holds_calls(content, language, is_last=is_last)
            is_read = is_read and (not is_example or language in _OF_CALLS)
        if close and not is_read:
            return self._whole(text, start, end)
        self._show(text, start)
        self._fence, self._closes_fence = text[start : begin.end()], True
        return begin.end()

    def _fenced_block(self, text: str, at: int) -> tuple[int, Record] | None:
        """The offset and the record of the block with which a code block begins, or None."""
        found = self.marks.match(text, at, "")
        if found and found[0] == "silent":
            at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
            found = self.marks.match(text, at, "")
        return (at, found[1]) if found and found[0] == "block" else None

    def _fenced_end(self, text: str, at: int, record: Record, *, ended: bool) -> int | None:
        """The offset after a block in a code block, whose values may hold others."""
        if record in self._endless:
            return at
        head = begin_of(record, text, at)
        reading = read_block(head, record, self.names, ended=ended) if head else (at, [])
        if reading and reading[0] == len(text):
            self._endless.add(record)
        return reading[0] if reading else None

    def _holds_calls(self, content: str, language: str, *, is_last: bool) -> bool:
        """Return whether the content of a code block without marks is read."""
        if content[:1] in {"{", "["}:
            return True
        if called := _PROGRAM_CALL.match(content):
            return self.names.find(called[1].replace("\\", "")) is not None and language in _PYTHON
        return language in _DATA and is_last and content[:1] != "<"

    def _says_more(self, text: str, at: int) -> bool:
        """Return whether there is prose after an offset; it is searched once for many."""
        begins, end, found = self._next_prose
        if end != len(text) or not begins <= at <= found:
            prose = _PROSE.search(text, at)
            found = prose.start() if prose else len(text)
            self._next_prose = at, len(text), found
        return found < len(text)

    def _has_said(self, text: str, start: int) -> bool:
        """Return whether there is prose before an offset."""
        return self.says_something or _PROSE.search(text, self.at, start) is not None

    def _quotation(self, text: str, start: int) -> int:
        """The offset after the quotation that begins before `start`; 0 if none does.

        It is a quoted line, or code in a sentence, with words before it.
        """
        begins = max(text.rfind("\n", 0, start) + 1, self._since, start - _LOOK_BACK)
        line = text[begins:start]
        if not line.strip():
            return 0
        if (begins == 0 or text[begins - 1] == "\n") and _QUOTED_LINE.match(line):
            return _line_end(text, start)
        for opens, closes in _QUOTES.items():
            at = line.rfind(opens)
            if at < 0 or (line.count(opens) % 2 == 0 if opens == closes else closes in line[at:]):
                continue
            before = line[:at].rstrip()
            if line[at - 1 : at].isalnum():
                continue  # it closes something
            if _WORD.search(before) and "```" not in line:
                return _line_end(text, start, closes)
        return 0

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
            if inner and (quoted := self._quotation(text, start)):
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
        quoted = self._quotation(text, start)
        if not quoted and not any(
            call.arguments.strip("{} ") if isinstance(call.arguments, str) else call.arguments
            for call in calls
        ):
            if not ended and "\n" not in text[end:]:
                return None
            quoted = end if self._is_mention(text, start, end) else 0
        if quoted:
            return self._whole(text, start, max(end, quoted))
        return self._found(text, start, end, calls, record.family)

    def _pass_parameter(self, text: str, mark: re.Match[str], *, ended: bool) -> int | None:
        """Pass a parameter between tags whose call has lost its beginning, which the end tells."""
        start, begins, key = mark.start(), mark.end(), mark["key"]
        close = text.find(f"</{key}>", begins) if key not in self._unclosed_keys else -1
        if close < 0:
            self._unclosed_keys |= {key} if ended else set()
            return self._whole(text, start, begins) if ended else None
        end = close + len(key) + 3
        following = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
        other = self.marks.match(text, following, self._family)
        if other and other[0] == "parameter":
            return self._whole(text, start, following)
        if not ended and self._waits_for_tag(text, following):
            return None
        last = _TOOL_END.match(text, following)
        name = self.names.find(last[1]) if last else None
        if last is None or name is None:
            return self._whole(text, start, begins)
        call = RawCall(name, "", start, last.end(), problem=problems.NO_BEGINNING)
        return self._found(text, start, last.end(), [call], "client")

    def _enter(self, text: str, mark: re.Match[str], family: str) -> int:
        """Pass a mark around calls."""
        self._show(text, mark.start())
        self._family, self._strips, self._since = self._family or family, True, mark.end()
        return mark.end()

    def _is_mention(self, text: str, start: int, end: int) -> bool:
        """Return whether a block without arguments has words before and after it on its line."""
        before = _MARK.sub("", text[max(text.rfind("\n", 0, start) + 1, self._since) : start])
        after = _MARK.sub("", text[end : _line_end(text, end)])
        has_words = _WORD.search(before) and _WORD.search(after)
        return bool(has_words) and not before.rstrip().endswith(":")

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
        if quoted := self._quotation(text, start):
            return self._whole(text, start, quoted)
        if _IS_END.match(found[0]):
            recent = text[self._since : start]
            is_too_many = (self.calls or self._bare) and not _PROSE.search(recent)
            self._show(text, start)
            name = "" if is_too_many else self.names.mentioned(recent[:1000])
            if name and (not self.calls or _OPENERS.search(recent)):
                self.calls.append(
                    RawCall(name, "", self._since, end, problem=problems.NO_BEGINNING)
                )
                self._family = family
            self._since, self._strips = end, True
            return end
        following = self._inner_block(text, end, ended=ended)
        if following is None:
            return None
        if following or re.search("message|response", found[0]):
            return self._enter(text, found, family)
        if ended and after_blanks(text, end) == len(text):
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
        follows = bool(self._bare) and not _PROSE.search(text, self._since, start)
        reading = read_bare(
            text, start, line, self.names, self._unclosed, follows=follows, ended=ended
        )
        name = name_before(text, start, self.names) if text[start] == "{" and not line else None
        is_line = name and not text[text.rfind("\n", 0, name[1]) + 1 : name[1]].strip()
        begins = name[1] if name and is_line and name[1] >= self.at else start
        if reading is None:
            self.pending = (start, None) if self.marks.reads_bare else None
            self._waits_from = begins
            return None
        end, calls = reading
        if not calls or not self.marks.reads_bare or self._quotation(text, start):
            if end - start > 1:
                self._whole(text, start, end)
                self.thought, self.last_prose = None, end
                return end
            self._vain += failed_at(text, start) - start
            return self._whole(text, start, end)
        self._show(text, begins)
        again = self._bare and _PROSE.search(text, self._since, start) is not None
        for call in calls:
            call.format = call.format or _bare_format(text, start)
            call.may_repeat, call.lacks_marks = bool(again or self._family), bool(self._family)
        if self._family:
            self.calls += calls
            return self._whole(text, start, self._after(end))
        self._count(calls)
        self._bare.append((len(self.prose), calls))
        self.prose.append(text[start:end])
        return self._after(end)


def _bare_format(text: str, start: int) -> str:
    if text[start] == "{":
        return "json_object"
    return "json_list" if re.compile(r"\[\s*[{\[(]").match(text, start) else "pythonic"


def _line_end(text: str, at: int, mark: str = "\n") -> int:
    """The offset after the line, or after a mark in it."""
    found = re.compile(rf"{re.escape(mark)}|\n|\Z").search(text, at)
    return found.end()  # type: ignore[union-attr]
