"""`CallFrames`: what stood around the arguments of calls that were read, to know it again.

A model writes all calls of a tool alike, but for the arguments. A pattern finds those in the first
call; what stands before and behind them, its frame, is remembered. In a text that has the same
frame the pattern would find the same, for all that it asks of arguments are the brackets or tags
around them, and those belong to the frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from schema2model.calls.call_arguments import by_schema
from schema2model.calls.call_types import Call, call_of
from schema2model.calls.formats.declaration import Format, Framing, Given
from schema2model.calls.tool_names import ToolNames

__all__ = ["BEGINNING", "CallFrames"]

BEGINNING: Final = 6
"""Characters with which a text begins that may tell its frame."""
_MOST: Final = 1_000
"""Heads, and beginnings of heads, that are remembered."""
_ALIKE: Final = 4
"""Frames that are remembered of one head, and rules of one beginning."""
_ORDINALS: Final = (1, 2)
"""How many times a delimiter may stand in a head: behind the last, the arguments begin."""
_LONGEST: Final = 400
"""Characters of a head or tail that is remembered."""

T = TypeVar("T")


class _Frame(NamedTuple):
    """What stands around arguments, and how they are read."""

    tail: str
    """What stands behind them, with the bracket or tag that ends them."""
    name: str
    """The tool's, as it is spelled."""
    before: int
    """Characters of the head that belong to the arguments."""
    behind: int
    """Characters of the tail that do not."""
    given: Callable[[str], Given | None]
    """What arguments are; None if only the pattern can tell."""
    starts: int
    """How much of the head stands before the call."""
    ends: int
    """How much of the tail stands behind it."""
    format: str


class CallFrames:
    """The frames of calls that the patterns of some formats have found."""

    __slots__ = ("_frames", "_rules")

    def __init__(self) -> None:
        self._rules: dict[str, tuple[tuple[str, int, bool], ...]] = {}
        """What heads end with, its length, and whether it is the second, by how they begin."""
        self._frames: dict[str, tuple[_Frame, ...]] = {}
        """By their heads."""

    def call(  # noqa: PLR0913, PLR0917 - by place: keywords take time
        self,
        beginning: str,
        text: str,
        begins: int,
        ends: int,
        names: ToolNames,
        format_name: str | None,
    ) -> Call | None:
        """The call between two places of a text, if its frame is known and its tool takes it."""
        for delimiter, length, second in self._rules.get(beginning, ()):
            at = text.find(delimiter, begins, ends) + length
            if second and at >= length:
                at = text.find(delimiter, at, ends) + length
            if at < length:
                continue
            for frame in self._frames.get(text[begins:at], ()):
                tail, spelled, before, behind, given, starts, stops, format_ = frame
                if text.endswith(tail, at, ends):
                    name = names.find(spelled)
                    said = given(text[at - before : ends - behind])
                    if name is None or said is None:
                        return None
                    try:
                        written: str | dict[str, str]
                        if isinstance(said, str):
                            written = said
                            arguments = names.schema(name).engine.accept_json(said)
                        else:
                            written, strings = said
                            arguments = by_schema(names, name, written, strings)
                    except Exception:  # noqa: BLE001 - a hostile value may raise anything
                        return None
                    return call_of(
                        name,
                        arguments,
                        format_name or format_,
                        begins + starts,
                        ends - stops,
                        None,
                        written,
                    )
        return None

    def remember(
        self, mark: str, format_: Format, found: re.Match[str], begins: int, ends: int
    ) -> None:
        """Remember the frame of a call that the pattern of a format has found."""
        text = found.string
        start, end = found.span("arguments")
        framing = _framing(format_, text, start, end)
        if framing is None:
            return
        delimiter, first, last, shared, given = framing
        at, until = start + first, end - last
        head, tail = text[begins:at], text[until:ends]
        count = head.count(delimiter)
        if count not in _ORDINALS or max(len(head), len(tail)) > _LONGEST:
            return
        starts, stops = found.start("call") - begins, ends - found.end("call")
        for known in (self._frames, self._rules):
            if len(known) >= _MOST:
                known.clear()
        frame = _Frame(
            tail, found["name"], shared, len(tail) - shared, given, starts, stops, format_.name
        )
        _put(self._frames, head, frame)
        rule = delimiter, len(delimiter), count > 1
        _put(self._rules, mark, rule)
        if len(head) >= BEGINNING:
            _put(self._rules, head[:BEGINNING], rule)


def _framing(format_: Format, text: str, start: int, end: int) -> Framing | None:
    """How arguments are framed; None if other calls of the tool do not show it."""
    if format_.framing is not None:
        return format_.framing(text[start:end])
    if text[start] == "{":
        return Framing("{", 1, 1, 1, format_.given)
    return Framing("(", 0, 0, 0, format_.given) if text[start - 1] == "(" else None


def _put(known: dict[str, tuple[T, ...]], key: str, new: T) -> None:
    """Remember one more thing under a key, before the others; the oldest is forgotten."""
    old = known.get(key, ())
    if new not in old:
        known[key] = (new, *old[: _ALIKE - 1])
