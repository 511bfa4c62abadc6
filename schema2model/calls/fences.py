"""`Fences`: which code blocks of Markdown are calls, and which are text as a whole."""

from __future__ import annotations

from typing import Final

from schema2model.calls.blocks import begin_of, read_block
from schema2model.calls.delimiting import is_begun, json_end
from schema2model.calls.expressions import NAME, PYTHON
from schema2model.calls.formats.records import SILENT, THOUGHTS, TURNS, Record
from schema2model.calls.marks import Marks
from schema2model.calls.prose import PROSE
from schema2model.calls.tool_names import ToolNames
from schema2model.regexes import regex

__all__ = ["Fences"]

_FENCE: Final = regex(r"```[ \t]*([\w+#.-]*)(?:[ \t]*(?=[\[{])|[^\n`]*(?:\n|\Z))")
_FENCE_END: Final = regex(r"\n?[ \t]*```")
_NO_CODE: Final = regex(
    rf"(?m:^)(?:{'|'.join(THOUGHTS)})".replace("(?P<t>", "(?:")
    + rf"|(?:<\|(?:im_end|eot_id|end)\|>|</s>|<end_of_turn>|<turn\|>)\s*(?:{TURNS})"
)
"""Thinking, and a turn after another one."""
_DATA: Final = frozenset(
    ("", "json", "xml", "text", "txt", "plaintext", "tool_call", "tool_calls", "jsonc", "json5")
)
_OF_CALLS: Final = frozenset(("json", "tool_code", "tool_call", "tool_calls"))
_PROGRAM_CALL: Final = regex(
    rf"(?:(?:#|//)[^\n]*\n\s*)*(?:print\(\s*|await\s+)?[(\"'`]*({NAME})\s?(?:\(|\n\s*(?=\{{))"
)
_LONGEST_LANGUAGE: Final = 60
_BLANKS: Final = regex(rf"(?:\s|{SILENT})*")


class Fences:
    """The code blocks of a text, one after the other."""

    def __init__(self, marks: Marks, names: ToolNames) -> None:
        self._marks, self._names = marks, names
        self._endless: set[Record] = set()
        """Formats with a block in a code block that does not end."""
        self._next_prose = (0, 0, 0)
        """The next prose after an offset, in a text of that length."""

    def opened(
        self, text: str, start: int, *, follows_prose: bool, ended: bool
    ) -> tuple[int, bool] | None:
        """The offset after the mark of a code block that is read, or after all that is text.

        Also whether it is read. None if more text is needed.
        """
        begin = _FENCE.match(text, start)
        if begin is None:
            is_plain = ended or len(text) - start > _LONGEST_LANGUAGE
            return (start + 3, False) if is_plain else None
        value = _after(text, begin.end())
        is_data = text[value : value + 1] in {"{", "["}
        value_end = json_end(text, value) if is_data else 0
        close = _FENCE_END.search(text, value_end or begin.end())
        is_open = is_data and not value_end and not ended and is_begun(text, value)
        if is_open or (close is None and not ended):
            return None
        if close and _NO_CODE.search(text, begin.end(), close.start()):
            return start + 3, False  # it ends a code block, or is none
        content = text[begin.end() : close.start() if close else len(text)].strip()
        block = self._block(text, text.find(content, begin.end())) if close else None
        if block:
            inner = self._block_end(text, *block, ended=ended)
            if inner is None:
                return None
            close = _FENCE_END.search(text, inner) or close
        end = close.end() if close else len(text)
        is_last = not self._precedes_prose(text, _after(text, end))
        if is_last and not ended:
            return None
        is_example = follows_prose and not is_last
        language = begin[1].lower()
        if block:
            is_read = language in _DATA and not is_example
        else:
            is_read = self._holds_calls(content, language, is_last=is_last)
            is_read = is_read and (not is_example or language in _OF_CALLS)
        return (end, False) if close and not is_read else (begin.end(), True)

    def _block(self, text: str, at: int) -> tuple[int, Record] | None:
        """The offset and the record of the block with which a code block begins, or None."""
        found = self._marks.match(text, at, "")
        if found and found[0] == "silent":
            at = _after(text, at)
            found = self._marks.match(text, at, "")
        return (at, found[1]) if found and found[0] == "block" else None

    def _block_end(self, text: str, at: int, record: Record, *, ended: bool) -> int | None:
        """The offset after a block in a code block, whose values may hold others."""
        head = None if record in self._endless else begin_of(record, text, at)
        if head is None:
            return at
        reading = read_block(head, record, self._names, ended=ended)
        if reading and reading[0] == len(text):
            self._endless.add(record)
        return reading[0] if reading else None

    def _holds_calls(self, content: str, language: str, *, is_last: bool) -> bool:
        """Return whether the content of a code block without marks is read."""
        if content[:1] in {"{", "["}:
            return True
        if called := _PROGRAM_CALL.match(content):
            return self._names.find(called[1].replace("\\", "")) is not None and language in PYTHON
        return language in _DATA and is_last and content[:1] != "<"

    def _precedes_prose(self, text: str, at: int) -> bool:
        """Return whether there is prose after an offset; it is searched once for many."""
        begins, end, found = self._next_prose
        if end != len(text) or not begins <= at <= found:
            prose = PROSE.search(text, at)
            found = prose.start() if prose else len(text)
            self._next_prose = at, len(text), found
        return found < len(text)


def _after(text: str, at: int) -> int:
    """The offset after blanks and marks without a meaning."""
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]
