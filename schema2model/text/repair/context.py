"""The text that is mended, and what every step of the grammar asks of it."""

from __future__ import annotations

import re
from typing import Final

from schema2model.text.exact import BLANK, CUT_OFF, TextError
from schema2model.text.outside import MARKS
from schema2model.text.repair.ambiguity import is_unknown
from schema2model.text.repair.edits import CLOSERS, CUT, DROPPED_KEY, Edit, Token
from schema2model.text.repair.path import DONE, Frame, Move, Path, closers, closers_cost
from schema2model.text.repair.string_bodies import AMONG_KEYWORDS, IN_ARRAY, IN_OBJECT
from schema2model.text.repair.string_ends import NO_BLANKS, Strings
from schema2model.text.schema_view import TextPlace

__all__ = ["NEXT_KEY", "Context"]

NEXT_KEY: Final = re.compile(
    r"""[,;\uff0c]\s* (?: "((?:[^"\\\n]|\\.){0,120})" | '((?:[^'\\\n]|\\.){0,120})'
      | \u201c([^\u201d\n]{0,120})\u201d ) \s*[:\uff1a=]""",
    re.VERBOSE,
)
"""A comma and a quoted key."""
_BLANK: Final = re.compile(f"[{BLANK}]*")
_SIDE_BY_SIDE: Final = re.compile(r"""["'][^\S\n]*\n\s*["']""")
_MAX_JOINS: Final = 8
_INDENT: Final = re.compile(r"[ \t]*")
_INDENTED: Final = re.compile(r"\s*\n[ \t]+\S")
_HEAD: Final = 8
"""So many characters tell that a call begins again."""
_COMMAS: Final = frozenset(",;\uff0c")
_COMPACT: Final = re.compile(r'(?<!\\)":[^\s]')
_BARE_KEY: Final = re.compile(r"\{\s*[\w$-]+\s*:")
_COMPACT_WITHOUT_QUOTES: Final = re.compile(r"[{,][\w$-]+:[^\s/]")


