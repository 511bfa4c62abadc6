"""`Prose`: what is shown of a text, which is neither a call, nor thinking, nor a mark."""

from __future__ import annotations

from typing import Final

from schema2model.calls.call_types import RawCall
from schema2model.regexes import regex

__all__ = ["PROSE", "Prose"]

PROSE: Final = regex(r"""[^\s`,;+\[\]()'"\\]""")
"""A character of prose between calls."""
_BETWEEN: Final = " \t\r\n,;"


class Prose:
    """The prose that was found, in the order of the text, and what may still become prose."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.plain: list[tuple[int, int]] = []
        """The offsets of prose that is neither a quotation nor a whole value."""
        self.bare: list[tuple[int, list[RawCall]]] = []
        """Calls without marks, and the indices of their texts; next to marks, it is prose."""
        self.thought: tuple[int, int] | None = None
        """The last thinking, if nothing follows it."""
        self.last = 0
        """The offset after the last prose."""
        self.follows_calls = False
        self.strips = True
        """Whether blanks at the beginning of the next prose are left out."""
        self.fence: str | None = None
        """In a code block that is read, its mark as long as that may be shown."""
        self.closes_fence = False
        """Whether the end of the code block is shown."""

    @property
    def shown(self) -> str:
        """The prose, up to what may be a call without marks."""
        return "".join(self.pieces[: self.bare[0][0]] if self.bare else self.pieces)

    @property
    def says_something(self) -> bool:
        """Return whether there is prose after the last thinking."""
        return self.thought is None and self.last > 0

    def add(self, text: str, begins: int, end: int, *, is_plain: bool = True) -> None:
        """Show a part of the text."""
        piece = text[begins:end]
        if self.strips:
            stripped = piece.lstrip(_BETWEEN if self.follows_calls or self.bare else None)
            if self.bare and self.bare[-1][0] == len(self.pieces) - 1:
                self.pieces[-1] += piece[: len(piece) - len(stripped)]
            piece = stripped
        if not piece:
            return
        self.strips = False
        if piece.strip():
            self.show_fence()
        if PROSE.search(piece):
            self.thought, self.last = None, end
        self.pieces.append(piece)
        if is_plain and self.plain and self.plain[-1][1] == begins:
            self.plain[-1] = (self.plain[-1][0], end)
        elif is_plain:
            self.plain.append((begins, end))

    def show_fence(self) -> None:
        """Show the mark of a code block, as it holds no call before its prose."""
        if self.fence:
            self.pieces.append(self.fence)
            self.fence = ""

    def keep_place(self) -> int:
        """The index of a place for a call that is shown as text, too."""
        self.pieces.append("")
        return len(self.pieces) - 1

    def hold(self, piece: str, calls: list[RawCall]) -> None:
        """Show a text later, if it is not these calls."""
        self.bare.append((len(self.pieces), calls))
        self.pieces.append(piece)

    def released(self, *, are_calls: bool) -> list[RawCall]:
        """The calls without marks; their texts are prose from now on, unless they `are_calls`."""
        held = self.bare[:]
        self.bare.clear()
        for index, _ in held if are_calls else ():
            self.pieces[index] = ""
        return [call for _, calls in held for call in calls]

    def after_call(self) -> None:
        """Note the end of a call."""
        self.strips, self.thought = True, None
        if self.fence:
            self.fence, self.closes_fence = "", False
