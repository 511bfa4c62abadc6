"""Texts that are calls and their markers, without prose: most answers that hold calls."""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.call_parser import CALL_HEAD, DEFINED, CallParser, CallStart
from schema2model.calls.call_shapes import NO_TOOLS
from schema2model.calls.call_texts import calls_in_expression, calls_within
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import PLAIN_CALLS
from schema2model.calls.formats.declaration import Format
from schema2model.calls.markers import Markers, name_in
from schema2model.calls.mentions import is_program
from schema2model.calls.text_source import HEADER, JSON_DECODER, SpentError, TextSource
from schema2model.calls.tool_names import ToolNames

__all__ = ["usual_calls"]

_LENGTH: Final = 50_000
"""Maximum characters of such a text: the finder bounds the work that longer ones may cost."""
_MARKERS: Final = 100
"""Maximum markers in such a text, and calls in a block."""
_LAST: Final = frozenset(">]})`")
"""Characters with which a call or a marker ends."""
_HEAD: Final = re.compile(rf"(?P<list>\[\s{{0,9}})?(?P<object>{CALL_HEAD.pattern})", re.VERBOSE)
_ENDS: Final = {"": re.compile(r"\s*\}()"), "[": re.compile(r"\s*\}()\s*\]")}


def usual_calls(text: str, names: ToolNames, markers: Markers) -> list[RawCall]:
    """The calls as `Finder` finds them, in half of its time; none for any other text."""
    calls: list[RawCall] = []
    at = 0 if len(text) <= _LENGTH and text.rstrip()[-1:] in _LAST else len(text)
    for _ in range(_MARKERS):
        ended, begins = at, markers.silence.match(text, at).end()  # type: ignore[union-attr]
        if begins == len(text):
            return calls
        found = markers.candidate.search(text, begins, begins + HEADER)
        if not found or (calls and found[0][0] != "<"):  # within the block of the last call
            break
        marker, start = found[0], found.start()
        before = f"\n{text[at:start]}" if start > at and marker in markers.after_text else ""
        if marker == "(" and is_program(before):
            break
        at = start + len(marker)
        for format_, named, length in markers.begun(marker, before):
            opened = format_.opening.match(text, at, at + HEADER)
            name = named or (name_in(opened) if opened else "")
            if opened and not (name and format_.bare and names.find(name) is None):
                is_marked = not length or text[ended:begins].strip() != ""
                if start - length != begins or (calls and (format_.bare or not is_marked)):
                    return []  # prose, a repetition, or a call whose end is missing before another
                break
        else:
            if start == begins and (marker in markers.plain or marker in markers.calling):
                continue
            break
        at = start if format_.bare else opened.end()
        read, at = _read(text, at, names, format_, CallStart(begins, name), markers=markers)
        if not _are_certain(read, names, format_):
            break
        calls += read
    return []


def _are_certain(calls: list[RawCall], names: ToolNames, format_: Format) -> bool:
    """Return whether calls of a format are all of known tools, and none has a problem."""
    for call in calls:
        known = names.find(call.name)
        if call.problem or known is None:
            return False
        call.name, call.format = known, format_.name
    return 0 < len(calls) <= _MARKERS


def _read(  # noqa: PLR0913 - one for each fact
    text: str,
    at: int,
    names: ToolNames,
    format_: Format,
    opening: CallStart,
    *,
    markers: Markers,
) -> tuple[list[RawCall], int]:
    """The calls of a block, and the offset after the block; none if they are not certain."""
    head = _HEAD.match(text, at, at + HEADER) if format_.json == "calls" else None
    start, name = opening.start, opening.name
    if head:
        start, at, name = head.start("object"), head.end(), head["name"] or head["key"]
        is_prose = format_.bare and (head["key"] or DEFINED.match(text, at))
        if is_prose or head["inner"] or name in NO_TOOLS or text[at] != "{":
            return [], at
    elif format_.json == "calls" and (plain := PLAIN_CALLS.match(text, at)):
        reader = calls_in_expression if format_.bare else calls_within
        return [*(reader(plain[0], names, at) or ())], plain.end()
    elif format_.bare and format_.json:
        return [], at
    try:
        if not head and format_.json != "arguments":
            source = TextSource(text, ended=True)
            source.at = at
            return [*format_.read(CallParser(source, names, markers.call), opening)], source.at
        arguments = text[at : JSON_DECODER.raw_decode(text, at)[1]]
    except (ValueError, RecursionError, SpentError):
        return [], at
    end = at + len(arguments)
    closed = _ENDS[(head["list"] or "")[:1]].match(text, end) if head else None
    if head and not closed:
        return [], end
    call = RawCall(name, arguments, start, closed.start(1) if closed else end)
    return [call], closed.end() if closed else end
