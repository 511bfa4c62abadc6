"""The tool's name as a tag, and each parameter in a tag of its own, as coding clients prompt it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from schema2model.calls.call_parser import Arriving, CallParser, CallStart, CallSteps
from schema2model.calls.call_types import RawCall, given_twice
from schema2model.calls.formats.declaration import TOOL, Format
from schema2model.calls.formats.text_parameters import inner_text
from schema2model.calls.mentions import is_in_program
from schema2model.calls.text_source import CONTEXT, Ending, Steps
from schema2model.calls.tool_names import either
from schema2model.json.names import likely
from schema2model.limits import MAX_DEPTH

__all__ = ["FORMATS"]

_TAG: Final = r"[A-Za-z_][\w.-]{0,199}"
_CHILD: Final = re.compile(rf"<(?P<key>{_TAG})>")
_BEGUN: Final = re.compile(r"(?:<[^<>]{0,220})?\Z")
_FOLLOWING_BEGUN: Final = re.compile(r"\s{0,40}(?:<[^<>]{0,220})?\Z")
_LONGEST: Final = 300
"""Characters of a closing tag, the blanks after it, and the next tag."""


def _read(parser: CallParser, opening: CallStart) -> CallSteps:
    source, name = parser.source, opening.name
    above = source.slice(max(source.place - CONTEXT, 0), source.place)
    if name not in parser.names or is_in_program(above):
        return
    declared = parser.parameters(name)
    keys = either(declared)
    end = f"</{re.escape(name)}>"
    tag = re.compile(rf"<(?P<key>{keys})>|{end}")
    source.at += len(name) + 2
    values: dict[str, str] = {}
    problem = ""
    while True:
        yield from source.blanks()
        found = yield from source.header(tag, _BEGUN)
        if found is None:
            place = source.place
            child = yield from source.header(_CHILD, _BEGUN)
            is_call = bool(values) or (child and likely(child["key"], declared))
            if not (is_call or (yield from _holds_call(parser, name, child))):
                return
            if child and child["key"] in parser.names:  # the next call
                source.again(place)
                child = None
            is_over = yield from _pass_rest(parser, end)
            left = [each for each in declared if each not in values]
            problem = problem or _problem(child["key"] if child else "", left, is_over=is_over)
            break
        if found["key"] is None:
            if not values and not parser.names.schema(name).is_valid({}):
                return  # an element of HTML
            break
        key = found["key"]
        parser.arriving = parser.arriving or Arriving(name, None)
        value = yield from _single_value(parser, name, key, keys)
        if value is None:
            is_over = source.slice(source.place - len(end), source.place) == end
            does_not_end = f"the value of `{key}` does not end; write {_line(key)}"
            problem = problem or (does_not_end if is_over else f"it was cut off in `{key}`")
            break
        if values.setdefault(key, value) != value:
            problem = given_twice(key)
        parser.arriving.values.append((key, value))
    parser.arriving = None
    yield RawCall(name, values, opening.start, source.place, problem=problem)


def _read_mcp(parser: CallParser, opening: CallStart) -> CallSteps:
    """Read the arguments in JSON of a tool of an MCP server."""
    source = parser.source
    source.at += 1
    yield from source.header(_MCP_OPENING, _MCP_BEGUN)
    if (yield from source.blanks()) == "<":
        yield RawCall(opening.name, "{}", opening.start, source.place)
    else:
        yield from parser.arguments(opening, _MCP_END)
    yield from source.blanks()
    yield from source.header(_MCP_END.marks, _MCP_END_BEGUN)


def _holds_call(parser: CallParser, name: str, child: re.Match[str] | None) -> Steps[bool]:
    """Return whether an element, which is passed, holds a call in a child that is none itself."""
    if child is None or child["key"] in parser.names:
        return False
    own = re.escape(name)
    marks = re.compile(rf"(?P<end></{own}>)|(?P<again><{own}>)|{_call_of(parser.names.pattern)}")
    holds_call = False
    while mark := (yield from parser.source.find(marks, _LONGEST)):
        if mark["end"]:
            return holds_call
        if mark["again"]:
            break
        holds_call = True
    return False


def _call_of(tools: str) -> str:
    """The source of a pattern of the tag with which a call of any tool begins."""
    return rf"<(?P<call>{tools})>(?=\s{{0,99}}<)"


def _problem(child: str, left: Sequence[str], *, is_over: bool) -> str:
    """The problem of a call where a tag is unknown or missing; `left` are parameters not given."""
    if child:
        advice = f"; use {', '.join(left[:10])}" if left else ""
        return f"`{child}` is not a parameter{advice}"
    if not is_over:
        return "it was cut off"
    return f"a tag is missing or damaged; write {_line(left[0] if left else 'NAME')}"


def _line(key: str) -> str:
    """A parameter as it is read."""
    return f"`<{key}>…</{key}>`"


def _pass_rest(parser: CallParser, end: str) -> Steps[bool]:
    """Pass the rest of a call, up to its end or the beginning of another one; False at neither."""
    source = parser.source
    mark = yield from source.find(re.compile(f"{end}|{_call_of(parser.names.pattern)}"), _LONGEST)
    if mark and mark["call"]:
        source.again(source.place - len(mark[0]))
    return mark is not None


@lru_cache(32)  # as that of `re` forgets it between two calls
def _marks(tools: str, declared: str) -> re.Pattern[str]:
    """The tags that may end a value, or are within it."""
    return re.compile(
        rf"</(?P<closed>{tools}|{declared})>|{_call_of(tools)}"
        rf"|<(?P<parameter>{declared})>"
    )


def _value(parser: CallParser, name: str, key: str, declared: str) -> Steps[str | None]:
    """The text up to the closing tag before another tag, or else up to the first one.

    Whole calls in it are text. None without a closing tag before the beginning of another
    call: then the end of its own call is passed, so that nothing of the other is lost.
    """
    source = parser.source
    begins = source.place
    end, close = f"</{re.escape(name)}>", f"</{re.escape(key)}>"
    marks = _marks(parser.names.pattern, declared)
    following = re.compile(rf"\s{{0,40}}(?:<(?:{declared})>|{end})")
    opened: list[str] = []
    ended = False
    while mark := (yield from source.find(marks, _LONGEST)):
        closed, closes = mark["closed"], source.place
        if closed and closed in opened:
            while opened.pop() != closed:
                pass
        elif closed == key:
            if (yield from source.header(following, _FOLLOWING_BEGUN)):
                source.again(closes)
                return inner_text(source.slice(begins, closes - len(mark[0])))
        elif closed == name:
            ended = True
        elif (mark["call"] and ended) or len(opened) > MAX_DEPTH:
            break
        elif mark["call"] or (mark["parameter"] and opened):
            opened.append(mark["call"] or mark["parameter"])
    source.again(begins)
    found = yield from source.find(re.compile(close if not mark else end), _LONGEST)
    text = source.slice(begins, source.place - len(found[0])) if found else ""
    begins_call = any(each["call"] for each in marks.finditer(text))
    if found and not mark and end not in text and not begins_call:
        return inner_text(text)
    source.again(begins)
    yield from source.find(re.compile(end), _LONGEST)
    return None


def _single_value(parser: CallParser, name: str, key: str, declared: str) -> Steps[str | None]:
    """The value; None if it has no end, or one of its tags is there twice."""
    value = yield from _value(parser, name, key, declared)
    if value is None or not _is_doubled(value, key):
        return value
    yield from _pass_rest(parser, f"</{re.escape(name)}>")
    return None


def _is_doubled(text: str, key: str) -> bool:
    """Return whether a value begins or ends with a tag of its own that has no partner in it."""
    begin, end, bare = f"<{key}>", f"</{key}>", text.strip()
    is_tag = bare.startswith(begin) or bare.endswith(end)
    return is_tag and text.count(begin) != text.count(end)


_MCP_SERVER: Final = r"(?:<server_name>[^<]{0,200}</server_name>\s{0,99})?"
_MCP_OPENING: Final = re.compile(
    rf"use_mcp_tool>\s{{0,99}}{_MCP_SERVER}<tool_name>\s{{0,9}}(?P<name>{TOOL})\s{{0,9}}</tool_name>"
    rf"\s{{0,99}}{_MCP_SERVER}<arguments>\s{{0,99}}(?=\{{|</arguments>)"
)
_MCP_BEGUN: Final = re.compile(r"(?:u[a-z_]{0,11}|use_mcp_tool(?:>(?s:.{0,380}))?)?\Z")
_MCP_END: Final = Ending(r"</arguments>\s{0,99}</use_mcp_tool>")
_MCP_END_BEGUN: Final = re.compile(r"</?[a-z]{0,9}(?:>\s{0,99}(?:<[^<>]{0,13})?)?\Z")

FORMATS: Final[tuple[Format, ...]] = (
    Format(
        "client_xml",
        ("<",),
        _read,
        re.compile(rf"(?P<name>{_TAG})>(?=\s{{0,99}}<)"),
        re.compile(r"(?:[A-Za-z_][\w.-]{0,199}(?:>\s{0,99})?)?\Z"),
        bare=True,
    ),
    Format(
        "use_mcp_tool",
        ("<",),
        _read_mcp,
        _MCP_OPENING,
        _MCP_BEGUN,
        json="arguments",
        around=("</arguments>", "</use_mcp_tool>"),
    ),
)
