"""Calls with no marker: JSON and Python as such, and names on a line of their own."""

from __future__ import annotations

import re
from typing import Final

from schema2model.calls.call_arguments import unwrapped
from schema2model.calls.call_parser import DEFINED, CallParser, CallStart, CallSteps
from schema2model.calls.expressions import NAME, NAME_BEGUN
from schema2model.calls.formats.declaration import OBJECT, OBJECTS, PYTHON, PYTHONS, TOOL, Format
from schema2model.calls.keyword_literals import keyword_arguments

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
_VALUE: Final = re.compile(r"(?=\s{0,99}[\"'}A-Za-z_])")
_BLANK: Final = re.compile(r"\s{0,99}\Z")
_HERE: Final = re.compile("")
_ASIDE: Final = r"""(?:"(?:id|type)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}"""
_TOOL_CALLS: Final = (
    rf"""\{{\s*"tool_calls"\s*:\s*\[\s*(?P<call>\{{\s*{_ASIDE}"function"\s*:\s*\{{\s*"name"\s*:\s*"""
    r""""(?P<name>[^"\\\n]+)"\s*,\s*"arguments"\s*:\s*(?P<arguments>".*")\s*\}\s*\})\s*\]\s*\}"""
)
"""OpenAI's, with the arguments in a string."""


def _alone(call: str) -> str:
    """A text that is a call, in a fence or not."""
    return rf"\s{{0,40}}(?:Action:\s*)?(?:```(?:json|python|tool_code)?\s*)?{call}(?:\s*```)?"


def _undefined(arguments: str) -> str | None:
    """Arguments of a call, and not the parameters of a tool's definition."""
    if arguments[0] == "{":
        return None if DEFINED.match(arguments) else arguments
    return unwrapped(arguments)


def _json(parser: CallParser, _: CallStart) -> CallSteps:
    return (yield from parser.json_in_prose())


def _arguments(parser: CallParser, opening: CallStart) -> CallSteps:
    yield from parser.arguments(opening, None)


def _python(parser: CallParser, opening: CallStart) -> CallSteps:
    return (yield from parser.python_statement(opening))


def _behind(name: str, before: str, head: str) -> Format:
    """Arguments in JSON after a name in prose and a new line; `head` begins the text."""
    pattern = re.compile(rf"{before}\Z", re.VERBOSE)
    single = (rf"\s*(?P<call>{head}(?P<arguments>\{{.*\}}))(?:\s*```)?",)
    return Format(name, ("{",), _arguments, _VALUE, _BLANK, pattern, bare=True, single=single)


FORMATS: Final[tuple[Format, ...]] = (
    _behind(
        "react",
        rf"\n\s{{0,9}}(?P<call>Action:\s{{0,9}}`?(?P<name>{TOOL})`?\s{{0,9}}\n"
        r"\s{0,9}Action\ Input:)"
        r"\s{0,9}(?:```(?:json)?\s{0,9})?",
        rf"Action:\s{{0,99}}(?P<name>{TOOL})[^\S\n]{{0,99}}\n\s{{0,99}}Action Input:\s{{0,99}}",
    ),
    _behind(
        "functionary_v32",
        rf"(?P<call>>>>\s?(?P<name>{TOOL}))\s{{0,9}}\n\s{{0,9}}",
        rf">>>(?P<name>{TOOL})[^\S\n]{{0,99}}\n\s{{0,99}}",
    ),
    _behind(
        "chatglm",
        rf"(?:\n[ \t]{{0,9}}|```|[.!?:])(?P<call>(?P<name>{TOOL}?))[ \t]{{0,9}}\n\s{{0,9}}",
        rf"(?P<name>{TOOL})[ \t]*\n\s*",
    ),
    _behind(
        "mistral_v13",
        rf"\n[ \t]{{0,9}}(?P<call>(?P<name>{TOOL}))(?:\[ARGS\])?[ \t]{{0,9}}",
        rf"(?P<name>{TOOL})(?:\[ARGS\])?[ \t]*",
    ),
    Format(
        "phi4_mini",
        ("[",),
        _json,
        _LIST,
        _BEGUN,
        re.compile(r"(?P<call>functools)\s{0,9}\Z"),
        single=(rf"\s*functools\s*(?P<list>\[)\s*{OBJECT}\s*\]",),
        between=OBJECTS,
    ),
    Format(
        "json_object",
        ("{",),
        _json,
        _OBJECT,
        _BEGUN,
        bare=True,
        aliases=("llama3_json", "openai_json", "json_fenced", "xlam", "action_json", "tool_uses"),
        single=(_alone(_TOOL_CALLS), _alone(OBJECT)),
        between=OBJECTS,
        given=_undefined,
    ),
    Format(
        "json_list",
        ("[",),
        _json,
        _LIST,
        _BEGUN,
        bare=True,
        aliases=("json_fenced", "cohere_command_r", "xlam"),
        single=(_alone(rf"(?P<list>\[)\s*{OBJECT}\s*\]"),),
        between=OBJECTS,
        given=_undefined,
    ),
    Format(
        "pythonic",
        ("[",),
        _json,
        _CALLS,
        _BEGUN,
        bare=True,
        aliases=("gemma_tool_code",),
        single=(_alone(rf"(?P<list>\[)\s*{PYTHON}\s*\]"),),
        between=PYTHONS,
        given=keyword_arguments,
    ),
    Format(
        "pythonic",
        ("(",),
        _python,
        _HERE,
        _HERE,
        re.compile(
            rf"""\n[^\S\n]{{0,40}}(?:(?:[-*>•]|\d{{1,3}}[.)])[ \t]{{1,9}})?  # a list's mark
            (?:[,;+|&]\s{{0,9}}|(?:and|or)\s{{1,9}})?                      # behind another call
            (?:Action:[ \t]{{0,9}})?(?:print\(\s{{0,9}}|await\s{{1,9}})?
            [\[("'`*\\]{{0,4}}(?P<call>(?P<name>{NAME}))\s?\Z""",
            re.VERBOSE,
        ),
        bare=True,
        aliases=("gemma_tool_code",),
        single=(rf"(?:Action: |```(?:python|tool_code)?\n)?{PYTHON}(?:\s*```)?",),
        between=PYTHONS,
        given=keyword_arguments,
    ),
)
