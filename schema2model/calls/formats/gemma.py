"""Gemma's own literals: bare keys, and strings between marks, without escapes."""

from __future__ import annotations

import re
from json.encoder import encode_basestring_ascii
from typing import Final

from schema2model.calls.call_parser import CallParser, CallStart, CallSteps
from schema2model.calls.call_types import RawCall
from schema2model.calls.expressions import ExpressionError, parse
from schema2model.calls.formats.declaration import TOOL, Format

__all__ = ["FORMATS"]

_STRING: Final = r"""<\|"\|>(?P<text>[^<]*(?:<(?!\|"\|>)[^<]*)*)<\|"\|>
    | <escape>(?P<escaped>[^<]*(?:<(?!escape>)[^<]*)*)<escape>"""
_QUOTED: Final = re.compile(_STRING, re.VERBOSE)
_MARK: Final = re.compile(r"""<\|"\|>|<escape>|(?<!<\|)"|[{}\[\]]""")
_ENDS: Final = {quote: re.compile(re.escape(quote)) for quote in ('<|"|>', "<escape>", '"')}
_BEGUN: Final = re.compile(r"\s{0,99}[^\s<>{}]{0,220}\s{0,9}\Z")


def _json(text: str) -> str:
    """The JSON of one of Gemma's objects; empty for any other text."""
    try:
        return parse(_QUOTED.sub(_requoted, text)).json
    except (ExpressionError, RecursionError):
        return ""


def _requoted(string: re.Match[str]) -> str:
    return encode_basestring_ascii(string[string.lastgroup or ""])


def _read(parser: CallParser, opening: CallStart) -> CallSteps:
    source = parser.source
    begins, depth = source.place, 0
    while found := (yield from source.find(_MARK, 8)):
        if found[0] not in _ENDS:
            depth += 1 if found[0] in "{[" else -1
        elif not (yield from source.find(_ENDS[found[0]], 8)):
            break
        if depth <= 0:
            break
    ended = found is not None and depth <= 0
    arguments = _json(source.slice(begins, source.place)) if ended else ""
    problem = "" if arguments else "it is malformed" if ended else "it was cut off"
    yield RawCall(opening.name, arguments, opening.start, source.place, problem=problem)


def _marked(name: str, opens: str, closes: str) -> Format:
    opening = re.compile(rf"\s{{0,99}}(?:call:)?(?P<name>{TOOL})\s{{0,9}}(?=\{{)")
    return Format(name, (opens,), _read, opening, _BEGUN, around=(closes,))


FORMATS: Final[tuple[Format, ...]] = (
    _marked("gemma4", "<|tool_call>", "<tool_call|>"),
    _marked("functiongemma", "<start_function_call>", "<end_function_call>"),
    Format(
        "gemma4",
        ("{",),
        _read,
        re.compile(r"(?=\s{0,99}[\"'}A-Za-z_])"),
        re.compile(r"\s{0,99}\Z"),
        re.compile(rf"\b(?P<call>call:(?P<name>{TOOL}))\Z"),
        bare=True,
    ),
)
