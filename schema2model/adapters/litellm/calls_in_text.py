"""Calls that a model writes as text and that its server does not parse."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple

from pydantic_core import from_json

from schema2model.calls.call_types import Call
from schema2model.json.canonical import canonical_json
from schema2model.limits import MAX_STREAMED_TEXT
from schema2model.text.wrapping.thinking import THINKING
from schema2model.tools.toolset import Toolset

__all__ = ["ReadCall", "TextCalls"]


class ReadCall(NamedTuple):
    """A call that was read, as APIs have it."""

    name: str
    text: str
    """JSON; of a call that cannot be read, its arguments as they were written."""
    number: str
    """A number that makes its id unique."""
    whole: bool
    """Whether the model came to its end."""

    @property
    def value(self) -> dict[str, Any] | None:
        """Its arguments as an object; None if they are none."""
        try:
            value = from_json(self.text)
        except (TypeError, ValueError):  # also half a surrogate pair
            return None
        return value if isinstance(value, dict) else None


class TextCalls:
    """One text of a model's: what is prose in it, and the calls.

    A call of a tool that is not in the request stays in the text. One with invalid arguments is a
    call all the same: the agent that runs the tools answers the model. Where all have to be
    `objects`, a call with anything else stays in the text.
    Thinking with which the text begins stays in it, too.
    """

    def __init__(self, toolset: Toolset, format_: str | None, *, objects: bool) -> None:
        self._toolset = toolset
        self._reader = toolset.call_reader(format_)
        self._reader.stays_text = self._stays_text
        self._objects = objects
        self._whole = True
        self._thinking = _Thinking()
        self._left = MAX_STREAMED_TEXT
        self._ended = False

    def feed(self, piece: str) -> tuple[str, list[ReadCall]]:
        """Take a piece. What to show of the text by now, and the calls that are complete."""
        if self._ended:
            return piece, []
        self._left -= len(piece)
        if self._left < 0:
            rest, calls = self.finish(whole=False)
            return rest + piece, calls
        thought = self._thinking.feed(piece)
        found = self._reader.feed(piece)
        prose, calls = self._told(found)
        return thought + prose, calls

    def finish(self, *, whole: bool) -> tuple[str, list[ReadCall]]:
        """Return the rest at the end.

        Args:
            whole: whether the model has come to its end itself. If not, arguments that were still
                arriving are passed on as they are.

        """
        if self._ended:
            return "", []
        self._ended = True
        self._whole = whole
        found = self._reader.finish()
        prose, calls = self._told(found)
        return self._thinking.rest() + prose, calls

    def all_of(self, text: str, *, whole: bool) -> tuple[str, list[ReadCall]]:
        """Return the prose and the calls of a text that is at hand."""
        prose, calls = self.feed(text)
        rest, others = self.finish(whole=whole)
        return prose + rest, calls + others

    def _told(self, found: Iterable[Call]) -> tuple[str, list[ReadCall]]:
        calls = [read for read in map(self._read, found) if read is not None]
        return self._reader.new_text(), calls

    def _stays_text(self, call: Call) -> bool:
        return self._read(call) is None

    def _read(self, call: Call) -> ReadCall | None:
        if call.name not in self._toolset:
            return None
        text = canonical_json(call.arguments)
        if call.error is not None or not self._whole:
            text = call.written if isinstance(call.written, str) else json.dumps(call.written)
        read = ReadCall(call.name, text, uuid.uuid4().hex[:24], self._whole)
        return None if self._objects and read.value is None else read


class _Thinking:
    """The thinking at the beginning of a text, and the blanks after it."""

    def __init__(self) -> None:
        self._held = ""  # it may become the marker that begins it, or the one that ends it
        self._end: str | None = None
        self._ended = self._over = False

    def feed(self, piece: str) -> str:
        """Take a piece of the text; the part of it that is thinking, as far as that is certain."""
        if self._over:
            return ""
        self._held += piece
        if self._end is None and not self._begins():
            return ""
        if self._ended:
            return self._blanks()
        before, end, self._held = self._held.partition(self._end or "")
        if end:
            self._ended = True
            return before + end + self._blanks()
        certain = max(len(before) - len(self._end or "") + 1, 0)
        self._held = before[certain:]
        return before[:certain]

    def rest(self) -> str:
        """Return what is held back when the text ends."""
        return "" if self._end is None else self._held

    def _begins(self) -> bool:
        begun = self._held.lstrip()
        for marker, end in THINKING.items():
            if begun.startswith(marker):
                self._end = end
                return True
        if not any(marker.startswith(begun) for marker in THINKING):
            self._over, self._held = True, ""
        return False

    def _blanks(self) -> str:
        blanks = self._held[: len(self._held) - len(self._held.lstrip())]
        self._over, self._held = blanks != self._held, ""
        return blanks
