"""The text under repair, and what all parser states ask of it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from schema2model.errors import CUT_OFF, TextError
from schema2model.regexes import regex
from schema2model.text.budget import Budget
from schema2model.text.repair.doubts import is_undescribed_property
from schema2model.text.repair.edits import (
    DROPPED_COMMA,
    DROPPED_KEY,
    Edit,
    EditCost,
    Token,
)
from schema2model.text.repair.path import Frame, Move, Path, PathState, StringMove, missing_closers
from schema2model.text.repair.string_ends import PLUS, QUOTED, StringScanner
from schema2model.text.schema_view import SchemaView
from schema2model.text.wrapping.prose import TEMPLATE_MARKS

__all__ = ["KEY_AFTER_ITEM", "NEXT_KEY", "Context"]

_KEY: Final = rf"({QUOTED}|\u201c[^\u201d\n]{{0,120}}\u201d)\s*[:\uff1a=]"
NEXT_KEY: Final = regex(rf"[,;\uff0c]\s*{_KEY}")
"""A comma and a quoted key."""
KEY_AFTER_ITEM: Final = regex(rf"\s*[,;\uff0c]?\s*{_KEY}")
"""A quoted key, with or without a comma before it."""
_INDENT: Final = regex(r"[ \t]*")
_MEMBER_LINE: Final = regex(r'\n([ \t]*)["{]')
_INDENTED: Final = regex(r"\s*\n[ \t]+\S")
_COMPACT: Final = regex(r'(?<!\\)":[^\s]')
_BARE_KEY: Final = regex(r"\{\s*[\w$-]+\s*:")
_PROGRAM: Final = regex(r"[\s{\[]*['(]")
_COMPACT_WITHOUT_QUOTES: Final = regex(r"[{,][\w$-]+:[^\s/]")


class Context:
    """A text under repair, its schema and its strings."""

    def __init__(
        self,
        text: str,
        schema: SchemaView,
        budget: Budget,
        *,
        accept_truncated: bool = False,
    ) -> None:
        self.text = text
        self.schema = schema
        self.budget = budget
        self.strings = StringScanner(text, budget)
        self.skip_blanks = self.strings.skip_blanks
        self.accept_truncated = accept_truncated
        """Whether truncated text is completed."""
        self.start = 0
        self.furthest_offset = 0
        self.refusal: TextError | None = None
        """The reason why the last path ended, if there is more to say than where."""
        self.unbalanced = text.count("{") != text.count("}")
        """Whether braces are missing or superfluous."""

    @cached_property
    def is_compact(self) -> bool:
        """Whether values follow their colons without a blank."""
        bare = _BARE_KEY.match(self.text, self.start) is not None
        pattern = _COMPACT_WITHOUT_QUOTES if bare else _COMPACT
        return pattern.search(self.text, self.start) is not None

    @cached_property
    def is_program(self) -> bool:
        """Whether the text begins as in Python: with single quotes or a parenthesis."""
        return _PROGRAM.match(self.text, self.start) is not None

    def _line(self, at: int) -> tuple[int, int]:
        """Return the start of the line of an offset, and its indentation."""
        start = self.text.rfind("\n", 0, at) + 1
        return start, _INDENT.match(self.text, start).end() - start  # type: ignore[union-attr]

    def is_outdented(self, frame: Frame, comma: int) -> bool:
        """Return whether the member after a comma is indented no deeper than its object's line.

        Then the closer is missing before it.
        """
        end = self.skip_blanks(comma + 1) + 1 if frame.is_object else comma
        member = _MEMBER_LINE.search(self.text, comma, end)
        return member is not None and len(member[1]) <= self._line(frame.at)[1]

    def is_aligned(self, frame: Frame, before: int, at: int) -> bool:
        """Return whether two lines of a container are indented alike."""
        start, indent = self._line(before)
        return start <= frame.at or at - self.text.rfind("\n", 0, at) - 1 == indent

    def _is_indented(self) -> bool:
        """Return whether the first member of the call has an indented line of its own."""
        return _INDENTED.match(self.text, self.start + 1) is not None

    # --------------------------------------------------------------------------------- strings
    def string_moves(
        self, path: Path, at: int, *tokens: Token, cost: int = 0, raw: bool = False
    ) -> list[Move]:
        """Return a move for each possible end of the string at an offset, after some tokens."""
        moves = []
        for end in self.strings.possible_ends(at, path.string_context):
            plus = PLUS.match(self.text, end.resume)
            if plus and end.body_end <= at + 1 and self._is_empty_string(plus.end()):
                continue  # `""+""` may be a plus in quotes that are doubled
            state = PathState.JOINED if plus else PathState.AFTER
            total = cost + end.cost + (EditCost.RESPELLED if plus else 0)
            string = StringMove(at, end, raw)
            moves.append(Move(end.resume, state, path.frame, tokens, total, None, string))
        return moves

    def _is_empty_string(self, at: int) -> bool:
        return self.text[at] == self.text[at + 1 : at + 2]

    # ------------------------------------------------------------------------------- lookahead
    def only_marks_follow(self, at: int) -> bool:
        """Return whether only marks of a template or a fence follow an offset."""
        self.budget.take_scan(len(self.text) - at)
        return TEMPLATE_MARKS.match(self.text, at) is not None

    def value_schema(self, path: Path) -> SchemaView:
        """Return the schema of the value that a path has come to."""
        return path.frame.member_schema(path.key) if path.frame else self.schema

    # ------------------------------------------------------------------------------- dead ends
    def refuse(self, reason: str, detail: str) -> list[Move]:
        """Return no moves, and keep the reason."""
        self.refusal = TextError(reason, detail)
        return []

    def truncated(
        self, path: Path, detail: str, *, of_key: bool = False, json: str | None = None
    ) -> list[Move]:
        """Return the move that completes a truncated text, if that is accepted.

        `json` is the truncated value, which is dropped by default: with its key, if `of_key`.
        """
        self.refuse(CUT_OFF, " at the end" if path.quotes_edited else detail)
        if not self.accept_truncated or path.frame is None:
            return []
        end = len(self.text)
        if json is None:
            after_comma = path.state is PathState.KEY or path.state is PathState.ITEM
            json = DROPPED_KEY if of_key else DROPPED_COMMA if after_comma else ""
        token = Token(path.at, end, json, Edit("cut off", detail.strip(), end))
        tokens = (token, *missing_closers(path.frame, end))
        return [Move(end, PathState.DONE, None, tokens, EditCost.TRUNCATED)]

    def end_of_text(self, path: Path) -> list[Move]:
        """Return the moves where the text ends before a key or value.

        After an opener, the rest is a whole call only if the opener belongs to a property that the
        schema does not describe, and if the text does not give each member a line.
        """
        if path.state is PathState.KEY or path.state is PathState.ITEM:
            return self.truncated(path, " after a comma")
        if path.state is PathState.VALUE:
            return self.truncated(path, " after a key", of_key=True)
        frame = path.frame
        self.budget.take_scan(path.at)
        if (
            path.quotes_edited
            or frame is None
            or frame.depth != 2  # noqa: PLR2004 - a property of the call
            or not is_undescribed_property(frame)
            or self._is_indented()
        ):
            return self.truncated(path, " after an opening bracket")
        closers = tuple(missing_closers(frame, len(self.text)))
        return [Move(len(self.text), PathState.DONE, None, closers, frame.closing_cost)]