class Context:
    """A text to mend: its strings, where they end, and why no reading goes on."""

    __slots__ = (
        "_begins_again",
        "_compact",
        "_joins",
        "_looked_at",
        "again",
        "completes",
        "furthest",
        "place",
        "refusal",
        "start",
        "strings",
        "text",
        "unbalanced",
    )

    def __init__(self, text: str, place: TextPlace, *, completes: bool = False) -> None:
        self.text = text
        self.place = place
        self.strings = Strings(text)
        self.completes = completes
        """Whether a text that is cut off is read as far as it goes."""
        self.start = 0
        self.furthest = 0
        """The character that some reading has come to."""
        self.refusal: TextError | None = None
        """Why the last reading that ended did so, if there is more to say than where."""
        self._looked_at = 0
        self._begins_again: bool | None = None
        self._compact: bool | None = None
        self._joins: bool | None = None
        self.again = False
        """Whether all has to be read once more, as a text in which closers are missing."""
        self.unbalanced = text.count("{") != text.count("}")

    @property
    def compact(self) -> bool:
        """Whether values follow their colons without a blank."""
        if self._compact is None:
            bare = _BARE_KEY.match(self.text, self.start) is not None
            compact = _COMPACT_WITHOUT_QUOTES if bare else _COMPACT
            self._compact = compact.search(self.text, self.start) is not None
        return self._compact

    @property
    def begins_again(self) -> bool:
        """Whether the call begins once more in another line, as after a draft that breaks off."""
        if self._begins_again is None:
            head = self.text[self.start : self.start + _HEAD]
            self._begins_again = self.text.find(f"\n{head}", self.start) > 0
        return self._begins_again

    @property
    def joins(self) -> bool:
        """Whether strings in two lines may be one; not where all commas are missing."""
        if self._joins is None:
            self._joins = len(_SIDE_BY_SIDE.findall(self.text)) <= _MAX_JOINS
        return self._joins

    def skip(self, at: int) -> int:
        """The end of the blanks and comments at a character."""
        text = self.text
        char = text[at : at + 1]
        if char in NO_BLANKS:
            return at
        match = _BLANK.match(text, at)
        end = match.end() if match else at
        char = text[end : end + 1]
        if char in NO_BLANKS or char.isalnum():
            return end
        return self.strings.blanks(end)

    def outdented(self, opener: int, start: int, end: int) -> bool:
        """Whether a key or item in a part of the text stands no deeper than the line of an opener.

        Then the closer is missing before it.
        """
        line = self.text.rfind("\n", 0, opener) + 1
        indent = _INDENT.match(self.text, line).end() - line  # type: ignore[union-attr]
        return re.compile(rf'\n[ \t]{{0,{indent}}}["{{]').search(self.text, start, end) is not None

    def is_aligned(self, frame: Frame, before: int, at: int) -> bool:
        """Whether the line of `at` is indented like that of `before`, in the same container."""
        start = self.text.rfind("\n", 0, before) + 1
        if start <= frame.at:
            return True
        indent = _INDENT.match(self.text, start).end() - start  # type: ignore[union-attr]
        return at - self.text.rfind("\n", 0, at) - 1 == indent

    def ends_all(self, end: int, frame: Frame) -> bool:
        """Whether the closer before a character stands where the call would end, in its own line.

        If so, only closers within the call are missing. With one closer missing, this is told only
        of the call's own kind of bracket, and only where members are indented.
        """
        line = self.text.rfind("\n", 0, end) + 1
        closer = self.text[line:end]
        if line <= self.start or closer not in CLOSERS:
            return False
        return frame.depth > 1 or (closer == frame.closer and self._is_indented())

    def _is_indented(self) -> bool:
        """Whether the first member of the call stands in an indented line of its own."""
        return _INDENTED.match(self.text, self.start + 1) is not None

    def key_follows(self, at: int) -> bool:
        """Whether a comma and a quoted key stand at a character."""
        return self.text[at : at + 1] in _COMMAS and NEXT_KEY.match(self.text, at) is not None

    def are_marks(self, at: int) -> bool:
        """Whether nothing but marks of a template or a fence stands from a character on."""
        self.looks_behind(at)
        return MARKS.match(self.text, at) is not None

    def looks_behind(self, at: int) -> None:
        """Count the work of looking at all that stands from a character on."""
        self.strings.work += (len(self.text) - at) >> 6

    def has_failed(self, at: int) -> None:
        """Count the work of a parser that has failed: it counts the lines before."""
        self.strings.work += at >> 10

    def looks_before(self, at: int, start: int = 0) -> None:
        """Count the work of looking at all that stands before a character."""
        self.strings.work += (at - start) >> 6

    def work(self) -> int:
        """How much was looked at since it was last asked."""
        work = self.strings.work - self._looked_at
        self._looked_at += work
        return work

    @staticmethod
    def where(path: Path) -> str:
        """Where a string of a path's stands."""
        frame = path.frame
        if frame is None or frame.bracket == "{":
            return IN_OBJECT
        return AMONG_KEYWORDS if frame.is_object else IN_ARRAY

    def here(self, path: Path) -> TextPlace:
        """What the schema says of the value that a path has come to."""
        return path.frame.below(path.key) if path.frame else self.place

    def refuse(self, reason: str, detail: str) -> list[Move]:
        """No reading goes on here, and this is why."""
        self.refusal = TextError(reason, detail)
        return []

    def begin_again(self) -> list[Move]:
        """Read all once more: closers are missing, though the brackets of the text seemed even."""
        self.unbalanced = self.again = True
        return []

    def cut_off(
        self, path: Path, detail: str, *, of_key: bool = False, json: str = ""
    ) -> list[Move]:
        """The text ends where more has to come: as far as it goes, it may have a JSON."""
        self.refuse(CUT_OFF, " at the end" if path.edited else detail)
        if not self.completes or path.frame is None:
            return []
        end = len(self.text)
        edit = Edit("cut off", detail.strip(), end)
        token = Token(path.at, end, DROPPED_KEY if of_key else json, edit)
        return [Move(CUT, end, DONE, None, (token, *closers(path.frame, end)))]

    def opened(self, path: Path) -> list[Move]:
        """The text ends after an opening bracket: what was to come there is lost.

        Only where it belongs to no argument that the schema knows, the rest is a whole call. That
        nothing was to come is not likely in a text that gives each member a line.
        """
        frame, outer = path.frame, path.frame and path.frame.parent
        self.looks_before(path.at)
        if (
            path.edited
            or frame is None
            or outer is None
            or outer.parent
            or not is_unknown(frame)
            or self._is_indented()
        ):
            return self.cut_off(path, " after an opening bracket")
        if not self.unbalanced:
            return self.begin_again()
        end = len(self.text)
        return [Move(closers_cost(frame.depth), end, DONE, None, (*closers(frame, end),))]
