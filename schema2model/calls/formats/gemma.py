"""Gemma's own literals: bare keys, and strings between marks, without escapes."""

from __future__ import annotations

import re
from json.encoder import encode_basestring_ascii
from typing import Final

from pydantic_core import from_json, to_json

from schema2model.calls.call_parser import CallParser, CallStart, CallSteps
from schema2model.calls.call_types import RawCall
from schema2model.calls.formats.declaration import TOOL, Format, after_name
from schema2model.calls.text_source import Steps, TextSource

__all__ = ["FORMATS"]

_OWN_MARK: Final = re.compile(
    r"(?P<opens><\|tool_call>|<start_function_call>)|<tool_call\|>|<end_function_call>"
)
"""The beginning or the end of a call."""
_MARK: Final = re.compile(
    r"""<\|"\|>(?P<text>[^<]*)<\|"\|>|<\|"\|>|<escape>|(?<!<\|)"|[{}\[\]]"""
    rf"""|(?P<own>{_OWN_MARK.pattern.replace("?P<opens>", "?:")})"""
)
_ENDS: Final = {quote: re.compile(re.escape(quote)) for quote in ('<|"|>', "<escape>", '"')}
_TOKEN: Final = re.compile(
    r"""(?P<json>"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)
      | (?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?=\s*[,}\]]))
    | (?P<bare>[^\s{}\[\],:<"\0][^{}\[\],:<"\0]*)""",
    re.VERBOSE | re.DOTALL,
)
_BEGUN: Final = re.compile(r"\s{0,99}[^\s<>{}]{0,220}\s{0,9}\Z")


def _json(parts: list[str]) -> str:
    """The JSON of an object: of its strings, and of the text around them; empty for other text."""
    around = _TOKEN.sub(_in_json, "\0".join(parts[::2]))
    try:
        from_json(around.replace("\0", '""'), allow_inf_nan=False)
        parts[::2] = around.split("\0")
        parts[1::2] = [to_json(string).decode() for string in parts[1::2]]
    except (TypeError, ValueError):
        return ""
    return "".join(parts)


def _in_json(token: re.Match[str]) -> str:
    """The JSON of a name, a word or a number."""
    text: str = token[0]
    return text if token.lastgroup == "json" else encode_basestring_ascii(text.rstrip())


def _read(parser: CallParser, opening: CallStart) -> CallSteps:
    source = parser.source
    first = begins = source.place
    depth, ended = 0, False
    parts: list[str] = []
    while found := _MARK.search(source.text, source.at) or (yield from source.find(_MARK, 24)):
        mark, string, opens = found[0], found["text"], source.offset + found.start()
        source.at = found.end()
        if mark in _ENDS:
            if not (yield from source.find(_ENDS[mark], 8)):
                break
            if mark != '"':
                string = source.slice(opens + len(mark), source.place - len(mark))
        elif string is None:
            depth += 1 if mark in {"{", "["} else -1
            if depth == 0 or found["own"]:  # the call ends, or its brackets or quotes do not
                ended = not found["own"]
                break
        if string is not None:
            parts += source.slice(begins, opens), string
            begins = source.place
    parts.append(source.slice(begins, source.place))
    arguments = _json(parts) if ended else ""
    problem = ""
    if not arguments:
        source.again(first)
        is_over = yield from _pass_call(source)
        problem = "it is malformed" if ended else "it was cut off"
        if is_over and not ended:
            problem = "it lacks a quote or a closing bracket"
    yield RawCall(opening.name, arguments, opening.start, source.place, problem=problem)


def _pass_call(source: TextSource) -> Steps[bool]:
    """Pass the rest of a call with the calls in its strings, or up to the first mark of a call.

    Return whether there is such a mark.
    """
    depth, end = 1, None
    while depth and (mark := (yield from source.find(_OWN_MARK, 24))):
        depth += 1 if mark["opens"] else -1
        if end is None:
            end = source.place - (len(mark[0]) if mark["opens"] else 0)
    if depth and end is not None:
        source.again(end)
    return end is not None


def _marked(name: str, opens: str, closes: str) -> Format:
    opening = re.compile(rf"\s{{0,99}}(?:call:)?(?P<name>{TOOL})\s{{0,9}}(?=\{{)")
    return Format(name, (opens,), _read, opening, _BEGUN, around=(closes,))


FORMATS: Final[tuple[Format, ...]] = (
    _marked("gemma4", "<|tool_call>", "<tool_call|>"),
    _marked("functiongemma", "<start_function_call>", "<end_function_call>"),
    after_name("gemma4", rf"\b(?P<call>call:(?P<name>{TOOL}))", _read),
)
