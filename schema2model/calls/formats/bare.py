"""Calls with no marker: JSON and Python as such, and names on a line of their own."""

from __future__ import annotations

import functools
import re
from typing import Final

from schema2model.calls.call_parser import PROSE, CallParser
from schema2model.calls.expressions import NAME, NAME_BEGUN
from schema2model.calls.formats.declaration import TOOL, Format, after_name
from schema2model.calls.text_source import Ending

__all__ = ["FORMATS"]

_OBJECT: Final = re.compile(r"""(?=\s{0,99}["'][A-Za-z_]{1,40}["']\s{0,9}:)""")
_IN_LIST: Final = r"\s{0,99}(?:[\[(]\s{0,99})?"
_LIST: Final = re.compile(
    rf"""(?={_IN_LIST}(?:\{{\s{{0,99}}["']|["']{NAME}["']\s{{0,9}},\s{{0,9}}\{{))"""
)
_CALLS: Final = re.compile(rf"""(?={_IN_LIST}["'`]?\s{{0,9}}{NAME}\s?\()""")
_BEGUN: Final = re.compile(
    rf"""{_IN_LIST}
    (?:\{{\s{{0,99}}|["'`]?\s{{0,9}}(?:{NAME_BEGUN})?\s?["']?\s{{0,9}}[,:]?\s{{0,9}})\Z""",
    re.VERBOSE,
)
_NEXT_MESSAGE: Final = r"(?<=\})\s{0,9}assistant(?=commentary|analysis|final)"
"""The beginning of a message of harmony, whose marks were stripped."""
_MESSAGE: Final = Ending(
    rf"{PROSE.marks.pattern}|{_NEXT_MESSAGE}", rf"{PROSE.after_value.pattern}|{_NEXT_MESSAGE}"
)
_HERE: Final = re.compile("")
_CHANNEL: Final = "(?:commentary|analysis)"
_in_prose: Final = functools.partial(
    Format, read=CallParser.json_in_prose, begun=_BEGUN, json="calls", bare=True
)

FORMATS: Final[tuple[Format, ...]] = (
    after_name(
        "react",
        rf"\n\s{{0,9}}(?P<call>Action:\s{{0,9}}`?(?P<name>{TOOL})`?\s{{0,9}}\n"
        r"\s{0,9}Action\ Input:)"
        r"\s{0,9}(?:```(?:json)?\s{0,9})?",
    ),
    after_name("functionary_v32", rf"(?P<call>>>>\s?(?P<name>{TOOL}))\s{{0,9}}\n\s{{0,9}}"),
    after_name(
        "harmony",
        rf"(?P<call>(?:(?:{_CHANNEL}|assistant{_CHANNEL})\s{{1,9}}to=|t(?<!\wt)o=)(?P<name>{TOOL}?))"
        rf"\s{{0,9}}(?:{_CHANNEL}\s{{0,9}})?(?:(?:json|code)\s{{0,9}})?",
        lambda parser, opening: parser.arguments(opening, _MESSAGE),
    ),
    after_name(
        "chatglm",
        rf"(?:\n[ \t]{{0,9}}|```|[.!?:])(?P<call>(?P<name>{TOOL}?))[ \t]{{0,9}}\n\s{{0,9}}",
    ),
    after_name(
        "mistral_v13", rf"\n[ \t]{{0,9}}(?P<call>(?P<name>{TOOL}))(?:\[ARGS\])?[ \t]{{0,9}}"
    ),
    _in_prose(
        "phi4_mini", ("[",), opening=_LIST, before=re.compile(r"(?P<call>functools)\s{0,9}\Z")
    ),
    _in_prose(
        "json_object",
        ("{",),
        opening=_OBJECT,
        aliases=("llama3_json", "openai_json", "json_fenced", "xlam", "action_json", "tool_uses"),
    ),
    _in_prose(
        "json_list", ("[",), opening=_LIST, aliases=("json_fenced", "cohere_command_r", "xlam")
    ),
    _in_prose("pythonic", ("[",), opening=_CALLS, aliases=("gemma_tool_code",)),
    Format(
        "pythonic",
        ("(",),
        CallParser.python_statement,
        _HERE,
        _HERE,
        re.compile(
            rf"""\n[^\S\n]{{0,40}}(?:(?:[-*>•]|\d{{1,3}}[.)])[ \t]{{1,9}})?  # a list's mark
            (?:[,;+|&)\]]\s{{0,9}}){{0,3}}(?:(?:and|or)\s{{1,9}})?         # after another call
            (?:Action:[ \t]{{0,9}})?(?:print\(\s{{0,9}}|await\s{{1,9}}|call:)?
            [\[("'`*\\]{{0,4}}(?P<call>(?P<name>{NAME}))\s?\Z""",
            re.VERBOSE,
        ),
        bare=True,
        aliases=("gemma_tool_code",),
    ),
)
