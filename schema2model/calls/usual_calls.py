"""Texts that are calls and their markers, without prose: most answers that hold calls."""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.call_parser import CALL_HEAD, DEFINED, CallParser, CallStart
from schema2model.calls.call_shapes import PARALLEL
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import Format
from schema2model.calls.markers import Markers, name_in
from schema2model.calls.text_source import HEADER, JSON_DECODER, SpentError, TextSource
from schema2model.calls.tool_names import ToolNames

__all__ = ["usual_calls"]

_MARKERS: Final = 100
"""Maximum markers in such a text."""
_HEAD: Final = re.compile(rf"(?P<list>\[\s{{0,9}})?(?P<object>{CALL_HEAD.pattern})", re.VERBOSE)
_OBJECT_END: Final = re.compile(r"\s*\}()")
_LIST_END: Final = re.compile(r"\s*\}()\s*\]")

_Read = tuple[RawCall, int]
"""A call, and the offset after it."""


def usual_calls(text: str, names: ToolNames, markers: Markers) -> list[RawCall]:
    """The calls as `Finder` finds them, in half of its time; none for any other text."""
    calls: list[RawCall] = []
    at = 0
    for _ in range(_MARKERS):
        at = markers.silence.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return calls
        found = markers.candidate.match(text, at)
        if not found or (calls and found[0][0] != "<"):  # within the block of the last call
            break
        start = at
        marker = found[0] if found[0] in markers.known else found[0][0]
        at += len(marker)
        for format_ in markers.formats.get(marker, ()):
            opened = None if format_.before else format_.opening.match(text, at, at + HEADER)
            if opened:
                read = _read(text, names, format_, start, opened)
                if read is None:
                    return []
                calls.append(read[0])
                at = read[1]
                break
        else:
            if marker not in markers.plain and marker not in markers.calling:
                break
    return []


def _read(
    text: str, names: ToolNames, format_: Format, start: int, opened: re.Match[str]
) -> _Read | None:
    """The only call of a block of a format; None if it is not certain."""
    at = start if format_.bare else opened.end()
    name, end = name_in(opened), None
    if format_.json == "calls" and (head := _HEAD.match(text, at, at + HEADER)):
        start, at, name = head.start("object"), head.end(), head["name"] or head["key"]
        end = _LIST_END if head["list"] else _OBJECT_END
        is_bare = format_.bare and (head["key"] or DEFINED.match(text, at))
        if is_bare or head["inner"] or name in PARALLEL:
            return None
    elif format_.json != "arguments":
        return None if format_.bare else _read_by_format(text, names, format_, start, opened)
    if text[at] != "{" or names.find(name) is None:
        return None
    try:
        after = JSON_DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None
    call = RawCall(name, text[at:after], start, after, format=format_.name)
    if end:
        closed = end.match(text, after)
        if closed is None:
            return None
        call.end, after = closed.start(1), closed.end()
    return call, after


def _read_by_format(
    text: str, names: ToolNames, format_: Format, start: int, opened: re.Match[str]
) -> _Read | None:
    """The only call that the reader of a format finds; None if it is not certain."""
    source = TextSource(text, ended=True)
    source.at = opened.end()
    try:
        calls = [*format_.read(CallParser(source, names), CallStart(start, name_in(opened)))]
    except SpentError:
        return None
    if len(calls) != 1 or calls[0].problem or names.find(calls[0].name) is None:
        return None
    calls[0].format = format_.name
    return calls[0], source.at
